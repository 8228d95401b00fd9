"""Libraries: documents are found in their last version, and only by a search that asks for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.face.sync.library import LibraryHandle
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
