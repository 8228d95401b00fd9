"""How the shipped minimum similarities are made: which cosine keeps the evidence, per embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kataribe.bench.folders import bundled, outside, outside_root
from kataribe.bench.rows import BenchRow
from kataribe.bench.workspace import Stage
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.memory import Hit, Kind
from kataribe.domain.recall.calibration import (
    LEAST,
    TOP,
    Labelled,
    Seen,
    Separation,
    is_enough,
    minimum_similarity,
    seen_of,
    separate,
)
from kataribe.domain.terms import LANGUAGES, Language
from kataribe.engine import Services
from kataribe.errors import MissingExtraError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.labels import read_gold, read_qa
from kataribe.wiring import DEFAULT_EMBEDDERS, LEXICAL_EMBEDDER, default_services, embedder_names
from kataribe.wiring import open as open_store

_BEGIN = datetime(2022, 1, 1, tzinfo=UTC)
"""When a conversation begins whose first turn has no time."""
_SESSION = "%I:%M %p on %d %B, %Y"
"""How LoCoMo writes when a session was held."""

_READ_BY: Mapping[str, tuple[Language, ...]] = {"minilm": ("en",)}
"""The languages of embedders that do not read all."""

TALKS: Sequence[tuple[str, str, str, str, str, Language]] = (
    ("locomo", "turns.jsonl", "conv", "dia_id", "image_caption", "en"),
    ("ja-realpersonachat", "utterances.jsonl", "pair", "utt_id", "caption", "ja"),
)
"""Folders of conversations: the file, and its fields for conversation, id and caption."""

HELD_BACK = frozenset({"conv-41", "en-jekyll-hyde", "ja-ginga-tetsudo"})
"""Conversations and stories that no minimum is chosen on: they are what it is tried on."""
ALONE = frozenset({"AA-AI"})
"""A conversation that has no other beside it: every third of its questions is held back."""

Asked = list[list[Seen]]
"""For each labelled question that finds its evidence, its hits."""
Samples = dict[tuple[str, Kind], dict[str, Asked]]
"""By embedder id and kind, then by the conversation or story that was asked about."""


Unanswered = dict[tuple[str, Kind], list[Hit]]
"""By embedder id and kind: the hits of questions that nothing the viewer may know answers."""


def parted(samples: Mapping[str, Asked]) -> tuple[Asked, Asked]:
    """Part questions into those a minimum is chosen on and those it is tried on."""
    chosen: Asked = []
    held: Asked = []
    for name, asked in samples.items():
        if name in HELD_BACK:
            held += asked
        elif name in ALONE:
            chosen += [one for at, one in enumerate(asked) if at % 3 != 2]
            held += asked[2::3]
        else:
            chosen += asked
    return chosen, held


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Give the minimum of each embedder and kind, and what it keeps and leaves out.

    A minimum is chosen on some conversations and stories and tried on others (`HELD_BACK`), and
    so is the one that ships.
    """
    parts = default_services()
    samples: Samples = {}
    unanswered: Unanswered = {}
    with bundled() as own:
        for folder in (*own, *outside()):
            _add_story(stage, parts, folder, samples, unanswered)
    for talk in TALKS:
        _add_talk(stage, parts, talk, samples)
    for (embedder_id, kind), by_name in sorted(samples.items()):
        what = f"{embedder_id.split('-')[0]}, {kind.value}"
        yield from _rows(what, kind, *parted(by_name), shipped=minimum_similarity(embedder_id, kind))
    for (embedder_id, kind), hits in sorted(unanswered.items()):
        what = f"{embedder_id.split('-')[0]}, {kind.value}: left out, nothing answers"
        least = minimum_similarity(embedder_id, kind)
        out = sum(not is_enough(one.parts["similarity"], one.parts, least) for one in hits)
        yield _row(f"{what}, of {len(hits)}", out / len(hits), "share")


def _rows(
    what: str,
    kind: Kind,
    asked: Sequence[Sequence[Seen]],
    held: Sequence[Sequence[Seen]],
    *,
    shipped: float | None,
) -> Iterator[BenchRow]:
    if len(asked) < LEAST:
        yield _row(f"{what}: questions, too few", len(asked), "")
        return
    whole = separate(kind, _flat(asked))
    yield _row(f"{what}: minimum, chosen on {len(asked)} questions", whole.minimum, "cosine")
    yield from _shares(f"{what}: chosen on", whole)
    for name, spread in (("evidence", whole.spread), ("others", whole.other_spread)):
        for share, cosine in zip((5, 50, 95), spread, strict=True):
            yield _row(f"{what}: {name}, {share} % are below", cosine, "cosine")
    yield from _shares(f"{what}: tried on {len(held)}", _judged(kind, _flat(held), whole.minimum))
    if shipped is not None:
        yield _row(f"{what}: minimum that ships", shipped, "cosine")
        yield from _shares(f"{what}: that ships, chosen on", _judged(kind, _flat(asked), shipped))
        yield from _shares(f"{what}: that ships, tried on {len(held)}", _judged(kind, _flat(held), shipped))


