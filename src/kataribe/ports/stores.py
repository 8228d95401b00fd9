"""The ledger: what is read in one view and written in one transaction. Stores are sync."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from kataribe.domain.filters import Filter
from kataribe.domain.gate import Gate, Place
from kataribe.domain.memory import Extraction, Memory, Trait
from kataribe.domain.records import (
    Delta,
    EpisodeState,
    EpisodeVersion,
    MemoryState,
    Trace,
    Work,
)
from kataribe.domain.steps import Scope, Step
from kataribe.domain.story import (
    Annotations,
    Character,
    Episode,
    Fact,
    Story,
    Suppression,
)
from kataribe.domain.views import Share
from kataribe.domain.work import Lease
from kataribe.ports.generations import GenerationReading, GenerationWriting
from kataribe.ports.indexes import KeywordIndex, VectorIndex
from kataribe.ports.talk import TalkReading, TalkWriting


class Reading(TalkReading, GenerationReading, Protocol):
    """One consistent view of the ledger; everything read through it is of one moment."""

    @property
    def vectors(self) -> VectorIndex:
        """Search by likeness within this view."""

    @property
    def keywords(self) -> KeywordIndex:
        """Search by words within this view."""

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""

    def story(self, story_id: str) -> Story | None:
        """Give one story."""

    def branches(self, story_id: str) -> tuple[Story, ...]:
        """Give the stories that are branches of this one, by id."""

    def characters(self, story_id: str) -> tuple[Character, ...]:
        """Give the declared cast in its order."""

    def mentioned(self, story_id: str, *, cap: int | None = None) -> Mapping[str, int]:
        """Give each character named by a live episode's rows with the earliest number that does.

        With `cap`, here and below, only episodes with an order key up to it are asked.
        """

    def episode_states(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes, deleted ones too, by number and then order key, without texts."""

    def episode_state(self, story_id: str, episode_id: str) -> EpisodeState | None:
        """Give one episode without its text, deleted or not."""

    def live_at(self, story_id: str, no: int) -> EpisodeState | None:
        """Give the live episode of this number without its text."""

    def keys_around(
        self, story_id: str, no: int, *, leaving_out: str | None = None
    ) -> tuple[int | None, int | None]:
        """Give the highest order key of an episode numbered up to `no` and the lowest of a later one.

        Deleted episodes count; the one with the id `leaving_out` does not.
        """

    def first_annotated(self, story_id: str, *, cap: int | None = None) -> int | None:
        """Give the lowest number of a live episode with annotations or inline marks."""

    def named_by(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give whom the rows of an episode name, as recorded by `put_mentions`."""

    def episode(self, story_id: str, episode_id: str) -> Episode | None:
        """Give one episode with its text, deleted or not."""

    def live_texts(
        self, story_id: str, numbers: Collection[int], *, cap: int | None = None
    ) -> Mapping[int, str]:
        """Give the texts of the live episodes with these numbers."""

    def upto(self, story_id: str, cutoff: int, *, cap: int | None = None) -> int | None:
        """Give the position of the last live episode numbered `cutoff` or lower."""

    def pending(self, story_id: str, cutoff: int, *, cap: int | None = None) -> tuple[int, ...]:
        """Give the numbers of live episodes up to `cutoff` that are not in memory yet."""

    def versions(self, story_id: str, episode_id: str) -> tuple[EpisodeVersion, ...]:
        """Give every version of an episode's text, oldest first."""

    def annotations(self, story_id: str, episode_id: str) -> Annotations:
        """Give the annotations of one episode."""

    def facts(self, story_id: str, episode_id: str | None = None) -> tuple[tuple[str, Fact], ...]:
        """Give supplied and hand-made facts with their episode ids, in the order of the file, then by id."""

    def fact(self, story_id: str, fact_id: str) -> tuple[str, Fact] | None:
        """Give one supplied or hand-made fact with its episode id."""

    def suppressions(self, story_id: str, episode_id: str) -> tuple[Suppression, ...]:
        """Give what was struck out of an episode's extraction, in a fixed order."""

    def pins(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give the ids of the pinned extracted facts of an episode."""

    def extraction(self, story_id: str, episode_id: str, fingerprint: str) -> Extraction | None:
        """Give what was extracted from an episode when it had this fingerprint, if that was kept."""

    def deltas(self, story_id: str, episode_id: str) -> tuple[Delta, ...]:
        """Give what each version of an episode put into memory, oldest first."""

    def memories(
        self, story_id: str, *, episode_id: str | None = None, fact_id: str | None = None
    ) -> tuple[Memory, ...]:
        """Give the memories of a story, an episode or a fact in story order, hidden ones too (author)."""

    def memory_states(self, story_id: str, episode_id: str) -> Mapping[str, MemoryState]:
        """Give what is derived for each memory of an episode, by memory id (author)."""

    def admitted(
        self, gate: Gate, *, keys: Collection[int] | None = None, where: Filter | None = None
    ) -> tuple[Memory, ...]:
        """Give the live memories the gate admits (of these keys), `Memory.key` filled.

        In story order: by part of the gate, then by position.
        """

    def traits(
        self, gate: Gate, keys: Collection[int], *, where: Filter | None = None
    ) -> Mapping[int, Trait]:
        """Give what ranking looks at of those of these live memories that the gate admits, by key.

        Only of those the filter lets pass, where there is one.
        """

    def places(self, gate: Gate) -> tuple[Place, ...]:
        """Give the places of all live memories the gate admits, each once, in story order."""

    def gains(self, story_id: str) -> tuple[tuple[str, int, int], ...]:
        """Give (holder, position, how many memories) of all live memories, by holder and position (author).

        The empty holder's are those in review, of hidden and deleted episodes too.
        """

    def shares(
        self, story_id: str, *, upto: int | None = None, holders: Collection[str] | None = None
    ) -> Iterator[Share]:
        """Stream the live memories, and those in review, up to a position in story order (author).

        `holders` asks for theirs alone. Read it to the end before this view closes.
        """

    def successions(
        self, gate: Gate, *, of: Collection[str] | None = None
    ) -> tuple[tuple[str, str, Place], ...]:
        """Give (fact id, id of the fact it supersedes, place) of the live memories the gate admits.

        Only those with one of the facts `of` at either end, where that is asked.
        """

    def admitted_facts(self, gate: Gate, fact_ids: Collection[str]) -> Mapping[str, Place]:
        """Give the places of those of these facts that the gate admits."""

    def known_vectors(self, embedder_id: str, text_hashes: Collection[str]) -> Mapping[str, bytes]:
        """Give the vectors already made of texts with these hashes (float32, little endian)."""

    def work(self, story_id: str, episode_id: str | None = None) -> Mapping[str, Work]:
        """Give the state of the work on each episode, or on one, by episode id."""

    def lagging(self, story_id: str) -> tuple[str, ...]:
        """Give the live episodes whose memory is not shown and not given up, by number."""

    def next_due(self, story_id: str) -> float | None:
        """Give the moment from which the next lagging episode can be claimed; None when none lags.

        It lies in the past when one can be claimed at once.
        """

    def lease_holders(self, story_id: str) -> frozenset[str]:
        """Give the workers named by the leases of a story, stale ones too."""

    def held(self, token: str, *, now: float) -> frozenset[str]:
        """Give the ids of the episodes whose lease has this token and has not run out."""

    def traces(self, story_id: str, *, last: int) -> tuple[Trace, ...]:
        """Give the last traces, newest first (author)."""

    def inputs(self, story_id: str, scope: Scope) -> Mapping[str, str]:
        """Give what the scope covers of a story's inputs, by key, in words `put_back` understands.

        Keys are those of `domain.steps`; equal words mean equal inputs.
        """

    def steps(self, story_id: str, *, last: int) -> tuple[Step, ...]:
        """Give the last steps that can be taken back, newest first."""


class Writing(Reading, TalkWriting, GenerationWriting, Protocol):
    """One transaction: all of it happens, or nothing."""

    def part(self) -> AbstractContextManager[None]:
        """Open a part of it that is undone by itself when its block raises; the rest goes on.

        Raises `StoreError` when the store could not undo the part alone: then nothing may be
        written any more, and the transaction must end by that error.
        """

    def put_story(self, story: Story) -> None:
        """Add a story, or replace what is recorded of it."""

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id."""

    def delete_story(self, story_id: str) -> None:
        """Remove a story and all that belongs to it."""

    def put_character(self, story_id: str, character: Character) -> None:
        """Add a character at the end of the cast, or replace one in its place."""

    def delete_character(self, story_id: str, character_id: str) -> None:
        """Take a character's declaration out."""

    def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id in the cast, facts, annotations and decisions."""

    def put_episode(self, story_id: str, episode: Episode, *, order_key: int) -> None:
        """Add an episode or replace it, and keep its version."""

    def copy_episode(self, story_id: str, episode_id: str, target: str, *, order_key: int) -> None:
        """Copy an episode into another story of the store at this order key.

        With its versions, annotations, facts, decisions, mentions, extraction and past deltas;
        its memories stay behind and the copy is not shown.
        """

    def set_numbers(self, story_id: str, numbers: Mapping[str, int], keys: Mapping[str, int]) -> None:
        """Renumber these episodes and move these to new order keys, together with their memories."""

    def set_deleted(self, story_id: str, episode_id: str, deleted_at: str | None) -> None:
        """Mark an episode deleted or live again."""

    def shift_references(self, story_id: str, numbers: Mapping[int, int]) -> None:
        """Make aliases and quotes that name these episode numbers name the new ones."""

    def put_annotations(self, story_id: str, episode_id: str, annotations: Annotations) -> None:
        """Replace the annotations of an episode."""

    def put_facts(self, story_id: str, episode_id: str, facts: Iterable[Fact]) -> None:
        """Add facts or replace those of the same id."""

    def delete_facts(self, story_id: str, fact_ids: Iterable[str]) -> None:
        """Remove supplied or hand-made facts."""

    def put_suppressions(self, story_id: str, episode_id: str, rows: Iterable[Suppression]) -> None:
        """Add suppressions."""

    def set_pin(self, story_id: str, episode_id: str, fact_id: str, *, pinned: bool) -> None:
        """Pin or unpin an extracted fact."""

    def put_mentions(self, story_id: str, episode_id: str, character_ids: Collection[str]) -> None:
        """Record which characters the rows of an episode name."""

    def set_inputs(
        self, story_id: str, episode_id: str, *, notes_hash: str, rows_hash: str, annotated: bool
    ) -> None:
        """Record the hashes of what an episode's memory is made from."""

    def set_wanted(self, story_id: str, wanted: Mapping[str, str], visible: Mapping[str, bool]) -> None:
        """Record what memory should be made from, and show or hide the memories of episodes."""

    def put_extraction(
        self, story_id: str, episode_id: str, fingerprint: str, extraction: Extraction, *, text: str
    ) -> None:
        """Keep an extraction of an episode's `text`, so that unchanged text is not read again.

        The episode's other extractions are kept beside it when a model was asked for them:
        who undoes an edit does not pay again. Those that cost nothing go.
        """

    def replace_memories(
        self,
        story_id: str,
        episode_id: str,
        memories: Sequence[Memory],
        *,
        terms: Mapping[str, Sequence[str]],
        vectors: Mapping[str, bytes],
        embedder_id: str,
    ) -> None:
        """Put these memories in the place of the episode's, with deltas and vectors (by text hash)."""

    def sweep(self) -> None:
        """Remove derived rows whose memory or episode is gone; there are none unless somebody meddled."""

    def put_work(self, story_id: str, episode_id: str, work: Work) -> None:
        """Record how the work on an episode ended; a lease that `work` does not name is gone."""

    def clear_failures(self, story_id: str, episode_id: str | None = None) -> int:
        """Forget failed attempts and dead letters, so that the work is tried again; returns how many.

        What a person dropped is taken up only when its episode is named.
        """

    def claim(
        self, story_id: str, lease: Lease, *, now: float, limit: int, among: Collection[str] | None = None
    ) -> tuple[str, ...]:
        """Lease up to `limit` lagging episodes that are due, by number; returns their ids.

        Left out are those given up or dropped, those to be tried again later, and those with
        a lease that has not run out. With `among` it is these live episodes that are leased,
        whether they lag or not, unless they have such a lease.
        """

    def renew(self, token: str, *, now: float, until: float) -> int:
        """Make the leases of this token that have not run out last until `until`; returns how many."""

    def release(self, token: str) -> None:
        """Let go of the leases of this token; what they were for is due."""

    def void(self, workers: Collection[str]) -> None:
        """Let go of every lease of these workers."""

    def put_traces(self, traces: Sequence[Trace], *, keep: int | None = None) -> None:
        """Append traces; of each story written to the last `keep` stay (None: all)."""

    def put_back(self, story_id: str, inputs: Mapping[str, str | None]) -> None:
        """Make these inputs what `Reading.inputs` said of them once; None takes one out.

        Numbers are not put back here: they go through `set_numbers`. A text that changes gets a
        new version.
        """

    def put_step(self, story_id: str, step: Step, *, keep: int) -> None:
        """Append a step and forget all but the last `keep`."""

    def delete_step(self, story_id: str, number: int) -> None:
        """Forget a step."""


class Ledger(Protocol):
    """The one truth. Several processes may read while one writes; writers wait for each other."""

    def reading(self) -> AbstractContextManager[Reading]:
        """Open a consistent view. Raises `StoreError`."""

    def writing(self, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """Open a transaction, committed when the block ends and undone when it raises.

        `patience` is how many seconds to wait for another writer (None: as the store was
        opened). Raises `StoreBusyError` when that one does not finish in time,
        `StoreFullError` when the disk is full; in both cases nothing has changed.
        """

    def problems(self) -> tuple[str, ...]:
        """Give what is wrong with the store as a file; empty when it is sound."""

    def backup(self, path: Path) -> None:
        """Write a consistent copy without vectors and caches, while others may write."""

    def close(self) -> None:
        """Let go of the store; closing twice is closing."""
