"""Drafts by rule: sentences in, facts with an audience out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kataribe.adapters.rules.holdings import StagedScene
from kataribe.adapters.rules.names import Names
from kataribe.adapters.rules.narrators import first_person_teller, unnamed_narrator
from kataribe.adapters.rules.passages import QuotedPassage, read_passage
from kataribe.adapters.rules.scenes import Guess
from kataribe.adapters.tellers import is_border, named_tellers
from kataribe.adapters.written import read_written
from kataribe.domain.evidence import Holding
from kataribe.domain.memory import Draft, Extraction, Reason
from kataribe.domain.story.audience import Verdict, decide, is_marked
from kataribe.domain.terms import PUBLIC
from kataribe.domain.text.paragraphs import Span, sentences
from kataribe.errors import ExtractionError, InputError
from kataribe.ports import Source

_SAYS_SOMETHING = re.compile(r"[^\W_]")


def extraction_of(source: Source) -> Extraction:
    """Find the facts, in the order of the text; raise `ExtractionError` for a malformed mark."""
    try:
        texts = [source.text[start:end] for start, end in source.paragraphs]
        verdicts = decide(texts, source.annotations)
        marked = is_marked(source.text)
    except InputError as error:
        raise ExtractionError(str(error)) from error
    written = read_written(source, verdicts)
    if source.is_open and not (source.cast or source.annotations.rows or marked):
        return Extraction(drafts=tuple(written.drafts(_public(written.source))))
    drafts = tuple(written.drafts(_drafts(written.source, written.verdicts)))
    return Extraction(drafts=drafts, unnamed=unnamed_narrator(source))


def _public(source: Source) -> Iterator[Draft]:
    """Every sentence, for everybody: the story keeps no secrets."""
    for start, end in source.paragraphs:
        if not is_border(source.text[start:end]):
            for span in sentences(source.text, start, end, source.language):
                yield from _draft(source.text, span, Guess(PUBLIC, Reason.NO_CAST))


def _drafts(source: Source, verdicts: Sequence[Verdict]) -> Iterator[Draft]:
    names = Names(source.cast)
    tellers = named_tellers(source)
    scenes = [list(_passages(source, verdicts, names, numbers)) for numbers in _scenes(source)]
    unnamed = first_person_teller([passage for scene in scenes for _, passage in scene])
    for scene in scenes:
        told = [tellers[number] if tellers[number].who else unnamed for number, _ in scene]
        stage = StagedScene([passage for _, passage in scene], told, source.cast)
        for index, (number, passage) in enumerate(scene):
            yield from _passage_drafts(stage, index, passage, verdicts[number])


def _passages(
    source: Source, verdicts: Sequence[Verdict], names: Names, numbers: Sequence[int]
) -> Iterator[tuple[int, QuotedPassage]]:
    for number in numbers:
        span = _unmarked(source, number, verdicts[number])
        if span[0] < span[1]:
            yield number, read_passage(source.text, span, source.language, names.find(source.text, *span))


def _passage_drafts(
    stage: StagedScene, index: int, passage: QuotedPassage, verdict: Verdict
) -> Iterator[Draft]:
    for span in passage.sentences:
        holdings: tuple[Holding, ...] = ()
        if verdict.audience is not None:
            guess = Guess(verdict.audience, Reason.ANNOTATION)
        else:
            guess, holdings = stage.guess(index, passage, span)
        if verdict.changed:
            guess = Guess(guess.audience, Reason.CHANGED)
        yield from _draft(passage.text, span, guess, holdings, flagged=verdict.changed)


def _scenes(source: Source) -> Iterator[list[int]]:
    """The paragraphs of each scene, by number, the breaks between them left out."""
    scene: list[int] = []
    for index, (start, end) in enumerate(source.paragraphs):
        if is_border(source.text[start:end]):
            yield scene
            scene = []
        else:
            scene.append(index)
    yield scene


def _unmarked(source: Source, index: int, verdict: Verdict) -> Span:
    start, end = source.paragraphs[index]
    return start + verdict.skip, end


def _draft(
    text: str, span: Span, guess: Guess, holdings: tuple[Holding, ...] = (), *, flagged: bool = False
) -> Iterator[Draft]:
    """A draft of one sentence, or none when there is no word in it."""
    start, end = span
    if _SAYS_SOMETHING.search(text, start, end):
        yield Draft(
            text=text[start:end],
            start=start,
            end=end,
            audience=guess.audience,
            reason=guess.reason,
            flagged=flagged,
            holdings=holdings,
        )
