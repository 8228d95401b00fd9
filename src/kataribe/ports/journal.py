"""The ledger's part for what was done: searches, uses, steps that can be taken back, and checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from kataribe.domain.records import Trace, Use
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.undo import Scope, Step


class JournalView(Protocol):
    """What is read of it within one view."""

    def traces(self, space: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last searches in a story or with a user, newest first (author)."""

    def uses(self, space: str, viewer: str, fact_ids: Iterable[str], *, upto: int) -> Mapping[str, Use]:
        """Give how often and when last this viewer used these, as far as it had come to `upto`."""

    def inputs(self, story_id: str, scope: Scope) -> Mapping[str, str]:
        """Give what the scope covers of a story's inputs, by key, in words `put_back` understands.

        Keys are those of `domain.steps`; equal words mean equal inputs.
        """

    def steps(self, story_id: str, *, last: int) -> tuple[Step, ...]:
        """Give the last steps that can be taken back, newest first."""

    def checkpoints(self, story_id: str) -> tuple[Checkpoint, ...]:
        """Give the checkpoints of a story without what they hold, by name (author)."""

    def checkpoint_inputs(self, story_id: str, name: str) -> Mapping[str, str]:
        """Give the inputs a checkpoint holds, as `inputs` gave them; empty where there is none."""


class JournalTransaction(JournalView, Protocol):
    """What is written of it within one transaction."""

    def put_traces(self, traces: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces; those of a story or user that is gone are dropped.

        Of each story and user written to the last `keep` stay (None: all). One of a story and a
        user counts in both, and stays as long as it is among the last of either.
        """

    def put_uses(self, space: str, viewer: str, fact_ids: Sequence[str], *, upto: int, at: str) -> None:
        """Count one more use of each of these by a viewer that has come to `upto`.

        In a space that is gone there is nothing to count.
        """

    def put_back(self, story_id: str, inputs: Mapping[str, str | None]) -> None:
        """Make these inputs what `JournalView.inputs` said of them once; None takes one out.

        Numbers are not put back here: they go through `set_numbers`. A text that changes gets a
        new version.
        """

    def put_step(self, story_id: str, step: Step, *, keep: int) -> None:
        """Append a step and forget all but the last `keep`."""

    def delete_step(self, story_id: str, number: int) -> None:
        """Forget a step."""

    def put_checkpoint(self, story_id: str, checkpoint: Checkpoint, inputs: Mapping[str, str]) -> None:
        """Keep inputs under the checkpoint's name, in the place of one that has it. Goes with its story."""

    def delete_checkpoint(self, story_id: str, name: str) -> bool:
        """Forget a checkpoint. False: there was none."""
