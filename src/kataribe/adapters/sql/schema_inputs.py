"""The tables of what is told and said: stories, casts, episodes, facts, turns and documents are the truth."""

from __future__ import annotations

import sqlalchemy as sa

from kataribe.adapters.sql.schema_base import json_column, metadata, of_episode, of_space, of_story

stories = sa.Table(
    "stories",
    metadata,
    sa.Column("story_id", sa.Text, primary_key=True),
    sa.Column("title", sa.Text),
    sa.Column("language_told", sa.Boolean, nullable=False),
    sa.Column("extractor_id", sa.Text, nullable=False),
    json_column("extra", nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column(
        "extractor", sa.Text, nullable=False, server_default="rules", comment="rules or provider:model"
    ),
    sa.Column("parent_id", sa.Text, comment="the story this one is a branch of"),
    sa.Column("fork_episode_id", sa.Text, comment="the parent's last episode that the branch reads"),
    sa.Column(
        "audience",
        sa.Text,
        nullable=False,
        server_default="wide",
        comment="how sure a guess must be: strict, evident or wide",
    ),
)

users = sa.Table(
    "users",
    metadata,
    sa.Column("user_id", sa.Text, primary_key=True),
    json_column("extra", nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False, server_default="rules", comment="sums up what was said"),
    sa.Column("model_id", sa.Text, nullable=False, server_default="rules"),
)

spaces = sa.Table(
    "spaces",
    metadata,
    sa.Column("space", sa.Text, primary_key=True, comment="its name, as `domain.space` writes it"),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("token", sa.Text, nullable=False, comment="what the change log calls it: says nothing of it"),
    sa.Column("story_id", sa.Text, sa.ForeignKey("stories.story_id", ondelete="CASCADE", onupdate="CASCADE")),
    sa.Column("user_id", sa.Text, sa.ForeignKey("users.user_id", ondelete="CASCADE", onupdate="CASCADE")),
    sa.Column("place", sa.Text, comment="of a talk: the episode it was held at, or after"),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("embedder", sa.Text, nullable=False),
    sa.Column("embedder_id", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False, comment="of the last change of its inputs"),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column(
        "life_revision",
        sa.Integer,
        nullable=False,
        server_default=sa.text("0"),
        comment="of the last change of how its turns stand",
    ),
    sa.Index("uq_spaces_token", "token", unique=True),
    sa.Index("ix_spaces_story", "story_id", "type"),
    sa.Index("ix_spaces_user", "user_id", "type"),
)

turns = sa.Table(
    "turns",
    metadata,
    of_space(primary_key=True),
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("session", sa.Text, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False, comment="orders turns of one session and moment"),
    sa.Column("speaker", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("caption", sa.Text, comment="of a picture that came with it"),
    sa.Column("time", sa.Text, nullable=False, comment="as it was given, with its zone"),
    sa.Column("at", sa.Integer, nullable=False, comment="milliseconds since 1970, UTC"),
    json_column("held_by"),
    sa.Column("arousal", sa.Float),
    sa.Column("unit", sa.Text, nullable=False, comment="what it is remembered with: turns of one day in UTC"),
    json_column("extra", nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("role", sa.Text, comment="user, persona, system or other; null: the names tell"),
    sa.Column("sealed", sa.LargeBinary, comment="its words as they were said, where tokens stand for some"),
    sa.Index("ix_turns_unit", "space", "unit"),
    sa.Index("ix_turns_time", "space", "at", "session", "ordinal", "turn_id"),
    sa.Index("ix_turns_sealed", "space", "at", sqlite_where=sa.text("sealed IS NOT NULL")),
)

plain_units = sa.Table(
    "plain_units",
    metadata,
    of_space(primary_key=True),
    sa.Column(
        "unit", sa.Text, primary_key=True, comment="stored before turns were sealed, and not looked at"
    ),
)

libraries = sa.Table(
    "libraries",
    metadata,
    of_space(primary_key=True),
    sa.Column("library_id", sa.Text, nullable=False),
    sa.Column("language_told", sa.Boolean, nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    of_space(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("source_hash", sa.Text, nullable=False, comment="of the file's bytes"),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    json_column("sections", nullable=False),
    json_column("pages", nullable=False),
    json_column("empty_pages", nullable=False),
    sa.Column("added_at", sa.Text, nullable=False),
)

characters = sa.Table(
    "characters",
    metadata,
    of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, nullable=False),
    json_column("extra", nullable=False),
)

names = sa.Table(
    "names",
    metadata,
    of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("role", sa.Text, nullable=False, comment="alias or description"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("since", sa.Integer, nullable=False),
    json_column("known_by"),
    json_column("extra", nullable=False),
    sa.ForeignKeyConstraint(
        ["story_id", "character_id"],
        ["characters.story_id", "characters.character_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    ),
)

cast_said = sa.Table(
    "cast_said",
    metadata,
    of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="what the cast file said at its last import"),
)

cast_groups = sa.Table(
    "cast_groups",
    metadata,
    of_story(),
    sa.Column("group_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="its members with their times, as JSON"),
)

groups_said = sa.Table(
    "groups_said",
    metadata,
    of_story(),
    sa.Column("group_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="what the cast file said at its last import"),
)

narrations = sa.Table(
    "narrations",
    metadata,
    of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("since", sa.Integer, nullable=False, comment="number of the first episode it tells"),
    sa.Column("until", sa.Integer, nullable=False, comment="and of the last"),
    json_column("told_to"),
    sa.ForeignKeyConstraint(
        ["story_id", "character_id"],
        ["characters.story_id", "characters.character_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    ),
)

episodes = sa.Table(
    "episodes",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("no", sa.Integer, nullable=False),
    sa.Column("order_key", sa.Integer, nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fact_source", sa.Text, nullable=False),
    json_column("paragraphs"),
    json_column("base", nullable=False),
    json_column("extra", nullable=False),
    sa.Column("notes_hash", sa.Text, nullable=False, comment="of annotations and paragraph cuts"),
    sa.Column("rows_hash", sa.Text, nullable=False, comment="of facts and decisions"),
    sa.Column("annotated", sa.Boolean, nullable=False, comment="has annotations or inline marks"),
    sa.Column("deleted_at", sa.Text),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Index(
        "uq_episodes_live_no", "story_id", "no", unique=True, sqlite_where=sa.text("deleted_at IS NULL")
    ),
    sa.Index("ix_episodes_no", "story_id", "no", "order_key"),
    sa.Index(
        "ix_episodes_annotated", "story_id", "no", sqlite_where=sa.text("deleted_at IS NULL AND annotated")
    ),
    sa.Index("uq_episodes_order_key", "story_id", "order_key", unique=True),
)

episode_versions = sa.Table(
    "episode_versions",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("title", sa.Text),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    of_episode(),
)

notes = sa.Table(
    "annotations",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("paragraph_id", sa.Text),
    sa.Column("paragraph_hash", sa.Text),
    json_column("known_by"),
    json_column("extra", nullable=False),
    sa.Column("decided", sa.Integer, comment="made in review: which of the equal paragraphs, from 0 on"),
    of_episode(),
)

facts = sa.Table(
    "facts",
    metadata,
    of_story(),
    sa.Column("fact_id", sa.Text, primary_key=True),
    sa.Column("episode_id", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("quote", sa.Text),
    sa.Column("quote_no", sa.Integer, comment="another episode's number; null: the fact's own"),
    sa.Column("importance", sa.Integer, nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("supersedes", sa.Text),
    sa.Column("told_from", sa.Text),
    json_column("known_by"),
    json_column("extra", nullable=False),
    sa.Column("arousal", sa.Float, comment="0 to 1; null: nobody said"),
    of_episode(),
    sa.Index("ix_facts_episode", "story_id", "episode_id"),
)

suppressions = sa.Table(
    "suppressions",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("text_hash", sa.Text, primary_key=True),
    of_episode(),
)

pins = sa.Table(
    "pins",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("fact_id", sa.Text, primary_key=True),
    of_episode(),
)

mentions = sa.Table(
    "mentions",
    metadata,
    of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("character_id", sa.Text, primary_key=True),
    of_episode(),
    sa.Index("ix_mentions_character", "story_id", "character_id", "episode_id"),
)
