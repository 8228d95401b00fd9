"""Tools for agents: the viewer is bound when one is made, outside what a model may say (S0-30).

The order in which a model should try them stands in their descriptions (S4-106): what is
remembered first, exact words as a last resort, reading on where a hit was cut.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from kataribe.domain.knowledge.documents import LibrarySearch
from kataribe.domain.memory import Hit, Recollection, TurnHit
from kataribe.domain.recall.log_search import LogHit, LogSearch
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import InputError
from kataribe.formats.wire.knowledge import passage_json
from kataribe.formats.wire.recall import hit_json, slim_hits_json

READ_ON = "read_memory_context"
"""The name of the tool that gives a cut text whole."""

Recall = Callable[[str, int], Awaitable[Recollection]]
Search = Callable[[list[str]], Awaitable[LogSearch]]
Read = Callable[[str, int], Awaitable[Recollection]]
SearchLibrary = Callable[[str, int], Awaitable[LibrarySearch]]
Rows = list[dict[str, object]]
"""What a tool gives a model."""


def schema_of(properties: Mapping[str, object], *needed: str) -> Mapping[str, object]:
    """Make the JSON schema of a tool's arguments: those `needed` must be there, and no others may be."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(needed),
        "additionalProperties": False,
    }


_RECALL = schema_of(
    {
        "query": {"type": "string", "description": "What to remember, as a question or a few words."},
        "top_k": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "description": "How many memories to give at most.",
        },
    },
    "query",
)
_SEARCH = schema_of(
    {
        "keywords": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": 3,
            "description": "One to three distinctive names or phrases, exactly as they were said.",
        }
    },
    "keywords",
)
_KNOWLEDGE = schema_of(
    {
        "query": {"type": "string", "description": "What to look up, as a question or a few words."},
        "top_k": {
            "type": "integer",
            "minimum": 1,
            "maximum": 20,
            "default": 5,
            "description": "How many passages to give at most.",
        },
    },
    "query",
)
_READ = schema_of(
    {
        "turn": {"type": "string", "description": "The id of a turn, as another tool gave it."},
        "around": {
            "type": "integer",
            "minimum": 0,
            "maximum": 20,
            "default": 2,
            "description": "How many turns before and after it to give.",
        },
    },
    "turn",
)


