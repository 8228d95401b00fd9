"""A family of stories as plain inputs: a root, its branches and theirs, kept beside the engine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import kataribe
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import FactSource
from kataribe.face.sync.kataribe import Kataribe
from support.model import Model, ModelEpisode
from support.stores import empty_store, services

Move = Callable[[int], int]


@dataclass
class Told(Model):
    """All inputs of one story; `cast` and `episodes` are its own, a parent's are the parent's."""

    parent: str | None = None
    fork: str | None = None
    """The id of the parent's episode it is forked after."""

    def with_made_since(self, now: Told) -> Told:
        """Give this story as `now` becomes when it is rewound to it."""
        return Told(**{**vars(self.rewound_from(now)), "parent": now.parent, "fork": now.fork})


@dataclass
class Family:
    """All stories of a store, by id."""

    stories: dict[str, Told] = field(default_factory=dict)

    def children(self, story_id: str) -> list[str]:
        return [name for name, told in self.stories.items() if told.parent == story_id]

    def line(self, story_id: str) -> list[str]:
        """Give the ids from the root to the story."""
        parent = self.stories[story_id].parent
        return [*(self.line(parent) if parent else []), story_id]

    def fork_of(self, story_id: str) -> ModelEpisode | None:
        told = self.stories[story_id]
        if told.parent is None or told.fork is None:
            return None
        return self.stories[told.parent].episodes[told.fork]

    def first_no(self, story_id: str) -> int:
        """Give the first number a story's own episodes may have."""
        fork = self.fork_of(story_id)
        return fork.no + 1 if fork else 1

    def late(self, story_id: str) -> set[str]:
        """Give the live episodes that came to the number of a fork that was deleted: they are after it."""
        told = self.stories[story_id]
        forks = [told.episodes[self.stories[c].fork or ""] for c in self.children(story_id)]
        gone = {fork.no for fork in forks if fork.deleted is not None}
        return {e.episode_id for e in told.live() if e.no in gone}

    # -- what a story reads ----------------------------------------------------------------

    def read_below(self, story_id: str) -> dict[str, set[str]]:
        """Give the ids of the episodes that each branch of a story, and each of theirs, reads."""
        found: dict[str, set[str]] = {}
        for child in self.children(story_id):
            found[child] = {e.episode_id for _, _, episodes in self.parts(child) for e in episodes}
            found |= self.read_below(child)
        return found

    def parts(self, story_id: str) -> Iterator[tuple[str, ModelEpisode | None, list[ModelEpisode]]]:
        """Give each story of the line with the fork it is read up to and its live episodes up to there."""
        line = self.line(story_id)
        for at, name in enumerate(line):
            fork = self.fork_of(line[at + 1]) if at + 1 < len(line) else None
            told = self.stories[name]
            yield name, fork, [e for e in told.live() if fork is None or e is fork or e.no < fork.no]

    def cast(self, story_id: str) -> dict[str, Character]:
        """Give the cast as a story sees it: names known by each fork, the branch's word last."""
        seen: dict[str, Character] = {}
        for name, fork, _ in self.parts(story_id):
            for character_id, character in self.stories[name].cast.items():
                kept = tuple(a for a in character.aliases if fork is None or a.address.since <= fork.no)
                seen[character_id] = replace(character, aliases=kept)
        return seen

    def flat(self, story_id: str) -> Told:
        """Give a story of its own that says all that this one reads."""
        told = self.stories[story_id]
        found = Told(language=told.language, embedder=told.embedder, deletions=told.deletions)
        found.cast = self.cast(story_id)
        for name, fork, episodes in self.parts(story_id):
            theirs = self.stories[name]
            here = {e.episode_id for e in episodes}
            for episode in episodes:
                found.episodes[episode.episode_id] = replace(episode)
            for fact_id, (episode_id, row) in theirs.facts.items():
                if episode_id in here:
                    found.facts[fact_id] = (episode_id, _within(row, fork))
            found.notes.update({e: a for e, a in theirs.notes.items() if e in here})
            found.struck |= {s for s in theirs.struck if s[0] in here}
            found.pins |= {p for p in theirs.pins if p[0] in here}
        return found

    def reads_alike(self, story_id: str) -> bool:
        """Whether what the story says of the cast makes no inherited text to be read otherwise."""
        mine = self.cast(story_id)
        for name, _, episodes in self.parts(story_id):
            theirs = self.cast(name)
            for no in [e.no for e in episodes if e.source is FactSource.EXTRACTED]:
                if _called(mine, no) != _called(theirs, no):
                    return False
        return True

    # -- numbers ---------------------------------------------------------------------------

    def follow(self, story_id: str, move: Move, change: Callable[[], None]) -> None:
        """Change numbers of a story; what names them, and its branches, follow."""
        before = {name: self.fork_of(name) for name in self.children(story_id)}
        was = {name: fork.no for name, fork in before.items() if fork}
        change()
        self._refer(story_id, move)
        for name, old in was.items():
            fork = self.fork_of(name)
            assert fork is not None
            self.carry(name, old, fork.no, move)

    def carry(self, story_id: str, was: int, now: int, move: Move) -> None:
        """Let a branch follow its fork from one number to another."""

        def moved(no: int) -> int:
            if no > was:
                return no - was + now
            to = move(no)
            return to if to <= now else no

        def change() -> None:
            for episode in self.stories[story_id].episodes.values():
                episode.no += now - was

        self.follow(story_id, moved, change)

    def _refer(self, story_id: str, move: Move) -> None:
        told = self.stories[story_id]
        for fact_id, (episode_id, row) in told.facts.items():
            if row.quote_no is not None:
                told.facts[fact_id] = (episode_id, replace(row, quote_no=move(row.quote_no)))
        for character_id, character in told.cast.items():
            aliases = tuple(
                replace(a, address=replace(a.address, since=move(a.address.since))) if a.address.since else a
                for a in character.aliases
            )
            told.cast[character_id] = replace(character, aliases=aliases)

    # -- other worlds ----------------------------------------------------------------------

    def seen_by(self, story_id: str, viewer: str, at: int) -> Family:
        """Give the line of a story without anything outside the viewer's gate.

        An episode that something is forked after must be there; outside the gate it says something else.
        """
        less = Family()
        for name, fork, episodes in self.parts(story_id):
            old = self.stories[name]
            new = Told(**vars(old.copy()))
            new.episodes = {e.episode_id: replace(e) for e in episodes if e.no < at}
            if fork is not None and fork.episode_id not in new.episodes:
                new.episodes[fork.episode_id] = replace(
                    fork, text="Nobody knew.", source=FactSource.EXTRACTED
                )
            inside = {e.episode_id for e in episodes if e.no < at}
            shown = Model.seen_by(old, viewer, 10**6)
            new.facts = {f: row for f, row in shown.facts.items() if row[0] in inside}
            new.notes = {e: a for e, a in old.notes.items() if e in inside}
            new.struck = {s for s in shown.struck if s[0] in inside}
            new.pins = {p for p in old.pins if p[0] in inside}
            if fork is not None:
                new.cast = {c: _known_by(character, fork.no) for c, character in old.cast.items()}
            less.stories[name] = new
        return less


