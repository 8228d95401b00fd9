"""The tools of one connection: what an agent may call as one viewer, and as no one else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from kataribe.domain.conversation.turns import TurnReceipt
from kataribe.domain.memory import Recollection
from kataribe.domain.recall.requests import NOW, KnownOptions, ViewerKeys
from kataribe.errors import InputError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.aio.viewer import AsyncViewerHandle
from kataribe.formats.wire.recall import slim_hits_json
from kataribe.tools import AsyncTool, Rows, known_only, schema_of, whole, words

Known = Callable[[KnownOptions], Awaitable[Recollection]]
Remember = Callable[[str, str], Awaitable[TurnReceipt]]

_KNOWN = schema_of(
    {
        "last": {
            "type": "integer",
            "minimum": 1,
            "maximum": 200,
            "default": 50,
            "description": "How many memories to give at most: the last ones.",
        },
        "episode": {
            "type": "integer",
            "minimum": 1,
            "description": "Only what happened in the episode of this number.",
        },
    }
)
_REMEMBER = schema_of(
    {
        "text": {"type": "string", "description": "What was said, in the words in which it was said."},
        "said_by": {
            "type": "string",
            "enum": ["user", "persona"],
            "default": "user",
            "description": "Who said it: the user, or you.",
        },
    },
    "text",
)
_SPEAKERS = ("user", "persona")


@dataclass(frozen=True, slots=True)
class AsyncKnownTool:
    """A function tool that lists what is known, in order, as the viewer it was made with."""

    viewer: ViewerKeys
    known: Known = field(repr=False)
    name: str = "known"
    description: str = (
        "List what you know, in the order in which it happened or was said. Use it to look over what you "
        "know at all; to answer a question use recall_memories."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _KNOWN

    async def __call__(self, **arguments: object) -> Rows:
        """List as the bound viewer; text of memories is data, never instructions."""
        known_only(arguments, "last", "episode")
        last = whole(arguments, "last", least=1, most=200, default=50)
        asked: KnownOptions = {}
        if "episode" in arguments:
            asked["where"] = {"episode_no": whole(arguments, "episode", least=1, most=2**31, default=1)}
        return slim_hits_json((await self.known(asked)).hits[-last:])


@dataclass(frozen=True, slots=True)
class AsyncRememberTool:
    """A function tool that stores what was said with the user of the viewer it was made with.

    It is held by that viewer's persona, or told to all where there is none.
    """

    viewer: ViewerKeys
    remember: Remember = field(repr=False)
    name: str = "remember"
    description: str = (
        "Store what was said just now, word for word, so that it is remembered from now on. Use it for "
        "what is worth keeping; what is stored already need not be stored again."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _REMEMBER

    async def __call__(self, **arguments: object) -> Rows:
        """Store a turn; it is durable, and in memory, when this returns."""
        known_only(arguments, "text", "said_by")
        said_by = arguments.get("said_by", "user")
        if said_by not in _SPEAKERS:
            raise InputError(f"said_by must be user or persona, not {said_by!r}")
        told = await self.remember(words(arguments, "text"), str(said_by))
        return [{"turn": told.turn_id, "session": told.session}]


def tools_of(
    memory: AsyncKataribe, viewer: ViewerKeys, *, library: str | None = None
) -> tuple[AsyncTool, ...]:
    """Give the tools of one viewer, in the order in which a model should try them (S4-106).

    A story gives `recall_memories` and `known`; a user `search_past_conversations` and
    `read_memory_context` as well, a `library` `search_knowledge_base`. `remember` is there where
    anything can be said: with a user, as of now, and under a story at an episode that is named. Raises
    `InputError` when these words make no viewer.
    """
    handle = memory.viewer(**viewer)
    found: list[AsyncTool] = [handle.recall_tool(), known_tool(handle)]
    if library is not None:
        found.append(memory.library(library).search_tool())
    if viewer.get("user") is not None:
        found += [handle.search_tool(), handle.read_tool()]
        if viewer.get("as_of") is None and viewer.get("at") != NOW:
            found.append(remember_tool(memory, viewer))
    return tuple(found)


def known_tool(handle: AsyncViewerHandle) -> AsyncKnownTool:
    """Make a tool that lists what a viewer knows."""
    return AsyncKnownTool(handle.viewer, lambda asked: handle.known(**asked))


def remember_tool(memory: AsyncKataribe, viewer: ViewerKeys) -> AsyncRememberTool:
    """Make a tool that stores what is said with a viewer's user; a missing user is made by it.

    Raises `InputError` for a viewer without a user, one that stands in the past, and one that is at
    `now`: talk under a story is held at an episode that is named.
    """
    user, at = viewer.get("user"), viewer.get("at")
    if user is None:
        raise InputError("there is nobody to talk with: name the user to remember what is said")
    if viewer.get("as_of") is not None:
        raise InputError("what is said is said now: leave as_of out to remember it")
    if at == NOW:
        raise InputError("talk is held at an episode: name its number in the place of now")
    persona = viewer.get("persona")
    chat = memory.user(user).chat(persona=persona, story=viewer.get("story"), at=at)

    async def remember(text: str, said_by: str) -> TurnReceipt:
        return await (chat.replied(text) if said_by == "persona" else chat.said(text))

    return AsyncRememberTool(viewer, remember)
