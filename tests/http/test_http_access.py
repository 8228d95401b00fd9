"""Who may: a key opens what it is bound to, and shows nothing of what else there is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from kataribe.surfaces.http.options import ServerOptions, check_exposure, is_loopback
from support.serving import Client, Served, served

Row = dict[str, Any]
TEXT = "[[known-by: 澪]] 澪は鍵を床下に隠した。\n\n[[known-by: public]] The ferry left at noon."


def run(folder: Path, act: Callable[[Served], Awaitable[None]], options: ServerOptions | None = None) -> None:
    """Do something with a store in which a story and two users are."""

    async def whole() -> None:
        async with served(folder, options) as here:
            tale = here.memory.story("海")
            await tale.create(language="ja", embedder="hash")
            for no in (1, 2, 3, 4):
                facts = [
                    {"text": f"澪は第{no}の鍵を隠した。", "known_by": ["澪"]},
                    {"text": f"Kai sold the lamp {no}.", "known_by": ["kai"]},
                ]
                await tale.episodes.put(no, TEXT, facts=facts)
            for user in ("yuki", "ren"):
                talk = here.memory.user(user)
                await talk.create(language="ja", embedder="hash")
                for persona in ("澪", "kai"):
                    await talk.said(
                        f"{user}は{persona}に雨の話をした", speaker=user, persona=persona, session="s"
                    )
            await act(here)

    asyncio.run(whole())


def as_sent(got: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    """Everything of an answer that a caller can see."""
    return got.status_code, sorted(got.headers.items()), got.content


async def texts(caller: Client, path: str, **body: object) -> list[str]:
    got = await caller("POST", path, body, status=200)
    return [hit["text"] for hit in got.json()["hits"]]


def test_a_viewers_key_reads_as_its_character_up_to_its_episode(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        mio = await here.key("viewer", story="海", persona="澪", upto=3)
        assert await texts(mio, "/known") == ["澪は第1の鍵を隠した。", "澪は第2の鍵を隠した。"]
        assert await texts(mio, "/known", at=2) == ["澪は第1の鍵を隠した。"]
        own = await mio(
            "POST", "/recall", {"question": "鍵", "story": "海", "persona": "澪", "at": 3}, status=200
        )
        asked = {"question": "鍵", "story": "海", "persona": "澪", "at": 3}
        admin = await here.key("admin")
        assert as_sent(own) == as_sent(await admin("POST", "/recall", asked, status=200))

    run(tmp_path, act)


def test_a_viewers_key_asks_for_no_later_episode_no_author_view_and_no_other_character(
    tmp_path: Path,
) -> None:
    """Whether or not there is such a thing: the same answer, byte for byte."""

    async def act(here: Served) -> None:
        mio = await here.key("viewer", story="海", persona="澪", upto=3)
        beyond: list[Row] = [
            {"at": 4},
            {"at": 99},
            {"at": "now"},
            {"persona": "kai"},
            {"persona": "nobody"},
            {"story": "other"},
            {"user": "yuki"},
            {"user": "nobody"},
            {"as_of": "2026-05-01T00:00:00+00:00"},
            {"reader": True, "read": 2},
        ]
        for path in ("/known", "/memories", "/threads", "/buffer"):
            answers = {str(as_sent(await mio("POST", path, body, status=404))) for body in beyond}
            assert len(answers) == 1
        views = [
            ("GET", "/stories"),
            ("GET", "/stories/海"),
            ("GET", "/stories/none"),
            ("GET", "/stories/海/episodes/1"),
            ("GET", "/stories/海/facts"),
            ("PUT", "/stories/海/episodes/5"),
            ("GET", "/jobs/海/ep-1/1"),
            ("GET", "/users"),
            ("GET", "/users/yuki/turns"),
            ("POST", "/ingest"),
            ("POST", "/sync"),
            ("POST", "/work"),
            ("GET", "/work"),
            ("GET", "/audit"),
            ("GET", "/access"),
            ("GET", "/metrics"),
        ]
        assert len({str(as_sent(await mio(*view, status=403))) for view in views}) == 1

    run(tmp_path, act)


def test_a_readers_key_is_given_what_anybody_was_told_up_to_where_it_has_read(tmp_path: Path) -> None:
    """Each fact once, no talk, and nothing later: not by another number, and as no character either."""

    async def act(here: Served) -> None:
        await here.memory.story("海").sync()
        talk = here.memory.user("yuki").chat(story="海", persona="澪", at=2)
        await talk.said("帽子の中に鍵を入れたよ")
        reader = await here.key("reader", story="海", read=2)
        read = await texts(reader, "/known")
        assert "Kai sold the lamp 2." in read
        assert "澪は第2の鍵を隠した。" in read
        assert len(read) == len(set(read))
        assert not any("3" in text or "4" in text or "帽子" in text for text in read)
        one = await texts(reader, "/known", read=1)
        assert set(one) < set(read)
        assert "Kai sold the lamp 2." not in one
        assert await texts(reader, "/known", story="海", reader=True, read=2) == read
        admin = await here.key("admin")
        for path, body in (
            ("/recall", {"question": "鍵"}),
            ("/context", {"question": "Who sold the lamp?"}),
            ("/answer", {"question": "lamp"}),
        ):
            own = await reader("POST", path, body, status=200)
            named = {**body, "story": "海", "reader": True, "read": 2}
            assert as_sent(own) == as_sent(await admin("POST", path, named, status=200))
        beyond: list[Row] = [
            {"read": 3},
            {"read": 99},
            {"story": "other"},
            {"reader": False},
            {"persona": "澪"},
            {"persona": "nobody"},
            {"at": 1},
            {"at": "now"},
            {"user": "yuki"},
            {"user": "nobody"},
            {"as_of": "2026-05-01T00:00:00+00:00"},
        ]
        answers = {
            str(as_sent(await reader("POST", path, {"question": "鍵", **body}, status=404)))
            for body in beyond
            for path in ("/recall", "/answer", "/context")
        }
        assert len(answers) == 1
        for path in ("/memories", "/threads", "/buffer"):
            await reader("POST", path, {}, status=400)
        await reader("POST", "/used", {"ids": ["x"]}, status=400)
        await reader("POST", "/answer", {"question": "鍵", "model": "openai:gpt"}, status=403)
        for method, path in (("GET", "/stories"), ("POST", "/ingest"), ("POST", "/sync"), ("GET", "/users")):
            await reader(method, path, status=403)

    run(tmp_path, act)


def test_no_key_of_a_character_a_user_or_a_front_reads_as_a_reader(tmp_path: Path) -> None:
    """Whatever it says, and alike whether or not there is such a thing."""

    async def act(here: Served) -> None:
        callers = [
            await here.key("viewer", story="海", persona="澪", upto=3),
            await here.key("user", user="yuki", persona="澪"),
            await here.key("user", user="yuki"),
            await here.key("front", users_from="header:X-User", prefix="web-"),
        ]
        wrong: list[Row] = [
            {"reader": True},
            {"reader": True, "read": 1},
            {"read": 1},
            {"story": "海", "reader": True, "read": 1},
            {"story": "none", "reader": True, "read": 1},
        ]
        answers = {
            str(as_sent(await caller("POST", "/known", body, status=404, x_user="yuki")))
            for caller in callers
            for body in wrong
        }
        assert len(answers) == 1

    run(tmp_path, act)


def test_a_users_key_names_nobody_else_and_cannot_tell_whether_there_is_somebody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor by the time it takes: the store is asked for the key and for nothing else."""

    async def act(here: Served) -> None:
        yuki = await here.key("user", user="yuki", persona="澪")
        looks: list[int] = []
        engine = here.memory._engine
        for name in ("_read", "_look", "_write"):
            real = getattr(engine, name)

            def counted(ask: Any, real: Any = real) -> Any:
                looks.append(1)
                return real(ask)

            monkeypatch.setattr(engine, name, counted)
        seen = set()
        for who in ("ren", "nobody", "yuki2"):
            for path, body in (
                ("/recall", {"question": "雨", "user": who}),
                ("/answer", {"question": "雨", "user_id": who}),
                ("/ingest", {"user_id": who, "session_id": "s", "text": "雨", "persona": "澪"}),
                (f"/users/{who}/turns", {"text": "雨", "speaker": who, "persona": "澪"}),
                ("/known", {"user": "yuki", "persona": "kai"}),
                ("/known", {"story": "海", "at": 1}),
            ):
                looks.clear()
                got = await yuki("POST", path, body, status=404)
                seen.add((len(looks), str(as_sent(got))))
        assert len(seen) == 1
        assert next(iter(seen))[0] == 1

    run(tmp_path, act)


