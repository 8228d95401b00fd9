"""Natural questions about whole texts: does the sentence that answers one come to the top?"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from kataribe.bench.ablation import story_policies
from kataribe.bench.evaluate import EvaluatedSetting, Say, StoryFigures, opened
from kataribe.bench.evidence import FoundEvidence
from kataribe.bench.qa_sets import rows_of
from kataribe.domain.memory import FactHit
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import FormatError, InputError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.folder import read_folder
from kataribe.wiring import default_services
from kataribe.wiring import open as open_store

MODE = "asked"
_TEXTS = "episodes.jsonl"
_TOP = 5
_ASKED = 10
_READER = "reader"
"""Nobody of the cast, who knows what everybody may know: here all there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpan:
    """A part of an episode's text that answers: characters [begin, end).

    `digest` begins the hash of its words, so that another edition of the text is told.
    """

    episode_no: int
    begin: int
    end: int
    digest: str

    def is_in(self, hit: FactHit) -> bool:
        """Tell whether the sentence of a hit holds some of it."""
        if hit.quote_episode_no != self.episode_no or hit.offsets is None:
            return False
        start, end = hit.offsets
        return start < self.end and self.begin < end

    def stands_in(self, text: str) -> bool:
        """Tell whether these are the words that are meant."""
        return sha256(text[self.begin : self.end].encode()).hexdigest().startswith(self.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """A question and where the text answers it, at least once."""

    question: str
    gold: tuple[AnswerSpan, ...]


def read_asked(path: Path) -> Mapping[str, tuple[TextQuestion, ...]]:
    """Read questions by the work they are about; raise `FormatError` for a line that is none."""
    found: dict[str, list[TextQuestion]] = {}
    for line, values in rows_of(path):
        try:
            asked = _asked(values)
            work = str(values["set"])
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"not a question about a text: {error}", file=path.name, line=line) from error
        found.setdefault(work, []).append(asked)
    return {work: tuple(about) for work, about in found.items()}


def _asked(values: Mapping[str, object]) -> TextQuestion:
    gold = values["gold"]
    if not isinstance(gold, list) or not gold:
        raise ValueError("gold must be a list of spans, at least one")
    return TextQuestion(question=str(values["question"]), gold=tuple(_span(one) for one in gold))


def _span(values: Mapping[str, object]) -> AnswerSpan:
    no, begin, end = (int(str(values[name])) for name in ("episode_no", "begin", "end"))
    return AnswerSpan(episode_no=no, begin=begin, end=end, digest=str(values["hash"]))


def asked_of_texts(data: Path, questions: Path, choice: EvaluatedSetting, say: Say) -> Iterator[StoryFigures]:
    """Ask of each work in `data` what `questions` ask of it: of its episodes alone, open to everybody.

    Raises `InputError` for a work that is not there, or is another edition than was asked about.
    """
    for work, about in sorted(read_asked(questions).items()):
        with TemporaryDirectory(prefix="kataribe-bench-") as scratch:
            texts = _texts_alone(data, work, Path(scratch))
            yield from _of_work(work, texts, about, choice, say)


def _texts_alone(data: Path, work: str, scratch: Path) -> Path:
    """Copy the texts of a work without its cast and secrets; `data` is its folder or holds it."""
    for folder in (data / work, data):
        if folder.name == work and (folder / _TEXTS).exists():
            alone = scratch / work
            alone.mkdir()
            shutil.copyfile(folder / _TEXTS, alone / _TEXTS)
            return alone
    raise InputError(f"there is no {work}/{_TEXTS} in {data}, which the questions are about")


def _of_work(
    work: str, texts: Path, about: Sequence[TextQuestion], choice: EvaluatedSetting, say: Say
) -> Iterator[StoryFigures]:
    numbers = _checked(work, texts, about)
    parts, path = default_services(), texts.parent / "asked.db"
    say(f"remembering {work}")
    with open_store(str(path), services=parts) as store:
        store.story("s").import_folder(texts, embedder=choice.embedder)
        store.story("s").sync()
    for setting, (policy, planner) in choice.settings(story_policies).items():
        with opened(path, parts, policy) as store:
            yield _figure(work, setting, _found(store, about, planner, at=max(numbers) + 1))


def _checked(work: str, texts: Path, about: Sequence[TextQuestion]) -> Sequence[int]:
    """Give the numbers of the episodes, in which all that is asked about must stand."""
    told = {one.no: one.text for one in read_folder(texts).episodes}
    for one in about:
        if not all(span.stands_in(told.get(span.episode_no, "")) for span in one.gold):
            raise InputError(f"the text of {work} is not the one asked about: {one.question!r}")
    return tuple(told)


@dataclass(slots=True)
class _Ranks:
    ranks: list[int | None]
    times: FoundEvidence


def _found(store: Kataribe, about: Sequence[TextQuestion], planner: str, *, at: int) -> _Ranks:
    found, viewer = _Ranks([], FoundEvidence()), ViewerKeys(story="s", persona=_READER, at=at)
    for one in about:
        begun = perf_counter()
        hits = store.recall(one.question, planner=planner, top_k=_ASKED, **viewer).hits
        found.times.milliseconds.append((perf_counter() - begun) * 1000)
        is_right = [isinstance(hit, FactHit) and any(span.is_in(hit) for span in one.gold) for hit in hits]
        found.ranks.append(next((rank for rank, right in enumerate(is_right, start=1) if right), None))
    return found


def _figure(work: str, setting: str, found: _Ranks) -> StoryFigures:
    of = len(found.ranks)
    top_5 = round(sum(rank is not None and rank <= _TOP for rank in found.ranks) / of, 4)
    return StoryFigures(
        setting=setting,
        story=work,
        mode=MODE,
        probes=of,
        leaks=0,
        wanted=of,
        top_1=round(found.ranks.count(1) / of, 4),
        top_5=top_5,
        by_words=top_5,
        # What answers is a place, which stands in the hit itself or not at all.
        around=top_5,
        mrr=round(sum(1 / rank for rank in found.ranks if rank) / of, 4),
        ms=round(found.times.median_ms, 3),
    )
