"""Who may be answered by whom under OpenAI's routes: a key decides, and no name of a model widens it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import openai
import pytest

import kataribe
from kataribe.surfaces.http.openai_speakers import Speaker, read_speaker
from kataribe.surfaces.http.options import ServerOptions
from support.openai_serving import listening
from support.serving import Client, Served, served
from support.upstream import StubUpstream, upstream_server, waits

CHAT = "/v1/chat/completions"


def run(folder: Path, act: Callable[[Served], Awaitable[None]], options: ServerOptions | None = None) -> None:
    """Do something with a store in which a story and two users are."""

    async def whole() -> None:
        async with served(folder, options) as here:
            tale = here.memory.story("海/辺")
            await tale.create(language="ja", embedder="hash")
            for no in (1, 2, 3):
                facts = [
                    {"text": f"澪は第{no}の鍵を隠した。", "known_by": ["澪"]},
                    {"text": f"Kai sold the lamp {no}.", "known_by": ["kai"]},
                ]
                await tale.episodes.put(no, f"第{no}話", facts=facts)
            await tale.sync()
            for user in ("yuki", "ren"):
                talk = here.memory.user(user)
                await talk.create(language="ja", embedder="hash")
                for persona in ("澪", "kai"):
                    text = f"{user}は{persona}に雨の話をした"
                    await talk.said(text, speaker=user, persona=persona, session="s")
            await act(here)

    asyncio.run(whole())


def of(
    name: str, text: str = "澪は第1の鍵と第2の鍵を隠した? 雨の話をした? Kai sold the lamp?", **more: object
) -> dict[str, object]:
    return {"model": f"kataribe/{name}", "messages": [{"role": "user", "content": text}], **more}


def reply(got: httpx.Response) -> str:
    text: str = got.json()["choices"][0]["message"]["content"]
    return text


async def names(caller: Client, **headers: Any) -> list[str]:
    got = await caller("GET", "/v1/models", status=200, **headers)
    return [one["id"] for one in got.json()["data"]]


def as_sent(got: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    return got.status_code, sorted(got.headers.items()), got.content


STORY = quote("海/辺", safe="")
MIO = quote("澪", safe="")


@pytest.mark.parametrize(
    "speaker",
    [
        Speaker(persona="澪"),
        Speaker(persona="a/b@3", is_plain=True),
        Speaker(persona="澪", story="海/辺", at=12),
        Speaker(persona="p", story="s@2", at=1, is_plain=True),
        Speaker(story="100% @", at=0),
    ],
)
def test_the_name_of_a_model_says_who_answers_and_is_read_again(speaker: Speaker) -> None:
    assert speaker.name.isascii()
    assert read_speaker(speaker.name) == speaker


def test_a_name_may_stand_as_it_is_where_nothing_in_it_parts_it() -> None:
    assert read_speaker("kataribe/澪") == Speaker(persona="澪")
    assert read_speaker("kataribe/海@2/澪") == Speaker(persona="澪", story="海", at=2)


def test_each_key_is_listed_what_it_admits_and_nothing_else(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        of_story = [f"kataribe/{STORY}@4/{MIO}", f"kataribe/{STORY}@4/kai", f"kataribe/{STORY}@3"]
        await here.memory.story("海/辺").cast.add(kataribe.Character(character_id="澪"))
        await here.memory.story("海/辺").cast.add(kataribe.Character(character_id="kai"))
        assert sorted(await names(here.owner)) == sorted(["kataribe/kai", f"kataribe/{MIO}", *of_story])
        keys = {
            "admin": await here.key("admin"),
            "author": await here.key("author"),
            "viewer": await here.key("viewer", story="海/辺", persona="澪", upto=2),
            "user": await here.key("user", user="yuki", persona="澪"),
            "all told": await here.key("user", user="yuki"),
            "front": await here.key("front", users_from="header:X-User", prefix="yu"),
            "bound front": await here.key("front", users_from="header:X-User", prefix="w-", persona="pip"),
        }
        listed = {one: await names(caller, x_user="ki") for one, caller in keys.items()}
        assert sorted(listed["admin"]) == sorted(
            ["kataribe/kai", f"kataribe/{MIO}", "kataribe/pip", *of_story]
        )
        assert sorted(listed["author"]) == sorted(of_story)
        assert listed["viewer"] == [f"kataribe/{STORY}@2/{MIO}"]
        assert listed["user"] == [f"kataribe/{MIO}"]
        assert listed["all told"] == []
        assert sorted(listed["front"]) == sorted(["kataribe/kai", f"kataribe/{MIO}"])
        assert listed["bound front"] == ["kataribe/pip"]
        await keys["front"]("GET", "/v1/models", status=401)
        assert await names(keys["bound front"]) == ["kataribe/pip"]
        assert await names(keys["front"], x_user="nobody") == []

    run(tmp_path, act)


def test_a_viewers_key_is_answered_by_its_character_up_to_its_episode(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        mio = await here.key("viewer", story="海/辺", persona="澪", upto=3)
        for name in (f"{STORY}@3/{MIO}", f"{STORY}@3/澪"):
            # What a client says of a user is nothing to this key.
            told = reply(await mio("POST", CHAT, of(name, user="yuki"), status=200))
            assert "第1の鍵" in told
            assert "第2の鍵" in told
            assert "第3" not in told
            assert "Kai" not in told
            assert "話をした" not in told
        assert "第2" not in reply(await mio("POST", CHAT, of(f"{STORY}@2/{MIO}"), status=200))
        beyond = [
            f"{STORY}@4/{MIO}",
            f"{STORY}@99/{MIO}",
            f"{STORY}@3/kai",
            f"{STORY}@3/nobody",
            f"{STORY}@3",
        ]
        beyond += [
            f"{STORY}@2",
            "none@3/澪",
            "none@3",
            "澪",
            "kai",
            "nobody",
            "",
            "/",
            "@",
            "a/b/c",
            f"{STORY}@x/澪",
        ]
        answers = {str(as_sent(await mio("POST", CHAT, of(one), status=404))) for one in beyond}
        answers |= {str(as_sent(await mio("POST", CHAT, {**of("x"), "model": "gpt-4"}, status=404)))}
        answers |= {
            str(as_sent(await mio("POST", "/v1/responses", {**of(one), "input": "x"}))) for one in beyond
        }
        answers |= {
            str(as_sent(await mio("GET", f"/v1/models/kataribe%2F{quote(one, safe='')}"))) for one in beyond
        }
        assert len(answers) == 1
        assert await here.memory.admin.users() != ()

    run(tmp_path, act)


def test_a_readers_key_is_told_the_story_as_far_as_it_was_read(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        reader = await here.key("reader", story="海/辺", read=2)
        assert await names(reader) == [f"kataribe/{STORY}@2"]
        told = reply(await reader("POST", CHAT, of(f"{STORY}@2", user="yuki"), status=200))
        assert "第2の鍵" in told
        assert "lamp 2" in told
        assert "第3" not in told
        assert "話をした" not in told
        assert "第2" not in reply(await reader("POST", CHAT, of(f"{STORY}@1"), status=200))
        beyond = [f"{STORY}@3", f"{STORY}@2/{MIO}", "none@1", "澪", "kai", "x"]
        assert len({str(as_sent(await reader("POST", CHAT, of(one), status=404))) for one in beyond}) == 1

    run(tmp_path, act)


def test_a_users_key_talks_with_its_persona_alone_and_as_nobody_else(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        yuki = await here.key("user", user="yuki", persona="澪")
        before = {who: await here.memory.user(who).turns() for who in ("yuki", "ren")}
        beyond = ["kai", "nobody", f"{STORY}@3/{MIO}", f"{STORY}@3", "none@1/澪"]
        answers = {str(as_sent(await yuki("POST", CHAT, of(one), status=404))) for one in beyond}
        assert len(answers) == 1
        assert {who: await here.memory.user(who).turns() for who in ("yuki", "ren")} == before
        told = reply(await yuki("POST", CHAT, of("澪", "雨の話をした?", user="ren"), status=200))
        assert "yukiは澪に雨の話をした" in told
        assert "ren" not in told
        assert "kai" not in told
        assert len(await here.memory.user("yuki").turns()) == len(before["yuki"]) + 1
        assert await here.memory.user("ren").turns() == before["ren"]

    run(tmp_path, act)


@pytest.mark.parametrize("where", ["header:X-User", "body:user"])
def test_a_front_names_users_within_its_prefix_and_opens_nobodys_session(tmp_path: Path, where: str) -> None:
    async def act(here: Served) -> None:
        front = await here.key("front", users_from=where, prefix="web-", persona="澪")
        named = where.startswith("header")

        async def ask(who: str, text: str, status: int = 200, **more: object) -> httpx.Response:
            body = of("澪", text, metadata={"session_id": "same"}, **more)
            if named:
                return await front("POST", CHAT, body, status=status, x_user=who)
            return await front("POST", CHAT, {**body, "user": who}, status=status)

        await ask("yuki", "秘密の合言葉は灯台です。")
        assert "灯台" not in reply(await ask("ren", "合言葉は?"))
        assert "灯台" in reply(await ask("yuki", "合言葉は?"))
        found = {one.user_id for one in await here.memory.admin.users()}
        assert found == {"yuki", "ren", "web-yuki", "web-ren"}
        assert len(await here.memory.user("web-ren").turns()) == 1
        unnamed = await front("POST", CHAT, of("澪"), status=401)
        assert unnamed.json()["error"]["type"] == "authentication_error"
        # Whether or not there is such a name: without a user it is a stranger's.
        assert as_sent(unnamed) == as_sent(await front("POST", CHAT, of("nobody"), status=401))
        for other in ("kai", f"{STORY}@3/{MIO}", f"{STORY}@3"):
            body = of(other) if named else of(other, user="yuki")
            await front("POST", CHAT, body, status=404, x_user="yuki")

    run(tmp_path, act)


def test_an_author_and_the_owner_read_stories_and_the_owner_talks_there_with_a_user(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        both = of(f"{STORY}@3/{MIO}", user="yuki")
        told = reply(await here.owner("POST", CHAT, both, status=200))
        assert "第2の鍵" in told
        held = await here.memory.user("yuki").turns(story="海/辺", at=3)
        assert [turn.text for turn in held] == [
            "澪は第1の鍵と第2の鍵を隠した? 雨の話をした? Kai sold the lamp?"
        ]
        author = await here.key("author")
        # For an author there is no user, whatever a client sends.
        assert "話をした" not in reply(await author("POST", CHAT, both, status=200))
        read = reply(await author("POST", CHAT, of(f"{STORY}@2"), status=200))
        assert "第2の鍵" in read
        assert "lamp 2" in read
        assert "第3" not in read
        await author("POST", CHAT, of("澪", user="yuki"), status=404)
        await author("POST", CHAT, of("none@2"), status=404)

    run(tmp_path, act)


def test_a_stranger_is_told_nothing_but_that_it_is_one(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        # As long as there is no key, a client that must send one may send any.
        await here.client("sk-none")("GET", "/v1/models", status=200)
        await here.client("ktr_none_none")("GET", "/v1/models", status=401)
        made = await here.key("admin")
        await made("GET", "/v1/models", status=200)
        asked: list[tuple[str, str, Any]] = [
            ("GET", "/v1/models", None),
            ("GET", "/v1/models/kataribe%2Fx", None),
            ("POST", CHAT, of("澪")),
            ("POST", "/v1/responses", {"model": "kataribe/澪", "input": "x"}),
            ("POST", "/v1/embeddings", {"model": "x", "input": "x"}),
        ]
        found = set()
        for caller in (here.owner, here.client("sk-none"), here.client("ktr_none_none")):
            for one in asked:
                got = await caller(*one, status=401)
                found.add(str(as_sent(got)))
                assert got.json()["error"]["code"] == "invalid_api_key"
        assert len(found) == 1

    run(tmp_path, act)


def test_refusals_before_any_route_have_the_same_shape(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        got = [
            await here.owner("GET", "/v1/nothing", status=404),
            await here.owner("GET", CHAT, status=405),
            await here.owner("GET", "/v1/models", status=403, origin="http://elsewhere.example"),
            await here.owner("POST", CHAT, of("x", "y" * (1 << 20)), status=413),
            await here.owner.http.post(CHAT, content=b"{", headers={"content-type": "application/json"}),
            await here.owner.http.post(CHAT, content=b"x", headers={"content-type": "text/plain"}),
        ]
        for one in got:
            assert set(one.json()) == {"error"}
            assert "access-control-allow-origin" not in one.headers

    run(tmp_path, act, ServerOptions(body_bytes=1 << 20))


def test_who_asks_too_often_is_told_so_in_the_same_shape(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        found = [await here.owner("GET", "/v1/models") for _ in range(3)]
        assert [one.status_code for one in found] == [200, 200, 429]
        assert found[-1].json()["error"]["type"] == "rate_limit_error"

    run(tmp_path, act, ServerOptions(rate=0.001, burst=2))


def test_the_upstream_is_asked_so_many_times_at_once(tmp_path: Path) -> None:
    """Who waits too long for it is told that it is busy; what was said stays."""

    async def whole(stub: StubUpstream) -> None:
        options = ServerOptions(upstream_at_once=1, queue_seconds=0.2)
        async with listening(tmp_path, stub, options) as here:
            client = here.client()
            asked = {"model": "kataribe/pip", "user": "nora"}
            stub.always = waits()
            first = asyncio.create_task(
                client.chat.completions.create(messages=[{"role": "user", "content": "one"}], **asked)
            )
            while not stub.bodies:
                await asyncio.sleep(0.01)
            with pytest.raises(openai.InternalServerError) as caught:
                await client.chat.completions.create(messages=[{"role": "user", "content": "two"}], **asked)
            assert caught.value.status_code == 503
            # Reads go on meanwhile.
            assert [one.id for one in (await client.models.list()).data] == ["kataribe/pip"]
            stub.may_go_on.set()
            await asyncio.gather(first, return_exceptions=True)
            assert [turn.text for turn in await here.memory.user("nora").turns()] == ["one", "two"]

    with upstream_server() as stub:
        asyncio.run(whole(stub))
