"""Where a story stands: the number after its last live episode, looked up in the view that answers."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.gate import Viewer
from kataribe.ports import View
from kataribe.story.fingerprints import parts_of


def settled(view: View, viewer: Viewer) -> Viewer:
    """Give the viewer with the number it is at; one that names a number is given back as it is.

    Raises `NotFoundError` for an unknown story.
    """
    if not viewer.is_now or viewer.story is None:
        return viewer
    last = (view.last_no(part.story_id, cap=part.cap) or 0 for part in parts_of(view, viewer.story))
    return replace(viewer, at=1 + max(last), is_now=False)
