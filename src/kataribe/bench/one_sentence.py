"""One sentence changed: what is read and embedded again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from kataribe.bench.folders import write_texts
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.sentences import Teller, names
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import CountingExtractor, RandomEmbedder, services
from kataribe.bench.workspace import NAME, Stage
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import default_extractor
from kataribe.wiring import open as open_store

_SENTENCES = 20
_LANGUAGES: tuple[Language, ...] = ("en", "ja")


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Change one sentence of a text story with a cast."""
    for language in _LANGUAGES:
        embedder, extractor = RandomEmbedder(), CountingExtractor(default_extractor())
        with open_store(str(stage.path()), services=services(embedder, extractor)) as store:
            _fill(store, stage.path("-story"), language, stage.sizes.changed_in)
            read, embedded = extractor.calls, embedder.documents
            seconds = _change(store, language, stage.sizes.changed_in)
            yield from _rows(
                f"one sentence in {stage.sizes.changed_in} episodes, {language}",
                extractor.calls - read,
                embedder.documents - embedded,
                seconds,
            )


def _fill(store: Kataribe, folder: Path, language: Language, episodes: int) -> None:
    teller = Teller(language)
    store.story("s").create(language=language, embedder=NAME)
    store.story("s").cast.put([Character(character_id=name) for name in names(language)])
    write_texts(folder, (teller.text(_SENTENCES) for _ in range(episodes)))
    store.story("s").import_folder(folder)
    store.story("s").sync()


def _change(store: Kataribe, language: Language, episodes: int) -> float:
    no = episodes // 2
    text = store.story("s").episodes.get(no=no).text
    stop = "." if language == "en" else "。"
    old = text.splitlines()[1].split(stop)[2].strip() + stop
    new = Teller(language, seed=SEED + 5).fact()
    begun = perf_counter()
    store.story("s").episodes.put(no=no, text=text.replace(old, new, 1))
    store.story("s").sync()
    return perf_counter() - begun


def _rows(what: str, read: int, embedded: int, seconds: float) -> Iterator[BenchRow]:
    for name, count in (("extractions", read), ("texts embedded", embedded)):
        target, met = at_most(count, 1, "")
        yield BenchRow(
            bench="change",
            what=f"{what}: {name}",
            value=count,
            unit="",
            target=target.strip(),
            met=met and count > 0,
        )
    yield BenchRow(bench="change", what=f"{what}: put and sync", value=seconds * 1000, unit="ms")
