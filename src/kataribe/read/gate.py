"""First step: the viewer becomes a gate, before anything is searched."""

from __future__ import annotations

from kataribe.domain.gate import DENY_ALL, Viewer, gate_for
from kataribe.errors import NotFoundError
from kataribe.ports import Reading
from kataribe.read.values import Opened


def open_gate(ledger: Reading, viewer: Viewer) -> Opened:
    """Make the gate of a viewer; raise `NotFoundError` for an unknown story.

    A character known only from facts is in the cast from the first fact on that the viewer's
    cutoff covers, so that what comes later makes no difference.
    """
    story = ledger.story(viewer.story)
    if story is None:
        raise NotFoundError(f"there is no story {viewer.story!r}; `kataribe story list` shows them")
    cast = ledger.characters(viewer.story)
    named = ledger.mentioned(viewer.story).get(viewer.character)
    declared = any(character.character_id == viewer.character for character in cast)
    in_cast = declared or (named is not None and named <= viewer.cutoff)
    if viewer.cutoff < 1:
        return Opened(viewer, story, DENY_ALL, in_cast, (), ())
    gate = gate_for(viewer, upto=ledger.upto(viewer.story, viewer.cutoff), in_cast=in_cast)
    return Opened(viewer, story, gate, in_cast, cast, ledger.pending(viewer.story, viewer.cutoff))
