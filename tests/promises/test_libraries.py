"""Libraries: documents are found in their last version, and only by a search that asks for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.adapters.memory_index import MemoryIndex
from kataribe.domain.work import WorkPolicy
from kataribe.face.sync.kataribe import Kataribe
from kataribe.face.sync.library import LibraryHandle
from kataribe.testing.fakes import CountingEmbedder, FailingEmbedder
from support.stores import services

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SEVEN = "返品は購入から7日以内に受け付けます。"
THIRTY = "返品は購入から30日以内に受け付けます。"


@pytest.fixture
def store() -> Iterator[Kataribe]:
    with kataribe.open(":memory:", services=services()) as opened:
        yield opened


@pytest.fixture
def rules(store: Kataribe) -> LibraryHandle:
    """A Japanese library, embedded by the character hash."""
    handle = store.library("rules")
    handle.create(language="ja", embedder="hash")
    return handle


def texts(handle: LibraryHandle, question: str, **more: Any) -> list[str]:
    return [hit.text for hit in handle.search(question, **more).hits]


@pytest.mark.parametrize(
    ("name", "text", "question"),
    [
        ("返品.txt", f"{SEVEN}\n\n送料はお客様の負担です。", "返品はいつまで？"),
        ("returns.txt", "Returns are taken for seven days.\n\nYou pay the postage.", "How long for returns?"),
    ],
)
def test_a_document_is_found_with_where_it_stands(
    store: Kataribe, name: str, text: str, question: str
) -> None:
    handle = store.library("rules")
    handle.create(embedder="hash")
    receipt = handle.put(name, text)
    assert (receipt.version, receipt.passages, receipt.pending) == (1, 1, None)
    (hit,) = handle.search(question).hits
    assert (hit.text, hit.document, hit.version, hit.headings, hit.page) == (text, name, 1, (), None)
    assert (hit.character_id, hit.space) == ("world", "kb:rules")


def test_another_content_replaces_the_document_as_a_whole(rules: LibraryHandle) -> None:
    rules.put("返品.txt", f"{SEVEN}\n\n送料はお客様の負担です。")
    receipt = rules.put("返品.txt", THIRTY)
    assert (receipt.version, receipt.replaced, receipt.is_unchanged) == (2, 1, False)
    found = rules.search("返品 送料").hits
    assert [(hit.text, hit.version) for hit in found] == [(THIRTY, 2)]
    assert [one.version for one in rules.state().documents] == [2]


def test_the_same_file_again_changes_nothing_and_is_said_so(store: Kataribe, rules: LibraryHandle) -> None:
    rules.put("返品.txt", SEVEN)
    before = store.changes(0).cursor
    receipt = rules.put("返品.txt", SEVEN)
    assert (receipt.is_unchanged, receipt.version) == (True, 1)
    assert store.changes(before).changes == ()


def test_a_document_that_was_removed_is_gone_and_can_come_again(
    store: Kataribe, rules: LibraryHandle
) -> None:
    rules.put("返品.txt", SEVEN)
    rules.remove("返品.txt")
    assert texts(rules, "返品") == []
    with pytest.raises(kataribe.NotFoundError, match="no document"):
        rules.remove("返品.txt")
    assert rules.put("返品.txt", SEVEN).version == 1
    assert texts(rules, "返品") == [SEVEN]
    assert store.verify().ok


def test_no_read_of_a_viewer_gives_what_a_library_holds(store: Kataribe, rules: LibraryHandle) -> None:
    """S4-66: not by itself, and not by any word that a viewer could say."""
    rules.put("返品.txt", SEVEN)
    with kataribe.open(":memory:", services=services()) as without:
        answers = []
        for one in (store, without):
            one.user("u").create(language="ja", embedder="hash")
            one.user("u").said("返品の話をした。", speaker="u", time=NOON)
            viewer = one.viewer(user="u", as_of=NOON)
            found = viewer.recall("返品はいつまで？")
            answers.append(
                (
                    kataribe.recollection_json(found),
                    kataribe.recollection_json(viewer.known()),
                    kataribe.context_json(viewer.context("返品はいつまで？")),
                    kataribe.answer_json(viewer.answer("返品はいつまで？")),
                    [one.turn_id for one in viewer.search_log(["返品"]).hits],
                    viewer.recall_tool()(query="返品"),
                )
            )
        assert answers[0] == answers[1]
        assert all(hit.space == "user:u" for hit in store.viewer(user="u").known().hits)
    for words in ({"library": "rules"}, {"user": "u", "library": "rules"}):
        with pytest.raises((TypeError, kataribe.InputError)):
            store.recall("返品", **words)  # type: ignore[arg-type]


def test_one_library_is_searched_and_no_other(store: Kataribe, rules: LibraryHandle) -> None:
    other = store.library("menu")
    other.create(language="ja", embedder="hash")
    rules.put("返品.txt", SEVEN)
    other.put("返品.txt", THIRTY)
    assert texts(rules, "返品") == [SEVEN]
    assert texts(other, "返品") == [THIRTY]
    assert [one.library_id for one in store.libraries()] == ["menu", "rules"]
    with pytest.raises(kataribe.NotFoundError, match="no library"):
        store.library("nobody").search("返品")


def test_a_tool_searches_the_library_it_was_made_for(rules: LibraryHandle) -> None:
    rules.put("返品.txt", SEVEN)
    tool = rules.search_tool()
    assert (tool.name, tool.library, tool.viewer) == ("search_knowledge_base", "rules", {})
    (row,) = tool(query="返品", top_k=3)
    assert (row["text"], row["document"], row["version"]) == (SEVEN, "返品.txt", 1)
    for wrong in ({"query": "返品", "library": "menu"}, {"query": 1}, {"query": "返品", "top_k": 0}):
        with pytest.raises(kataribe.InputError):
            tool(**wrong)


def test_searches_leave_traces_in_their_library(store: Kataribe, rules: LibraryHandle) -> None:
    rules.put("返品.txt", SEVEN)
    (hit,) = rules.search("返品").hits
    (trace,) = store.admin.traces(library="rules")
    assert (trace.verb, trace.library, trace.ids) == ("search_library", "rules", (hit.id,))


def test_a_deleted_library_leaves_no_word_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with kataribe.open(str(path), services=services()) as store:
        handle = store.library("秘密の規程")
        handle.create(language="ja", embedder="hash")
        handle.put("内緒の文書.txt", "ザネリは烏瓜を流した。")
        handle.put("内緒の文書.txt", "カムパネルラは川に落ちた。")
        handle.search("烏瓜")
        handle.delete()
        assert store.libraries() == ()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for word in ("秘密の規程", "内緒の文書", "烏瓜", "カムパネルラ", "烏瓜を"):
        assert word.encode() not in kept
    connection = sqlite3.connect(path)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    held = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    connection.close()
    assert {name for name, count in held.items() if count} == {"alembic_version", "revisions"}


def test_the_first_document_decides_the_language_where_nobody_named_it(store: Kataribe) -> None:
    """And the embedder with it, where that was not named either; a later document changes neither."""
    named, unnamed = store.library("named"), store.library("unnamed")
    named.create(language="en")
    unnamed.create()
    for handle in (named, unnamed):
        handle.put("規程.txt", SEVEN)
        handle.put("rules.txt", "Ask the manager before you send anything back.")
    assert (named.info().language, named.info().embedder) == ("en", "wordllama")
    assert (unnamed.info().language, unnamed.info().embedder) == ("ja", "chive")
    hashed = store.library("hashed")
    hashed.create(embedder="hash")
    hashed.put("規程.txt", SEVEN)
    assert (hashed.info().language, hashed.info().embedder) == ("ja", "hash")
    assert store.verify().ok


@pytest.mark.parametrize("bad", [b"\x93\xfa\x96\x7b\x8c\xea", b""])
def test_what_is_refused_leaves_the_old_version(rules: LibraryHandle, bad: bytes) -> None:
    rules.put("返品.txt", SEVEN)
    with pytest.raises(kataribe.FormatError, match=r"返品\.txt"):
        rules.put("返品.txt", bad)
    assert [(hit.text, hit.version) for hit in rules.search("返品").hits] == [(SEVEN, 1)]


def test_what_both_versions_say_is_embedded_once() -> None:
    counting = CountingEmbedder(services().embedder("hash"))
    with kataribe.open(":memory:", services=replace(services(), embedder=lambda _: counting)) as store:
        handle = store.library("rules")
        handle.create(language="en", embedder="hash")
        handle.put("a.md", "# A\n\nOne.\n\n# B\n\nTwo.\n")
        before = list(counting.documents)
        handle.put("a.md", "# A\n\nOne.\n\n# B\n\nThree.\n")
        assert counting.documents[len(before) :] == ["B\nThree."]


def test_a_heading_leads_to_what_stands_below_it(rules: LibraryHandle) -> None:
    """By its words: the passage itself need not name what it is about."""
    rules.put("規程.md", "# 送料\n\nお客様の負担とする。\n\n# 休暇\n\n年に二十日を取ることができる。\n")
    first = rules.search("送料").hits[0]
    assert (first.text, first.headings) == ("お客様の負担とする。", ("送料",))


def test_an_edited_document_is_no_fresher_than_another(store: Kataribe) -> None:
    """How often a document was edited moves no search: documents do not age."""
    found = []
    for edits in (0, 5):
        handle = store.library(f"l{edits}")
        handle.create(language="en", embedder="hash")
        handle.put("a.txt", "Ask the manager about the lamp.")
        for edit in range(edits):
            handle.put("b.txt", f"edit {edit}")
        handle.put("b.txt", "Ask the manager about the boat.")
        hits = handle.search("Ask the manager about the lamp").hits
        found.append([(hit.text, hit.score, hit.marks, hit.relevance) for hit in hits])
    assert found[0] == found[1]
    assert all(one[2:] == ((), None) for one in found[0])


def test_documents_are_told_of_when_they_change(store: Kataribe, rules: LibraryHandle) -> None:
    rules.put("返品.txt", SEVEN)
    first = store.changes(0)
    assert {(one.space, one.unit) for one in first.changes} == {("kb:rules", ""), ("kb:rules", "返品.txt")}
    rules.remove("返品.txt")
    later = store.changes(first.cursor).changes
    assert [(one.space, one.unit) for one in later] == [("kb:rules", "返品.txt")]


def test_a_dropped_document_waits_until_it_is_tried_again() -> None:
    failing = FailingEmbedder(services().embedder("hash"), [SEVEN])
    policy = WorkPolicy(backoff_seconds=0, max_attempts=1)
    with kataribe.open(
        ":memory:", services=replace(services(), embedder=lambda _: failing, policy=policy)
    ) as store:
        handle = store.library("rules")
        handle.create(language="ja", embedder="hash")
        receipt = handle.put("返品.txt", SEVEN)
        assert receipt.pending is not None
        assert "told to fail" in receipt.pending
        (item,) = store.admin.work(library="rules")
        assert (item.library, item.unit, item.state, item.kind) == ("rules", "返品.txt", "dead", "passages")
        assert handle.search("返品").pending == ("返品.txt",)
        store.admin.drop(library="rules", unit="返品.txt")
        failing.failing = set()
        assert store.sync(retry=True).documents == 0
        assert store.admin.retry(library="rules", unit="返品.txt") == 1
        assert store.sync(library="rules").documents == 1
        assert texts(handle, "返品") == [SEVEN]
        with pytest.raises(kataribe.NotFoundError, match="no document"):
            store.admin.retry(library="rules", unit="nix.txt")


def test_an_outside_index_proposes_passages_too() -> None:
    with kataribe.open(":memory:", services=replace(services(), index=MemoryIndex())) as store:
        handle = store.library("rules")
        handle.create(language="ja", embedder="hash")
        handle.put("返品.txt", SEVEN)
        handle.put("送料.txt", "送料はお客様の負担です。")
        store.sync()
        assert store.admin.index.lag().is_fed  # type: ignore[union-attr]
        assert texts(handle, "返品", top_k=1) == [SEVEN]
        handle.put("返品.txt", THIRTY)
        assert texts(handle, "返品", top_k=1) == [THIRTY]
        handle.delete()
        store.sync()


def test_a_restored_backup_finds_every_document_again(tmp_path: Path) -> None:
    with kataribe.open(str(tmp_path / "k.db"), services=services()) as store:
        handle = store.library("rules")
        handle.create(language="ja", embedder="hash")
        handle.put("返品.md", f"# 返品\n\n{SEVEN}")
        handle.put("返品.md", f"# 返品\n\n{THIRTY}")
        before = handle.search("返品").hits
        store.admin.backup(tmp_path / "plain.db")
        store.admin.backup(tmp_path / "with.db", with_vectors=True)
    for name in ("plain.db", "with.db"):
        with kataribe.open(str(tmp_path / name), services=services()) as store:
            assert store.library("rules").search("返品").hits == ()
            store.sync()
            assert store.library("rules").search("返品").hits == before
            assert store.verify().ok
