"""`handler(event, context)`: a queue, a timer, a button or a request wakes the same work as `sync`.

No message holds work: what is due is a question to the store, so that a message which comes
twice, late or out of order does no harm. A message says which story, user or library to look at, or
none for everything.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kataribe.domain.access import AccessScope
from kataribe.engine import Services
from kataribe.errors import InputError, KataribeError, NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.work import DeadLetterJson, work_run_json
from kataribe.settings import Settings, from_environment
from kataribe.surfaces.http.problems import FORBIDDEN, NO_KEY, PROBLEM, UNEXPECTED, Problem, problem_of
from kataribe.wiring import open as open_store

MOST_RECEIVES = 10
"""So many times a message that fails is taken from its queue, and then given up."""
_SHARE_KEPT, _LEAST_KEPT, _MOST_KEPT = 0.25, 1.0, 30.0
"""How much of the time is left for finishing what has begun: a share, and bounds in seconds."""
_BEARER = "bearer "

Handler = Callable[..., dict[str, object]]


class RunContext(Protocol):
    """What is asked of the second argument: how long the function may still run."""

    def get_remaining_time_in_millis(self) -> int:
        """Give the milliseconds until it is stopped."""


@dataclass(frozen=True, slots=True)
class _Message:
    """One message: its id (None: the event was not a batch) and its body.

    `group` is that of a FIFO queue, whose order is kept; `received` counts how often it was taken from
    its queue, 0 where that does not tell.
    """

    message_id: str | None
    body: object
    group: str | None = None
    received: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What a message asks to be looked at: a story, what was said with a user, a library, or everything."""

    story: str | None
    user: str | None
    library: str | None


@dataclass(slots=True)
class _Told:
    """What is answered. `failed` are the messages to be sent again."""

    done: int = 0
    left: int = 0
    dead: list[DeadLetterJson] = field(default_factory=list)
    poison: list[dict[str, object]] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def answer(self, messages: Sequence[_Message]) -> dict[str, object]:
        """Write it; what follows a message of a FIFO queue that is sent again is sent again too."""
        again: dict[str, None] = {}
        groups: set[str] = set()
        for message in messages:
            is_behind = message.group is not None and message.group in groups
            if message.message_id is None or not (message.message_id in self.failed or is_behind):
                continue
            again[message.message_id] = None
            groups |= {message.group} if message.group is not None else set()
        return {
            "done": self.done,
            "left": self.left,
            "dead": self.dead,
            "poison": self.poison,
            "errors": self.errors,
            "batchItemFailures": [{"itemIdentifier": message_id} for message_id in again],
        }


class _Time:
    """How long a function may still take up work: shared evenly among what is asked for."""

    def __init__(self, context: RunContext | None) -> None:
        self._context = context
        whole = self._remaining()
        self._kept = min(max(whole * _SHARE_KEPT, _LEAST_KEPT), _MOST_KEPT)

    def _remaining(self) -> float:
        return 0.0 if self._context is None else self._context.get_remaining_time_in_millis() / 1000

    def share(self, of: int) -> float | None:
        """Give the seconds for one of so many that are left; None where there is no end."""
        if self._context is None:
            return None
        return max(0.0, self._remaining() - self._kept) / of


def handler_with(*, settings: Settings | None = None, services: Services | None = None) -> Handler:
    """Make a `handler` for another store than that of the environment, or with parts of your own."""

    def opened() -> Kataribe:
        return open_store(settings=settings or from_environment(), services=services)

    def made(event: object, context: RunContext | None = None) -> dict[str, object]:
        request = _request(event)
        if request is not None:
            return _answered(opened, request, context)
        return _handled(opened, event, context)

    return made


