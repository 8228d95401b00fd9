"""A caller's filter: parsed once to a frozen tree, then asked of fields.

The language is a small part of MongoDB's: `$eq $ne $gt $gte $lt $lte $in $nin $exists
$and $or $not`. A filter is AND-ed with the gate and never stands in for it, so whatever it
says it can only narrow. What is not understood is refused, never skipped (T-23).

How values compare, here and in every back end that compiles the tree:

- `true` is not 1; 1 is 1.0. Whole numbers beyond 64 bits compare as doubles, because that
  is what a store's JSON makes of them.
- Ranges hold between two numbers or two strings (by code point), else they do not match; an
  array is neither.
- An array equals a scalar when any element does. `$ne` and `$nin` are plain negations, so a
  missing field matches them. `null` equals a missing field.
- A field name is a plain key of the top level: a dot in it is a dot.
- The `time` of a turn is a moment and compares as one, with a day, month, year or moment in ISO 8601
  (UTC where no zone is told). A fact's field of that name is the author's, and compares as any other.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from kataribe.errors import FilterError

Scalar = str | int | float | bool | None
Bound = str | int | float

MAX_DEPTH = 32
MAX_NODES = 1000

NAMING_FIELDS = frozenset(
    {"fact_id", "turn_id", "session", "episode_id", "holder", "space", "scope", "character_id", "kind"}
)
"""Fields that name something: what they are compared with holds no words of anybody."""

_INT64 = range(-(2**63), 2**63)
_OPERATORS = ("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$and", "$or", "$not")
_BETWEEN_FILTERS = frozenset({"$and", "$or"})


class Order(StrEnum):
    """How a field must stand to the bound of a range."""

    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"


class Filter(ABC):
    """A condition on fields: one node of the tree, with what hangs below it."""

    __slots__ = ()

    @abstractmethod
    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether `fields`, a JSON object as Python reads it, meets the condition."""


