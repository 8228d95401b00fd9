"""Questions about conversations whose answers are known: read from the files of public data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Language
from kataribe.errors import FormatError, InputError
from kataribe.formats.jsonl import parse_line, read_bytes, split_lines

ADVERSARIAL = "adversarial"
"""The category of questions about the wrong speaker: counted by itself, never in the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and the ids of the turns that answer it, at least one."""

    qid: str
    question: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation in the order it was held, and what is asked about it."""

    name: str
    language: Language
    turns: tuple[Turn, ...]
    asked: tuple[Asked, ...]


def rows_of(path: Path) -> list[tuple[int, Mapping[str, object]]]:
    """Read the objects of a JSONL file with their line numbers."""
    found: list[tuple[int, Mapping[str, object]]] = []
    for line, offset, raw in split_lines(read_bytes(path)):
        values = parse_line(raw, path.name, line=line, offset=offset)
        if values is not None:
            found.append((line, values))
    return found


def questions(path: Path, *, conversation: str) -> dict[str, list[Asked]]:
    """Read questions by the conversation they are about (the field `conversation`).

    Those without evidence are left out. Raises `FormatError` for a line that is no question.
    """
    found: dict[str, list[Asked]] = {}
    for line, values in rows_of(path):
        try:
            asked = _asked(values)
            about = str(values[conversation])
        except (KeyError, TypeError) as error:
            raise FormatError(f"not a question: {error}", file=path.name, line=line) from error
        if asked.evidence:
            found.setdefault(about, []).append(asked)
    return found


def _asked(values: Mapping[str, object]) -> Asked:
    evidence = values["evidence"]
    if not isinstance(evidence, list):
        raise TypeError("evidence must be a list of ids")
    return Asked(
        qid=str(values["qid"]),
        question=str(values["question"]),
        category=str(values.get("category_name") or values.get("category") or "all"),
        evidence=frozenset(str(one) for one in evidence),
    )


def talks(
    turns: Mapping[str, Sequence[Turn]],
    asked: Mapping[str, Sequence[Asked]],
    languages: Mapping[str, Language],
) -> tuple[Talk, ...]:
    """Put conversations and their questions together; those nobody asks about are left out.

    Raises `InputError` when a question is about a conversation, or names a turn, that is not there.
    """
    for name, about in asked.items():
        known = {turn.turn_id for turn in turns.get(name, ())}
        for one in about:
            if missing := sorted(one.evidence - known):
                raise InputError(
                    f"question {one.qid} names {missing[0]!r}, which conversation {name!r} lacks"
                )
    return tuple(
        Talk(name=name, language=languages[name], turns=tuple(turns[name]), asked=tuple(asked[name]))
        for name in sorted(asked)
    )
