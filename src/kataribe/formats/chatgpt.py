"""ChatGPT's export: conversations as trees of messages, of each the branch that was last shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kataribe.domain.conversation.turns import session_for
from kataribe.errors import FormatError
from kataribe.formats.messages import SYSTEM, TOOL, MessageLines

_SPOKEN = frozenset({"text", "multimodal_text"})
"""The types of content that are a person's or the model's words; others are what tools and thoughts left."""


def is_conversation(value: object) -> bool:
    """Whether it is one conversation of an export."""
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def names_of(conversation: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the names by which a conversation is asked for: its ids and its title."""
    found = (conversation.get(name) for name in ("conversation_id", "id", "title"))
    return tuple(name for name in found if isinstance(name, str) and name.strip())


def add_conversation(read: MessageLines, conversation: Mapping[str, Any], name: str) -> None:
    """Take the messages of one conversation, as a session of its own. Raises `FormatError`."""
    named = names_of(conversation)
    session = named[0] if named else session_for("", str(conversation.get("create_time")))
    messages = [said for node in _branch(conversation, name) if (said := _message(read, node)) is not None]
    read.add_list(messages, f"{name}, conversation {session}", session=session)


def _branch(conversation: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    """Give the messages from the root to the node that is shown."""
    nodes: dict[str, Any] = conversation["mapping"]
    at: object = conversation.get("current_node")
    if at is None:
        # An export without a current node: the last that nobody answered.
        at = next((key for key in reversed(nodes) if not _node(nodes, key, name).get("children")), None)
    found: list[Mapping[str, Any]] = []
    seen: set[object] = set()
    while at is not None:
        if at in seen:
            raise FormatError(f"the messages of a conversation go in a circle at {at!r}", file=name)
        seen.add(at)
        node = _node(nodes, at, name)
        if isinstance(node.get("message"), dict):
            found.append(node["message"])
        at = node.get("parent")
    return found[::-1]


def _node(nodes: Mapping[str, Any], at: object, name: str) -> Mapping[str, Any]:
    node = nodes.get(at) if isinstance(at, str) else None
    if not isinstance(node, dict):
        raise FormatError(f"a conversation names a message {at!r} that it does not hold", file=name)
    return node


def _message(read: MessageLines, message: Mapping[str, Any]) -> dict[str, object] | None:
    """Give a message in the form of chat programs; None for one that nobody was shown."""
    author, content = _inside(message, "author"), _inside(message, "content")
    role = author.get("role")
    if _inside(message, "metadata").get("is_visually_hidden_from_conversation"):
        read.left_out[SYSTEM] += 1
        return None
    if role == "assistant" and message.get("recipient", "all") != "all":
        read.left_out[TOOL] += 1
        return None
    parts = content.get("parts") if content.get("content_type") in _SPOKEN else [{}]
    told = [_part(part) for part in parts] if isinstance(parts, list) else [{"type": "unknown"}]
    return {"role": role, "content": told, "id": message.get("id"), "time": message.get("create_time")}


def _part(part: object) -> dict[str, object]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        return {"type": "text", "text": part.get("text")}
    return {"type": "unknown"}


def _inside(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = values.get(name)
    return found if isinstance(found, dict) else {}
