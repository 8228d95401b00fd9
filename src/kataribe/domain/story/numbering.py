"""Episode numbers and order keys: numbers are the author's, keys give memories their position.

Keys have gaps, so that inserting and renumbering leave the memories of other episodes alone.
Invariant: over all episodes of a story, deleted ones too, a higher number has a higher key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kataribe.domain.records import EpisodeState

GAP = 2**32


_HIGHEST_NATURAL = 2**30


def key_between(lower: int | None, upper: int | None, *, no: int | None = None) -> int | None:
    """Find a key after `lower` and before `upper` (None: no episode there); None when there is no gap.

    Where it fits, it is the key the number `no` would have in a story without gaps: so that
    episodes which come in any order at all never use a gap up.
    """
    natural = 0 if no is None or no > _HIGHEST_NATURAL else no * GAP
    if (lower or 0) < natural and (upper is None or natural < upper):
        return natural
    if upper is None:
        return GAP if lower is None else lower + GAP
    below = lower or 0
    middle = (below + upper) // 2
    return middle if below < middle < upper else None


def respaced(states: Sequence[EpisodeState]) -> Mapping[str, int]:
    """Give every episode a fresh key, in the order of number and then of its old key."""
    ordered = sorted(states, key=lambda state: (state.no, state.order_key))
    return {state.episode_id: (at + 1) * GAP for at, state in enumerate(ordered)}


def is_ordered(states: Sequence[EpisodeState]) -> bool:
    """Whether keys follow numbers."""
    ordered = sorted(states, key=lambda state: (state.no, state.order_key))
    return all(one.order_key < later.order_key for one, later in pairwise(ordered))
