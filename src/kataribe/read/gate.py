"""First step: the viewer becomes a gate, before anything is searched."""

from __future__ import annotations

from kataribe.domain.conversation import position_of, user_space
from kataribe.domain.gate import DENY_ALL, AnyViewer, UserViewer, Viewer, gate_for, gate_for_user
from kataribe.ports import Reading
from kataribe.ports.telemetry import step
from kataribe.read.lineage import lineage, seen_cast, seen_mentions, seen_pending, uptos
from kataribe.read.prints import story_of, user_of
from kataribe.read.values import Opened


@step("gate", lambda opened: {"slices": len(opened.gate.slices), "in_cast": opened.in_cast})
def open_gate(ledger: Reading, viewer: AnyViewer) -> Opened:
    """Make the gate of a viewer; raise `NotFoundError` for an unknown story or user."""
    return _of_user(ledger, viewer) if isinstance(viewer, UserViewer) else _of_story(ledger, viewer)


def _of_user(ledger: Reading, viewer: UserViewer) -> Opened:
    user = user_of(ledger, viewer.user)
    upto = position_of(viewer.as_of)
    gate = gate_for_user(viewer, space=user_space(user.user_id), upto=upto)
    holders = {part.holder for part in gate.slices}
    pending = ledger.pending_turns(user.user_id, holders=holders, upto=upto)
    return Opened(viewer, user, gate, in_cast=True, pending_turns=pending)


def _of_story(ledger: Reading, viewer: Viewer) -> Opened:
    """Make the gate of a viewer of a story.

    A character known only from facts is in the cast from the first fact on that the viewer's
    cutoff covers, so that what comes later makes no difference.
    """
    story = story_of(ledger, viewer.story)
    parts = lineage(ledger, story)
    cast = seen_cast(ledger, parts)
    named = seen_mentions(ledger, parts).get(viewer.character)
    declared = any(character.character_id == viewer.character for character in cast)
    in_cast = declared or (named is not None and named <= viewer.cutoff)
    if viewer.cutoff < 1:
        return Opened(viewer, story, DENY_ALL, in_cast, parts=parts)
    last = uptos(ledger, parts, viewer.cutoff)
    told = [(part.story_id, upto) for part, upto in zip(parts, last, strict=True)]
    gate = gate_for(viewer, uptos=told, in_cast=in_cast)
    pending = seen_pending(ledger, parts, viewer.cutoff)
    return Opened(viewer, story, gate, in_cast, cast, pending, parts=parts)
