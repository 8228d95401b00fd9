"""A fact as the checks look at it."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.domain.evidence import is_guess
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Reason
from kataribe.domain.story.views import Share
from kataribe.domain.terms import FactOrigin


@dataclass(slots=True, kw_only=True)
class HeldFact:
    """A fact in memory with everybody who holds it."""

    fact_id: str
    episode_no: int
    text: str
    origin: FactOrigin
    holders: set[str]
    quote: str | None
    quote_no: int | None
    supersedes: str | None
    told_from: str | None
    is_guessed: bool
    """Whether one of its holders, or more, was guessed."""
    is_declared: bool
    """Whether the author said who holds it: supplied, by hand, or by a mark; else it was guessed."""

    @staticmethod
    def of(no: int, share: Share) -> HeldFact:
        """Make it of its first copy."""
        return HeldFact(
            fact_id=share.fact_id,
            episode_no=no,
            text=share.text,
            origin=share.origin,
            holders={share.holder},
            # A quote of its own episode is held against the text when memory is made.
            quote=share.quote,
            quote_no=share.quote_no,
            supersedes=share.supersedes,
            told_from=share.told_from,
            is_guessed=is_guess(share.evidence),
            is_declared=share.origin is not FactOrigin.EXTRACTED or share.reason is Reason.ANNOTATION,
        )

    def add(self, share: Share) -> None:
        """Take another copy of it in."""
        self.holders.add(share.holder)
        self.is_guessed = self.is_guessed or is_guess(share.evidence)

    @property
    def is_public(self) -> bool:
        """Whether everybody holds it."""
        return WORLD in self.holders

    def meets(self, other: HeldFact) -> bool:
        """Whether somebody can know both."""
        return self.is_public or other.is_public or not self.holders.isdisjoint(other.holders)
