"""Settings: one frozen value, read once, at the edge."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kataribe.errors import InputError

DEFAULT_PATH = "kataribe.db"
KEY_NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")
"""Variables that hold a provider's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the store is and how it is kept.

    `busy_seconds` is how long a writer waits for another process; `durability` `full` makes
    commits survive a loss of power, `normal` the death of the process. `base_url` is where an
    OpenAI-compatible server listens (None: the provider's own address), `model_seconds` how
    long one answer of a model may take. `keys` are the providers' keys by the name of their
    variable; a key chooses no model.
    """

    path: str = DEFAULT_PATH
    busy_seconds: float = 30.0
    durability: Literal["normal", "full"] = "normal"
    base_url: str | None = None
    model_seconds: float = 60.0
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.path:
            raise InputError("the path of the store must not be empty; give one with --db")
        if not 0 <= self.busy_seconds <= 3600:
            raise InputError(f"busy_seconds must be from 0 to 3600, not {self.busy_seconds}")
        if self.durability not in ("normal", "full"):
            raise InputError(f"durability must be normal or full, not {self.durability!r}")
        if not 0 < self.model_seconds <= 3600:
            raise InputError(f"model_seconds must be more than 0 and at most 3600, not {self.model_seconds}")
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise InputError(f"the base URL must begin with http:// or https://, not {self.base_url!r}")


def from_environment(
    path: str | None = None, environ: Mapping[str, str] | None = None, *, base_url: str | None = None
) -> Settings:
    """Read the variables KATARIBE_* and the providers' keys; `path` and `base_url` go before them."""
    given = os.environ if environ is None else environ
    return Settings(
        path=path or given.get("KATARIBE_DB") or DEFAULT_PATH,
        busy_seconds=_seconds(given, "KATARIBE_BUSY_SECONDS", "30"),
        durability=given.get("KATARIBE_DURABILITY", "normal"),  # type: ignore[arg-type]
        base_url=base_url or given.get("KATARIBE_BASE_URL") or None,
        model_seconds=_seconds(given, "KATARIBE_MODEL_SECONDS", "60"),
        keys={name: given[name] for name in KEY_NAMES if given.get(name)},
    )


def _seconds(given: Mapping[str, str], name: str, default: str) -> float:
    said = given.get(name, default)
    try:
        return float(said)
    except ValueError as error:
        raise InputError(f"{name} must be a number of seconds, not {said!r}") from error
