"""Settings: one frozen value, read once, at the edge: out of arguments, the environment and one file."""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, TypeVar

from kataribe.errors import FormatError, InputError

DEFAULT_PATH = "kataribe.db"
DEFAULT_BUSY_SECONDS = 30.0
DEFAULT_ARENA_BYTES = 1 << 30
DEFAULT_MODEL_SECONDS = 60.0
DEFAULT_TRACES_KEPT = 10_000
DEFAULT_ARCHIVE = "parquet"
"""Whose files an archive has that is named by its folder alone."""
DEFAULT_MODEL = "rules"
DEFAULT_BACKUPS_CRON = "0 4 * * *"
"""Daily, an hour after the nights."""
SQLITE = "sqlite"
KEY_NAMES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OLLAMA_API_KEY")
"""Variables that hold a provider's key; they are read from the environment alone."""
FILE_VARIABLE = "KATARIBE_SETTINGS"
KEK_NAMES = ("KATARIBE_KEK", "KATARIBE_KEK_NEXT", "KATARIBE_KEK_COMMAND", "KATARIBE_KEK_COMMAND_NEXT")
"""Variables that give the key by which users' keys are wrapped; they are read from the environment alone."""
HOOK_SECRET = "KATARIBE_WEBHOOK_SECRET"
"""The variable that gives what a webhook's messages are signed by; it is read from the environment alone."""
_PREFIX = "KATARIBE_"
_TABLES = ("backups", "upstream")
"""The tables of a file whose keys begin with the table's name everywhere else."""
OTHER_VARIABLES = (
    *("CACHE", "TEST_DATA", "EFFORT", "WRITE_DOCS", "SETTINGS"),
    *(name.removeprefix(_PREFIX) for name in (*KEK_NAMES, HOOK_SECRET)),
)
"""Variables that begin with `KATARIBE_` and set none of these."""
_SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+)://(?P<rest>.*)", re.DOTALL)

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the store is and how it is kept.

    `path` is a file or `:memory:`; or a URL, `sqlite:///FILE` or one of another ledger that is
    installed. `index` is the URL of an index outside the store (None: the store's own does all).
    `busy_seconds` is how long a writer waits for another process; `durability` `full` makes
    commits survive a loss of power, `normal` the death of the process. `arena_bytes` is how much
    memory the search index may take (0: none is kept, each episode's is read when it is asked).
    `model` reads the texts of new stories, `embedder` embeds for new stories and users (None: that
    of the language), `reranker` orders what recall found (None: nothing does). `temperature` is
    what models are asked with, 0 to 2 (None: the provider's own).
    `base_url` is where an OpenAI-compatible server listens (None: the provider's own address),
    `model_seconds` how long one answer of a model may take. `minilm` is the folder whose model the
    embedder `minilm` takes (None: that of its package). `keys` are the providers' keys by
    the name of their variable; a key chooses no model. `policy` is a file that tunes recall (None:
    the published numbers); `trace_text` lets questions and texts into the spans of a tracer.
    `traces_kept` is how many traces of each story and user stay; older ones go when new ones are
    written. `archive` is a folder, or a URL such as `parquet://FOLDER`, that takes the texts of
    memories that are no more recent (None: they stay in the store). `key_store` is the file of the
    users' keys (None: one below the user's data folder), and `kek` holds the variables that give the
    key they are wrapped by (none: it stands in that file). `audit` says of what a record is kept: the
    spaces of `users`, `all`, or `off`; `audit_sink` is a file of JSON Lines, or a bucket as
    `s3://BUCKET/PREFIX`, that is given it too (None: none is). `backups_folder` is where `schedule`
    writes backups, a folder or `s3://BUCKET/PREFIX`, at the moments of `backups_cron` (None: it writes
    none): the last of each of `backups_keep_daily` days and `backups_keep_weekly` weeks stay.
    `upstream_model` is the model that a server's OpenAI-compatible routes ask, as `provider:model` (None:
    none), `upstream_url` where it listens (None: the provider's address), `upstream_seconds` how long it
    may be silent, and `upstream_raw` lets users' personal data go to it as they are. `webhook` is the
    address of a receiver that is told what becomes of memory (None: nobody is), `webhook_secret` what its
    messages are signed by.
    `origins` says where each setting came from that is not as shipped.
    """

    path: str = DEFAULT_PATH
    index: str | None = None
    busy_seconds: float = DEFAULT_BUSY_SECONDS
    durability: Literal["normal", "full"] = "normal"
    arena_bytes: int = DEFAULT_ARENA_BYTES
    model: str = DEFAULT_MODEL
    embedder: str | None = None
    reranker: str | None = None
    temperature: float | None = None
    base_url: str | None = None
    model_seconds: float = DEFAULT_MODEL_SECONDS
    minilm: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    policy: str | None = None
    trace_text: bool = False
    traces_kept: int = DEFAULT_TRACES_KEPT
    archive: str | None = None
    key_store: str | None = None
    kek: Mapping[str, str] = field(default_factory=dict, repr=False)
    audit: Literal["users", "all", "off"] = "users"
    audit_sink: str | None = None
    backups_folder: str | None = None
    backups_cron: str = DEFAULT_BACKUPS_CRON
    backups_keep_daily: int = 7
    backups_keep_weekly: int = 4
    upstream_model: str | None = None
    upstream_url: str | None = None
    upstream_seconds: float = DEFAULT_MODEL_SECONDS
    upstream_raw: bool = False
    webhook: str | None = None
    webhook_secret: str | None = field(default=None, repr=False)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", _store_path(self.path))
        if not self.path:
            raise InputError("the path of the store must not be empty; give one with --db")
        if self.index is not None and scheme_of(self.index) is None:
            raise InputError(f"the index must be a URL such as memory://, not {self.index!r}")
        if not 0 <= self.busy_seconds <= 3600:
            raise InputError(f"busy_seconds must be from 0 to 3600, not {self.busy_seconds}")
        if self.durability not in ("normal", "full"):
            raise InputError(f"durability must be normal or full, not {self.durability!r}")
        if self.audit not in ("users", "all", "off"):
            raise InputError(f"audit must be users, all or off, not {self.audit!r}")
        if self.arena_bytes < 0:
            raise InputError(f"arena_bytes must be 0 or more, not {self.arena_bytes}")
        if not 0 <= self.traces_kept < 1 << 63:
            raise InputError(f"traces_kept must be 0 or more, not {self.traces_kept}")
        if not 0 < self.model_seconds <= 3600:
            raise InputError(f"model_seconds must be more than 0 and at most 3600, not {self.model_seconds}")
        if self.backups_keep_daily < 1 or self.backups_keep_weekly < 0:
            raise InputError(
                f"backups are kept for 1 day or more and 0 weeks or more, "
                f"not for {self.backups_keep_daily} and {self.backups_keep_weekly}"
            )
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise InputError(f"temperature must be from 0 to 2, not {self.temperature}")
        if not 0 < self.upstream_seconds <= 3600:
            raise InputError(
                f"upstream_seconds must be more than 0 and at most 3600, not {self.upstream_seconds}"
            )
        if self.upstream_url is not None and not self.upstream_url.startswith(("http://", "https://")):
            raise InputError(f"upstream_url must begin with http:// or https://, not {self.upstream_url!r}")
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise InputError(f"the base URL must begin with http:// or https://, not {self.base_url!r}")

    def __repr__(self) -> str:
        """Show what is set, without keys and passwords."""
        shown = [
            f"{one.name}={without_password(repr(getattr(self, one.name)))}"
            for one in fields(self)
            if one.repr
        ]
        return f"Settings({', '.join(shown)})"

    @property
    def ledger(self) -> str:
        """The name of the ledger: the scheme of the store's URL, `sqlite` for a file."""
        return scheme_of(self.path) or SQLITE


def scheme_of(url: str) -> str | None:
    """Give the scheme of a URL; None for what is none."""
    found = _SCHEME.fullmatch(url)
    return None if found is None else found["scheme"]


_PASSWORD = re.compile(r"(?<=://)[^/]*@")


def without_password(url: str) -> str:
    """Give a URL as it may be shown: without a user's name and password."""
    return _PASSWORD.sub("...@", url)


def behind_scheme(url: str) -> str:
    """Give what stands after a URL's scheme; the whole of what is none."""
    found = _SCHEME.fullmatch(url)
    return url if found is None else found["rest"]


def _store_path(given: str) -> str:
    """Give the file a URL of SQLite names, with three slashes before a relative one; others stay."""
    if scheme_of(given) != SQLITE:
        return given
    rest = behind_scheme(given)
    if rest and not rest.startswith("/"):
        raise InputError(f"{given!r} names a host; a file is sqlite:///FILE, or sqlite:////FOLDER/FILE")
    return rest[1:] or ":memory:"


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting as it is written: its type, and what a number counts."""

    kind: type
    counts: str = ""


SETTINGS: Mapping[str, _Setting] = {
    "db": _Setting(str),
    "index": _Setting(str),
    "busy_seconds": _Setting(float, "of seconds"),
    "durability": _Setting(str),
    "arena_bytes": _Setting(int, "of bytes"),
    "model": _Setting(str),
    "embedder": _Setting(str),
    "reranker": _Setting(str),
    "temperature": _Setting(float, "from 0 to 2"),
    "base_url": _Setting(str),
    "model_seconds": _Setting(float, "of seconds"),
    "minilm": _Setting(str),
    "policy": _Setting(str),
    "trace_text": _Setting(bool),
    "traces_kept": _Setting(int, "of traces"),
    "archive": _Setting(str),
    "keys": _Setting(str),
    "audit": _Setting(str),
    "audit_sink": _Setting(str),
    "backups_folder": _Setting(str),
    "backups_cron": _Setting(str),
    "backups_keep_daily": _Setting(int, "of days"),
    "backups_keep_weekly": _Setting(int, "of weeks"),
    "upstream_model": _Setting(str),
    "upstream_url": _Setting(str),
    "upstream_seconds": _Setting(float, "of seconds"),
    "upstream_raw": _Setting(bool),
    "webhook": _Setting(str),
}
"""What may be set, by its key in a file; the variable is `KATARIBE_` with it in capitals."""


def variable_of(key: str) -> str:
    """Name the variable of a setting."""
    return f"KATARIBE_{key.upper()}"


def from_environment(
    path: str | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    base_url: str | None = None,
    policy: str | None = None,
    keys: str | None = None,
    webhook: str | None = None,
) -> Settings:
    """Read the settings: what is given here, else the variables KATARIBE_*, else the file KATARIBE_SETTINGS.

    Providers' keys come from the environment alone. Raises `InputError`, and `FormatError` for a
    file with a key that there is not, which names the nearest.
    """
    given = os.environ if environ is None else environ
    named = {
        "db": (path, "--db"),
        "base_url": (base_url or None, "--base-url"),
        "policy": (policy, "--policy"),
        "keys": (keys, "--keys"),
        "webhook": (webhook or None, "--webhook"),
    }
    read: dict[str, tuple[object, str]] = {}
    file = given.get(FILE_VARIABLE)
    if file:
        read |= {key: (value, file) for key, value in read_settings(Path(file)).items()}
    for key, setting in SETTINGS.items():
        value = _from_variable(given, key, setting)
        if value is not None:
            read[key] = (value, variable_of(key))
        if named.get(key, (None, ""))[0] is not None:
            read[key] = named[key]
    for key in ("db", "policy", "keys"):
        if key in read:
            _file(str(read[key][0]), read[key][1])
    values = {_field(key): value for key, (value, _) in read.items()}
    secrets = {name: given[name] for name in KEY_NAMES if given.get(name)}
    kek = {name: given[name] for name in KEK_NAMES if given.get(name)}
    origins = {key: where for key, (_, where) in read.items()}
    hook_secret = given.get(HOOK_SECRET) or None
    return Settings(**values, keys=secrets, kek=kek, webhook_secret=hook_secret, origins=origins)  # type: ignore[arg-type]


def unknown_variables(environ: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """Give the variables that begin like ours and set nothing, each with the nearest that does."""
    given = os.environ if environ is None else environ
    known = [variable_of(key) for key in (*SETTINGS, *OTHER_VARIABLES)]
    unknown = sorted(name for name in given if name.startswith("KATARIBE_") and name not in known)
    bare = {name.removeprefix("KATARIBE_"): name for name in known}
    near = {name: _nearest(name.removeprefix("KATARIBE_"), bare) for name in unknown}
    return {name: None if found is None else bare[found] for name, found in near.items()}


def read_settings(file: Path) -> dict[str, object]:
    """Read a file of settings in TOML. Raises `FormatError`."""
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read: {error}", file=str(file)) from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is no TOML: {error}", file=str(file)) from error
    written = _flat(written)
    for key, value in written.items():
        _check_key(key, file)
        _check_kind(key, value, file)
    # What a file names lies beside it.
    return {key: _beside(file, key, value) for key, value in written.items()}


def _flat(written: Mapping[str, object]) -> dict[str, object]:
    """Give the keys of the tables [backups] and [upstream] by the names they have outside these."""
    flat: dict[str, object] = {}
    for key, value in written.items():
        if key in _TABLES and isinstance(value, dict):
            flat |= {f"{key}_{name}": one for name, one in value.items()}
        else:
            flat[key] = value
    return flat


def _check_key(key: str, file: Path) -> None:
    if key in SETTINGS:
        return
    if key.upper() in KEY_NAMES or variable_of(key) in (*KEK_NAMES, HOOK_SECRET):
        raise FormatError(f"{key}: keys of providers stand in the environment alone", file=str(file))
    near = _nearest(key, SETTINGS)
    meant = f"did you mean {near!r}?" if near else f"there are {', '.join(SETTINGS)}"
    raise FormatError(f"there is no setting {key!r}; {meant}", file=str(file))


def _check_kind(key: str, value: object, file: Path) -> None:
    kind = SETTINGS[key].kind
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (kind is not bool and isinstance(value, bool)):
        wanted = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}[kind]
        raise FormatError(f"{key} must be {wanted}, not {value!r}", file=str(file))


def _beside(file: Path, key: str, value: object) -> object:
    is_path = key in ("db", "policy", "minilm", "archive", "keys", "audit_sink", "backups_folder")
    if not is_path or not isinstance(value, str) or not value:
        return value
    if value == ":memory:" or scheme_of(value) is not None:
        return value
    return str(file.parent / Path(value).expanduser())


def _field(key: str) -> str:
    return {"db": "path", "keys": "key_store"}.get(key, key)


def _nearest(given: str, known: Mapping[str, object] | list[str]) -> str | None:
    found = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def _from_variable(given: Mapping[str, str], key: str, setting: _Setting) -> object:
    """Read a variable; None where it is not set, or empty and text."""
    name = variable_of(key)
    if name not in given:
        return None
    if setting.kind is bool:
        return _switch(given, name)
    if setting.kind is int:
        return _number(given[name], name, int, setting.counts)
    if setting.kind is float:
        return _number(given[name], name, float, setting.counts)
    # An empty name of the store, as an unset variable leaves it, is not the default one.
    return given[name] if key in ("db", "durability") else given[name] or None


def _file(path: str, what: str) -> str:
    if not path:
        raise InputError(f"{what} is empty; name a file, or leave it out")
    return path


def _switch(given: Mapping[str, str], name: str) -> bool:
    value = given.get(name, "0")
    if value not in ("", "0", "1"):
        raise InputError(f"{name} must be 1 or 0, not {value!r}")
    return value == "1"


def _number(value: str, name: str, kind: Callable[[str], T], counts: str) -> T:
    try:
        made = kind(value)
    except ValueError as error:
        raise InputError(f"{name} must be a number {counts}, not {value!r}") from error
    if not math.isfinite(made):
        raise InputError(f"{name} must be a number {counts}, not {value!r}")
    return made
