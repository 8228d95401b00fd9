"""In which part a speaker speaks: user, persona, system or somebody else."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns ADD COLUMN role TEXT")


def downgrade() -> None:
    op.execute("ALTER TABLE turns DROP COLUMN role")
