"""What speaks for each holder and how sure a story wants it, narrators, and decisions on scenes."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # In plain SQL: SQLite adds columns in place, Alembic would copy whole tables.
    # A store that exists keeps the rule it has: every guess counts.
    op.execute("ALTER TABLE stories ADD COLUMN audience TEXT DEFAULT 'wide' NOT NULL")
    op.execute("ALTER TABLE annotations ADD COLUMN decided INTEGER")
    op.execute("ALTER TABLE extractions ADD COLUMN unnamed TEXT")
    op.execute("ALTER TABLE memories ADD COLUMN evidence TEXT")
    op.execute("ALTER TABLE memories ADD COLUMN confidence FLOAT")
    op.execute("""
UPDATE memories SET evidence = 'annotated', confidence = 1.0
WHERE kind = 'fact' AND holder != '' AND reason IN ('supplied', 'annotation')
    """)
    op.execute("""
CREATE TABLE narrations (
    story_id TEXT NOT NULL,
    character_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    told_to TEXT,
    CONSTRAINT pk_narrations PRIMARY KEY (story_id, character_id, ordinal),
    CONSTRAINT fk_narrations_story_id_character_id FOREIGN KEY(story_id, character_id)
        REFERENCES characters (story_id, character_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_narrations_story_id FOREIGN KEY(story_id)
        REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)


def downgrade() -> None:
    op.execute("DROP TABLE narrations")
    op.execute("ALTER TABLE memories DROP COLUMN confidence")
    op.execute("ALTER TABLE memories DROP COLUMN evidence")
    op.execute("ALTER TABLE extractions DROP COLUMN unnamed")
    op.execute("ALTER TABLE annotations DROP COLUMN decided")
    op.execute("ALTER TABLE stories DROP COLUMN audience")
