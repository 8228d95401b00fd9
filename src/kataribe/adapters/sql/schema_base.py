"""What all tables of the ledger share: their metadata, and the columns by which rows go with others."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def json_column(name: str, *, nullable: bool = True) -> sa.Column[str]:
    """Give a column of JSON."""
    return sa.Column(name, sa.Text, nullable=nullable)


def of_story() -> sa.Column[str]:
    """Give the column that makes a row go with its story."""
    return sa.Column(
        "story_id",
        sa.Text,
        sa.ForeignKey("stories.story_id", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    )


def of_space(*, primary_key: bool = False, name: str = "space", nullable: bool = False) -> sa.Column[str]:
    """Give the column that makes a row go with its space."""
    return sa.Column(
        name,
        sa.Text,
        sa.ForeignKey("spaces.space", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=primary_key,
        nullable=nullable,
    )


def of_episode() -> sa.ForeignKeyConstraint:
    """Give what makes a row go with its episode."""
    return sa.ForeignKeyConstraint(
        ["story_id", "episode_id"],
        ["episodes.story_id", "episodes.episode_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    )
