"""The record of what was done, and what ties a store to its key store."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE marks (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_marks PRIMARY KEY (name)
)
    """)

    op.execute("""
CREATE TABLE audit (
    chain TEXT NOT NULL,
    n INTEGER NOT NULL,
    at TEXT NOT NULL,
    act TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT pk_audit PRIMARY KEY (chain, n)
)
    """)

    op.execute("""
CREATE TABLE audit_heads (
    chain TEXT NOT NULL,
    length INTEGER NOT NULL,
    head TEXT NOT NULL,
    CONSTRAINT pk_audit_heads PRIMARY KEY (chain)
)
    """)

    op.execute("""
CREATE TABLE shreds (
    key_id TEXT NOT NULL,
    salt TEXT NOT NULL,
    digest TEXT NOT NULL,
    at TEXT NOT NULL,
    counts TEXT NOT NULL,
    CONSTRAINT pk_shreds PRIMARY KEY (key_id)
)
    """)


def downgrade() -> None:
    for table in ("shreds", "audit_heads", "audit", "marks"):
        op.execute(f"DROP TABLE {table}")
