"""Spaces: what is derived is kept by space, and goes with it; work is wanted, and lagging pages are work."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Their rows are laid aside, as what points at a table must be gone before it is.
    for table in AGAIN:
        op.execute(f"CREATE TABLE {table}_before AS SELECT * FROM {table}")
    for table in AGAIN:
        op.execute(f"DROP TABLE {table}")
    for statement in TABLES:
        op.execute(statement)
    for statement in COPIES:
        op.execute(statement)
    for table in AGAIN:
        op.execute(f"DROP TABLE {table}_before")
    op.execute("DROP INDEX ix_episodes_lagging")
    for table, columns in DROPPED.items():
        for column in columns:
            op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")


def downgrade() -> None:
    raise RuntimeError("an older kataribe knows no spaces; use the copy of the store made before")


AGAIN = (
    "traces",
    "uses",
    "embeddings",
    "memory_vectors",
    "segments",
    "memories",
    "work",
    "changes",
    "lagging_pages",
    "turns",
)
"""Made anew: children before what they point at."""

DROPPED = {
    "episodes": ("wanted", "visible"),
    "stories": ("language", "embedder", "embedder_id", "revision"),
    "users": ("language", "embedder", "embedder_id", "revision"),
}

_MEMORY = (
    "holder, position, live, session, speaker, memory_id, fact_id, kind, origin, reason, flagged, version, "
    "fact_index, place, text, text_hash, quote, quote_no, quote_start, quote_end, importance, pinned, arousal, "
    "supersedes, told_from, fields"
)
_SEGMENT = (
    "unit, holder, position, positions, live, memory_keys, fact_ids, pinned, vectors, lengths, hashes, "
    "rows, counts"
)
_VECTOR = (
    "vector_id, delta_id, episode_id, version, scope, character_id, fact_index, embedder_id, text_hash, "
    "segment_key, slot"
)
_TURN = "turn_id, session, ordinal, speaker, text, caption, time, at, held_by, arousal, extra, created_at"

COPIES = (
    """
INSERT INTO spaces (space, type, token, story_id, language, embedder, embedder_id, revision, created_at)
SELECT 'story:' || story_id, 'story', lower(hex(randomblob(16))), story_id, language, embedder, embedder_id,
       revision, created_at
FROM stories
    """,
    """
INSERT INTO spaces (space, type, token, user_id, language, embedder, embedder_id, revision, created_at)
SELECT 'user:' || user_id, 'user', lower(hex(randomblob(16))), user_id, language, embedder, embedder_id,
       revision, created_at
FROM users
    """,
    # One note for each space: whoever has read it before this reads all of it again.
    "INSERT INTO revisions (name, revision) VALUES ('', 1) ON CONFLICT (name) DO UPDATE SET revision = revision + 1",
    """
INSERT INTO changes (token, unit, revision) SELECT token, '', (SELECT revision FROM revisions WHERE name = '')
FROM spaces
    """,
    f"INSERT INTO turns (space, {_TURN}, unit) SELECT 'user:' || user_id, {_TURN}, page FROM turns_before",
    f"""
INSERT INTO memories (key, space, unit, {_MEMORY})
SELECT m.key, m.space, coalesce(m.episode_id, m.page), {_MEMORY}
FROM memories_before m WHERE m.space IN (SELECT space FROM spaces) ORDER BY m.key
    """,
    f"INSERT INTO segments (key, space, {_SEGMENT}) SELECT key, space, {_SEGMENT} FROM segments_before ORDER BY key",
    f"""
INSERT INTO memory_vectors (memory_key, space, {_VECTOR})
SELECT v.memory_key, m.space, {", ".join("v." + name for name in _VECTOR.split(", "))}
FROM memory_vectors_before v JOIN memories m ON m.key = v.memory_key ORDER BY v.memory_key
    """,
    """
INSERT INTO work (space, kind, unit, position, wanted, fingerprint, outcome, attempts, error, lease, worker,
                  leased_until, due_at)
SELECT 'story:' || e.story_id, 'extract', e.episode_id, e.order_key,
       CASE WHEN e.deleted_at IS NULL THEN e.wanted ELSE '' END, coalesce(w.fingerprint, ''),
       coalesce(w.outcome, 'due'), coalesce(w.attempts, 0), w.error, w.lease, w.worker, w.leased_until, w.due_at
