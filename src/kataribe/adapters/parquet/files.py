"""Parquet files in the folders of a folder; DuckDB is loaded when a file is first written or read."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kataribe.adapters.making import PartChoice
from kataribe.adapters.private_files import make_private_file, make_private_folder
from kataribe.errors import ArchiveError, ArchiveLostError, InputError, MissingExtraError, StoreFullError
from kataribe.ports.archive import Payload

_LINE = "pip install 'kataribe[archive]'"
_VENDOR = "kataribe.adapters.parquet.duck"
"""The module that loads DuckDB."""
_REMEDY = (
    "put the file back from a copy, or run `kataribe rebuild`, which makes what it held again "
    "from what was said"
)

Rows = Sequence[tuple[str, str, str]]


class ParquetArchive:
    """Folders of Parquet files below `root`, which is made when the first file is written."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @classmethod
    def available(cls, choice: PartChoice) -> str | None:  # noqa: ARG003 - whatever its folder
        """Nothing is missing to open it: what writes and reads files is asked for then."""
        return None

    @classmethod
    def make(cls, choice: PartChoice) -> ParquetArchive:
        """Make the archive in the folder that is named. Raises `InputError` where none is."""
        if not choice.name.strip():
            raise InputError("an archive needs its folder: parquet://FOLDER")
        return cls(Path(choice.name).expanduser())

    def missing(self) -> str | None:
        """Give the line to type when DuckDB is not installed."""
        return None if find_spec("duckdb") else _LINE

    def write(self, folder: str, name: str, payloads: Sequence[Payload]) -> str:
        """Write under another name, sync, and rename."""
        write: Callable[[Rows, str], None] = self._duck("write_rows")
        place = self._root / folder
        draft = place / f".{name}.{os.getpid()}.part"
        with _in_words(place):
            make_private_folder(place)
            try:
                make_private_file(draft)
                write([(one.key, one.text, one.topic) for one in payloads], str(draft))
                found = hashlib.sha256(draft.read_bytes()).hexdigest()
                _sync(draft)
                draft.rename(place / name)
                for one in (place, self._root):
                    _sync(one)
            finally:
                draft.unlink(missing_ok=True)
        return found

    def read(self, folder: str, files: Mapping[str, str]) -> tuple[Payload, ...]:
        """Look at each file's hash first, then read all of them at once."""
        if not files:
            return ()
        read: Callable[[Sequence[str]], Rows] = self._duck("read_rows")
        for name, sha256 in files.items():
            if found := self.problem(folder, name, sha256):
                raise ArchiveLostError(f"{found}; {_REMEDY}")
        with _in_words(self._root / folder):
            rows = read([str(self._root / folder / name) for name in sorted(files)])
        return tuple(Payload(*row) for row in rows)

    def problem(self, folder: str, name: str, sha256: str) -> str | None:
        """Compare the hash."""
        path = self._root / folder / name
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            return f"the archive file {path} is not there"
        except OSError as error:
            return f"the archive file {path} cannot be read: {error.strerror}"
        return None if found == sha256 else f"the archive file {path} is not what was written"

    def names(self, folder: str) -> tuple[str, ...]:
        """List it."""
        try:
            return tuple(sorted(os.listdir(self._root / folder)))
        except FileNotFoundError:
            return ()

    def remove(self, folder: str, names: Collection[str]) -> None:
        """Unlink them."""
        place = self._root / folder
        with _in_words(place):
            for name in names:
                (place / name).unlink(missing_ok=True)

    def drop(self, folder: str) -> None:
        """Unlink all of it."""
        place = self._root / folder
        with _in_words(place):
            if place.exists():
                shutil.rmtree(place)

    def _duck(self, name: str) -> Any:
        if line := self.missing():
            raise MissingExtraError(f"the archive is in Parquet files, which DuckDB reads; type: {line}")
        return getattr(import_module(_VENDOR), name)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _in_words(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreFullError(f"there is no room left for the archive in {place}; make some") from error
        raise ArchiveError(
            f"the archive in {place} cannot be used: {error.strerror or error}; "
            f"mend the folder's rights, or name another with KATARIBE_ARCHIVE"
        ) from error
