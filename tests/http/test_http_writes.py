"""Writes: durable when they are acknowledged, once under one key, and never over a newer text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from kataribe.surfaces.http.options import ServerOptions
from support.serving import Served, served

TEXT = "[[known-by: 澪]] 澪は鍵を床下に隠した。\n\n[[known-by: public]] The ferry left at noon."


def run(folder: Path, act: Callable[[Served], Awaitable[None]], options: ServerOptions | None = None) -> None:
    async def whole() -> None:
        async with served(folder, options) as here:
            await here.memory.story("海 辺").create(language="ja", embedder="hash")
            await act(here)

    asyncio.run(whole())


def test_an_episode_is_acknowledged_when_it_is_durable_and_its_job_tells_when_it_is_in_memory(
    tmp_path: Path,
) -> None:
    async def act(here: Served) -> None:
        put = await here.owner("PUT", "/stories/海 辺/episodes/1", {"text": TEXT}, status=202)
        assert put.json()["pending"] is True
        again = await here.owner(
            "PUT", "/stories/海 辺/episodes/1", {"text": TEXT + "!"}, status=200, prefer="wait=30"
        )
        assert again.json()["pending"] is False
        assert again.headers["preference-applied"] == "wait"
        first = await here.owner("GET", put.headers["location"], status=200)
        assert first.json()["state"] == "outdated"
        told = await here.owner("GET", again.headers["location"], accept="text/event-stream")
        last = json.loads(told.text.strip().rpartition("data: ")[2])
        assert (last["state"], last["version"]) == ("done", 2)
        known = {"story": "海 辺", "persona": "澪", "at": 2}
        hits = (await here.owner("POST", "/known", known, status=200)).json()["hits"]
        assert hits[0]["text"] == "澪は鍵を床下に隠した。"
        for job in ("海 辺/ep-1/9", "海 辺/ep-9/1", "海 辺/ep-1/x", "none/ep-1/1"):
            await here.owner("GET", f"/jobs/{job}", status=404)

    run(tmp_path, act)


def test_a_sync_can_be_followed_to_its_report(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        await here.memory.story("海 辺").episodes.put(1, TEXT)
        got = await here.owner("POST", "/stories/海 辺/sync", {}, accept="text/event-stream", status=200)
        assert got.headers["content-type"].startswith("text/event-stream")
        told = [one.split("\n") for one in got.text.strip().split("\n\n")]
        names = [name.removeprefix("event: ") for name, _ in told]
        values = [json.loads(data.removeprefix("data: ")) for _, data in told]
        assert set(names[:-1]) == {"progress"}
        assert values[-2] == {"of": "海 辺", "done": 1, "total": 1}
        assert (names[-1], values[-1]["ok"], values[-1]["episodes"]) == ("report", True, 1)
        missing = await here.owner("POST", "/stories/none/sync", {}, accept="text/event-stream")
        assert missing.text.startswith("event: problem")

    run(tmp_path, act)


def test_a_scheduler_runs_work_for_so_many_seconds_and_is_told_what_is_left_and_dead(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        for no in (1, 2):
            await here.memory.story("海 辺").episodes.put(no, TEXT)
        none = await here.owner("POST", "/work", {"story": "海 辺", "within": 0}, status=200)
        assert none.json() == {"done": 0, "left": 2, "dead": []}
        for within in (-1, 61, 1e9):
            await here.owner("POST", "/work", {"within": within}, status=400)
        await here.owner("POST", "/work", {"story": "無い"}, status=404)
        assert (await here.owner("POST", "/work", {}, status=200)).json() == {
            "done": 2,
            "left": 0,
            "dead": [],
        }
        author, admin = await here.key("author"), await here.key("admin")
        await author("POST", "/work", {}, status=403)
        await here.owner("POST", "/work", {}, status=401)
        assert (await admin("POST", "/work", {"story": "海 辺"}, status=200)).json()["left"] == 0

    run(tmp_path, act)


def test_a_server_that_starts_goes_on_with_what_was_left(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        await here.memory.story("海 辺").episodes.put(1, TEXT)
        here.server.work.wake(None)
        job = await here.owner("GET", "/jobs/海 辺/ep-1/1", accept="text/event-stream", status=200)
        assert json.loads(job.text.strip().rpartition("data: ")[2])["state"] == "done"

    run(tmp_path, act)


def test_a_stale_edit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        path = "/stories/海 辺/episodes/1"
        await here.owner("PUT", path, {"text": TEXT}, if_match='"any"', status=412)
        await here.owner("PUT", path, {"text": TEXT}, if_none_match="*", status=202)
        await here.owner("PUT", path, {"text": "other"}, if_none_match="*", status=412)
        read = await here.owner("GET", path, status=200)
        tag = read.headers["etag"]
        same = await here.owner("GET", path, if_none_match=tag, status=304)
        assert (same.content, same.headers["etag"]) == (b"", tag)
        titled = await here.owner("PUT", path, {"text": TEXT, "title": "題"}, if_match=tag)
        assert titled.is_success
        stale = await here.owner("PUT", path, {"text": "mine"}, if_match=tag, status=412)
        assert stale.headers["content-type"] == "application/problem+json"
        now = await here.owner("GET", path, status=200)
        assert (now.json()["text"], now.json()["title"]) == (TEXT, "題")
        assert now.headers["etag"] != tag
        assert (await here.owner("PUT", path, {"text": "yes"}, if_match="*")).is_success

    run(tmp_path, act)


@pytest.mark.parametrize("path", ["/ingest", "/users/yuki/turns"])
def test_a_write_that_is_sent_again_under_its_key_is_done_once(tmp_path: Path, path: str) -> None:
    """At the same time, after it, and by another process, which has no reply of it."""

    async def act(here: Served) -> None:
        await here.memory.user("yuki").create(language="ja", embedder="hash")
        said = {"text": "雨だね", "persona": "澪"}
        whole = {**said, "user_id": "yuki", "session_id": "s"}
        body = whole if path == "/ingest" else {**said, "speaker": "yuki", "session": "s"}
        sent = [here.owner("POST", path, body, status=201, idempotency_key="k1") for _ in range(3)]
        replies = await asyncio.gather(*sent)
        replies.append(await here.owner("POST", path, body, status=201, idempotency_key="k1"))
        assert len({reply.text for reply in replies}) == 1
        here.server.replies.clear()
        replies.append(await here.owner("POST", path, body, status=201, idempotency_key="k1"))
        assert {reply.json()["id"] for reply in replies} == {replies[0].json()["id"]}
        assert len(await here.memory.user("yuki").turns()) == 1
        await here.owner("POST", path, {**body, "text": "晴れ"}, status=422, idempotency_key="k1")
        await here.owner("POST", path, body, status=201, idempotency_key="k2")
        assert len(await here.memory.user("yuki").turns()) == 2
        await here.owner("POST", path, body, status=400, idempotency_key="x" * 300)

    run(tmp_path, act)


def test_a_story_that_is_told_again_under_its_key_goes_on_once(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        for _ in range(2):
            told = await here.owner("POST", "/stories/海 辺/tell", {"text": TEXT}, idempotency_key="k")
            assert told.json()["no"] == 1
            here.server.replies.clear()
        assert len(await here.memory.story("海 辺").episodes.list()) == 1

    run(tmp_path, act)


def test_a_list_comes_in_pages_and_none_is_given_twice_or_left_out(tmp_path: Path) -> None:
    """Also when something goes in between."""

    async def act(here: Served) -> None:
        tale = here.memory.story("海 辺")
        for no in range(1, 8):
            await tale.episodes.put(no, f"第{no}話", facts=[])
        seen, cursor = [], ""
        while True:
            got = await here.owner("GET", f"/stories/海 辺/episodes?limit=3{cursor}", status=200)
            seen += [one["no"] for one in got.json()["items"]]
            if got.json()["next"] is None:
                break
            cursor = f"&cursor={got.json()['next']}"
        assert seen == list(range(1, 8))
        first = await here.owner("GET", "/stories?limit=1", status=200)
        assert first.json()["next"] is None
        await here.memory.story("a").create(language="en", embedder="hash")
        await here.memory.story("b").create(language="en", embedder="hash")
        first = await here.owner("GET", "/stories?limit=2", status=200)
        await here.memory.story("a").delete()
        rest = await here.owner("GET", f"/stories?limit=2&cursor={first.json()['next']}", status=200)
        assert [one["id"] for one in rest.json()["items"]] == ["海 辺"]
        for wrong in ("limit=0", "limit=1001", "limit=x", "cursor=x", "cursor=", "cursor=W10"):
            await here.owner("GET", f"/stories?{wrong}", status=400)

    run(tmp_path, act)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\xff", 400),
        (b'{"question": NaN}', 400),
        (b'{"question": "\\ud800"}', 400),
        (b'{"question": 1}', 400),
        (b'{"question": "q", "at": 99999999999999999999999999}', 400),
        (b'{"question": "q", "at": true}', 400),
        (b'{"question": "q", "topk": 1}', 400),
        (b'{"at": 1}', 400),
        (b'{"a":' * 50_000, 400),
        (b'{"question": "' + b"x" * 5000 + b'"}', 413),
    ],
)
def test_a_body_that_is_wrong_is_refused_in_words(tmp_path: Path, body: bytes, status: int) -> None:
    async def act(here: Served) -> None:
        small = len(body) if len(body) > 100_000 else 4000
        here.server.options = ServerOptions(body_bytes=small)
        headers = {"content-type": "application/json"}
        got = await here.owner.http.post("/recall", content=body, headers=headers)
        assert got.status_code == status, got.text
        assert got.json()["detail"]
        assert len(got.content) < 3000

    run(tmp_path, act)


def test_a_refusal_says_what_the_command_line_says(tmp_path: Path) -> None:
    """And an option that is misspelt is told with the one that is meant."""

    async def act(here: Served) -> None:
        got = await here.owner("POST", "/recall", {"question": "q", "topk": 1}, status=400)
        assert got.json()["detail"] == "recall() has no option 'topk'; did you mean 'top_k'?"
        got = await here.owner("GET", "/stories/nowhere", status=404)
        assert got.json() == {
            "type": "urn:kataribe:problem:not-found",
            "title": "not found",
            "status": 404,
            "detail": got.json()["detail"],
        }
        assert "nowhere" in got.json()["detail"]
        await here.owner("PUT", "/stories/海 辺", {"language": "ja", "embedder": "hash"}, status=409)
        await here.owner("PUT", "/stories/x", {"language": "xx"}, status=400)
        await here.owner("GET", "/nothing", status=404)
        allowed = await here.owner("GET", "/recall", status=405)
        assert allowed.headers["allow"] == "POST"
        got = await here.owner.http.post("/recall", content=b"{}", headers={"content-type": "text/plain"})
        assert got.status_code == 415

    run(tmp_path, act)


def test_an_id_may_hold_a_slash_when_it_is_escaped(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        await here.owner("PUT", "/stories/a%2Fb", {"language": "en", "embedder": "hash"}, status=201)
        assert (await here.owner("GET", "/stories/a%2Fb", status=200)).json()["id"] == "a/b"
        put = await here.owner("PUT", "/stories/a%2fb/episodes/1", {"text": TEXT}, status=202)
        await here.owner("GET", put.headers["location"], status=200)

    run(tmp_path, act)


def test_pages_of_other_places_and_other_names_of_this_machine_reach_nothing(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        await here.owner("GET", "/stories", status=403, origin="https://evil.example")
        await here.owner("GET", "/stories", status=403, origin="null")
        await here.owner("GET", "/stories", status=421, host="evil.example")
        got = await here.owner("OPTIONS", "/stories", status=405, origin="http://localhost")
        assert not [name for name in got.headers if name.startswith("access-control")]
        await here.owner("GET", "/stories", status=200, origin="http://localhost")

    run(tmp_path, act, ServerOptions(hosts=frozenset({"localhost"})))


def test_who_comes_around_the_proxy_is_refused(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        # The client of these tests comes from 127.0.0.1.
        await here.owner("GET", "/health", status=403)

    run(tmp_path, act, ServerOptions(proxies=frozenset({"10.0.0.1"})))


def test_a_caller_who_asks_too_often_is_slowed_down_and_others_are_not(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        one, other = await here.key("admin"), await here.key("admin")
        for _ in range(3):
            await one("GET", "/stories", status=200)
        got = await one("GET", "/stories", status=429)
        assert got.headers["retry-after"] == "1"
        await other("GET", "/stories", status=200)

    run(tmp_path, act, ServerOptions(rate=0.0001, burst=3))


def test_more_than_is_worked_on_at_once_waits_and_is_refused_when_nothing_becomes_free(
    tmp_path: Path,
) -> None:
    async def act(here: Served) -> None:
        async with here.server.slots.one():
            got = await here.owner("GET", "/stories", status=503)
            assert got.headers["retry-after"] == "1"
            await here.owner("GET", "/health", status=200)
        await here.owner("GET", "/stories", status=200)

    run(tmp_path, act, ServerOptions(at_once=1, queue_seconds=0.01))


def test_a_body_that_does_not_come_is_given_up_and_holds_no_place(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        async def slow() -> AsyncIterator[bytes]:
            yield b'{"question": '
            await asyncio.sleep(3600)

        headers = {"content-type": "application/json"}
        sent = asyncio.create_task(here.owner.http.post("/recall", content=slow(), headers=headers))
        await here.owner("GET", "/stories", status=200)
        got: httpx.Response = await sent
        assert got.status_code == 408

    run(tmp_path, act, ServerOptions(at_once=1, body_seconds=0.2))


def test_counts_and_lines_hold_no_word_and_no_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def act(here: Served) -> None:
        caplog.set_level("DEBUG")
        await here.owner("POST", "/recall", {"question": "秘密の質問", "user": "yuki"}, status=404)
        await here.owner("GET", "/stories/海 辺?x=秘密の質問", status=400)
        await here.owner("GET", "/秘密の質問", status=404)
        told = (await here.owner("GET", "/metrics", status=200)).text + caplog.text
        assert 'route="/stories/{story}",status="400"' in told
        for word in ("秘密", "yuki", "海", "%E7"):
            assert word not in "\n".join(line for line in told.split("\n") if "httpx" not in line)

    run(tmp_path, act)


def test_a_user_is_erased_with_a_token_and_a_receipt_comes_back(tmp_path: Path) -> None:
    async def act(here: Served) -> None:
        await here.memory.user("雪").create(language="ja", embedder="hash")
        await here.owner("POST", "/users/雪/turns", {"text": "港が好き。", "speaker": "雪"}, status=201)
        asked = await here.owner("POST", "/users/雪/privacy/request", {"action": "delete"}, status=201)
        refused = await here.owner("DELETE", "/users/雪", {"token": "guessed"}, status=403)
        assert refused.headers["content-type"] == "application/problem+json"
        assert (await here.owner("GET", "/users/雪/privacy", status=200)).json()["spaces"][0]["turns"] == 1
        receipt = await here.owner("DELETE", "/users/雪", asked.json(), status=200)
        assert (receipt.json()["complete"], receipt.json()["counts"]["turns"]) == (True, 1)
        await here.owner("GET", "/users/雪", status=404)

    run(tmp_path, act)
