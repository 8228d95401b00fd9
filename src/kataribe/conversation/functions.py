"""The functions of an assistant's memory by the names that its specification gives them (S2-44).

Each is what the tiers themselves use; here they stand with plain values, for a program that has a
store of its own, and for tests. Moments have a zone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from kataribe.domain.conversation.buffer import DEFAULT_BUFFER, BufferPolicy, fill_buffer
from kataribe.domain.conversation.life.formulas import factor_of, state_after, usefulness
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy
from kataribe.domain.conversation.life.values import TierState, TurnState
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import position_of
from kataribe.domain.privacy.records import ExportedBundle, UserRecords
from kataribe.domain.similarity import DECIMALS
from kataribe.ports import Archive, Payload, TokenCounter
from kataribe.ports.bundles import BundleFormat

_SEARCHED = {
    TierState.HOT: TurnState.HOT,
    TierState.WARM: TurnState.WARM,
    TierState.COOL: TurnState.COOL,
}


def token_count(text: str, counter: TokenCounter) -> int:
    """Give how many tokens a text has, 0 or more, as `counter` counts."""
    return counter.count(text)


def stm_tail(
    said: Sequence[Turn], *, now: datetime, counter: TokenCounter, policy: BufferPolicy = DEFAULT_BUFFER
) -> tuple[Turn, ...]:
    """Give what is at hand of the turns of a session, oldest first (U-9).

    `said` are in the order they were said, none later than `now`.
    """
    return fill_buffer(said, now=position_of(now), count=counter.count, policy=policy)[0]


def count_mentions(
    mentions: Iterable[tuple[str, datetime]], *, now: datetime, policy: TierPolicy = DEFAULT_TIERS
) -> int:
    """Give in how many distinct turns something was mentioned in the last 90 days (S2-35).

    A mention is the id of a turn and when that was said; one later than `now` does not count.
    """
    since = now - timedelta(days=policy.promotion.mentions_days)
    return len({turn_id for turn_id, said in mentions if since <= said <= now})


def novelty_score(likenesses: Iterable[float]) -> float:
    """Give how unlike all that is known something is: 1 less the best cosine, from 0 to 1 (S2-7).

    Without anything to compare it is 1. Above 0.38 it is novel: the best cosine is below 0.62 (U-5).
    """
    best = max(likenesses, default=0.0)
    return round(min(1.0, max(0.0, 1.0 - best)), DECIMALS)


def recent_usefulness(
    uses: Iterable[datetime], *, now: datetime, policy: TierPolicy = DEFAULT_TIERS
) -> float:
    """Give how often answers of the last 30 days used something, from 0 to 1 (S2-8); 0 without any."""
    since = now - timedelta(days=policy.promotion.usefulness_days)
    return usefulness(len({use for use in uses if since < use <= now}), policy.promotion)


def decay_ltm_scores(
    scores: Mapping[str, float],
    last_used: Mapping[str, datetime],
    *,
    now: datetime,
    kind: str = "fact",
    policy: TierPolicy = DEFAULT_TIERS,
) -> dict[str, float]:
    """Give the scores of long-term memories by id, lowered by how long nobody used them (S2-10, S2-22).

    What is archived or deleted by then is left out: it is not searched. `kind` chooses after how many days
    that is. Raises `KeyError` for a score without its last use.
    """
    found: dict[str, float] = {}
    for name, score in scores.items():
        unused = max(0, position_of(now) - position_of(last_used[name]))
        state = _SEARCHED.get(state_after(unused, policy.decay, policy.delete_days(kind)))
        factor = None if state is None else factor_of(state, policy.decay)
        if factor is not None:
            found[name] = round(score * factor, DECIMALS)
    return found


def archive_to_object_store(archive: Archive, folder: str, name: str, payloads: Sequence[Payload]) -> str:
    """Write payloads into one file of an archive, and give the SHA-256 of its bytes (S2-42).

    It is durable when this returns. Raises `ArchiveError`, `StoreFullError`, `MissingExtraError`.
    """
    return archive.write(folder, name, payloads)


def export_user_bundle(records: UserRecords, bundle: BundleFormat, path: Path) -> ExportedBundle:
    """Write all that is kept of a user into one new file, and give what is in it (S2-43).

    It is durable when this returns, and for its owner alone. Raises `ConflictError` where a file is there,
    `InputError` where none can be made, `StoreFullError`; no file is there then.
    """
    with bundle.draft(records, path) as made:
        return made.publish()
