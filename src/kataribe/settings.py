"""Settings: one frozen value, read once, at the edge."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kataribe.errors import InputError

DEFAULT_PATH = "kataribe.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the store is and how it is kept.

    `busy_seconds` is how long a writer waits for another process; `durability` `full` makes
    commits survive a loss of power, `normal` the death of the process.
    """

    path: str = DEFAULT_PATH
    busy_seconds: float = 30.0
    durability: Literal["normal", "full"] = "normal"

    def __post_init__(self) -> None:
        if not self.path:
            raise InputError("the path of the store must not be empty; give one with --db")
        if not 0 <= self.busy_seconds <= 3600:
            raise InputError(f"busy_seconds must be from 0 to 3600, not {self.busy_seconds}")
        if self.durability not in ("normal", "full"):
            raise InputError(f"durability must be normal or full, not {self.durability!r}")


def from_environment(path: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read KATARIBE_DB, KATARIBE_BUSY_SECONDS and KATARIBE_DURABILITY; `path` goes before the first."""
    given = os.environ if environ is None else environ
    busy = given.get("KATARIBE_BUSY_SECONDS", "30")
    try:
        seconds = float(busy)
    except ValueError as error:
        raise InputError(f"KATARIBE_BUSY_SECONDS must be a number of seconds, not {busy!r}") from error
    return Settings(
        path=path or given.get("KATARIBE_DB") or DEFAULT_PATH,
        busy_seconds=seconds,
        durability=given.get("KATARIBE_DURABILITY", "normal"),  # type: ignore[arg-type]
    )
