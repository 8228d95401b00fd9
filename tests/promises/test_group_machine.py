"""The property machine with groups, and with a cast file beside a cast that is changed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import hypothesis.strategies as st
from hypothesis.stateful import initialize, precondition, rule

import kataribe
from kataribe.domain.memory import Reason
from kataribe.domain.story.folder import FactRow, StoryFolder
from kataribe.domain.story.groups import Group, Membership, Newcomers, resolved
from kataribe.domain.story.inputs import Alias, Character
from kataribe.domain.terms import Audience, FactOrigin
from promises.test_machine import CAST, FACTS, MAX_NO, StoryMachine, audiences, picks, step
from support.effort import walks
from support.model import Model, ModelEpisode

THIRD = {"en": "the Redhead", "ja": "赤毛"}
GROUP = Audience(members=frozenset({"@circle"}))
circles = st.one_of(
    st.just(GROUP),
    st.sampled_from(CAST).map(lambda who: Audience(members=GROUP.members | {who})),
)


@dataclass
class GroupModel(Model):
    """The inputs with one group, and with what the cast file said last."""

    circle: Group = field(default_factory=lambda: Group(group_id="circle", members=()))
    filed: dict[str, Character] = field(default_factory=dict)

    def folder(self) -> StoryFolder:
        """Give the folder that says all of this."""
        return replace(super().folder(), groups=(self.circle,))

    def members(self, no: int) -> dict[str, frozenset[str]]:
        """Give who is in the group at an episode."""
        return {"@circle": self.circle.at(no)}

    def joins(self, who: str, audience: Audience, no: int) -> int | None:
        """Give where somebody learns what was for the group at episode `no`, by the plain rule."""
        if not audience.members & GROUP.members or self.circle.newcomers is Newcomers.NOT:
            return None
        if not self.circle.at(no) or who in resolved(audience, self.members(no)).members:
            return None
        first = [
            next((e.no for e in self.live() if one.covers(e.no)), None)
            for one in self.circle.members
            if one.character_id == who and one.since > 0
        ]
        return min((at for at in first if at is not None and at > no), default=None)

    def knows_from(self, who: str, audience: Audience, no: int) -> int | None:
        """Give the episode at which somebody holds what is for an audience at episode `no`; None: never."""
        return no if resolved(audience, self.members(no)).includes(who) else self.joins(who, audience, no)

    def may_know(self, viewer: str, at: int) -> set[str]:
        """Tell, by the plain rule, which supplied and hand-made facts a viewer may know."""
        plain = replace(self)
        plain.facts = {
            fact_id: (episode_id, replace(row, audience=self.told(viewer, at, episode_id, row)))
            for fact_id, (episode_id, row) in self.facts.items()
            if episode_id in self.episodes
        }
        return super(GroupModel, plain).may_know(viewer, at)

    def told(self, viewer: str, at: int, episode_id: str, row: FactRow) -> Audience:
        """Give the audience of a fact as far as it concerns a viewer at an episode."""
        if row.audience.world:
            return row.audience
        since = self.knows_from(viewer, row.audience, self.episodes[episode_id].no)
        return Audience(members=frozenset({viewer} if since is not None and since < at else {"nobody"}))

    def seen_by(self, viewer: str, at: int) -> GroupModel:
        """Give the model without what is outside the gate: who else is in the group is, too."""
        other = next(who for who in CAST if who != viewer)
        numbers = {e.episode_id: e.no for e in self.live()}
        struck = {
            (episode_id, who, hashed)
            for episode_id, _, hashed in self.struck
            if episode_id in self.notes and episode_id in numbers
            for there in [resolved(self.notes[episode_id], self.members(numbers[episode_id])).members]
            if there and all((episode_id, one, hashed) in self.struck for one in there)
            for who in (viewer, other)
        }
        kept = {
            fact_id: (episode_id, row)
            for fact_id, (episode_id, row) in self.facts.items()
            if row.audience.world
            or (episode_id in numbers and viewer in self.told(viewer, at, episode_id, row).members)
        }
        bare = replace(self, facts={})
        less = super(GroupModel, bare).seen_by(viewer, at)
        assert isinstance(less, GroupModel)
        less.facts = {
            fact_id: (episode_id, self._less(row, viewer, numbers.get(episode_id, 0)))
            for fact_id, (episode_id, row) in kept.items()
        }
        less.notes = {one: self._noted(audience, numbers.get(one, 0)) for one, audience in self.notes.items()}
        less.struck |= struck
        own = tuple(one for one in self.circle.members if one.character_id == viewer)
        less.circle = replace(self.circle, members=(*own, Membership(character_id=other)))
        return less

    def _less(self, row: FactRow, viewer: str, no: int) -> FactRow:
        """Give a fact as if nobody but a viewer knew it: at its episode, or from joining the group on."""
        if row.audience.world or resolved(row.audience, self.members(no)).includes(viewer):
            known = row.audience if row.audience.world else Audience(members=frozenset({viewer}))
            return replace(row, audience=known)
        return replace(row, audience=GROUP)

    def _noted(self, audience: Audience, no: int) -> Audience:
        """Give an annotation for a group that has nobody as one for nobody in particular."""
        if audience.members & GROUP.members and not self.circle.at(no):
            left = audience.members - GROUP.members
            return Audience(members=left or frozenset({"nobody"}))
        return audience


class GroupMachine(StoryMachine):
    """The same with a group that rows and annotations name, and that is edited."""

    def __init__(self) -> None:
        super().__init__()
        self.model: GroupModel = GroupModel(language=self.language, embedder=self.embedder)

    @initialize(
        counts=st.lists(picks, min_size=1, max_size=4),
        told=st.lists(st.tuples(picks, audiences), max_size=8),
        noted=st.lists(audiences, max_size=2),
        secret=audiences,
        since=st.integers(min_value=0, max_value=4),
    )
    def come_in(
        self,
        counts: list[int],
        told: list[tuple[int, Audience]],
        noted: list[Audience],
        secret: Audience,
        since: int,
    ) -> None:
        """Import the story."""
        super().come_in(counts, told, noted, secret, since)
        self.model.filed = dict(self.model.cast)

    @rule(pick=picks, audience=audiences)
    def import_again(self, pick: int, audience: Audience) -> None:
        """Import a folder anew, with the cast as it stands."""
        serial = self.serial
        super().import_again(pick, audience)
        if self.serial != serial:
            self.model.filed = dict(self.model.cast)

    def extracted(self) -> list[tuple[str, str, list[str]]]:
        """Give what was extracted, in its own episode."""
        copies = {
            (fact.episode_id, fact.fact_id)
            for fact in self.store.story("s").facts.list()
            if fact.reason is Reason.NEWCOMER
        }
        return [one for one in super().extracted() if one[:2] not in copies]

    def is_ours(self, fact_id: str, hit_id: str) -> bool:
        """Whether a hit is of a fact that was given, a newcomer's copy of one too."""
        held = self.model.facts.get(fact_id)
        return super().is_ours(fact_id, hit_id) or (held is not None and f"vec:{held[0]}:" not in hit_id)

    @precondition(lambda self: self.is_in)
    @rule(
        who=st.sampled_from(CAST),
        since=st.integers(0, MAX_NO),
        length=st.one_of(st.none(), st.integers(0, 3)),
        tells=st.booleans(),
        leaves=st.booleans(),
    )
    @step  # type: ignore[arg-type]
    def edit_group(self, who: str, since: int, length: int | None, tells: bool, leaves: bool) -> None:
        """Change who is in the group, and whether newcomers are told."""
        until = None if length is None else max(since, 1) + length
        edit = kataribe.GroupEdit(
            members=() if leaves else (Membership(character_id=who, since=since, until=until),),
            remove=[who] if leaves and who in self.model.circle.characters else (),
            newcomers=Newcomers.TOLD if tells else Newcomers.NOT,
        )
        self.model.circle = edit.apply(self.model.circle)
        assert self.store.story("s").cast.groups.edit("circle", edit) == self.model.circle

    @precondition(lambda self: self.is_in)
    @rule(pick=picks, told=circles, noted=st.booleans())
    @step  # type: ignore[arg-type]
    def tell_group(self, pick: int, told: Audience, noted: bool) -> None:
        """Give an episode facts that are the group's, or a text that is."""
        live = self.model.live()
        if not live:
            return
        episode = live[pick % len(live)]
        facts = None if noted else [self.fact_row(episode, pick + at, told) for at in range(1 + pick % 2)]
        notes = self.notes_of(episode.no, told if noted else None)
        self.store.story("s").episodes.put(
            episode.no, episode.text, facts=[] if facts is None else facts, annotations=notes
        )
        self.take_rows(episode, [] if facts is None else facts, told if noted else None)

    @precondition(lambda self: self.is_in)
    @rule(pick=picks, told=circles)
    @step  # type: ignore[arg-type]
    def add_group_fact(self, pick: int, told: Audience) -> None:
        """Add a fact by hand that is the group's."""
        live = self.model.live()
        if not live:
            return
        episode = live[pick % len(live)]
        text = f"{FACTS[self.language][0]} {self.next_id()}"
        fact_id = self.store.story("s").facts.add(text, episode_no=episode.no, audience=told)
        row = FactRow(
            fact_id=fact_id, episode_no=episode.no, audience=told, text=text, origin=FactOrigin.HAND
        )
        self.model.facts[fact_id] = (episode.episode_id, row)

    def follow(self, move) -> None:  # type: ignore[no-untyped-def]
        """Let the members follow: each is one at the same episodes as before."""
        super().follow(move)
        were = self.model.circle
        self.model.circle = self.store.story("s").cast.groups.get("circle")
        known = {state.episode_id for state in self.store.story("s").episodes.list()}
        for episode in self._in_both(known):
            then = {who for who in CAST if any(self._was(who, one, were, move) for one in (episode.no,))}
            assert self.model.circle.at(episode.no) == then, (episode, were, self.model.circle)

    def _in_both(self, known: set[str]) -> Iterator[ModelEpisode]:
        return (episode for episode in self.model.live() if episode.episode_id in known)

    @staticmethod
    def _was(who: str, now: int, were: Group, move) -> bool:  # type: ignore[no-untyped-def]
        """Whether somebody was a member at the number that has become this one."""
        before = [no for no in range(1, 3 * MAX_NO) if move(no) == now]
        # Where an episode was moved onto a number that was free, it is the one that is meant.
        return who in were.at(next((no for no in before if no != now), before[0]))

    @precondition(lambda self: bool(self.model.cast))
    @rule(who=st.sampled_from(CAST), by_hand=st.booleans(), same=st.booleans())
    @step  # type: ignore[arg-type]
    def change_cast(self, who: str, by_hand: bool, same: bool) -> None:
        """Give a name by hand or take it, and bring in a cast file: what it changed wins, the rest stays."""
        name, now = THIRD[self.language], self.model.cast[who]
        has = any(alias.text == name for alias in now.aliases)
        if by_hand:
            edit = (
                kataribe.CastEdit(remove_aliases=(name,))
                if has
                else kataribe.CastEdit(add_aliases=(Alias(text=name),))
            )
            self.model.cast[who] = self.store.story("s").cast.edit(who, edit)
            return
        last = self.model.filed[who]
        said = any(alias.text == name for alias in last.aliases)
        others = tuple(alias for alias in last.aliases if alias.text != name)
        file = last if same else replace(last, aliases=(*others, *(() if said else (Alias(text=name),))))
        self.store.story("s").cast.merge([file])
        after = self.store.story("s").cast.get(who)
        wanted = has if same else not said
        rest = {repr(alias) for alias in now.aliases if alias.text != name}
        assert {repr(alias) for alias in after.aliases if alias.text != name} == rest
        assert any(alias.text == name for alias in after.aliases) == wanted
        self.model.filed[who], self.model.cast[who] = file, after


class JapaneseGroupMachine(GroupMachine):
    """The same in Japanese."""

    language = "ja"


TestGroupMachine = GroupMachine.TestCase
TestGroupMachine.settings = walks(8, 12)
TestJapaneseGroupMachine = JapaneseGroupMachine.TestCase
TestJapaneseGroupMachine.settings = walks(4, 10)
