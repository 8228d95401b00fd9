"""What is given back when a user was erased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """What was erased of a user, and what of that is still to be done.

    `at` is ISO 8601; `counts` are numbers of rows, files and entries by what they were kept in.
    `held_by` names who keeps the log of the store from being cut off: until then what was deleted may
    stand in it. `unreached` says by store what could not be done yet and why; a later sync tries it
    again. `unsealed` names copies and backups in which what users said is not sealed: nobody but their
    owner can erase them.
    """

    user: str
    at: str
    counts: Mapping[str, int] = field(default_factory=dict)
    held_by: tuple[str, ...] = ()
    unreached: Mapping[str, str] = field(default_factory=dict)
    unsealed: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing of the user is left in anything that the store reaches."""
        return not self.held_by and not self.unreached


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """A file that was written of what is kept of a user; `sha256` is that of its bytes."""

    path: str
    sha256: str
