"""Settings: one frozen value, read once, at the edge."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from kataribe.errors import InputError

DEFAULT_PATH = "kataribe.db"
DEFAULT_BUSY_SECONDS = 30.0
DEFAULT_ARENA_BYTES = 1 << 30
DEFAULT_MODEL_SECONDS = 60.0
DEFAULT_TRACES_KEPT = 10_000
KEY_NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")
"""Variables that hold a provider's key."""

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the store is and how it is kept.

    `busy_seconds` is how long a writer waits for another process; `durability` `full` makes
    commits survive a loss of power, `normal` the death of the process. `arena_bytes` is how much
    memory the search index may take (0: none is kept, each episode's is read when it is asked).
    `base_url` is where an OpenAI-compatible server listens (None: the provider's own address),
    `model_seconds` how long one answer of a model may take. `minilm` is the folder whose model the
    embedder `minilm` takes (None: that of its package). `keys` are the providers' keys by
    the name of their variable; a key chooses no model. `policy` is a file that tunes recall (None:
    the published numbers); `trace_text` lets questions and texts into the spans of a tracer.
    `traces_kept` is how many traces of each story and user stay; older ones go when new ones are
    written.
    """

    path: str = DEFAULT_PATH
    busy_seconds: float = DEFAULT_BUSY_SECONDS
    durability: Literal["normal", "full"] = "normal"
    arena_bytes: int = DEFAULT_ARENA_BYTES
    base_url: str | None = None
    model_seconds: float = DEFAULT_MODEL_SECONDS
    minilm: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    policy: str | None = None
    trace_text: bool = False
    traces_kept: int = DEFAULT_TRACES_KEPT

    def __post_init__(self) -> None:
        if not self.path:
            raise InputError("the path of the store must not be empty; give one with --db")
        if not 0 <= self.busy_seconds <= 3600:
            raise InputError(f"busy_seconds must be from 0 to 3600, not {self.busy_seconds}")
        if self.durability not in ("normal", "full"):
            raise InputError(f"durability must be normal or full, not {self.durability!r}")
        if self.arena_bytes < 0:
            raise InputError(f"arena_bytes must be 0 or more, not {self.arena_bytes}")
        if not 0 <= self.traces_kept < 1 << 63:
            raise InputError(f"traces_kept must be 0 or more, not {self.traces_kept}")
        if not 0 < self.model_seconds <= 3600:
            raise InputError(f"model_seconds must be more than 0 and at most 3600, not {self.model_seconds}")
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise InputError(f"the base URL must begin with http:// or https://, not {self.base_url!r}")


def from_environment(
    path: str | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    base_url: str | None = None,
    policy: str | None = None,
) -> Settings:
    """Read the variables KATARIBE_* and the providers' keys; what is given here goes before them."""
    given = os.environ if environ is None else environ
    return Settings(
        path=_path(path, given),
        busy_seconds=_number(given, "KATARIBE_BUSY_SECONDS", float, DEFAULT_BUSY_SECONDS, "of seconds"),
        durability=given.get("KATARIBE_DURABILITY", "normal"),  # type: ignore[arg-type]
        arena_bytes=_number(given, "KATARIBE_ARENA_BYTES", int, DEFAULT_ARENA_BYTES, "of bytes"),
        base_url=base_url or given.get("KATARIBE_BASE_URL") or None,
        model_seconds=_number(given, "KATARIBE_MODEL_SECONDS", float, DEFAULT_MODEL_SECONDS, "of seconds"),
        minilm=given.get("KATARIBE_MINILM") or None,
        keys={name: given[name] for name in KEY_NAMES if given.get(name)},
        policy=given.get("KATARIBE_POLICY") or None if policy is None else _file(policy, "--policy"),
        trace_text=_switch(given, "KATARIBE_TRACE_TEXT"),
        traces_kept=_number(given, "KATARIBE_TRACES_KEPT", int, DEFAULT_TRACES_KEPT, "of traces"),
    )


def _path(path: str | None, given: Mapping[str, str]) -> str:
    """Choose the store; an empty name, as an unset variable leaves it, is not the default one."""
    if path is not None:
        return _file(path, "--db")
    return _file(given.get("KATARIBE_DB", DEFAULT_PATH), "KATARIBE_DB")


def _file(path: str, what: str) -> str:
    if not path:
        raise InputError(f"{what} is empty; name a file, or leave it out")
    return path


def _switch(given: Mapping[str, str], name: str) -> bool:
    value = given.get(name, "0")
    if value not in ("", "0", "1"):
        raise InputError(f"{name} must be 1 or 0, not {value!r}")
    return value == "1"


def _number(given: Mapping[str, str], name: str, kind: Callable[[str], T], default: T, what: str) -> T:
    if name not in given:
        return default
    try:
        return kind(given[name])
    except ValueError as error:
        raise InputError(f"{name} must be a number {what}, not {given[name]!r}") from error
