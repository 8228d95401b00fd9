"""Why a persona does or does not remember what was said: each question of the gate, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.conversation.homes import user_of
from kataribe.conversation.store import spaces_of
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import Gate, Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.lineage import Part, StoryScope
from kataribe.domain.memory import Said
from kataribe.domain.records import EpisodeState, Outcome
from kataribe.domain.space import Space, parse_place, parse_space
from kataribe.domain.story.views import Check, Why, WhyStep
from kataribe.domain.work import WorkKind
from kataribe.ports import View
from kataribe.read.values import Opened


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """Where talk was held: the episode, the part of the viewer's story that tells it, and its number."""

    story: str
    state: EpisodeState | None
    part: Part | None
    is_after: bool

    @property
    def no(self) -> int:
        """The number the talk is held at, of a deleted episode too."""
        return 1 if self.state is None else self.state.no + self.is_after

    @property
    def name(self) -> str:
        """What to call the place."""
        if self.state is None:
            return f"{self.story} before it had episodes"
        return f"{self.story} {'after' if self.is_after else 'at'} episode {self.state.no}"

    @property
    def is_told(self) -> bool:
        """Whether the viewer's story reads talk held there, whatever its episode."""
        if self.part is None or (self.state is not None and not self.state.is_live):
            return False
        own = self.state is not None and self.state.story_id == self.part.story_id
        key = self.state.order_key if own and self.state is not None else None
        return self.part.holds_no(self.no) and (key is None or self.part.holds_key(key))


def whys_said(view: View, viewer: Viewer, opened: Opened, turn_id: str) -> tuple[Why, ...]:
    """Tell whether `viewer` remembers a turn, and why: once for each place it was said.

    Empty without a user, and when nothing of this id was said with it. Raises `NotFoundError` for
    an unknown user.
    """
    if viewer.user is None:
        return ()
    user = user_of(view, viewer.user)
    scope = next((home.scope for home in opened.homes if home.scope is not None), None)
    return tuple(
        _why(view, viewer, opened.gate, scope, space, turn)
        for space in spaces_of(view, user.user_id)
        if (turn := view.turn(space, turn_id)) is not None
    )


def _why(view: View, viewer: Viewer, gate: Gate, scope: StoryScope | None, space: str, turn: Turn) -> Why:
    within = Gate(tuple(part for part in gate.slices if part.space == space))
    said = parse_space(space)
    held = None if said.story is None else _held(view, scope, said)
    return Why(
        viewer=viewer,
        fact_id=turn.turn_id,
        text=turn.text,
        episode_no=None if held is None else held.no,
        knows=bool(view.admitted_facts(within, {turn.turn_id})),
        known_from=None,
        holders=turn.audience.holders(),
        checks=tuple(_checks(view, viewer, scope, space, turn, held)),
        space=space,
        said=Said(
            session=turn.session, speaker=turn.speaker, time=turn.time.isoformat(), caption=turn.caption
        ),
    )


def _held(view: View, scope: StoryScope | None, said: Space) -> _Held:
    story, place = said.story or "", parse_place(said.place or "")
    parts = () if scope is None else scope.parts
    state = None
    owner: str | None = story
    # A branch without episodes of its own goes on after one of its parent's.
    while owner is not None and state is None and place.episode_id is not None:
        state = view.episode_state(owner, place.episode_id)
        above = view.story(owner)
        owner = None if above is None else above.parent
    part = next((part for part in parts if part.story_id == story), None)
    return _Held(story=story, state=state, part=part, is_after=place.is_after)


