"""What is kept of a user as rows of the tables of a bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from kataribe.domain.conversation.life.events import HandDecision, UsedAt
from kataribe.domain.conversation.life.policy import other_numbers
from kataribe.domain.conversation.life.summed import SummedItem
from kataribe.domain.conversation.life.values import Cause, OpenQuestion, TurnFate
from kataribe.domain.conversation.summaries import ModelAsk, kind_of
from kataribe.domain.conversation.threads import Thread
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.privacy.records import HeldRecord, MemoryRecord, SaidSpace, UserRecords
from kataribe.domain.records import Trace
from kataribe.domain.space import parse_space
from kataribe.formats.wire.conversation import turn_json
from kataribe.formats.wire.profile import consent_json, profile_item_json
from kataribe.formats.wire.threads import moment_text, thread_json
from kataribe.formats.wire.tiers import kept_memory_json, memory_history_json

Row = Mapping[str, object]


def turn_row(space: str, turn: Turn) -> Row:
    """Give a turn as `kataribe log list --json` prints it, with its place."""
    return {**turn_json(turn), "ordinal": turn.ordinal, "space": space}


def space_row(one: SaidSpace, file: str) -> Row:
    """Give where something was said."""
    return {
        "space": one.space,
        "story": parse_space(one.space).story,
        "episode": one.episode_no,
        "file": file,
        "turns": one.turns,
        "holders": list(one.holders),
        "expired": sorted(one.expired),
    }


def memory_row(one: MemoryRecord) -> Row:
    """Give a memory as it stands last, with all that became of it."""
    history = memory_history_json(one.space, one.holder, one.rows, one.policies)
    last = one.rows[-1]
    return {
        **kept_memory_json(one.space, one.holder, last),
        "pinned": last.pinned,
        "history": history["rows"],
    }


def fate_row(one: HeldRecord[TurnFate]) -> Row:
    """Give how a turn stands from when on."""
    fate = one.value
    return {
        **_held(one),
        "turn": fate.turn_id,
        "at": moment_text(fate.position),
        "state": fate.state.value,
        "by": fate.by,
        "reason": fate.reason.word,
        "numbers": _numbers(fate.reason),
    }


def question_row(one: HeldRecord[OpenQuestion]) -> Row:
    """Give what was asked and not done."""
    asked = one.value
    at = moment_text(asked.position)
    return {**_held(one), "turn": asked.turn_id, "at": at, "verb": asked.verb, "why": asked.why}


def decision_row(one: HeldRecord[HandDecision]) -> Row:
    """Give what a person decided."""
    made = one.value
    at = moment_text(made.at)
    return {**_held(one), "memory": made.memory_id, "at": at, "what": made.what.value, "text": made.text}


def use_row(one: HeldRecord[UsedAt]) -> Row:
    """Give a use of a turn."""
    return {**_held(one), "turn": one.value.turn_id, "at": moment_text(one.value.at)}


def answer_row(one: HeldRecord[ModelAsk]) -> Row:
    """Give what a model made of turns."""
    ask, answer = one.value, one.value.answer
    return {
        **_held(one),
        "kind": kind_of(ask.asked).value,
        "turns": list(ask.asked.turn_ids),
        "at": moment_text(ask.ready_at),
        "answered": answer is not None,
        "items": [] if answer is None else [_item(item) for item in answer.items],
        "keywords": [] if answer is None else list(answer.keywords),
        "older": [] if answer is None else [[turn, list(place)] for turn, place in answer.older],
        "refused": [] if answer is None else list(answer.refused),
    }


def thread_row(one: HeldRecord[Thread]) -> Row:
    """Give a thread without the words said in it."""
    return cast(Row, thread_json(one.space, one.holder, one.value))


def search_row(one: Trace) -> Row:
    """Give a search."""
    return {
        "at": one.at,
        "verb": one.verb,
        "story": one.story or None,
        "persona": one.character,
        "episode": one.episode_no or None,
        "as_of": one.as_of,
        "filter": None if one.filter is None else dict(one.filter),
        "slices": list(one.slices),
        "ids": list(one.ids),
    }


def night_rows(records: UserRecords) -> Iterator[Row]:
    """Give the nights."""
    for night in records.nights():
        yield {"at": moment_text(night.at), "policy": other_numbers(night.policy)}


def profile_rows(records: UserRecords) -> Iterator[Row]:
    """Give the values of the profile."""
    for one in records.profile():
        yield cast(Row, profile_item_json(records.user.user_id, one))


def consent_rows(records: UserRecords) -> Iterator[Row]:
    """Give the steps of consents."""
    for one in records.consents():
        yield cast(Row, consent_json(records.user.user_id, one))


def _held(one: HeldRecord[Any]) -> dict[str, object]:
    return {"space": one.space, "holder": one.holder}


def _numbers(cause: Cause) -> dict[str, float]:
    return dict(cause.numbers)


def _item(one: SummedItem) -> dict[str, object]:
    return {
        "text": one.text,
        "topic": one.topic,
        "kind": one.kind.value,
        "sources": list(one.sources),
        "explicit": one.explicit,
        "pii": one.pii,
        "valence": one.valence,
    }
