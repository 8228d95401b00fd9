"""What a viewer has at hand of what was said: the buffer, and what is kept of the rest, in tiers."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import timedelta

from kataribe.conversation.threads import HeldShare, buffer_in, last_turns
from kataribe.domain.conversation.life.events import HandVerb
from kataribe.domain.conversation.life.values import ItemKind, MemoryValue, Tier, TierState
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import EPOCH
from kataribe.domain.ids import WORLD
from kataribe.domain.privacy.sensitive import has_sensitive_token, is_sensitive
from kataribe.domain.recall.at_hand import AtHand, KeptLine, SaidLine
from kataribe.domain.recall.context import Component
from kataribe.domain.terms import Language
from kataribe.ports import View
from kataribe.ports.kinds import AtHandRequest, Fading

_RESUMED_FROM = 12
"""From how many messages before the buffer what they came to is taken up again (S3-14)."""


def at_hand(view: View, shares: Sequence[HeldShare], fading: Fading, asked: AtHandRequest) -> AtHand:
    """Give what is at hand of these shares. Nothing of what was forgotten or corrected is."""
    share, found = buffer_in(
        view, shares, session=asked.session, count=asked.count, policy=asked.policy, fading=fading
    )
    resumed = frozenset[str]() if share is None else _resumed(view, share, found.turns)
    kept = [line for one in shares for line in _kept(view, one, resumed if one == share else frozenset())]
    return AtHand(
        said=tuple(_said(view, share, turn) for turn in found.turns) if share is not None else (),
        ended_by=None if found.ended_by is None else found.ended_by.value,
        kept=tuple(kept),
        position=found.last,
    )


def _said(view: View, share: HeldShare, turn: Turn) -> SaidLine:
    is_of_all = share.holder != WORLD and turn.audience.world
    return SaidLine(
        space=share.space,
        turn_id=turn.turn_id,
        speaker=turn.speaker,
        text=turn.words,
        is_withheld=is_of_all and is_sensitive(turn.words, _language(view, share)),
    )


def _language(view: View, share: HeldShare) -> Language:
    state = view.space(share.space)
    return "en" if state is None else state.language


def _is_withheld(view: View, share: HeldShare, value: MemoryValue) -> bool:
    """Whether it holds what is sensitive and rests on what was told to all and not to this holder.

    There may be thousands, and personal data stand in them as tokens: they are looked for alone.
    """
    if share.holder == WORLD or not has_sensitive_token(value.text):
        return False
    turns = (view.turn(share.space, source) for source in value.sources)
    return any(turn is None or turn.audience.world for turn in turns)


def _resumed(view: View, share: HeldShare, at_hand: Sequence[Turn]) -> frozenset[str]:
    """Name the last turns before what is at hand: a conversation goes on from what they came to."""
    upto = at_hand[0].at - 1 if at_hand else share.upto
    before = last_turns(view, share, _RESUMED_FROM, None, upto=upto)
    return frozenset(turn.turn_id for turn in before if turn.session == before[-1].session)


def _kept(view: View, share: HeldShare, resumed: Set[str]) -> list[KeptLine]:
    holder = share.lived_by(view)
    values = view.kept(share.space, holder, upto=share.upto)
    if not values:
        return []
    by_hand = {
        (one.memory_id, one.text)
        for one in view.hand_decisions(share.space, holder)
        if one.what is HandVerb.EDIT and one.at <= share.upto
    }
    return [
        KeptLine(
            space=share.space,
            memory_id=value.memory_id,
            part=Component.LONG if value.tier is Tier.LONG else Component.MID,
            kind=value.kind.value,
            text=value.text,
            since=EPOCH + timedelta(milliseconds=value.created_at),
            sources=value.sources,
            importance=value.importance or 0.0,
            is_fresh=value.state is TierState.RECENT,
            is_standing=_is_standing(value),
            is_resumed=not resumed.isdisjoint(value.sources),
            is_by_hand=(value.memory_id, value.text) in by_hand,
            is_withheld=_is_withheld(view, share, value),
        )
        for value in values
        if value.state is not TierState.ARCHIVED
    ]


def _is_standing(value: MemoryValue) -> bool:
    return value.explicit or value.pinned or value.kind is ItemKind.POLICY
