"""What a backup holds of each table: which tables, rows and columns are left out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_OF_STORIES = "(SELECT space FROM spaces WHERE type = 'story')"
_TOKENS_OF_STORIES = "(SELECT token FROM spaces WHERE type = 'story')"

ARCHIVED = "tier_values"
"""The table whose payloads may lie in an archive; in a backup they stand in its rows."""
LEFT_OUT = frozenset(
    {
        *("memory_vectors", "segments", "changes", "embeddings"),
        *("archive_folders", "archive_files", "archive_payloads", "archive_gone"),
        *("privacy_requests", "exports", "exports_gone", "access_keys"),
    }
)
"""Tables that a backup lacks: what is made again from the others, what is noted of an archive,
and what holds for this store alone."""
# Rows of stories stay where their vectors are wanted.
_VECTORS: Mapping[str, str] = {
    "memory_vectors": f"space IN {_OF_STORIES}",
    "segments": f"space IN {_OF_STORIES}",
    "changes": f"token IN {_TOKENS_OF_STORIES}",
}
_ONLY: Mapping[str, str] = {"extractions": "usage IS NOT NULL"}
# Without vectors nothing can be recalled: every unit is to be done again, as if for the first time.
_ANEW: Mapping[str, Mapping[str, str]] = {
    "memories": {"live": "0"},
    "work": {"fingerprint": "''", "outcome": "'due'", "attempts": "0", "error": "NULL"},
}
_STAYS: Mapping[str, str] = {
    "memories": f"space IN {_OF_STORIES}",
    "work": f"outcome = 'done' AND space IN {_OF_STORIES}",
}
_BLANK: Mapping[str, Mapping[str, str]] = {
    "work": {"lease": "NULL", "worker": "NULL", "leased_until": "NULL", "due_at": "NULL"},
    "model_asks": {"embedder_id": "''", "vectors": "'{}'"},
}


@dataclass(frozen=True, slots=True)
class Extract:
    """What is taken of one table: an expression for each column, and which rows (SQL)."""

    columns: Sequence[str]
    rows: str = "1"


def extract(table: str, columns: Sequence[str], *, with_vectors: bool) -> Extract | None:
    """Say what of a table is in a backup; None: nothing."""
    if with_vectors and table in _VECTORS:
        return Extract(tuple(f'"{one}"' for one in columns), _VECTORS[table])
    if table in LEFT_OUT:
        return None
    rows = "1" if with_vectors else _ONLY.get(table, "1")
    return Extract(tuple(_taken(table, one, with_vectors=with_vectors) for one in columns), rows)


def _taken(table: str, column: str, *, with_vectors: bool) -> str:
    if (blank := _BLANK.get(table, {}).get(column)) is not None:
        return blank
    anew = _ANEW.get(table, {}).get(column)
    if anew is None:
        return f'"{column}"'
    return f'CASE WHEN {_STAYS[table]} THEN "{column}" ELSE {anew} END' if with_vectors else anew
