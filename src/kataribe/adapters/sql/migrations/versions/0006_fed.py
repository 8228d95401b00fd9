"""What an index outside the store was fed, so that it can be told what to forget."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE fed (
    index_id TEXT NOT NULL,
    token TEXT NOT NULL,
    unit TEXT NOT NULL,
    revision INTEGER NOT NULL,
    ids TEXT NOT NULL,
    CONSTRAINT pk_fed PRIMARY KEY (index_id, token, unit)
)
    """)


def downgrade() -> None:
    op.execute("DROP TABLE fed")
