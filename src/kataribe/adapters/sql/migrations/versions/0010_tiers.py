"""Conversation memory in tiers: recorded nights, decisions by hand, and the rows that come of them."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE nights (
    user_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    policy TEXT NOT NULL,
    CONSTRAINT pk_nights PRIMARY KEY (user_id, at),
    CONSTRAINT fk_nights_user_id FOREIGN KEY(user_id)
        REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    op.execute("""
CREATE TABLE hand_decisions (
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    what TEXT NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT pk_hand_decisions PRIMARY KEY (space, holder, memory_id, at, what),
    CONSTRAINT fk_hand_decisions_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """)
    for table, key in (
        ("tier_values", "memory_id"),
        ("turn_fates", "turn_id"),
        ("open_questions", "turn_id"),
    ):
        op.execute(f"""
CREATE TABLE {table} (
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    number INTEGER NOT NULL,
    {key} TEXT NOT NULL,
    position INTEGER NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_{table} PRIMARY KEY (space, holder, number),
    CONSTRAINT fk_{table}_space FOREIGN KEY(space)
        REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
        """)


def downgrade() -> None:
    for table in ("open_questions", "turn_fates", "tier_values", "hand_decisions", "nights"):
        op.execute(f"DROP TABLE {table}")
