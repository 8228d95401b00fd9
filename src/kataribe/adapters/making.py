"""How a part is found by name and made: entry points, and what each of them is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from typing import Any, Protocol, runtime_checkable

from kataribe.errors import InputError, MissingExtraError


@dataclass(frozen=True, slots=True, kw_only=True)
class PartChoice:
    """What a part is made with that is chosen by name: see `Settings`.

    `family` names the entry point, `name` is what stands after it (`cross-encoder:NAME`, or behind
    `://` of a URL), empty for none. `options` are what that kind of part needs beside: a
    ledger's clock and durability, for example.
    """

    family: str
    name: str = ""
    base_url: str | None = None
    seconds: float = 60.0
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Maker(Protocol):
    """What an entry point may name: it says what is missing, and makes the part.

    A plain class or function serves too: it is called without arguments, or with the name that
    stands after its own; `available()`, where it has that, is asked first.
    """

    def available(self, choice: PartChoice) -> str | None:
        """Give None when the part can be made, else the line to type; imports no vendor."""

    def make(self, choice: PartChoice) -> Any:
        """Make the part. Raises `InputError` for a name that it does not know."""


@dataclass(frozen=True, slots=True)
class PlainMaker:
    """A class or function that knows nothing of choices."""

    kind: Any

    def available(self, choice: PartChoice) -> str | None:  # noqa: ARG002 - it knows of none
        """Ask it, where it can be asked."""
        asked = getattr(self.kind, "available", None)
        line: str | None = None if asked is None else asked()
        return line

    def make(self, choice: PartChoice) -> Any:
        """Call it. Raises `InputError` for a name where it takes none."""
        given = (choice.name,) if choice.name else ()
        try:
            signature(self.kind).bind(*given)
        except TypeError as error:
            raise InputError(
                f"{choice.family!r} has no choice of models; leave {choice.name!r} out"
                if given
                else f"{choice.family!r} needs a name behind it: {choice.family}:NAME"
            ) from error
        return self.kind(*given)


class Registry:
    """The parts of one group of entry points, ours and strangers' alike."""

    def __init__(self, group: str, what: str) -> None:
        self.group = group
        self.what = what

    def points(self) -> dict[str, EntryPoint]:
        """Give the entry points by name; a stranger's does not take the place of ours."""
        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            known = found.get(point.name)
            if known is None or point.value.startswith("kataribe."):
                found[point.name] = point
        return found

    def names(self) -> tuple[str, ...]:
        """Give the names there are."""
        return tuple(sorted(self.points()))

    def maker(self, family: str) -> Maker:
        """Give who makes a part. Raises `InputError` for a name nobody has, naming the nearest."""
        points = self.points()
        if family not in points:
            raise InputError(
                f"there is no {self.what} {family!r}{nearest(family, points)}; "
                f"choose from {', '.join(sorted(points)) or 'none: none is installed'}"
            )
        loaded: Any = points[family].load()
        return loaded if _is_maker(loaded) else PlainMaker(loaded)

    def make(self, choice: PartChoice) -> Any:
        """Make a part. Raises `InputError`, and `MissingExtraError` with the line to type."""
        maker = self.maker(choice.family)
        line = maker.available(choice)
        if line is not None:
            raise MissingExtraError(f"the {self.what} {choice.family!r} is not installed; type: {line}")
        return maker.make(choice)


def _is_maker(loaded: Any) -> bool:
    return isinstance(loaded, Maker)


def nearest(given: str, known: Iterable[str]) -> str:
    """Name what was probably meant, to stand in a refusal; empty when nothing is near."""
    found = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""
