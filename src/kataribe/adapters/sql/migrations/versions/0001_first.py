"""The first schema, as it was: never edited, a change is a migration of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stories",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("language_told", sa.Boolean(), nullable=False),
        sa.Column("embedder", sa.Text(), nullable=False),
        sa.Column("embedder_id", sa.Text(), nullable=False),
        sa.Column("extractor_id", sa.Text(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("story_id", name=op.f("pk_stories")),
    )
    op.create_table(
        "characters",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_characters_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "character_id", name=op.f("pk_characters")),
    )
    op.create_table(
        "episodes",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("no", sa.Integer(), nullable=False),
        sa.Column("order_key", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fact_source", sa.Text(), nullable=False),
        sa.Column("paragraphs", sa.Text(), nullable=True),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.Column("notes_hash", sa.Text(), nullable=False, comment="of annotations and paragraph cuts"),
        sa.Column("rows_hash", sa.Text(), nullable=False, comment="of facts and decisions"),
        sa.Column("annotated", sa.Boolean(), nullable=False, comment="has annotations or inline marks"),
        sa.Column(
            "wanted", sa.Text(), nullable=False, comment="fingerprint of what memory should be made from"
        ),
        sa.Column(
            "visible", sa.Boolean(), nullable=False, comment="live, and memory is of the wanted fingerprint"
        ),
        sa.Column("deleted_at", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_episodes_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", name=op.f("pk_episodes")),
    )
    op.create_index(
        "uq_episodes_live_no",
        "episodes",
        ["story_id", "no"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index("uq_episodes_order_key", "episodes", ["story_id", "order_key"], unique=True)
    op.create_table(
        "traces",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.Column("episode_no", sa.Integer(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("filter", sa.Text(), nullable=True),
        sa.Column("slices", sa.Text(), nullable=False),
        sa.Column("ids", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_traces_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_traces")),
    )
    op.create_index("ix_traces_story", "traces", ["story_id", "key"], unique=False)
    op.create_table(
        "work",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False, comment="done, failed or dead"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_work_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "kind", "key", name=op.f("pk_work")),
    )
    op.create_table(
        "annotations",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("paragraph_id", sa.Text(), nullable=True),
        sa.Column("paragraph_hash", sa.Text(), nullable=True),
        sa.Column("known_by", sa.Text(), nullable=True),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_annotations_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_annotations_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", "ordinal", name=op.f("pk_annotations")),
    )
    op.create_table(
        "episode_versions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_episode_versions_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_episode_versions_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", "version", name=op.f("pk_episode_versions")),
    )
    op.create_table(
        "extractions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("drafts", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_extractions_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_extractions_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", name=op.f("pk_extractions")),
    )
    op.create_table(
        "facts",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column(
            "quote_no", sa.Integer(), nullable=True, comment="another episode's number; null: the fact's own"
        ),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("supersedes", sa.Text(), nullable=True),
        sa.Column("told_from", sa.Text(), nullable=True),
        sa.Column("known_by", sa.Text(), nullable=True),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_facts_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_facts_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "fact_id", name=op.f("pk_facts")),
    )
    op.create_index("ix_facts_episode", "facts", ["story_id", "episode_id"], unique=False)
    op.create_table(
        "memories",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False, comment="world, a character, or empty: in review"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("memory_id", sa.Text(), nullable=False),
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fact_index", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False, comment="keyword terms, separated by line feeds"),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("quote_no", sa.Integer(), nullable=True),
        sa.Column("quote_start", sa.Integer(), nullable=True),
        sa.Column("quote_end", sa.Integer(), nullable=True),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("supersedes", sa.Text(), nullable=True),
        sa.Column("told_from", sa.Text(), nullable=True),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_memories_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_memories")),
    )
    op.create_index("ix_memories_episode", "memories", ["story_id", "episode_id"], unique=False)
    op.create_index("ix_memories_fact", "memories", ["story_id", "fact_id"], unique=False)
    op.create_index(
        "ix_memories_gate", "memories", ["space", "holder", "live", "position", "fact_id"], unique=False
    )
    op.create_index(
        "ix_memories_supersedes",
        "memories",
        ["space", "holder", "position"],
        unique=False,
        sqlite_where=sa.text("supersedes IS NOT NULL"),
    )
    op.create_index("uq_memories_id", "memories", ["space", "memory_id"], unique=True)
    op.create_table(
        "memory_deltas",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("delta_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("deleted_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_memory_deltas_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_memory_deltas_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "delta_id", name=op.f("pk_memory_deltas")),
    )
    op.create_index("ix_memory_deltas_episode", "memory_deltas", ["story_id", "episode_id"], unique=False)
    op.create_table(
        "mentions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_mentions_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_mentions_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", "character_id", name=op.f("pk_mentions")),
    )
    op.create_table(
        "names",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False, comment="alias or description"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("known_by", sa.Text(), nullable=True),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "character_id"],
            ["characters.story_id", "characters.character_id"],
            name=op.f("fk_names_story_id_character_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_names_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "character_id", "ordinal", name=op.f("pk_names")),
    )
    op.create_table(
        "pins",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("fact_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_pins_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_pins_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("story_id", "episode_id", "fact_id", name=op.f("pk_pins")),
    )
    op.create_table(
        "suppressions",
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id", "episode_id"],
            ["episodes.story_id", "episodes.episode_id"],
            name=op.f("fk_suppressions_story_id_episode_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["stories.story_id"],
            name=op.f("fk_suppressions_story_id"),
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "story_id", "episode_id", "holder", "text_hash", name=op.f("pk_suppressions")
        ),
    )
    op.create_table(
        "memory_vectors",
        sa.Column("memory_key", sa.Integer(), nullable=False),
        sa.Column("story_id", sa.Text(), nullable=False),
        sa.Column("vector_id", sa.Text(), nullable=False),
        sa.Column("delta_id", sa.Text(), nullable=False),
        sa.Column("episode_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("character_id", sa.Text(), nullable=False),
        sa.Column("fact_index", sa.Integer(), nullable=False),
        sa.Column("embedder_id", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False, comment="float32, little endian"),
        sa.ForeignKeyConstraint(
            ["memory_key"], ["memories.key"], name=op.f("fk_memory_vectors_memory_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory_key", name=op.f("pk_memory_vectors")),
    )
    op.create_index("ix_memory_vectors_text", "memory_vectors", ["embedder_id", "text_hash"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_memory_vectors_text", table_name="memory_vectors")
    op.drop_table("memory_vectors")
    op.drop_table("suppressions")
    op.drop_table("pins")
    op.drop_table("names")
    op.drop_table("mentions")
    op.drop_index("ix_memory_deltas_episode", table_name="memory_deltas")
    op.drop_table("memory_deltas")
    op.drop_index("uq_memories_id", table_name="memories")
    op.drop_index(
        "ix_memories_supersedes", table_name="memories", sqlite_where=sa.text("supersedes IS NOT NULL")
    )
    op.drop_index("ix_memories_gate", table_name="memories")
    op.drop_index("ix_memories_fact", table_name="memories")
    op.drop_index("ix_memories_episode", table_name="memories")
    op.drop_table("memories")
    op.drop_index("ix_facts_episode", table_name="facts")
    op.drop_table("facts")
    op.drop_table("extractions")
    op.drop_table("episode_versions")
    op.drop_table("annotations")
    op.drop_table("work")
    op.drop_index("ix_traces_story", table_name="traces")
    op.drop_table("traces")
    op.drop_index("uq_episodes_order_key", table_name="episodes")
    op.drop_index("uq_episodes_live_no", table_name="episodes", sqlite_where=sa.text("deleted_at IS NULL"))
    op.drop_table("episodes")
    op.drop_table("characters")
    op.drop_table("stories")
