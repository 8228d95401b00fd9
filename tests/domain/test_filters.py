from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.adapters.sql.where import compile_filter
from kataribe.domain.filters import MAX_DEPTH, MAX_NODES, Every, parse
from kataribe.errors import FilterError

FIELDS = {
    "kind": "fact",
    "importance": 3,
    "share": 0.5,
    "pinned": True,
    "quote": None,
    "場所": "銀河ステーション",
    "tags": ["夜", "river", 7, None, False],
    "a.b": "dotted",
    'say "hi"': 1,
    "box": {"kind": "fact"},
}

MATCHING: list[dict[str, object]] = [
    {},
    {"kind": "fact"},
    {"場所": "銀河ステーション"},
    {"場所": {"$gt": "銀", "$lt": "鋼"}},
    {"importance": 3.0},
    {"importance": {"$gte": 3, "$lt": 3.5}},
    {"share": {"$lte": 0.5}},
    {"pinned": True},
    {"pinned": {"$ne": 1}},
    {"quote": None},
    {"nowhere": None},
    {"nowhere": {"$ne": "x"}},
    {"nowhere": {"$nin": ["x", "y"]}},
    {"nowhere": {"$not": {"$gt": 1}}},
    {"$not": {"nowhere": "x"}},
    {"nowhere": {"$exists": False}},
    {"quote": {"$exists": True}},
    {"tags": "夜"},
    {"tags": {"$in": ["day", 7]}},
    {"tags": None},
    {"tags": False},
    {"tags": {"$ne": "sun"}},
    {"kind": {"$in": ["fact", "turn"]}},
    {"kind": {"$nin": []}},
    {"a.b": "dotted"},
    {'say "hi"': 1},
    {"$or": [{"kind": "turn"}, {"importance": {"$gt": 2}}]},
    {"$and": [{"kind": "fact"}, {"importance": {"$not": {"$gt": 3}}}]},
]

FAILING: list[dict[str, object]] = [
    {"kind": "turn"},
    {"importance": True},
    {"importance": "3"},
    {"importance": {"$gt": "2"}},
    {"pinned": 1},
    {"pinned": {"$gte": 0}},
    {"share": {"$gt": 0.5}},
    {"quote": {"$gt": ""}},
    {"nowhere": {"$gt": 0}},
    {"nowhere": {"$exists": True}},
    {"tags": {"$ne": "夜"}},
    {"tags": {"$nin": [7]}},
    {"tags": {"$gt": 0}},
    {"tags": 0},
    {"kind": {"$in": []}},
    {"box": {"$eq": "fact"}},
    {"$not": {}},
    {"$or": [{"kind": "turn"}, {"importance": 4}]},
    {"$and": [{"kind": "fact"}, {"importance": 4}]},
    {"kind": "fact", "importance": 4},
]


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE documents (document TEXT)")
        yield connection


def in_sqlite(sqlite: sqlite3.Connection, asked: Mapping[str, object], fields: object) -> bool:
    condition, given = compile_filter(parse(asked), "documents.document")
    sqlite.execute("DELETE FROM documents")
    text = None if fields is None else json.dumps(fields, ensure_ascii=False)
    sqlite.execute("INSERT INTO documents VALUES (?)", (text,))
    return bool(sqlite.execute(f"SELECT 1 FROM documents WHERE {condition}", given).fetchall())


@pytest.mark.parametrize("asked", MATCHING, ids=str)
def test_what_the_filter_says_is_found(sqlite: sqlite3.Connection, asked: dict[str, object]) -> None:
    assert parse(asked).matches(FIELDS)
    assert in_sqlite(sqlite, asked, FIELDS)


@pytest.mark.parametrize("asked", FAILING, ids=str)
def test_what_the_filter_does_not_say_is_not_found(
    sqlite: sqlite3.Connection, asked: dict[str, object]
) -> None:
    assert not parse(asked).matches(FIELDS)
    assert not in_sqlite(sqlite, asked, FIELDS)