def test_a_users_key_holds_what_was_said_to_its_persona_and_writes_for_it_alone(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        yuki = await here.key("user", user="yuki", persona="澪")
        assert await texts(yuki, "/known") == ["yukiは澪に雨の話をした"]
        said = {"user_id": "yuki", "session_id": "s", "text": "傘を買ったよ"}
        got = await yuki("POST", "/ingest", said, status=201)
        assert got.json()["known_by"] == ["澪"]
        assert "傘を買ったよ" in await texts(yuki, "/recall", question="傘")
        admin = await here.key("admin")
        assert "傘を買ったよ" not in await texts(admin, "/known", user="yuki", persona="kai")
        all_told = await yuki(
            "POST", "/ingest", {**said, "text": "引っ越した", "audience": "world"}, status=201
        )
        assert all_told.json()["known_by"] == ["world"]
        for wrong in ({**said, "persona": "kai"}, {**said, "user_id": "ren"}):
            await yuki("POST", "/ingest", wrong, status=404)
        for path in ("/users/yuki/messages", "/users/yuki/turns/delete", "/users/yuki/memory/x/forget"):
            await yuki("POST", path, {}, status=403)

    run(tmp_path, act)


def test_nobody_is_told_a_thing_that_was_not_meant_for_all(tmp_path: Path) -> None:
    """`world` holds what is ingested only where that is said."""

    async def act(here: Served) -> None:
        said = {"user_id": "yuki", "session_id": "s", "text": "秘密だよ"}
        got = await here.owner("POST", "/ingest", said, status=400)
        assert "audience: world" in got.json()["detail"]
        assert await texts(here.owner, "/known", user="yuki") == []
        await here.owner("POST", "/ingest", {**said, "audience": "all"}, status=400)
        await here.owner("POST", "/ingest", {**said, "audience": "world"}, status=201)
        assert await texts(here.owner, "/known", user="yuki") == ["秘密だよ"]

    run(tmp_path, act)


@pytest.mark.parametrize("where", ["header:X-User", "body:user"])
def test_a_front_names_users_within_its_prefix_alone(tmp_path: Path, where: str) -> None:
    async def act(here: Served) -> None:
        front = await here.key("front", users_from=where, prefix="web-")
        said = {
            "session_id": "s",
            "text": "雨の日が好きです、とても静かだから",
            "persona": "澪",
            "language": "ja",
        }

        async def ask(path: str, body: Row, who: str, status: int) -> httpx.Response:
            if where.startswith("header"):
                return await front("POST", path, body, status=status, x_user=who)
            return await front(
                "POST", path, {**body, "user_id" if path == "/ingest" else "user": who}, status=status
            )

        got = await ask("/ingest", said, "yuki", 201)
        assert got.json()["user"] == "web-yuki"
        known = await ask("/known", {"persona": "澪"}, "yuki", 200)
        assert [hit["text"] for hit in known.json()["hits"]] == [said["text"]]
        assert "雨の話" not in known.text
        await ask("/known", {"persona": "澪"}, "ren", 404)
        await front("POST", "/known", {"persona": "澪"}, status=401)
        await front(
            "POST",
            "/known",
            {"story": "海", "persona": "澪", "at": 1, "user": "yuki"},
            status=404 if where == "body:user" else 401,
        )
        if where.startswith("header"):
            await front("POST", "/known", {"user": "other"}, status=404, x_user="yuki")

    run(tmp_path, act)


def test_one_users_reply_is_given_to_no_other_user_of_a_front(tmp_path: Path) -> None:
    """Not under the same idempotency key either."""

    async def act(here: Served) -> None:
        front = await here.key("front", users_from="header:X-User", prefix="web-", persona="澪")
        said = {"session_id": "s", "text": "雨の日が好きです、とても静かだから", "language": "ja"}
        users = {}
        for who in ("yuki", "ren", "yuki"):
            got = await front("POST", "/ingest", said, status=201, x_user=who, idempotency_key="k")
            users[who] = got.json()["user"]
        assert users == {"yuki": "web-yuki", "ren": "web-ren"}
        for user in users.values():
            assert len(await here.memory.user(user).turns()) == 1

    run(tmp_path, act)


def test_an_authors_key_names_no_user(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        author = await here.key("author")
        await author("GET", "/stories/海/facts", status=200)
        viewer = {"story": "海", "persona": "kai", "at": 4}
        assert len(await texts(author, "/known", **viewer)) == 3
        one = await author("POST", "/known", {**viewer, "user": "yuki"}, status=404)
        other = await author("POST", "/known", {**viewer, "user": "nobody"}, status=404)
        assert as_sent(one) == as_sent(other)
        for path in ("/users", "/users/yuki", "/users/yuki/turns", "/audit", "/access", "/work"):
            await author("GET", path, status=403)

    run(tmp_path, act)


def test_a_revoked_key_opens_nothing_from_the_next_request_on(tmp_path: Path) -> None:
    """And who comes without one is a stranger as soon as there was a key, also when all are revoked."""

    async def act(here: Served) -> None:
        await here.owner("GET", "/stories", status=200)
        made = await here.memory.admin.access.add("admin")
        admin = here.client(made.secret)
        await admin("GET", "/stories", status=200)
        stranger = await here.owner("GET", "/stories", status=401)
        assert stranger.headers["www-authenticate"].startswith("Bearer")
        await admin("DELETE", f"/access/{made.key.key_id}", status=204)
        wrong = await admin("GET", "/stories", status=401)
        assert as_sent(wrong) == as_sent(stranger)
        await here.owner("GET", "/stories", status=401)

    run(tmp_path, act)


def test_a_bound_key_asks_nobody_outside_at_the_owners_cost(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        mio = await here.key("viewer", story="海", persona="澪", upto=3)
        for option in ("model", "planner", "reranker", "judge"):
            await mio("POST", "/answer", {"question": "鍵", option: "openai:gpt"}, status=403)
        await mio("POST", "/context", {"question": "鍵", "counter": "tokenizer:/etc/passwd"}, status=400)
        await mio("POST", "/answer", {"question": "鍵"}, status=200)

    run(tmp_path, act)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "example.org"])
def test_a_server_that_others_reach_needs_keys_and_tls_or_a_proxy(host: str) -> None:
    from kataribe.errors import InputError

    with pytest.raises(InputError, match="access add"):
        check_exposure(host, has_keys=False, has_tls=True, has_proxy=True)
    with pytest.raises(InputError, match="--behind-proxy"):
        check_exposure(host, has_keys=True, has_tls=False, has_proxy=False)
    check_exposure(host, has_keys=True, has_tls=True, has_proxy=False)
    check_exposure(host, has_keys=True, has_tls=False, has_proxy=True)
    assert not is_loopback(host)
    check_exposure("127.0.0.1", has_keys=False, has_tls=False, has_proxy=False)
