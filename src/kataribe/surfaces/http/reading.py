"""The routes of viewers: each verb that is bound to a viewer, and what becomes of what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any

from kataribe.face.aio.viewer import AsyncViewerHandle
from kataribe.face.marks import VerbMark, mark_of
from kataribe.formats.wire.associations import IdeaJson, idea_json
from kataribe.formats.wire.context import AnswerJson, ContextJson, answer_json, context_json
from kataribe.formats.wire.conversation import LogSearchJson, log_search_json
from kataribe.formats.wire.recall import RecollectionJson, recollection_json
from kataribe.formats.wire.server import UsedJson, WordsJson
from kataribe.formats.wire.threads import BufferJson, ThreadTextJson, buffer_json, thread_text_json
from kataribe.formats.wire.tiers import KeptMemoryJson, kept_memory_json
from kataribe.surfaces.http.routes import Example, Ids, Route, Show

_WREN: Mapping[str, object] = {"story": "harbour", "persona": "wren", "at": 3}
_NORA: Mapping[str, object] = {"user": "nora", "persona": "akari"}


def _threads(found: Any, _: Ids) -> object:
    return [thread_text_json(one.space, one.holder, one.thread) for one in found.threads]


def _memories(found: Any, _: Ids) -> object:
    return [kept_memory_json(one.space, one.holder, one.value) for one in found.memories]


def _ideas(found: Any, _: Ids) -> object:
    return [idea_json(one.space, one.holder, one.idea, one.sources) for one in found.ideas]


def _recollection(found: Any, _: Ids) -> object:
    return recollection_json(found)


SHOWN: Mapping[str, tuple[str, type, Show, bool, Example]] = {
    "recall": (
        "/recall",
        RecollectionJson,
        _recollection,
        False,
        Example(body={**_WREN, "question": "Where is the key?", "top_k": 3}),
    ),
    "known": (
        "/known",
        RecollectionJson,
        lambda found, _: recollection_json(found, ranked=False),
        False,
        Example(body=_WREN),
    ),
    "context": (
        "/context",
        ContextJson,
        lambda found, _: context_json(found),
        False,
        Example(body={**_WREN, "question": "Where is the key?", "budget": 600}),
    ),
    "answer": (
        "/answer",
        AnswerJson,
        lambda found, _: answer_json(found),
        False,
        Example(body={"user_id": "nora", "persona": "akari", "session_id": "7", "question": "What rained?"}),
    ),
    "search_log": (
        "/log/search",
        LogSearchJson,
        lambda found, _: log_search_json(found, {}),
        False,
        Example(body={**_NORA, "keywords": ["rain"]}),
    ),
    "read_turn": (
        "/log/read",
        RecollectionJson,
        _recollection,
        False,
        Example(body={**_NORA, "turn_id": "no such turn"}, status=404),
    ),
    "threads": ("/threads", ThreadTextJson, _threads, True, Example(body=_NORA)),
    "buffer": ("/buffer", BufferJson, lambda found, _: buffer_json(found), False, Example(body=_NORA)),
    "memories": ("/memories", KeptMemoryJson, _memories, True, Example(body=_NORA)),
    "associate": ("/associate", IdeaJson, _ideas, True, Example(body={**_NORA, "text": "rain"})),
    "with_words": (
        "/words",
        WordsJson,
        lambda text, _: {"text": text},
        False,
        Example(body={**_NORA, "text": "It rained."}),
    ),
    "report_use": (
        "/used",
        UsedJson,
        lambda count, _: {"used": count},
        False,
        Example(body={**_NORA, "ids": []}),
    ),
}
"""By verb: its path, what comes back, whether it is a list, and a request to try."""
SHORT_NAMES: Mapping[str, Mapping[str, str]] = {"answer": {"user_id": "user", "session_id": "session"}}
"""Other names under which options are taken as well."""


def viewer_verbs() -> tuple[str, ...]:
    """Name the verbs of a bound viewer that give what it remembers; tools are those verbs again."""
    return tuple(
        name
        for name, verb in vars(AsyncViewerHandle).items()
        if mark_of(verb) is VerbMark.VIEWER_READ and iscoroutinefunction(getattr(verb, "__wrapped__", verb))
    )


def viewer_routes() -> tuple[Route, ...]:
    """Make a route of each."""
    return tuple(_route(name) for name in viewer_verbs())


def _route(name: str) -> Route:
    path, shape, show, is_list, example = SHOWN[name]
    return Route(
        method="POST",
        path=path,
        way=f"viewer.{name}",
        shape=shape,
        show=show,
        is_list=is_list,
        renamed=SHORT_NAMES.get(name, {}),
        example=example,
    )
