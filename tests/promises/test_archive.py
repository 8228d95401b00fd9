"""The archive: what is recent no more lies in files, and reads as if it did not."""

from __future__ import annotations

import shutil
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe import ArchiveError, ArchiveLostError
from kataribe.adapters.parquet import ParquetArchive
from kataribe.adapters.sql import SqlLedger
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.archived import NIGHT, archived, files, in_archive, in_ledger, opened, says
from support.erasing import erase
from support.talk import DAY_ONE

WORDS = {
    "en": ("My sister lives in Osaka.", "I keep a grey cat at home.", "sister"),
    "ja": ("妹は大阪に住んでいます。", "家で灰色の猫を飼っています。", "大阪"),
}
languages = pytest.mark.parametrize("language", ["en", "ja"])


def kept(store: Kataribe) -> list[tuple[str, str, str]]:
    found = store.user("u").memory.list().memories
    return sorted((one.value.tier.value, one.value.state.value, one.value.text) for one in found)


def rows(store: Kataribe) -> list[object]:
    memory = store.user("u").memory
    return [memory.history(one.value.memory_id).rows for one in memory.list().memories]


@languages
def test_what_is_recent_no_more_lies_in_the_archive_and_reads_the_same(
    tmp_path: Path, language: Language
) -> None:
    first, second, _ = WORDS[language]
    turns = [says(1, first), says(2, second)]
    with archived(tmp_path / "plain", turns, language=language, archive=False) as plain:
        expected = (kept(plain), rows(plain))
    with archived(tmp_path / "x", turns, language=language) as store:
        assert (kept(store), rows(store)) == expected
        assert len(expected[0]) == 2
        assert in_archive(tmp_path / "x") == sorted([first, second])
        ledger = in_ledger(tmp_path / "x")
        assert first not in ledger
        assert second not in ledger
        assert store.verify().problems == ()


def test_what_is_recent_stays_in_the_store(tmp_path: Path) -> None:
    turns = [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat.", day=2.5)]
    with archived(tmp_path / "x", turns):
        assert in_archive(tmp_path / "x") == ["My sister lives in Osaka."]
        assert "grey cat" in in_ledger(tmp_path / "x")


def test_what_is_promoted_stays_in_the_store(tmp_path: Path) -> None:
    turns = [says(1, "Please remember that I am allergic to peanuts.")]
    with archived(tmp_path / "x", turns) as store:
        assert [tier for tier, _, _ in kept(store)] == ["long"]
        assert "peanuts" in in_ledger(tmp_path / "x")


@languages
def test_what_is_looked_for_is_found_without_the_archive(tmp_path: Path, language: Language) -> None:
    """By the hashes of words that stay in the ledger; a text is read from it only to be shown."""
    first, second, word = WORDS[language]
    with archived(tmp_path / "x", [says(1, first), says(2, second)], language=language) as store:
        (found,) = store.user("u").memory.about(word)
        assert found.value.text == first
    shutil.rmtree(tmp_path / "x" / "archive")
    with opened(tmp_path / "x" / "t.db", tmp_path / "x" / "archive") as store:
        hits = store.recall(first, user="u", persona="rin", as_of=NIGHT).hits
        assert [hit.text for hit in hits][:1] == [first], "what is recalled is found by the ledger alone"


def test_folders_are_named_after_nothing(tmp_path: Path) -> None:
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]):
        (one,) = files(tmp_path / "x")
        names = str(one.relative_to(tmp_path / "x" / "archive"))
        assert set(names) <= set("0123456789abcdef/.parquet")
        assert "rin" not in one.read_bytes().decode("latin-1")
        assert "user:u" not in one.read_bytes().decode("latin-1")


def test_a_file_has_at_most_a_hundred_rows(tmp_path: Path) -> None:
    turns = [says(no, f"My friend number {no} lives in town {no}.") for no in range(1, 151)]
    with archived(tmp_path / "x", turns):
        assert len(files(tmp_path / "x")) > 1
        assert len(in_archive(tmp_path / "x")) == 150