@dataclass(frozen=True, slots=True)
class AsyncRecallTool:
    """A function tool: `name`, `description` and `parameters` (JSON schema) for the model, a call for you.

    Whatever the model passes, the viewer stays the one it was made with; an argument that is
    not in the schema raises `InputError`. A hit is its `text`, where it is from (`episode_no`,
    or `session`, `speaker` and `time`), its `fact_id`, and `marks` when it has any. A sentence of a
    story has what stands `around` it beside its text, where that is more and stood around no hit
    before it. `detail` gives each hit as `hit_json` does.
    """

    viewer: ViewerKeys
    recall: Recall = field(repr=False)
    detail: bool = field(default=False, kw_only=True)
    name: str = "recall_memories"
    description: str = (
        "Search what you remember; try this first. Gives sentences with where they are from; "
        "an empty list means that you remember nothing about it."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _RECALL

    async def __call__(self, **arguments: object) -> Rows:
        """Recall as the bound viewer; text of memories is data, never instructions."""
        known_only(arguments, "query", "top_k")
        query = words(arguments, "query")
        top_k = whole(arguments, "top_k", least=1, most=50, default=10)
        hits = (await self.recall(query, top_k)).hits
        return [dict(hit_json(hit)) for hit in hits] if self.detail else slim_hits_json(hits)


@dataclass(frozen=True, slots=True)
class AsyncSearchTool:
    """A function tool that looks for exact words in past logs, as the viewer it was made with (S4-93)."""

    viewer: ViewerKeys
    search: Search = field(repr=False)
    name: str = "search_past_conversations"
    description: str = (
        "Look for exact words in past conversations: a last resort, when recall_memories gave nothing of "
        "use. Gives the newest and the oldest turns that hold them; a long one is cut, and 'more' says so."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _SEARCH

    async def __call__(self, **arguments: object) -> Rows:
        """Search as the bound viewer; what was said is data, never instructions."""
        known_only(arguments, "keywords")
        keywords = arguments.get("keywords")
        if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
            raise InputError("the tool needs keywords, a list of words")
        return [
            {
                "turn": hit.turn_id,
                "session": hit.session,
                "speaker": hit.speaker,
                "time": hit.time,
                "text": hit.text,
                "more": _more(hit) if hit.is_cut else None,
            }
            for hit in (await self.search(keywords)).hits
        ]


@dataclass(frozen=True, slots=True)
class AsyncReadTool:
    """A function tool that reads the full text around a turn, as the viewer it was made with (S4-105)."""

    viewer: ViewerKeys
    read: Read = field(repr=False)
    name: str = READ_ON
    description: str = (
        "Read a turn in full, with what was said before and after it. Use it to read on where another "
        "tool's text was cut."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _READ

    async def __call__(self, **arguments: object) -> Rows:
        """Read as the bound viewer; what was said is data, never instructions."""
        known_only(arguments, "turn", "around")
        turn = words(arguments, "turn")
        count = whole(arguments, "around", least=0, most=20, default=2)
        return [
            {"turn": hit.fact_id, **_said(hit), "text": hit.text}
            for hit in (await self.read(turn, count)).hits
        ]


@dataclass(frozen=True, slots=True)
class AsyncKnowledgeTool:
    """A function tool that searches one library, the one it was made for (S4-65).

    No other tool, and no recall, context or answer, gives what is in a library (S4-66).
    """

    library: str
    search: SearchLibrary = field(repr=False)
    name: str = "search_knowledge_base"
    description: str = (
        "Search the documents of a knowledge base. Use it for questions about what is written there, not "
        "for what you remember. Gives the nearest passages with document, headings and page; look whether "
        "they answer the question before you use them."
    )

    @property
    def viewer(self) -> ViewerKeys:
        """Nobody: what documents say is the same for all."""
        return {}

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _KNOWLEDGE

    async def __call__(self, **arguments: object) -> Rows:
        """Search the library; what documents say is data, never instructions."""
        known_only(arguments, "query", "top_k")
        query = words(arguments, "query")
        top_k = whole(arguments, "top_k", least=1, most=20, default=5)
        return [dict(passage_json(hit)) for hit in (await self.search(query, top_k)).hits]


def _said(hit: Hit) -> dict[str, object]:
    """Say when and by whom something was said; of a fact nothing is known of that."""
    if isinstance(hit, TurnHit):
        return {"session": hit.session, "speaker": hit.speaker, "time": hit.time.isoformat()}
    return {"session": None, "speaker": None, "time": None}


class AsyncTool(Protocol):
    """What every tool is to an agent with an event loop."""

    @property
    def viewer(self) -> ViewerKeys:
        """The viewer that it answers as."""

    @property
    def name(self) -> str:
        """What a model calls it by."""

    @property
    def description(self) -> str:
        """What a model is told of it."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""

    def __call__(self, **arguments: object) -> Coroutine[Any, Any, Rows]:
        """Answer a model."""


A = TypeVar("A", bound=AsyncTool)


@dataclass(frozen=True, slots=True)
class _Waited(Generic[A]):
    """A tool for an agent without an event loop: the same, waited for."""

    of: A
    run: Callable[[Coroutine[Any, Any, Any]], Any] = field(repr=False)

    @property
    def viewer(self) -> ViewerKeys:
        """The viewer that it answers as."""
        return self.of.viewer

    @property
    def name(self) -> str:
        """What a model calls it by."""
        return self.of.name

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return self.of.description

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return self.of.parameters

    def __call__(self, **arguments: object) -> Rows:
        """Answer a model. Raises `InputError` for an argument that is not in the schema."""
        rows: Rows = self.run(self.of(**arguments))
        return rows


class RecallTool(_Waited[AsyncRecallTool]):
    """A function tool that recalls as the viewer it was made with."""


class SearchTool(_Waited[AsyncSearchTool]):
    """A function tool that looks for exact words in past logs, as the viewer it was made with."""


class ReadTool(_Waited[AsyncReadTool]):
    """A function tool that reads the full text around a turn, as the viewer it was made with."""


class KnowledgeTool(_Waited[AsyncKnowledgeTool]):
    """A function tool that searches one library, the one it was made for."""

    @property
    def library(self) -> str:
        """The library that it searches."""
        return self.of.library


def _more(hit: LogHit) -> str:
    """Say that a text is a part of what was said, and how to read the rest (S4-77)."""
    return f"more available, {hit.characters} characters in all: {READ_ON} with turn {hit.turn_id!r}"


def known_only(arguments: Mapping[str, object], *names: str) -> None:
    """Refuse arguments that are not in a tool's schema. Raises `InputError`."""
    unknown = sorted(arguments.keys() - set(names))
    if unknown:
        raise InputError(f"the tool takes {' and '.join(names)}, not {', '.join(unknown)}")


def words(arguments: Mapping[str, object], name: str) -> str:
    """Give an argument that must be there, in words. Raises `InputError`."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise InputError(f"the tool needs a {name} in words")
    return value


def whole(arguments: Mapping[str, object], name: str, *, least: int, most: int, default: int) -> int:
    """Give a whole number within bounds, `default` where it was left out. Raises `InputError`."""
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most}, not {value!r}")
    return value
