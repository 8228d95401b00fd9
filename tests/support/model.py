"""A story as plain inputs, kept beside the engine: what a fresh build is made from."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import exact_hash
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.story.folder import DecisionRow, EpisodeRow, FactRow, StoryFolder, VisibilityRow
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import Audience, FactOrigin, FactSource
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.folder import write_folder
from kataribe.formats.wire.context import answer_json, context_json
from kataribe.formats.wire.recall import recollection_json


@dataclass
class ModelEpisode:
    """An episode as it should stand."""

    episode_id: str
    no: int
    text: str
    source: FactSource
    deleted: int | None = None
    """When it was deleted, counted."""


@dataclass
class Model:
    """All inputs of one story."""

    language: str = "en"
    embedder: str = "hash"
    episodes: dict[str, ModelEpisode] = field(default_factory=dict)
    facts: dict[str, tuple[str, FactRow]] = field(default_factory=dict)
    """By fact id: the episode's id and the row (its episode_no is filled when it is written)."""
    cast: dict[str, Character] = field(default_factory=dict)
    notes: dict[str, Audience] = field(default_factory=dict)
    """By episode id: who may remember its text."""
    struck: set[tuple[str, str, str]] = field(default_factory=set)
    """(episode id, holder, text hash)."""
    pins: set[tuple[str, str]] = field(default_factory=set)
    scenes: dict[str, dict[tuple[str, int], Audience]] = field(default_factory=dict)
    """By episode id: who was said to be there, by paragraph."""
    mode: AudienceMode = AudienceMode.EVIDENT
    deletions: int = 0

    def copy(self) -> Model:
        """Give a model that can be changed without changing this one."""
        return copy.deepcopy(self)

    def live(self) -> list[ModelEpisode]:
        """Give the live episodes by number."""
        return sorted((e for e in self.episodes.values() if e.deleted is None), key=lambda e: e.no)

    def at(self, no: int) -> ModelEpisode | None:
        """Give the live episode of this number."""
        return next((e for e in self.live() if e.no == no), None)

    def folder(self) -> StoryFolder:
        """Give the folder that says all of this."""
        numbers = {e.episode_id: e.no for e in self.live()}
        facts = [
            replace(row, episode_no=numbers[episode_id])
            for episode_id, row in self.facts.values()
            if episode_id in numbers
        ]
        return StoryFolder(
            language="ja" if self.language == "ja" else "en",
            embedder=self.embedder,
            audience=self.mode,
            episodes=tuple(
                EpisodeRow(episode_id=e.episode_id, no=e.no, text=e.text, fact_source=e.source)
                for e in self.live()
            ),
            cast=tuple(self.cast.values()) or None,
            facts=tuple(facts) or None,
            visibility=tuple(
                [
                    VisibilityRow(episode_no=numbers[episode_id], audience=audience)
                    for episode_id, audience in self.notes.items()
                    if episode_id in numbers
                ]
                + [
                    VisibilityRow(
                        episode_no=numbers[episode_id], paragraph_hash=hashed, decided=nth, audience=audience
                    )
                    for episode_id, places in self.scenes.items()
                    for (hashed, nth), audience in places.items()
                    if episode_id in numbers
                ]
            )
            or None,
            decisions=tuple(
                [
                    DecisionRow(episode_no=numbers[episode_id], suppressed=(holder, hashed))
                    for episode_id, holder, hashed in sorted(self.struck)
                    if episode_id in numbers
                ]
                + [
                    DecisionRow(episode_no=numbers[episode_id], pinned=fact_id)
                    for episode_id, fact_id in sorted(self.pins)
                    if episode_id in numbers
                ]
            )
            or None,
        )

    def write(self, path: Path) -> Path:
        """Write the folder."""
        write_folder(path, self.folder())
        return path

    def seen_by(self, viewer: str, at: int) -> Model:
        """Give the model without anything outside the viewer's gate: later episodes, others' secrets."""
        less = self.copy()
        less.episodes = {e.episode_id: e for e in less.live() if e.no < at}
        less.facts = {
            fact_id: (episode_id, _for(row, viewer))
            for fact_id, (episode_id, row) in less.facts.items()
            if row.audience.world or viewer in row.audience.members
        }
        less.struck = {s for s in less.struck if s[1] in ("world", viewer)}
        less.cast = {name: _called(character, viewer, at) for name, character in less.cast.items()}
        return less

    def read_up_to(self, no: int) -> Model:
        """Give the model as a reader knows it: up to an episode, whoever holds what is told there."""
        less = self.before(no + 1)
        less.struck = {one for one in less.struck if one[0] in less.episodes}
        less.cast = {name: _called(one, None, no + 1) for name, one in less.cast.items()}
        return less

    def before(self, at: int) -> Model:
        """Give the model with the rows of the episodes before `at` only, whoever holds them."""
        less = self.copy()
        less.episodes = {e.episode_id: e for e in less.live() if e.no < at}
        return less

    def may_know(self, viewer: str, at: int) -> set[str]:
        """Tell, by the plain rule, which supplied and hand-made facts a viewer may know."""
        numbers = {e.episode_id: e for e in self.live()}
        known = set()
        for fact_id, (episode_id, row) in self.facts.items():
            episode = numbers.get(episode_id)
            if episode is None or episode.no > at - 1:
                continue
            if row.origin is FactOrigin.SUPPLIED and episode.source is FactSource.EXTRACTED:
                continue
            own = row.quote is not None and row.quote_no in (None, episode.no)
            if own and row.quote is not None and row.quote not in episode.text:
                continue
            if row.audience.world or viewer in row.audience.members:
                known.add(fact_id)
        return known

    def rewound_from(self, now: Model) -> Model:
        """Give what `now` becomes when it is rewound to this: what was made since is deleted.

        That keeps its rows, for who restores it, but facts that went back to their episodes.
        """
        found, later = self.copy(), now.copy()
        made = later.episodes.keys() - found.episodes.keys()
        for episode_id in sorted(made):
            episode = later.episodes[episode_id]
            if episode.deleted is None:
                later.deletions += 1
                episode.deleted = later.deletions
            found.episodes[episode_id] = episode
        found.facts = {one: held for one, held in later.facts.items() if held[0] in made} | found.facts
        found.notes = {one: who for one, who in later.notes.items() if one in made} | found.notes
        found.scenes = {one: who for one, who in later.scenes.items() if one in made} | found.scenes
        found.struck |= {one for one in later.struck if one[0] in made}
        found.pins |= {one for one in later.pins if one[0] in made}
        found.deletions = later.deletions
        return found

    def drop_supplied(self, episode_id: str) -> None:
        """Take an episode's supplied facts out."""
        self.facts = {
            fact_id: held
            for fact_id, held in self.facts.items()
            if held[0] != episode_id or held[1].origin is not FactOrigin.SUPPLIED
        }

    def strike(self, episode_id: str, holder: str, hashed: str) -> None:
        """Record that an extracted fact was struck out."""
        self.struck.add((episode_id, holder, hashed))


