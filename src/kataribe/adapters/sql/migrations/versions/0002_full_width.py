"""Branches, extractors by story, leases on work, undo of decisions, vectors and postings in segments."""

from hashlib import blake2b
from itertools import groupby

import numpy as np
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # In plain SQL: SQLite adds columns in place, Alembic would copy whole tables.
    op.execute("ALTER TABLE stories ADD COLUMN extractor TEXT DEFAULT 'rules' NOT NULL")
    op.execute("ALTER TABLE stories ADD COLUMN parent_id TEXT")
    op.execute("ALTER TABLE stories ADD COLUMN fork_episode_id TEXT")
    for column in ("lease TEXT", "worker TEXT", "leased_until FLOAT", "due_at FLOAT"):
        op.execute(f"ALTER TABLE work ADD COLUMN {column}")
    op.execute("CREATE INDEX ix_work_lease ON work (lease) WHERE lease IS NOT NULL")
    op.execute("CREATE INDEX ix_episodes_no ON episodes (story_id, no, order_key)")
    op.execute(
        "CREATE INDEX ix_episodes_annotated ON episodes (story_id, no) WHERE deleted_at IS NULL AND annotated"
    )
    op.execute(
        "CREATE INDEX ix_episodes_lagging ON episodes (story_id, no) WHERE deleted_at IS NULL AND NOT visible"
    )
    op.create_table(
        "undo",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_undo_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "number", name=op.f("pk_undo")),
    )
    _create_segments()
    _pack_segments()
    op.execute("ALTER TABLE memory_vectors DROP COLUMN vector")
    op.execute("ALTER TABLE memories DROP COLUMN terms")
    _keep_extractions_by_fingerprint()


def _create_segments() -> None:
    op.create_table(
        "segments",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("memory_keys", sa.LargeBinary(), nullable=False),
        sa.Column("fact_ids", sa.Text(), nullable=False),
        sa.Column("pinned", sa.LargeBinary(), nullable=False),
        sa.Column("vectors", sa.LargeBinary(), nullable=False),
        sa.Column("lengths", sa.LargeBinary(), nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_segments_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_segments")),
    )
    op.create_index("ix_segments_gate", "segments", ["space", "holder", "live", "position"])
    op.create_index("ix_segments_episode", "segments", ["story_id", "episode_id"])
    op.create_table(
        "revisions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_revisions")),
    )
    op.create_table(
        "changes",
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("space", "unit", name=op.f("pk_changes")),
    )
    op.create_index("ix_changes_revision", "changes", ["space", "revision"])
    op.create_index("ix_mentions_character", "mentions", ["story_id", "character_id", "episode_id"])
    for column in ("segment_key", "slot"):
        op.execute(f"ALTER TABLE memory_vectors ADD COLUMN {column} INTEGER DEFAULT '0' NOT NULL")


_OLD = """
SELECT m.story_id, m.episode_id, m.space, m.holder, m.position, m.live, m.key, m.fact_id, m.pinned,
       m.terms, v.vector
FROM memories m JOIN memory_vectors v ON v.memory_key = m.key
ORDER BY m.story_id, m.episode_id, m.holder, m.fact_id
"""


def _pack_segments() -> None:
    connection = op.get_bind()
    driver = connection.connection.driver_connection
    assert driver is not None
    # Shown and hidden memories of one episode and holder are all of the same sort.
    for head, group in groupby(driver.execute(_OLD).fetchall(), key=lambda row: row[:6]):
        rows = [row[6:] for row in group]
        documents = [row[3][1:-1].split("\n\n") if row[3] else [] for row in rows]
        found = sorted(
            (_hash(term), at, terms.count(term)) for at, terms in enumerate(documents) for term in set(terms)
        )
        columns = np.array(found, dtype=np.uint64).reshape(len(found), 3)
        values = (
            *head,
            np.array([row[0] for row in rows], dtype="<i8").tobytes(),
            "\n".join(row[1] for row in rows),
            bytes(bool(row[2]) for row in rows),
            b"".join(row[4] for row in rows),
            np.array([len(terms) for terms in documents], dtype="<u4").tobytes(),
            columns[:, 0].astype("<u8").tobytes(),
            columns[:, 1].astype("<u4").tobytes(),
            columns[:, 2].astype("<u4").tobytes(),
        )
        segment = driver.execute(
            "INSERT INTO segments (story_id, episode_id, space, holder, position, live, memory_keys, "
            "fact_ids, pinned, vectors, lengths, hashes, rows, counts) "
            "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            values,
        ).lastrowid
        driver.executemany(
            "UPDATE memory_vectors SET segment_key = ?, slot = ? WHERE memory_key = ?",
            [(segment, slot, row[0]) for slot, row in enumerate(rows)],
        )


def _hash(term: str) -> int:
    return int.from_bytes(blake2b(term.encode("utf-8"), digest_size=8).digest(), "little")


def _keep_extractions_by_fingerprint() -> None:
    # A primary key cannot be altered in SQLite: the table is made anew and its rows copied.
    op.execute("ALTER TABLE extractions RENAME TO extractions_before")
    op.create_table(
        "extractions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("drafts", sa.Text(), nullable=False),
        sa.Column("refused", sa.Text(), nullable=False),
        sa.Column("usage", sa.Text()),
        sa.Column("made_at", sa.Text(), nullable=False),
        *_of_episode(),
        sa.PrimaryKeyConstraint("story_id", "episode_id", "fingerprint", name=op.f("pk_extractions")),
    )
    op.execute(
        "INSERT INTO extractions (story_id, episode_id, fingerprint, drafts, refused, made_at) "
        "SELECT x.story_id, x.episode_id, x.fingerprint, x.drafts, '[]', e.created_at "
        "FROM extractions_before x JOIN episodes e ON e.story_id = x.story_id AND e.episode_id = x.episode_id"
    )
    op.drop_table("extractions_before")


def _of_episode() -> tuple[sa.ForeignKeyConstraint, ...]:
    return (
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_extractions_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_extractions_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    raise RuntimeError("there is no way back from packed segments; use a backup made before")
