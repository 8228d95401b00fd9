"""Messages of a framework's state, as plain messages: what people said, and nothing of tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kataribe.errors import InputError

_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant"}
PlainMessage = dict[str, str]


def plain(messages: Iterable[object]) -> list[PlainMessage]:
    """Give what the user and the assistant said, in order; what has no words is left out."""
    found = (_plain(one) for one in messages)
    return [one for one in found if one is not None]


def last_asked(state: Mapping[str, Any]) -> str:
    """Give the question of a state: `question`, else the last message of the user. Raises `InputError`."""
    question = state.get("question")
    if isinstance(question, str) and question.strip():
        return question
    asked = [one["content"] for one in plain(state.get("messages") or ()) if one["role"] == "user"]
    if not asked:
        raise InputError("the state asks nothing: give it a question, or messages with one of the user")
    return asked[-1]


def _plain(message: object) -> PlainMessage | None:
    role, content = _parts(message)
    speaks = _ROLES.get(role)
    words = _words(content)
    if speaks is None or not words.strip():
        return None
    return {"role": speaks, "content": words}


def _parts(message: object) -> tuple[str, object]:
    """Take a message apart: an object of LangChain, a mapping, or a pair of role and content."""
    if isinstance(message, Mapping):
        return str(message.get("role", message.get("type", ""))), message.get("content")
    if isinstance(message, tuple) and len(message) == 2:
        return str(message[0]), message[1]
    return str(getattr(message, "type", "")), getattr(message, "content", None)


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    parts: Sequence[object] = content if isinstance(content, list) else ()
    texts = (one if isinstance(one, str) else one.get("text") for one in parts if isinstance(one, str | dict))
    return "\n".join(text for text in texts if isinstance(text, str))
