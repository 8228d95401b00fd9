"""Parts of strangers, found by name through entry points that are made on the spot."""

from __future__ import annotations

import asyncio
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe import wiring
from kataribe.adapters import making
from kataribe.adapters.hashing import HashEmbedder
from kataribe.adapters.making import Maker, PartChoice, PlainMaker, Registry
from kataribe.adapters.memory_index import MemoryIndex
from kataribe.adapters.rules import RulesPlanner
from kataribe.adapters.sql import SqlLedger
from kataribe.errors import InputError, MissingExtraError
from kataribe.settings import Settings
from kataribe.testing.fakes import FakeExtractor

GROUPS = {
    "extractor": "kataribe.extractors",
    "planner": "kataribe.planners",
    "reranker": "kataribe.rerankers",
    "judge": "kataribe.judges",
    "answerer": "kataribe.answerers",
    "proofreader": "kataribe.proofreaders",
    "summarizer": "kataribe.summarizers",
}


class Mine:
    """A plain class: it is called, with the name behind its own where there is one."""

    def __init__(self, name: str = "plain") -> None:
        self.name = name


class MadeByChoice:
    """A maker: it is asked what is missing, and told what was chosen."""

    @classmethod
    def available(cls, choice: PartChoice) -> str | None:
        return "pip install nothing-like-it" if choice.name == "missing" else None

    @classmethod
    def make(cls, choice: PartChoice) -> Mine:
        return Mine(f"{choice.family}|{choice.name}|{choice.base_url}|{choice.seconds:g}")


class NeedsNothing(FakeExtractor):
    def __init__(self) -> None:
        super().__init__(extractor_id="mine-1")


class HashOfMine(HashEmbedder):
    @property
    def embedder_id(self) -> str:
        return "mine-hash-1"


class EmbedderMaker:
    @classmethod
    def available(cls, choice: PartChoice) -> str | None:
        return "pip install more" if choice.name == "missing" else None

    @classmethod
    def make(cls, choice: PartChoice) -> HashOfMine:
        assert choice.name in ("", "large")
        return HashOfMine()


class LedgerOfMine(SqlLedger):
    """A ledger behind a URL of its own."""

    @classmethod
    def make(cls, choice: PartChoice) -> LedgerOfMine:
        return cls(choice.name.removeprefix("mine://"), **choice.options)


class IndexOfMine(MemoryIndex):
    made: list[IndexOfMine]

    def __init__(self, where: str = "") -> None:
        super().__init__(where)
        type(self).made.append(self)


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Any]:
    """Give a table of (group, name) to class that is installed beside what there is."""
    table: dict[tuple[str, str], Any] = {}

    def found(*, group: str) -> EntryPoints:
        ours = [
            EntryPoint(name=name, value=f"{kind.__module__}:{kind.__qualname__}", group=group)
            for (where, name), kind in table.items()
            if where == group
        ]
        return EntryPoints([*entry_points(group=group), *ours])

    monkeypatch.setattr(making, "entry_points", found)
    return table


@pytest.mark.parametrize("part", GROUPS)
def test_a_strangers_part_is_found_by_name(strangers: dict[tuple[str, str], Any], part: str) -> None:
    strangers[GROUPS[part], "mine"] = Mine
    strangers[GROUPS[part], "chosen"] = MadeByChoice
    services = wiring.default_services(settings=Settings(base_url="http://localhost:1", model_seconds=7))
    get = getattr(services, part)
    assert get("mine").name == "plain"
    assert get("mine:大きい").name == "大きい"
    assert get("chosen:a:b").name == "chosen|a:b|http://localhost:1|7"
    assert get("mine") is get("mine")
    with pytest.raises(MissingExtraError, match="type: pip install nothing-like-it"):
        get("chosen:missing")
    with pytest.raises(InputError, match=r"choose .*mine"):
        get("mien")


@pytest.mark.parametrize("part", GROUPS)
def test_no_stranger_takes_the_place_of_a_provider_or_of_ours(
    strangers: dict[tuple[str, str], Any], part: str
) -> None:
    strangers[GROUPS[part], "openai"] = Mine
    strangers[GROUPS[part], "rules"] = Mine
    models = wiring.Models(Settings())
    assert not isinstance(getattr(models, part)("openai:gpt-x"), Mine)
    assert not isinstance(models.extractor("rules"), Mine)
    assert isinstance(models.planner("rules"), RulesPlanner)


def test_a_part_without_a_choice_of_models_refuses_one(strangers: dict[tuple[str, str], Any]) -> None:
    strangers["kataribe.extractors", "mine"] = NeedsNothing
    models = wiring.Models(Settings())
    assert models.extractor("mine").extractor_id == "mine-1"
    with pytest.raises(InputError, match="'mine' has no choice of models; leave 'large' out"):
        models.extractor("mine:large")


def test_a_story_is_read_by_a_strangers_extractor(
    strangers: dict[tuple[str, str], Any], tmp_path: Path
) -> None:
    strangers["kataribe.extractors", "mine"] = NeedsNothing
    with kataribe.open(str(tmp_path / "k.db")) as opened:
        opened.story("s").create(language="ja", embedder="hash", model="mine")
        opened.story("s").episodes.put(no=1, text="アンは水車小屋へ行った。")
        assert opened.story("s").sync().done == 1
        assert opened.story("s").info().extractor_id == "mine-1"
        assert opened.known(story="s", persona="ann", at=2).hits == ()


