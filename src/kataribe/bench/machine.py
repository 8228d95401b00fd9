"""What it was measured on."""

from __future__ import annotations

import os
import platform
import sqlite3

import numpy as np

from kataribe.formats.wire.bench import MachineJson
from kataribe.settings import from_environment


def machine() -> MachineJson:
    """Tell what the figures depend on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "cpus": os.cpu_count(),
        "load": None if load is None else round(load, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
        "durability": from_environment().durability,
    }


def machine_line() -> str:
    """Tell it in one line."""
    return ", ".join(f"{name} {value}" for name, value in machine().items())
