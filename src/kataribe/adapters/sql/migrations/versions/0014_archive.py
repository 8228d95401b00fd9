"""An archive of payloads, and stubs of turns whose text has expired."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE tier_values ADD COLUMN payload TEXT")
    op.execute("ALTER TABLE tier_values ADD COLUMN terms TEXT")
    op.execute(
        "CREATE INDEX ix_tier_values_payload ON tier_values (space, payload) WHERE payload IS NOT NULL"
    )
    op.execute("""
CREATE TABLE archive_folders (
    space TEXT NOT NULL,
    folder TEXT NOT NULL,
    CONSTRAINT pk_archive_folders PRIMARY KEY (space),
    CONSTRAINT fk_archive_folders_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE archive_files (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    CONSTRAINT pk_archive_files PRIMARY KEY (space, name),
    CONSTRAINT fk_archive_files_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE archive_payloads (
    space TEXT NOT NULL,
    payload TEXT NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_archive_payloads PRIMARY KEY (space, payload),
    CONSTRAINT fk_archive_payloads_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE archive_gone (
    number INTEGER NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_archive_gone PRIMARY KEY (number)
)
    """)
    op.execute("""
CREATE TRIGGER archive_folder_gone AFTER DELETE ON archive_folders
BEGIN INSERT INTO archive_gone (folder, name) VALUES (old.folder, ''); END
    """)
    op.execute("""
CREATE TRIGGER archive_file_gone AFTER DELETE ON archive_files
BEGIN INSERT INTO archive_gone (folder, name)
SELECT folder, old.name FROM archive_folders WHERE space = old.space; END
    """)
    op.execute("""
CREATE TABLE turn_stubs (
    space TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    embedder_id TEXT NOT NULL,
    vector BLOB,
    value TEXT NOT NULL,
    CONSTRAINT pk_turn_stubs PRIMARY KEY (space, turn_id),
    CONSTRAINT fk_turn_stubs_space FOREIGN KEY(space, turn_id)
        REFERENCES turns (space, turn_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)


def downgrade() -> None:
    """Without what lies in an archive: an older kataribe makes that again from what was said."""
    op.execute("UPDATE work SET fingerprint = '', outcome = 'due' WHERE kind = 'tiers'")
    op.execute("DELETE FROM tier_values WHERE payload IS NOT NULL")
    for trigger in ("archive_folder_gone", "archive_file_gone"):
        op.execute(f"DROP TRIGGER {trigger}")
    for table in ("turn_stubs", "archive_gone", "archive_payloads", "archive_files", "archive_folders"):
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP INDEX ix_tier_values_payload")
    for column in ("terms", "payload"):
        op.execute(f"ALTER TABLE tier_values DROP COLUMN {column}")
