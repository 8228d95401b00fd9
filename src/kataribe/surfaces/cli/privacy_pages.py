"""The page of `kataribe privacy show`."""

from __future__ import annotations

import json

import kataribe as face
from kataribe.domain.conversation.life.values import ENDED, TierState
from kataribe.domain.ids import WORLD
from kataribe.domain.privacy.profile import ConsentStep
from kataribe.domain.space import parse_space
from kataribe.formats.wire.threads import moment_text
from kataribe.surfaces.cli import output


def overview(found: face.UserOverview) -> None:
    """Print it part by part."""
    user = found.user
    output.result(f"{user.user_id}: {user.language}, embedder {user.embedder}, model {user.model}")
    _said(found)
    _profile(found)
    _remembered(found)
    _where(found)


def _said(found: face.UserOverview) -> None:
    output.heading("what was said")
    for one in found.spaces:
        if one.turns:
            first = moment_text(min(session.first for session in one.sessions))
            last = moment_text(max(session.last for session in one.sessions))
            output.result(
                f"{_place(one)}: {output.count(one.turns, 'turn')} in "
                f"{output.count(len(one.sessions), 'session')}, {first} to {last}"
            )
    if not any(one.turns for one in found.spaces):
        output.result("nothing")
    who = ", ".join("everybody" if one == WORLD else one for one in found.holders)
    output.result(f"may be given to: {who or 'nobody'}")


def _place(one: face.SaidSpace) -> str:
    story = parse_space(one.space).story
    if story is None:
        return "outside stories"
    at = "a deleted episode" if one.episode_no is None else f"episode {one.episode_no}"
    return f"under {story}, {at}"


def _profile(found: face.UserOverview) -> None:
    output.heading("profile and consents")
    for item in found.profile:
        value = item.value if isinstance(item.value, str) else json.dumps(item.value, ensure_ascii=False)
        output.result(f"{item.key}: {'(locked)' if item.is_locked else value}")
    for event in found.consents:
        given = "given" if event.step is ConsentStep.GIVEN else "taken back"
        output.result(f"consent {event.key}: {given} {event.time.isoformat()}")
    if not found.profile and not found.consents:
        output.result("nothing")


def _remembered(found: face.UserOverview) -> None:
    output.heading("what is remembered")
    for tier, title in (("long", "long term"), ("mid", "mid term")):
        counts = {state: count for (of, state), count in sorted(found.memories.items()) if of == tier}
        live = {state: count for state, count in counts.items() if TierState(state) not in ENDED}
        told = ", ".join(f"{count} {state}" for state, count in counts.items())
        output.result(f"{title}: {sum(live.values())}" + (f" ({told})" if told else ""))
    for one in found.newest:
        output.result(f"  [{one.value.tier}, {one.holder}] {one.value.text}")
    if found.newest and len(found.newest) < _live(found):
        output.result(f"  ... `kataribe memory list --user {found.user.user_id}` lists all")


def _live(found: face.UserOverview) -> int:
    return sum(count for (_, state), count in found.memories.items() if TierState(state) not in ENDED)


def _where(found: face.UserOverview) -> None:
    output.heading("where it stands")
    sealed = sum(one.sealed for one in found.spaces)
    archived, expired = (
        sum(one.archived for one in found.spaces),
        sum(len(one.expired) for one in found.spaces),
    )
    output.result(f"sealed: {output.count(sealed, 'turn')} with personal data, and the profile")
    place = found.key_place or ("none" if found.is_open else "not at hand")
    output.result(f"key store: {place}")
    output.result(f"archived: {output.count(archived, 'text')} of memories, in files beside the store")
    output.result(f"deleted by age: the text of {output.count(expired, 'turn')}")
    events = output.count(found.events, "event") if found.is_open else "not readable without the key store"
    output.result(f"audit record: {events}; nights: {found.nights}")
    output.result(f"backups: {len(found.backups)} written")
    for one in found.backups:
        how = "sealed" if one.is_sealed else "in the open, by an earlier release"
        output.result(f"  {one.at}  {one.path or '(a file that was not noted)'}  {how}")
