"""Processes of their own: what is measured there owes nothing to what ran before it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from subprocess import PIPE, run
from typing import Any

from kataribe.bench.workspace import Stage

_STATUS = Path("/proc/self/status")


def told(stage: Stage, module: str, *arguments: object, errors: Path | None = None) -> Any:
    """Run a module of the benchmarks with these arguments and give what its JSON says.

    Raises `subprocess.CalledProcessError` when it fails; what it says of that goes to stderr,
    or into the file `errors`.
    """
    command = [sys.executable, "-m", f"kataribe.bench.{module}", *map(str, arguments)]
    with nullcontext() if errors is None else errors.open("w", encoding="utf-8") as said:
        return json.loads(run(command, check=True, stdout=PIPE, stderr=said, env=environment(stage)).stdout)


def wall(stage: Stage, command: Sequence[str]) -> None:
    """Run a command to its end, its output dropped."""
    run(command, check=True, capture_output=True, env=environment(stage))


def environment(stage: Stage) -> dict[str, str]:
    """Let processes keep compiled modules, in a place of ours, whatever the developer has set."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(stage.folder / "compiled")}


def peak_megabytes() -> float:
    """Give the most memory this process ever held, in megabytes of a million bytes."""
    if _STATUS.exists():
        # Linux counts the parent's memory in a child's ru_maxrss; the high-water mark does not.
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        marks = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        if marks:
            return marks[0] * 1024 / 1e6
    # Not on every system, so not at the top.
    from resource import RUSAGE_SELF, getrusage

    most = getrusage(RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6
