"""The fields of one JSON object, taken one by one; what is left is unknown and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import TypeVar

from kataribe.domain.ids import check_id
from kataribe.domain.terms import PUBLIC, Audience, known_by
from kataribe.errors import FormatError, InputError
from kataribe.formats.jsonl import described

PUBLIC_WORDS = ("public", "world")

_Choice = TypeVar("_Choice", bound=StrEnum)


class Fields:
    """Takes fields out of an object and refuses what is not as it should be.

    null is the same as missing. `where` names the object inside its file when the line
    alone does not, e.g. `character 2: `.
    """

    def __init__(
        self, values: Mapping[str, object], *, file: str, line: int | None = None, where: str = ""
    ) -> None:
        self._left = dict(values)
        self.file = file
        self.line = line
        self.where = where

    def refused(self, reason: str) -> FormatError:
        """Make the error that says `reason` at this place."""
        return FormatError(f"{self.where}{reason}", file=self.file, line=self.line)

    def inside(self, value: object, where: str) -> Fields:
        """Open an object that stands inside this one."""
        where = f"{self.where}{where}: "
        if not isinstance(value, dict):
            raise FormatError(
                f"{where}must be an object, not {described(value)}", file=self.file, line=self.line
            )
        return Fields(value, file=self.file, line=self.line, where=where)

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Say file and line with whatever `InputError` a domain value raises."""
        try:
            yield
        except FormatError:
            raise
        except InputError as error:
            raise self.refused(str(error)) from error

    def has(self, name: str) -> bool:
        """Whether a field is there that was not taken, whatever it holds."""
        return name in self._left

    def take(self, name: str) -> object:
        """Take any value; None when missing."""
        return self._left.pop(name, None)

    def text(self, name: str) -> str:
        """Take a required string."""
        value = self.maybe_text(name, required=True)
        assert value is not None
        return value

    def maybe_text(self, name: str, *, required: bool = False) -> str | None:
        """Take a string."""
        value = self._take(name, required=required)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "a string", value)
        return value

    def filled_text(self, name: str) -> str:
        """Take a required string that is not blank."""
        value = self.text(name)
        if not value.strip():
            raise self.refused(f"{name} must not be empty")
        return value

    def id(self, name: str, what: str) -> str:
        """Take a required identifier."""
        return self._id(self.text(name), what)

    def maybe_id(self, name: str, what: str) -> str | None:
        """Take an identifier."""
        value = self.maybe_text(name)
        return None if value is None else self._id(value, what)

    def number(self, name: str, *, least: int = 1) -> int:
        """Take a required whole number."""
        value = self.maybe_number(name, least=least, required=True)
        assert value is not None
        return value

    def maybe_number(
        self, name: str, *, least: int = 1, most: int = 2**31 - 1, required: bool = False
    ) -> int | None:
        """Take a whole number from `least` to `most`."""
        value = self._take(name, required=required)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            raise self.refused(f"{name} must be a whole number, not {value}; write it without a point")
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "a whole number", value)
        if not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}", value)
        return value

    def maybe_share(self, name: str) -> float | None:
        """Take a number from 0 to 1."""
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self._wrong(name, "a number from 0 to 1", value)
        return float(value) + 0.0  # no -0.0: a store gives back 0.0

    def flag(self, name: str) -> bool:
        """Take true or false; false when missing."""
        value = self.take(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value is True

    def items(self, name: str) -> list[object] | None:
        """Take a list."""
        value = self.take(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, "a list", value)
        return value

    def choice(self, name: str, options: Sequence[_Choice]) -> _Choice | None:
        """Take one of a few words."""
        value = self.maybe_text(name)
        for option in options:
            if option.value == value:
                return option
        if value is None:
            return None
        raise self._wrong(name, f"one of {', '.join(options)}", value)

    def audience(self, name: str) -> Audience | None:
        """Take who may know: `"public"` (or `"world"`) or a list of ids, which must not be empty."""
        value = self.take(name)
        return None if value is None else self.as_audience(name, value)

    def as_audience(self, name: str, value: object) -> Audience:
        """Read the value of the field `name` as who may know."""
        if value in PUBLIC_WORDS:
            return PUBLIC
        if not isinstance(value, list):
            raise self._wrong(name, '"public" or a list of character ids such as ["Alice"]', value)
        for item in value:
            if not isinstance(item, str):
                raise self._wrong(name, "a list of character ids", value, f" that holds {described(item)}")
        with self.placed():
            return known_by(*value)

    def rest(self) -> dict[str, object]:
        """Give the fields that nobody took, in their order."""
        return dict(self._left)

    def no_rest(self, hint: str) -> None:
        """Refuse unknown fields where there is no place to keep them."""
        for name in self._left:
            raise self.refused(f"unknown field {name!r}; {hint}")

    def _id(self, value: str, what: str) -> str:
        try:
            return check_id(value, what)
        except InputError as error:
            raise self.refused(str(error)) from error

    def _take(self, name: str, *, required: bool) -> object:
        if required and self._left.get(name) is None:
            state = "is null" if name in self._left else "is missing"
            raise self.refused(f"the field {name!r} {state}")
        return self.take(name)

    def _wrong(self, name: str, wanted: str, got: object, more: str = "") -> FormatError:
        return self.refused(f"{name} must be {wanted}, not {described(got)}{more}")


def shown(audience: Audience) -> str | list[str]:
    """Write an audience as files have it; the opposite of `Fields.audience`."""
    return PUBLIC_WORDS[0] if audience.world else list(audience.holders())


def filled(known: Mapping[str, object], extra: Mapping[str, object]) -> dict[str, object]:
    """Put an object together: the known fields that are not None, then the unknown ones."""
    values = {name: value for name, value in known.items() if value is not None}
    values.update((name, value) for name, value in extra.items() if name not in known)
    return values
