"""Groups of characters, and what the cast file said of characters and groups when it was last imported."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE cast_said (
    story_id TEXT NOT NULL,
    character_id TEXT NOT NULL,
    said TEXT NOT NULL,
    CONSTRAINT pk_cast_said PRIMARY KEY (story_id, character_id),
    CONSTRAINT fk_cast_said_story_id FOREIGN KEY(story_id)
        REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)

    for table in ("cast_groups", "groups_said"):
        op.execute(f"""
CREATE TABLE {table} (
    story_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    said TEXT NOT NULL,
    CONSTRAINT pk_{table} PRIMARY KEY (story_id, group_id),
    CONSTRAINT fk_{table}_story_id FOREIGN KEY(story_id)
        REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
)
        """)


def downgrade() -> None:
    for table in ("groups_said", "cast_groups", "cast_said"):
        op.execute(f"DROP TABLE {table}")