@languages
def test_no_byte_of_what_is_deleted_stays_in_the_archive(tmp_path: Path, language: Language) -> None:
    first, second, _ = WORDS[language]
    with archived(tmp_path / "x", [says(1, first), says(2, second)], language=language) as store:
        (before,) = files(tmp_path / "x")
        store.user("u").delete_turns(["t1"])
        (after,) = files(tmp_path / "x")
        assert before != after
        assert in_archive(tmp_path / "x") == [second]
        assert first.encode() not in after.read_bytes()
        assert kept(store) == [("mid", "kept", second)]
        assert store.verify().problems == ()


def test_the_rest_of_a_file_keeps_its_order(tmp_path: Path) -> None:
    turns = [says(no, f"My friend number {no} lives in town {no}.") for no in range(1, 6)]
    with archived(tmp_path / "x", turns) as store:
        duck = __import__("duckdb")

        def texts() -> list[str]:
            (one,) = files(tmp_path / "x")
            return [row[0] for row in duck.execute(f"SELECT text FROM read_parquet('{one}')").fetchall()]

        before = texts()
        store.user("u").delete_turns(["t3"])
        assert texts() == [one for one in before if "number 3" not in one]


@languages
def test_no_byte_of_what_is_forgotten_stays_in_the_archive(tmp_path: Path, language: Language) -> None:
    first, second, _ = WORDS[language]
    with archived(tmp_path / "x", [says(1, first), says(2, second)], language=language) as store:
        memory = store.user("u").memory
        (one,) = [each for each in memory.list().memories if each.value.text == first]
        memory.forget(one.value.memory_id)
        assert in_archive(tmp_path / "x") == [second]


def test_a_user_that_is_deleted_takes_its_folder(tmp_path: Path) -> None:
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]) as store:
        assert files(tmp_path / "x")
        erase(store, "u")
        assert files(tmp_path / "x") == []
        assert list((tmp_path / "x" / "archive").iterdir()) == []


def test_a_story_that_is_deleted_takes_the_talk_under_it_from_the_archive(tmp_path: Path) -> None:
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")], night=None) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(1, "The harbour froze.")
        store.user("u").put_turns([says(2, "I keep a grey cat at home.")], story="s", at=1)
        store.user("u").sync()
        store.user("u").memory.nightly(at=NIGHT)
        assert in_archive(tmp_path / "x") == ["I keep a grey cat at home.", "My sister lives in Osaka."]
        store.story("s").delete()
        assert in_archive(tmp_path / "x") == ["My sister lives in Osaka."]
        assert len(list((tmp_path / "x" / "archive").iterdir())) == 1


