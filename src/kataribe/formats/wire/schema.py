"""The JSON Schema of every value that leaves the program, made from the types of `kataribe.formats.wire`.

`schema.json` beside this file is what `json_schema` gives; it is shipped, so that a program in
another language need not run Python to have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from kataribe.formats.wire import (
    access,
    associations,
    audit,
    backups,
    bench,
    cards,
    context,
    conversation,
    hooks,
    inputs,
    knowledge,
    manuscripts,
    openai,
    overviews,
    privacy,
    profile,
    recall,
    requests,
    server,
    store,
    story,
    threads,
    tiers,
    views,
    work,
)

Schema = dict[str, object]

_WORDS: Mapping[object, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    NoneType: "null",
}
MODULES = (
    recall,
    context,
    views,
    overviews,
    inputs,
    manuscripts,
    story,
    conversation,
    threads,
    tiers,
    associations,
    knowledge,
    privacy,
    profile,
    store,
    work,
    audit,
    backups,
    bench,
    cards,
    access,
    server,
    openai,
    requests,
    hooks,
)


def json_schema() -> Schema:
    """Give the schema: each value under `$defs`, by the name of its type without `Json`."""
    shapes = [
        one
        for module in MODULES
        for one in vars(module).values()
        if is_typeddict(one) and one.__module__ == module.__name__
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kataribe",
        "$defs": {name_of(shape): _object(shape) for shape in sorted(shapes, key=name_of)},
    }


def name_of(shape: type) -> str:
    """Give the name under which a shape stands in the schema."""
    return shape.__name__.removesuffix("Json")


def _object(shape: Any) -> Schema:
    hints = get_type_hints(shape, include_extras=True)
    told: Schema = {"type": "object"}
    doc = (shape.__doc__ or "").strip()
    if doc and not doc.startswith("dict("):
        told["description"] = " ".join(doc.split())
    told["properties"] = {name: _of(hint) for name, hint in hints.items()}
    told["required"] = [
        name for name, hint in hints.items() if shape.__total__ and get_origin(hint) is not NotRequired
    ]
    told["additionalProperties"] = False
    return told


def _of(hint: Any) -> Schema:
    origin, inside = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _of(inside[0])
    if origin in (Union, UnionType):
        return {"anyOf": [_of(one) for one in inside]}
    if origin is list:
        return {"type": "array", "items": _of(inside[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(inside[1])}
    if hint in (object, Any):
        return {}
    if is_typeddict(hint):
        return {"$ref": f"#/$defs/{name_of(hint)}"}
    return {"type": _WORDS[hint]}
