"""The numbers by which activation spreads over what goes with what."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.errors import InputError

MAX_HOPS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationPolicy:
    """How activation spreads; `docs/associations.md` has the formula.

    - `together`, `after`, `before`, `effect`, `cause`: the weight of an edge to what was named in the
      same turn, in the next and in the last turn of the session, to what comes of it and to what it
      comes of.
    - `decay`: what is left of activation from one hop to the next, above 0 and below 1.
    - `fan`: through how many of its turns, the newest, a node hands activation on.
    - `breadth`: how many nodes, the most active, hand it on at each hop.
    - `least`: activation below which a node hands nothing on.
    - `common`, `many`: a node named in more than one in `common` of at least `many` turns hands nothing
      on, unless it was asked for.
    """

    together: float = 1.0
    after: float = 0.25
    before: float = 0.25
    effect: float = 1.0
    cause: float = 1.0
    decay: float = 0.5
    fan: int = 32
    breadth: int = 32
    least: float = 0.0001
    common: int = 10
    many: int = 30

    def __post_init__(self) -> None:
        if not 0 < self.decay < 1:
            raise InputError("decay must be above 0 and below 1: activation that does not shrink never ends")
        if min(self.together, self.after, self.before, self.effect, self.cause, self.least) < 0:
            raise InputError("the weight of an edge must be 0 or more")
        if min(self.fan, self.breadth, self.common, self.many) < 1:
            raise InputError("fan, breadth, common and many must be 1 or more")


DEFAULT_ASSOCIATIONS = AssociationPolicy()
