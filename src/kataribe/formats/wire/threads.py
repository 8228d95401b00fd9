"""What programs are shown of threads, and of the buffer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TypedDict

from kataribe.domain.conversation.buffer import Buffer
from kataribe.domain.conversation.threads import Thread
from kataribe.domain.conversation.turns import Role, Turn, persona_counts
from kataribe.domain.gate import EPOCH
from kataribe.domain.space import parse_space


class MessageJson(TypedDict):
    """A message as a viewer is shown it: who else holds it is not told."""

    id: str
    speaker: str
    role: str | None
    time: str
    text: str
    caption: str | None


class ThreadJson(TypedDict):
    """A line of `thread list --json`."""

    id: str
    space: str
    holder: str
    session: str
    domain: str | None
    began: str
    ended: str | None
    ended_by: str | None
    first_at: str
    last_at: str
    turns: list[str]
    counts: dict[str, int]
    persona_counts: dict[str, int]


class ThreadTextJson(TypedDict):
    """The one object of `thread show --json`: a thread, and what was said in it."""

    thread: ThreadJson
    messages: list[MessageJson]


class VoiceLineJson(TypedDict):
    """One side of an exchange: `user`, or `assistant` for the persona."""

    role: str
    content: str


class VoiceExampleJson(TypedDict):
    """A line of `log pairs`: an exchange as programs that train models read it."""

    messages: list[VoiceLineJson]


class BufferJson(TypedDict):
    """The one object of `buffer --json`."""

    space: str | None
    session: str | None
    messages: list[MessageJson]
    tokens: int
    ended_by: str | None
    resumes: str | None
    counts: dict[str, int]
    persona_counts: dict[str, int]


def message_json(turn: Turn) -> MessageJson:
    """Give a message without who holds it."""
    return {
        "id": turn.turn_id,
        "speaker": turn.speaker,
        "role": turn.role,
        "time": turn.time.isoformat(),
        "text": turn.text,
        "caption": turn.caption,
    }


def thread_json(space: str, holder: str, thread: Thread) -> ThreadJson:
    """Give a thread without the words said in it."""
    user_id = parse_space(space).user or ""
    return {
        "id": thread.thread_id,
        "space": space,
        "holder": holder,
        "session": thread.session,
        "domain": thread.domain,
        "began": thread.began.value,
        "ended": None if thread.ended is None else moment_text(thread.ended),
        "ended_by": None if thread.ended_by is None else thread.ended_by.value,
        "first_at": thread.turns[0].time.isoformat(),
        "last_at": thread.turns[-1].time.isoformat(),
        "turns": [turn.turn_id for turn in thread.turns],
        "counts": thread.counts,
        "persona_counts": persona_counts(thread.turns, user_id=user_id, holder=holder),
    }


def thread_text_json(space: str, holder: str, thread: Thread) -> ThreadTextJson:
    """Give a thread with the words said in it."""
    return {
        "thread": thread_json(space, holder, thread),
        "messages": [message_json(turn) for turn in thread.turns],
    }


def voice_example_json(exchange: Iterable[tuple[Role, str]]) -> VoiceExampleJson:
    """Give an exchange as messages."""
    sides = {Role.USER: "user", Role.PERSONA: "assistant"}
    return {"messages": [{"role": sides[role], "content": text} for role, text in exchange]}


def buffer_json(buffer: Buffer) -> BufferJson:
    """Give what is at hand."""
    return {
        "space": buffer.space,
        "session": buffer.session,
        "messages": [message_json(turn) for turn in buffer.turns],
        "tokens": buffer.tokens,
        "ended_by": None if buffer.ended_by is None else buffer.ended_by.value,
        "resumes": buffer.resumes,
        "counts": dict(buffer.counts),
        "persona_counts": dict(buffer.persona_counts),
    }


def moment_text(position: int) -> str:
    """Write a position as a moment, in UTC."""
    return (EPOCH + timedelta(milliseconds=position)).isoformat()
