"""What is at hand before anything is searched, out of all homes that have any."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.gate import Viewer
from kataribe.domain.recall.at_hand import AtHand
from kataribe.ports import View
from kataribe.ports.kinds import AtHandRequest, Kinds, TalkHome
from kataribe.ports.telemetry import step
from kataribe.read.gate import open_gate


@step("at_hand", lambda found: {} if found is None else {"said": len(found.said), "kept": len(found.kept)})
def at_hand(kinds: Kinds, view: View, viewer: Viewer, asked: AtHandRequest) -> AtHand | None:
    """Give what a viewer has at hand: the last messages of one home, and what is kept of all.

    None where nothing is ever at hand. Raises `NotFoundError`.
    """
    opened = open_gate(kinds, view, viewer)
    found = [home.at_hand(view, asked) for home in opened.homes if isinstance(home, TalkHome)]
    if not found:
        return None
    last = max(found, key=lambda one: -1 if one.position is None else one.position)
    kept = [line if one is last else replace(line, is_resumed=False) for one in found for line in one.kept]
    return replace(last, kept=tuple(kept))