def _called(character: Character, viewer: str | None, at: int) -> Character:
    """Give a character with the names that a viewer may know by an episode, and what it tells by then.

    `viewer` None is a reader, who knows the names that anybody does.
    """
    return replace(
        character,
        narrates=tuple(
            replace(told, until=min(told.until, at - 1)) for told in character.narrates if told.since < at
        ),
        aliases=tuple(
            alias
            for alias in character.aliases
            if (viewer is None and alias.address.since < at)
            or alias.address.is_known(viewer=viewer, cutoff=at - 1)
        ),
    )


def _for(row: FactRow, viewer: str) -> FactRow:
    if row.audience.world:
        return row
    return replace(row, audience=Audience(members=frozenset({viewer})))


def everything(
    kataribe: Kataribe,
    story_id: str,
    viewers: Iterable[tuple[str, int]],
    questions: Iterable[str],
    *,
    ids: bool,
) -> list[object]:
    """Give all that these viewers can be given: known, and recall for each question."""
    asked, viewers = list(questions), list(viewers)
    found: list[object] = []
    together = kataribe.recall_many(
        asked[0],
        [{"story": story_id, "persona": character, "at": at} for character, at in viewers],
        top_k=50,
        explain=True,
    )
    for place, (character, at) in enumerate(viewers):
        told = kataribe.known(story=story_id, persona=character, at=at)
        found.append(shorn(recollection_json(told, ranked=False), ids=ids))
        for question in asked:
            for top_k in (2, 50):
                hits = kataribe.recall(
                    question, story=story_id, persona=character, at=at, top_k=top_k, explain=True
                )
                found.append(shorn(recollection_json(hits), ids=ids))
                assert (question, top_k) != (asked[0], 50) or hits == together[place]
        if place % 3:
            # Contexts and answers are put together of recalls: some will do.
            continue
        # A budget with room for some memories only: what is dropped may tell nothing either.
        viewer: ViewerKeys = {"story": story_id, "persona": character, "at": at}
        made = kataribe.context(asked[0], **viewer, budget=260, order="time")
        found.append(bare(context_json(made), ids=ids))
        found.append(bare(answer_json(kataribe.answer(asked[-1], **viewer)), ids=ids))
    return found


def all_read(
    kataribe: Kataribe, story_id: str, numbers: Iterable[int], questions: Iterable[str], *, ids: bool
) -> list[object]:
    """Give all that readers who have come this far can be given, as `everything` does of characters."""
    found: list[object] = []
    asked = list(questions)
    for no in numbers:
        viewer: ViewerKeys = {"story": story_id, "reader": True, "read": no}
        found.append(shorn(recollection_json(kataribe.known(**viewer), ranked=False), ids=ids))
        for question in asked:
            hits = kataribe.recall(question, **viewer, top_k=5, explain=True)
            found.append(shorn(recollection_json(hits), ids=ids))
        made = kataribe.context(asked[0], **viewer, budget=260, order="time")
        found.append(bare(context_json(made), ids=ids))
        found.append(bare(answer_json(kataribe.answer(asked[-1], **viewer)), ids=ids))
    return found


def shorn(told: Mapping[str, object], *, ids: bool) -> dict[str, object]:
    """Leave vector ids out, whose version and index an edit may change."""
    shown = dict(told)
    hits = shown["hits"]
    assert isinstance(hits, list)
    if not ids:
        shown["hits"] = [{k: v for k, v in hit.items() if k != "id"} for hit in hits]
    return shown


def bare(told: object, *, ids: bool) -> object:
    """Leave vector ids out wherever they stand."""
    if isinstance(told, dict):
        return {key: bare(value, ids=ids) for key, value in told.items() if ids or key != "id"}
    return [bare(one, ids=ids) for one in told] if isinstance(told, list) else told


def paragraph_hashes(text: str) -> tuple[str, ...]:
    """Hash each line of a text of one-line paragraphs."""
    return tuple(exact_hash(line) for line in text.split("\n") if line.strip())


def without_places(told: object) -> object:
    """Leave out which space a hit is from and which were read: a copy has for its own what others share."""
    if isinstance(told, dict):
        return {key: without_places(value) for key, value in told.items() if key not in ("space", "slices")}
    return [without_places(one) for one in told] if isinstance(told, list) else told
