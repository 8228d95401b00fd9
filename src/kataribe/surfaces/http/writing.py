"""What is done where calling a verb and showing what it gives is not all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

from starlette.responses import StreamingResponse

from kataribe.domain.ids import digest
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.tags import ANY_EPISODE, NO_EPISODE, episode_tag
from kataribe.errors import InputError, KataribeError, NotFoundError
from kataribe.formats.castfile import parse_cast, parse_groups
from kataribe.formats.wire.conversation import turn_receipt_json, user_state_json
from kataribe.formats.wire.inputs import EpisodePutJson, cast_import_json, episode_json, episode_put_json
from kataribe.formats.wire.server import ProgressJson
from kataribe.formats.wire.work import sync_report_json, work_run_json
from kataribe.surfaces.http.jobs import ENDED, follow, job_of, look
from kataribe.surfaces.http.problems import problem_of
from kataribe.surfaces.http.routes import HttpRequest, Reply

EVENTS = "text/event-stream"
_FOLLOWED = 600.0
"""Seconds for which a job or a sync is followed at most."""
_RUN_SECONDS = 20.0
"""Seconds for which a run takes up work where nothing is said: less than schedulers wait."""


def idempotent_id(asked: HttpRequest, what: str) -> str | None:
    """Make an id out of the idempotency key that a request has: sent again, it is the same thing."""
    key = asked.headers.get("idempotency-key")
    return None if not key else f"{what}-{digest('idempotency', asked.caller.name, key)[:24]}"


# -- episodes ------------------------------------------------------------------------------


async def show_episode(asked: HttpRequest) -> Reply:
    """Give an episode with its tag; nothing but the tag where it is the one the caller has."""
    found = await asked.call()
    tag = f'"{episode_tag(found)}"'
    if asked.headers.get("if-none-match") == tag:
        return Reply(status=304, headers={"etag": tag})
    return Reply(dict(episode_json(found, asked.ids["story"])), headers={"etag": tag})


async def put_episode(asked: HttpRequest) -> Reply:
    """Put an episode: durable when this replies, in memory when its job is done."""
    story = asked.memory.story(asked.ids["story"])
    done = await story.episodes.put(**asked.arguments, **_expected(asked.headers))
    return await put_result(asked, done.no, done.change)


async def tell(asked: HttpRequest) -> Reply:
    """Append an episode; with an idempotency key the same call again is harmless."""
    given = dict(asked.arguments)
    given.setdefault("episode_id", idempotent_id(asked, "told"))
    no = await asked.memory.story(asked.ids["story"]).tell(**given)
    return await put_result(asked, no, "new")


def _expected(headers: Mapping[str, str]) -> dict[str, Any]:
    """Say which tag an episode must have: `If-Match`, or `If-None-Match: *` where there must be none."""
    match, none_match = headers.get("if-match"), headers.get("if-none-match")
    if none_match is not None and none_match != "*":
        raise InputError("If-None-Match of a PUT is *; it says that there must be no episode yet")
    if match is not None and none_match is not None:
        raise InputError("send If-Match or If-None-Match, not both")
    if none_match is not None:
        return {"expected": NO_EPISODE}
    if match is None:
        return {}
    tag = match.strip().strip('"')
    if tag == NO_EPISODE:
        raise InputError("If-Match names no tag")
    return {"expected": ANY_EPISODE if match == "*" else tag}


async def _state(asked: HttpRequest, *, no: int) -> EpisodeState:
    story_id = asked.ids["story"]
    episodes = await asked.memory.story(story_id).episodes.list()
    found = next((one for one in episodes if one.no == no and one.is_live), None)
    if found is None:
        raise NotFoundError(f"story {story_id!r} has no episode {no}")
    return found


async def put_result(asked: HttpRequest, no: int, change: str) -> Reply:
    """Say what became of an episode: 202 with its job where memory still lags."""
    state = await _state(asked, no=no)
    job = job_of(asked.ids["story"], state.episode_id, state.version)
    asked.work.wake(asked.ids["story"])
    waited = {} if not state.is_pending else await _waited(asked, state)
    is_done = waited.get("state") in ENDED or not state.is_pending
    told: EpisodePutJson = episode_put_json(state, change=change)
    told["pending"] = not is_done
    headers = {"location": f"/jobs/{job}"}
    if waited:
        headers["preference-applied"] = "wait"
    return Reply(told, 200 if is_done else 202, headers)


async def _waited(asked: HttpRequest, episode: EpisodeState) -> Mapping[str, object]:
    """Wait for a job as long as the caller prefers; empty where it does not."""
    seconds = _preferred(asked.headers.get("prefer", ""))
    if not seconds:
        return {}
    last: Mapping[str, object] = {}
    wait = min(seconds, asked.options.wait_seconds)
    states = follow(asked.memory, asked.ids["story"], episode.episode_id, episode.version, seconds=wait)
    asked.slot.give_back()
    async for state in states:
        last = state
    return last


def _preferred(header: str) -> float:
    """Read `wait=N` of a `Prefer` header; 0 where nothing is preferred."""
    for part in header.split(","):
        name, _, value = part.strip().partition("=")
        if name.lower() == "wait" and value.isascii() and value.isdigit():
            return float(value[:6])
    return 0.0


# -- jobs and syncs ------------------------------------------------------------------------


def _job(asked: HttpRequest) -> tuple[str, str, int]:
    version = asked.ids["version"]
    if not (version.isascii() and version.isdigit()):
        raise NotFoundError(f"there is no version {version!r}")
    return asked.ids["story"], asked.ids["episode_id"], int(version[:9])


async def show_job(asked: HttpRequest) -> Reply:
    """Tell how far a job is; where events are accepted, each time that it is something else."""
    found = await look(asked.memory, *_job(asked))
    if not _wants_events(asked):
        return Reply(dict(found))
    states = follow(asked.memory, *_job(asked), seconds=_FOLLOWED)
    return Reply(events(("state", state) async for state in states))


def _wants_events(asked: HttpRequest) -> bool:
    return EVENTS in asked.headers.get("accept", "")


async def sync(asked: HttpRequest) -> Reply:
    """Sync, and give the report; where events are accepted, how far it is as it goes on."""
    if not _wants_events(asked):
        asked.slot.give_back()
        return Reply(sync_report_json(await asked.call()))
    return Reply(events(_synced(asked)))


async def work_run(asked: HttpRequest) -> Reply:
    """Work off what is due for so many seconds, for a scheduler that cannot wait for a whole sync."""
    within = asked.arguments.get("within")
    seconds = _RUN_SECONDS if within is None else within
    if not 0 <= seconds <= asked.options.wait_seconds:
        raise InputError(f"within must be from 0 to {asked.options.wait_seconds:g} seconds, not {seconds}")
    asked.slot.give_back()
    report = await asked.memory.sync(**{**asked.arguments, "within": seconds})
    whose = {name: asked.arguments.get(name) for name in ("story", "user", "library")}
    return Reply(work_run_json(report, await asked.memory.admin.work(**whose)))


async def _synced(asked: HttpRequest) -> AsyncIterator[tuple[str, object]]:
    loop, told = asyncio.get_running_loop(), asyncio.Queue[ProgressJson | None]()

    def progress(of: str, done: int, total: int) -> None:
        said: ProgressJson = {"of": of, "done": done, "total": total}
        loop.call_soon_threadsafe(told.put_nowait, said)

    handle: Any = asked.memory.story(asked.ids["story"]) if "story" in asked.ids else asked.memory
    task = asyncio.ensure_future(handle.sync(**asked.arguments, progress=progress))
    task.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (said := await told.get()) is not None:
            yield "progress", said
        yield "report", sync_report_json(await task)
    except KataribeError as error:
        yield "problem", problem_of(error).json()
    finally:
        task.cancel()


def events(told: AsyncIterator[tuple[str, object]]) -> StreamingResponse:
    """Send values as server-sent events, each as one line of JSON."""

    async def lines() -> AsyncIterator[str]:
        async for name, value in told:
            yield f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"

    return StreamingResponse(lines(), media_type=EVENTS, headers={"cache-control": "no-store"})


# -- casts and users -----------------------------------------------------------------------


async def put_cast(asked: HttpRequest) -> Reply:
    """Bring a cast in, as an import of a cast file does."""
    data = json.dumps(asked.arguments, ensure_ascii=False).encode()
    cast, groups = parse_cast(data, "cast"), parse_groups(data, "cast") or ()
    story_id = asked.ids["story"]
    merged = await asked.memory.story(story_id).cast.merge(cast, groups)
    return Reply(cast_import_json(story_id, merged, characters=len(cast), groups=len(groups)))


async def add_user(asked: HttpRequest) -> Reply:
    """Make a user, and tell how it stands."""
    await asked.call()
    return Reply(user_state_json(await asked.memory.user(asked.ids["user"]).state()), 201)


async def list_users(asked: HttpRequest) -> Reply:
    """Tell how each user stands."""
    users = await asked.call()
    return Reply([user_state_json(await asked.memory.user(one.user_id).state()) for one in users])


async def said(asked: HttpRequest) -> Reply:
    """Store a turn; with an idempotency key it is stored once, whatever happens in between."""
    given = dict(asked.arguments)
    if asked.caller.is_bound:
        given["persona"] = asked.caller.persona(given.get("persona"))
    return await _said(asked, given)


async def ingest(asked: HttpRequest) -> Reply:
    """Store what a user said, held by one persona; by all only where `audience` says `world`."""
    given = dict(asked.arguments)
    user, audience = asked.ids["user"], given.pop("audience", None)
    if audience not in (None, "world"):
        raise InputError(f"audience is world or left out, not {str(audience)[:40]!r}")
    persona = given.pop("persona", None)
    if asked.caller.is_bound:
        persona = asked.caller.persona(persona)
    if audience is None and persona is None:
        raise InputError(
            "name the persona who was told, or say audience: world, so that all personas hold it"
        )
    told = {
        "text": given["text"],
        "speaker": given.get("speaker") or user,
        "persona": None if audience == "world" else persona,
        "session": given["session_id"],
        "time": moment(given.get("timestamp")),
        "language": given.get("language"),
    }
    return await _said(asked, told)


def moment(given: str | None, name: str = "timestamp") -> datetime | None:
    """Read a time with its zone. Raises `InputError`."""
    if given is None:
        return None
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise InputError(f"{name} is no time of ISO 8601, such as 2026-05-01T12:00:00+09:00") from None
    if found.tzinfo is None:
        raise InputError(f"{name} has no zone; name one")
    return found


async def _said(asked: HttpRequest, given: Mapping[str, Any]) -> Reply:
    if asked.caller.is_bound and (given.get("story") is not None or given.get("at") is not None):
        raise InputError("a user's key tells nothing under a story; leave story and at out")
    receipt = await asked.memory.user(asked.ids["user"]).said(**given, turn_id=idempotent_id(asked, "key"))
    return Reply(turn_receipt_json(receipt), 201)
