"""What sort each verb is of, and what becomes of an option that it does not have.

The mark of a verb decides who may be given it: a door for one viewer leads to viewer reads alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, wraps
from inspect import Parameter, iscoroutinefunction, signature
from typing import ParamSpec, TypeVar, get_args, get_type_hints

from kataribe.face.noted import noted

P = ParamSpec("P")
R = TypeVar("R")


class VerbMark(StrEnum):
    """The sorts of verbs."""

    VIEWER_READ = "viewer read"
    """It gives what one viewer may remember and nothing else; the property machines drive it."""
    AUTHOR_READ = "author read"
    """It sees across viewers: no door of a viewer leads to it."""
    LIBRARY_READ = "library read"
    """It searches one library, which is in no viewer's gate."""
    WRITE = "write"
    """It changes inputs or memory."""
    UPKEEP = "upkeep"
    """It opens, closes or binds, and gives nothing of what is remembered."""


def mark_of(verb: object) -> VerbMark | None:
    """Give the mark of a verb; None for what is none."""
    found = getattr(verb, "__mark__", None)
    return found if isinstance(found, VerbMark) else None


def viewer_read(verb: Callable[P, R]) -> Callable[P, R]:
    """VerbMark a verb as a viewer read."""
    return _marked(verb, VerbMark.VIEWER_READ)


def author_read(verb: Callable[P, R]) -> Callable[P, R]:
    """VerbMark a verb as an author read."""
    return _marked(verb, VerbMark.AUTHOR_READ)


def library_read(verb: Callable[P, R]) -> Callable[P, R]:
    """VerbMark a verb as a search in one library."""
    return _marked(verb, VerbMark.LIBRARY_READ)


def write(verb: Callable[P, R]) -> Callable[P, R]:
    """VerbMark a verb as a write."""
    return _marked(verb, VerbMark.WRITE)


def upkeep(verb: Callable[P, R]) -> Callable[P, R]:
    """VerbMark a verb as upkeep."""
    return _marked(verb, VerbMark.UPKEEP)


def _marked(verb: Callable[P, R], mark: VerbMark) -> Callable[P, R]:
    options = cache(lambda: _options(verb))
    run = noted(verb, is_author_read=mark is VerbMark.AUTHOR_READ) if iscoroutinefunction(verb) else verb

    @wraps(verb)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        if named and not named.keys() <= options():
            raise TypeError(unknown_option(verb.__name__, named.keys() - options(), options()))
        return run(*given, **named)

    checked.__mark__ = mark  # type: ignore[attr-defined]
    return checked


def _options(verb: Callable[..., object]) -> frozenset[str]:
    """Name the options that a verb has, those of its typed keyword arguments too."""
    parameters = signature(verb).parameters.values()
    names = {
        one.name
        for one in parameters
        if one.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    }
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        name = next(one.name for one in parameters if one.kind is Parameter.VAR_KEYWORD)
        names |= get_args(get_type_hints(verb)[name])[0].__annotations__.keys()
    return frozenset(names - {"self"})


def unknown_option(verb: str, unknown: Iterable[str], options: Iterable[str]) -> str:
    """Say which option a verb does not have, and which it has that is spelt most like it."""
    name = min(unknown)
    near = get_close_matches(name, sorted(options), n=1, cutoff=0.5)
    rest = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(options)) or 'none'}"
    return f"{verb}() has no option {name!r}; {rest}"
