"""Libraries, and the documents in them."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE libraries (
    space TEXT NOT NULL,
    library_id TEXT NOT NULL,
    language_told BOOLEAN NOT NULL,
    CONSTRAINT pk_libraries PRIMARY KEY (space),
    CONSTRAINT fk_libraries_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)

    op.execute("""
CREATE TABLE documents (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    source_hash TEXT NOT NULL,
    characters INTEGER NOT NULL,
    text TEXT NOT NULL,
    sections TEXT NOT NULL,
    pages TEXT NOT NULL,
    empty_pages TEXT NOT NULL,
    added_at TEXT NOT NULL,
    CONSTRAINT pk_documents PRIMARY KEY (space, name),
    CONSTRAINT fk_documents_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)


def downgrade() -> None:
    op.execute("DELETE FROM spaces WHERE type = 'kb'")
    for table in ("documents", "libraries"):
        op.execute(f"DROP TABLE {table}")