def handler(event: object, context: RunContext | None = None) -> dict[str, object]:
    """Work off what is due of the stories and users that an event names; the store is that of KATARIBE_DB.

    `event` is `{}` (everything), `{"story": "s"}`, `{"user": "u"}` (what was said with it, under
    stories too), `{"library": "l"}`, a batch as a queue sends it:
    `{"Records": [{"messageId": "1", "body": "{\\"story\\": \\"s\\"}"}]}`, or a request of API Gateway
    or a function URL, whose body is one of these and whose caller sends an access key of scope `admin`.

    The answer can be written as JSON: `done` (episodes, units of turns and documents brought up), `left`
    (still due when the time was over), `dead` (given up, with the reason, whoever gave it up), `poison`
    (messages that are not sent again: a malformed body, an unknown story or user, or one that failed
    each time it was received, up to `MOST_RECEIVES`), `errors`, and `batchItemFailures` with the messages to
    be sent again: those whose work is not finished, or whose store was refused.
    With a `context` no work is taken up in the last quarter of its time, and each of those that are asked
    for has an equal share of the rest. Raises `InputError` for an event that is neither; what goes wrong
    with one that is no batch is raised. To a request it is replied instead: 200 with the answer, or a
    problem of RFC 9457.
    """
    return handler_with()(event, context)


def _handled(opened: Callable[[], Kataribe], event: object, context: RunContext | None) -> dict[str, object]:
    messages, time, told = _messages(event), _Time(context), _Told()
    wanted = _wanted(messages, told)
    try:
        if wanted:
            with opened() as kataribe:
                _work_off(kataribe, wanted, time, told)
    except KataribeError as error:
        _fail(told, [sender for senders in wanted.values() for sender in senders], error)
    return told.answer(messages)


def _wanted(messages: Sequence[_Message], told: _Told) -> dict[_Wish, list[_Message]]:
    wanted: dict[_Wish, list[_Message]] = {}
    for message in messages:
        try:
            wanted.setdefault(_asked(message.body), []).append(message)
        except InputError as error:
            _poison(told, message, error)
    return wanted


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
    told = record.get("attributes")
    attributes: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    group, received = attributes.get("MessageGroupId"), str(attributes.get("ApproximateReceiveCount", ""))
    return _Message(
        record["messageId"],
        record.get("body"),
        group if isinstance(group, str) else None,
        int(received[:9]) if received.isascii() and received.isdigit() else 0,
    )


