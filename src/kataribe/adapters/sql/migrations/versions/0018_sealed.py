"""What is sealed of turns, and which turns were stored before anything was."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns ADD COLUMN sealed BLOB")
    op.execute("CREATE INDEX ix_turns_sealed ON turns (space, at) WHERE sealed IS NOT NULL")
    op.execute("""
CREATE TABLE plain_units (
    space TEXT NOT NULL,
    unit TEXT NOT NULL,
    CONSTRAINT pk_plain_units PRIMARY KEY (space, unit),
    CONSTRAINT fk_plain_units_space_spaces FOREIGN KEY(space) REFERENCES spaces (space)
        ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("INSERT INTO plain_units (space, unit) SELECT DISTINCT space, unit FROM turns")


def downgrade() -> None:
    op.execute("DROP TABLE plain_units")
    op.execute("DROP INDEX ix_turns_sealed")
    op.execute("ALTER TABLE turns DROP COLUMN sealed")
