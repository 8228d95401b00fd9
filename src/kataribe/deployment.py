"""Whether a store is kept safe where it runs: who can read its files, where its keys are, what goes where.

What cannot be told from here is said to be so, and never passed as good.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from kataribe import wiring
from kataribe.adapters.disks import encryption_of
from kataribe.domain.keys import KeyStatus, WrappedBy
from kataribe.errors import KataribeError, KeyStoreError
from kataribe.settings import (
    FILE_VARIABLE,
    SQLITE,
    Settings,
    behind_scheme,
    from_environment,
    scheme_of,
    without_password,
)

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MEMORY = ":memory:"
_LOCAL_INDEXES = frozenset({"memory"})
_READ_BY_CLIENTS = (
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
    "OLLAMA_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
)
"""Variables by which the packages of providers are sent elsewhere than to the provider."""
_PLAIN, _TLS = frozenset({"http", "ws"}), frozenset({"https", "wss"})


class CheckState(StrEnum):
    """What came of a check."""

    GOOD = "good"
    BAD = "bad"
    UNKNOWN = "unknown"
    """It cannot be told from here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentCheck:
    """One thing that was looked at, what was seen, and what to do about it (empty: nothing)."""

    check: str
    state: CheckState
    says: str
    do: str = ""


def inspect_deployment(
    path: str | None = None, *, keys: str | None = None, environ: Mapping[str, str] | None = None
) -> tuple[DeploymentCheck, ...]:
    """Look at permissions, the place of the keys, the addresses that are set, and disks; changes nothing.

    A store that is not there yet is not made. Raises `InputError` and `FormatError` for settings that
    cannot be read.
    """
    given = os.environ if environ is None else environ
    chosen = from_environment(path, given, keys=keys)
    # Before the store is opened: the files beside it come and go with who has it open.
    files = tuple(_files(chosen, given))
    status, wrong = _key_status(chosen)
    return (
        *files,
        *_keys(chosen, status, wrong),
        *_addresses(chosen, given),
        _texts(chosen),
        *_disks(chosen, status),
    )


def _good(check: str, says: str) -> DeploymentCheck:
    return DeploymentCheck(check=check, state=CheckState.GOOD, says=says)


def _bad(check: str, says: str, do: str) -> DeploymentCheck:
    return DeploymentCheck(check=check, state=CheckState.BAD, says=says, do=do)


def _unknown(check: str, says: str, do: str = "") -> DeploymentCheck:
    return DeploymentCheck(check=check, state=CheckState.UNKNOWN, says=says, do=do)


# -- files ------------------------------------------------------------------------------------


def _store(chosen: Settings) -> Path | None:
    """Give the store's file; None where it is none."""
    return Path(chosen.path) if chosen.ledger == SQLITE and chosen.path != _MEMORY else None


def _files(chosen: Settings, environ: Mapping[str, str]) -> Iterator[DeploymentCheck]:
    store = _store(chosen)
    if store is None:
        yield _unknown("store file", f"{without_password(chosen.path)} is no file of this machine")
    else:
        yield _private("store file", store)
        yield _unwritten("store folder", store.resolve().parent)
        yield from (
            _private(f"store file {suffix}", file)
            for suffix in ("-wal", "-shm", "-journal")
            if (file := Path(f"{store}{suffix}")).exists()
        )
    if chosen.archive is not None:
        yield from _tree("archive", chosen.archive)
    backups = getattr(chosen, "backups_folder", None)
    if backups:
        yield from _tree("backups", str(backups))
    else:
        yield _unknown("backups", "no folder of backups is set", "see to it that only you can read backups")
    if chosen.audit_sink is not None and scheme_of(chosen.audit_sink) in (None, "file"):
        yield _private("audit file", Path(behind_scheme(chosen.audit_sink)).expanduser())
    if environ.get(FILE_VARIABLE):
        yield _unwritten("settings file", Path(environ[FILE_VARIABLE]))


