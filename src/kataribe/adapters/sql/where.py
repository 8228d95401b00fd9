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
from collections.abc import Iterable, Sequence

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

Said = tuple[str, tuple[object, ...]]
"""A piece of SQL and the values for its question marks."""

_FLAT = 16
_TRUE: Said = ("1", ())
_FALSE: Said = ("0", ())
_NUMBERS = "type IN ('integer', 'real')"
_SIGNS = {Order.GT: ">", Order.GTE: ">=", Order.LT: "<", Order.LTE: "<="}

# Backslashes first: once none is written as a pair, `\u0000` can be nothing but U+0000.
_SAFE = ((r"\\", r"\u005c"), (r"\u0001", r"\u0001\u0002"), (r"\u0000", r"\u0001\u0001"))


def compile_filter(filter: Filter, document: str) -> Said:  # noqa: A002 - as in domain
    """Build the condition that `document`, SQL for a JSON object with all fields to ask, meets `filter`.

    A document that is SQL's NULL has no fields. The SQL stands several times in the condition and may
    hold no question mark.
    """
    safe = document
    for old, new in _SAFE:
        safe = f"replace({safe}, '{old}', '{new}')"
    return _condition(filter, safe)


def _condition(node: Filter, document: str) -> Said:
    match node:
        case Every(parts):
            return _balanced(_conditions(parts, document), "AND", empty=_TRUE)
        case Either(parts):
            return _balanced(_conditions(parts, document), "OR", empty=_FALSE)
        case Negation(part):
            return _not(_condition(part, document))
        case Present(name):
            return _has(document, name)
        case Range(name, order, bound):
            return _has(document, name, _beyond(order, bound))
        case OneOf(name, values):
            return _equals(document, name, values)
        case During(spans, otherwise):
            return _during(spans, _condition(otherwise, document))
    raise TypeError(f"no SQL for {type(node).__name__}")


def _conditions(parts: Iterable[Filter], document: str) -> list[Said]:
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


def _during(spans: Sequence[tuple[int, int]], otherwise: Said) -> Said:
    """Where a turn stands is when it was said, in milliseconds since 1970; of what is no turn `otherwise`."""
    inside = [("memories.position >= ? AND memories.position < ?", span) for span in spans]
    said = _balanced(inside, "OR", empty=_FALSE)
    is_turn, is_none = ("memories.kind = 'turn'", ()), ("memories.kind <> 'turn'", ())
    return _joined((_joined((is_turn, said), "AND"), _joined((is_none, otherwise), "AND")), "OR")


def _equals(document: str, name: str, values: Sequence[Scalar]) -> Said:
    if not values:
        return _FALSE
    said, given = _is_one_of("found", values)
    # SQLite may evaluate either side of an AND first, so what is no array must not reach json_each.
    elements = "json_each(CASE WHEN found.type = 'array' THEN found.value ELSE '[]' END) AS element"
    within, meant = _is_one_of("element", values)
    equal = (f"{said} OR EXISTS (SELECT 1 FROM {elements} WHERE {within})", (*given, *meant))
    present = _has(document, name, equal)
    if None not in values:
        return present
    return _joined((_not(_has(document, name)), present), "OR")


def _has(document: str, name: str, such: Said = _TRUE) -> Said:
    """Whether the field is there, and such as asked of `found`, its row of `json_each`."""
    condition, given = such
    found = f"SELECT 1 FROM json_each({document}) AS found WHERE found.key = ? AND ({condition})"
    return f"EXISTS ({found})", (_escaped(name), *given)


def _is_one_of(row: str, values: Iterable[Scalar]) -> Said:
    """Whether a row of `json_each` equals one of `values`; the types must agree."""
    types: list[str] = []
    numbers: list[Said] = []
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
    wanted: list[Said] = []
    if types:
        wanted.append((f"{row}.type IN ({_marks(types)})", tuple(types)))
    if numbers:
        listed = ", ".join(said for said, _ in numbers)
        given = tuple(one for _, some in numbers for one in some)
        wanted.append((f"{row}.{_NUMBERS} AND {row}.value IN ({listed})", given))
    if texts:
        wanted.append((f"{row}.type = 'text' AND {row}.value IN ({_marks(texts)})", tuple(texts)))
    return _joined(wanted, "OR")


def _beyond(order: Order, bound: Bound) -> Said:
    typed = "type = 'text'" if isinstance(bound, str) else _NUMBERS
    limit, given = ("?", (_escaped(bound),)) if isinstance(bound, str) else _number(bound)
    return f"found.{typed} AND found.value {_SIGNS[order]} {limit}", given


def _number(number: int | float) -> Said:
    value = comparable(number)
    if isinstance(value, int) or math.isinf(value):
        return "?", (value,)
    return "json_extract(?, '$')", (json.dumps(value),)


def _escaped(text: str) -> str:
    return text.replace("\x01", "\x01\x02").replace("\x00", "\x01\x01")


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _not(part: Said) -> Said:
    return f"NOT ({part[0]})", part[1]


def _joined(parts: Sequence[Said], word: str) -> Said:
    said = f" {word} ".join(f"({condition})" for condition, _ in parts)
    return said, tuple(value for _, given in parts for value in given)


def _balanced(parts: Sequence[Said], word: str, *, empty: Said) -> Said:
    """Join in halves: in SQLite `a AND b AND c` is two levels deep, and 1000 are too many."""
    if len(parts) <= _FLAT:
        return (parts[0] if len(parts) == 1 else _joined(parts, word)) if parts else empty
    middle = len(parts) // 2
    return _joined([_balanced(half, word, empty=empty) for half in (parts[:middle], parts[middle:])], word)
