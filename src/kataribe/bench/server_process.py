"""A server in a process of its own, and what the system says of it: processor's time, memory, open files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen

from kataribe.bench.processes import environment
from kataribe.bench.workspace import Stage

_PROC = Path("/proc")
_STOPS_IN = 60.0
_OWN_SOCKETS = 3
"""The one it listens on, and the pair by which its event loop wakes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a process holds: memory (megabytes of a million bytes), open files, connections of clients."""

    megabytes: float
    files: int
    connections: int


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that runs."""

    process: Popen[str]
    port: int

    @property
    def worked(self) -> float | None:
        """The seconds that processors worked for it; None where the system does not say."""
        try:
            fields = (_of(self) / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        except OSError:
            return None
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def held(self) -> Held | None:
        """What it holds; None where the system does not say."""
        try:
            lines = (_of(self) / "status").read_text(encoding="ascii", errors="replace").splitlines()
            open_files = [_target(one) for one in (_of(self) / "fd").iterdir()]
        except OSError:
            return None
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        sockets = sum(one.startswith("socket:") for one in open_files)
        return Held(
            megabytes=kilobytes * 1024 / 1e6,
            files=len(open_files),
            connections=max(0, sockets - _OWN_SOCKETS),
        )

    def stop(self) -> None:
        """Tell it to stop, and wait until it has closed its store."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(_STOPS_IN)


def _of(server: ServerProcess) -> Path:
    return _PROC / str(server.process.pid)


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        # It was closed meanwhile.
        return ""


@contextmanager
def running(stage: Stage, store: Path) -> Iterator[ServerProcess]:
    """Serve a store on a free port of this machine.

    Raises `RuntimeError` when it does not start.
    """
    command = [sys.executable, "-m", "kataribe", "--db", str(store), "serve", "--port", "0"]
    process = Popen(command, stderr=PIPE, text=True, env=environment(stage))
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        if "listening on " not in said:
            raise RuntimeError(said + process.stderr.read())
        yield ServerProcess(process, int(said.rpartition(":")[2]))
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()
