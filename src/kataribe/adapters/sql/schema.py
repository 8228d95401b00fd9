"""The tables of the ledger: the whole schema, and what is kept beside inputs and memories.

A story's inputs (texts, cast, annotations, facts, decisions), a user's turns and a library's
documents are the truth; deltas, memories, vectors and extractions are derived from them and may be made
again at any time. Episode numbers live in `episodes` alone, so that inserting and renumbering rewrite
no memory.

What is derived is kept by space, and goes with it by foreign key; a space goes with the story
and the user it belongs to.
"""

from __future__ import annotations

import sqlalchemy as sa

from kataribe.adapters.sql import schema_derived, schema_inputs
from kataribe.adapters.sql.schema_base import json_column, metadata, of_space, of_story
from kataribe.adapters.sql.tables import APPLICATION_ID, HEAD, LAGS

__all__ = ["APPLICATION_ID", "HEAD", "LAGS", "metadata", "schema_derived", "schema_inputs"]

undo = sa.Table(
    "undo",
    metadata,
    of_story(),
    sa.Column("number", sa.Integer, primary_key=True, comment="counts up within the story"),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False, comment="what was done, for people"),
    sa.Column("before", sa.Text, nullable=False, comment="the inputs it changed, as they were"),
    sa.Column("after", sa.Text, nullable=False, comment="digests of what it made of them"),
)

checkpoints = sa.Table(
    "checkpoints",
    metadata,
    of_story(),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("episodes", sa.Integer, nullable=False, comment="live ones"),
    sa.Column("facts", sa.Integer, nullable=False),
    sa.Column("fork_episode_id", sa.Text, comment="of a branch: the parent's last episode it read"),
    sa.Column("fork_no", sa.Integer, nullable=False, comment="and its number then"),
    json_column("inputs", nullable=False),
)

embeddings = sa.Table(
    "embeddings",
    metadata,
    of_space(primary_key=True),
    sa.Column("embedder_id", sa.Text, primary_key=True),
    sa.Column("text_hash", sa.Text, primary_key=True),
    sa.Column(
        "vector", sa.LargeBinary, nullable=False, comment="float32; made ahead of a change of embedder"
    ),
)

uses = sa.Table(
    "uses",
    metadata,
    of_space(primary_key=True),
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
    of_space(),
    of_space(name="beside", nullable=True),
    sa.Column("character_id", sa.Text, nullable=False, comment="or the persona; empty: nobody's"),
    sa.Column("episode_no", sa.Integer),
    sa.Column("as_of", sa.Text, comment="with a user: the moment asked about"),
    sa.Column("verb", sa.Text, nullable=False),
    json_column("filter"),
    json_column("slices", nullable=False),
    json_column("ids", nullable=False),
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
    json_column("policy", nullable=False),
)

hand_decisions = sa.Table(
    "hand_decisions",
    metadata,
    of_space(primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("memory_id", sa.Text, primary_key=True),
    sa.Column("at", sa.Integer, primary_key=True),
    sa.Column("what", sa.Text, primary_key=True, comment="pin, unpin, forget, restore or edit"),
    sa.Column("text", sa.Text, nullable=False),
)


def _rows_of_life(name: str, key: str, *more: sa.Column[str]) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        of_space(primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, comment="in the order in which they hold"),
        sa.Column(key, sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False, comment="from where on it holds"),
        json_column("value", nullable=False),
        *more,
    )


tier_values = _rows_of_life(
    "tier_values",
    "memory_id",
    sa.Column("payload", sa.Text, comment="of which payload in the archive; null: `value` has it"),
    sa.Column("terms", sa.Text, comment="hashes of the content words of what is archived"),
)
sa.Index(
    "ix_tier_values_payload",
    tier_values.c.space,
    tier_values.c.payload,
    sqlite_where=sa.text("payload IS NOT NULL"),
)
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
    of_space(primary_key=True),
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
    of_space(primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, comment="of this key, in order"),
    sa.Column("at", sa.Integer, nullable=False),
    sa.Column("step", sa.Text, nullable=False, comment="required, asked, given, refused, ..."),
    *_of_evidence(),
    sa.Column("days", sa.Integer, comment="for how long what is said is kept"),
    sa.Column("spares", sa.Integer, nullable=False, server_default="0", comment="what was asked to be kept"),
)

privacy_requests = sa.Table(
    "privacy_requests",
    metadata,
    of_space(primary_key=True),
    sa.Column("digest", sa.Text, primary_key=True, comment="salted hash of a token, its user and its act"),
    sa.Column("salt", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False, comment="export or delete"),
    sa.Column("until", sa.Integer, nullable=False, comment="milliseconds since 1970, UTC"),
)

