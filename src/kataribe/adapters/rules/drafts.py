"""Drafts by rule: sentences in, facts with an audience out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kataribe.adapters.rules.names import Names
from kataribe.adapters.rules.passages import QuotedPassage, read_passage
from kataribe.adapters.rules.scenes import Guess, Scene
from kataribe.adapters.written import read_written
from kataribe.domain.memory import Draft, Extraction, Reason
from kataribe.domain.story.audience import Verdict, decide, marks
from kataribe.domain.terms import PUBLIC
from kataribe.domain.text.paragraphs import Span, is_heading, is_scene_break, sentences
from kataribe.errors import ExtractionError, InputError
from kataribe.ports import Source

_SAYS_SOMETHING = re.compile(r"[^\W_]")


def extraction_of(source: Source) -> Extraction:
    """Find the facts, in the order of the text; raise `ExtractionError` for a malformed mark."""
    try:
        texts = [source.text[start:end] for start, end in source.paragraphs]
        verdicts = decide(texts, source.annotations)
        marked = marks(source.text)
    except InputError as error:
        raise ExtractionError(str(error)) from error
    written = read_written(source, verdicts)
    if source.is_open and not (source.cast or source.annotations.rows or marked):
        return Extraction(drafts=tuple(written.drafts(_public(written.source))))
    return Extraction(drafts=tuple(written.drafts(_drafts(written.source, written.verdicts))))


def _public(source: Source) -> Iterator[Draft]:
    """Every sentence, for everybody: the story keeps no secrets."""
    for start, end in source.paragraphs:
        if not _is_border(source.text[start:end]):
            for span in sentences(source.text, start, end, source.language):
                yield from _draft(source.text, span, Guess(PUBLIC, Reason.NO_CAST))


def _drafts(source: Source, verdicts: Sequence[Verdict]) -> Iterator[Draft]:
    names = Names(source.cast)
    for numbers in _scenes(source):
        spans = {number: _unmarked(source, number, verdicts[number]) for number in numbers}
        passages = {
            number: read_passage(source.text, span, source.language, names.find(source.text, *span))
            for number, span in spans.items()
            if span[0] < span[1]
        }
        scene = Scene(tuple(passages.values()))
        for number, passage in passages.items():
            yield from _passage_drafts(scene, passage, verdicts[number])


def _passage_drafts(scene: Scene, passage: QuotedPassage, verdict: Verdict) -> Iterator[Draft]:
    for span in passage.sentences:
        if verdict.audience is not None and not verdict.changed:
            guess = Guess(verdict.audience, Reason.ANNOTATION)
        else:
            guess = scene.guess(passage, span)
        for draft in _draft(passage.text, span, guess):
            if not verdict.changed:
                yield draft
                continue
            audience = verdict.audience if verdict.audience is not None else draft.audience
            yield replace(draft, audience=audience, reason=Reason.CHANGED, flagged=True)


def _scenes(source: Source) -> Iterator[list[int]]:
    """The paragraphs of each scene, by number, the breaks between them left out."""
    scene: list[int] = []
    for index, (start, end) in enumerate(source.paragraphs):
        if _is_border(source.text[start:end]):
            yield scene
            scene = []
        else:
            scene.append(index)
    yield scene


def _is_border(paragraph: str) -> bool:
    """Whether a paragraph only parts scenes: a break, or a heading."""
    return is_scene_break(paragraph) or is_heading(paragraph)


def _unmarked(source: Source, index: int, verdict: Verdict) -> Span:
    start, end = source.paragraphs[index]
    return start + verdict.skip, end


def _draft(text: str, span: Span, guess: Guess) -> Iterator[Draft]:
    """A draft of one sentence, or none when there is no word in it."""
    start, end = span
    if _SAYS_SOMETHING.search(text, start, end):
        yield Draft(text=text[start:end], start=start, end=end, audience=guess.audience, reason=guess.reason)
