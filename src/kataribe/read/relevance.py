"""How relevant one memory is to a question: asked of those that are shown, and of none besides."""

from __future__ import annotations

from kataribe.domain.recall.relevance import cues, model_for
from kataribe.ports.kinds import Home


def relevance_of(
    home: Home, question: str, text: str, *, similarity: float, speaker: str | None
) -> float | None:
    """Give the relevance of a memory of this home, 0 to 1; None where nobody measured its embedder."""
    model = model_for(home.built_with.embedder_id, home.lending.kind, home.language)
    if model is None:
        return None
    return model.relevance(cues(question, text, home.language, similarity=similarity, speaker=speaker))
