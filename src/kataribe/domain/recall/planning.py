"""What a question is after: the plan of a search, and what models give back about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.memory import NO_USAGE, Usage


class Intent(StrEnum):
    """What a question is after (S4-84)."""

    EMOTIONAL = "emotional"
    FACTUAL = "factual"
    TECHNICAL = "technical"
    TEMPORAL = "temporal"
    RELATIONAL = "relational"


MAX_KEYWORDS = 3
"""Distinctive keywords of one plan at most (S4-68)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """What to look for, or that nothing needs to be looked for.

    `terms` are words and phrases beside the question's own, synonyms included; `keywords` are
    0 to 3 proper nouns or phrases to be found exactly; `detected` tells whether the intent was
    found in the question, else it is what is taken when there is nothing to tell by; `note` says
    why `made_by` is not who was asked.
    """

    needed: bool = True
    terms: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    intent: Intent = Intent.FACTUAL
    detected: bool = False
    made_by: str = "rules"
    note: str | None = None
    usage: Usage = NO_USAGE

    @property
    def why_not(self) -> str | None:
        """Why nothing is to be searched for; None when something is."""
        if self.needed:
            return None
        return self.note or f"nothing needs to be remembered for this, says {self.made_by}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A memory as a model is shown it: an id to refer to, where it is from, and its words."""

    id: str
    text: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A model's answer, the ids of the evidence it used, and what it cost."""

    text: str
    used: tuple[str, ...]
    usage: Usage = NO_USAGE
