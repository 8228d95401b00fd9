"""A summarizer that follows a plain rule, in the place of a model: nothing is sent anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedItem,
    OfferedSummary,
    ThreadText,
)
from kataribe.domain.memory import NO_USAGE, Usage
from kataribe.errors import ExtractionError, KataribeError, withheld

NOTED = re.compile(r"[^\W_]{3,}|[一-鿿ァ-ヺー]+")
ONE_CALL = Usage(calls=1, input_tokens=100, output_tokens=10)


def note_each(thread: ThreadText) -> OfferedSummary:
    """Give an item of every turn, and one of the first and the last together."""
    items = [
        OfferedItem(
            text=f"{line.speaker}: {' '.join(sorted(NOTED.findall(line.text)))}"[: thread.most],
            topic=(NOTED.findall(line.text) or [""])[-1],
            sources=(line.turn_id,),
            pii="@" in line.text,
            emotion="joy" if "!" in line.text or "！" in line.text else "neutral",
            intensity=1.0,
        )
        for line in thread.lines
    ]
    if len(thread.lines) > 1:
        ends = (thread.lines[0], thread.lines[-1])
        both = " / ".join(" ".join(NOTED.findall(one.text)) for one in ends)
        items.append(
            OfferedItem(text=both[: thread.most], topic="both", sources=tuple(one.turn_id for one in ends))
        )
    words = sorted({word for line in thread.lines for word in NOTED.findall(line.text)})
    return OfferedSummary(items=tuple(items), keywords=tuple(words), usage=ONE_CALL)


def none_contradicts(newer: NewerWords) -> OfferedContradictions:
    """Find no contradiction."""
    return OfferedContradictions(usage=ONE_CALL)


class ScriptedSummarizer:
    """Answers by functions, fails as long as it is `down`, and keeps what it was asked."""

    def __init__(
        self,
        sums: Callable[[ThreadText], OfferedSummary] = note_each,
        contradicts: Callable[[NewerWords], OfferedContradictions] = none_contradicts,
        *,
        name: str = "scripted-1",
    ) -> None:
        self.sums = sums
        self.contradicts = contradicts
        self.name = name
        self.down: KataribeError | None = None
        self.threads: list[ThreadText] = []
        self.newer: list[NewerWords] = []

    @property
    def summarizer_id(self) -> str:
        """Its name."""
        return self.name

    def fails(self) -> None:
        """Fail from now on."""
        self.down = ExtractionError(f"the model did not answer: {withheld('', 'down for the week')}")

    @property
    def shown(self) -> str:
        """All that it was ever shown."""
        return repr((self.threads, self.newer))

    async def sum_up(self, thread: ThreadText) -> OfferedSummary:
        """Sum up by the function."""
        if self.down is not None:
            raise self.down
        self.threads.append(thread)
        return self.sums(thread)

    async def contradicted(self, newer: NewerWords) -> OfferedContradictions:
        """Compare by the function."""
        if self.down is not None:
            raise self.down
        self.newer.append(newer)
        return self.contradicts(newer)

    def estimate(self, asked: ThreadText | NewerWords) -> Usage:
        """Guess one call."""
        return ONE_CALL if self.down is None else NO_USAGE
