"""The ledger's part for conversation memory in tiers: what happened to it, and the rows that come of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kataribe.domain.conversation.life.events import HandDecision, UsedAt
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy
from kataribe.domain.conversation.life.values import (
    NO_ROWS,
    Fates,
    Life,
    LifeCounts,
    MemoryValue,
    TierState,
)
from kataribe.domain.conversation.summaries import ModelAsk
from kataribe.domain.gate import Gate


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedNight:
    """A nightly run of a user's conversations: its position, and the numbers it was held by."""

    at: int
    policy: TierPolicy = DEFAULT_TIERS


@dataclass(frozen=True, slots=True, kw_only=True)
class TierStanding:
    """How a memory stands at last, and since which position; `superseded_by` as in `MemoryValue`."""

    state: TierState
    position: int
    superseded_by: str | None = None


class TiersView(Protocol):
    """What is read of it within one view."""

    def nights(self, user_id: str) -> tuple[RecordedNight, ...]:
        """Give the nights of a user, in their order."""

    def hand_decisions(self, space: str, holder: str) -> tuple[HandDecision, ...]:
        """Give what people decided about a holder's memories, in order of position."""

    def turn_uses(self, space: str, viewer: str) -> tuple[UsedAt, ...]:
        """Give each use a viewer made of a turn of a space, in order of position; repeats are kept."""

    def life(self, space: str, holder: str, *, since: int | None = None) -> Life:
        """Give the rows of a holder in a space: all, or those that hold from a position on or later.

        Raises `ArchiveError` where their payload lies in an archive that is not named, and
        `ArchiveLostError` where a file of it is lost or changed.
        """

    def life_parts(self, space: str, holder: str) -> Iterator[Life]:
        """Stream the rows of a holder in a space; a memory's rows are never parted.

        Memories come as they were made, then the rows of turns and what was asked, by position. Read it to
        the end before this view closes. Raises as `life` does.
        """

    def archived(self, space: str) -> int:
        """Count the rows of a space whose payload lies in the archive."""

    def naming(self, space: str, holder: str, words: Collection[str]) -> frozenset[tuple[str, int]]:
        """Give id and position of each row that has all these content words, without the archive."""

    def model_asks(self, space: str, holder: str) -> tuple[ModelAsk, ...]:
        """Give what models are or were asked of what a holder was told, with the answers."""

    def model_ask(self, space: str, unit: str) -> ModelAsk | None:
        """Give the question of a unit of work."""

    def kept(self, space: str, holder: str, *, upto: int) -> tuple[MemoryValue, ...]:
        """Give what a holder's memories are at a position, without those that have ended, by id."""

    def tier_states(self, space: str, holder: str) -> Mapping[str, TierStanding]:
        """Give how each memory of a holder stands at last, ended ones too, without a word of it."""

    def fates(self, gate: Gate) -> Sequence[Fates]:
        """Give the last row inside the gate of each turn that has one, by the spaces that have any.

        In each space they are the rows of the holder whose own slice the gate has, once it holds
        anything in it, and else those of the world.
        """


class TiersTransaction(TiersView, Protocol):
    """What is written of it within one transaction."""

    def put_night(self, user_id: str, night: RecordedNight) -> None:
        """Record a night. Raises `ConflictError` when it is not later than the last one."""

    def drop_night(self, user_id: str, at: int) -> None:
        """Remove the record of a night; one that is not there is none."""

    def put_hand_decision(self, space: str, holder: str, decision: HandDecision) -> None:
        """Record what a person decided; the same again changes nothing."""

    def put_life(self, space: str, holder: str, life: Life, *, since: LifeCounts = NO_ROWS) -> None:
        """Put these rows in the place of those of a holder behind the first `since` of each sort."""

    def drop_lives(self, space: str) -> None:
        """Remove all rows of a space, and what of them is archived."""

    def open_archive(self, space: str) -> bool:
        """Make ready to archive payloads of a space, and remove files that a kill has left.

        False where there is no archive, or what reads it is not installed: payloads stay in the
        ledger then. It must be committed before anything is archived.
        """

    def archive(self, space: str, *, before: int, most: int = 100) -> int:
        """Move the payloads of `most` rows of the mid term into one file; gives how many, 0: none is left.

        They are those of memories that were made at or before the position `before`. The rows
        read the same afterwards. Raises `ArchiveError`, `StoreFullError`.
        """

    def put_model_ask(self, space: str, ask: ModelAsk) -> None:
        """Record a question to a model, or its answer, in the place of the same question before."""

    def drop_model_ask(self, space: str, ask: ModelAsk) -> None:
        """Remove a question with its answer."""

    def forget_derived(self, space: str, turn_ids: Collection[str]) -> None:
        """Remove every row that rests on one of these turns, and what models made of them (P6).

        Rows that rest on turns which a model was shown beside them go as well.
        """
