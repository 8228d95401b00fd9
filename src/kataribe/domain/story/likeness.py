"""From which cosine on a sentence may be another wording of a secret: it is another one for each embedder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """The least cosine of two sentences as they stand, and of the same without the names in them."""

    whole: float
    bare: float


_MEASURED = (
    ("chive-ja-ginza-", Likeness(whole=0.60, bare=0.60)),
    ("wordllama-", Likeness(whole=0.58, bare=0.55)),
)
"""By the beginning of an embedder's id.

Chosen on twelve secrets a language and another wording of each (`tests/story_checks/secrets.*`), against
the sentences of two novels each that share a name: names make sentences look alike that say nothing alike.
"""


def likeness_of(embedder_id: str) -> Likeness | None:
    """Give the least likeness that is told of; None where nobody measured the embedder."""
    return next((least for begins, least in _MEASURED if embedder_id.startswith(begins)), None)
