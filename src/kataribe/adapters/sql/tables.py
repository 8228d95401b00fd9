"""What the driver must know of the tables: their keys, and the marks of a store.

The tables themselves stand in `schema`; to read and write their rows nothing of it is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping

APPLICATION_ID = 0x6B617461
"""SQLite's application id of a kataribe store: the letters 'kata'."""

BACKUP_ID = 0x6B617462
"""That of a backup in which rows of users are sealed: it is no store until it is restored."""

HEAD = "0022"
"""The newest migration; a test holds it against the migrations folder."""

LAGS = "wanted != '' AND NOT (outcome = 'done' AND fingerprint = wanted)"
"""What is wanted is not what was done; the condition of `ix_work_lagging`, word for word."""

PRIMARY_KEYS: Mapping[str, tuple[str, ...]] = {
    "stories": ("story_id",),
    "users": ("user_id",),
    "spaces": ("space",),
    "turns": ("space", "turn_id"),
    "plain_units": ("space", "unit"),
    "libraries": ("space",),
    "documents": ("space", "name"),
    "characters": ("story_id", "character_id"),
    "cast_said": ("story_id", "character_id"),
    "cast_groups": ("story_id", "group_id"),
    "groups_said": ("story_id", "group_id"),
    "narrations": ("story_id", "character_id", "ordinal"),
    "names": ("story_id", "character_id", "ordinal"),
    "episodes": ("story_id", "episode_id"),
    "episode_versions": ("story_id", "episode_id", "version"),
    "annotations": ("story_id", "episode_id", "ordinal"),
    "facts": ("story_id", "fact_id"),
    "suppressions": ("story_id", "episode_id", "holder", "text_hash"),
    "pins": ("story_id", "episode_id", "fact_id"),
    "mentions": ("story_id", "episode_id", "character_id"),
    "extractions": ("story_id", "episode_id", "fingerprint"),
    "memory_deltas": ("story_id", "delta_id"),
    "memories": ("key",),
    "sources": ("memory_key", "source"),
    "memory_vectors": ("memory_key",),
    "segments": ("key",),
    "revisions": ("name",),
    "changes": ("token", "unit"),
    "fed": ("index_id", "token", "unit"),
    "work": ("space", "kind", "unit"),
    "undo": ("story_id", "number"),
    "checkpoints": ("story_id", "name"),
    "embeddings": ("space", "embedder_id", "text_hash"),
    "uses": ("space", "viewer", "fact_id", "upto"),
    "traces": ("key",),
    "nights": ("user_id", "at"),
    "hand_decisions": ("space", "holder", "memory_id", "at", "what"),
    "tier_values": ("space", "holder", "number"),
    "turn_fates": ("space", "holder", "number"),
    "open_questions": ("space", "holder", "number"),
    "user_profile": ("space", "key", "number"),
    "consent_log": ("space", "key", "number"),
    "privacy_requests": ("space", "digest"),
    "exports": ("space", "path"),
    "exports_gone": ("number",),
    "access_keys": ("key_id",),
    "model_asks": ("space", "holder", "fingerprint"),
    "turn_marks": ("space", "holder", "turn_id"),
    "archive_folders": ("space",),
    "archive_files": ("space", "name"),
    "archive_payloads": ("space", "payload"),
    "archive_gone": ("number",),
    "turn_stubs": ("space", "turn_id"),
    "marks": ("name",),
    "audit": ("chain", "n"),
    "audit_heads": ("chain",),
    "shreds": ("key_id",),
}
"""The primary key of each table; a test holds it against `schema`."""
