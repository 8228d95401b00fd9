"""What programs are shown of a person's profile and consents."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.privacy.profile import ConsentEvent, ConsentStep, ProfileItem


class ProfileItemJson(TypedDict):
    """A line of `profile show --json`; `evidence` is a turn's id, and null when it was written by hand.

    `pii_flag` says that it tells who the user is. `is_locked`: the user's key is missing, `value` is null.
    """

    user_id: str
    key: str
    value: object
    pii_flag: bool
    consent: bool
    version: str
    updated_at: str
    evidence: str | None
    evidence_space: str | None
    by_hand: bool
    expires_at: str | None
    is_locked: bool


class ConsentJson(TypedDict):
    """A line of `profile consent list --json`: the last step of a consent.

    `days` is for how long what is said is kept, where the consent is to that.
    """

    user_id: str
    key: str
    given: bool
    step: str
    days: int | None
    ts: str
    evidence: str | None
    source: str | None


def profile_item_json(user_id: str, one: ProfileItem) -> ProfileItemJson:
    """Write a value; what is kept is kept by consent."""
    return {
        "user_id": user_id,
        "key": one.key,
        "value": one.value,
        "pii_flag": one.is_personal,
        "consent": True,
        "version": one.version,
        "updated_at": one.updated_at.isoformat(),
        "evidence": one.evidence.turn_id,
        "evidence_space": one.evidence.space,
        "by_hand": one.evidence.is_by_hand,
        "expires_at": None if one.expires is None else one.expires.isoformat(),
        "is_locked": one.is_locked,
    }


def consent_json(user_id: str, event: ConsentEvent) -> ConsentJson:
    """Write a step of a consent; `source` is the space of its evidence."""
    return {
        "user_id": user_id,
        "key": event.key,
        "given": event.step is ConsentStep.GIVEN,
        "step": event.step.value,
        "days": event.days,
        "ts": event.time.isoformat(),
        "evidence": event.evidence.turn_id,
        "source": event.evidence.space,
    }