def _mode(file: Path) -> int | None:
    """Give the permissions of a file; None where there are none of this sort, or it cannot be seen."""
    try:
        return stat.S_IMODE(file.stat().st_mode) if os.name == "posix" else None
    except OSError:
        return None


def _seen(check: str, file: Path, mode: int | None) -> DeploymentCheck | None:
    """Say that a file's permissions cannot be told; None where they can."""
    if mode is not None:
        return None
    why = "is not there yet" if os.name == "posix" and not file.exists() else "does not tell who can read it"
    return _unknown(check, f"{file} {why}")


def _private(check: str, file: Path) -> DeploymentCheck:
    """Ask that nobody else can read a file or folder: by its own permissions, or those of its folder."""
    mode = _mode(file)
    if (unseen := _seen(check, file, mode)) is not None or mode is None:
        return unseen or _unknown(check, str(file))
    folder = _mode(file.resolve().parent)
    if not mode & _OTHERS or (folder is not None and not folder & _OTHERS):
        return _good(check, f"{file} is for its owner alone")
    bits = "700" if file.is_dir() else "600"
    return _bad(check, f"{file} can be read or written by others ({mode:03o})", f"chmod {bits} '{file}'")


def _unwritten(check: str, file: Path) -> DeploymentCheck:
    """Ask that nobody else can put something else in the place of a file, or into a folder."""
    mode = _mode(file)
    if (unseen := _seen(check, file, mode)) is not None or mode is None:
        return unseen or _unknown(check, str(file))
    if mode & _OTHERS_WRITE:
        return _bad(check, f"{file} can be written by others ({mode:03o})", f"chmod go-w '{file}'")
    return _good(check, f"{file} can be written by its owner alone")


def _tree(check: str, named: str) -> Iterator[DeploymentCheck]:
    """Look at a folder that is named, by its path or a URL; what is elsewhere cannot be looked at."""
    folder = Path(behind_scheme(named)).expanduser()
    if scheme_of(named) not in (None, "file", "parquet"):
        yield _unknown(check, f"{without_password(named)} is not on this machine")
        return
    found = _private(check, folder)
    if found.state is not CheckState.BAD:
        yield found
        return
    open_ones = [file for file in folder.rglob("*") if file.is_file() and (_mode(file) or 0) & _OTHERS]
    if not open_ones and not (_mode(folder) or 0) & _OTHERS_WRITE:
        yield _good(check, f"the files in {folder} are for their owner alone")
    else:
        yield found


# -- keys -------------------------------------------------------------------------------------


def _key_status(chosen: Settings) -> tuple[KeyStatus | None, str]:
    """Ask the store where its keys are; gives why that cannot be told, or is refused, too."""
    store = _store(chosen)
    if store is None or not store.exists():
        return None, ""
    try:
        with wiring.open(settings=chosen) as kataribe:
            return kataribe.admin.keys.status(), ""
    except KeyStoreError as error:
        return None, str(error)
    except KataribeError:
        # `doctor` without `--deployment` says what is wrong with the store.
        return None, ""


def _keys(chosen: Settings, status: KeyStatus | None, wrong: str) -> Iterator[DeploymentCheck]:
    if wrong:
        said, _, do = wrong.partition("; ")
        yield _bad("key store", said, do)
        return
    if status is None or not status.is_made or status.place == _MEMORY:
        yield _unknown("key store", "no key store is in use yet, or the store cannot be asked for it")
        return
    place, store = Path(status.place), _store(chosen)
    yield _private("key store", place)
    yield _unwritten("key store's folder", place.resolve().parent)
    if store is not None:
        yield _apart(place, store, status.wrapped_by)


