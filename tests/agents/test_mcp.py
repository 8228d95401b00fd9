"""The door over MCP: one viewer, bound by the connection; its tools, resources and prompts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from mcp import Client, MCPError, StdioServerParameters

import kataribe
from kataribe.agents.mcp import server_for
from kataribe.agents.toolset import remember_tool, tools_of
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Address, Alias, Character, NameKind
from kataribe.domain.terms import PUBLIC, Audience, FactSource
from kataribe.surfaces.cli.app import run
from support.effort import EFFORT
from support.model import Model, ModelEpisode
from support.stores import empty_store, fresh_copy, services

TEXTS = {
    "en": (
        "[[known-by: public]] The silver key of the well is lost.",
        "[[known-by: ada]] Ada buried the silver key under the pear tree.",
        "[[known-by: public]] Cleo sold the silver key.",
    ),
    "ja": (
        "【知る者：全員】井戸の銀の鍵がなくなった。",
        "【知る者：ada】アダは銀の鍵を梨の木の下に埋めた。",
        "【知る者：全員】クレオは銀の鍵を売った。",
    ),
}
ASKED = {"en": "Where is the silver key?", "ja": "銀の鍵はどこ？"}
SECRET = {"en": "pear tree", "ja": "梨の木"}
LATER = {"en": "Cleo", "ja": "クレオ"}
LANGUAGES = ("en", "ja")
ADA: ViewerKeys = {"story": "s", "persona": "ada", "at": 3}
BO: ViewerKeys = {"story": "s", "persona": "bo", "at": 3}
TALKS: ViewerKeys = {"user": "u", "persona": "ada"}


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def store(language: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return told(tmp_path_factory.mktemp("mcp") / "s.db", language)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return told(tmp_path_factory.mktemp("english") / "s.db", "en")


def told(path: Path, language: Any) -> Path:
    """Make a store with a story, a user and a library."""
    with kataribe.open(str(empty_store(path)), services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash", audience="wide")
        for who in ("ada", "bo", "cleo"):
            story.cast.add(kataribe.Character(character_id=who))
        for no, text in enumerate(TEXTS[language], start=1):
            story.episodes.put(no, text)
        memory.user("u").create(language=language, embedder="hash")
        memory.library("rules").create(language=language, embedder="hash")
        memory.library("rules").put("rules.txt", ASKED[language])
        memory.sync()
    return path


@asynccontextmanager
async def connected(path: Path, viewer: ViewerKeys, *, library: str | None = None) -> AsyncIterator[Client]:
    memory = await kataribe.open_async(str(path), services=services())
    try:
        async with Client(server_for(memory, viewer, library=library)) as client:
            yield client
    finally:
        await memory.close()


def over_memory(
    path: Path, viewer: ViewerKeys, ask: Callable[[Client], Awaitable[Any]], *, library: str | None = None
) -> Any:
    async def asking() -> Any:
        async with connected(path, viewer, library=library) as client:
            return await ask(client)

    return asyncio.run(asking())


async def called(client: Client, tool: str, **arguments: object) -> tuple[bool, Any]:
    """Call a tool: whether it was refused, and the rows or the words that it gave."""
    given = await client.call_tool(tool, arguments)
    (content,) = given.content
    text = str(getattr(content, "text", ""))
    return bool(given.is_error), text if given.is_error else json.loads(text)


CALLS = slice(2, 7)
"""Where what the tools gave stands in all of it."""


async def all_of_it(client: Client, question: str) -> list[object]:
    """Give all that a client is given, as it comes over the wire."""
    tools = [one.model_dump() for one in (await client.list_tools()).tools]
    found: list[object] = [tools, (await client.list_prompts()).model_dump()]
    found += [
        await called(client, "recall_memories", query=question),
        await called(client, "recall_memories", query=question, top_k=1),
        await called(client, "known"),
        await called(client, "known", episode=2),
        await called(client, "known", last=1),
    ]
    resources = await client.list_resources()
    found.append(resources.model_dump())
    found.append((await client.list_resource_templates()).model_dump())
    for no in range(1, 6):
        try:
            found.append((await client.read_resource(f"kataribe://episodes/{no}")).model_dump())
        except MCPError as refused:
            found.append((refused.code, refused.message))
    prompt = await client.get_prompt("context", {"question": question})
    found.append(prompt.model_dump())
    return found


def test_the_tools_are_those_of_the_connection(store: Path) -> None:
    async def names(client: Client) -> list[str]:
        return [one.name for one in (await client.list_tools()).tools]

    story = ["recall_memories", "known"]
    talk = [*story, "search_past_conversations", "read_memory_context", "remember"]
    assert over_memory(store, BO, names) == story
    assert over_memory(store, {"story": "s", "reader": True, "read": 2}, names) == story
    assert over_memory(store, TALKS, names) == talk
    assert over_memory(store, BO, names, library="rules") == [*story, "search_knowledge_base"]
    later: ViewerKeys = {**ADA, "at": "now", "user": "u"}
    assert "remember" not in over_memory(store, later, names)


def test_no_tool_takes_a_word_about_who_asks(store: Path) -> None:
    async def taken(client: Client) -> set[str]:
        tools = (await client.list_tools()).tools
        return {name for one in tools for name in one.input_schema["properties"]}

    both: ViewerKeys = {**ADA, "user": "u"}
    found = over_memory(store, both, taken, library="rules")
    assert not found & ViewerKeys.__annotations__.keys()

    async def tried(client: Client) -> list[tuple[bool, Any]]:
        wrong: list[dict[str, Any]] = [
            {"at": 9},
            {"persona": "ada"},
            {"reader": True},
            {"story": "s"},
            {"user": "u"},
        ]
        return [await called(client, "recall_memories", query="?", **one) for one in wrong]

    assert all(is_refused for is_refused, _ in over_memory(store, BO, tried))


def test_a_character_is_given_its_own_and_nothing_later(store: Path, language: str) -> None:
    async def asked(client: Client) -> list[object]:
        return await all_of_it(client, ASKED[language])

    ada, bo = (json.dumps(over_memory(store, one, asked), ensure_ascii=False) for one in (ADA, BO))
    assert SECRET[language] in ada
    assert SECRET[language] not in bo
    assert LATER[language] not in ada + bo


def test_an_episode_is_what_the_viewer_knows_of_it(store: Path, language: str) -> None:
    async def read(client: Client) -> tuple[list[str], list[str]]:
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        texts = [str(getattr((await client.read_resource(uri)).contents[0], "text", "")) for uri in uris]
        return uris, texts

    uris, texts = over_memory(store, ADA, read)
    assert uris == ["kataribe://episodes/1", "kataribe://episodes/2"]
    assert [row["episode_no"] for row in json.loads(texts[1])] == [2]
    assert SECRET[language] in texts[1]
    assert over_memory(store, BO, read)[0] == ["kataribe://episodes/1"]


@pytest.mark.parametrize("uri", ["kataribe://episodes/3", "kataribe://episodes/77", "kataribe://profile"])
def test_what_is_later_and_what_is_not_there_are_refused_alike(store: Path, uri: str) -> None:
    async def read(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
        return refused.value.message

    assert over_memory(store, ADA, read) == f"nothing is known of {uri!r}"


def test_the_context_is_a_prompt(store: Path, language: str) -> None:
    async def prompted(client: Client) -> str:
        with pytest.raises(MCPError, match="question"):
            await client.get_prompt("context", {"question": "?", "at": "9"})
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("diary", {})
        with pytest.raises(MCPError, match="empty"):
            await client.get_prompt("context", {"question": " "})
        made = await client.get_prompt("context", {"question": ASKED[language]})
        return str(getattr(made.messages[0].content, "text", ""))

    text = over_memory(store, ADA, prompted)
    assert SECRET[language] in text
    assert ASKED[language] in text


def test_what_is_remembered_is_recalled_at_once_and_by_whom_it_was_said_to(
    store: Path, language: str
) -> None:
    said = {"en": "My umbrella is on the ferry.", "ja": "傘を渡し船に忘れた。"}[language]

    async def tell(client: Client) -> None:
        is_refused, rows = await called(client, "remember", text=said)
        assert not is_refused
        _, found = await called(client, "recall_memories", query=said)
        assert found[0]["text"] == said
        _, again = await called(client, "read_memory_context", turn=rows[0]["turn"])
        assert again[0]["text"] == said
        replied = await called(client, "remember", text=said + "!", said_by="persona")
        assert not replied[0]

    async def seen(client: Client) -> str:
        return json.dumps(await called(client, "known"), ensure_ascii=False)

    over_memory(store, TALKS, tell)
    assert said in over_memory(store, TALKS, seen)
    assert said not in over_memory(store, {"user": "u", "persona": "bo"}, seen)


def test_a_new_user_is_made_by_what_is_said(store: Path, language: str) -> None:
    async def tell(client: Client) -> list[tuple[bool, Any]]:
        return [
            await called(client, "recall_memories", query=ASKED[language]),
            await called(client, "remember", text=ASKED[language]),
            await called(client, "known"),
        ]

    before, told, after = over_memory(store, {"user": "new", "persona": "ada"}, tell)
    assert before[0]
    assert "no user" in before[1]
    assert not told[0]
    assert [row["text"] for row in after[1]] == [ASKED[language]]


WRONG: list[tuple[str, dict[str, object]]] = [
    ("recall_memories", {}),
    ("recall_memories", {"query": 3}),
    ("recall_memories", {"query": " "}),
    ("recall_memories", {"query": "?", "top_k": 0}),
    ("recall_memories", {"query": "?", "top_k": "9"}),
    ("known", {"last": 0}),
    ("known", {"last": 201}),
    ("known", {"episode": True}),
    ("known", {"episode": 0}),
    ("known", {"where": {}}),
    ("remember", {}),
    ("remember", {"text": ""}),
    ("remember", {"text": "x", "said_by": "god"}),
    ("search_past_conversations", {"keywords": "x"}),
    ("read_memory_context", {"turn": "nothing of the kind"}),
]


def test_wrong_arguments_are_told_to_the_model_and_change_nothing(store: Path) -> None:
    async def tried(client: Client) -> list[tuple[bool, Any]]:
        before = await called(client, "known")
        found = [await called(client, tool, **arguments) for tool, arguments in WRONG]
        assert await called(client, "known") == before
        return found

    found = over_memory(store, TALKS, tried)
    assert all(is_refused and text for is_refused, text in found)
    assert not any("Traceback" in text for _, text in found)


def test_a_tool_that_is_not_there_is_no_tool(store: Path) -> None:
    async def tried(client: Client) -> None:
        for name in ("remember", "search_past_conversations", "history", "x" * 500):
            with pytest.raises(MCPError, match="no tool"):
                await client.call_tool(name, {})

    over_memory(store, BO, tried)


def test_a_connection_of_nobody_is_refused(store: Path) -> None:
    async def made(viewer: Any) -> None:
        memory = await kataribe.open_async(str(store), services=services())
        try:
            for make in (lambda: server_for(memory, viewer), lambda: tools_of(memory, viewer)):
                with pytest.raises(kataribe.InputError):
                    make()
            pasts: tuple[Any, ...] = (
                {**TALKS, "as_of": datetime(2024, 1, 1, tzinfo=UTC)},
                BO,
                {**ADA, "user": "u", "at": "now"},
            )
            for past in pasts:
                with pytest.raises(kataribe.InputError):
                    remember_tool(memory, past)
        finally:
            await memory.close()

    for viewer in ({}, {"story": "s"}, {"story": "s", "persona": "ada"}, {"persona": "ada"}):
        asyncio.run(made(viewer))


# -- over a process ------------------------------------------------------------------------


def command(store: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "kataribe", "--db", str(store), "mcp", *options]


def test_the_official_client_talks_to_it_over_standard_input_and_output(store: Path, language: str) -> None:
    program, *arguments = command(store, "--story", "s", "--as", "ada", "--at", "3")
    started = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))

    async def asked() -> tuple[list[object], list[object]]:
        async with Client(started) as client:
            over_pipe = await all_of_it(client, ASKED[language])
        async with connected(store, ADA) as client:
            return over_pipe, await all_of_it(client, ASKED[language])

    over_pipe, inside = asyncio.run(asked())
    assert without_server(over_pipe) == without_server(inside)


def without_server(found: Any) -> Any:
    """Leave out what the connection says of itself."""
    if isinstance(found, dict):
        return {name: without_server(one) for name, one in found.items() if name not in ("meta", "_meta")}
    return [without_server(one) for one in found] if isinstance(found, list | tuple) else found


def test_the_official_client_talks_to_it_over_http_and_a_stop_is_clean(store: Path, language: str) -> None:
    with subprocess.Popen(
        command(store, "--story", "s", "--as", "bo", "--at", "3", "--http", "0"),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        url = server.stderr.readline().split()[2].rstrip(";")
        assert url.startswith("http://127.0.0.1:")

        async def asked() -> list[Any]:
            # The newest protocol, and the handshake of the clients of other languages (Mastra's among them).
            found: list[Any] = []
            for mode in ("auto", "legacy"):
                async with Client(url, mode=mode) as client:
                    found.append(without_server(await all_of_it(client, ASKED[language])))
            return found

        newest, older = asyncio.run(asked())
        assert newest[CALLS] == older[CALLS]
        found = json.dumps([newest, older], ensure_ascii=False, default=str)
        server.send_signal(signal.SIGTERM)
        out, _ = server.communicate()
    assert SECRET[language] not in found
    assert TEXTS[language][0][-8:] in found
    assert (server.returncode, out) == (0, "")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_what_is_told_to_stop_stops_though_the_client_is_still_there(
    english: Path, stop: signal.Signals
) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    with subprocess.Popen(
        command(english, "--user", "u"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(stop)
        assert server.wait() == 0
        # Nothing but messages may stand on standard output.
        assert server.stdout.read() == ""
    with kataribe.open(str(english), services=services()) as memory:
        assert memory.verify().problems == ()


INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--story", "nope", "--as", "x", "--at", "2"), "no story 'nope'"),
        (("--user", "u", "--library", "nope"), "nope"),
        (("--story", "s", "--as", "x"), "--at"),
        (("--story", "s", "--reader", "--read", "2", "--as", "ada"), "--reader"),
    ],
)
def test_a_connection_that_cannot_be_is_refused_before_anything_is_served(
    english: Path, options: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command(english, *options)[3:]) in (2, 3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err


def test_without_the_package_it_is_said_what_to_type(
    english: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kataribe.surfaces.cli.mcp.find_spec", lambda _: None)
    assert run(command(english, "--user", "u")[3:]) != 0
    assert "pip install 'kataribe[mcp]'" in capsys.readouterr().err


# -- P1 and P2 over the door ---------------------------------------------------------------

CAST = ("ann", "ben", "cleo")
LINES = {
    "en": ("The key is under the stone.", "Ann owns the mill.", "Ben set the fire.", "Cleo is the Fox."),
    "ja": ("鍵は石の下にある。", "アンは水車小屋の持ち主だ。", "火をつけたのはベンだ。", "クレオは狐だ。"),
}
QUESTIONS = {"en": "Where is the key of the Fox?", "ja": "狐の鍵はどこ？"}
audiences = st.one_of(
    st.just(PUBLIC),
    st.frozensets(st.sampled_from(CAST), min_size=1, max_size=2).map(lambda who: Audience(members=who)),
)


def modelled(language: str, told: list[tuple[int, int, Audience]], since: int, knows: Audience) -> Model:
    """Make a story of supplied facts (episode, line, audience) and a secret name."""
    model = Model(language=language)
    for no in range(1, 5):
        text = LINES[language][no % 4]
        model.episodes[f"e{no}"] = ModelEpisode(f"e{no}", no, text, FactSource.SUPPLIED)
    fox = Alias(
        text={"en": "the Fox", "ja": "狐"}[language],
        kind=NameKind.OTHER,
        address=Address(since=since, audience=knows),
    )
    for who in CAST:
        aliases = (Alias(text=who.title(), kind=NameKind.NAME), *((fox,) if who == "cleo" else ()))
        model.cast[who] = Character(character_id=who, aliases=aliases)
    for at, (no, line, audience) in enumerate(told):
        row = FactRow(fact_id=f"x{at}", episode_no=no, audience=audience, text=LINES[language][line])
        model.facts[f"x{at}"] = (f"e{no}", row)
    return model


@pytest.mark.parametrize("words", LANGUAGES)
@settings(max_examples=6 * EFFORT, deadline=None)
@given(
    told=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), audiences), min_size=1, max_size=8),
    since=st.integers(0, 4),
    knows=audiences,
    who=st.sampled_from((*CAST, "stranger", None)),
    at=st.integers(1, 4),
)
def test_what_lies_outside_the_gate_changes_no_byte_that_a_client_is_given(
    words: str,
    told: list[tuple[int, int, Audience]],
    since: int,
    knows: Audience,
    who: str | None,
    at: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """P1 and P2 over the door; `who` None is a reader of the episodes before `at`."""
    whole = modelled(words, told, since, knows)
    less = whole.read_up_to(at - 1) if who is None else whole.seen_by(who, at)
    viewer: ViewerKeys = (
        {"story": "s", "reader": True, "read": at - 1}
        if who is None
        else {"story": "s", "persona": who, "at": at}
    )
    given_by = []
    for model in (whole, less):
        path = fresh_copy(model, tmp_path_factory.mktemp("door"))
        given_by.append(over_memory(path, viewer, lambda client: all_of_it(client, QUESTIONS[words])))
    assert given_by[0] == given_by[1]
    may = {fact_id for one in CAST for fact_id in whole.may_know(one, at)}
    own = may if who is None else whole.may_know(who, at)
    known = given_by[0][4][1]
    assert {row["fact_id"] for row in known} == own