@dataclass(frozen=True, slots=True)
class Every(Filter):
    """All parts match; true when there are none."""

    parts: tuple[Filter, ...]

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether every part matches."""
        return all(part.matches(fields) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either(Filter):
    """At least one part matches."""

    parts: tuple[Filter, ...]

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether any part matches."""
        return any(part.matches(fields) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Negation(Filter):
    """The part does not match."""

    part: Filter

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether the part does not match."""
        return not self.part.matches(fields)


@dataclass(frozen=True, slots=True)
class Present(Filter):
    """The field is there, be it null."""

    field: str

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether the field is there."""
        return self.field in fields


@dataclass(frozen=True, slots=True)
class OneOf(Filter):
    """The field equals one of the values: `$eq` with one of them, `$in` with any number."""

    field: str
    values: tuple[Scalar, ...]

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether the field, or one element of it, equals one of the values."""
        found = fields.get(self.field)
        elements = (*found, found) if isinstance(found, (list, tuple)) else (found,)
        return any(_is_same(element, value) for element in elements for value in self.values)


@dataclass(frozen=True, slots=True)
class Range(Filter):
    """The field lies on one side of the bound and is of its type."""

    field: str
    order: Order
    bound: Bound

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether the field compares with the bound, and does so as asked."""
        found = fields.get(self.field)
        if isinstance(found, str) and isinstance(self.bound, str):
            sign = (found > self.bound) - (found < self.bound)
        elif _is_number(found) and _is_number(self.bound):
            number, bound = comparable(found), comparable(self.bound)
            sign = (number > bound) - (number < bound)
        else:
            return False
        match self.order:
            case Order.GT:
                return sign > 0
            case Order.GTE:
                return sign >= 0
            case Order.LT:
                return sign < 0
            case Order.LTE:
                return sign <= 0


@dataclass(frozen=True, slots=True)
class During(Filter):
    """A turn said in one of the spans, milliseconds since 1970 from the first up to but without the second.

    Of what is no turn `otherwise` decides.
    """

    spans: tuple[tuple[int, int], ...]
    otherwise: Filter

    def matches(self, fields: Mapping[str, object]) -> bool:
        """Whether it was said then."""
        if fields.get("kind") != _TURN:
            return self.otherwise.matches(fields)
        said = spanned(str(fields.get("time", "")))
        return said is not None and any(first <= said[0] < end for first, end in self.spans)


_TURN = "turn"
FOREVER = 1 << 60
"""Later, or with a minus earlier, than any moment in milliseconds that a calendar has."""
_PERIOD = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?")


def spanned(written: str) -> tuple[int, int] | None:
    """Give the span of a day, month or year, or of the millisecond of a moment; None for other words."""
    period = _PERIOD.fullmatch(written)
    try:
        if period is None:
            moment = datetime.fromisoformat(written)
            start = round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
            return (start, start + 1)
        year, month, day = (None if part is None else int(part) for part in period.groups())
        first = datetime(year or 1, month or 1, day or 1, tzinfo=UTC)
        if day is not None:
            end = first + timedelta(days=1)
        else:
            moved = first.year * 12 + (first.month if month is not None else first.month + 11)
            end = first.replace(year=moved // 12, month=moved % 12 + 1)
    except (ValueError, OverflowError):
        return None
    return (round(first.timestamp() * 1000), round(end.timestamp() * 1000))


def comparable(number: object) -> int | float:
    """Give a number as it is compared: whole numbers beyond 64 bits become doubles."""
    if isinstance(number, int) and number not in _INT64:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf
    assert isinstance(number, (int, float))
    return number


def parse(filter: Mapping[str, object]) -> Filter:  # noqa: A002 - the word callers know it by
    """Turn a filter as written into a tree; `{}` matches everything.

    Raises `FilterError` naming what is not understood, and for more than `MAX_DEPTH` levels
    or `MAX_NODES` conditions and values.
    """
    return _Parser().filter(filter, depth=1)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_same(found: object, value: Scalar) -> bool:
    if _is_number(found) and _is_number(value):
        return comparable(found) == comparable(value)
    if isinstance(found, str) and isinstance(value, str):
        return found == value
    # What is left of the scalars, true, false and null, exists once each.
    return found is value


class _Parser:
    """Counts the nodes while it goes down, so that a filter cannot be a burden."""

    def __init__(self) -> None:
        self._nodes = 0

    def filter(self, written: object, *, depth: int) -> Filter:
        """Parse an object of fields and of operators between filters."""
        if not isinstance(written, Mapping):
            raise FilterError(f"a filter must be an object, not {_named(written)}")
        _check_depth(depth)
        if not written:
            self._count()
        return _joined([self._entry(_key(name), value, depth) for name, value in written.items()])

    def _entry(self, name: str, value: object, depth: int) -> Filter:
        if not name.startswith("$") and isinstance(value, Mapping):
            return self._field(name, value, depth=depth + 1)
        self._count()
        if name == "$not":
            return Negation(self.filter(value, depth=depth + 1))
        if name in _BETWEEN_FILTERS:
            parts = tuple(self.filter(item, depth=depth + 1) for item in _filled_list(name, value))
            return Every(parts) if name == "$and" else Either(parts)
        if name in _OPERATORS:
            raise FilterError(f"{name} needs a field: write {{field: {{{name!r}: ...}}}}")
        if name.startswith("$"):
            raise _unknown(name)
        return _in_time(OneOf(name, (_scalar("$eq", value),)))

    def _field(self, field: str, written: Mapping[object, object], *, depth: int) -> Filter:
        """Parse the operators asked of one field."""
        _check_depth(depth)
        if not written:
            raise FilterError(f"the field {field!r} has an empty object: give it an operator such as $eq")
        return _joined([self._operator(field, _key(name), value, depth) for name, value in written.items()])

    def _operator(self, field: str, name: str, value: object, depth: int) -> Filter:
        self._count()
        match name:
            case "$eq" | "$ne":
                return _negated_if(name == "$ne", _in_time(OneOf(field, (_scalar(name, value),))))
            case "$in" | "$nin":
                return _negated_if(name == "$nin", _in_time(OneOf(field, self._values(name, value))))
            case "$gt" | "$gte" | "$lt" | "$lte":
                return _in_time(Range(field, Order(name), _bound(name, value)))
            case "$exists":
                if not isinstance(value, bool):
                    raise FilterError(f"$exists takes true or false, not {_named(value)}")
                return _negated_if(not value, Present(field))
            case "$not":
                if not isinstance(value, Mapping):
                    raise FilterError(f"$not of a field takes an object of operators, not {_named(value)}")
                return Negation(self._field(field, value, depth=depth + 1))
            case "$and" | "$or":
                raise FilterError(f"{name} stands between filters, not inside the field {field!r}")
        raise _unknown(name)

    def _values(self, name: str, value: object) -> tuple[Scalar, ...]:
        if not isinstance(value, (list, tuple)):
            raise FilterError(f"{name} takes a list, not {_named(value)}")
        self._count(len(value))
        return tuple(_scalar(name, item) for item in value)

    def _count(self, nodes: int = 1) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise FilterError(f"the filter has more than {MAX_NODES} conditions and values; make it smaller")


def _joined(parts: list[Filter]) -> Filter:
    return parts[0] if len(parts) == 1 else Every(tuple(parts))


_TIME = "time"


def _in_time(found: OneOf | Range) -> Filter:
    """Compare the time of turns as a moment; raise `FilterError` for what is none."""
    if found.field != _TIME:
        return found
    written = found.values if isinstance(found, OneOf) else (found.bound,)
    spans = [_span(value) for value in written if value is not None]
    if isinstance(found, OneOf):
        return During(tuple(spans), found)
    first, end = spans[0]
    beyond = {
        Order.GT: (end, FOREVER),
        Order.GTE: (first, FOREVER),
        Order.LT: (-FOREVER, first),
        Order.LTE: (-FOREVER, end),
    }
    return During((beyond[found.order],), found)


def _span(value: Scalar) -> tuple[int, int]:
    found = spanned(value) if isinstance(value, str) else None
    # No moment is in it: a fact's own field may be called time too, and hold anything.
    return (0, 0) if found is None else found


def _negated_if(asked: bool, part: Filter) -> Filter:
    return Negation(part) if asked else part


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise FilterError(f"the filter is nested more than {MAX_DEPTH} deep; make it flatter")


def _filled_list(name: str, value: object) -> list[object]:
    if not isinstance(value, (list, tuple)) or not value:
        raise FilterError(f"{name} takes a list of at least one filter, not {_named(value)}")
    return list(value)


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise FilterError(f"a field or operator must be a string, not {_named(name)}")
    return _sound(name)


def _bound(name: str, value: object) -> Bound:
    bound = _scalar(name, value)
    if bound is None or isinstance(bound, bool):
        raise FilterError(f"{name} takes a number or a string, not {_named(value)}")
    return bound


def _scalar(name: str, value: object) -> Scalar:
    if isinstance(value, float) and not math.isfinite(value):
        raise FilterError(f"{name} takes a finite number, not {value}")
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return _sound(value)
    raise FilterError(f"{name} takes a string, a number, true, false or null, not {_named(value)}")


def _sound(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FilterError(
            f"a text holds a lone surrogate at character {error.start}; it is not valid text"
        ) from error
    return text


def _unknown(name: str) -> FilterError:
    return FilterError(f"unknown operator {name!r}; the operators are {', '.join(_OPERATORS)}")


def _named(value: object) -> str:
    """Name a value in a message; a text may be anybody's words, and is not repeated."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return "a string"
        case int():
            return repr(value) if value in _INT64 else "a huge whole number"
        case float():
            return repr(value)
        case list() | tuple():
            return "a list" if value else "an empty list"
        case Mapping():
            return "an object"
    return f"a {type(value).__name__}, which JSON does not have"