def test_a_look_that_began_before_a_deletion_gives_what_is_left(tmp_path: Path) -> None:
    """The file that it was of is written anew meanwhile."""
    turns = [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat at home.")]
    path, archive = tmp_path / "x" / "t.db", ParquetArchive(tmp_path / "x" / "archive")
    with (
        archived(tmp_path / "x", turns) as store,
        closing(SqlLedger(str(path), FrozenClock(), archive=archive)) as old,
    ):
        with old.reading() as view:
            assert {row.text for row in view.life("user:u", "rin").values} == {turn.text for turn in turns}
            store.user("u").delete_turns(["t1"])
            assert {row.text for row in view.life("user:u", "rin").values} == {turns[1].text}
        with old.reading() as view:
            assert {row.text for row in view.life("user:u", "rin").values} == {turns[1].text}


def test_nothing_is_deleted_where_the_archive_is_not_named(tmp_path: Path) -> None:
    """Else its words would stay in a file that nobody knows of."""
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat.")]):
        pass
    with opened(tmp_path / "x" / "t.db", None) as store:
        for delete in (lambda: erase(store, "u"), lambda: store.user("u").delete_turns(["t1"])):
            with pytest.raises(ArchiveError, match="KATARIBE_ARCHIVE"):
                delete()
        with pytest.raises(ArchiveError, match="KATARIBE_ARCHIVE"):
            kept(store)
        assert store.recall("sister", user="u", persona="rin", as_of=NIGHT).hits
    with opened(tmp_path / "x" / "t.db", tmp_path / "x" / "archive") as store:
        assert len(kept(store)) == 2


@pytest.mark.parametrize("how", ["lost", "changed"])
def test_a_file_that_is_lost_or_changed_is_told_and_made_again(tmp_path: Path, how: str) -> None:
    turns = [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat at home.")]
    with archived(tmp_path / "x", turns) as store:
        before = kept(store)
        (one,) = files(tmp_path / "x")
        if how == "lost":
            one.unlink()
        else:
            one.write_bytes(one.read_bytes()[:-1])
        with pytest.raises(ArchiveLostError, match="kataribe rebuild"):
            kept(store)
        (problem,) = store.verify().problems
        assert one.name in problem
        store.user("u").rebuild()
        store.user("u").sync()
        assert kept(store) == before
        assert files(tmp_path / "x") == []
        assert store.verify().problems == ()
        store.user("u").memory.nightly(at=NIGHT + timedelta(days=1))
        assert in_archive(tmp_path / "x") == [text for *_, text in sorted(before, key=lambda each: each[2])]


def test_what_is_deleted_goes_though_its_file_is_changed(tmp_path: Path) -> None:
    turns = [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat at home.")]
    with archived(tmp_path / "x", turns) as store:
        (one,) = files(tmp_path / "x")
        good = one.read_bytes()
        one.write_bytes(good + b" ")
        store.user("u").delete_turns(["t1"])
        assert files(tmp_path / "x") == []
        one.write_bytes(good)
        with pytest.raises(ArchiveLostError):
            kept(store)


def test_without_duckdb_texts_stay_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.adapters.parquet.files.find_spec", lambda name: None)
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]) as store:
        assert files(tmp_path / "x") == []
        assert "Osaka" in in_ledger(tmp_path / "x")
        assert len(kept(store)) == 1


def test_a_backup_has_what_is_archived(tmp_path: Path) -> None:
    turns = [says(1, "My sister lives in Osaka."), says(2, "I keep a grey cat at home.")]
    with archived(tmp_path / "x", turns) as store:
        before, lying = kept(store), files(tmp_path / "x")
        store.admin.backup(tmp_path / "copy.backup")
        assert files(tmp_path / "x") == lying
    kataribe.restore(tmp_path / "copy.backup", tmp_path / "copy.db")
    with opened(tmp_path / "copy.db", None) as copy:
        assert kept(copy) == before
        copy.user("u").sync()
        assert kept(copy) == before
        assert copy.verify().problems == ()
    # A copy writes into folders of its own.
    with opened(tmp_path / "copy.db", tmp_path / "x" / "archive") as copy:
        copy.user("u").memory.nightly(at=NIGHT + timedelta(days=1))
        assert set(lying) < set(files(tmp_path / "x"))
        erase(copy, "u")
    assert files(tmp_path / "x") == lying


def test_rows_say_the_same_at_every_moment(tmp_path: Path) -> None:
    """Before, at, and after the night; and when it has expired, it is still what it was then."""
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]) as store:
        memory = store.user("u").memory
        memory.nightly(at=DAY_ONE + timedelta(days=40))
        assert kept(store) == []
        then = store.viewer(user="u", persona="rin", as_of=NIGHT).memories().memories
        assert [one.value.text for one in then] == ["My sister lives in Osaka."]
        assert "Osaka" not in in_ledger(tmp_path / "x")


def test_what_a_kill_left_is_removed_at_the_next_night(tmp_path: Path) -> None:
    with archived(tmp_path / "x", [says(1, "My sister lives in Osaka.")]) as store:
        (one,) = files(tmp_path / "x")
        for name in ("0" * 32 + ".parquet", ".half.parquet.77.part"):
            (one.parent / name).write_bytes(one.read_bytes())
        store.user("u").memory.nightly(at=NIGHT + timedelta(days=1))
        assert files(tmp_path / "x") == [one]
        assert len(kept(store)) == 1
