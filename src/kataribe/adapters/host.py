"""Which process this is, told so that another on the same machine can see whether it still lives."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path

_PROC = Path("/proc")


class LocalProcesses:
    """Knows processes of this boot and this process namespace, by number and start time.

    Only where `/proc` is; elsewhere, and of other machines and containers, nothing is known,
    and a dead worker's leases are waited out.
    """

    def me(self) -> str:
        """Name this process, e.g. `mill:4711/5f0c….4026531836.8812`."""
        return _me()

    def is_gone(self, worker: str) -> bool:
        """Tell whether a process of this machine has died."""
        shown, _, proof = worker.partition("/")
        place, _, started = proof.rpartition(".")
        number = shown.rpartition(":")[2]
        if not place or place != _place() or not number.isdigit():
            return False
        pid = int(number)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            # Another user's: it is there, and that is all there is to know.
            return False
        now = _started(pid)
        return now is not None and now != started


@lru_cache(maxsize=1)
def _me() -> str:
    pid = os.getpid()
    place, started = _place(), _started(pid)
    proof = "" if place is None or started is None else f"{place}.{started}"
    return f"{socket.gethostname()}:{pid}/{proof}"


if hasattr(os, "register_at_fork"):
    # A forked child is another process.
    os.register_at_fork(after_in_child=_me.cache_clear)


def _place() -> str | None:
    """Name this boot and process namespace; numbers of processes mean nothing outside of it."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        inside = os.readlink(_PROC / "self/ns/pid")
    except OSError:
        return None
    return f"{boot}.{inside.strip('pid:[]')}"


def _started(pid: int) -> str | None:
    """Give when a process started, in the kernel's ticks; `dead` for one that only waits to be buried."""
    try:
        said = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The name in brackets may hold anything, brackets and blanks too.
    fields = said.rpartition(")")[2].split()
    return "dead" if fields[0] in ("Z", "X") else fields[19]
