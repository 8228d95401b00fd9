"""Lists in pages: a cursor says behind what to go on, also when something came or went in between."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.ids import digest
from kataribe.errors import InputError

MOST, USUAL = 1000, 100
PAGING = ("limit", "cursor")


@dataclass(frozen=True, slots=True)
class Paging:
    """Which part of a list is wanted."""

    limit: int = USUAL
    after: tuple[int, str] | None = None


def paging_of(limit: str | None, cursor: str | None) -> Paging:
    """Read what a request says. Raises `InputError`."""
    if limit is not None and not (limit.isascii() and limit.isdigit() and 1 <= int(limit[:9]) <= MOST):
        raise InputError(f"limit must be from 1 to {MOST}, not {limit!r}")
    return Paging(int(limit or USUAL), None if cursor is None else _read(cursor))


def page(items: Sequence[Mapping[str, object]], wanted: Paging) -> dict[str, object]:
    """Give a part of a list, and the cursor of what comes behind it; null where nothing does."""
    start = 0 if wanted.after is None else _start(items, *wanted.after)
    part = items[start : start + wanted.limit]
    end = start + len(part)
    return {"items": list(part), "next": _cursor(end, part[-1]) if part and end < len(items) else None}


def _start(items: Sequence[Mapping[str, object]], place: int, last: str) -> int:
    """Find where to go on: behind the item that was last, else at the place where it stood."""
    if 0 < place <= len(items) and _known_by(items[place - 1]) == last:
        return place
    found = next((at for at, one in enumerate(items) if _known_by(one) == last), None)
    return min(max(place, 0), len(items)) if found is None else found + 1


_IDS = (
    "story",
    "story_id",
    "space",
    "chain",
    "holder",
    "user",
    "id",
    "fact_id",
    "episode_id",
    "version",
    "key",
    "n",
    "unit",
)


def _known_by(item: Mapping[str, object]) -> str:
    return digest(*(f"{name}={item[name]}" for name in _IDS if name in item))


def _cursor(place: int, last: Mapping[str, object]) -> str:
    told = json.dumps([place, _known_by(last)]).encode()
    return base64.urlsafe_b64encode(told).decode().rstrip("=")


def _read(cursor: str) -> tuple[int, str]:
    try:
        told = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        place, last = told
    except (ValueError, TypeError, binascii.Error):
        raise InputError("the cursor is none that this server gave; ask from the beginning") from None
    if not isinstance(place, int) or not isinstance(last, str):
        raise InputError("the cursor is none that this server gave; ask from the beginning")
    return place, last
