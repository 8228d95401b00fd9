"""The property machine of branches: random edits of a story, its IF stories and theirs.

After any sequence of edits, what every viewer of every story is given equals what a fresh
build gives, and what a story of its own with the same inputs gives (P3); nothing after the
fork and nothing of a sibling is in it (P1), nor moves a byte of it (P2).
"""

from __future__ import annotations

import tempfile
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import kataribe
from kataribe.domain.ids import fact_id_for, text_hash
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Address, Alias, Character, NameKind
from kataribe.domain.terms import Audience, FactOrigin, FactSource
from kataribe.face.sync.kataribe import Kataribe
from promises.test_machine import CAST, FACTS, LINES, NAMES, NICKNAMES, QUESTIONS, VIEWERS, audiences, picks
from support.effort import walks
from support.family import Family, Told, fresh_family
from support.hits import fact_hits
from support.model import Model, ModelEpisode, all_read, everything
from support.stores import empty_store, fresh, services

DEEPEST = 3
MOST = 5
READ = (0, 2, 98)
"""How far readers have come."""


class BranchMachine(RuleBasedStateMachine):
    """A store, a second handle on it, and the model of what was handed in."""

    embedder = "hash"
    language = "en"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-branches-")
        self.path = Path(self.folder.name)
        store = str(empty_store(self.path / "store.db"))
        self.handles = [kataribe.open(store, services=services()) for _ in range(2)]
        self.turn = self.serial = 0
        self.family = Family()
        self.kept: dict[str, tuple[Told, int]] = {}
        """By story: it as it was at its checkpoint, and the first number of its own then."""

    @property
    def store(self) -> Kataribe:
        """Take turns between two handles on the same file."""
        self.turn += 1
        return self.handles[self.turn % 2]

    def teardown(self) -> None:
        try:
            self.compare()
        finally:
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()

    # -- making things up ------------------------------------------------------------------

    def text(self, pick: int) -> str:
        lines = LINES[self.language]
        return "\n".join(lines[(pick // 7**i) % len(lines)] for i in range(1 + pick % 4))

    def next_id(self, letter: str) -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    def chosen(self, pick: int) -> tuple[str, Told]:
        names = sorted(self.family.stories)
        name = names[pick % len(names)]
        return name, self.family.stories[name]

    def one(self, pick: int) -> tuple[str, Told, ModelEpisode] | None:
        """Choose a story and one of its own live episodes."""
        name, told = self.chosen(pick)
        live = told.live()
        return (name, told, live[pick // 7 % len(live)]) if live else None

    def row(self, name: str, episode: ModelEpisode, pick: int, audience: Audience) -> FactRow:
        """Make a supplied fact, some with quotes, some that replace another of the family."""
        told = FACTS[self.language]
        quote, quote_no = None, None
        if pick % 4 == 1:
            quote, quote_no = episode.text.split("\n")[0], episode.no
        elif pick % 4 >= 2:
            quote, quote_no = LINES[self.language][pick % 2], 1 + pick % 7
        others = sorted(f for other in self.family.stories.values() for f in other.facts)
        return FactRow(
            fact_id=self.next_id("x"),
            episode_no=episode.no,
            audience=audience,
            text=told[pick % len(told)],
            quote=quote,
            quote_no=quote_no,
            importance=1 + pick % 5,
            supersedes=others[pick % len(others)] if others and pick % 3 == 0 else None,
            told_from=others[pick % len(others)] if others and pick % 5 == 0 else None,
        )

    @initialize(
        counts=st.lists(picks, min_size=2, max_size=4),
        told=st.lists(st.tuples(picks, audiences), min_size=2, max_size=8),
        secret=audiences,
        since=st.integers(0, 4),
        after=picks,
    )
    def come_in(
        self,
        counts: list[int],
        told: list[tuple[int, Audience]],
        secret: Audience,
        since: int,
        after: int,
    ) -> None:
        """Import a story of a few episodes and fork it."""
        root = Told(language=self.language, embedder=self.embedder)
        self.family.stories["root"] = root
        for no, pick in enumerate(counts, start=1):
            source = FactSource.SUPPLIED if pick % 2 else FactSource.EXTRACTED
            root.episodes[f"e{no}"] = ModelEpisode(f"e{no}", no, self.text(pick), source)
        for character_id in CAST:
            name = Alias(text=NAMES[self.language][character_id], kind=NameKind.NAME)
            root.cast[character_id] = Character(character_id=character_id, aliases=(name,))
        fox = Alias(text=NICKNAMES[self.language][0], address=Address(since=since, audience=secret))
        root.cast["cleo"] = replace(root.cast["cleo"], aliases=(*root.cast["cleo"].aliases, fox))
        supplied = [e for e in root.live() if e.source is FactSource.SUPPLIED]
        for pick, audience in told if supplied else []:
            episode = supplied[pick % len(supplied)]
            row = self.row("root", episode, pick, audience)
            assert row.fact_id is not None
            root.facts[row.fact_id] = (episode.episode_id, row)
        self.store.story("root").import_folder(root.write(self.path / "story"))
        self.store.story("root").sync()
        self.fork(after)

    # -- branches --------------------------------------------------------------------------

    @rule(pick=picks)
    def fork(self, pick: int) -> None:
        """Fork a story after an episode it reads, perhaps one of its parent's."""
        name, _ = self.chosen(pick)
        seen = [(owner, e) for owner, _, episodes in self.family.parts(name) for e in episodes]
        if not seen or len(self.family.stories) >= MOST or len(self.family.line(name)) >= DEEPEST:
            return
        owner, episode = seen[pick // 3 % len(seen)]
        new = self.next_id("b")
        made = self.store.story(name).branches.add(new, after=episode.no)
        assert (made.parent, made.fork_episode_id) == (owner, episode.episode_id)
        self.family.stories[new] = Told(
            language=self.language, embedder=self.embedder, parent=owner, fork=episode.episode_id
        )

    @rule(pick=picks)
    def detach(self, pick: int) -> None:
        name, told = self.chosen(pick)
        if told.parent is None:
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).branches.detach()
            return
        flat = self.family.flat(name)
        flat.episodes = {**flat.episodes, **told.episodes}
        for fact_id, (episode_id, row) in told.facts.items():
            flat.facts[fact_id] = (episode_id, row)
        flat.struck |= told.struck
        flat.pins |= told.pins
        self.store.story(name).branches.detach()
        self.family.stories[name] = flat

    @rule(pick=picks)
    def drop(self, pick: int) -> None:
        """Delete a story that nothing is forked off; one that is read stays."""
        name, told = self.chosen(pick)
        if self.family.children(name):
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).delete()
        elif told.parent is not None and pick % 3 == 0:
            self.store.story(name).delete()
            del self.family.stories[name]
            self.kept.pop(name, None)

    # -- episodes --------------------------------------------------------------------------

    @rule(pick=picks, step=st.integers(-1, 3))
    def put(self, pick: int, step: int) -> None:
        name, told = self.chosen(pick)
        first = self.family.first_no(name)
        no, text = max(1, first + step), self.text(pick)
        if no < first:
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).episodes.put(no=no, text=text)
            return
        done = self.store.story(name).episodes.put(no=no, text=text)
        held = told.at(no)
        if held is None:
            assert all(done.episode_id not in other.episodes for other in self.kin(name))
            told.episodes[done.episode_id] = ModelEpisode(done.episode_id, no, text, FactSource.EXTRACTED)
        else:
            held.text = text

    def kin(self, name: str) -> list[Told]:
        """Give all stories of the same root."""
        root = self.family.line(name)[0]
        return [told for other, told in self.family.stories.items() if self.family.line(other)[0] == root]

    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        if (found := self.one(pick)) is not None:
            name, told, episode = found
            self.store.story(name).episodes.delete(no=episode.no)
            told.deletions += 1
            episode.deleted = told.deletions

    @rule(pick=picks)
    def restore(self, pick: int) -> None:
        name, told = self.chosen(pick)
        gone = [e for e in told.episodes.values() if e.deleted is not None]
        forks = {self.family.stories[child].fork for child in self.family.children(name)}
        free = [e.no for e in gone if told.at(e.no) is None and sum(o.no == e.no for o in gone) == 1]
        if not free:
            return
        no = free[pick // 3 % len(free)]
        (back,) = (e for e in gone if e.no == no)
        assert self.store.story(name).episodes.restore(no=no) == back.episode_id
        assert back.episode_id in forks or back.deleted is not None
        back.deleted = None

    @rule(pick=picks, step=st.integers(0, 2))
    def insert(self, pick: int, step: int) -> None:
        name, told = self.chosen(pick)
        no, text = self.family.first_no(name) + step, self.text(pick)
        done = self.store.story(name).episodes.insert(no=no, text=text)
        if any(e.no >= no for e in told.live()):

            def change() -> None:
                for episode in told.episodes.values():
                    episode.no += episode.no >= no

            self.family.follow(name, lambda number: number + 1 if number >= no else number, change)
        told.episodes[done.episode_id] = ModelEpisode(done.episode_id, no, text, FactSource.EXTRACTED)

    @rule(pick=picks, step=st.integers(0, 6))
    def renumber(self, pick: int, step: int) -> None:
        if (found := self.one(pick)) is None:
            return
        name, told, episode = found
        to, old = self.family.first_no(name) + step, episode.no
        if to == old or any(e.no == to and e.deleted is not None for e in told.episodes.values()):
            return
        if told.at(to) is not None:
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).episodes.renumber(no=old, to=to)
            return
        self.store.story(name).episodes.renumber(no=old, to=to)

        def change() -> None:
            episode.no = to

        self.family.follow(name, lambda number: to if number == old else number, change)

    @rule(pick=picks, audience=audiences)
    def import_again(self, pick: int, audience: Audience) -> None:
        """Import one episode of a story again, supplied, with another text and one other fact."""
        if (found := self.one(pick)) is None:
            return
        name, told, episode = found
        episode.text, episode.source = self.text(pick), FactSource.SUPPLIED
        for fact_id in [
            fact_id
            for fact_id, (episode_id, row) in told.facts.items()
            if episode_id == episode.episode_id and row.origin is FactOrigin.SUPPLIED
        ]:
            del told.facts[fact_id]
        row = self.row(name, episode, pick, audience)
        assert row.fact_id is not None
        told.facts[row.fact_id] = (episode.episode_id, row)
        part = Told(**vars(told.copy()))
        part.episodes = {episode.episode_id: episode}
        self.store.story(name).import_folder(part.write(self.path / f"again-{self.serial}"))

    # -- checkpoints -----------------------------------------------------------------------

    @rule(pick=picks)
    def keep(self, pick: int) -> None:
        name, told = self.chosen(pick)
        self.store.story(name).checkpoint("slot", replace=True)
        self.kept[name] = (Told(**vars(told.copy())), self.family.first_no(name))

    @rule(pick=picks)
    def rewind(self, pick: int) -> None:
        """Go back to a checkpoint; one that would take from a branch what it reads is refused."""
        names = sorted(self.kept)
        if not names:
            return
        name = names[pick % len(names)]
        after = self.rewound(name)
        if after is None:
            with pytest.raises(kataribe.ConflictError, match=f"cannot rewind '{name}'"):
                self.store.story(name).rewind("slot")
        elif not after.late(name):
            # What comes to the number of a fork that is gone stands on either side of it.
            self.store.story(name).rewind("slot")
            self.family = after

    def rewound(self, name: str) -> Family | None:
        """Give the family as it is with this story rewound; None where that is refused."""
        (former, first), now = self.kept[name], self.family.stories[name]
        if now.fork != former.fork or self.family.first_no(name) != first:
            return None
        after = deepcopy(self.family)
        moves = {
            e.no: former.episodes[i].no
            for i, e in now.episodes.items()
            if i in former.episodes and e.deleted is None
        }
        was = {child: fork.no for child in after.children(name) if (fork := after.fork_of(child))}
        after.stories[name] = former.with_made_since(after.stories[name])
        for child, old in was.items():
            fork = after.fork_of(child)
            assert fork is not None
            after.carry(child, old, fork.no, lambda no: moves.get(no, no))
        reads = self.family.read_below(name), after.read_below(name)
        return None if any(reads[0][branch] - reads[1][branch] for branch in reads[0]) else after

    # -- facts and cast --------------------------------------------------------------------

    @rule(pick=picks, audience=audiences)
    def add_fact(self, pick: int, audience: Audience) -> None:
        if (found := self.one(pick)) is None:
            return
        name, told, episode = found
        text = FACTS[self.language][pick % len(FACTS[self.language])]
        fact_id = fact_id_for(episode.episode_id, text)
        if fact_id in told.facts:
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).facts.add(episode_no=episode.no, text=text, audience=audience)
            return
        assert (
            self.store.story(name).facts.add(episode_no=episode.no, text=text, audience=audience) == fact_id
        )
        row = FactRow(
            fact_id=fact_id, episode_no=episode.no, audience=audience, text=text, origin=FactOrigin.HAND
        )
        told.facts[fact_id] = (episode.episode_id, row)

    @rule(pick=picks)
    def delete_fact(self, pick: int) -> None:
        name, told = self.chosen(pick)
        live = {e.episode_id for e in told.live()}
        facts = sorted(f for f, (episode_id, _) in told.facts.items() if episode_id in live)
        if facts:
            self.store.story(name).facts.delete(facts[pick % len(facts)])
            del told.facts[facts[pick % len(facts)]]

    @rule(pick=picks)
    def strike(self, pick: int) -> None:
        """Strike out one of a story's own extracted facts; in a branch an inherited one is refused."""
        name, told = self.chosen(pick)
        shown = {e.episode_id for e in self.store.story(name).episodes.list() if e.visible}
        facts = [
            f
            for f in self.store.story(name).facts.list()
            if f.origin is FactOrigin.EXTRACTED and f.episode_id in shown
        ]
        if not facts:
            return
        fact = facts[pick % len(facts)]
        if fact.episode_id not in told.episodes:
            with pytest.raises(kataribe.ConflictError):
                self.store.story(name).facts.delete(fact.fact_id)
            return
        self.store.story(name).facts.delete(fact.fact_id)
        for copy in facts:
            if copy.fact_id == fact.fact_id:
                told.strike(fact.episode_id, copy.holder, text_hash(fact.text))

    @rule(pick=picks, who=st.sampled_from(CAST), secret=audiences, since=st.integers(0, 8), add=st.booleans())
    def call(self, pick: int, who: str, secret: Audience, since: int, add: bool) -> None:
        """Give or take a nickname: in a branch of a character of the parent's it is the branch's word."""
        name, told = self.chosen(pick)
        nickname = NICKNAMES[self.language][1]
        alias = Alias(text=nickname, address=Address(since=since, audience=secret))
        character = self.family.cast(name)[who]
        if add and alias not in character.aliases:
            self.store.story(name).cast.edit(who, kataribe.CastEdit(add_aliases=(alias,)))
            told.cast[who] = replace(character, aliases=(*character.aliases, alias))
        elif not add and any(a.text == nickname for a in character.aliases):
            self.store.story(name).cast.edit(who, kataribe.CastEdit(remove_aliases=(nickname,)))
            kept = tuple(a for a in character.aliases if a.text != nickname)
            told.cast[who] = replace(character, aliases=kept)

    @rule(pick=picks)
    def sync(self, pick: int) -> None:
        self.store.story(self.chosen(pick)[0]).sync()

    # -- what must hold --------------------------------------------------------------------

    @invariant()
    def nothing_leaks_even_before_a_sync(self) -> None:
        """P1 and P9 at every instant, by the plain rule."""
        for name in self.family.stories:
            flat = self.family.flat(name)
            given = {f for told in self.family.stories.values() for f in told.facts}
            here = {e.episode_id: e.no for e in flat.live()}
            for viewer in VIEWERS:
                assert self.store.known(story=name, persona=viewer, at=1).hits == ()
                for at in (3, 99):
                    told = self.store.known(story=name, persona=viewer, at=at)
                    shown = {hit.fact_id for hit in told.hits}
                    assert shown & given <= flat.may_know(viewer if viewer in CAST else "", at)
                    for hit in fact_hits(told.hits):
                        assert here[hit.episode_id] == hit.episode_no < at
                        assert hit.character_id in ("world", viewer)

    @rule()
    def compare(self) -> None:
        """P3, P2, P8 once all work is synced."""
        if not self.family.stories:
            return
        self.store.sync()
        assert self.store.verify().problems == ()
        questions = QUESTIONS[self.language]
        places = (1, 2, 3, 4, 6, 99)
        viewers = [(v, at) for v in VIEWERS for at in places]
        exact = {}
        with fresh_family(self.family, self.path) as anew:
            for name in self.family.stories:
                mine = everything(self.store, name, viewers, questions, ids=False)
                assert mine == everything(anew, name, viewers, questions, ids=False)
                read = all_read(self.store, name, READ, questions, ids=False)
                assert read == all_read(anew, name, READ, questions, ids=False)
                if self.family.reads_alike(name):
                    with fresh(self.family.flat(name), self.path) as alone:
                        theirs = everything(alone, name_of(alone), viewers, questions, ids=False)
                        assert named(mine) == named(theirs)
                        readers = all_read(alone, name_of(alone), READ, questions, ids=False)
                        assert named(read) == named(readers)
                for viewer, at in (("ann", 3), ("cleo", 99)):
                    exact[name, viewer, at] = everything(anew, name, [(viewer, at)], questions, ids=True)
        for (name, viewer, at), all_of_it in exact.items():
            with fresh_family(self.family.seen_by(name, viewer, at), self.path) as less:
                assert all_of_it == everything(less, name, [(viewer, at)], questions, ids=True)
            known = {hit["fact_id"] for hit in all_of_it[0]["hits"]}  # type: ignore[index]
            supplied = self.family.flat(name)
            assert known & supplied.facts.keys() == Model.may_know(supplied, viewer, at)


def name_of(store: Kataribe) -> str:
    (story,) = store.admin.stories()
    return story.story_id


def named(told: object) -> object:
    """Leave out what the story is called, wherever a viewer or the space of a hit is named."""
    if isinstance(told, dict):
        kept = {key: named(value) for key, value in told.items() if key not in ("space", "slices")}
        is_viewer = "story" in kept and ({"character", "at"} <= kept.keys() or "reader" in kept)
        return {**kept, "story": ""} if is_viewer else kept
    return [named(one) for one in told] if isinstance(told, list) else told


class JapaneseBranchMachine(BranchMachine):
    """The same in Japanese, with the default embedder."""

    embedder = "chive"
    language = "ja"


TestBranchMachine = BranchMachine.TestCase
TestBranchMachine.settings = walks(6, 12)
TestJapaneseBranchMachine = JapaneseBranchMachine.TestCase
TestJapaneseBranchMachine.settings = walks(4, 10)
