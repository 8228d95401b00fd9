"""Tools for agents: whatever a model says, a tool sees what its viewer may, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe import Kataribe, Turn, known_by
from kataribe.domain.recall.requests import ViewerKeys
from support.stores import services

BEGUN = datetime(2024, 5, 1, 9, tzinfo=UTC)
SAID = [
    ("t1", "Ann", "The green boat lies behind the mill.", None),
    ("t2", "Rin", "I will not tell anybody.", None),
    ("t3", "Ann", "水門の鍵は粉屋が持っている。", None),
    ("t4", "Ann", "Only for Rin: the green boat leaks.", "rin"),
    ("t5", "Rin", "Then we walk.", None),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(tmp_path / "k.db"), services=services()) as opened:
        opened.user("u").create(language="en", embedder="hash")
        opened.user("u").put_turns(
            [
                Turn(
                    turn_id=turn_id,
                    session="s",
                    speaker=speaker,
                    text=text,
                    time=BEGUN + timedelta(minutes=at),
                    ordinal=at,
                    audience=kataribe.PUBLIC if holder is None else known_by(holder),
                )
                for at, (turn_id, speaker, text, holder) in enumerate(SAID)
            ],
        )
        opened.user("u").sync()
        yield opened


def turns(found: list[dict[str, object]]) -> list[object]:
    return [one["turn"] for one in found]


def test_a_recall_tool_may_be_of_a_user(store: Kataribe) -> None:
    everybody = store.viewer(user="u").recall_tool()
    assert "t4" not in [hit["fact_id"] for hit in everybody(query="green boat", top_k=50)]
    rin = store.viewer(user="u", persona="rin").recall_tool()
    assert "t4" in [hit["fact_id"] for hit in rin(query="green boat", top_k=50)]
    early = store.viewer(user="u", persona="rin", as_of=BEGUN).recall_tool()
    assert [hit["fact_id"] for hit in early(query="green boat", top_k=50)] == ["t1"]


@pytest.mark.parametrize("question", ["green boat", "水門の鍵"])
def test_a_recall_tool_is_slim_unless_asked_for_detail(store: Kataribe, question: str) -> None:
    """Text, where it is from, and the id that the tool for reading on takes."""
    slim = store.viewer(user="u", persona="rin").recall_tool()(query=question)
    found = store.recall(question, user="u", persona="rin")
    assert [hit["text"] for hit in slim] == [hit.text for hit in found.hits]
    assert {name for hit in slim for name in hit} - {"marks"} == {
        "text", "session", "speaker", "time", "fact_id",
    }  # fmt: skip
    whole = store.viewer(user="u", persona="rin").recall_tool(detail=True)(query=question)
    assert whole == [kataribe.hit_json(hit) for hit in found.hits]
    assert 3 * len(json.dumps(slim)) < len(json.dumps(whole))
    assert turns(store.viewer(user="u", persona="rin").read_tool()(turn=slim[0]["fact_id"], around=0)) == [
        slim[0]["fact_id"]
    ]


@pytest.mark.parametrize(("language", "text"), [("en", "The boat is green."), ("ja", "舟は緑だ。")])
def test_a_slim_hit_of_a_story_names_its_episode(store: Kataribe, language: str, text: str) -> None:
    store.story("s").create(language="ja" if language == "ja" else "en", embedder="hash")
    store.story("s").episodes.put(no=4, text=text)
    store.story("s").sync()
    viewer: ViewerKeys = {"story": "s", "persona": "ann", "at": 5}
    (hit,) = store.viewer(**viewer).recall_tool()(query=text)
    (known,) = store.known(**viewer).hits
    assert hit == {"text": text, "episode_no": 4, "fact_id": known.fact_id, "marks": ["new"]}


def test_exact_words_are_the_last_resort_and_say_so(store: Kataribe) -> None:
    """S4-93, S4-106."""
    tool = store.viewer(user="u").search_tool()
    assert turns(tool(keywords=["green boat"])) == ["t1"]
    assert turns(tool(keywords=["水門"])) == ["t3"]
    assert turns(store.viewer(user="u", persona="rin").search_tool()(keywords=["green boat"])) == ["t4", "t1"]
    assert "last resort" in tool.description
    assert "first" in store.viewer(user="u").recall_tool().description


@pytest.mark.parametrize(("word", "filler"), [("green boat", "on and on "), ("水門の鍵", "それからそれから")])
def test_a_cut_turn_says_that_there_is_more(store: Kataribe, word: str, filler: str) -> None:
    """S4-77: a model is told that a text is a part, and how to read the rest."""
    long = f"{filler * 60}{word}{filler * 60}"
    store.user("u").put_turns([Turn(turn_id="t9", session="s", speaker="Ann", text=long, time=BEGUN)])
    store.user("u").sync()
    whole, cut = sorted(
        store.viewer(user="u").search_tool()(keywords=[word]), key=lambda one: one["turn"] == "t9"
    )
    assert whole["more"] is None
    assert word in str(cut["text"])
    assert len(str(cut["text"])) == 500
    assert cut["more"] == f"more available, {len(long)} characters in all: read_memory_context with turn 't9'"
    read = store.viewer(user="u").read_tool()(turn="t9", around=0)
    assert [one["text"] for one in read] == [long]


def test_reading_on_stays_inside_the_gate(store: Kataribe) -> None:
    """S4-105: the turn in full, and those around it that the viewer knows."""
    tool = store.viewer(user="u").read_tool()
    assert turns(tool(turn="t3", around=1)) == ["t2", "t3", "t5"]
    assert turns(tool(turn="t3", around=0)) == ["t3"]
    assert turns(tool(turn="t1")) == ["t1", "t2", "t3"]
    assert turns(store.viewer(user="u", persona="rin").read_tool()(turn="t3", around=1)) == ["t2", "t3", "t4"]
    assert turns(store.viewer(user="u", as_of=BEGUN + timedelta(minutes=2)).read_tool()(turn="t3")) == [
        "t1",
        "t2",
        "t3",
    ]
    said = []
    for unknown in ("t4", "t9"):
        with pytest.raises(kataribe.NotFoundError) as refused:
            tool(turn=unknown)
        said.append(str(refused.value).replace(unknown, "?"))
    assert said[0] == said[1], "whether it is there is not told"
    with pytest.raises(kataribe.NotFoundError):
        store.viewer(user="u", as_of=BEGUN).read_tool()(turn="t3")


def test_no_tool_is_widened_by_a_model(store: Kataribe) -> None:
    """S0-30."""
    given: dict[str, object] = {"query": "boat", "keywords": ["boat"], "turn": "t1"}
    tools: dict[str, kataribe.RecallTool | kataribe.SearchTool | kataribe.ReadTool] = {
        "query": store.viewer(user="u").recall_tool(),
        "keywords": store.viewer(user="u").search_tool(),
        "turn": store.viewer(user="u").read_tool(),
    }
    for needed, tool in tools.items():
        assert tool.parameters["required"] == [needed]
        assert tool(**{needed: given[needed]})
        for name in ("user", "persona", "as_of", "viewer", "where", "policy"):
            with pytest.raises(kataribe.InputError, match=name):
                tool(**{needed: given[needed], name: "rin"})
        with pytest.raises(kataribe.InputError):
            tool()
        with pytest.raises(kataribe.InputError):
            tool(**{needed: 7})
    for around in (-1, 21, True, "2"):
        with pytest.raises(kataribe.InputError, match="around"):
            store.viewer(user="u").read_tool()(turn="t1", around=around)
    with pytest.raises(kataribe.InputError, match="user"):
        store.viewer(story="s", persona="ann", at=2).read_turn("t1")
    with pytest.raises(kataribe.InputError, match="around"):
        store.viewer(user="u").read_turn("t1", around=101)
