"""First step: the viewer becomes a gate, before anything is searched."""

from __future__ import annotations

from kataribe.domain.gate import Viewer, joined
from kataribe.domain.lineage import StoryScope
from kataribe.ports import View
from kataribe.ports.kinds import Home, Kinds
from kataribe.ports.telemetry import step
from kataribe.read.values import Opened


@step("gate", lambda opened: {"slices": len(opened.gate.slices), "in_cast": opened.in_cast})
def open_gate(kinds: Kinds, view: View, viewer: Viewer) -> Opened:
    """Make the gate of a viewer, kind by kind; raise `NotFoundError` for an unknown story or user."""
    homes: list[Home] = []
    scope: StoryScope | None = None
    part = 0
    for kind in kinds:
        home = kind.open(view, viewer, scope=scope, part=part)
        if home is not None:
            homes.append(home)
            scope = scope or home.scope
            part += home.width
    return Opened(viewer, tuple(homes), joined(home.gate for home in homes))
