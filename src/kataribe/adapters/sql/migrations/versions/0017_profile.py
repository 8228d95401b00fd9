"""A person's profile, and the steps of the consents it rests on."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_OF_SPACE = """
    CONSTRAINT fk_{table}_{column} FOREIGN KEY({column})
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE"""


def upgrade() -> None:
    op.execute(f"""
CREATE TABLE user_profile (
    space TEXT NOT NULL,
    "key" TEXT NOT NULL,
    number INTEGER NOT NULL,
    version TEXT NOT NULL,
    at INTEGER NOT NULL,
    is_personal INTEGER NOT NULL,
    evidence TEXT,
    evidence_space TEXT,
    expires INTEGER,
    value BLOB NOT NULL,
    CONSTRAINT pk_user_profile PRIMARY KEY (space, "key", number),
    {_OF_SPACE.format(table="user_profile", column="space")},
    {_OF_SPACE.format(table="user_profile", column="evidence_space")}
)
    """)
    op.execute(f"""
CREATE TABLE consent_log (
    space TEXT NOT NULL,
    "key" TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    step TEXT NOT NULL,
    evidence TEXT,
    evidence_space TEXT,
    CONSTRAINT pk_consent_log PRIMARY KEY (space, "key", number),
    {_OF_SPACE.format(table="consent_log", column="space")},
    {_OF_SPACE.format(table="consent_log", column="evidence_space")}
)
    """)
    # A story that goes takes its talk along, and each of these asks for the evidence by it.
    for table in ("user_profile", "consent_log"):
        op.execute(f"CREATE INDEX ix_{table}_evidence_space ON {table} (evidence_space)")


def downgrade() -> None:
    for table in ("consent_log", "user_profile"):
        op.execute(f"DROP TABLE {table}")
