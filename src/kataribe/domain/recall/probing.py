"""Judging a recall against a probe: is what was wanted near the top, and did anything leak?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.memory import FactHit, Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question with what it must and must not bring up.

    `wanted` holds episode numbers and key strings, any of which is enough (empty: nothing is
    known, and nothing forbidden may come); `forbidden` holds key strings.
    """

    qid: str
    question: str
    character: str
    episode_no: int
    wanted: tuple[int | str, ...]
    forbidden: tuple[str, ...]
    mode: str = "both"


def rank_of_wanted(
    probe: Probe, hits: Sequence[Hit], *, words_only: bool = False, around: bool = False
) -> int | None:
    """Give the 1-based rank of the first hit with a wanted key; None when there is none.

    A word of the text or quote counts; an episode's number counts too unless `words_only`, and so does
    a word of what stands around the hit where `around` says so.
    """
    for rank, hit in enumerate(hits, start=1):
        numbers = set() if words_only or not isinstance(hit, FactHit) else {hit.episode_no}
        words = words_around(hit) if around else hit.words
        if any(key in words if isinstance(key, str) else key in numbers for key in probe.wanted):
            return rank
    return None


def words_around(hit: Hit) -> str:
    """Give all that is shown of a hit, and what stands around it on a line of its own."""
    return hit.words if not isinstance(hit, FactHit) else f"{hit.words}\n{hit.around or ''}"


def leaks(probe: Probe, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Give the hits that show a forbidden word or come from the probe's episode or a later one."""
    return tuple(
        hit
        for hit in hits
        if (isinstance(hit, FactHit) and hit.episode_no >= probe.episode_no)
        or any(word in words_around(hit) for word in probe.forbidden)
    )
