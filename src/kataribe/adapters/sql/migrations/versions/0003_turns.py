"""Users and their turns; memories of turns beside those of facts; arousal; use; vectors made ahead."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for statement in NEW:
        op.execute(statement)
    op.execute("ALTER TABLE facts ADD COLUMN arousal FLOAT")
    # SQLite cannot make a column nullable: these tables are made anew and their rows copied. What
    # points at them goes first, or dropping them would delete it.
    for table in reversed(AGAIN):
        op.execute(f"CREATE TABLE {table}_before AS SELECT * FROM {table}")
        op.execute(f"DROP TABLE {table}")
    for table, (statements, columns, values) in AGAIN.items():
        for statement in statements:
            op.execute(statement)
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table}_before")
        op.execute(f"DROP TABLE {table}_before")


def downgrade() -> None:
    raise RuntimeError("an older kataribe knows no turns; use a backup made before")


NEW = (
    """
CREATE TABLE users (
    user_id TEXT NOT NULL,
    language TEXT NOT NULL,
    embedder TEXT NOT NULL,
    embedder_id TEXT NOT NULL,
    extra TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT pk_users PRIMARY KEY (user_id)
)
    """,
    """
CREATE TABLE turns (
    user_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    session TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    text TEXT NOT NULL,
    caption TEXT,
    time TEXT NOT NULL,
    at INTEGER NOT NULL,
    held_by TEXT,
    arousal FLOAT,
    page TEXT NOT NULL,
    extra TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT pk_turns PRIMARY KEY (user_id, turn_id),
    CONSTRAINT fk_turns_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_turns_page ON turns (user_id, page)
    """,
    """
CREATE INDEX ix_turns_time ON turns (user_id, at, session, ordinal, turn_id)
    """,
    """
CREATE TABLE lagging_pages (
    user_id TEXT NOT NULL,
    page TEXT NOT NULL,
    CONSTRAINT pk_lagging_pages PRIMARY KEY (user_id, page),
    CONSTRAINT fk_lagging_pages_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE TABLE embeddings (
    embedder_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    CONSTRAINT pk_embeddings PRIMARY KEY (embedder_id, text_hash)
)
    """,
    """
CREATE TABLE uses (
    "key" INTEGER NOT NULL,
    story_id TEXT,
    user_id TEXT,
    viewer TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    upto INTEGER NOT NULL,
    at TEXT NOT NULL,
    times INTEGER NOT NULL,
    CONSTRAINT pk_uses PRIMARY KEY ("key"),
    CONSTRAINT fk_uses_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_uses_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE UNIQUE INDEX uq_uses_story ON uses (story_id, viewer, fact_id, upto)
    """,
    """
CREATE UNIQUE INDEX uq_uses_user ON uses (user_id, viewer, fact_id, upto)
    """,
)

AGAIN = {
    "memories": (
        (
            """
CREATE TABLE memories (
    "key" INTEGER NOT NULL,
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    position INTEGER NOT NULL,
    live BOOLEAN NOT NULL,
    story_id TEXT,
    episode_id TEXT,
    user_id TEXT,
    page TEXT,
    session TEXT,
    speaker TEXT,
    memory_id TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    reason TEXT NOT NULL,
    flagged BOOLEAN NOT NULL,
    version INTEGER NOT NULL,
    fact_index INTEGER NOT NULL,
    place INTEGER NOT NULL,
    text TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    quote TEXT,
    quote_no INTEGER,
    quote_start INTEGER,
    quote_end INTEGER,
    importance INTEGER NOT NULL,
    pinned BOOLEAN NOT NULL,
    arousal FLOAT,
    supersedes TEXT,
    told_from TEXT,
    fields TEXT NOT NULL,
    CONSTRAINT pk_memories PRIMARY KEY ("key"),
    CONSTRAINT fk_memories_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_memories_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
            """,
            """
CREATE INDEX ix_memories_episode ON memories (story_id, episode_id)
            """,
            """
CREATE INDEX ix_memories_fact ON memories (story_id, fact_id)
            """,
            """
CREATE INDEX ix_memories_gate ON memories (space, holder, live, position, fact_id)
            """,
            """
CREATE INDEX ix_memories_page ON memories (user_id, page) WHERE user_id IS NOT NULL
            """,
            """
CREATE INDEX ix_memories_session ON memories (space, session, holder, position, place, fact_id) WHERE session IS NOT NULL
            """,
            """
CREATE INDEX ix_memories_speaker ON memories (space, holder, speaker, position) WHERE speaker IS NOT NULL
            """,
            """
CREATE INDEX ix_memories_supersedes ON memories (space, holder, position) WHERE supersedes IS NOT NULL
            """,
            """
CREATE UNIQUE INDEX uq_memories_id ON memories (space, memory_id)
            """,
        ),
        (
            "key, space, holder, position, live, story_id, episode_id, memory_id, fact_id, kind, origin, "
            "reason, flagged, version, fact_index, place, text, text_hash, quote, quote_no, quote_start, "
            "quote_end, importance, pinned, supersedes, told_from, fields, session"
        ),
        (
            "key, space, holder, position, live, story_id, episode_id, memory_id, fact_id, kind, origin, "
            "reason, flagged, version, fact_index, place, text, text_hash, quote, quote_no, quote_start, "
            "quote_end, importance, pinned, supersedes, told_from, fields, "
            "CASE WHEN origin = 'extracted' AND text = quote THEN episode_id END"
        ),
    ),
    "memory_vectors": (
        (
            """
CREATE TABLE memory_vectors (
    memory_key INTEGER NOT NULL,
    story_id TEXT,
    vector_id TEXT NOT NULL,
    delta_id TEXT,
    episode_id TEXT,
    version INTEGER NOT NULL,
    scope TEXT NOT NULL,
    character_id TEXT NOT NULL,
    fact_index INTEGER NOT NULL,
    embedder_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    segment_key INTEGER DEFAULT '0' NOT NULL,
    slot INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT pk_memory_vectors PRIMARY KEY (memory_key),
    CONSTRAINT fk_memory_vectors_memory_key FOREIGN KEY(memory_key) REFERENCES memories ("key") ON DELETE CASCADE
)
            """,
            """
CREATE INDEX ix_memory_vectors_text ON memory_vectors (embedder_id, text_hash)
            """,
        ),
        (
            "memory_key, story_id, vector_id, delta_id, episode_id, version, scope, character_id, fact_index, "
            "embedder_id, text_hash, segment_key, slot"
        ),
        (
            "memory_key, story_id, vector_id, delta_id, episode_id, version, scope, character_id, fact_index, "
            "embedder_id, text_hash, segment_key, slot"
        ),
    ),
    "segments": (
        (
            """
CREATE TABLE segments (
    "key" INTEGER NOT NULL,
    story_id TEXT,
    episode_id TEXT,
    user_id TEXT,
    unit TEXT NOT NULL,
    space TEXT NOT NULL,
    holder TEXT NOT NULL,
    position INTEGER NOT NULL,
    positions BLOB,
    live BOOLEAN NOT NULL,
    memory_keys BLOB NOT NULL,
    fact_ids TEXT NOT NULL,
    pinned BLOB NOT NULL,
    vectors BLOB NOT NULL,
    lengths BLOB NOT NULL,
    hashes BLOB NOT NULL,
    rows BLOB NOT NULL,
    counts BLOB NOT NULL,
    CONSTRAINT pk_segments PRIMARY KEY ("key"),
    CONSTRAINT fk_segments_story_id_episode_id FOREIGN KEY(story_id, episode_id) REFERENCES episodes (story_id, episode_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_segments_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
            """,
            """
CREATE INDEX ix_segments_episode ON segments (story_id, episode_id)
            """,
            """
CREATE INDEX ix_segments_gate ON segments (space, holder, live, position)
            """,
            """
CREATE INDEX ix_segments_unit ON segments (space, unit)
            """,
            """
CREATE INDEX ix_segments_user ON segments (user_id) WHERE user_id IS NOT NULL
            """,
        ),
        (
            "key, story_id, episode_id, unit, space, holder, position, live, memory_keys, fact_ids, pinned, "
            "vectors, lengths, hashes, rows, counts"
        ),
        (
            "key, story_id, episode_id, episode_id, space, holder, position, live, memory_keys, fact_ids, "
            "pinned, vectors, lengths, hashes, rows, counts"
        ),
    ),
    "traces": (
        (
            """
CREATE TABLE traces (
    "key" INTEGER NOT NULL,
    at TEXT NOT NULL,
    story_id TEXT,
    user_id TEXT,
    character_id TEXT NOT NULL,
    episode_no INTEGER,
    as_of TEXT,
    verb TEXT NOT NULL,
    filter TEXT,
    slices TEXT NOT NULL,
    ids TEXT NOT NULL,
    CONSTRAINT pk_traces PRIMARY KEY ("key"),
    CONSTRAINT fk_traces_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_traces_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
            """,
            """
CREATE INDEX ix_traces_story ON traces (story_id, "key")
            """,
            """
CREATE INDEX ix_traces_user ON traces (user_id, "key") WHERE user_id IS NOT NULL
            """,
        ),
        ("key, at, story_id, character_id, episode_no, verb, filter, slices, ids"),
        ("key, at, story_id, character_id, episode_no, verb, filter, slices, ids"),
    ),
}
