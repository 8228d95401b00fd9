"""Who keeps the log of a store from being cut off: a reader that still needs it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_LOCKS = Path("/proc/locks")
_READ_MARKS = range(123, 128)
"""The bytes of the shared memory file that readers lock."""
SOMEBODY = "another process"


def holders(path: str) -> tuple[str, ...]:
    """Name the processes that read a store now; `another process` where the system does not tell which."""
    try:
        where = os.stat(f"{path}-shm")
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return (SOMEBODY,)
    found = {_called(pid) for pid in _readers(lines, where)}
    return tuple(sorted(found)) or (SOMEBODY,)


def _readers(lines: Iterable[str], where: os.stat_result) -> Iterable[int]:
    """Give the ids of those that hold a lock on a read mark of this file."""
    for line in lines:
        parts = line.replace("->", "").split()
        if len(parts) < 8 or parts[1] != "POSIX" or not _is_of(parts[5], where):
            continue
        first, last = int(parts[6]), _READ_MARKS[-1] if parts[7] == "EOF" else int(parts[7])
        if first <= _READ_MARKS[-1] and last >= _READ_MARKS[0]:
            yield int(parts[4])


def _is_of(named: str, where: os.stat_result) -> bool:
    # The device is not compared: layered file systems call it otherwise here and there.
    return int(named.rpartition(":")[2]) == where.st_ino


def _called(pid: int) -> str:
    if pid <= 0:
        return SOMEBODY
    return "this process" if pid == os.getpid() else f"process {pid}"
