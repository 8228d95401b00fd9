"""What the jobs of all tasks on conversations share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kataribe.domain.memory import Memory
from kataribe.domain.records import SpaceState
from kataribe.domain.space import Unit

_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkJob:
    """One unit of a user's space, and the fingerprint it is done for."""

    unit: Unit
    state: SpaceState
    fingerprint: str
    attempts: int = 0

    @property
    def embedder_id(self) -> str:
        """By whom the space is embedded."""
        return self.state.embedder_id

    @property
    def vector_spaces(self) -> tuple[str, ...]:
        """The space alone: what somebody said serves nobody else."""
        return (self.unit.space,)


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedJob(TalkJob):
    """A job that makes no memory to be searched: what it makes rests on turns, which are in memory."""

    @property
    def memories(self) -> tuple[Memory, ...]:
        """None."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """None: every text is a span of a turn, which has its vector."""
        return _NOTHING