def _shares(what: str, judged: Separation) -> Iterator[BenchRow]:
    yield _row(f"{what}: evidence kept, of {judged.evidence}", judged.kept, "share")
    yield _row(f"{what}: others left out, of {judged.others}", judged.removed, "share")


def _judged(kind: Kind, seen: Sequence[Seen], minimum: float) -> Separation:
    evidence = [is_enough(one.similarity, one.parts, minimum) for one in seen if one.is_evidence]
    others = [is_enough(one.similarity, one.parts, minimum) for one in seen if not one.is_evidence]
    return replace(
        separate(kind, seen),
        minimum=minimum,
        kept=sum(evidence) / max(len(evidence), 1),
        removed=1 - sum(others) / max(len(others), 1),
    )


def _flat(asked: Sequence[Sequence[Seen]]) -> list[Seen]:
    return [one for hits in asked for one in hits]


def _row(what: str, value: float, unit: str) -> BenchRow:
    return BenchRow(bench="calibration", what=what, value=value, unit=unit)


def _add_story(stage: Stage, parts: Services, folder: Path, samples: Samples, unanswered: Unanswered) -> None:
    questions = read_gold(folder / "gold.jsonl")
    for embedder in (None, *_more()):
        with open_store(str(stage.path()), services=parts) as store:
            try:
                store.story("s").import_folder(folder, only="facts", embedder=embedder)
            except MissingExtraError as error:
                stage.left_out.append(f"calibration on {folder.name}: {error}")
                continue
            if store.story("s").info().language not in _READ_BY.get(embedder or "", LANGUAGES):
                continue
            store.story("s").sync()
            _add(store, samples, questions, unanswered, folder.name, story_id="s")


def _add_talk(
    stage: Stage, parts: Services, talk: tuple[str, str, str, str, str, Language], samples: Samples
) -> None:
    name, file, of, turn_id, caption, language = talk
    folder = outside_root() / name
    if not (folder / file).exists():
        stage.left_out.append(f"calibration on {name}: it is not in KATARIBE_TEST_DATA")
        return
    rows = [json.loads(line) for line in (folder / file).read_text("utf-8").split("\n") if line.strip()]
    asked = {str(json.loads(line)[of]) for line in (folder / "qa.jsonl").read_text("utf-8").splitlines()}
    for embedder in _embedders(stage, parts, language):
        for conversation in sorted(asked):
            said = [row for row in rows if row[of] == conversation]
            turns = [
                turn_of(row, when, turn_id, caption) for row, when in zip(said, times_of(said), strict=True)
            ]
            with open_store(str(stage.path()), services=parts) as store:
                store.user("u").create(language=language, embedder=embedder)
                store.user("u").put_turns(turns)
                store.user("u").sync()
                questions = read_qa(folder / "qa.jsonl", conversation=conversation)
                _add(store, samples, questions, {}, conversation, user="u")


def times_of(said: Sequence[dict[str, object]]) -> Iterator[datetime]:
    """Give when each turn was said: as written, a millisecond after the one before where nothing is."""
    last, written = _BEGIN, None
    for row in said:
        told = row.get("timestamp") or row.get("date_time")
        if isinstance(told, str) and told != written:
            is_session = " on " in told
            read = datetime.strptime(told, _SESSION) if is_session else datetime.fromisoformat(told)
            written, last = told, read if read.tzinfo else read.replace(tzinfo=UTC)
        else:
            last += timedelta(milliseconds=1)
        yield last


def turn_of(row: dict[str, object], when: datetime, turn_id: str, caption: str) -> Turn:
    """Give a row of a conversation as a turn said at a moment."""
    shown = row.get(caption)
    return Turn(
        turn_id=str(row[turn_id]),
        session=str(row["session"]),
        speaker=str(row["speaker"]),
        text=str(row["text"]),
        time=when,
        caption=None if shown is None else str(shown),
    )


def _more() -> tuple[str, ...]:
    """Name what is measured beside the default of a language, as far as this version has it."""
    return tuple(name for name in (LEXICAL_EMBEDDER, *_READ_BY) if name in embedder_names())


def _embedders(stage: Stage, parts: Services, language: Language) -> Iterator[str]:
    more = (name for name in _more() if language in _READ_BY.get(name, LANGUAGES))
    for name in (DEFAULT_EMBEDDERS[language], *more):
        try:
            parts.embedder(name)
        except MissingExtraError as error:
            stage.left_out.append(f"calibration of {name}: {error}")
            continue
        yield name


def _add(
    store: Kataribe,
    samples: Samples,
    questions: Sequence[Labelled],
    unanswered: Unanswered,
    name: str,
    *,
    story_id: str | None = None,
    user: str | None = None,
) -> None:
    home = store.story(story_id).info() if story_id is not None else store.user(user or "").info()
    kind = Kind.FACT if story_id is not None else Kind.TURN
    for one in questions:
        found = store.recall(
            one.question, story=story_id, user=user, persona=one.character, at=one.at, top_k=TOP
        )
        if not (one.evidence or one.keys or one.episodes):
            unanswered.setdefault((home.embedder_id, kind), []).extend(found.hits)
        elif seen := seen_of(one, found.hits):
            samples.setdefault((home.embedder_id, kind), {}).setdefault(name, []).append(seen)
