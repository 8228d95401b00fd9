"""Why a character does or does not know a fact: each question of the gate, one by one."""

from __future__ import annotations

from kataribe.domain.evidence import Holding
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.records import Outcome
from kataribe.domain.space import episode_unit, story_space
from kataribe.domain.story.views import Check, Evidence, Why, WhyStep, holder_name
from kataribe.domain.work import WorkKind
from kataribe.errors import InputError
from kataribe.ports import View
from kataribe.read.guard import succession
from kataribe.read.values import Opened
from kataribe.story.kind import StoryHome, open_story
from kataribe.story.views.fact_history import Trail, best_matches, trails
from kataribe.story.views.story_view import StoryView, see

_IN_REVIEW = {
    Reason.LOST_QUOTE: "its quote does not stand in the episode's text",
    Reason.EMPTY_GROUP: "the group it is for has no member then",
    Reason.UNRECOGNISED: "nobody of the cast was recognised where it is told",
}


def whys_told(view: View, viewer: Viewer, opened: Opened, fact_id: str) -> tuple[Why, ...]:  # noqa: ARG001
    """Tell `why`, of a viewer that may have no story: nothing is told to it then."""
    return () if viewer.story is None else (why(view, viewer, fact_id),)


def whys_of_text(view: View, viewer: Viewer, text: str, *, top_k: int) -> tuple[Why, ...]:
    """Tell it of the facts that match a text best. Raises `NotFoundError`, `InputError` without a story."""
    if viewer.story is None:
        raise InputError("what was said is asked about by a turn's id; `kataribe log search` finds it")
    meant = best_matches(view, see(view, viewer.story), text, top_k=top_k)
    return tuple(why(view, viewer, fact_id) for fact_id in meant)


def why(view: View, viewer: Viewer, fact_id: str) -> Why:
    """Tell whether `viewer` knows a fact, and what speaks for and against it.

    It is known just when `known` gives it. Raises `NotFoundError`.
    """
    seen = see(view, viewer.story or "")
    opened = open_story(view, viewer)
    knows = bool(view.admitted_facts(opened.gate, {fact_id}))
    newer = succession(view, opened.gate).superseded_by.get(fact_id) if knows else None
    judged = [(_checks(view, viewer, opened, trail, newer), trail) for trail in trails(view, seen, fact_id)]
    # The same id in two episodes: the one that comes closest speaks.
    checks, trail = min(judged, key=lambda one: sum(not check.ok for check in one[0]))
    return Why(
        viewer=viewer,
        fact_id=fact_id,
        text=trail.text,
        episode_no=trail.state.no,
        knows=knows,
        known_from=_known_from(seen, viewer, trail, checks),
        holders=trail.holders,
        checks=checks,
        superseded_by=newer,
        holdings=_holdings(trail),
        evidence=_evidence(view, seen, viewer, trail),
    )


def _checks(
    view: View, viewer: Viewer, opened: StoryHome, trail: Trail, newer: str | None
) -> tuple[Check, ...]:
    return (
        _live(trail),
        _source(trail, viewer.character),
        _in_memory(view, trail, viewer.character),
        _before(trail, viewer),
        _settled(trail),
        _held(trail, viewer.character),
        _cast(trail, viewer, opened),
        Check(
            step=WhyStep.CURRENT,
            ok=newer is None,
            says="nothing known by then replaces it"
            if newer is None
            else f"{newer} replaces it: it is known as an older belief, and recall leaves it out",
        ),
    )


def _holdings(trail: Trail) -> tuple[Holding, ...]:
    """Give what speaks for each of those who have a copy."""
    return tuple(
        Holding(copy.holder, copy.evidence, copy.confidence)
        for copy in sorted(trail.copies, key=lambda copy: copy.holder)
        if copy.evidence is not None and copy.confidence is not None
    )


def _live(trail: Trail) -> Check:
    no, cap = trail.state.no, trail.part.cap
    if not trail.state.is_live:
        return Check(step=WhyStep.LIVE, ok=False, says=f"episode {no} is deleted")
    if cap is not None and trail.state.order_key > cap:
        says = f"{trail.part.story_id} tells it in episode {no}, after the fork at {trail.part.cap_no}"
        return Check(step=WhyStep.LIVE, ok=False, says=says)
    return Check(step=WhyStep.LIVE, ok=True, says=f"episode {no} is part of the story")


def _source(trail: Trail, character: str) -> Check:
    if trail.gone is not None:
        return Check(step=WhyStep.SOURCE, ok=False, says=trail.gone)
    holds = {WORLD, character} & set(trail.holders)
    struck = {WORLD, character} & trail.struck
    if struck and not holds:
        for_whom = holder_name(WORLD if WORLD in struck else character)
        return Check(step=WhyStep.SOURCE, ok=False, says=f"it was struck out for {for_whom}")
    return Check(step=WhyStep.SOURCE, ok=True, says="the episode, or a row for it, says so now")


