"""The ledger's part for stories: what authors hand in, and what was extracted from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.records import Delta, EpisodeState, EpisodeVersion
from kataribe.domain.story.groups import Group
from kataribe.domain.story.inputs import (
    Annotations,
    Character,
    Episode,
    Fact,
    Story,
    Suppression,
)


class StoriesView(Protocol):
    """What is read of stories and their casts within one view."""

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""

    def story(self, story_id: str) -> Story | None:
        """Give one story."""

    def branches(self, story_id: str) -> tuple[Story, ...]:
        """Give the stories that are branches of this one, by id."""

    def characters(self, story_id: str) -> tuple[Character, ...]:
        """Give the declared cast in its order."""

    def said_cast(self, story_id: str) -> Mapping[str, Character]:
        """Give by id what the cast file said of each character when it was last imported."""

    def groups(self, story_id: str) -> tuple[Group, ...]:
        """Give the groups of the cast, by id."""

    def said_groups(self, story_id: str) -> Mapping[str, Group]:
        """Give by id what the cast file said of each group when it was last imported."""

    def mentioned(self, story_id: str, *, cap: int | None = None) -> Mapping[str, int]:
        """Give each character named by a live episode's rows with the earliest number that does.

        With `cap`, here and below, only episodes with an order key up to it are asked.
        """

    def named_by(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give whom the rows of an episode name, as recorded by `put_mentions`."""


class StoriesTransaction(StoriesView, Protocol):
    """What is written of stories and their casts within one transaction."""

    def put_story(self, story: Story) -> None:
        """Add a story and its space, or replace what is recorded of it."""

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id."""

    def delete_story(self, story_id: str) -> None:
        """Remove a story and all that belongs to it: its space, and talk held under it."""

    def put_character(self, story_id: str, character: Character) -> None:
        """Add a character at the end of the cast, or replace one in its place."""

    def put_said_cast(self, story_id: str, cast: Iterable[Character]) -> None:
        """Record what a cast file says of these characters."""

    def put_group(self, story_id: str, group: Group) -> None:
        """Add a group or replace it."""

    def delete_group(self, story_id: str, group_id: str) -> None:
        """Take a group out."""

    def put_said_groups(self, story_id: str, groups: Iterable[Group]) -> None:
        """Record what a cast file says of these groups."""

    def delete_character(self, story_id: str, character_id: str) -> None:
        """Take a character's declaration out."""

    def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id in the cast, facts, annotations and decisions."""

    def put_mentions(self, story_id: str, episode_id: str, character_ids: Collection[str]) -> None:
        """Record which characters the rows of an episode name."""


class EpisodesView(Protocol):
    """What is read of a story's episodes within one view."""

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

    def last_no(self, story_id: str, *, cap: int | None = None, deleted: bool = False) -> int | None:
        """Give the highest number of a live episode, of a deleted one too where that is asked."""

    def first_annotated(self, story_id: str, *, cap: int | None = None) -> int | None:
        """Give the lowest number of a live episode with annotations or inline marks."""

    def episode(self, story_id: str, episode_id: str) -> Episode | None:
        """Give one episode with its text, deleted or not."""

    def live_texts(
        self, story_id: str, numbers: Collection[int], *, cap: int | None = None
    ) -> Mapping[int, str]:
        """Give the texts of the live episodes with these numbers."""

    def paragraph_starts(self, story_id: str, episode_ids: Collection[str]) -> Mapping[str, Sequence[int]]:
        """Give where the paragraphs of these episodes' texts begin, in characters, by episode id."""

    def upto(self, story_id: str, cutoff: int, *, cap: int | None = None) -> int | None:
        """Give the position of the last live episode numbered `cutoff` or lower."""

    def pending(
        self, story_id: str, cutoff: int, *, holders: Collection[str], cap: int | None = None
    ) -> tuple[int, ...]:
        """Give the numbers of live episodes up to `cutoff` that are not in these holders' memory yet.

        What lags of somebody else's share of an episode does not count.
        """

    def versions(self, story_id: str, episode_id: str) -> tuple[EpisodeVersion, ...]:
        """Give every version of an episode's text, oldest first."""

    def annotations(self, story_id: str, episode_id: str) -> Annotations:
        """Give the annotations of one episode."""


class EpisodesTransaction(EpisodesView, Protocol):
    """What is written of a story's episodes within one transaction."""

    def put_episode(self, story_id: str, episode: Episode, *, order_key: int) -> None:
        """Add an episode or replace it, and keep its version."""

    def copy_episode(self, story_id: str, episode_id: str, target: str, *, order_key: int) -> None:
        """Copy an episode into another story of the store at this order key.

        With its versions, annotations, facts, decisions, mentions, extraction and past deltas;
        its memories stay behind and nothing is wanted of the copy yet.
        """

    def set_numbers(self, story_id: str, numbers: Mapping[str, int], keys: Mapping[str, int]) -> None:
        """Renumber these episodes and move these to new order keys, with their memories and work."""

    def set_deleted(self, story_id: str, episode_id: str, deleted_at: str | None) -> None:
        """Mark an episode deleted or live again."""

    def shift_references(self, story_id: str, numbers: Mapping[int, int]) -> None:
        """Make aliases and quotes that name these episode numbers name the new ones."""

    def put_annotations(self, story_id: str, episode_id: str, annotations: Annotations) -> None:
        """Replace the annotations of an episode."""

    def set_inputs(
        self, story_id: str, episode_id: str, *, notes_hash: str, rows_hash: str, annotated: bool
    ) -> None:
        """Record the hashes of what an episode's memory is made from."""


class FactsView(Protocol):
    """What is read of an episode's facts, decisions and extractions within one view."""

    def facts(self, story_id: str, episode_id: str | None = None) -> tuple[tuple[str, Fact], ...]:
        """Give supplied and hand-made facts with their episode ids, in the order of the file, then by id."""

    def facts_called(self, story_id: str, fact_ids: Collection[str]) -> Mapping[str, tuple[str, Fact]]:
        """Give those of these supplied and hand-made facts that there are, with their episode ids."""

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


class FactsTransaction(FactsView, Protocol):
    """What is written of an episode's facts, decisions and extractions within one transaction."""

    def put_facts(self, story_id: str, episode_id: str, facts: Iterable[Fact]) -> None:
        """Add facts or replace those of the same id."""

    def delete_facts(self, story_id: str, fact_ids: Iterable[str]) -> None:
        """Remove supplied or hand-made facts."""

    def put_suppressions(self, story_id: str, episode_id: str, rows: Iterable[Suppression]) -> None:
        """Add suppressions."""

    def set_pin(self, story_id: str, episode_id: str, fact_id: str, *, pinned: bool) -> None:
        """Pin or unpin an extracted fact."""

    def put_extraction(
        self,
        story_id: str,
        episode_id: str,
        fingerprint: str,
        extraction: Extraction,
        *,
        text: str,
        beside: Collection[str] = (),
    ) -> None:
        """Keep an extraction of an episode's `text`, so that unchanged text is not read again.

        The episode's other extractions are kept beside it when a model was asked for them:
        who undoes an edit does not pay again. Those that cost nothing go, but for those with one
        of the fingerprints `beside`.
        """

    def put_deltas(
        self, story_id: str, episode_id: str, memories: Sequence[Memory], *, holder: str | None = None
    ) -> None:
        """Record what an episode puts into memory now, in the place of what this version put there before.

        `holder` names whose share it is; None: that of all who have no share of their own.
        """

    def show_deltas(self, story_id: str, shown: Mapping[str, bool]) -> None:
        """Mark the latest deltas of these units as in memory, or as gone."""
