"""What programs are shown of personal data in a text, and of an erasure."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.privacy.erasure import ErasureReceipt


class PersonalFindingJson(TypedDict):
    """A line of `privacy scan --json`: characters [start, end) of the text as it was given."""

    kind: str
    start: int
    end: int
    token: str


class ErasureJson(TypedDict):
    """The one object of `privacy delete --json`; `counts` by what it was kept in.

    `complete` is false as long as `held_by` names who reads the store's log, or `unreached` says by store
    what could not be done yet. `unsealed` names copies and backups that are not sealed.
    """

    deleted: bool
    user_id: str
    at: str
    complete: bool
    counts: dict[str, int]
    held_by: list[str]
    unreached: dict[str, str]
    unsealed: list[str]


def finding_json(kind: str, start: int, end: int, token: str) -> PersonalFindingJson:
    """Give a finding; never its value."""
    return {"kind": kind, "start": start, "end": end, "token": token}


def erasure_json(receipt: ErasureReceipt) -> ErasureJson:
    """Write a receipt."""
    return {
        "deleted": True,
        "user_id": receipt.user,
        "at": receipt.at,
        "complete": receipt.complete,
        "counts": dict(receipt.counts),
        "held_by": list(receipt.held_by),
        "unreached": dict(receipt.unreached),
        "unsealed": list(receipt.unsealed),
    }
