"""An episode as it is read, without readings and headings, and the way back to the text as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.markup import PlainText, plain
from kataribe.domain.memory import Draft, Extraction
from kataribe.domain.story.audience import Verdict
from kataribe.domain.text.headings import head_end
from kataribe.ports import Source


@dataclass(frozen=True, slots=True)
class Written:
    """What is read of an episode: `source` and `verdicts` speak of its text without readings.

    Marks of Markdown's emphasis stay in it, for they tell thoughts; a draft's words are without them.
    """

    text: str
    """The text as written."""
    source: Source
    verdicts: tuple[Verdict, ...]
    _without_readings: PlainText
    _plain: PlainText

    def drafts(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Give the drafts with the spans they have in the text as written, and the words that are shown."""
        for draft in drafts:
            start, end = self._without_readings.written(draft.start, draft.end)
            left, right = self._plain.read(draft.start, draft.end)
            words = self._plain.text[left:right].strip()
            if words:
                yield replace(draft, text=words, start=start, end=end)

    def found(self, extraction: Extraction) -> Extraction:
        """Give what a model found with the spans and quotes as written; its own words stay its own."""
        drafts = tuple(
            replace(draft, text=plain(draft.text).text.strip() or draft.text, start=span[0], end=span[1])
            for draft in extraction.drafts
            for span in [self._without_readings.written(draft.start, draft.end)]
        )
        refused = tuple(replace(one, quote=self._quoted(one.quote)) for one in extraction.refused)
        return replace(extraction, drafts=drafts, refused=refused)

    def _quoted(self, quote: str) -> str:
        at = self.source.text.find(quote) if quote else -1
        if at < 0 or self._without_readings.is_same:
            return quote
        start, end = self._without_readings.written(at, at + len(quote))
        return self.text[start:end]


def read_written(source: Source, verdicts: Sequence[Verdict]) -> Written:
    """Take what is not read out of an episode's text.

    A paragraph that is a heading at the head of the text, or nothing but a note, is empty then; the
    paragraphs keep their order and number.
    """
    bare = plain(source.text, emphasis=True)
    head = head_end(source.text)
    spans: list[tuple[int, int]] = []
    decided: list[Verdict] = []
    for (start, end), verdict in zip(source.paragraphs, verdicts, strict=True):
        begin = min(max(start, head), end)
        left, right = _trimmed(bare.text, *bare.read(begin, end))
        skip = max(0, bare.read(begin, max(begin, start + verdict.skip))[1] - left) if verdict.skip else 0
        spans.append((left, right))
        decided.append(replace(verdict, skip=min(skip, right - left)) if verdict.skip else verdict)
    return Written(
        source.text,
        replace(source, text=bare.text, paragraphs=tuple(spans)),
        tuple(decided),
        bare,
        plain(bare.text),
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without the blanks at its ends."""
    words = text[start:end]
    body = words.strip()
    if not body:
        return start, start
    left = start + len(words) - len(words.lstrip())
    return left, left + len(body)
