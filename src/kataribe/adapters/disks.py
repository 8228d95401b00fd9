"""Whether a disk is encrypted, as far as the system tells by what can be read without asking anybody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_ENCRYPTING = frozenset({"ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs"})
"""File systems that encrypt what is written through them."""
_MEMORY = frozenset({"tmpfs", "ramfs"})
_OCTAL = re.compile(r"\\([0-7]{3})")
_DEPTH = 16
"""So many devices may stand below each other."""


@dataclass(frozen=True, slots=True)
class DiskEncryption:
    """What is known of where a path lies; `is_encrypted` None: it cannot be told."""

    is_encrypted: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class _Mount:
    point: Path
    device: str
    kind: str
    source: str


def encryption_of(path: Path, *, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> DiskEncryption:
    """Tell whether what lies at a path is encrypted on its disk, by dm-crypt or by its file system.

    A disk that is not known to be is never called plain: its hardware, or who provides the machine,
    may encrypt it.
    """
    try:
        mounts = _mounts((proc / "self" / "mountinfo").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return DiskEncryption(None, "this system does not list its disks in /proc")
    there = path.resolve()
    # Of two at one place the later hides the earlier.
    below = [one for one in mounts if there.is_relative_to(one.point)]
    if not below:
        return DiskEncryption(None, "it lies on no disk that is listed")
    mount = max(enumerate(below), key=lambda each: (len(each[1].point.parts), each[0]))[1]
    if mount.kind in _ENCRYPTING:
        return DiskEncryption(True, f"its file system, {mount.kind}, encrypts")
    if mount.kind in _MEMORY:
        return DiskEncryption(None, f"it lies in memory ({mount.kind}), which may be swapped to a disk")
    block = _block(mount, sys)
    if block is None:
        return DiskEncryption(None, f"{mount.kind} does not say on which disk it lies")
    if _is_encrypted(block, _DEPTH):
        return DiskEncryption(True, "its disk is encrypted by dm-crypt")
    return DiskEncryption(None, "no dm-crypt is below it; the disk itself, or its provider, may encrypt")


def _mounts(told: str) -> list[_Mount]:
    found = []
    for line in told.splitlines():
        here, dash, there = line.partition(" - ")
        fields, kind = here.split(" "), there.split(" ")
        if dash and len(fields) > 4 and len(kind) > 1:
            found.append(_Mount(Path(_plain(fields[4])), fields[2], kind[0], _plain(kind[1])))
    return found


def _plain(name: str) -> str:
    """Read a name in which blanks and the like stand as octal numbers."""
    return _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), name)


def _block(mount: _Mount, sys: Path) -> Path | None:
    """Give the folder in which the system tells of a mount's device; None: it has none of its own."""
    by_number = sys / "dev" / "block" / mount.device
    if by_number.exists():
        return by_number.resolve()
    # File systems over several disks have numbers of their own, and name one of these.
    by_name = sys / "class" / "block" / Path(mount.source).resolve().name
    return by_name.resolve() if mount.source.startswith("/dev/") and by_name.exists() else None


def _is_encrypted(block: Path, depth: int) -> bool:
    """Whether a device is made by dm-crypt, or every device below it is."""
    if _text(block / "dm" / "uuid").startswith("CRYPT-"):
        return True
    if not depth:
        return False
    if (block / "partition").exists():
        return _is_encrypted(block.parent, depth - 1)
    below = sorted((block / "slaves").iterdir()) if (block / "slaves").is_dir() else []
    return bool(below) and all(_is_encrypted(one.resolve(), depth - 1) for one in below)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
