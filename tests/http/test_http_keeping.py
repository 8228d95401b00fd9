"""Nights, consents and the profile over HTTP: for the owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.serving import Served, served

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SAID = {"ja": "毎朝コーヒーを飲むのが好きです。", "en": "I like to drink coffee every morning."}
LANGUAGES = ("ja", "en")


def run(folder: Path, language: str, act: Callable[[Served], Awaitable[None]]) -> None:
    """Do something with a store in which a user is."""

    async def whole() -> None:
        async with served(folder) as here:
            talk = here.memory.user("yuki")
            await talk.create(language="ja" if language == "ja" else "en", embedder="hash")
            await talk.said(SAID[language], speaker="yuki", persona="澪", session="s", time=NOON)
            await act(here)

    asyncio.run(whole())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_night_is_tried_held_shown_and_taken_back(tmp_path: Path, language: str) -> None:
    async def act(here: Served) -> None:
        ask = here.owner
        at = "2026-05-02T03:00:00+09:00"
        tried = (await ask("POST", "/users/yuki/nights", {"at": at, "dry_run": True}, status=200)).json()
        assert tried["dry_run"] is True
        assert (await ask("GET", "/users/yuki/nights", status=200)).json()["items"] == []
        held = (await ask("POST", "/users/yuki/nights", {"at": at}, status=200)).json()
        assert (held["dry_run"], held["counts"]) == (False, tried["counts"])
        (night,) = (await ask("GET", "/users/yuki/nights", status=200)).json()["items"]
        assert datetime.fromisoformat(night["at"]) == datetime.fromisoformat(at)
        assert (await ask("GET", "/users/yuki/nights/last", status=200)).json()["at"] == held["at"]
        await ask("POST", "/users/yuki/nights", {"at": at}, status=409)
        back = (await ask("POST", "/users/yuki/nights/undo", {}, status=200)).json()
        assert back["at"] == held["at"]
        await ask("GET", "/users/yuki/nights/last", status=404)
        await ask("POST", "/users/yuki/nights/undo", {}, status=404)

    run(tmp_path, language, act)


def test_missed_nights_are_held_each_once_in_the_zone_that_is_named(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        schedule = {"cron": "0 3 * * *", "zone": "Asia/Tokyo", "upto": "2026-05-03T12:00:00+09:00"}
        query = "cron=0%203%20*%20*%20*&zone=Asia/Tokyo&upto=2026-05-03T12:00:00%2B09:00"
        due = (await here.owner("GET", f"/users/yuki/nights/due?{query}", status=200)).json()["items"]
        moments = [datetime.fromisoformat(one["at"]).astimezone(UTC).isoformat()[:13] for one in due]
        assert moments == ["2026-05-01T18", "2026-05-02T18"]
        held = (await here.owner("POST", "/users/yuki/nights/catch-up", schedule, status=200)).json()["items"]
        assert len(held) == len(due) == 2
        again = await here.owner("POST", "/users/yuki/nights/catch-up", schedule, status=200)
        assert again.json()["items"] == []
        for wrong in ({"zone": "Moon/Base"}, {"cron": "never"}, {"upto": "2026-05-03"}, {"zone": 9}):
            await here.owner("POST", "/users/yuki/nights/catch-up", {**schedule, **wrong}, status=400)

    run(tmp_path, "ja", act)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_consent_that_is_withdrawn_takes_what_was_remembered(tmp_path: Path, language: str) -> None:
    async def act(here: Served) -> None:
        ask = here.owner
        known = {"user": "yuki", "persona": "澪"}
        assert SAID[language] in (await ask("POST", "/known", known, status=200)).text
        given = await ask("PUT", "/users/yuki/consents/remember:澪", {"by_hand": True}, status=200)
        assert given.json() in (await ask("GET", "/users/yuki/consents", status=200)).json()["items"]
        await ask("DELETE", "/users/yuki/consents/remember:澪", status=200)
        assert (await ask("POST", "/known", known, status=200)).json()["hits"] == []
        await ask("POST", "/users/yuki/consents/require", {"persona": "澪"}, status=200)
        await ask("PUT", "/users/yuki/keep", {"days": 0, "by_hand": True}, status=400)
        kept = await ask("PUT", "/users/yuki/keep", {"days": 90, "by_hand": True}, status=200)
        assert (kept.json()["user_id"], kept.json()["days"]) == ("yuki", 90)

    run(tmp_path, language, act)


def test_none_of_it_is_open_to_the_keys_of_users_and_authors(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        callers = [
            await here.key("user", user="yuki", persona="澪"),
            await here.key("user", user="yuki"),
            await here.key("front", users_from="header:X-User", prefix="yu"),
            await here.key("author"),
        ]
        for caller in callers:
            for method, path in (
                ("GET", "/users/yuki/nights"),
                ("POST", "/users/yuki/nights"),
                ("POST", "/users/yuki/nights/undo"),
                ("PUT", "/users/yuki/consents/remember"),
                ("GET", "/users/yuki/pairs"),
                ("POST", "/users/yuki/why"),
                ("GET", "/users/yuki/interests"),
                ("GET", "/users/yuki/memory/about"),
            ):
                await caller(method, path, status=403, x_user="ki")

    run(tmp_path, "ja", act)
