"""Access keys: who may connect to a server of this store."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE access_keys (
    key_id TEXT NOT NULL,
    space TEXT,
    scope TEXT NOT NULL,
    digest TEXT NOT NULL,
    made_at TEXT NOT NULL,
    persona TEXT,
    upto INTEGER,
    users_from TEXT,
    prefix TEXT,
    CONSTRAINT pk_access_keys PRIMARY KEY (key_id),
    CONSTRAINT fk_access_keys_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("CREATE INDEX ix_access_keys_space ON access_keys (space)")


def downgrade() -> None:
    op.execute("DROP TABLE access_keys")
