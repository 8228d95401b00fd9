"""What the tables of routes share: who their examples are about, and how values are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kataribe.surfaces.http.routes import Show

TALE: Mapping[str, str] = {"story": "harbour"}
NORA: Mapping[str, str] = {"user": "nora"}
RULES: Mapping[str, str] = {"library": "rules"}
TEXT = "[[known-by: wren]] Wren hid the key under the third stair.\n\n[[known-by: public]] The ferry left."


def as_list(show: Any) -> Show:
    """Write each of a list."""
    return lambda found, _: [show(it) for it in found]


def as_value(show: Any) -> Show:
    """Write one value."""
    return lambda found, _: show(found)
