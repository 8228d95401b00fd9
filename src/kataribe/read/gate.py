"""First step: the viewer becomes a gate, before anything is searched."""

from __future__ import annotations

from kataribe.domain.gate import DENY_ALL, Viewer, gate_for
from kataribe.ports import Reading
from kataribe.read.lineage import lineage, seen_cast, seen_mentions, seen_pending, uptos
from kataribe.read.prints import story_of
from kataribe.read.values import Opened


def open_gate(ledger: Reading, viewer: Viewer) -> Opened:
    """Make the gate of a viewer; raise `NotFoundError` for an unknown story.

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
        return Opened(viewer, story, DENY_ALL, in_cast, (), (), parts)
    last = uptos(ledger, parts, viewer.cutoff)
    told = [(part.story_id, upto) for part, upto in zip(parts, last, strict=True)]
    gate = gate_for(viewer, uptos=told, in_cast=in_cast)
    pending = seen_pending(ledger, parts, viewer.cutoff)
    return Opened(viewer, story, gate, in_cast, cast, pending, parts)