def nested(levels: int) -> dict[str, object]:
    asked: dict[str, object] = {"a": 1}
    for level in range(levels - 1):
        asked = {"$or" if level % 2 else "$and": [{"a": 1}, asked]}
    return asked


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"a": {"$regex": "x"}}, "$regex"),
        ({"$nor": [{"a": 1}]}, "$nor"),
        ({"$eq": 1}, "$eq needs a field"),
        ({"場所": {"駅": 1}}, "'駅'"),
        ({"場所": {}}, "'場所'"),
        ({"a": {"$and": [{"b": 1}]}}, "$and"),
        ({"$and": []}, "$and"),
        ({"$or": {"a": 1}}, "$or"),
        ({"$or": [1]}, "not 1"),
        ({"$not": "x"}, "not a string"),
        ({"a": {"$not": 1}}, "$not"),
        ({"a": {"$in": "abc"}}, "$in"),
        ({"a": {"$nin": [[1]]}}, "$nin"),
        ({"a": [1, 2]}, "$eq takes"),
        ({"a": {"$gt": None}}, "$gt"),
        ({"a": {"$lte": True}}, "$lte"),
        ({"a": {"$exists": 1}}, "$exists"),
        ({"a": math.nan}, "nan"),
        ({"a": {"$lt": math.inf}}, "inf"),
        ({"a": {1, 2}}, "set"),
        ({"a": b"x"}, "bytes"),
        ({"a": "\ud800"}, "surrogate"),
        ({"\udfff": 1}, "surrogate"),
        ({1: 2}, "must be a string"),
        ([], "must be an object"),
        (nested(MAX_DEPTH + 1), "deep"),
        ({"a": {"$in": list(range(MAX_NODES))}}, "more than 1000"),
        ({"$or": [{}] * MAX_NODES}, "more than 1000"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_not_understood_is_refused_by_name(asked: dict[str, object], named: str) -> None:
    with pytest.raises(FilterError, match=named.replace("$", r"\$")):
        parse(asked)


def test_an_endless_filter_is_refused() -> None:
    loop: dict[str, object] = {}
    loop["$not"] = loop
    with pytest.raises(FilterError, match="deep"):
        parse(loop)


def test_an_empty_filter_is_no_condition() -> None:
    assert parse({}) == Every(())


def test_sqlite_reads_the_deepest_and_the_widest(sqlite: sqlite3.Connection) -> None:
    assert in_sqlite(sqlite, nested(MAX_DEPTH), {"a": 1})
    assert in_sqlite(sqlite, {"$or": [{"a": None}] * (MAX_NODES - 2) + [{"a": 1}]}, {"a": 1})
    assert in_sqlite(sqlite, {"a": {"$in": list(range(MAX_NODES - 1))}}, {"a": 7.0})
    deep: dict[str, object] = {"a": 1}
    for _ in range(15):
        deep = {"$or": [{"b": 1}, {"$not": deep}]}
    assert in_sqlite(sqlite, deep, {"a": 1}) == parse(deep).matches({"a": 1})


def test_no_document_has_no_fields(sqlite: sqlite3.Connection) -> None:
    assert in_sqlite(sqlite, {"a": {"$exists": False}}, None)
    assert not in_sqlite(sqlite, {"a": 1}, None)


@pytest.mark.parametrize(
    ("stored", "asked", "found"),
    [
        (2**53 + 1, {"$eq": 2.0**53}, False),
        (2**53 + 1, {"$gt": 2.0**53}, True),
        (2**63 - 1, {"$lt": 2.0**63}, True),
        (2**63 - 1, {"$eq": 2**63 - 2}, False),
        # Beyond 64 bits whole numbers are doubles.
        (2**63 + 1, {"$eq": 2**63}, True),
        (-(2**63) - 1, {"$eq": -(2**63)}, True),
        (10**400, {"$gt": 1e308}, True),
        (0.1, {"$eq": 0.1}, True),
        (0.1, {"$gt": 0.1}, False),
        ("a\x00b", {"$eq": "a"}, False),
        ("a\x00b", {"$gt": "a\x00", "$lt": "a\x01"}, True),
        ("𠮷", {"$gt": "\uffff"}, True),
    ],
)
def test_numbers_and_strings_compare_exactly(
    sqlite: sqlite3.Connection, stored: object, asked: dict[str, object], found: bool
) -> None:
    assert parse({"a": asked}).matches({"a": stored}) == found
    assert in_sqlite(sqlite, {"a": asked}, {"a": stored}) == found


def test_a_document_may_look_up_fields_of_another_table(sqlite: sqlite3.Connection) -> None:
    sqlite.execute("CREATE TABLE numbers (of TEXT, no INTEGER)")
    documents = ["{}", '{"kind": "fact"}']
    sqlite.executemany("INSERT INTO numbers VALUES (?, ?)", [(documents[0], 1), (documents[1], 2)])
    sqlite.execute("DELETE FROM documents")
    sqlite.executemany("INSERT INTO documents VALUES (?)", [(one,) for one in documents])
    own = "(SELECT numbers.no FROM numbers WHERE numbers.of = documents.document)"
    document = f"json_set(documents.document, '$.episode_no', {own})"
    condition, given = compile_filter(parse({"episode_no": {"$gt": 1}}), document)
    found = sqlite.execute(f"SELECT document FROM documents WHERE {condition}", given).fetchall()
    assert found == [(documents[1],)]


# Small pools, so that fields and operands meet; the odd ones are where SQLite goes its own way.
NAMES = st.sampled_from(["a", "b", "a.b", 'q"', "\\u0000", "\x00", "場所", ""])
TEXTS = st.sampled_from(
    ["", "a", "a\x00", "a\x00b", "a\x01", "\\u0000", "夜", "𠮷", "\uffff", "1", "true"]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
NUMBERS = (
    st.sampled_from([0, 1, -0.0, 1.0, 0.1, 2**53 + 1, 2.0**53, 2**63 - 1, 2**63, 2.0**63, -(2**63) - 1])
    | st.sampled_from([10**400, -(10**400), 1e22, 10**22 + 1, 5e-324])
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = (
    SCALARS | st.lists(SCALARS | st.lists(SCALARS, max_size=2), max_size=3) | st.dictionaries(NAMES, SCALARS)
)
CONDITIONS = st.recursive(
    st.dictionaries(st.sampled_from(["$eq", "$ne"]), SCALARS, min_size=1)
    | st.dictionaries(st.sampled_from(["$in", "$nin"]), st.lists(SCALARS, max_size=4), min_size=1)
    | st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), NUMBERS | TEXTS, min_size=1)
    | st.fixed_dictionaries({"$exists": st.booleans()}),
    lambda inner: st.fixed_dictionaries({"$not": inner}),
    max_leaves=3,
)
FILTERS = st.recursive(
    st.dictionaries(NAMES, SCALARS | CONDITIONS, max_size=2),
    lambda inner: (
        st.dictionaries(st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=3), min_size=1)
        | st.fixed_dictionaries({"$not": inner})
    ),
    max_leaves=6,
)


@settings(max_examples=600, deadline=None)
@given(asked=FILTERS, fields=st.dictionaries(NAMES, VALUES, max_size=5))
def test_sqlite_and_python_agree(
    sqlite: sqlite3.Connection, asked: dict[str, object], fields: dict[str, object]
) -> None:
    assert in_sqlite(sqlite, asked, fields) == parse(asked).matches(fields)