def _apart(place: Path, store: Path, wrapped_by: WrappedBy | None) -> DeploymentCheck:
    """Ask that what copies the database does not copy all that opens it."""
    check, own = "key placement", store.resolve().parent
    if place.resolve().is_relative_to(own) and wrapped_by is WrappedBy.FILE:
        return _bad(
            check,
            f"{place} lies below the database's folder, and opens by itself",
            "keep it elsewhere (--keys, KATARIBE_KEYS), or the key that wraps it (KATARIBE_KEK)",
        )
    if wrapped_by is not WrappedBy.FILE:
        return _good(check, f"what wraps the keys ({wrapped_by}) lies outside the key store")
    try:
        is_same = place.stat().st_dev == store.stat().st_dev
    except OSError:
        return _unknown(check, f"whether {place} and the database lie on one file system")
    if is_same:
        return _bad(
            check,
            f"{place} opens by itself, and lies on the same file system as the database: a copy of the "
            f"disk holds both",
            "keep it on another (--keys, KATARIBE_KEYS), or the key that wraps it (KATARIBE_KEK)",
        )
    return _good(check, f"{place} lies on another file system than the database")


# -- addresses --------------------------------------------------------------------------------


def _addresses(chosen: Settings, environ: Mapping[str, str]) -> Iterator[DeploymentCheck]:
    """Look at every address that is set; where none is, providers are asked at theirs, by TLS."""
    if chosen.base_url:
        yield _address("base_url", chosen.base_url)
    if chosen.upstream_url:
        yield _address("upstream_url", chosen.upstream_url)
    yield from (_address(name, environ[name]) for name in _READ_BY_CLIENTS if environ.get(name))
    if chosen.index and scheme_of(chosen.index) not in _LOCAL_INDEXES:
        yield _address("index", chosen.index)
    if chosen.webhook:
        yield _address("webhook", chosen.webhook)
    for name, place in (("audit_sink", chosen.audit_sink), ("backups_folder", chosen.backups_folder)):
        if place and scheme_of(place) == "s3":
            yield _bucket(name, place, environ)
    if chosen.ledger != SQLITE:
        yield _address("db", chosen.path)


def _bucket(check: str, place: str, environ: Mapping[str, str]) -> DeploymentCheck:
    if any(environ.get(name) for name in _READ_BY_CLIENTS if name.startswith("AWS_")):
        return _good(check, f"{place} is sent to the address that is looked at above")
    return _good(check, f"{place} is sent by TLS to the provider's own address")


def _address(check: str, url: str) -> DeploymentCheck:
    shown, scheme = without_password(url), (scheme_of(url) or "").rpartition("+")[2]
    if scheme in _TLS:
        return _good(check, f"{shown} is asked by TLS")
    if _is_here(url):
        return _good(check, f"{shown} is on this machine")
    if scheme in _PLAIN:
        return _bad(check, f"{shown} is asked in the clear: everybody between can read along", "use https://")
    return _unknown(check, f"whether {shown} is asked by TLS", "see to it that it is")


def _is_here(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# -- words and disks --------------------------------------------------------------------------


def _texts(chosen: Settings) -> DeploymentCheck:
    if chosen.trace_text:
        return _bad(
            "words outside",
            f"spans, errors and reasons of failed work may hold users' words "
            f"({chosen.origins.get('trace_text', 'trace_text')} is set)",
            "unset it",
        )
    return _good("words outside", "logs, spans, errors and reasons of failed work hold no user's words")


def _disks(chosen: Settings, status: KeyStatus | None) -> Iterator[DeploymentCheck]:
    store = _store(chosen)
    places = {
        "store": None if store is None else store.resolve().parent,
        "keys": None if status is None or not status.is_made else Path(status.place),
        "archive": _local(chosen.archive),
        "backups": _local(getattr(chosen, "backups_folder", None)),
    }
    for name, place in places.items():
        if place is not None and str(place) != _MEMORY:
            yield _disk(f"disk of {name}", place)


def _local(named: str | None) -> Path | None:
    if named is None or scheme_of(named) not in (None, "file", "parquet"):
        return None
    return Path(behind_scheme(named)).expanduser()


def _disk(check: str, place: Path) -> DeploymentCheck:
    found = encryption_of(place)
    if found.is_encrypted:
        return _good(check, f"{place}: {found.why}")
    return _unknown(check, f"{place}: whether it is encrypted; {found.why}", "see to it that it is")
