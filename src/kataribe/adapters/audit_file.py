"""The audit record in a file of JSON Lines, besides the ledger."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from kataribe.domain.audit import AuditEvent
from kataribe.errors import StoreError


class JsonLinesSink:
    """Appends a line for each event to a file, made for its owner alone where there is none."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    @property
    def name(self) -> str:
        """The file."""
        return str(self._path)

    def put(self, events: Sequence[AuditEvent]) -> None:
        """Append events in one piece."""
        lines = "".join(json.dumps(event.line(), ensure_ascii=False) + "\n" for event in events)
        try:
            opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                with os.fdopen(os.dup(opened), "ab", buffering=0) as file:
                    file.write(lines.encode())
                os.fsync(opened)
            finally:
                os.close(opened)
        except OSError as error:
            raise StoreError(
                f"the audit file {self._path} cannot be written: {error.strerror}; mend that, the events wait"
            ) from error