def _checks(
    view: View, viewer: Viewer, scope: StoryScope | None, space: str, turn: Turn, held: _Held | None
) -> Iterator[Check]:
    when = turn.time.isoformat()
    yield Check(
        step=WhyStep.SOURCE, ok=True, says=f"{turn.speaker} said it in session {turn.session}; it is stored"
    )
    if held is not None:
        yield _live(viewer, held)
    yield _in_memory(view, viewer, space, turn)
    if held is not None and viewer.at is not None:
        yield _before(viewer, held)
    moment = "" if viewer.as_of is None else viewer.as_of.isoformat()
    is_by = turn.at <= viewer.moment
    yield Check(
        step=WhyStep.SAID_BY,
        ok=is_by,
        says=f"it was said at {when}, {'by' if is_by else 'which is later than'} {moment}",
    )
    yield _holding(viewer, turn)
    if held is not None and scope is not None:
        yield _cast(viewer, scope)


def _live(viewer: Viewer, held: _Held) -> Check:
    if viewer.story is None:
        says = f"it was said under {held.name}, and is remembered there alone; name the story and an episode"
    elif held.part is None:
        says = f"it was said under {held.name}, which {viewer.story} does not tell"
    elif held.state is not None and not held.state.is_live:
        says = f"it was said under {held.name}, which is deleted"
    elif not held.is_told:
        says = f"it was said under {held.name}, after the fork at {held.part.cap_no}"
    else:
        return Check(step=WhyStep.LIVE, ok=True, says=f"it was said under {held.name}, which is there")
    return Check(step=WhyStep.LIVE, ok=False, says=says)


def _before(viewer: Viewer, held: _Held) -> Check:
    if held.no <= (viewer.at or 0):
        says = f"it was held at episode {held.no}, which is not later than episode {viewer.at}"
        return Check(step=WhyStep.BEFORE, ok=True, says=says)
    says = f"it was held at episode {held.no}, later than episode {viewer.at}; nobody has said it yet"
    return Check(step=WhyStep.BEFORE, ok=False, says=says)


def _in_memory(view: View, viewer: Viewer, space: str, turn: Turn) -> Check:
    unit = next(unit for unit in view.turn_units(space) if turn in view.turns(space, unit=unit))
    states = view.memory_states(space, unit)
    copies = [memory.memory_id for memory in view.memories(space, fact_id=turn.turn_id)]
    if any(states[name].live for name in copies if name in states):
        return Check(step=WhyStep.IN_MEMORY, ok=True, says="it is in memory")
    done = view.work(space, WorkKind.TURNS, unit).get(unit)
    if done is None or not done.lags:
        return Check(step=WhyStep.IN_MEMORY, ok=False, says="nothing of it is remembered")
    same = done.fingerprint == done.wanted
    if same and done.outcome is Outcome.DEAD:
        says = f"{unit} could not be brought into memory: {done.error}; mend it and sync --retry"
    elif same and done.outcome is Outcome.DROPPED:
        says = f"{unit} was dropped; `kataribe work retry --user {viewer.user} --unit {unit}` takes it up"
    else:
        says = f"it is not in memory yet; run `kataribe sync --user {viewer.user}`"
    return Check(step=WhyStep.IN_MEMORY, ok=False, says=says)


def _holding(viewer: Viewer, turn: Turn) -> Check:
    holders = turn.audience.holders()
    if WORLD in holders:
        return Check(step=WhyStep.HELD, ok=True, says="it was told to all")
    if viewer.persona in holders:
        return Check(step=WhyStep.HELD, ok=True, says=f"{viewer.persona} was there and holds it")
    named = ", ".join(holders)
    if viewer.persona is None:
        return Check(step=WhyStep.HELD, ok=False, says=f"only {named} was told; no persona is named")
    says = f"only {named} was told; {viewer.persona} is not among them"
    return Check(step=WhyStep.HELD, ok=False, says=says)


def _cast(viewer: Viewer, scope: StoryScope) -> Check:
    if scope.in_cast:
        says = f"{viewer.persona} is in the cast at episode {viewer.at}"
        return Check(step=WhyStep.CAST, ok=True, says=says)
    says = f"{viewer.persona} is not in the cast at episode {viewer.at}: nothing was said to it there"
    return Check(step=WhyStep.CAST, ok=False, says=says)