def _asked(body: object) -> _Wish:
    """Read which story, user or library a message names; none is everything."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the body is not JSON: {error}") from error
    if not isinstance(body, Mapping):
        raise InputError('the body must be {}, {"story": ID}, {"user": ID} or {"library": ID}')
    story_id, user_id, library_id = body.get("story"), body.get("user"), body.get("library")
    for value, what in ((story_id, "story"), (user_id, "user"), (library_id, "library")):
        if value is not None and (not isinstance(value, str) or not _is_text(value)):
            raise InputError(f'"{what}" must be the id of a {what}')
    return _Wish(story=story_id, user=user_id, library=library_id)


def _is_text(value: str) -> bool:
    """Whether it can be looked up at all: JSON may hold half a character."""
    return value.encode("utf-8", errors="replace").decode("utf-8") == value


def _work_off(kataribe: Kataribe, wanted: Mapping[_Wish, list[_Message]], time: _Time, told: _Told) -> None:
    for at, (wish, senders) in enumerate(wanted.items()):
        try:
            _work(kataribe, wish, senders, time.share(len(wanted) - at), told)
        except NotFoundError as error:
            for sender in senders:
                _poison(told, sender, error)
        except KataribeError as error:
            _fail(told, senders, error)
        except Exception as error:
            if any(sender.message_id is None for sender in senders):
                raise
            # Whatever is wrong with one story must not keep the others from being worked on.
            _fail(told, senders, KataribeError(f"unexpected: {type(error).__name__}"))


def _work(
    kataribe: Kataribe, wish: _Wish, senders: Sequence[_Message], within: float | None, told: _Told
) -> None:
    report = kataribe.sync(story=wish.story, user=wish.user, library=wish.library, within=within)
    items = kataribe.admin.work(story=wish.story, user=wish.user, library=wish.library)
    run = work_run_json(report, items)
    told.done += run["done"]
    told.left += run["left"]
    told.dead += [one for one in run["dead"] if one not in told.dead]
    if report.left:
        why = f"{report.left} are left, and none was done in the time there was"
        for sender in senders:
            _again(told, sender, None if run["done"] else why)


def _poison(told: _Told, message: _Message, error: KataribeError) -> None:
    if message.message_id is None:
        raise error
    told.poison.append({"messageId": message.message_id, "reason": str(error)})


def _fail(told: _Told, senders: Sequence[_Message], error: KataribeError) -> None:
    if any(sender.message_id is None for sender in senders):
        raise error
    told.errors.append(str(error))
    for sender in senders:
        _again(told, sender, str(error))


def _again(told: _Told, sender: _Message, why: str | None) -> None:
    """Let a message be sent again, unless it has failed too often: `why`, None where it did not."""
    if sender.message_id is None:
        return
    if why is not None and sender.received >= MOST_RECEIVES:
        reason = f"given up when it was received {sender.received} times: {why}"
        told.poison.append({"messageId": sender.message_id, "reason": reason})
        return
    told.failed.add(sender.message_id)


# -- requests ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Request:
    """A request as API Gateway (either version) or a function URL hands it to a function."""

    method: str
    headers: Mapping[str, str]
    body: object
    is_base64: bool

    @property
    def secret(self) -> str | None:
        """The access key that comes with it."""
        told = self.headers.get("authorization", "")
        return told[len(_BEARER) :].strip() if told[: len(_BEARER)].lower() == _BEARER else None

    def event(self) -> object:
        """Read the event that is its body; none is everything. Raises `InputError`."""
        body = self.body
        if self.is_base64 and isinstance(body, str):
            try:
                body = base64.b64decode(body, validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError) as error:
                raise InputError("the body is no text in base64") from error
        if body is None or body == "":
            return {}
        try:
            return json.loads(body) if isinstance(body, str) else body
        except (ValueError, RecursionError) as error:
            raise InputError(f"the body is not JSON: {error}") from error


def _request(event: object) -> _Request | None:
    """Read a request; None for what is none."""
    if not isinstance(event, Mapping) or not isinstance(event.get("requestContext"), Mapping):
        return None
    http = event["requestContext"].get("http")
    method = http.get("method") if isinstance(http, Mapping) else event.get("httpMethod")
    if not isinstance(method, str):
        return None
    told = event.get("headers")
    headers = {str(name).lower(): str(value) for name, value in (told or {}).items()}
    return _Request(method.upper(), headers, event.get("body"), bool(event.get("isBase64Encoded")))


def _answered(
    opened: Callable[[], Kataribe], request: _Request, context: RunContext | None
) -> dict[str, object]:
    """Reply to a request: others can send one, so that it needs a key, whether or not the store has any."""
    if request.method != "POST":
        return _refused(Problem(405, "method-not-allowed", "this takes POST alone", {"allow": "POST"}))
    try:
        with opened() as kataribe:
            key = None if request.secret is None else kataribe.admin.access.check(request.secret)
        if key is None:
            return _refused(NO_KEY)
        if key.scope is not AccessScope.ADMIN:
            return _refused(FORBIDDEN)
        return _reply(200, "application/json", _handled(opened, request.event(), context))
    except KataribeError as error:
        return _refused(problem_of(error))
    except Exception:
        return _refused(UNEXPECTED)


def _refused(problem: Problem) -> dict[str, object]:
    return _reply(problem.status, PROBLEM, problem.json(), problem.all_headers)


def _reply(
    status: int, kind: str, value: object, headers: Mapping[str, str] | None = None
) -> dict[str, object]:
    told = {"content-type": kind, "cache-control": "no-store", **(headers or {})}
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", errors="replace").decode("utf-8")
    return {"statusCode": status, "headers": told, "body": body, "isBase64Encoded": False}
