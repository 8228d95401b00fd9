"""Verbs of the face by the way to them: their mark, their options, and the handle they are called on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, getattr_static, signature
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import InputError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.marks import VerbMark, mark_of, unknown_option
from kataribe.surfaces.http.readers import JsonReader, Schema, reader_of

NAMED = ("story", "user", "library")
"""The steps of a way that are made with an id."""
NOT_OVER_HTTP = frozenset({"counter", "plan", "expected", "workers"})
"""Options that would read files of this machine, or that the server sets itself."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a verb, as JSON says it."""

    name: str
    reader: JsonReader
    is_required: bool


@dataclass(frozen=True, slots=True)
class FaceVerb:
    """A verb, and the way to it from the store."""

    way: str
    call: Any
    mark: VerbMark
    options: Mapping[str, Option]
    binds_viewer: bool

    @property
    def doc(self) -> str:
        """What it promises."""
        return str(self.call.__doc__ or "").strip()


def read_options(
    options: Mapping[str, Option], given: Mapping[str, object], *, of: str, in_words: bool = False
) -> dict[str, Any]:
    """Read options out of JSON, those that are needed among them; `in_words` a number may be a text.

    Raises `InputError`.
    """
    unknown = given.keys() - options.keys()
    if unknown:
        raise InputError(unknown_option(of, unknown, options.keys()))
    missing = sorted(one.name for one in options.values() if one.is_required and one.name not in given)
    if missing:
        raise InputError(f"{missing[0]} is missing")
    read = _read_word if in_words else _read
    return {name: read(options[name], value) for name, value in given.items()}


def _read(option: Option, value: object) -> object:
    return option.reader.read(option.name, value)


def _read_word(option: Option, value: object) -> object:
    """Read what stands in a path or a query, where everything is a text."""
    try:
        return _read(option, value)
    except InputError as error:
        try:
            meant = json.loads(str(value))
        except (ValueError, RecursionError):
            raise error from None
        return _read(option, meant)


def schema_of(options: Mapping[str, Option]) -> Schema:
    """Give the JSON Schema of options."""
    return {
        "type": "object",
        "properties": {one.name: one.reader.schema for one in options.values()},
        "required": [one.name for one in options.values() if one.is_required],
        "additionalProperties": False,
    }


def options_of(shape: type) -> Mapping[str, Option]:
    """Give the options that a typed dict says."""
    return _typed_dict(shape)


@cache
def verb_at(way: str) -> FaceVerb:
    """Give the verb at the end of a way such as `story.episodes.put`."""
    kind: type = AsyncKataribe
    *steps, name = way.split(".")
    for step in steps:
        member = getattr_static(kind, step)
        kind = get_type_hints(member.fget if isinstance(member, property) else member)["return"]
    call = getattr(kind, name)
    mark = mark_of(call)
    assert mark is not None, f"{way} is no verb"
    options = _options(call)
    binds = "viewer" in steps
    if binds:
        options |= _typed_dict(ViewerKeys)
    return FaceVerb(way, call, mark, options, binds)


def _options(call: Any) -> dict[str, Option]:
    hints = get_type_hints(call, localns={"AsyncTool": object})
    found: dict[str, Option] = {}
    for one in list(signature(call).parameters.values())[1:]:
        if one.kind is Parameter.VAR_KEYWORD:
            found |= _typed_dict(get_args(hints[one.name])[0])
        elif one.name not in NOT_OVER_HTTP and (reader := reader_of(hints[one.name])) is not None:
            found[one.name] = Option(one.name, reader, one.default is Parameter.empty)
    return found


def _typed_dict(kind: Any) -> dict[str, Option]:
    found: dict[str, Option] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        is_left_out = get_origin(hint) is NotRequired
        reader = None if name in NOT_OVER_HTTP else reader_of(get_args(hint)[0] if is_left_out else hint)
        if reader is not None:
            found[name] = Option(name, reader, is_required=bool(kind.__total__) and not is_left_out)
    return found


def handle_at(memory: AsyncKataribe, way: str, ids: Mapping[str, str], viewer: ViewerKeys | None) -> Any:
    """Give the handle that a verb is called on."""
    handle: Any = memory
    for step in way.split(".")[:-1]:
        found = getattr(handle, step)
        if step == "viewer":
            handle = found(**(viewer or {}))
        elif handle is memory and step in NAMED:
            handle = found(ids[step])
        else:
            handle = found
    return handle


def steps_named(way: str) -> frozenset[str]:
    """Name the ids that the handle of a way is made with."""
    first = way.split(".", 1)[0]
    return frozenset({first} if first in NAMED and "." in way else ())
