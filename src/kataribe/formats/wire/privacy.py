"""What programs are shown of personal data in a text."""

from __future__ import annotations

from typing import TypedDict


class PersonalFindingJson(TypedDict):
    """A line of `privacy scan --json`: characters [start, end) of the text as it was given."""

    kind: str
    start: int
    end: int
    token: str


def finding_json(kind: str, start: int, end: int, token: str) -> PersonalFindingJson:
    """Give a finding; never its value."""
    return {"kind": kind, "start": start, "end": end, "token": token}
