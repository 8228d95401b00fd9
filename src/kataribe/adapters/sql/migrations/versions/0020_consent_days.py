"""For how long a user wants what is said to be kept."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE consent_log ADD COLUMN days INTEGER")
    op.execute("ALTER TABLE consent_log ADD COLUMN spares INTEGER DEFAULT '0' NOT NULL")


def downgrade() -> None:
    for column in ("spares", "days"):
        op.execute(f"ALTER TABLE consent_log DROP COLUMN {column}")
