"""What a backup leaves out of the copy of a store."""

from __future__ import annotations

import sqlite3

_OF_STORIES = "SELECT space FROM spaces WHERE type = 'story'"
# Without vectors nothing can be recalled: every unit is marked to be done again.
_WITHOUT = """
DELETE FROM memory_vectors;
DELETE FROM segments;
DELETE FROM changes;
DELETE FROM extractions WHERE usage IS NULL;
UPDATE work SET fingerprint = '', outcome = 'due', attempts = 0, error = NULL;
UPDATE memories SET live = 0;
"""
# What is remembered of users is made again from the turns; what failed is tried as if for the first time.
_OF_STORIES_ONLY = f"""
DELETE FROM memory_vectors WHERE space NOT IN ({_OF_STORIES});
DELETE FROM segments WHERE space NOT IN ({_OF_STORIES});
DELETE FROM changes WHERE token NOT IN (SELECT token FROM spaces WHERE type = 'story');
UPDATE work SET fingerprint = '', outcome = 'due', attempts = 0, error = NULL
WHERE outcome != 'done' OR space NOT IN ({_OF_STORIES});
UPDATE memories SET live = 0 WHERE space NOT IN ({_OF_STORIES});
"""
_BARE = """
PRAGMA journal_mode = DELETE;
PRAGMA secure_delete = ON;
{}
UPDATE work SET lease = NULL, worker = NULL, leased_until = NULL, due_at = NULL;
DELETE FROM embeddings;
UPDATE model_asks SET embedder_id = '', vectors = '{{}}';
VACUUM;
PRAGMA journal_mode = WAL;
"""


def strip(target: sqlite3.Connection, *, with_vectors: bool) -> None:
    """Take vectors, caches and claims on work out of a copy; `with_vectors` leaves those of stories in it."""
    target.executescript(_BARE.format(_OF_STORIES_ONLY if with_vectors else _WITHOUT))
