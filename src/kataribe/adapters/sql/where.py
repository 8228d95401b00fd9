"""A caller's filter as a SQL condition over a JSON text, for SQLite.

It answers exactly as `Filter.matches` does. What that takes:

- `json_each` finds a field by its key, as a path cannot hold every key (a quote, in older
  SQLites), and tells `true` from 1 by its type.
- The functions cut a string short at U+0000. So U+0000 and U+0001 are written as two
  characters each, on both sides and such that the order of strings stays as it is.
- A number with a fraction is handed over as text and read by SQLite, as the document's are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    String,
    and_,
    case,
    exists,
    false,
    func,
    literal,
    literal_column,
    not_,
    or_,
    true,
)
from sqlalchemy.sql.selectable import TableValuedAlias

from kataribe.domain.filters import (
    Bound,
    During,
    Either,
    Every,
    Filter,
    Negation,
    OneOf,
    Order,
    Present,
    Range,
    Scalar,
    comparable,
)

Condition = ColumnElement[bool]

_NUMBERS = ("integer", "real")
_FLAT = 16
_IS_TURN: ColumnElement[bool] = literal_column("memories.kind = 'turn'", Boolean)
_POSITION: ColumnElement[int] = literal_column("memories.position", BigInteger)
"""Where a turn stands is when it was said, in milliseconds since 1970."""

# Written out, not bound: each field asked would cost six more of the statement's parameters.
# Backslashes first: once none is written as a pair, `\u0000` can be nothing but U+0000.
_SAFE = tuple(
    (literal_column(f"'{old}'", String), literal_column(f"'{new}'", String))
    for old, new in ((r"\\", r"\u005c"), (r"\u0001", r"\u0001\u0002"), (r"\u0000", r"\u0001\u0001"))
)


def compile_filter(filter: Filter, document: ColumnElement[str]) -> Condition:  # noqa: A002 - as in domain
    """Build the condition that `document`, a JSON object with all fields to ask, meets `filter`.

    A document that is SQL's NULL has no fields. A subquery inside `document` must say
    `.correlate(outer_table)` itself: it comes to stand in a FROM, where SQLAlchemy would
    silently join the outer table anew and read another row's value.
    """
    safe: ColumnElement[Any] = document
    for old, new in _SAFE:
        safe = func.replace(safe, old, new)
    return _condition(filter, safe)


def _condition(node: Filter, document: ColumnElement[Any]) -> Condition:
    match node:
        case Every(parts):
            return _balanced(_conditions(parts, document), and_, empty=true())
        case Either(parts):
            return _balanced(_conditions(parts, document), or_, empty=false())
        case Negation(part):
            return not_(_condition(part, document).self_group())
        case Present(name):
            return _has(document, name)
        case Range(name, order, bound):
            return _has(document, name, lambda found: _beyond(found, order, bound))
        case OneOf(name, values):
            return _equals(document, name, values)
        case During(spans, otherwise):
            said = or_(false(), *(and_(first <= _POSITION, end > _POSITION) for first, end in spans))
            return or_(and_(_IS_TURN, said), and_(not_(_IS_TURN), _condition(otherwise, document)))
    raise TypeError(f"no SQL for {type(node).__name__}")


def _conditions(parts: Iterable[Filter], document: ColumnElement[Any]) -> list[Condition]:
    """Build the parts, the deepest first, so that SQLite's parser can read 32 levels.

    Its stack holds 100 symbols; `((deep) OR a)` keeps one waiting for each level,
    `(a OR (deep))` three.
    """
    ordered = sorted(parts, key=_symbols_waiting, reverse=True)
    return [_condition(part, document) for part in ordered]


def _symbols_waiting(node: Filter) -> int:
    match node:
        case Every(parts) | Either(parts):
            first, *rest = sorted(map(_symbols_waiting, parts), reverse=True) or [0]
            return 1 + max(first, 2 + rest[0] if rest else 0)
        case Negation(part):
            return 2 + _symbols_waiting(part)
    return 0


def _equals(document: ColumnElement[Any], name: str, values: Sequence[Scalar]) -> Condition:
    if not values:
        return false()

    def equal(found: TableValuedAlias) -> Condition:
        # SQLite may evaluate either side of an AND first, so what is no array must not reach json_each.
        elements = _each(case((found.c.type == "array", found.c.value), else_="[]"))
        any_element = exists().select_from(elements).where(_is_one_of(elements, values))
        return or_(_is_one_of(found, values), any_element)

    present = _has(document, name, equal)
    return or_(not_(_has(document, name)), present) if None in values else present


def _has(
    document: ColumnElement[Any], name: str, such: Callable[[TableValuedAlias], Condition] | None = None
) -> Condition:
    """Whether the field is there, and such as asked."""
    found = _each(document)
    condition = exists().select_from(found).where(found.c.key == _escaped(name))
    return condition if such is None else condition.where(such(found))


def _is_one_of(found: TableValuedAlias, values: Iterable[Scalar]) -> Condition:
    """Whether one row of `json_each` equals one of `values`; the types must agree."""
    types: list[str] = []
    numbers: list[ColumnElement[Any]] = []
    texts: list[str] = []
    for value in values:
        if value is None:
            types.append("null")
        elif isinstance(value, bool):
            types.append("true" if value else "false")
        elif isinstance(value, str):
            texts.append(_escaped(value))
        else:
            numbers.append(_number(value))
    wanted: list[Condition] = []
    if types:
        wanted.append(found.c.type.in_(types))
    if numbers:
        wanted.append(and_(found.c.type.in_(_NUMBERS), found.c.value.in_(numbers)))
    if texts:
        wanted.append(and_(found.c.type == "text", found.c.value.in_(texts)))
    return or_(*wanted)


def _beyond(found: TableValuedAlias, order: Order, bound: Bound) -> Condition:
    if isinstance(bound, str):
        typed, limit = found.c.type == "text", _text(bound)
    else:
        typed, limit = found.c.type.in_(_NUMBERS), _number(bound)
    match order:
        case Order.GT:
            return and_(typed, found.c.value > limit)
        case Order.GTE:
            return and_(typed, found.c.value >= limit)
        case Order.LT:
            return and_(typed, found.c.value < limit)
        case Order.LTE:
            return and_(typed, found.c.value <= limit)


def _each(document: ColumnElement[Any]) -> TableValuedAlias:
    # Anonymous: conditions are nested and each needs a name of its own.
    return func.json_each(document).table_valued("key", "value", "type").alias()


def _number(number: int | float) -> ColumnElement[Any]:
    value = comparable(number)
    if isinstance(value, int) or math.isinf(value):
        return literal(value)
    return func.json_extract(json.dumps(value), "$")


def _text(text: str) -> ColumnElement[Any]:
    return literal(_escaped(text))


def _escaped(text: str) -> str:
    return text.replace("\x01", "\x01\x02").replace("\x00", "\x01\x01")


def _balanced(
    parts: Sequence[Condition], join: Callable[..., ColumnElement[bool]], *, empty: Condition
) -> Condition:
    """Join in halves: in SQLite `a AND b AND c` is two levels deep, and 1000 are too many."""
    if len(parts) <= _FLAT:
        return join(*parts) if parts else empty
    middle = len(parts) // 2
    # `IS 1` changes nothing but keeps SQLAlchemy from joining both halves into one flat list.
    halves = (_balanced(half, join, empty=empty).is_(true()) for half in (parts[:middle], parts[middle:]))
    return join(*halves)
