"""Plain values on the command line, read without the library that reads all sorts of them.

The parser loads that library for the first value it reads, a missing one included, and this is a
quarter of what a short command costs. A text, one of several words, a whole number within its bounds
and what was not given are read here; whatever else is given, and whatever is wrong with it, is the
parser's to read and to refuse.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import typer

_OTHER = object()
"""What is not read here."""


def spare_coercion(command: Any) -> None:
    """Let a command, and those below it, read plain values by themselves."""
    asked = command.get_params

    def get_params(context: Any) -> list[Any]:
        found: list[Any] = asked(context)
        for parameter in found:
            if hasattr(parameter, "type_descriptor"):
                _spare(parameter)
        return found

    # Not those in `params` alone: the option for help, and those for completion, come later.
    command.get_params = get_params
    below = getattr(command, "commands", None)
    for one in below.values() if isinstance(below, dict) else ():
        spare_coercion(one)


def _spare(parameter: Any) -> None:
    if "process_value" in vars(parameter):
        return
    read_all = parameter.process_value

    def read(ctx: Any, value: Any) -> Any:
        found = _plain(parameter, value)
        if found is _OTHER:
            return read_all(ctx, value)
        return found if parameter.callback is None else parameter.callback(ctx, parameter, found)

    parameter.process_value = read


def _plain(parameter: Any, value: Any) -> Any:
    if value is None:
        return _OTHER if parameter.required else () if parameter.multiple or parameter.nargs == -1 else None
    wanted, options = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if options.parser is not None:
        return _parsed(options.parser, value)
    if wanted is int and isinstance(value, str):
        return _number(options, value)
    if wanted is str and isinstance(value, str):
        return value if value and value.isprintable() else _OTHER
    if isinstance(wanted, type) and issubclass(wanted, StrEnum) and value in [*wanted]:
        return wanted(value)
    return value if type(value) is wanted else _OTHER


def _parsed(parser: Any, value: Any) -> Any:
    try:
        return parser(value)
    except (typer.BadParameter, ValueError):
        # Refused a second time by the parser, which says where it stood.
        return _OTHER


def _number(bounds: Any, text: str) -> Any:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return _OTHER
    number = int(text)
    within = (bounds.min is None or number >= bounds.min) and (bounds.max is None or number <= bounds.max)
    return number if within else _OTHER
