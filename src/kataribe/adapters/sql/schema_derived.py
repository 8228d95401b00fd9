"""The tables of what is made of it: extractions, memories, vectors, what has changed and what is to do."""

from __future__ import annotations

import sqlalchemy as sa

from kataribe.adapters.sql.schema_base import json_column, metadata, of_episode, of_space, of_story
from kataribe.adapters.sql.tables import LAGS

extractions = sa.Table(
    "extractions",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.Text, primary_key=True),
    json_column("drafts", nullable=False),
    json_column("refused", nullable=False),
    sa.Column("usage", sa.Text, comment="JSON of what was asked of models; null: nothing"),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("unnamed", sa.Text, comment="JSON of the parts an unnamed first person tells; null: none"),
    of_episode(),
)

memory_deltas = sa.Table(
    "memory_deltas",
    metadata,
    of_story(),
    sa.Column("delta_id", sa.Text, primary_key=True),
    sa.Column("episode_id", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("character_id", sa.Text, nullable=False),
    json_column("facts", nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("deleted_at", sa.Text),
    of_episode(),
    sa.Index("ix_memory_deltas_episode", "story_id", "episode_id"),
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("key", sa.Integer, primary_key=True),
    of_space(),
    sa.Column("unit", sa.Text, nullable=False, comment="what it is made together with"),
    sa.Column("holder", sa.Text, nullable=False, comment="world, a character or persona; empty: in review"),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("live", sa.Boolean, nullable=False),
    sa.Column("session", sa.Text, comment="of a turn; of a sentence of a text: its episode"),
    sa.Column("speaker", sa.Text, comment="of a turn"),
    sa.Column("memory_id", sa.Text, nullable=False),
    sa.Column("fact_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("flagged", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fact_index", sa.Integer, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("quote", sa.Text),
    sa.Column("quote_no", sa.Integer),
    sa.Column("quote_start", sa.Integer),
    sa.Column("quote_end", sa.Integer),
    sa.Column("importance", sa.Integer, nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("arousal", sa.Float),
    sa.Column("supersedes", sa.Text),
    sa.Column("told_from", sa.Text),
    json_column("fields", nullable=False),
    sa.Column("evidence", sa.Text, comment="what speaks for its holder; null: nobody said"),
    sa.Column("confidence", sa.Float, comment="0 to 1; null: nobody said"),
    sa.Index("ix_memories_gate", "space", "holder", "live", "position", "fact_id"),
    sa.Index("uq_memories_id", "space", "memory_id", unique=True),
    sa.Index("ix_memories_unit", "space", "unit"),
    sa.Index("ix_memories_fact", "space", "fact_id"),
    sa.Index(
        "ix_memories_session",
        "space",
        "session",
        "holder",
        "position",
        "place",
        "fact_id",
        sqlite_where=sa.text("session IS NOT NULL"),
    ),
    sa.Index(
        "ix_memories_speaker",
        "space",
        "holder",
        "speaker",
        "position",
        sqlite_where=sa.text("speaker IS NOT NULL"),
    ),
    sa.Index(
        "ix_memories_supersedes",
        "space",
        "holder",
        "position",
        sqlite_where=sa.text("supersedes IS NOT NULL"),
    ),
)

sources = sa.Table(
    "sources",
    metadata,
    sa.Column("memory_key", sa.Integer, sa.ForeignKey("memories.key", ondelete="CASCADE"), primary_key=True),
    sa.Column("source", sa.Text, primary_key=True, comment="id of a memory it is derived from"),
    of_space(),
    sa.Index("ix_sources_source", "space", "source"),
)

memory_vectors = sa.Table(
    "memory_vectors",
    metadata,
    sa.Column("memory_key", sa.Integer, sa.ForeignKey("memories.key", ondelete="CASCADE"), primary_key=True),
    of_space(),
    sa.Column("vector_id", sa.Text, nullable=False),
    sa.Column("delta_id", sa.Text, comment="of a fact, and the episode it was told in"),
    sa.Column("episode_id", sa.Text),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("character_id", sa.Text, nullable=False),
    sa.Column("fact_index", sa.Integer, nullable=False),
    sa.Column("embedder_id", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("segment_key", sa.Integer, nullable=False, comment="where its vector lies"),
    sa.Column("slot", sa.Integer, nullable=False, comment="its row in the segment"),
    sa.Index("ix_memory_vectors_text", "space", "embedder_id", "text_hash"),
)

segments = sa.Table(
    "segments",
    metadata,
    sa.Column("key", sa.Integer, primary_key=True),
    of_space(),
    sa.Column("unit", sa.Text, nullable=False),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, comment="of its first row"),
    sa.Column("positions", sa.LargeBinary, comment="int64 of each row; null: all at `position`"),
    sa.Column("live", sa.Boolean, nullable=False),
    sa.Column("memory_keys", sa.LargeBinary, nullable=False, comment="int64; all numbers little endian"),
    sa.Column("fact_ids", sa.Text, nullable=False, comment="separated by line feeds, in order"),
    sa.Column("pinned", sa.LargeBinary, nullable=False, comment="a byte each"),
    sa.Column("vectors", sa.LargeBinary, nullable=False, comment="float32, row by row"),
    sa.Column("lengths", sa.LargeBinary, nullable=False, comment="uint32: terms of each row"),
    sa.Column("hashes", sa.LargeBinary, nullable=False, comment="uint64: postings, by term, then row"),
    sa.Column("rows", sa.LargeBinary, nullable=False, comment="uint32"),
    sa.Column("counts", sa.LargeBinary, nullable=False, comment="uint32"),
    sa.Index("ix_segments_gate", "space", "holder", "live", "position"),
    sa.Index("ix_segments_unit", "space", "unit"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False, comment="counts up with every writing transaction"),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column(
        "token",
        sa.Text,
        sa.ForeignKey("spaces.token", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    sa.Column("unit", sa.Text, primary_key=True, comment="empty: all of the space"),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_changes_revision", "token", "revision"),
)

fed = sa.Table(
    "fed",
    metadata,
    sa.Column("index_id", sa.Text, primary_key=True, comment="which index outside the store"),
    sa.Column("token", sa.Text, primary_key=True, comment="of a space, which may be gone by now"),
    sa.Column("unit", sa.Text, primary_key=True, comment="empty: all of the space, up to the revision"),
    sa.Column("revision", sa.Integer, nullable=False, comment="of the change log, when it was fed"),
    json_column("ids", nullable=False),
)

work = sa.Table(
    "work",
    metadata,
    of_space(primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False, comment="what comes first is done first"),
    sa.Column(
        "wanted", sa.Text, nullable=False, comment="fingerprint of its inputs; empty: nothing is wanted"
    ),
    sa.Column("fingerprint", sa.Text, nullable=False, comment="what the outcome is of"),
    sa.Column("outcome", sa.Text, nullable=False, comment="done, failed, dead, dropped or due"),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("lease", sa.Text, comment="token of who works on it"),
    sa.Column("worker", sa.Text, comment="who that is, for people"),
    sa.Column("leased_until", sa.Float, comment="seconds since 1970, UTC"),
    sa.Column("due_at", sa.Float, comment="not to be tried again before; seconds since 1970, UTC"),
    sa.Index("ix_work_lease", "lease", sqlite_where=sa.text("lease IS NOT NULL")),
    sa.Index("ix_work_lagging", "space", "kind", "position", "unit", sqlite_where=sa.text(LAGS)),
)
