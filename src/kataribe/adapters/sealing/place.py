"""Where the key store lies: below the user's data folder, away from the database, for its owner alone."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from kataribe.adapters.private_files import make_private_folder
from kataribe.errors import KeyStoreError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_ELSEWHERE = "name another file with --keys or KATARIBE_KEYS"


def data_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Give the folder for a user's data on this system. Raises `KeyStoreError` when there is no home."""
    named = {"win32": "LOCALAPPDATA", "darwin": ""}.get(platform, "XDG_DATA_HOME")
    # A relative path is to be ignored, by the rule of XDG.
    if named and os.path.isabs(environ.get(named, "")):
        return Path(environ[named])
    below = {"win32": ("AppData", "Local"), "darwin": ("Library", "Application Support")}
    try:
        home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    except RuntimeError as error:
        raise KeyStoreError(f"there is no home folder to keep keys in; {_ELSEWHERE}") from error
    return home.joinpath(*below.get(platform, (".local", "share")))


def default_place(store_id: str, environ: Mapping[str, str]) -> Path:
    """Give the file of a store's keys where no other is named."""
    return data_folder(environ) / "kataribe" / "keys" / f"{store_id}.keys"


def check_apart(place: Path, database: Path, *, is_named: bool) -> None:
    """Refuse a place that goes along when the database's folder is copied.

    A named one is refused in the database's folder and below; the usual one beside the database alone,
    since a database may well lie in the home folder. Raises `KeyStoreError`.
    """
    folder, own = place.resolve().parent, database.resolve().parent
    if folder == own or (is_named and folder.is_relative_to(own)):
        raise KeyStoreError(
            f"the key store {place} lies in the folder of the database, so that a copy of one is a copy "
            f"of both; {_ELSEWHERE}"
        )


def prepare(place: Path) -> None:
    """Make the file, empty and for its owner alone, where there is none. Raises `KeyStoreError`."""
    try:
        make_private_folder(place.parent)
        os.close(os.open(place, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise KeyStoreError(
            f"the key store {place} cannot be made: {error.strerror}; {_ELSEWHERE}"
        ) from error


def check_private(place: Path) -> None:
    """Refuse a file that others than its owner may read or write. Raises `KeyStoreError`.

    Windows has no such bits; there the folder of the user's data keeps others out.
    """
    if os.name != "posix":
        return
    try:
        mode = place.stat().st_mode
    except OSError as error:
        raise KeyStoreError(f"the key store {place} cannot be read: {error.strerror}") from error
    if mode & _OTHERS:
        raise KeyStoreError(
            f"the key store {place} can be read by others than its owner; type: chmod 600 '{place}' "
            f"(and take it that the keys are known to them)"
        )
