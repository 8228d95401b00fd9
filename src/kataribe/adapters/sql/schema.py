"""The tables of the ledger: the whole schema, in one place.

A story's inputs (texts, cast, annotations, facts, decisions), a user's turns and a library's
documents are the truth; deltas, memories, vectors and extractions are derived from them and may be made
again at any time. Episode numbers live in `episodes` alone, so that inserting and renumbering rewrite
no memory.

What is derived is kept by space, and goes with it by foreign key; a space goes with the story
and the user it belongs to.
"""

from __future__ import annotations

import sqlalchemy as sa

from kataribe.adapters.sql.tables import APPLICATION_ID, HEAD, LAGS

__all__ = ["APPLICATION_ID", "HEAD", "LAGS", "metadata"]

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _json(name: str, *, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _of_story() -> sa.Column[str]:
    return sa.Column(
        "story_id",
        sa.Text,
        sa.ForeignKey("stories.story_id", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    )


def _of_space(*, primary_key: bool = False, name: str = "space", nullable: bool = False) -> sa.Column[str]:
    return sa.Column(
        name,
        sa.Text,
        sa.ForeignKey("spaces.space", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=primary_key,
        nullable=nullable,
    )


def _of_episode() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["story_id", "episode_id"],
        ["episodes.story_id", "episodes.episode_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    )


stories = sa.Table(
    "stories",
    metadata,
    sa.Column("story_id", sa.Text, primary_key=True),
    sa.Column("title", sa.Text),
    sa.Column("language_told", sa.Boolean, nullable=False),
    sa.Column("extractor_id", sa.Text, nullable=False),
    _json("extra", nullable=False),
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
    _json("extra", nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
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
    sa.Index("uq_spaces_token", "token", unique=True),
    sa.Index("ix_spaces_story", "story_id", "type"),
    sa.Index("ix_spaces_user", "user_id", "type"),
)

turns = sa.Table(
    "turns",
    metadata,
    _of_space(primary_key=True),
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("session", sa.Text, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False, comment="orders turns of one session and moment"),
    sa.Column("speaker", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("caption", sa.Text, comment="of a picture that came with it"),
    sa.Column("time", sa.Text, nullable=False, comment="as it was given, with its zone"),
    sa.Column("at", sa.Integer, nullable=False, comment="milliseconds since 1970, UTC"),
    _json("held_by"),
    sa.Column("arousal", sa.Float),
    sa.Column("unit", sa.Text, nullable=False, comment="what it is remembered with: turns of one day in UTC"),
    _json("extra", nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("role", sa.Text, comment="user, persona, system or other; null: the names tell"),
    sa.Index("ix_turns_unit", "space", "unit"),
    sa.Index("ix_turns_time", "space", "at", "session", "ordinal", "turn_id"),
)

libraries = sa.Table(
    "libraries",
    metadata,
    _of_space(primary_key=True),
    sa.Column("library_id", sa.Text, nullable=False),
    sa.Column("language_told", sa.Boolean, nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    _of_space(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("source_hash", sa.Text, nullable=False, comment="of the file's bytes"),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    _json("sections", nullable=False),
    _json("pages", nullable=False),
    _json("empty_pages", nullable=False),
    sa.Column("added_at", sa.Text, nullable=False),
)

characters = sa.Table(
    "characters",
    metadata,
    _of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, nullable=False),
    _json("extra", nullable=False),
)

names = sa.Table(
    "names",
    metadata,
    _of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("role", sa.Text, nullable=False, comment="alias or description"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("since", sa.Integer, nullable=False),
    _json("known_by"),
    _json("extra", nullable=False),
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
    _of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="what the cast file said at its last import"),
)

cast_groups = sa.Table(
    "cast_groups",
    metadata,
    _of_story(),
    sa.Column("group_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="its members with their times, as JSON"),
)

groups_said = sa.Table(
    "groups_said",
    metadata,
    _of_story(),
    sa.Column("group_id", sa.Text, primary_key=True),
    sa.Column("said", sa.Text, nullable=False, comment="what the cast file said at its last import"),
)

narrations = sa.Table(
    "narrations",
    metadata,
    _of_story(),
    sa.Column("character_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("since", sa.Integer, nullable=False, comment="number of the first episode it tells"),
    sa.Column("until", sa.Integer, nullable=False, comment="and of the last"),
    _json("told_to"),
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
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("no", sa.Integer, nullable=False),
    sa.Column("order_key", sa.Integer, nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fact_source", sa.Text, nullable=False),
    _json("paragraphs"),
    _json("base", nullable=False),
    _json("extra", nullable=False),
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
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("title", sa.Text),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    _of_episode(),
)

notes = sa.Table(
    "annotations",
    metadata,
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("paragraph_id", sa.Text),
    sa.Column("paragraph_hash", sa.Text),
    _json("known_by"),
    _json("extra", nullable=False),
    sa.Column("decided", sa.Integer, comment="made in review: which of the equal paragraphs, from 0 on"),
    _of_episode(),
)

facts = sa.Table(
    "facts",
    metadata,
    _of_story(),
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
    _json("known_by"),
    _json("extra", nullable=False),
    sa.Column("arousal", sa.Float, comment="0 to 1; null: nobody said"),
    _of_episode(),
    sa.Index("ix_facts_episode", "story_id", "episode_id"),
)

suppressions = sa.Table(
    "suppressions",
    metadata,
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("text_hash", sa.Text, primary_key=True),
    _of_episode(),
)

pins = sa.Table(
    "pins",
    metadata,
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("fact_id", sa.Text, primary_key=True),
    _of_episode(),
)

mentions = sa.Table(
    "mentions",
    metadata,
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("character_id", sa.Text, primary_key=True),
    _of_episode(),
    sa.Index("ix_mentions_character", "story_id", "character_id", "episode_id"),
)

extractions = sa.Table(
    "extractions",
    metadata,
    _of_story(),
    sa.Column("episode_id", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.Text, primary_key=True),
    _json("drafts", nullable=False),
    _json("refused", nullable=False),
    sa.Column("usage", sa.Text, comment="JSON of what was asked of models; null: nothing"),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("unnamed", sa.Text, comment="JSON of the parts an unnamed first person tells; null: none"),
    _of_episode(),
)

memory_deltas = sa.Table(
    "memory_deltas",
    metadata,
    _of_story(),
    sa.Column("delta_id", sa.Text, primary_key=True),
    sa.Column("episode_id", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("character_id", sa.Text, nullable=False),
    _json("facts", nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("deleted_at", sa.Text),
    _of_episode(),
    sa.Index("ix_memory_deltas_episode", "story_id", "episode_id"),
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("key", sa.Integer, primary_key=True),
    _of_space(),
    sa.Column("unit", sa.Text, nullable=False, comment="what it is made together with"),
    sa.Column("holder", sa.Text, nullable=False, comment="world, a character or persona; empty: in review"),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("live", sa.Boolean, nullable=False),
    sa.Column("session", sa.Text, comment="of a turn; of a sentence of a text: its episode"),
    sa.Column("speaker", sa.Text, comment="of a turn"),
    sa.Column("memory_id", sa.Text, nullable=False),
    sa.Column("fact_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("flagged", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fact_index", sa.Integer, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("quote", sa.Text),
    sa.Column("quote_no", sa.Integer),
    sa.Column("quote_start", sa.Integer),
    sa.Column("quote_end", sa.Integer),
    sa.Column("importance", sa.Integer, nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("arousal", sa.Float),
    sa.Column("supersedes", sa.Text),
    sa.Column("told_from", sa.Text),
    _json("fields", nullable=False),
    sa.Column("evidence", sa.Text, comment="what speaks for its holder; null: nobody said"),
    sa.Column("confidence", sa.Float, comment="0 to 1; null: nobody said"),
    sa.Index("ix_memories_gate", "space", "holder", "live", "position", "fact_id"),
    sa.Index("uq_memories_id", "space", "memory_id", unique=True),
    sa.Index("ix_memories_unit", "space", "unit"),
    sa.Index("ix_memories_fact", "space", "fact_id"),
    sa.Index(
        "ix_memories_session",
        "space",
        "session",
        "holder",
        "position",
        "place",
        "fact_id",
        sqlite_where=sa.text("session IS NOT NULL"),
    ),
    sa.Index(
        "ix_memories_speaker",
        "space",
        "holder",
        "speaker",
        "position",
        sqlite_where=sa.text("speaker IS NOT NULL"),
    ),
    sa.Index(
        "ix_memories_supersedes",
        "space",
        "holder",
        "position",
        sqlite_where=sa.text("supersedes IS NOT NULL"),
    ),
)

sources = sa.Table(
    "sources",
    metadata,
    sa.Column("memory_key", sa.Integer, sa.ForeignKey("memories.key", ondelete="CASCADE"), primary_key=True),
    sa.Column("source", sa.Text, primary_key=True, comment="id of a memory it is derived from"),
    _of_space(),
    sa.Index("ix_sources_source", "space", "source"),
)

memory_vectors = sa.Table(
    "memory_vectors",
    metadata,
    sa.Column("memory_key", sa.Integer, sa.ForeignKey("memories.key", ondelete="CASCADE"), primary_key=True),
    _of_space(),
    sa.Column("vector_id", sa.Text, nullable=False),
    sa.Column("delta_id", sa.Text, comment="of a fact, and the episode it was told in"),
    sa.Column("episode_id", sa.Text),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("character_id", sa.Text, nullable=False),
    sa.Column("fact_index", sa.Integer, nullable=False),
    sa.Column("embedder_id", sa.Text, nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("segment_key", sa.Integer, nullable=False, comment="where its vector lies"),
    sa.Column("slot", sa.Integer, nullable=False, comment="its row in the segment"),
    sa.Index("ix_memory_vectors_text", "space", "embedder_id", "text_hash"),
)

segments = sa.Table(
    "segments",
    metadata,
    sa.Column("key", sa.Integer, primary_key=True),
    _of_space(),
    sa.Column("unit", sa.Text, nullable=False),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, comment="of its first row"),
    sa.Column("positions", sa.LargeBinary, comment="int64 of each row; null: all at `position`"),
    sa.Column("live", sa.Boolean, nullable=False),
    sa.Column("memory_keys", sa.LargeBinary, nullable=False, comment="int64; all numbers little endian"),
    sa.Column("fact_ids", sa.Text, nullable=False, comment="separated by line feeds, in order"),
    sa.Column("pinned", sa.LargeBinary, nullable=False, comment="a byte each"),
    sa.Column("vectors", sa.LargeBinary, nullable=False, comment="float32, row by row"),
    sa.Column("lengths", sa.LargeBinary, nullable=False, comment="uint32: terms of each row"),
    sa.Column("hashes", sa.LargeBinary, nullable=False, comment="uint64: postings, by term, then row"),
    sa.Column("rows", sa.LargeBinary, nullable=False, comment="uint32"),
    sa.Column("counts", sa.LargeBinary, nullable=False, comment="uint32"),
    sa.Index("ix_segments_gate", "space", "holder", "live", "position"),
    sa.Index("ix_segments_unit", "space", "unit"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("revision", sa.Integer, nullable=False, comment="counts up with every writing transaction"),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column(
        "token",
        sa.Text,
        sa.ForeignKey("spaces.token", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    sa.Column("unit", sa.Text, primary_key=True, comment="empty: all of the space"),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_changes_revision", "token", "revision"),
)

fed = sa.Table(
    "fed",
    metadata,
    sa.Column("index_id", sa.Text, primary_key=True, comment="which index outside the store"),
    sa.Column("token", sa.Text, primary_key=True, comment="of a space, which may be gone by now"),
    sa.Column("unit", sa.Text, primary_key=True, comment="empty: all of the space, up to the revision"),
    sa.Column("revision", sa.Integer, nullable=False, comment="of the change log, when it was fed"),
    _json("ids", nullable=False),
)

work = sa.Table(
    "work",
    metadata,
    _of_space(primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False, comment="what comes first is done first"),
    sa.Column(
        "wanted", sa.Text, nullable=False, comment="fingerprint of its inputs; empty: nothing is wanted"
    ),
    sa.Column("fingerprint", sa.Text, nullable=False, comment="what the outcome is of"),
    sa.Column("outcome", sa.Text, nullable=False, comment="done, failed, dead, dropped or due"),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("lease", sa.Text, comment="token of who works on it"),
    sa.Column("worker", sa.Text, comment="who that is, for people"),
    sa.Column("leased_until", sa.Float, comment="seconds since 1970, UTC"),
    sa.Column("due_at", sa.Float, comment="not to be tried again before; seconds since 1970, UTC"),
    sa.Index("ix_work_lease", "lease", sqlite_where=sa.text("lease IS NOT NULL")),
    sa.Index("ix_work_lagging", "space", "kind", "position", "unit", sqlite_where=sa.text(LAGS)),
)

undo = sa.Table(
    "undo",
    metadata,
    _of_story(),
    sa.Column("number", sa.Integer, primary_key=True, comment="counts up within the story"),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False, comment="what was done, for people"),
    sa.Column("before", sa.Text, nullable=False, comment="the inputs it changed, as they were"),
    sa.Column("after", sa.Text, nullable=False, comment="digests of what it made of them"),
)

checkpoints = sa.Table(
    "checkpoints",
    metadata,
    _of_story(),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("episodes", sa.Integer, nullable=False, comment="live ones"),
    sa.Column("facts", sa.Integer, nullable=False),
    sa.Column("fork_episode_id", sa.Text, comment="of a branch: the parent's last episode it read"),
    sa.Column("fork_no", sa.Integer, nullable=False, comment="and its number then"),
    _json("inputs", nullable=False),
)

embeddings = sa.Table(
    "embeddings",
    metadata,
    _of_space(primary_key=True),
    sa.Column("embedder_id", sa.Text, primary_key=True),
    sa.Column("text_hash", sa.Text, primary_key=True),
    sa.Column(
        "vector", sa.LargeBinary, nullable=False, comment="float32; made ahead of a change of embedder"
    ),
)

uses = sa.Table(
    "uses",
    metadata,
    _of_space(primary_key=True),
    sa.Column("viewer", sa.Text, primary_key=True, comment="whose order it moves: a character, a persona"),
    sa.Column("fact_id", sa.Text, primary_key=True),
    sa.Column("upto", sa.Integer, primary_key=True, comment="the position the viewer had reached"),
    sa.Column("at", sa.Text, nullable=False, comment="when it was last used from there"),
    sa.Column("times", sa.Integer, nullable=False),
)

traces = sa.Table(
    "traces",
    metadata,
    sa.Column("key", sa.Integer, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
    _of_space(),
    _of_space(name="beside", nullable=True),
    sa.Column("character_id", sa.Text, nullable=False, comment="or the persona; empty: nobody's"),
    sa.Column("episode_no", sa.Integer),
    sa.Column("as_of", sa.Text, comment="with a user: the moment asked about"),
    sa.Column("verb", sa.Text, nullable=False),
    _json("filter"),
    _json("slices", nullable=False),
    _json("ids", nullable=False),
    sa.Index("ix_traces_space", "space", "key"),
    sa.Index("ix_traces_beside", "beside", "key", sqlite_where=sa.text("beside IS NOT NULL")),
)

nights = sa.Table(
    "nights",
    metadata,
    sa.Column(
        "user_id",
        sa.Text,
        sa.ForeignKey("users.user_id", ondelete="CASCADE", onupdate="CASCADE"),
        primary_key=True,
    ),
    sa.Column("at", sa.Integer, primary_key=True, comment="milliseconds since 1970, UTC"),
    _json("policy", nullable=False),
)

hand_decisions = sa.Table(
    "hand_decisions",
    metadata,
    _of_space(primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("memory_id", sa.Text, primary_key=True),
    sa.Column("at", sa.Integer, primary_key=True),
    sa.Column("what", sa.Text, primary_key=True, comment="pin, unpin, forget, restore or edit"),
    sa.Column("text", sa.Text, nullable=False),
)


def _rows_of_life(name: str, key: str) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        _of_space(primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, comment="in the order in which they hold"),
        sa.Column(key, sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False, comment="from where on it holds"),
        _json("value", nullable=False),
    )


tier_values = _rows_of_life("tier_values", "memory_id")
turn_fates = _rows_of_life("turn_fates", "turn_id")
open_questions = _rows_of_life("open_questions", "turn_id")


def _of_evidence() -> tuple[sa.Column[str], sa.Column[str]]:
    return (
        sa.Column("evidence", sa.Text, comment="the turn whose words it rests on; null: by hand"),
        sa.Column(
            "evidence_space",
            sa.Text,
            sa.ForeignKey("spaces.space", ondelete="CASCADE", onupdate="CASCADE"),
            index=True,
        ),
    )


user_profile = sa.Table(
    "user_profile",
    metadata,
    _of_space(primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, comment="of this key, in order"),
    sa.Column("version", sa.Text, nullable=False, comment="semver, up with each value"),
    sa.Column("at", sa.Integer, nullable=False, comment="milliseconds since 1970, UTC"),
    sa.Column("is_personal", sa.Integer, nullable=False, comment="whether it says who the user is"),
    *_of_evidence(),
    sa.Column("expires", sa.Integer, comment="from when on it counts no more"),
    sa.Column("value", sa.LargeBinary, nullable=False, comment="JSON, sealed under the user's key"),
)

consent_log = sa.Table(
    "consent_log",
    metadata,
    _of_space(primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, comment="of this key, in order"),
    sa.Column("at", sa.Integer, nullable=False),
    sa.Column("step", sa.Text, nullable=False, comment="given or withdrawn"),
    *_of_evidence(),
)

marks = sa.Table(
    "marks",
    metadata,
    sa.Column(
        "name", sa.Text, primary_key=True, comment="store: this store's id; keys: its key store's name"
    ),
    sa.Column("value", sa.Text, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column(
        "chain", sa.Text, primary_key=True, comment="a space, users by pseudonym; or store: all chains"
    ),
    sa.Column("n", sa.Integer, primary_key=True, comment="from 1 on, without gaps"),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("act", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False, comment="done or refused"),
    sa.Column("reason", sa.Text, comment="why it was refused: the name of an error"),
    _json("detail", nullable=False),
    sa.Column("hash", sa.Text, nullable=False, comment="SHA-256 of all this and of the hash before"),
)

audit_heads = sa.Table(
    "audit_heads",
    metadata,
    sa.Column("chain", sa.Text, primary_key=True),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("head", sa.Text, nullable=False, comment="the hash of its last row"),
)

shreds = sa.Table(
    "shreds",
    metadata,
    sa.Column("key_id", sa.Text, primary_key=True, comment="of a user that is erased: to be destroyed"),
    sa.Column("salt", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    _json("counts", nullable=False),
)