FROM episodes e
LEFT JOIN work_before w ON w.story_id = e.story_id AND w.kind = 'remember' AND w.key = e.episode_id
    """,
    # The fingerprint is a word of its own; it is taken anew when a turn of the unit changes.
    """
INSERT INTO work (space, kind, unit, position, wanted, fingerprint, outcome, attempts)
SELECT 'user:' || t.user_id, 'turns', t.page, min(t.at), 'page ' || t.page,
       CASE WHEN l.page IS NULL THEN 'page ' || t.page ELSE '' END,
       CASE WHEN l.page IS NULL THEN 'done' ELSE 'due' END, 0
FROM turns_before t LEFT JOIN lagging_pages_before l ON l.user_id = t.user_id AND l.page = t.page
GROUP BY t.user_id, t.page
    """,
    # A page that lags and has no turns any more may still hold memories.
    """
DELETE FROM memories WHERE space IN (SELECT space FROM spaces WHERE type = 'user')
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = memories.space AND t.unit = memories.unit)
    """,
    """
DELETE FROM segments WHERE space IN (SELECT space FROM spaces WHERE type = 'user')
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.space = segments.space AND t.unit = segments.unit)
    """,
    # Vectors made ahead were nobody's: each space is given those of its own texts.
    """
INSERT INTO embeddings (space, embedder_id, text_hash, vector)
SELECT DISTINCT m.space, e.embedder_id, e.text_hash, e.vector
FROM embeddings_before e JOIN memories m ON m.text_hash = e.text_hash AND m.live = 1
    """,
    """
INSERT INTO uses (space, viewer, fact_id, upto, at, times)
SELECT CASE WHEN user_id IS NULL THEN 'story:' || story_id ELSE 'user:' || user_id END, viewer, fact_id, upto,
       at, times
FROM uses_before
    """,
    """
INSERT INTO traces (key, at, space, character_id, episode_no, as_of, verb, filter, slices, ids)
SELECT key, at, CASE WHEN user_id IS NULL THEN 'story:' || story_id ELSE 'user:' || user_id END, character_id,
       episode_no, as_of, verb, filter, slices, ids
FROM traces_before ORDER BY key
    """,
)

TABLES = (
    """