def _in_memory(view: View, trail: Trail, character: str) -> Check:
    state, story_id = trail.state, trail.part.story_id
    if not state.is_live:
        return Check(step=WhyStep.IN_MEMORY, ok=False, says="what is deleted is not in memory")
    work = view.work(story_space(story_id), WorkKind.EXTRACT, state.episode_id)
    units = (state.episode_id, episode_unit(state.episode_id, character))
    late = [work[unit] for unit in units if unit in work and work[unit].lags]
    if not late:
        return Check(step=WhyStep.IN_MEMORY, ok=True, says=f"episode {state.no} is in memory")
    done = late[0]
    if done.outcome is Outcome.DEAD and done.fingerprint == done.wanted:
        says = f"episode {state.no} could not be brought into memory: {done.error}; mend it and sync --retry"
    else:
        says = f"episode {state.no} is not in memory yet; run `kataribe sync --story {story_id}`"
    return Check(step=WhyStep.IN_MEMORY, ok=False, says=says)


def _before(trail: Trail, viewer: Viewer) -> Check:
    no = trail.state.no
    if no <= viewer.cutoff:
        return Check(step=WhyStep.BEFORE, ok=True, says=f"episode {no} lies before episode {viewer.at}")
    says = f"episode {no} is not over at episode {viewer.at}; it is remembered from {no + 1} on"
    return Check(step=WhyStep.BEFORE, ok=False, says=says)


def _settled(trail: Trail) -> Check:
    waiting = [copy for copy in trail.copies if copy.in_review]
    if waiting and not trail.holders:
        because = _IN_REVIEW.get(waiting[0].reason, "nobody is surely enough there for the audience mode")
        return Check(step=WhyStep.SETTLED, ok=False, says=f"it waits in review: {because}")
    if not trail.holders:
        return Check(step=WhyStep.SETTLED, ok=False, says="it has no holder")
    return Check(step=WhyStep.SETTLED, ok=True, says="it does not wait in review")


def _held(trail: Trail, character: str) -> Check:
    if WORLD in trail.holders:
        return Check(step=WhyStep.HELD, ok=True, says="it is public")
    if character in trail.holders:
        return Check(step=WhyStep.HELD, ok=True, says=f"{character} holds it")
    if not trail.holders:
        return Check(step=WhyStep.HELD, ok=False, says="nobody holds it yet")
    says = f"it is the secret of {', '.join(trail.holders)}; {character} is not among them"
    return Check(step=WhyStep.HELD, ok=False, says=says)


def _cast(trail: Trail, viewer: Viewer, opened: StoryHome) -> Check:
    character, at = viewer.character, viewer.at
    if opened.scope.in_cast:
        return Check(step=WhyStep.CAST, ok=True, says=f"{character} is in the cast at episode {at}")
    says = f"{character} is not in the cast at episode {at}"
    if WORLD in trail.holders:
        return Check(step=WhyStep.CAST, ok=True, says=f"{says}; what is public is known all the same")
    return Check(step=WhyStep.CAST, ok=False, says=f"{says}: only what is public is known")


_STAYS = frozenset({WhyStep.LIVE, WhyStep.SOURCE, WhyStep.IN_MEMORY, WhyStep.SETTLED, WhyStep.HELD})


def _known_from(seen: StoryView, viewer: Viewer, trail: Trail, checks: tuple[Check, ...]) -> int | None:
    """The first number at which it is known as things stand: time alone is left to pass."""
    if any(not check.ok for check in checks if check.step in _STAYS):
        return None
    if WORLD in trail.holders:
        return trail.state.no + 1
    since = next((c.since for c in seen.cast if c.character_id == viewer.character), None)
    return None if since is None else max(trail.state.no, since) + 1


def _evidence(view: View, seen: StoryView, viewer: Viewer, trail: Trail) -> Evidence | None:
    if not trail.copies:
        return None
    own = sorted(trail.copies, key=lambda copy: (copy.holder != WORLD, copy.holder != viewer.character))
    copy = next((c for c in own if c.holder in (WORLD, viewer.character)), trail.copies[0])
    return Evidence(
        reason=copy.reason,
        origin=copy.origin,
        flagged=copy.flagged,
        quote=copy.quote,
        quote_no=copy.quote_no if copy.quote_no is not None or copy.quote is None else trail.state.no,
        told_from=copy.told_from,
        told_text=_told_text(view, seen, copy),
    )


def _told_text(view: View, seen: StoryView, copy: Memory) -> str | None:
    if copy.told_from is None:
        return None
    for part in reversed(seen.parts):
        for memory in view.memories(story_space(part.story_id), fact_id=copy.told_from):
            return memory.text
    return None
