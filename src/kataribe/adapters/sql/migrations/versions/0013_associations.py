"""What each turn names, for what goes with what; all turns that are there are to be read for it."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE turn_marks (
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    unit TEXT NOT NULL,
    position INTEGER NOT NULL,
    marks TEXT NOT NULL,
    CONSTRAINT pk_turn_marks PRIMARY KEY (space, holder, turn_id),
    CONSTRAINT fk_turn_marks_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("CREATE INDEX ix_turn_marks_unit ON turn_marks (space, unit)")
    op.execute("CREATE INDEX ix_turn_marks_position ON turn_marks (space, holder, position)")
    op.execute("""
INSERT INTO work (space, kind, unit, position, wanted, fingerprint, outcome, attempts)
SELECT space, 'associations', unit, position, wanted, '', 'due', 0
FROM work WHERE kind = 'turns' AND wanted != ''
    """)


def downgrade() -> None:
    op.execute("DELETE FROM work WHERE kind = 'associations'")
    op.execute("DROP TABLE turn_marks")
