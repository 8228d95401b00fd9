"""Labelled questions to calibrate with: `gold.jsonl` of a story, `qa.jsonl` of conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kataribe.domain.recall.calibration import Labelled
from kataribe.errors import FormatError, InputError
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import parse_lines, read_bytes

_CONVERSATION = ("conv", "pair", "conversation")
"""Fields that name the conversation a question is about."""


def read_gold(path: str | Path) -> tuple[Labelled, ...]:
    """Read a story's probes; those that want nothing have no evidence.

    Raises `FormatError` with the line of one that is malformed.
    """
    file = Path(path)
    return tuple(_probe(values, file, line) for line, values in parse_lines(read_bytes(file), str(file)))


def _probe(values: dict[str, object], path: Path, line: int) -> Labelled:
    fields = Fields(values, file=str(path), line=line)
    wanted = _listed(values, "must_include_any", path, line)
    return Labelled(
        question=fields.filled_text("question"),
        character=fields.filled_text("character"),
        at=fields.number("episode_no"),
        evidence=frozenset(str(one) for one in _listed(values, "supporting_facts", path, line)),
        keys=tuple(one for one in wanted if isinstance(one, str)),
        episodes=frozenset(one for one in wanted if isinstance(one, int)),
    )


def read_qa(
    path: str | Path, *, conversation: str | None = None, persona: str | None = None
) -> tuple[Labelled, ...]:
    """Read questions about a conversation, with the ids of the turns that answer them.

    `persona` asks them all (None: nobody's secrets). Raises `FormatError` with the line of one
    that is malformed, and `InputError` when the file is about several conversations and none,
    or another one, is named.
    """
    rows = list(_questions(Path(path), persona))
    there = sorted({of for of, _ in rows if of is not None})
    if conversation is None and len(there) > 1:
        raise InputError(f"{path} is about several conversations; name one: {', '.join(there)}")
    if conversation is not None and conversation not in there:
        raise InputError(
            f"{path} asks nothing about {conversation!r}; it has {', '.join(there) or 'no names'}"
        )
    return tuple(one for of, one in rows if conversation is None or of == conversation)


def _questions(path: Path, persona: str | None) -> Iterator[tuple[str | None, Labelled]]:
    for line, values in parse_lines(read_bytes(path), str(path)):
        fields = Fields(values, file=str(path), line=line)
        of = next((str(values[name]) for name in _CONVERSATION if values.get(name) is not None), None)
        evidence = frozenset(str(one) for one in _listed(values, "evidence", path, line))
        yield of, Labelled(question=fields.filled_text("question"), evidence=evidence, persona=persona)


def _listed(values: dict[str, object], name: str, path: Path, line: int) -> list[object]:
    found = values.get(name, [])
    if not isinstance(found, list):
        raise FormatError(f"{name} must be a list", file=str(path), line=line)
    return found
