"""`handler(event, context)`: a queue, a timer or a button wakes the same work as `sync`.

No message holds work: what is due is a question to the store, so that a message which comes
twice, late or out of order does no harm. A message says which story or user to look at, or neither
for everything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kataribe.domain.space import parse_space
from kataribe.errors import InputError, KataribeError, NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.settings import from_environment
from kataribe.wiring import open as open_store

_SHARE_KEPT, _LEAST_KEPT, _MOST_KEPT = 0.25, 1.0, 30.0
"""How much of the time is left for finishing what has begun: a share, and bounds in seconds."""


class RunContext(Protocol):
    """What is asked of the second argument: how long the function may still run."""

    def get_remaining_time_in_millis(self) -> int:
        """Give the milliseconds until it is stopped."""


@dataclass(frozen=True, slots=True)
class _Message:
    """One message: its id (None: the event was not a batch) and its body."""

    message_id: str | None
    body: object


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What a message asks to be looked at: a story, what was said with a user, a library, or everything."""

    story: str | None
    user: str | None
    library: str | None


@dataclass(slots=True)
class _Told:
    """What is answered."""

    done: int = 0
    left: int = 0
    dead: list[dict[str, object]] = field(default_factory=list)
    poison: list[dict[str, object]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def handler(event: object, context: RunContext | None = None) -> dict[str, object]:
    """Work off what is due of the stories and users that an event names; the store is that of KATARIBE_DB.

    `event` is `{}` (everything), `{"story": "s"}`, `{"user": "u"}` (what was said with it, under
    stories too), or a batch as a queue sends it:
    `{"Records": [{"messageId": "1", "body": "{\\"story\\": \\"s\\"}"}]}`.

    The answer can be written as JSON: `done` (episodes and units of turns brought up), `left`
    (still due when the time was over), `dead` (given up, with the reason), `poison` (messages that
    no retry can mend: a malformed body, an unknown story or user), `errors`, and
    `batchItemFailures` with the messages to be sent again: those whose work is not finished, or
    whose store was refused.
    With a `context` no work is taken up in the last quarter of its time. Raises `InputError`
    for an event that is neither; what goes wrong with one that is no batch is raised.
    """
    messages = _messages(event)
    told = _Told()
    wanted: dict[_Wish, list[_Message]] = {}
    for message in messages:
        try:
            wanted.setdefault(_asked(message.body), []).append(message)
        except InputError as error:
            _poison(told, message, error)
    try:
        if wanted:
            with open_store(settings=from_environment()) as kataribe:
                for asked, senders in wanted.items():
                    _work(kataribe, asked, senders, context, told)
    except KataribeError as error:
        _fail(told, [sender for senders in wanted.values() for sender in senders], error)
    return {
        "done": told.done,
        "left": told.left,
        "dead": told.dead,
        "poison": told.poison,
        "errors": told.errors,
        "batchItemFailures": told.failures,
    }


def _messages(event: object) -> list[_Message]:
    if not isinstance(event, Mapping):
        raise InputError('an event is {}, {"story": ID}, {"user": ID} or {"Records": [...]}')
    if "Records" not in event:
        return [_Message(None, event)]
    records = event["Records"]
    if not isinstance(records, list):
        raise InputError('"Records" of an event must be a list')
    return [_record(record, at) for at, record in enumerate(records)]


def _record(record: object, at: int) -> _Message:
    if not isinstance(record, Mapping) or not isinstance(record.get("messageId"), str):
        raise InputError(f'record {at} of an event must have a "messageId"')
    return _Message(record["messageId"], record.get("body"))


def _asked(body: object) -> _Wish:
    """Read which story and which user a message names; neither is everything."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError as error:
            raise InputError(f"the body is not JSON: {error}") from error
    if not isinstance(body, Mapping):
        raise InputError('the body must be {}, {"story": ID}, {"user": ID} or {"library": ID}')
    story_id, user_id, library_id = body.get("story"), body.get("user"), body.get("library")
    for value, what in ((story_id, "story"), (user_id, "user"), (library_id, "library")):
        if value is not None and not isinstance(value, str):
            raise InputError(f'"{what}" must be the id of a {what}')
    return _Wish(story=story_id, user=user_id, library=library_id)


def _work(
    kataribe: Kataribe,
    asked: _Wish,
    senders: list[_Message],
    context: RunContext | None,
    told: _Told,
) -> None:
    try:
        report = kataribe.sync(
            story=asked.story, user=asked.user, library=asked.library, within=_time_for(context)
        )
    except NotFoundError as error:
        for sender in senders:
            _poison(told, sender, error)
        return
    except KataribeError as error:
        _fail(told, senders, error)
        return
    told.done += report.done + report.pages + report.documents
    told.left += report.left
    told.dead += [
        {"story": story, "episode": no, "reason": reason}
        for (story, no), reason in sorted(report.dead.items())
    ]
    told.dead += [
        {**_space(space), "unit": unit, "reason": reason}
        for (space, unit), reason in sorted({**report.dead_turns, **report.dead_documents}.items())
    ]
    if report.left:
        told.failures += [{"itemIdentifier": s.message_id} for s in senders if s.message_id is not None]


def _space(name: str) -> dict[str, object]:
    """Say whose a space is: a library's, or a user's and, where it holds talk, a story's."""
    return {**parse_space(name).ids, "space": name}


def _time_for(context: RunContext | None) -> float | None:
    if context is None:
        return None
    remaining = context.get_remaining_time_in_millis() / 1000
    return max(0.0, remaining - min(max(remaining * _SHARE_KEPT, _LEAST_KEPT), _MOST_KEPT))


def _poison(told: _Told, message: _Message, error: KataribeError) -> None:
    if message.message_id is None:
        raise error
    told.poison.append({"messageId": message.message_id, "reason": str(error)})


def _fail(told: _Told, senders: list[_Message], error: KataribeError) -> None:
    if any(sender.message_id is None for sender in senders):
        raise error
    told.errors.append(str(error))
    already = {failure["itemIdentifier"] for failure in told.failures}
    told.failures += [
        {"itemIdentifier": s.message_id}
        for s in senders
        if s.message_id is not None and s.message_id not in already
    ]
