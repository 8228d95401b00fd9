"""What models are asked about what was said, their kept answers, and by which model a user's talk is read."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE users ADD COLUMN model TEXT DEFAULT 'rules' NOT NULL")
    op.execute("ALTER TABLE users ADD COLUMN model_id TEXT DEFAULT 'rules' NOT NULL")
    op.execute("""
CREATE TABLE model_asks (
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,
    ready_at INTEGER NOT NULL,
    turn_ids TEXT NOT NULL,
    asked TEXT NOT NULL,
    answer TEXT,
    embedder_id TEXT NOT NULL,
    vectors TEXT NOT NULL,
    CONSTRAINT pk_model_asks PRIMARY KEY (space, holder, fingerprint),
    CONSTRAINT fk_model_asks_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("CREATE INDEX ix_model_asks_unit ON model_asks (space, unit)")


def downgrade() -> None:
    op.execute("DROP TABLE model_asks")
    op.execute("ALTER TABLE users DROP COLUMN model_id")
    op.execute("ALTER TABLE users DROP COLUMN model")
