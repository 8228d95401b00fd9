"""Rows a program hands in: what a line of `facts.jsonl` or `visibility.jsonl` says, without a file.

A row is an object as a line has it, in which sets and tuples may stand for lists and an
`Audience` for who knows; or a value. All of them are read as lines are, by the same rules and
with the same words. A row need not say which episode it is of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from kataribe.domain.story.folder import OWN, EpisodeRow, FactRow, NewEpisode, VisibilityRow
from kataribe.domain.story.inputs import Annotation, Fact, check_no
from kataribe.domain.terms import Audience
from kataribe.errors import FormatError, InputError
from kataribe.formats import rows
from kataribe.formats.fields import Fields, shown
from kataribe.formats.jsonl import described, parse_lines, parse_object, read_bytes

FactGiven = Mapping[str, object] | FactRow | Fact
"""A fact: an object as in `facts.jsonl`, or a value."""
AnnotationGiven = Mapping[str, object] | VisibilityRow | Annotation
"""An annotation: an object as in `visibility.jsonl`, or a value."""

_Row = TypeVar("_Row", FactRow, VisibilityRow)
_Given = TypeVar("_Given")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeInput:
    """An episode as `put_episodes` takes it.

    `facts` and `annotations` None leave those it has as they are; an empty list takes them away.
    """

    no: int
    text: str
    episode_id: str | None = None
    title: str | None = None
    facts: Sequence[FactGiven] | None = None
    annotations: Sequence[AnnotationGiven] | None = None


EpisodeGiven = Mapping[str, object] | EpisodeInput
"""An episode with what it brings: a mapping with the names of `EpisodeInput`, or one itself."""


def facts_given(given: Sequence[FactGiven], name: str = "facts") -> tuple[FactRow, ...]:
    """Read facts. Raises `FormatError` that says which of them, counted from 1."""
    read = tuple(
        _read(one, name, at, rows.read_fact, _fact_object) for at, one in enumerate(_listed(given, name), 1)
    )
    rows.check_distinct_facts(read)
    return read


def annotations_given(
    given: Sequence[AnnotationGiven], name: str = "annotations"
) -> tuple[VisibilityRow, ...]:
    """Read annotations. Raises `FormatError` that says which of them, counted from 1."""
    read = tuple(
        _read(one, name, at, rows.read_visibility, _annotation_object)
        for at, one in enumerate(_listed(given, name), 1)
    )
    _check_annotations(read)
    return read


def _check_annotations(read: tuple[VisibilityRow, ...]) -> None:
    for row in read:
        if row.to is not None:
            reason = "a range speaks of several episodes, and this comes with one; leave to out"
            raise FormatError(reason, file=row.file, line=row.line)
    rows.check_distinct_visibility(read)


def new_episode(
    *,
    no: int,
    text: str,
    episode_id: str | None = None,
    title: str | None = None,
    facts: Sequence[FactGiven] | None = None,
    annotations: Sequence[AnnotationGiven] | None = None,
    name: str = "",
) -> NewEpisode:
    """Read an episode with its rows; `no` OWN: its number is not known yet. `name` begins what is refused."""
    row = EpisodeRow(file="", no=no, text=text, episode_id=episode_id, title=title)
    read = NewEpisode(
        row=row,
        facts=None if facts is None else facts_given(facts, f"{name}facts"),
        annotations=None if annotations is None else annotations_given(annotations, f"{name}annotations"),
    )
    return read if no == OWN else read.at(no)


def episodes_given(given: Sequence[EpisodeGiven]) -> tuple[NewEpisode, ...]:
    """Read episodes with their rows. Raises `InputError` for two of one number."""
    found: dict[int, NewEpisode] = {}
    for at, one in enumerate(_listed(given, "episodes"), 1):
        value = one if isinstance(one, EpisodeInput) else _episode(one, at)
        name = f"episode {check_no(value.no)}, "
        if value.no in found:
            raise InputError(f"episodes:{at}: episode {value.no} is already given; each may stand once")
        found[value.no] = new_episode(
            no=value.no,
            text=value.text,
            episode_id=value.episode_id,
            title=value.title,
            facts=value.facts,
            annotations=value.annotations,
            name=name,
        )
    return tuple(found.values())


def read_facts(path: Path) -> tuple[FactRow, ...]:
    """Read a file of facts that need not say which episode they are of."""
    read = tuple(_row(values, str(path), line, rows.read_fact) for line, values in _lines(path))
    rows.check_distinct_facts(read)
    return read


def read_annotations(path: Path) -> tuple[VisibilityRow, ...]:
    """Read a file of annotations that need not say which episode they are of."""
    read = tuple(_row(values, str(path), line, rows.read_visibility) for line, values in _lines(path))
    _check_annotations(read)
    return read


def _lines(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    return parse_lines(read_bytes(path), str(path))


def _listed(given: Sequence[_Given], name: str) -> Sequence[_Given]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise InputError(f"{name} must be a list, not {type(given).__name__}")
    return given


def _episode(given: Mapping[str, object], at: int) -> EpisodeInput:
    if not isinstance(given, Mapping):
        raise InputError(f"episodes:{at}: must be a mapping or an EpisodeInput, not {type(given).__name__}")
    try:
        return EpisodeInput(**given)  # type: ignore[arg-type]
    except TypeError as error:
        said = str(error).partition("() ")[2] or str(error)
        raise InputError(
            f"episodes:{at}: {said}; an episode has no, text, episode_id, title, facts and annotations"
        ) from error


def _read(
    given: object,
    name: str,
    at: int,
    read: Callable[[Fields], _Row],
    as_object: Callable[[object], dict[str, object] | None],
) -> _Row:
    """Read one row; a value that came out of a file is refused by the place it has there."""
    file, line = name, at
    if isinstance(given, FactRow | VisibilityRow) and given.line is not None:
        file, line = given.file, given.line
    values = dict(given) if isinstance(given, Mapping) else as_object(given)
    if values is None:
        raise FormatError(f"must be an object {{...}}, not {described(given)}", file=file, line=line)
    return _row(_strict(values, file, line), file, line, read)


def _row(values: Mapping[str, object], file: str, line: int, read: Callable[[Fields], _Row]) -> _Row:
    if values.get("episode_no") is not None:
        return read(Fields(values, file=file, line=line))
    return replace(read(Fields({**values, "episode_no": 1}, file=file, line=line)), episode_no=OWN)


def _strict(values: Mapping[str, object], file: str, line: int) -> dict[str, object]:
    """Give the object as it would come out of a file."""
    try:
        text = json.dumps(values, default=_plain, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"cannot be kept as JSON: {error}", file=file, line=line) from error
    return parse_object(text, file, line=line)


def _plain(value: object) -> object:
    if isinstance(value, Audience):
        return shown(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is neither text, number, list nor mapping")


def _fact_object(given: object) -> dict[str, object] | None:
    if isinstance(given, Fact):
        given = FactRow(
            fact_id=given.fact_id,
            episode_no=OWN,
            audience=given.audience,
            text=given.text,
            quote=given.quote,
            quote_no=given.quote_no,
            importance=given.importance,
            arousal=given.arousal,
            pinned=given.pinned,
            supersedes=given.supersedes,
            told_from=given.told_from,
            origin=given.origin,
            extra=given.extra,
        )
    return _numbered(rows.write_fact(given)) if isinstance(given, FactRow) else None


def _annotation_object(given: object) -> dict[str, object] | None:
    if isinstance(given, Annotation):
        given = VisibilityRow(
            episode_no=OWN,
            paragraph_id=given.paragraph_id,
            paragraph_hash=given.paragraph_hash,
            decided=given.decided,
            audience=given.audience,
            extra=given.extra,
        )
    return _numbered(rows.write_visibility(given)) if isinstance(given, VisibilityRow) else None


def _numbered(values: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name != "episode_no" or value != OWN}
