"""What a route is: a verb of the face behind a method and a path, open to the scopes its mark admits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kataribe.domain.access import AccessScope
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.marks import VerbMark
from kataribe.formats.wire.schema import name_of
from kataribe.surfaces.http.callers import Caller
from kataribe.surfaces.http.jobs import BackgroundSync
from kataribe.surfaces.http.limits import Slot
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.verbs import FaceVerb, Option, handle_at, options_of, steps_named, verb_at

Ids = Mapping[str, str]
Show = Callable[[Any, Ids], Any]
"""Writes what a verb gave as JSON."""

ADMIN = frozenset({AccessScope.ADMIN})
OF_STORIES = frozenset({AccessScope.ADMIN, AccessScope.AUTHOR})
OF_USERS = frozenset({AccessScope.ADMIN, AccessScope.USER, AccessScope.FRONT})
OF_THEMSELVES = frozenset({AccessScope.ADMIN, AccessScope.USER})
EVERYBODY = frozenset(AccessScope)
SAID_BY_USERS = frozenset({"user.said"})
"""What a user's own key may write."""
OF_THE_USER = frozenset({"user.delete", "user.privacy.request", "user.privacy.export", "user.privacy.show"})
"""What a user's own key may ask of all that is kept. One of a persona may not: others were told of it too."""
OF_THE_STORE = frozenset({"story.verify"})
"""What tells of more than its story: of files of the store, and of erasures that are not finished."""
SHOWN_ONCE = frozenset({"admin.access.add", "user.privacy.request", "user.delete"})
"""Secrets, tokens and receipts: no reply of these is kept to be given again."""
OF_THE_OWNER = frozenset({"planner", "reranker", "judge", "model", "embedder"})
"""Options that ask somebody outside at the owner's cost: no key that is bound may name them."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request that can be sent as it stands, and the status that comes back."""

    ids: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    data: bytes | None = None
    """The file that it brings, where its route takes one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back: a value that becomes JSON, with its status and what goes in its head."""

    value: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A request that was let in: who asks, by which route, and what was read of it.

    `data` is the file that it brought, where its route takes one.
    """

    route: Route
    caller: Caller
    ids: Ids
    arguments: Mapping[str, Any]
    viewer: ViewerKeys | None
    headers: Mapping[str, str]
    data: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request that is worked on, and what it is worked on with."""

    read: ReadRequest
    memory: AsyncKataribe
    options: ServerOptions
    work: BackgroundSync
    slot: Slot

    @property
    def caller(self) -> Caller:
        """Who asks."""
        return self.read.caller

    @property
    def ids(self) -> Ids:
        """The ids of its path."""
        return self.read.ids

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The options of its verb."""
        return self.read.arguments

    @property
    def headers(self) -> Mapping[str, str]:
        """What stands in its head."""
        return self.read.headers

    async def call(self) -> Any:
        """Call the verb."""
        verb = self.read.route.verb
        handle = handle_at(self.memory, verb.way, self.ids, self.read.viewer)
        return await getattr(handle, verb.way.rpartition(".")[2])(**self.arguments)


Run = Callable[[HttpRequest], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A verb behind a method and a path.

    `shape` is the type of what comes back (None: nothing does), a page of it where `is_list`. `run` is
    what is done instead of calling the verb and showing what it gives. `body` is what a request brings
    where that is not the options of the verb; `left_out` are options that are not taken, `renamed` other
    names of some. `status` is that of success, and `also` others that are none of a refusal; `accepted` is
    the type of what comes back with 202 where that is another. `media` are the types of files that are sent
    back; with `uploads` a file is the body, and the options stand in the query.
    """

    method: str
    path: str
    way: str
    example: Example
    shape: type | None = None
    show: Show | None = None
    is_list: bool = False
    run: Run | None = None
    body: type | None = None
    left_out: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    also: Sequence[int] = ()
    accepted: type | None = None
    media: Sequence[str] = ()
    uploads: bool = False
    streams: bool = False
    """Whether it sends events where the caller accepts them."""

    @property
    def verb(self) -> FaceVerb:
        """The verb behind it."""
        return verb_at(self.way)

    @property
    def scopes(self) -> frozenset[AccessScope]:
        """Who may use it: what its verb's mark, and the place of that verb, admit."""
        if self.verb.mark is VerbMark.VIEWER_READ:
            return EVERYBODY
        if self.way in SAID_BY_USERS:
            return OF_USERS
        if self.way in OF_THE_USER:
            return OF_THEMSELVES
        if self.way in OF_THE_STORE:
            return ADMIN
        return OF_STORIES if self.path.startswith(("/stories", "/jobs")) else ADMIN

    def admits(self, caller: Caller) -> bool:
        """Whether it is open to a caller."""
        is_of_a_persona = caller.key is not None and caller.key.persona is not None
        return caller.scope in self.scopes and not (self.way in OF_THE_USER and is_of_a_persona)

    @property
    def is_write(self) -> bool:
        """Whether it changes anything."""
        return self.verb.mark is VerbMark.WRITE

    @property
    def is_repeatable(self) -> bool:
        """Whether its reply may be given again to who sends an idempotency key."""
        return self.is_write and self.way not in SHOWN_ONCE

    @property
    def takes_body(self) -> bool:
        """Whether a request brings its options in a body; else they stand in the query."""
        return self.method != "GET" and not self.uploads

    @property
    def in_path(self) -> Mapping[str, Option]:
        """The options of its verb that stand in the path."""
        names = _names(self.path) - steps_named(self.way)
        return {name: one for name, one in self.verb.options.items() if name in names}

    @property
    def beside(self) -> Mapping[str, Option]:
        """The options that a request brings in its body or query."""
        if self.body is not None:
            return options_of(self.body)
        not_taken = self.left_out | self.in_path.keys()
        return {name: one for name, one in self.verb.options.items() if name not in not_taken}

    @property
    def shape_name(self) -> str | None:
        """The name of what comes back in the schema."""
        return None if self.shape is None else name_of(self.shape)


def _names(path: str) -> frozenset[str]:
    return frozenset(part[1:-1] for part in path.split("/") if part.startswith("{"))
