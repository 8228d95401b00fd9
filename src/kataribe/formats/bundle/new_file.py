"""A new file for its owner alone that appears whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kataribe.errors import ConflictError, InputError, KataribeError, StoreFullError

_OWNER_ALONE = 0o600
_PART = ".part"
_CHUNK = 1 << 20


class NewFile:
    """A file that is being written beside its place.

    Where the system can, it has no name until it is published: nothing is left of it by a process that is
    killed. Elsewhere it has a hidden name beside the place.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft: str | None = None
        self.file: BinaryIO = os.fdopen(self._opened(), "w+b")

    def _opened(self) -> int:
        _remove_left(self._path)
        folder = self._path.parent
        if hasattr(os, "O_TMPFILE"):
            with suppress(OSError):
                return os.open(folder, os.O_TMPFILE | os.O_RDWR, _OWNER_ALONE)
        prefix = f"{_draft_of(self._path)}{os.getpid()}."
        handle, self._draft = tempfile.mkstemp(prefix=prefix, suffix=_PART, dir=folder)
        return handle

    def sha256(self) -> str:
        """Give the SHA-256 of all that was written so far."""
        self.file.flush()
        self.file.seek(0)
        made = hashlib.sha256()
        while chunk := self.file.read(_CHUNK):
            made.update(chunk)
        return made.hexdigest()

    def publish(self) -> None:
        """Give it its name, durably. Raises `ConflictError` where a file is there."""
        self.file.flush()
        os.fsync(self.file.fileno())
        try:
            self._link()
        except FileExistsError as error:
            raise file_is_there(self._path) from error
        _sync_folder(self._path.parent)

    def _link(self) -> None:
        """Add the name; never in the place of another file."""
        if self._draft is not None:
            os.link(self._draft, self._path)
            return
        # With a folder named, Python follows the link of the open file to what has no name yet.
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            opened = f"/proc/self/fd/{self.file.fileno()}"
            os.link(opened, self._path, src_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)

    def close(self) -> None:
        """Let go of it; without a name it is gone."""
        self.file.close()
        if self._draft is not None:
            Path(self._draft).unlink(missing_ok=True)


def file_is_there(path: Path) -> ConflictError:
    """Say that nothing is overwritten."""
    return ConflictError(f"there is a file {path} already; name a new one")


@contextmanager
def new_file(path: Path) -> Iterator[NewFile]:
    """Open a new file beside its place. Raises `StoreFullError`, `InputError`."""
    try:
        made = NewFile(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    try:
        yield made
    except KataribeError:
        # Some of them are errors of the system too.
        raise
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StoreFullError(f"there is no room left for {path}; make some, or name another") from error
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            made.close()


def _draft_of(path: Path) -> str:
    return f".{path.name}."


def _remove_left(path: Path) -> None:
    """Remove what processes have left of the same file that were killed."""
    for one in path.parent.iterdir():
        if one.name.startswith(_draft_of(path)) and one.name.endswith(_PART):
            process = one.name.removeprefix(_draft_of(path)).partition(".")[0]
            if process.isdecimal() and not _is_alive(int(process)):
                one.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # It is somebody else's, or the system cannot tell.
        return True
    return True


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
