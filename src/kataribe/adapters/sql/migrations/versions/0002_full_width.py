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


def downgrade() -> None:
    op.drop_table("undo")
    for column in ("due_at", "leased_until", "worker", "lease"):
        op.execute(f"ALTER TABLE work DROP COLUMN {column}")
    for column in ("fork_episode_id", "parent_id", "extractor"):
        op.execute(f"ALTER TABLE stories DROP COLUMN {column}")
