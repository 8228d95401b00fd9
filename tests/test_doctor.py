"""What `doctor` says of settings and of an index outside the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe import doctor, wiring
from kataribe.adapters.memory_index import MemoryIndex
from kataribe.ports import VectorIndex
from kataribe.settings import Settings, variable_of
from kataribe.testing.faulty_index import FaultyIndex, IndexFaults
from support.archived import archived, files, says
from support.stores import empty_store, services


def rows(path: str | None = None) -> dict[str, tuple[str, str]]:
    found, _ = doctor.examine(path)
    return {what: (state, todo) for what, state, todo in found}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(empty_store(tmp_path / "k.db"))


def test_it_says_where_each_setting_came_from(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kataribe.toml"
    file.write_text('model = "openai:語り部"\ntraces_kept = 5\n', encoding="utf-8")
    monkeypatch.setenv("KATARIBE_SETTINGS", str(file))
    monkeypatch.setenv("KATARIBE_TRACES_KEPT", "7")
    monkeypatch.setenv(variable_of("rerankre"), "x")
    found = rows(store)
    assert found["setting db"] == (f"{store} (from --db)", "")
    assert found["setting model"] == (f"openai:語り部 (from {file})", "")
    assert found["setting traces_kept"] == ("7 (from KATARIBE_TRACES_KEPT)", "")
    assert found[variable_of("rerankre")] == ("sets nothing", "did you mean KATARIBE_RERANKER?")
    assert "setting durability" not in found
    assert found["index"][0] == "the store's own (none outside it is set)"


def test_it_shows_no_password(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATARIBE_INDEX", "qdrant://me:hunter2@host/x")
    assert rows(store)["setting index"] == ("qdrant://...@host/x (from KATARIBE_INDEX)", "")


@pytest.fixture
def fed_by(monkeypatch: pytest.MonkeyPatch) -> FaultyIndex:
    index = FaultyIndex(MemoryIndex("here"), IndexFaults())
    made: VectorIndex = index

    def chosen(settings: Settings) -> VectorIndex:
        return made

    monkeypatch.setattr(wiring.services, "outside_index", chosen)
    return index


def test_it_says_how_far_an_index_lags(store: str, fed_by: FaultyIndex) -> None:
    parts = replace(services(), index=fed_by)
    with kataribe.open(store, services=parts) as opened:
        opened.story("s").create(language="ja", embedder="hash")
        opened.story("s").episodes.put(no=1, text="アンは水車小屋へ行った。")
        assert opened.sync().fed == 1
    assert rows(store)["index"] == ("memory-here: holds all that the store does", "")
    with kataribe.open(store, services=services()) as opened:
        opened.story("s").episodes.put(no=2, text="鍵は石の下だ。")
        opened.sync()
    lacks = "memory-here: lacks 1 units of 1 spaces, and holds 0 of spaces that are gone"
    assert rows(store)["index"] == (lacks, "kataribe sync")
    with kataribe.open(store, services=services()) as opened:
        opened.story("s").delete()
    lacks = "memory-here: lacks 0 units of 0 spaces, and holds 1 of spaces that are gone"
    assert rows(store)["index"] == (lacks, "kataribe sync")


def test_an_index_that_is_away_keeps_nobody_from_syncing_or_asking(store: str, fed_by: FaultyIndex) -> None:
    with kataribe.open(store, services=replace(services(), index=fed_by)) as opened:
        opened.story("s").create(language="en", embedder="hash")
        opened.story("s").episodes.put(no=1, text="Ann went to the mill.")
        assert opened.sync().fed == 1
        fed_by.faults = IndexFaults(away=1.0)
        opened.story("s").episodes.put(no=2, text="The mill burned down.")
        report = opened.sync()
        assert (report.done, report.fed) == (1, 0)
        assert report.unfed == "the index is away; try again later"
        found = opened.recall("the mill", story="s", persona="ann", at=3)
        assert (len(found.hits), len(found.warnings)) == (2, 1)
        with pytest.raises(kataribe.VectorIndexError):
            opened.admin.index.feed()
        fed_by.faults = IndexFaults()
        assert opened.sync().fed == 1
        assert opened.recall("the mill", story="s", persona="ann", at=3).warnings == ()


def test_an_index_that_admits_that_it_may_miss_is_told_of_in_each_answer(store: str) -> None:
    index = FaultyIndex(MemoryIndex(), IndexFaults(), admits=True)
    with kataribe.open(store, services=replace(services(), index=index)) as opened:
        opened.story("s").create(language="en", embedder="hash")
        opened.story("s").episodes.put(no=1, text="Ann went to the mill.")
        opened.sync()
        asked = {"story": "s", "persona": "ann", "at": 2}
        found = opened.recall("the mill", **asked)  # type: ignore[arg-type]
        assert (len(found.hits), ["may be missing" in one for one in found.warnings]) == (1, [True])
        filtered = opened.recall("the mill", where={"episode_no": 1}, **asked)  # type: ignore[arg-type]
        assert (len(filtered.hits), filtered.warnings) == (1, ())


def test_it_says_what_is_wrong_with_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]):
        pass
    store, folder = str(tmp_path / "x" / "t.db"), str(tmp_path / "x" / "archive")
    state, todo = rows(store)["archive"]
    assert "none is named" in state
    assert "KATARIBE_ARCHIVE" in todo
    monkeypatch.setenv("KATARIBE_ARCHIVE", folder)
    assert rows(store)["archive"] == (f"{folder}: all files are as they were written", "")
    with monkeypatch.context() as patch:
        patch.setattr("kataribe.adapters.parquet.files.find_spec", lambda name: None)
        assert rows(store)["archive"][1] == "pip install 'kataribe[archive]'"
    (one,) = files(tmp_path / "x")
    one.unlink()
    state, todo = rows(store)["archive"]
    assert f"{one} is not there" in state
    assert "kataribe rebuild" in todo


def test_without_an_archive_texts_stay_in_the_store(store: str) -> None:
    assert rows(store)["archive"] == ("none is set: the texts of memories stay in the store", "")
