"""Who was there, guessed from the text alone, held against notes of who is there by paragraph."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from kataribe.domain.evidence import AudienceMode, Holding
from kataribe.domain.memory import Draft
from kataribe.domain.story.derive import cast_by
from kataribe.domain.story.folder import EpisodeRow, StoryFolder
from kataribe.domain.story.inputs import Annotations, Character
from kataribe.domain.text.paragraphs import Span, given_paragraphs, paragraphs
from kataribe.errors import FormatError, InputError
from kataribe.formats.castfile import read_cast
from kataribe.formats.detect import told_language
from kataribe.formats.fields import Fields
from kataribe.formats.folder import read_folder
from kataribe.formats.jsonl import parse_line, read_bytes, split_lines
from kataribe.formats.wire.bench import HolderFigureJson
from kataribe.ports import Extractor, Source

NOTES = "presence.jsonl"
_CAST = "cast.json"
ALL = "all"
"""The name of the row that sums up every kind of evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedRun:
    """Those who are there in the paragraphs `first` to `last` of an episode, by id, both inclusive."""

    no: int
    first: str
    last: str
    present: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedWork:
    """A work with notes of who is there."""

    name: str
    folder: StoryFolder
    cast: tuple[Character, ...]
    runs: tuple[NotedRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceFigures:
    """How right the guesses were: pairs of a sentence and a holder, for one mode and one evidence.

    `noted` counts the pairs that the notes hold (0 for one kind of evidence: notes name none),
    `waiting` the sentences that nobody is given, `missed` those of them that somebody holds.
    """

    work: str
    mode: str
    evidence: str
    episode: int | None
    sentences: int
    guessed: int
    right: int
    noted: int
    waiting: int
    missed: int
    to_world: int

    @property
    def precision(self) -> float:
        """The share of the guessed pairs that the notes hold; 1 where nothing was guessed."""
        return self.right / self.guessed if self.guessed else 1.0

    @property
    def recall(self) -> float:
        """The share of the noted pairs that were guessed; 1 where none is noted."""
        return self.right / self.noted if self.noted else 1.0

    def as_json(self) -> HolderFigureJson:
        """Give it as a JSON object."""
        found: Any = {**asdict(self), "precision": self.precision, "recall": self.recall}
        figure: HolderFigureJson = found
        return figure


@dataclass(frozen=True, slots=True)
class GuessedPair:
    """A guess for one sentence of an episode, and whether the notes say so."""

    no: int
    paragraph: str
    start: int
    holding: Holding
    is_right: bool


@dataclass(slots=True)
class JudgedWork:
    """Every sentence of the noted paragraphs: who is noted, and every guess with its verdict."""

    name: str
    noted: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    pairs: list[GuessedPair] = field(default_factory=list)
    to_world: dict[tuple[int, int], bool] = field(default_factory=dict)


def noted_works(data: Path, notes: Path | None = None) -> tuple[NotedWork, ...]:
    """Read the works that `data` is or holds; `notes` has a folder for each that lacks its own.

    Raises `InputError` when none has notes, and `FormatError` for what is malformed.
    """
    folders = [data, *sorted(path for path in data.iterdir() if path.is_dir())] if data.is_dir() else []
    found = [
        work
        for path in folders
        if (path / "episodes.jsonl").exists() and (work := _work(path, notes)) is not None
    ]
    if not found:
        raise InputError(
            f"there is no story with a {NOTES} and a {_CAST} in {data}; "
            f"give a folder that holds one, or their folder with --notes"
        )
    return tuple(found)


def judge(work: NotedWork, extractor: Extractor) -> JudgedWork:
    """Read every episode of a work and hold each guess against the notes; what has none is not judged."""
    judged = JudgedWork(work.name)
    by_episode: defaultdict[int, list[NotedRun]] = defaultdict(list)
    for run in work.runs:
        by_episode[run.no].append(run)
    for row in work.folder.episodes:
        source, named = _source(work, row)
        drafts = asyncio.run(extractor.extract(source)).drafts
        there = _by_paragraph(row.no, [name for name, _ in named], by_episode[row.no])
        for draft in drafts:
            name = _paragraph_of(draft, named)
            if name in there:
                _judge(judged, row.no, (name, there[name]), draft)
    return judged


def figures(judged: JudgedWork) -> Iterator[PresenceFigures]:
    """Sum up a work: for each mode the whole, each kind of evidence and each episode."""
    for mode in AudienceMode:
        pairs = [pair for pair in judged.pairs if pair.holding.confidence >= mode.minimum]
        yield _figures(judged, mode, ALL, pairs, judged.noted)
        for kind in sorted({pair.holding.evidence.value for pair in pairs}):
            own = [pair for pair in pairs if pair.holding.evidence.value == kind]
            yield replace(_figures(judged, mode, kind, own, judged.noted), noted=0)
        for no in sorted({no for no, _ in judged.noted}):
            own = [pair for pair in pairs if pair.no == no]
            noted = {place: who for place, who in judged.noted.items() if place[0] == no}
            yield replace(_figures(judged, mode, ALL, own, noted), episode=no)


def _figures(
    judged: JudgedWork,
    mode: AudienceMode,
    evidence: str,
    pairs: Sequence[GuessedPair],
    noted: Mapping[tuple[int, int], frozenset[str]],
) -> PresenceFigures:
    given = {(pair.no, pair.start) for pair in pairs}
    waiting = [place for place in noted if place not in given]
    return PresenceFigures(
        work=judged.name,
        mode=mode.value,
        evidence=evidence,
        episode=None,
        sentences=len(noted),
        guessed=len(pairs),
        right=sum(pair.is_right for pair in pairs),
        noted=sum(map(len, noted.values())),
        waiting=len(waiting),
        missed=sum(bool(noted[place]) for place in waiting),
        to_world=sum(judged.to_world[place] for place in noted),
    )


def _judge(judged: JudgedWork, no: int, where: tuple[str, frozenset[str]], draft: Draft) -> None:
    paragraph, present = where
    judged.noted[no, draft.start] = present
    judged.to_world[no, draft.start] = draft.audience.world
    for holding in draft.holdings:
        pair = GuessedPair(no, paragraph, draft.start, holding, holding.holder in present)
        judged.pairs.append(pair)


def _work(path: Path, notes: Path | None) -> NotedWork | None:
    name = path.resolve().name
    beside = [path] if notes is None else [path, notes / name]
    cast = next((each / _CAST for each in beside if (each / _CAST).exists()), None)
    runs = next((each / NOTES for each in beside if (each / NOTES).exists()), None)
    if cast is None or runs is None:
        return None
    told = tuple(read_cast(cast))
    return NotedWork(name=name, folder=read_folder(path, facts=False), cast=told, runs=tuple(_runs(runs)))


def _runs(path: Path) -> Iterator[NotedRun]:
    for line, offset, raw in split_lines(read_bytes(path)):
        values = parse_line(raw, path.name, line=line, offset=offset)
        if values is None:
            continue
        fields = Fields(values, file=path.name, line=line)
        present = fields.items("present")
        if present is None or not all(isinstance(one, str) for one in present):
            raise FormatError("present must be a list of ids", file=path.name, line=line)
        yield NotedRun(
            no=fields.number("episode_no"),
            first=fields.text("from"),
            last=fields.text("to"),
            present=frozenset(map(str, present)),
        )


def _source(work: NotedWork, row: EpisodeRow) -> tuple[Source, list[tuple[str, Span]]]:
    """Give an episode as an extractor is handed it, and its paragraphs by id."""
    if row.paragraphs is None:
        spans = paragraphs(row.text)
        names = [f"{row.no}-{number}" for number in range(1, len(spans) + 1)]
    else:
        spans = given_paragraphs(row.text, [text for _, text in row.paragraphs])
        names = [name for name, _ in row.paragraphs]
    source = Source(
        text=row.text,
        language=work.folder.language or told_language(work.folder.episodes[0].text),
        cast=cast_by(work.cast, row.no),
        annotations=Annotations(),
        paragraphs=spans,
    )
    return source, list(zip(names, spans, strict=True))


def _by_paragraph(no: int, names: Sequence[str], runs: Iterable[NotedRun]) -> dict[str, frozenset[str]]:
    places = {name: place for place, name in enumerate(names)}
    found: dict[str, frozenset[str]] = {}
    for run in runs:
        for end in (run.first, run.last):
            if end not in places:
                raise InputError(f"{NOTES}: episode {no} has no paragraph {end!r}")
        for place in range(places[run.first], places[run.last] + 1):
            found[names[place]] = run.present
    return found


def _paragraph_of(draft: Draft, named: Sequence[tuple[str, Span]]) -> str:
    return next((name for name, (start, end) in named if start <= draft.start < end), "")
