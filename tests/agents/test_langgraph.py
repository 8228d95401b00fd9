"""LangGraph: what its documentation says of a `BaseStore`, asked of ours and of its own; and our nodes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import kataribe
from kataribe.agents.langgraph import KataribeStore, retrieval_node, saving_node
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

NS = ("users", "u1", "memories")


class Tick:
    """A clock that goes on by a second each time it is asked."""

    def __init__(self) -> None:
        self.now = datetime(2024, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "s.db")), services=services()) as opened:
        yield opened


def ours(memory: Kataribe, *, persona: str | None = "p", user: str = "u", **more: Any) -> KataribeStore:
    return KataribeStore(memory, user=user, persona=persona, embedder="hash", clock=Tick(), **more)


def _letters(texts: Sequence[str]) -> list[list[float]]:
    return [[float(text.lower().count(chr(97 + at))) for at in range(26)] for text in texts]


@pytest.fixture(params=["kataribe", "theirs"])
def store(request: pytest.FixtureRequest, memory: Kataribe) -> BaseStore:
    if request.param == "kataribe":
        return ours(memory)
    return InMemoryStore(index={"dims": 26, "embed": _letters})


# -- what LangGraph says of every store -----------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"text": "Nora likes plum jam."},
        {"text": "ノラは梅のジャムが好きだ。", "数": [1, 2.5, None, True, {"深": "い"}]},
        {},
        {"nested": {"a": {"b": ["c", {}]}}, "empty": "", "quote": 'a "b" \\ \n c'},
    ],
)
def test_what_is_put_is_got_as_it_was(store: BaseStore, value: dict[str, Any]) -> None:
    store.put(NS, "k", value)
    item = store.get(NS, "k")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k", NS)
    assert item.created_at.tzinfo is not None
    assert item.updated_at >= item.created_at


@pytest.mark.parametrize("key", ["k", "a/b:c", "鍵", "spaced out", "“q”", "tab\tand　wide", "..", "[1]"])
@pytest.mark.parametrize("namespace", [("a",), ("a", "b"), ("日本", "語"), ("a/b", 'c"d')])
def test_names_of_any_letters_are_told_apart(store: BaseStore, namespace: tuple[str, ...], key: str) -> None:
    store.put(namespace, key, {"n": 1})
    store.put(namespace, key + "x", {"n": 2})
    store.put((*namespace, "x"), key, {"n": 3})
    found = [store.get(namespace, key), store.get(namespace, key + "x"), store.get((*namespace, "x"), key)]
    assert [one.value["n"] for one in found if one is not None] == [1, 2, 3]
    assert {one.key for one in store.search(namespace)} == {key, key + "x"}


def test_what_is_not_there_is_none(store: BaseStore) -> None:
    assert store.list_namespaces() == []
    assert store.get(NS, "k") is None
    assert store.search(NS) == []
    store.delete(NS, "k")
    store.put(NS, "k", {"n": 1})
    assert store.get(NS, "other") is None
    assert store.get(NS[:-1], "k") is None


def test_what_is_put_again_takes_the_place_of_what_was(store: BaseStore) -> None:
    store.put(NS, "k", {"n": 1, "old": True})
    first = store.get(NS, "k")
    store.put(NS, "k", {"n": 2})
    item = store.get(NS, "k")
    assert item is not None
    assert first is not None
    assert item.value == {"n": 2}
    assert item.updated_at > first.updated_at
    assert len(store.search(NS)) == 1


def test_what_is_deleted_is_gone(store: BaseStore) -> None:
    store.put(NS, "k", {"text": "plum"})
    store.put(NS, "stays", {"text": "pear"})
    store.delete(NS, "k")
    assert store.get(NS, "k") is None
    assert [one.key for one in store.search(NS, query="plum")] == ["stays"]
    store.put(NS, "k", {"text": "again"})
    assert store.get(NS, "k") is not None


def test_a_search_reaches_what_lies_below_its_prefix(store: BaseStore) -> None:
    for namespace in (("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("b", "a")):
        store.put(namespace, "k", {"n": "/".join(namespace)})
    assert {one.value["n"] for one in store.search(("a",))} == {"a", "a/b", "a/b/c"}
    assert {one.value["n"] for one in store.search(("a", "b"))} == {"a/b", "a/b/c"}
    assert len(store.search(())) == 5
    assert store.search(("nothing",)) == []


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"kind": "a"}, {"1", "3"}),
    ({"kind": "a", "n": 3}, {"3"}),
    ({"n": {"$gt": 1}}, {"2", "3"}),
    ({"n": {"$gte": 2, "$lt": 3}}, {"2"}),
    ({"n": {"$lte": 1}}, {"1"}),
    ({"kind": {"$eq": "b"}}, {"2"}),
    ({"kind": {"$ne": "a"}}, {"2"}),
    ({"deep": {"x": 1}}, {"1", "2"}),
    ({"list": [1, 2]}, {"1"}),
    ({"missing": None}, {"1", "2", "3"}),
    ({"missing": "x"}, set()),
    ({}, {"1", "2", "3"}),
]


@pytest.mark.parametrize(("wanted", "keys"), FILTERS)
def test_a_filter_lets_pass_what_it_says(store: BaseStore, wanted: dict[str, Any], keys: set[str]) -> None:
    store.put(NS, "1", {"kind": "a", "n": 1, "deep": {"x": 1, "y": 2}, "list": [1, 2]})
    store.put(NS, "2", {"kind": "b", "n": 2, "deep": {"x": 1}, "list": [1]})
    store.put(NS, "3", {"kind": "a", "n": 3.5 if wanted == {"n": {"$gt": 1}} else 3, "deep": {}, "list": []})
    assert {one.key for one in store.search(NS, filter=wanted)} == keys


def test_an_operator_that_there_is_not_is_refused(store: BaseStore) -> None:
    store.put(NS, "1", {"n": 1})
    with pytest.raises((ValueError, kataribe.InputError)):
        store.search(NS, filter={"n": {"$near": 1}})


def test_pages_together_are_the_whole(store: BaseStore) -> None:
    for no in range(7):
        store.put(NS, f"k{no}", {"n": no, "text": "same"})
    assert len(store.search(NS, limit=3)) == 3
    pages = [one.key for at in range(0, 9, 3) for one in store.search(NS, limit=3, offset=at)]
    assert sorted(pages) == [f"k{no}" for no in range(7)]
    assert store.search(NS, limit=3, offset=9) == []


def test_a_query_gives_the_likest_first_with_a_score(store: BaseStore) -> None:
    store.put(NS, "jam", {"text": "plum jam plum jam"})
    store.put(NS, "ferry", {"text": "the ferry sails on friday"})
    found = store.search(NS, query="plum jam")
    assert found[0].key == "jam"
    assert {one.key for one in found} == {"jam", "ferry"}
    scores = [one.score for one in found if one.score is not None]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert [one.key for one in store.search(NS, query="plum jam", limit=1)] == ["jam"]
    assert [one.key for one in store.search(("elsewhere",), query="plum jam")] == []


def test_what_is_not_indexed_has_no_score_and_is_still_got(store: BaseStore) -> None:
    store.put(NS, "hidden", {"text": "plum jam"}, index=False)
    store.put(NS, "shown", {"text": "plum jam too"})
    found = {one.key: one.score for one in store.search(NS, query="plum jam")}
    assert found["hidden"] is None
    assert found["shown"] is not None
    assert store.get(NS, "hidden") is not None
    store.put(NS, "hidden", {"text": "plum jam"})
    again = {one.key: one.score for one in store.search(NS, query="plum jam")}
    assert again["hidden"] is not None


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: BaseStore) -> None:
    for namespace in (("a", "b", "v1"), ("a", "b", "v2"), ("a", "c"), ("d", "v1")):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces() == [("a", "b", "v1"), ("a", "b", "v2"), ("a", "c"), ("d", "v1")]
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "v1"), ("a", "b", "v2")]
    assert store.list_namespaces(suffix=("v1",)) == [("a", "b", "v1"), ("d", "v1")]
    assert store.list_namespaces(prefix=("a", "*", "v2")) == [("a", "b", "v2")]
    assert store.list_namespaces(prefix=("a",), suffix=("v1",)) == [("a", "b", "v1")]
    assert store.list_namespaces(max_depth=1) == [("a",), ("d",)]
    assert store.list_namespaces(max_depth=2, prefix=("a",)) == [("a", "b"), ("a", "c")]
    assert store.list_namespaces(limit=2, offset=1) == [("a", "b", "v2"), ("a", "c")]


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x")])
def test_a_namespace_that_is_none_is_refused(store: BaseStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_a_batch_reads_what_was_and_writes_what_came_last(store: BaseStore) -> None:
    store.put(NS, "k", {"n": 1})
    found = store.batch(
        [
            PutOp(NS, "k", {"n": 2}),
            GetOp(NS, "k"),
            PutOp(NS, "new", {"n": 3}),
            PutOp(NS, "new", {"n": 4}),
            SearchOp(NS, filter={"n": 3}),
            PutOp(NS, "gone", None),
        ]
    )
    assert found[0] is None
    assert found[1].value == {"n": 1}  # type: ignore[union-attr]
    assert found[4] == []
    items = [store.get(NS, key) for key in ("k", "new")]
    assert [one.value["n"] for one in items if one is not None] == [2, 4]


def test_no_time_to_live_is_promised_where_there_is_none(store: BaseStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(NS, "k", {"n": 1}, ttl=5)


def test_all_of_it_is_awaited_too(store: BaseStore) -> None:
    async def ask() -> None:
        await asyncio.gather(*(store.aput(NS, f"k{no}", {"n": no, "text": "plum"}) for no in range(4)))
        item = await store.aget(NS, "k2")
        assert item is not None
        assert item.value["n"] == 2
        await store.adelete(NS, "k1")
        assert len(await store.asearch(NS)) == 3
        assert (await store.asearch(NS, query="plum", limit=1))[0].score is not None
        assert await store.alist_namespaces() == [NS]

    asyncio.run(ask())


# -- what is ours alone ---------------------------------------------------------------------


def test_another_users_items_are_out_of_reach_whatever_the_namespace_says(memory: Kataribe) -> None:
    mine, theirs = ours(memory, user="u"), ours(memory, user="v")
    mine.put(NS, "k", {"text": "my plum jam"})
    assert theirs.get(NS, "k") is None
    assert theirs.search((), query="plum jam") == []
    assert theirs.list_namespaces() == []
    theirs.put(NS, "k", {"text": "theirs"})
    theirs.delete(NS, "k")
    item = mine.get(NS, "k")
    assert item is not None
    assert item.value == {"text": "my plum jam"}


def test_another_personas_items_change_no_byte_of_an_answer(memory: Kataribe) -> None:
    """P1 and P2: what another persona was told is as if it were not there."""

    def asked(store: KataribeStore) -> list[object]:
        found: list[object] = [one.dict() for one in store.search((), query="plum jam")]
        return [*found, store.list_namespaces(), [one.dict() for one in store.search(())]]

    ann, ben = ours(memory, persona="ann"), ours(memory, persona="ben")
    ann.put(("ann",), "k", {"text": "the plum jam is in the cellar"})
    before = asked(ann)
    ben.put(("ben",), "k", {"text": "plum jam plum jam"})
    ben.put(("ann",), "k2", {"text": "plum jam for ben"})
    assert asked(ann) == before
    assert ann.get(("ben",), "k") is None


def test_an_item_is_remembered_like_all_that_was_said(memory: Kataribe) -> None:
    store = ours(memory)
    store.put(NS, "k", {"text": "Nora likes plum jam."})
    memory.user("u").said("Where is the jam?", speaker="u", persona="p")
    hits = memory.recall("plum jam", user="u", persona="p").hits
    assert any("Nora likes plum jam." in hit.text for hit in hits)
    assert [one.key for one in store.search(())] == ["k"]
    assert memory.verify().problems == ()


def test_items_are_there_when_the_store_is_opened_again(memory: Kataribe, tmp_path: Path) -> None:
    ours(memory).put(NS, "k", {"n": 1})
    with kataribe.open(str(tmp_path / "s.db"), services=services()) as again:
        item = ours(again).get(NS, "k")
    assert item is not None
    assert item.value == {"n": 1}


def test_what_cannot_be_kept_is_refused_and_leaves_nothing(memory: Kataribe) -> None:
    store = ours(memory)
    for key, value in (("k" * 300, {"n": 1}), ("k", {"n": {1, 2}}), ("k", {"n": float("nan")})):
        with pytest.raises(kataribe.InputError):
            store.batch([PutOp(NS, "fine", {"n": 1}), PutOp(NS, key, value)])
    assert store.search(()) == []


# -- nodes ----------------------------------------------------------------------------------


class Talk(TypedDict, total=False):
    messages: list[Any]
    context: str
    memories: list[Any]
    character_id: str
    current_episode_no: int
    story_id: str
    user_id: str


TOLD = {
    "en": ("Ada buried the silver key under the pear tree.", "Where is the silver key?"),
    "ja": ("アダは銀の鍵を梨の木の下に埋めた。", "銀の鍵はどこ？"),
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_graph_is_given_what_its_character_remembers(memory: Kataribe, language: Any) -> None:
    secret, question = TOLD[language]
    story = memory.story("s")
    story.create(language=language, embedder="hash", audience="wide")
    for who in ("ada", "bo"):
        story.cast.add(kataribe.Character(character_id=who))
    story.tell(secret, facts=[{"text": secret, "known_by": ["ada"]}])

    def answered(who: str) -> dict[str, Any]:
        graph = StateGraph(Talk)
        graph.add_node("look", retrieval_node(memory, {"story": "s", "persona": who, "at": 2}))
        graph.add_edge(START, "look")
        graph.add_edge("look", END)
        state: Any = {"messages": [HumanMessage(question)], "character_id": "ada", "current_episode_no": 9}
        found: dict[str, Any] = graph.compile().invoke(state)
        return found

    ada, bo = answered("ada"), answered("bo")
    assert secret in ada["context"]
    assert [one["text"] for one in ada["memories"]] == [secret]
    assert (ada["story_id"], ada["character_id"], ada["current_episode_no"]) == ("s", "ada", 2)
    # What the state said of who asks is not heeded.
    assert (bo["character_id"], bo["memories"]) == ("bo", [])
    assert secret not in str(bo["context"])


def test_a_node_that_is_asked_nothing_says_so(memory: Kataribe) -> None:
    memory.user("u").create(language="en", embedder="hash")
    look = retrieval_node(memory, {"user": "u"})
    nothing: tuple[Any, ...] = ({}, {"messages": []}, {"messages": [AIMessage("hello")]}, {"question": " "})
    for state in nothing:
        with pytest.raises(kataribe.InputError, match="asks nothing"):
            look(state)
    assert look({"question": "plum?"})["memories"] == []


def test_what_was_said_is_saved_once_and_without_tools(memory: Kataribe) -> None:
    graph = StateGraph(Talk)
    graph.add_node("save", saving_node(memory, user="u", persona="p", language="en"))
    graph.add_edge(START, "save")
    graph.add_edge("save", END)
    said = [
        SystemMessage("You are p."),
        HumanMessage("I lost my umbrella on the ferry."),
        AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "1"}]),
        ToolMessage("{}", tool_call_id="1"),
        AIMessage([{"type": "text", "text": "On the ferry, then."}]),
    ]
    config: Any = {"configurable": {"thread_id": "day one"}}
    compiled = graph.compile()
    compiled.invoke({"messages": said}, config)
    compiled.invoke({"messages": [*said, HumanMessage("Yes, on Friday.")]}, config)
    turns = memory.user("u").turns()
    assert [(one.session, one.speaker, one.text) for one in turns] == [
        ("day one", "u", "I lost my umbrella on the ferry."),
        ("day one", "p", "On the ferry, then."),
        ("day one", "u", "Yes, on Friday."),
    ]
    assert memory.recall("umbrella", user="u", persona="p").hits
    assert memory.recall("umbrella", user="u", persona="other").hits == ()


def test_the_core_and_the_command_line_load_no_framework() -> None:
    code = (
        "import sys, kataribe.__main__, kataribe.agents.toolset; kataribe.Viewer, kataribe.Kataribe;"
        "print([one for one in ('langgraph', 'langchain_core', 'mcp', 'uvicorn') if one in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
