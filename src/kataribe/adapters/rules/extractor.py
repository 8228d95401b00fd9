"""The extractor by rule; how it reads a text is loaded when there is one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kataribe.domain.memory import NO_USAGE, Extraction, Usage
from kataribe.ports import Source

EXTRACTOR_ID = "rules-3"
_READER = "kataribe.adapters.rules.drafts"


class RulesExtractor:
    """Makes a fact of every sentence; guesses its audience where the author said nothing.

    The same text always gives the same facts. Nothing is ever guessed to be the world's.
    """

    @property
    def extractor_id(self) -> str:
        """Name and version; a new one makes extracted episodes stale."""
        return EXTRACTOR_ID

    def estimate(self, source: Source) -> Usage:  # noqa: ARG002 - the same for every text
        """Nothing: no model is asked."""
        return NO_USAGE

    async def extract(self, source: Source) -> Extraction:
        """Find the facts, in the order of the text; raise `ExtractionError` for a malformed mark."""
        # Every store that is opened asks for the id above, and hardly any command reads a text.
        reader: Any = import_module(_READER)
        found: Extraction = reader.extraction_of(source)
        return found