CREATE TABLE spaces (
    space TEXT NOT NULL,
    type TEXT NOT NULL,
    token TEXT NOT NULL,
    story_id TEXT,
    user_id TEXT,
    place TEXT,
    language TEXT NOT NULL,
    embedder TEXT NOT NULL,
    embedder_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT pk_spaces PRIMARY KEY (space),
    CONSTRAINT fk_spaces_story_id FOREIGN KEY(story_id) REFERENCES stories (story_id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_spaces_user_id FOREIGN KEY(user_id) REFERENCES users (user_id) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_spaces_story ON spaces (story_id, type)
    """,
    """
CREATE INDEX ix_spaces_user ON spaces (user_id, type)
    """,
    """
CREATE UNIQUE INDEX uq_spaces_token ON spaces (token)
    """,
    """
CREATE TABLE turns (
    space TEXT NOT NULL,
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
    unit TEXT NOT NULL,
    extra TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT pk_turns PRIMARY KEY (space, turn_id),
    CONSTRAINT fk_turns_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_turns_time ON turns (space, at, session, ordinal, turn_id)
    """,
    """
CREATE INDEX ix_turns_unit ON turns (space, unit)
    """,
    """
CREATE TABLE memories (
    "key" INTEGER NOT NULL,
    space TEXT NOT NULL,
    unit TEXT NOT NULL,
    holder TEXT NOT NULL,
    position INTEGER NOT NULL,
    live BOOLEAN NOT NULL,
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
    CONSTRAINT fk_memories_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_memories_fact ON memories (space, fact_id)
    """,
    """
CREATE INDEX ix_memories_gate ON memories (space, holder, live, position, fact_id)
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
CREATE INDEX ix_memories_unit ON memories (space, unit)
    """,
    """
CREATE UNIQUE INDEX uq_memories_id ON memories (space, memory_id)
    """,
    """
CREATE TABLE sources (
    memory_key INTEGER NOT NULL,
    source TEXT NOT NULL,
    space TEXT NOT NULL,
    CONSTRAINT pk_sources PRIMARY KEY (memory_key, source),
    CONSTRAINT fk_sources_memory_key FOREIGN KEY(memory_key) REFERENCES memories ("key") ON DELETE CASCADE,
    CONSTRAINT fk_sources_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_sources_source ON sources (space, source)
    """,
    """
CREATE TABLE memory_vectors (
    memory_key INTEGER NOT NULL,
    space TEXT NOT NULL,
    vector_id TEXT NOT NULL,
    delta_id TEXT,
    episode_id TEXT,
    version INTEGER NOT NULL,
    scope TEXT NOT NULL,
    character_id TEXT NOT NULL,
    fact_index INTEGER NOT NULL,
    embedder_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    segment_key INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    CONSTRAINT pk_memory_vectors PRIMARY KEY (memory_key),
    CONSTRAINT fk_memory_vectors_memory_key FOREIGN KEY(memory_key) REFERENCES memories ("key") ON DELETE CASCADE,
    CONSTRAINT fk_memory_vectors_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_memory_vectors_text ON memory_vectors (space, embedder_id, text_hash)
    """,
    """
CREATE TABLE segments (
    "key" INTEGER NOT NULL,
    space TEXT NOT NULL,
    unit TEXT NOT NULL,
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
    CONSTRAINT fk_segments_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_segments_gate ON segments (space, holder, live, position)
    """,
    """
CREATE INDEX ix_segments_unit ON segments (space, unit)
    """,
    """
CREATE TABLE changes (
    token TEXT NOT NULL,
    unit TEXT NOT NULL,
    revision INTEGER NOT NULL,
    CONSTRAINT pk_changes PRIMARY KEY (token, unit),
    CONSTRAINT fk_changes_token FOREIGN KEY(token) REFERENCES spaces (token) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_changes_revision ON changes (token, revision)
    """,
    """
CREATE TABLE work (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    unit TEXT NOT NULL,
    position INTEGER NOT NULL,
    wanted TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    error TEXT,
    lease TEXT,
    worker TEXT,
    leased_until FLOAT,
    due_at FLOAT,
    CONSTRAINT pk_work PRIMARY KEY (space, kind, unit),
    CONSTRAINT fk_work_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_work_lagging ON work (space, kind, position, unit) WHERE wanted != '' AND NOT (outcome = 'done' AND fingerprint = wanted)
    """,
    """
CREATE INDEX ix_work_lease ON work (lease) WHERE lease IS NOT NULL
    """,
    """
CREATE TABLE embeddings (
    space TEXT NOT NULL,
    embedder_id TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    CONSTRAINT pk_embeddings PRIMARY KEY (space, embedder_id, text_hash),
    CONSTRAINT fk_embeddings_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE TABLE uses (
    space TEXT NOT NULL,
    viewer TEXT NOT NULL,
    fact_id TEXT NOT NULL,
    upto INTEGER NOT NULL,
    at TEXT NOT NULL,
    times INTEGER NOT NULL,
    CONSTRAINT pk_uses PRIMARY KEY (space, viewer, fact_id, upto),
    CONSTRAINT fk_uses_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE TABLE traces (
    "key" INTEGER NOT NULL,
    at TEXT NOT NULL,
    space TEXT NOT NULL,
    beside TEXT,
    character_id TEXT NOT NULL,
    episode_no INTEGER,
    as_of TEXT,
    verb TEXT NOT NULL,
    filter TEXT,
    slices TEXT NOT NULL,
    ids TEXT NOT NULL,
    CONSTRAINT pk_traces PRIMARY KEY ("key"),
    CONSTRAINT fk_traces_space FOREIGN KEY(space) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT fk_traces_beside FOREIGN KEY(beside) REFERENCES spaces (space) ON DELETE CASCADE ON UPDATE CASCADE
)
    """,
    """
CREATE INDEX ix_traces_beside ON traces (beside, "key") WHERE beside IS NOT NULL
    """,
    """
CREATE INDEX ix_traces_space ON traces (space, "key")
    """,
)
