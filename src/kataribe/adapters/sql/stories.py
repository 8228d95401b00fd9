"""Stories in the ledger: what was chosen for each, its cast and who is named."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kataribe.adapters.sql import queries, story_rows
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, or_highest
from kataribe.adapters.sql.spaces import SqlSpacesTransaction
from kataribe.domain.records import SpaceState
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import (
    Character,
    Story,
)


class SqlStoriesView(SqlPart):
    """What is read of stories."""

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""
        rows = queries.ask(self._driver, f"{queries.STORIES} ORDER BY s.story_id")
        return tuple(story_rows.story_in(row) for row in rows)

    def story(self, story_id: str) -> Story | None:
        """Give one story."""
        return self._caches.story(story_id, self._revision(story_space(story_id)), self._read_story)

    def _read_story(self, story_id: str) -> Story | None:
        found = queries.ask(self._driver, queries.STORY, (story_id,))
        return story_rows.story_in(found[0]) if found else None

    def characters(self, story_id: str) -> tuple[Character, ...]:
        """Give the declared cast in its order."""
        return self._caches.cast(story_id, self._revision(story_space(story_id)), self._read_cast)

    def _read_cast(self, story_id: str) -> tuple[Character, ...]:
        called: dict[str, list[r.Row]] = {}
        for row in queries.ask(self._driver, queries.NAMES, (story_id,)):
            called.setdefault(row.character_id, []).append(row)
        cast = queries.ask(self._driver, queries.CAST, (story_id,))
        return tuple(story_rows.character_in(row, called.get(row.character_id, [])) for row in cast)

    def branches(self, story_id: str) -> tuple[Story, ...]:
        """Give the stories that are branches of this one."""
        return tuple(
            story_rows.story_in(row) for row in queries.ask(self._driver, queries.BRANCHES, (story_id,))
        )

    def mentioned(self, story_id: str, *, cap: int | None = None) -> Mapping[str, int]:
        """Give who is named by the rows of live episodes, and from which number on."""

        def read(_: str) -> Mapping[str, int]:
            rows = queries.ask(self._driver, queries.MENTIONED, {"story": story_id, "cap": or_highest(cap)})
            return {row.character_id: row.since for row in rows}

        return self._caches.mentioned(f"{story_id}:{cap}", self._revision(story_space(story_id)), read)

    def named_by(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give whom the rows of an episode name."""
        rows = queries.ask(self._driver, queries.NAMED_BY, (story_id, episode_id))
        return frozenset(row.character_id for row in rows)


class SqlStoriesTransaction(SqlSpacesTransaction, SqlStoriesView):
    """What is written of stories."""

    def put_story(self, story: Story) -> None:
        """Add a story and its space, or replace what is recorded of it."""
        queries.put(self._driver, "stories", story_rows.story_out(story), {"created_at": self._now()})
        self.put_space(
            SpaceState(
                space=story_space(story.story_id),
                language=story.language,
                embedder=story.embedder,
                embedder_id=story.embedder_id,
            )
        )

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id; its rows follow by foreign key."""
        self._driver.execute("UPDATE stories SET story_id = ? WHERE story_id = ?", (new_id, story_id))
        self._rename_spaces()
        for child in self.branches(story_id):
            self._touch_story(child.story_id)
        self._driver.execute("UPDATE stories SET parent_id = ? WHERE parent_id = ?", (new_id, story_id))

    def delete_story(self, story_id: str) -> None:
        """Remove a story and all that belongs to it."""
        self._driver.execute("DELETE FROM stories WHERE story_id = ?", (story_id,))

    def put_character(self, story_id: str, character: Character) -> None:
        """Add a character at the end of the cast, or replace one in its place."""
        named = {"story": story_id, "character": character.character_id}
        self._driver.execute(queries.PUT_CHARACTER, {**named, "extra": r.dump(character.extra)})
        self._driver.execute(queries.DELETE_NAMES, (story_id, character.character_id))
        queries.insert(self._driver, "names", story_rows.names_out(story_id, character))
        self._touch_story(story_id)

    def delete_character(self, story_id: str, character_id: str) -> None:
        """Take a character's declaration out."""
        self._driver.execute(queries.DELETE_CHARACTER, (story_id, character_id))
        self._touch_story(story_id)

    def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id wherever inputs name it."""
        for statement in queries.RENAME_CHARACTER:
            self._driver.execute(statement, (new_id, story_id, character_id))
        for table in ("names", "annotations", "facts"):
            self._rename_knower(table, story_id, character_id, new_id)
        self._touch_story(story_id)

    def _rename_knower(self, table: str, story_id: str, character_id: str, new_id: str) -> None:
        sql = f"SELECT rowid, known_by FROM {table} WHERE story_id = ? AND instr(known_by, ?)"
        for key, known_by in queries.tuples(self._driver, sql, (story_id, r.dump(character_id))):
            members = {new_id if member == character_id else member for member in r.load(known_by)}
            renamed = (r.dump(sorted(members)), key)
            self._driver.execute(f"UPDATE {table} SET known_by = ? WHERE rowid = ?", renamed)

    def put_mentions(self, story_id: str, episode_id: str, character_ids: Collection[str]) -> None:
        """Record which characters the rows of an episode name."""
        self._touch_story(story_id)
        queries.clear(self._driver, "mentions", story_id, episode_id)
        queries.insert(
            self._driver,
            "mentions",
            [
                {"story_id": story_id, "episode_id": episode_id, "character_id": character_id}
                for character_id in sorted(character_ids)
            ],
        )
