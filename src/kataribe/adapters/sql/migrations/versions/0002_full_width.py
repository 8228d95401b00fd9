"""Branches, extractors by story, leases on work, undo of decisions."""

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
    op.create_table(
        "undo",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_undo_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "number", name=op.f("pk_undo")),
    )
    _keep_extractions_by_fingerprint()


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
    op.drop_table("undo")
    # What the kept extractions were made of can be extracted again.
    op.drop_table("extractions")
    op.create_table(
        "extractions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("drafts", sa.Text(), nullable=False),
        *_of_episode(),
        sa.PrimaryKeyConstraint("story_id", "episode_id", name=op.f("pk_extractions")),
    )
    for column in ("due_at", "leased_until", "worker", "lease"):
        op.execute(f"ALTER TABLE work DROP COLUMN {column}")
    for column in ("fork_episode_id", "parent_id", "extractor"):
        op.execute(f"ALTER TABLE stories DROP COLUMN {column}")
