"""Requests for chat completions, read as far as they are ours to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kataribe.domain.conversation.places import TalkEpisode, talk_episode
from kataribe.domain.ids import digest
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.surfaces.http.callers import Caller
from kataribe.surfaces.http.openai_speakers import Speaker, read_speaker, viewer_for
from kataribe.surfaces.http.openai_words import Json
from kataribe.surfaces.http.options import ServerOptions
from kataribe.surfaces.http.problems import bad_request

REMEMBER = "x-kataribe-remember"
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_OURS = frozenset({"messages", "metadata", "model", "prediction", "prompt_cache_key", "safety_identifier"})
_OURS_TOO = frozenset({"session_id", "store", "stream", "user"})
_LONGEST_SESSION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAsked:
    """A request for a reply: who replies to whom, what was said, and what the upstream is told beside.

    `options` are those of the request that are none of ours: they go to the upstream as they are.
    """

    name: str
    speaker: Speaker
    viewer: ViewerKeys
    messages: Sequence[Json]
    options: Mapping[str, Any]
    session: str | None
    beginning: str
    is_plain: bool
    streams: bool

    @property
    def user(self) -> str | None:
        """Who talks; None: nobody in particular."""
        return self.viewer.get("user")

    @property
    def held(self) -> TalkEpisode | None:
        """Where in a story it is talked."""
        return None if self.speaker.story is None else talk_episode(self.speaker.story, self.speaker.at)

    @property
    def lines(self) -> list[Json]:
        """The messages as turns are made of them: role, words and whether tools are called."""
        names = ("role", "content", "tool_calls", "function_call")
        return [{name: one[name] for name in names if name in one} for one in self.messages]

    @property
    def texts(self) -> list[str]:
        """What the user and who answers said, in order."""
        return [text for one in self.messages if one["role"] in ("user", "assistant") if (text := _text(one))]

    @property
    def question(self) -> str:
        """What the user said last; empty where it said nothing."""
        said = (_text(one) for one in reversed(self.messages) if one["role"] == "user")
        return next((text for text in said if text), "")


def read_chat(
    body: Mapping[str, Any], caller: Caller, headers: Mapping[str, str], options: ServerOptions
) -> ChatAsked:
    """Read a request. Raises `RefusedError`."""
    name = body.get("model")
    if not isinstance(name, str):
        raise bad_request("name who answers as `model`; GET /v1/models lists them")
    speaker = read_speaker(name)
    named = text_of(body, "user")
    viewer = viewer_for(caller, headers, speaker, named)
    assert speaker is not None
    session = _session(body, headers, options)
    is_bound = caller.key is not None and caller.is_bound
    return ChatAsked(
        name=name,
        speaker=speaker,
        viewer=viewer,
        messages=_messages(body.get("messages")),
        options={key: one for key, one in body.items() if key not in _OURS | _OURS_TOO},
        session=session,
        # The story's episode may be one of several that a conversation goes on at.
        beginning=digest(caller.name if is_bound else "", viewer.get("user") or "", speaker.name),
        is_plain=speaker.is_plain or headers.get(REMEMBER, "").strip().lower() in ("no", "false", "0"),
        streams=body.get("stream") is True,
    )


def text_of(body: Mapping[str, Any], name: str) -> str | None:
    """Take a text of a body; None where it is left out or empty. Raises `RefusedError`."""
    found = body.get(name)
    if found is not None and not isinstance(found, str):
        raise bad_request(f"{name} must be a text")
    return found or None


def _session(body: Mapping[str, Any], headers: Mapping[str, str], options: ServerOptions) -> str | None:
    """Take the name of the conversation: a header's, else that in the metadata."""
    metadata = body.get("metadata")
    told = headers.get(options.session_header.lower())
    if not told and isinstance(metadata, Mapping):
        told = text_of(metadata, "session_id")
    told = told or text_of(body, "session_id")
    if told is not None and (len(told) > _LONGEST_SESSION or not told.isprintable() or not told.strip()):
        raise bad_request(f"the name of a session has 1 to {_LONGEST_SESSION} printable characters")
    return told or None


def _messages(given: object) -> list[Json]:
    if not isinstance(given, list) or not given:
        raise bad_request("messages must be a list with one message at least")
    for at, one in enumerate(given):
        if not isinstance(one, dict):
            raise bad_request(f"messages[{at}] must be an object")
        if one.get("role") not in _ROLES:
            raise bad_request(f"messages[{at}].role must be one of {', '.join(sorted(_ROLES))}")
        content = one.get("content")
        if content is not None and not isinstance(content, str | list):
            raise bad_request(f"messages[{at}].content must be a text or a list of parts")
        if isinstance(content, list) and not all(isinstance(part, dict) for part in content):
            raise bad_request(f"messages[{at}].content must be a text or a list of parts, each an object")
    return given


def _text(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str)).strip()
