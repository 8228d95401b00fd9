"""Files and folders that are made for their owner alone, whatever the process lets others read.

Each gets its permissions as it is made: there is no moment at which others can open it, and the mask of
the process, which belongs to all of its threads, is left as it is. What is there already keeps its own.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700


def make_private_file(path: Path) -> None:
    """Make an empty file where there is none; SQLite gives a log beside it the same permissions.

    Where it cannot be made nothing is done: opening it says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, _FILE))


def make_private_folder(path: Path) -> None:
    """Make a folder and those above it that are missing. Raises `OSError`."""
    for folder in reversed((path, *path.parents)):
        # `parents=True` would give those above the permissions of the process.
        if not folder.is_dir():
            folder.mkdir(mode=_FOLDER, exist_ok=True)
