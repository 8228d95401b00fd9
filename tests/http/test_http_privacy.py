"""What a person asks of all that is kept: confirmed by a token, done once, and for nobody else."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from kataribe.testing.fakes import FrozenClock
from support.exports import conversation
from support.serving import Client, Served, served

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
USERS = ("ゆき", "jonathan")
SAID = {"ゆき": "月曜に鍵を床下に隠したんだ", "jonathan": "I hid the silver key under the floor."}


@pytest.fixture(autouse=True)
def folder_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files that are not to last are written."""
    made = tmp_path / "files"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def run(folder: Path, act: Callable[[Served, FrozenClock], Awaitable[None]]) -> None:
    """Do something with a store in which two users are."""

    async def whole() -> None:
        clock = FrozenClock(NOON)
        async with served(folder, clock=clock) as here:
            for user in USERS:
                talk = here.memory.user(user)
                await talk.create(language="ja" if user == "ゆき" else "en", embedder="hash")
                await talk.said(SAID[user], speaker=user, persona="澪", session="s", time=NOON)
            await act(here, clock)

    asyncio.run(whole())


async def key_of(here: Served, user: str) -> Client:
    return await here.key("user", user=user)


async def token_for(caller: Client, action: str, **named: str) -> str:
    got = await caller("POST", "/privacy", {"action": action, **named}, status=202)
    return str(got.json()["token"])


