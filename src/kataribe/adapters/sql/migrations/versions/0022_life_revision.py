"""Which change of the rows of turns a space stands at, so that what was read of them is kept until the next."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE spaces ADD COLUMN life_revision INTEGER NOT NULL DEFAULT 0")


def downgrade() -> None:
    op.execute("ALTER TABLE spaces DROP COLUMN life_revision")
