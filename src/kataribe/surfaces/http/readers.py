"""From the types of a verb's options to readers of JSON, and to the schema that says what they take."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import datetime, tzinfo
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from kataribe.domain.story.review import Decision
from kataribe.domain.terms import PUBLIC, Audience, known_by
from kataribe.errors import InputError
from kataribe.formats.logtimes import zone_named
from kataribe.story.desk.cast import CastEdit
from kataribe.story.desk.facts import FactEdit

Schema = dict[str, object]
Read = Callable[[str, object], object]
"""Reads a value of JSON; the first argument is how messages call it. Raises `InputError`."""
LARGEST = (1 << 63) - 1
"""The largest whole number a store can hold."""


@dataclass(frozen=True, slots=True)
class JsonReader:
    """How one type is read, and the JSON Schema of what it is read from."""

    schema: Schema
    read: Read


def reader_of(hint: Any) -> JsonReader | None:
    """Give the reader of a type; None for one that JSON cannot say."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in (Union, UnionType):
        return _any_of(
            [one for one in map(reader_of, inside) if one is not None], nullable=NoneType in inside
        )
    if origin is Literal:
        return _one_of(list(inside), lambda value: value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of([one.value for one in hint], hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _OBJECT
    if isinstance(origin, type) and issubclass(origin, Collection):
        each = reader_of(inside[0])
        return None if each is None else _listed(each)
    if is_typeddict(hint):
        return _shaped(hint)
    return _values_of(hint) if hint in _VALUES else None


def _wrong(name: str, wanted: str, value: object) -> InputError:
    shown = json.dumps(value, ensure_ascii=True, default=str)
    return InputError(f"{name} must be {wanted}, not {shown[:200]}")


def _typed(schema: Schema, kind: type | tuple[type, ...], wanted: str) -> JsonReader:
    def read(name: str, value: object) -> object:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise _wrong(name, wanted, value)
        if isinstance(value, int) and abs(value) > LARGEST:
            raise InputError(f"{name} is too large a number")
        return value

    return JsonReader(schema, read)


def _moment(name: str, value: object) -> object:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise _wrong(name, "a time of ISO 8601 with its zone, such as 2026-05-01T12:00:00+09:00", value)
    return found


def _zone(name: str, value: object) -> object:
    if not isinstance(value, str):
        raise _wrong(name, "the name of a timezone, such as Asia/Tokyo", value)
    return zone_named(value)


def _audience(name: str, value: object) -> object:
    if value in ("public", "world"):
        return PUBLIC
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return known_by(*value)
    raise _wrong(name, 'a list of characters or "public"', value)


def _one_of(values: Sequence[object], made: Callable[[Any], object]) -> JsonReader:
    def read(name: str, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, str | int) or value not in values:
            raise _wrong(name, f"one of {', '.join(map(str, values))}", value)
        return made(value)

    return JsonReader({"enum": list(values)}, read)


def _listed(each: JsonReader) -> JsonReader:
    def read(name: str, value: object) -> object:
        if not isinstance(value, list):
            raise _wrong(name, "a list", value)
        return [each.read(f"{name}[{at}]", one) for at, one in enumerate(value)]

    return JsonReader({"type": "array", "items": each.schema}, read)


def _any_of(readers: Sequence[JsonReader], *, nullable: bool) -> JsonReader | None:
    """Read what the first that can reads; the last says what is wrong."""
    if not readers:
        return None

    def read(name: str, value: object) -> object:
        if value is None and nullable:
            return None
        for reader in readers[:-1]:
            try:
                return reader.read(name, value)
            except InputError:
                continue
        return readers[-1].read(name, value)

    schemas = [one.schema for one in readers] + ([{"type": "null"}] if nullable else [])
    return JsonReader(schemas[0] if len(schemas) == 1 else {"anyOf": schemas}, read)


_VALUES = (FactEdit, CastEdit, Decision)
"""Values that are read by the names of their fields, those of them that JSON can say."""


def _values_of(kind: Any) -> JsonReader:
    """Read a value: what is to change of something, or what is decided on it."""
    hints = get_type_hints(kind)
    inside = {one.name: reader_of(hints[one.name]) for one in fields(kind)}
    needed = frozenset(one.name for one in fields(kind) if one.default is MISSING)
    return _object_of(inside, needed, lambda given: kind(**given))


def _shaped(shape: Any) -> JsonReader:
    """Read an object of a shape."""
    hints = get_type_hints(shape, include_extras=True)
    left_out = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    inside = {
        name: reader_of(get_args(hint)[0] if name in left_out else hint) for name, hint in hints.items()
    }
    return _object_of(inside, hints.keys() - left_out, lambda given: given)


def _object_of(
    inside: Mapping[str, JsonReader | None], needed: Collection[str], made: Callable[[dict[str, Any]], object]
) -> JsonReader:
    readers = {name: one for name, one in inside.items() if one is not None}

    def read(name: str, value: object) -> object:
        given = _OBJECT.read(name, value)
        assert isinstance(given, dict)
        unknown = sorted(given.keys() - readers.keys())
        if unknown:
            raise InputError(f"{name} has no {unknown[0]!r}; it has {', '.join(sorted(readers))}")
        missing = sorted(needed - given.keys())
        if missing:
            raise InputError(f"{name}.{missing[0]} is missing")
        return made({one: readers[one].read(f"{name}.{one}", said) for one, said in given.items()})

    schema: Schema = {
        "type": "object",
        "properties": {name: one.schema for name, one in readers.items()},
        "additionalProperties": False,
    }
    if needed:
        schema["required"] = sorted(needed)
    return JsonReader(schema, read)


_OBJECT = _typed({"type": "object"}, dict, "an object")
_PLAIN: Mapping[Any, JsonReader] = {
    str: _typed({"type": "string"}, str, "a text"),
    bool: _typed({"type": "boolean"}, bool, "true or false"),
    int: _typed({"type": "integer"}, int, "a whole number"),
    float: _typed({"type": "number"}, (int, float), "a number"),
    object: JsonReader({}, lambda _, value: value),
    Any: JsonReader({}, lambda _, value: value),
    datetime: JsonReader({"type": "string", "format": "date-time"}, _moment),
    tzinfo: JsonReader({"type": "string"}, _zone),
    Audience: JsonReader(
        {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"const": "public"}]}, _audience
    ),
}