exports = sa.Table(
    "exports",
    metadata,
    of_space(primary_key=True),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("sha256", sa.Text, nullable=False, comment="of the file's bytes"),
)

exports_gone = sa.Table(
    "exports_gone",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("path", sa.Text, nullable=False, comment="outlives its space until the file is removed"),
    sa.Column("sha256", sa.Text, nullable=False),
)

access_keys = sa.Table(
    "access_keys",
    metadata,
    sa.Column("key_id", sa.Text, primary_key=True),
    sa.Column(
        "space",
        sa.Text,
        sa.ForeignKey("spaces.space", ondelete="CASCADE", onupdate="CASCADE"),
        index=True,
        comment="of the story or the user it is bound to; null: of none",
    ),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, comment="SHA-256 of the secret, which is in no store"),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("persona", sa.Text),
    sa.Column(
        "upto",
        sa.Integer,
        comment="the highest episode of a viewer's or a reader's key",
    ),
    sa.Column("users_from", sa.Text, comment="header:NAME or body:user"),
    sa.Column("prefix", sa.Text),
)

turn_marks = sa.Table(
    "turn_marks",
    metadata,
    of_space(primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, nullable=False, comment="what it is made together with"),
    sa.Column("position", sa.Integer, nullable=False, comment="from where on it holds: that of the turn"),
    json_column("marks", nullable=False),
    sa.Index("ix_turn_marks_unit", "space", "unit"),
    sa.Index("ix_turn_marks_position", "space", "holder", "position"),
)

archive_folders = sa.Table(
    "archive_folders",
    metadata,
    of_space(primary_key=True),
    sa.Column("folder", sa.Text, nullable=False, comment="the pseudonym of the space in the archive"),
)

archive_files = sa.Table(
    "archive_files",
    metadata,
    of_space(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("sha256", sa.Text, nullable=False, comment="of the file's bytes"),
)

archive_payloads = sa.Table(
    "archive_payloads",
    metadata,
    of_space(primary_key=True),
    sa.Column("payload", sa.Text, primary_key=True, comment="a hash of what it says"),
    sa.Column("name", sa.Text, nullable=False, comment="the file that has it"),
)

archive_gone = sa.Table(
    "archive_gone",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("folder", sa.Text, nullable=False, comment="outlives its space until its files are removed"),
    sa.Column("name", sa.Text, nullable=False, comment="empty: the whole folder"),
)

for _when in (
    """archive_folder_gone AFTER DELETE ON archive_folders
BEGIN INSERT INTO archive_gone (folder, name) VALUES (old.folder, ''); END""",
    """archive_file_gone AFTER DELETE ON archive_files BEGIN INSERT INTO archive_gone (folder, name)
SELECT folder, old.name FROM archive_folders WHERE space = old.space; END""",
    """export_gone AFTER DELETE ON exports
BEGIN INSERT INTO exports_gone (path, sha256) VALUES (old.path, old.sha256); END""",
):
    sa.event.listen(metadata, "after_create", sa.DDL(f"CREATE TRIGGER {_when}"))  # type: ignore[no-untyped-call]

turn_stubs = sa.Table(
    "turn_stubs",
    metadata,
    sa.Column("space", sa.Text, primary_key=True),
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("embedder_id", sa.Text, nullable=False, comment="who embedded the text that has expired"),
    sa.Column("vector", sa.LargeBinary, comment="float32, of the text that has expired"),
    json_column("value", nullable=False),
    sa.ForeignKeyConstraint(
        ["space", "turn_id"],
        ["turns.space", "turns.turn_id"],
        ondelete="CASCADE",
        onupdate="CASCADE",
    ),
)

model_asks = sa.Table(
    "model_asks",
    metadata,
    of_space(primary_key=True),
    sa.Column("holder", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.Text, primary_key=True, comment="of all that is shown, and who is asked"),
    sa.Column("unit", sa.Text, nullable=False, comment="of the work on it"),
    sa.Column("kind", sa.Text, nullable=False, comment="thread or newer"),
    sa.Column("ready_at", sa.Integer, nullable=False, comment="the position from which it may be asked"),
    json_column("turn_ids", nullable=False),
    json_column("asked", nullable=False),
    json_column("answer"),
    sa.Column("embedder_id", sa.Text, nullable=False),
    json_column("vectors", nullable=False),
    sa.Index("ix_model_asks_unit", "space", "unit"),
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
    json_column("detail", nullable=False),
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
    json_column("counts", nullable=False),
)
