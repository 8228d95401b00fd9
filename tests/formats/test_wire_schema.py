"""The shipped schema: it is what the types say, every command has its shape, and it refuses what is wrong."""

from __future__ import annotations

import json

import pytest

from kataribe.formats.wire.schema import json_schema
from support.json_shapes import SHAPES, problem, shipped


def test_what_is_shipped_is_what_the_types_say() -> None:
    assert shipped() == json.loads(json.dumps(json_schema())), "run `make schema`"


def test_every_shape_a_command_prints_is_in_it() -> None:
    assert {shape for shapes in SHAPES.values() for shape in shapes} <= shipped()["$defs"].keys()


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"number": 1, "at": "2024", "summary": "編集した"}, None),
        ({"number": "1", "at": "2024", "summary": "x"}, "no integer"),
        ({"number": True, "at": "2024", "summary": "x"}, "no integer"),
        ({"number": 1, "at": "2024"}, "lacks"),
        ({"number": 1, "at": "2024", "summary": "x", "more": 1}, "has 'more'"),
        ([1], "no object"),
    ],
)
def test_a_wrong_value_is_refused(value: object, wrong: str | None) -> None:
    found = problem(value, {"$ref": "#/$defs/Step"})
    assert found is None if wrong is None else wrong in str(found)
