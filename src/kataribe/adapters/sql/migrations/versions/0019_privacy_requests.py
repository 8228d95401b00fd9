"""What is kept of the tokens by which a person confirms an export or an erasure, and of files written of one."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE privacy_requests (
    space TEXT NOT NULL,
    digest TEXT NOT NULL,
    salt TEXT NOT NULL,
    action TEXT NOT NULL,
    until INTEGER NOT NULL,
    CONSTRAINT pk_privacy_requests PRIMARY KEY (space, digest),
    CONSTRAINT fk_privacy_requests_space_spaces FOREIGN KEY(space) REFERENCES spaces (space)
        ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE exports (
    space TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    CONSTRAINT pk_exports PRIMARY KEY (space, path),
    CONSTRAINT fk_exports_space_spaces FOREIGN KEY(space) REFERENCES spaces (space)
        ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE exports_gone (
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    CONSTRAINT pk_exports_gone PRIMARY KEY (number)
)
    """)
    op.execute("""
CREATE TRIGGER export_gone AFTER DELETE ON exports
BEGIN INSERT INTO exports_gone (path, sha256) VALUES (old.path, old.sha256); END
    """)


def downgrade() -> None:
    op.execute("DROP TRIGGER export_gone")
    for table in ("exports_gone", "exports", "privacy_requests"):
        op.execute(f"DROP TABLE {table}")