def _within(row: FactRow, fork: ModelEpisode | None) -> FactRow:
    if fork is None or row.quote_no is None or row.quote_no <= fork.no:
        return row
    return replace(row, quote=None, quote_no=None)


def _known_by(character: Character, no: int) -> Character:
    return replace(character, aliases=tuple(a for a in character.aliases if a.address.since <= no))


def _called(cast: dict[str, Character], no: int) -> dict[str, list[str]]:
    return {c: [a.text for a in _known_by(character, no).aliases] for c, character in cast.items()}


@contextmanager
def fresh_family(family: Family, folder: Path) -> Iterator[Kataribe]:
    """Give a store made from the final inputs of all these stories, all work synced."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        store = empty_store(Path(inside) / "fresh.db")
        with kataribe.open(str(store), services=services()) as made:
            for name in sorted(family.stories, key=lambda name: len(family.line(name))):
                _make(made, family, name, Path(inside))
            # Only now, when everything is forked, may what it was forked after be gone.
            for name in family.stories:
                _take_out(made, family, name, Path(inside))
            made.sync()
            yield made


def _forks(family: Family, name: str) -> list[ModelEpisode]:
    theirs = family.stories[name].episodes
    return [theirs[family.stories[child].fork or ""] for child in family.children(name)]


def _make(made: Kataribe, family: Family, name: str, inside: Path) -> None:
    told = family.stories[name]
    fork = family.fork_of(name)
    if fork is None:
        made.story(name).create(language="ja" if told.language == "ja" else "en", embedder=told.embedder)
    else:
        assert told.parent is not None
        made.story(told.parent).branches.add(name, after=fork.no)
    first = Told(**vars(told.copy()))
    late = family.late(name)
    first.episodes = {e: episode for e, episode in first.episodes.items() if e not in late}
    for gone in _forks(family, name):
        first.episodes[gone.episode_id].deleted = None
    _say(made, first, name, inside / f"{name}-first")


def _take_out(made: Kataribe, family: Family, name: str, inside: Path) -> None:
    gone = {fork.no for fork in _forks(family, name) if fork.deleted is not None}
    for no in gone:
        made.story(name).episodes.delete(no=no)
    if gone:
        _say(made, family.stories[name], name, inside / f"{name}-then")


def _say(made: Kataribe, told: Model, name: str, folder: Path) -> None:
    made.story(name).cast.put(tuple(told.cast.values()))
    if told.live():
        made.story(name).import_folder(told.write(folder))