def seen(got: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    return got.status_code, sorted(got.headers.items()), got.content


def words_in(got: httpx.Response) -> str:
    assert got.headers["content-type"] == "application/zip"
    return conversation(zipfile.ZipFile(io.BytesIO(got.content)))


@pytest.mark.parametrize("user", USERS)
def test_nothing_is_deleted_without_a_token_and_everything_with_it(tmp_path: Path, user: str) -> None:
    async def act(here: Served, _: FrozenClock) -> None:
        own, admin = await key_of(here, user), await here.key("admin")
        got = await own("POST", "/privacy", {"action": "delete"}, status=202)
        asked = got.json()
        assert (asked["user"], asked["action"], asked["valid_seconds"]) == (user, "delete", 900)
        assert asked["uri"] is None
        assert "location" not in got.headers
        assert len(await here.memory.user(user).turns()) == 1
        given = {"action": "delete", "token": asked["token"]}
        receipt = (await own("POST", "/privacy", given, status=200)).json()
        assert (receipt["deleted"], receipt["user_id"]) == (True, user)
        assert receipt["unreached"] == {}
        # The key goes with the user.
        await own("POST", "/privacy", given, status=401)
        names = [one.user_id for one in await here.memory.admin.users()]
        assert names == [one for one in USERS if one != user]
        await admin("POST", "/privacy", {**given, "user_id": user}, status=404)

    run(tmp_path, act)


@pytest.mark.parametrize("user", USERS)
def test_an_export_comes_as_a_zip_by_the_repeat_or_by_its_uri_and_no_file_stays(
    tmp_path: Path, folder_of_files: Path, user: str
) -> None:
    async def act(here: Served, _: FrozenClock) -> None:
        own = await key_of(here, user)
        token = await token_for(own, "export")
        got = await own("POST", "/privacy", {"action": "export", "token": token}, status=200)
        assert SAID[user] in words_in(got)
        asked = await own("POST", "/privacy", {"action": "export", "user_id": user}, status=202)
        uri = asked.headers["location"]
        assert uri == asked.json()["uri"]
        assert SAID[user] in words_in(await own("GET", uri, status=200))
        await own("GET", uri, status=403)
        assert list(folder_of_files.iterdir()) == []
        receipt = await own(
            "POST", "/privacy", {"action": "delete", "token": await token_for(own, "delete")}, status=200
        )
        assert receipt.json()["unreached"] == {}

    run(tmp_path, act)


def test_an_export_that_a_kill_left_behind_goes_with_its_user(
    tmp_path: Path, folder_of_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(here: Served, _: FrozenClock) -> None:
        own = await key_of(here, "ゆき")
        token = await token_for(own, "export")
        with monkeypatch.context() as killed:
            killed.setattr("kataribe.surfaces.http.privacy.shutil.rmtree", lambda *_, **__: None)
            await own("POST", "/privacy", {"action": "export", "token": token}, status=200)
        assert [one.name for one in folder_of_files.glob("*/*")] == ["export.zip"]
        token = await token_for(own, "delete")
        await own("POST", "/privacy", {"action": "delete", "token": token}, status=200)
        assert list(folder_of_files.glob("*/*")) == []

    run(tmp_path, act)


@pytest.mark.parametrize("action", ["export", "delete"])
def test_a_token_that_is_guessed_used_over_or_anothers_does_nothing_and_is_noted(
    tmp_path: Path, action: str
) -> None:
    """All are refused alike, byte for byte."""

    async def act(here: Served, clock: FrozenClock) -> None:
        yuki, jon = await key_of(here, "ゆき"), await key_of(here, "jonathan")
        (other,) = {"export", "delete"} - {action}
        over = await token_for(yuki, action)
        clock.advance(timedelta(minutes=15))
        fresh = await token_for(yuki, action)
        used = await token_for(yuki, "export")
        await yuki("POST", "/privacy", {"action": "export", "token": used}, status=200)
        wrong = {
            "guessed": "0" * 48,
            "empty": "",
            "long": "語" * 5000,
            "cut": fresh[:-1],
            "used": used,
            "over": over,
            "for the other act": await token_for(yuki, other),
            "another's": await token_for(jon, action),
        }
        before = len(await here.memory.admin.audit.list("user:ゆき", last=1000))
        answers = set()
        for token in wrong.values():
            got = await yuki("POST", "/privacy", {"action": action, "token": token}, status=403)
            answers.add(str(seen(got)))
            if action == "export":
                await yuki("GET", f"/users/ゆき/export?token={token}", status=403)
        assert len(answers) == 1
        noted = await here.memory.admin.audit.list("user:ゆき", last=1000)
        refused = [one for one in noted if one.reason == "NotPermittedError"]
        assert len(refused) == len(wrong) * (2 if action == "export" else 1)
        assert len(noted) == before + len(refused)
        assert len(await here.memory.user("ゆき").turns()) == 1
        # What is good was spent by none of these.
        await yuki("POST", "/privacy", {"action": action, "token": fresh}, status=200)

    run(tmp_path, act)


def test_one_token_is_given_one_zip_however_many_ask_at_once(tmp_path: Path) -> None:
    async def act(here: Served, _: FrozenClock) -> None:
        own = await key_of(here, "jonathan")
        given = {"action": "export", "token": await token_for(own, "export")}
        asked = [own("POST", "/privacy", given, idempotency_key="k") for _ in range(6)]
        statuses = sorted(got.status_code for got in await asyncio.gather(*asked))
        assert statuses == [200, *[403] * 5]

    run(tmp_path, act)


def test_a_users_key_asks_for_nobody_else_and_a_personas_key_not_at_all(tmp_path: Path) -> None:
    """A persona's was given what that persona was told, and no more; a front proves nobody."""

    async def act(here: Served, _: FrozenClock) -> None:
        own = await key_of(here, "ゆき")
        ways: list[tuple[str, str, Any]] = [
            ("POST", "/privacy", {"action": "export", "user_id": "{}"}),
            ("POST", "/privacy", {"action": "delete", "user_id": "{}", "token": "0" * 48}),
            ("GET", "/users/{}/export?token=0", None),
            ("GET", "/users/{}/privacy", None),
            ("POST", "/users/{}/privacy/request", {"action": "delete"}),
            ("DELETE", "/users/{}", {"token": "0" * 48}),
        ]

        def of(user: str, body: Any) -> Any:
            return None if body is None else {k: v.format(user) for k, v in body.items()}

        answers = {
            str(seen(await own(method, path.format(user), of(user, body), status=404)))
            for method, path, body in ways
            for user in ("jonathan", "nobody")
        }
        assert len(answers) == 1
        others = [
            await here.key("user", user="ゆき", persona="澪"),
            await here.key("front", users_from="header:X-User", prefix="ゆ"),
            await here.key("author"),
        ]
        for caller in others:
            for method, path, body in ways:
                await caller(method, path.format("ゆき"), of("ゆき", body), status=403, x_user="k")
        assert len(await here.memory.user("ゆき").turns()) == 1

    run(tmp_path, act)


def test_the_owner_names_a_user_and_what_is_wrong_is_said(tmp_path: Path) -> None:
    async def act(here: Served, _: FrozenClock) -> None:
        for body, status, said in (
            ({"action": "export"}, 400, "user_id is missing"),
            ({"action": "look", "user_id": "ゆき"}, 400, "export or delete"),
            ({"user_id": "ゆき"}, 400, "action is missing"),
            ({"action": "export", "user_id": "nobody"}, 404, "nobody"),
            ({"action": "export", "user_id": "ゆき", "path": "/tmp/x.zip"}, 400, "path"),
            ({"action": "export", "user_id": "ゆき", "token": 7}, 400, "token"),
        ):
            got = await here.owner("POST", "/privacy", body, status=status)
            assert said in got.json()["detail"]
        await here.owner("GET", "/users/ゆき/export?token=0&path=/tmp/x.zip", status=400)
        token = await token_for(here.owner, "export", user_id="ゆき")
        got = await here.owner(
            "POST", "/privacy", {"action": "export", "user_id": "ゆき", "token": token}, status=200
        )
        assert SAID["ゆき"] in words_in(got)

    run(tmp_path, act)
