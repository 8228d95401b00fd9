"""When a question asks about: dates and episodes in its words become ranges."""

from kataribe.domain.recall.when.asked import AskedWhen, Span, asked_when

__all__ = ["AskedWhen", "Span", "asked_when"]