def test_a_strangers_embedder_is_found_by_name(strangers: dict[tuple[str, str], Any], tmp_path: Path) -> None:
    strangers["kataribe.embedders", "mine"] = HashOfMine
    strangers["kataribe.embedders", "made"] = EmbedderMaker
    parts = wiring.Embedders(Settings())
    assert parts.get("mine").embedder_id == parts.get("made:large").embedder_id == "mine-hash-1"
    assert {"mine", "made"} <= set(wiring.embedder_names())
    assert wiring.missing_line("made:missing", Settings()) == "pip install more"
    with pytest.raises(MissingExtraError, match="pip install more"):
        parts.get("made:missing")
    with kataribe.open(
        str(tmp_path / "k.db"), settings=Settings(path=str(tmp_path / "k.db"), embedder="mine")
    ) as k:
        k.story("s").create(language="en")
        k.story("s").episodes.put(no=1, text="Ann went to the mill.")
        k.sync()
        found = k.recall("the mill", story="s", persona="ann", at=2)
    assert (len(found.hits), found.backend.embedder) == (1, "mine-hash-1")


def test_a_strangers_ledger_is_found_by_the_scheme_of_its_url(
    strangers: dict[tuple[str, str], Any], tmp_path: Path
) -> None:
    strangers["kataribe.ledgers", "mine"] = LedgerOfMine
    file = tmp_path / "k.db"
    with kataribe.open(f"mine://{file}") as opened:
        opened.story("s").create(language="en", embedder="hash")
    with kataribe.open(str(file)) as opened:
        assert [one.story_id for one in opened.admin.stories()] == ["s"]
    with pytest.raises(InputError, match=r"no ledger 'mien' \(did you mean 'mine'\?\)"):
        kataribe.open("mien://somewhere")


def test_a_strangers_index_is_found_by_the_scheme_of_its_url(
    strangers: dict[tuple[str, str], Any], tmp_path: Path
) -> None:
    IndexOfMine.made = []
    strangers["kataribe.indexes", "mine"] = IndexOfMine
    settings = Settings(path=str(tmp_path / "k.db"), index="mine://here")
    with kataribe.open(settings=settings) as opened:
        opened.story("s").create(language="en", embedder="hash")
        opened.story("s").episodes.put(no=1, text="Ann went to the mill.")
        assert opened.sync().fed == 1
        lag = opened.admin.index.lag()
        assert lag is not None
        assert (lag.index_id, lag.is_fed) == ("memory-here", True)
        assert len(opened.recall("mill", story="s", persona="ann", at=2).hits) == 1
    assert len(IndexOfMine.made) == 1
    with pytest.raises(InputError, match="there is no index 'nobody'"):
        kataribe.open(settings=Settings(path=str(tmp_path / "k.db"), index="nobody://x"))


def test_without_an_index_there_is_nothing_to_feed(tmp_path: Path) -> None:
    with kataribe.open(str(tmp_path / "k.db")) as opened:
        assert opened.admin.index.lag() is None
        with pytest.raises(InputError, match="KATARIBE_INDEX"):
            opened.admin.index.feed()


def test_a_registry_names_what_was_probably_meant(strangers: dict[tuple[str, str], Any]) -> None:
    strangers["kataribe.somethings", "alpha"] = Mine
    registry = Registry("kataribe.somethings", "something")
    assert registry.names() == ("alpha",)
    assert isinstance(registry.maker("alpha"), PlainMaker)
    assert isinstance(MadeByChoice, Maker)
    with pytest.raises(InputError, match=r"there is no something 'alpah' \(did you mean 'alpha'\?\)"):
        registry.make(PartChoice(family="alpah"))
    with pytest.raises(InputError, match="none is installed"):
        Registry("kataribe.nothings", "nothing").maker("x")


def test_a_reranker_that_is_set_orders_every_recall(
    strangers: dict[tuple[str, str], Any], tmp_path: Path
) -> None:
    strangers["kataribe.rerankers", "backwards"] = Backwards
    settings = Settings(path=str(tmp_path / "k.db"), reranker="backwards", embedder="hash")
    with kataribe.open(settings=settings) as opened:
        opened.story("s").create(language="en")
        opened.story("s").episodes.put(no=1, text="The mill.\nThe mill burns in the night, and Ann runs.")
        opened.sync()
        found = opened.recall("the mill", story="s", persona="ann", at=2)
    assert [hit.text for hit in found.hits] == sorted((hit.text for hit in found.hits), key=len, reverse=True)
    assert found.backend.reranker == "backwards-1"


class Backwards:
    """Puts the longest first."""

    @property
    def reranker_id(self) -> str:
        return "backwards-1"

    async def rerank(self, question: str, texts: tuple[str, ...]) -> tuple[float, ...]:
        await asyncio.sleep(0)
        return tuple(min(len(text) / 1000, 1.0) for text in texts)
