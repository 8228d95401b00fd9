"""Episodes in the ledger: texts, places, annotations; each query is named after what it asks."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence

from kataribe.adapters.sql import queries, story_rows, undo
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, or_highest
from kataribe.adapters.sql.memory_writing import SqlMemoryTransaction
from kataribe.domain.ids import exact_hash
from kataribe.domain.records import EpisodeState, EpisodeVersion
from kataribe.domain.space import episode_of, story_space
from kataribe.domain.story.inputs import (
    Annotations,
    Episode,
)
from kataribe.domain.text.paragraphs import episode_paragraphs

_COPIED = ("episode_versions", "annotations", "facts", "suppressions", "pins", "mentions", "extractions")
"""Tables whose rows of an episode go with a copy of it as they are."""
_MOVE = """
UPDATE {table} SET position = :key
WHERE space = :space AND (unit = :episode OR unit > :episode || ':' AND unit < :episode || ';')
"""


class SqlEpisodesView(SqlPart):
    """What is read of episodes."""

    @staticmethod
    def _of(story_id: str) -> tuple[str, str]:
        return story_space(story_id), story_id

    def episode_states(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts."""
        rows = queries.ask(self._driver, f"{queries.STATES} ORDER BY e.no, e.order_key", self._of(story_id))
        return tuple(story_rows.state_in(row) for row in rows)

    def episode_state(self, story_id: str, episode_id: str) -> EpisodeState | None:
        """Give one episode without its text."""
        rows = queries.ask(
            self._driver, f"{queries.STATES} AND e.episode_id = ?", (*self._of(story_id), episode_id)
        )
        return story_rows.state_in(rows[0]) if rows else None

    def live_at(self, story_id: str, no: int) -> EpisodeState | None:
        """Give the live episode of this number without its text."""
        sql = f"{queries.STATES} AND e.deleted_at IS NULL AND e.no = ?"
        rows = queries.ask(self._driver, sql, (*self._of(story_id), no))
        return story_rows.state_in(rows[0]) if rows else None

    def keys_around(
        self, story_id: str, no: int, *, leaving_out: str | None = None
    ) -> tuple[int | None, int | None]:
        """Give the order keys an episode of this number belongs between."""
        given = {"story": story_id, "no": no, "but": leaving_out}
        found = queries.ask(self._driver, queries.KEYS_AROUND, given)[0]
        return found.lower, found.upper

    def last_no(self, story_id: str, *, cap: int | None = None, deleted: bool = False) -> int | None:
        """Give the highest number of a live episode."""
        found = queries.ask(self._driver, queries.LAST_NO, (story_id, deleted, or_highest(cap)))
        return int(found[0].no) if found else None

    def first_annotated(self, story_id: str, *, cap: int | None = None) -> int | None:
        """Give the lowest number of a live episode with annotations or inline marks."""
        given = (story_id, or_highest(cap))
        found: int | None = queries.ask(self._driver, queries.FIRST_ANNOTATED, given)[0].no
        return found

    def episode(self, story_id: str, episode_id: str) -> Episode | None:
        """Give one episode with its text."""
        rows = queries.ask(self._driver, queries.EPISODE, (story_id, episode_id))
        return story_rows.episode_in(rows[0]) if rows else None

    def live_texts(
        self, story_id: str, numbers: Collection[int], *, cap: int | None = None
    ) -> Mapping[int, str]:
        """Give the texts of the live episodes with these numbers."""
        if not numbers:
            return {}
        live = "SELECT no, text FROM episodes WHERE story_id = ? AND deleted_at IS NULL"
        sql = f"{live} AND +order_key <= ? AND no IN ({queries.marks(len(numbers))})"
        rows = queries.ask(self._driver, sql, (story_id, or_highest(cap), *sorted(numbers)))
        return {row.no: row.text for row in rows}

    def paragraph_starts(self, story_id: str, episode_ids: Collection[str]) -> Mapping[str, Sequence[int]]:
        """Give where the paragraphs of these episodes' texts begin."""
        wanted = tuple(sorted(episode_ids))
        return self.once(("paragraphs", story_id, wanted), lambda: self._read_starts(story_id, wanted))

    def _read_starts(self, story_id: str, episode_ids: Sequence[str]) -> Mapping[str, Sequence[int]]:
        prints = queries.tuples(self._driver, queries.TEXT_PRINTS, (story_id, r.dump(episode_ids)))
        return {
            episode_id: self._caches.starts((story_id, episode_id), print_, self._starts_of)
            for episode_id, print_ in prints
        }

    def _starts_of(self, address: tuple[str, str]) -> Sequence[int]:
        """Cut a text: what is kept of it are numbers."""
        text, cuts = queries.tuples(self._driver, queries.TEXT_AND_CUTS, address)[0]
        given = None if cuts is None else [(cut[0], cut[1]) for cut in r.load(cuts)]
        return array("q", [start for start, _ in episode_paragraphs(text, given)])

    def upto(self, story_id: str, cutoff: int, *, cap: int | None = None) -> int | None:
        """Give the position of the last live episode numbered `cutoff` or lower."""
        given = (story_id, or_highest(cutoff), or_highest(cap))
        return self.once(("upto", given), lambda: self._read_upto(given))

    def _read_upto(self, given: tuple[str, int, int]) -> int | None:
        found = queries.ask(self._driver, queries.UPTO, given)
        return int(found[0].order_key) if found else None

    def pending(
        self, story_id: str, cutoff: int, *, holders: Collection[str], cap: int | None = None
    ) -> tuple[int, ...]:
        """Give the numbers of live episodes up to `cutoff` that are not in these holders' memory yet."""
        given = {
            "story": story_id,
            "space": story_space(story_id),
            "cutoff": or_highest(cutoff),
            "cap": or_highest(cap),
            "holders": r.dump(sorted(holders)),
        }
        return tuple(row[0] for row in queries.tuples(self._driver, queries.PENDING, given))

    def versions(self, story_id: str, episode_id: str) -> tuple[EpisodeVersion, ...]:
        """Give every version of an episode's text."""
        rows = queries.ask(self._driver, queries.VERSIONS, (story_id, episode_id))
        return tuple(story_rows.version_in(row) for row in rows)

    def annotations(self, story_id: str, episode_id: str) -> Annotations:
        """Give the annotations of one episode."""
        base = queries.ask(self._driver, queries.BASE, (story_id, episode_id))
        rows = queries.ask(self._driver, queries.NOTES, (story_id, episode_id))
        return Annotations(
            rows=tuple(story_rows.annotation_in(row) for row in rows),
            base=tuple(r.load(base[0].base)) if base else (),
        )


class SqlEpisodesTransaction(SqlMemoryTransaction, SqlEpisodesView):
    """What is written of episodes."""

    def put_episode(self, story_id: str, episode: Episode, *, order_key: int) -> None:
        """Add an episode or replace it, and keep its version."""
        now = self._now()
        values = {**story_rows.episode_out(story_id, episode), "text_hash": exact_hash(episode.text)}
        values["order_key"] = order_key
        fresh = {
            "base": "[]",
            "notes_hash": "",
            "rows_hash": "",
            "annotated": False,
            "created_at": now,
        }
        queries.put(self._driver, "episodes", values, fresh)
        version = {
            "story_id": story_id,
            "episode_id": episode.episode_id,
            "version": episode.version,
            "title": episode.title,
        }
        queries.put(self._driver, "episode_versions", version, {"text": episode.text, "created_at": now})
        self._touch_story(story_id)

    def copy_episode(self, story_id: str, episode_id: str, target: str, *, order_key: int) -> None:
        """Copy an episode into another story, memories aside."""
        here, there = (story_id, episode_id), {"story_id": target}
        queries.copy(self._driver, "episodes", here, {**there, "order_key": order_key})
        for table in _COPIED:
            queries.copy(self._driver, table, here, there)
        queries.copy(self._driver, "memory_deltas", here, {**there, "deleted_at": self._now()})
        self._touch_story(target)

    def set_numbers(self, story_id: str, numbers: Mapping[str, int], keys: Mapping[str, int]) -> None:
        """Renumber episodes, and move memories along with those that change their order."""
        for sign in (-1, 1):
            # In two steps through negative values: numbers and keys are unique while they shift.
            moved_numbers = [(sign * no, story_id, episode_id) for episode_id, no in numbers.items()]
            self._driver.executemany(queries.SET_NO, moved_numbers)
            below = 1 if sign < 0 else 0
            moved_keys = [(sign * key - below, story_id, episode_id) for episode_id, key in keys.items()]
            self._driver.executemany(queries.SET_ORDER_KEY, moved_keys)
        space = story_space(story_id)
        for episode_id, key in keys.items():
            moved = {"key": key, "space": space, "episode": episode_id}
            for table in ("memories", "segments", "work"):
                self._driver.execute(_MOVE.format(table=table), moved)
        self._changed(space, [unit for unit in self.units(space) if episode_of(unit) in keys] if keys else [])
        self._touch_story(story_id)

    def set_deleted(self, story_id: str, episode_id: str, deleted_at: str | None) -> None:
        """Mark an episode deleted or live again, its deltas with it (S0-38)."""
        self._driver.execute(queries.SET_DELETED, (deleted_at, story_id, episode_id))
        self._touch_story(story_id)

    def shift_references(self, story_id: str, numbers: Mapping[int, int]) -> None:
        """Make aliases and quotes follow the numbers they name."""
        if not numbers:
            return
        given = {"shifted": r.dump(dict(numbers)), "story": story_id, "space": story_space(story_id)}
        for statement in queries.SHIFT_REFERENCES:
            self._driver.execute(statement, given)
        self._touch_story(story_id)

    def put_annotations(self, story_id: str, episode_id: str, given: Annotations) -> None:
        """Replace the annotations of an episode."""
        queries.clear(self._driver, "annotations", story_id, episode_id)
        queries.insert(
            self._driver,
            "annotations",
            [
                {
                    "story_id": story_id,
                    "episode_id": episode_id,
                    "ordinal": ordinal,
                    "paragraph_id": row.paragraph_id,
                    "paragraph_hash": row.paragraph_hash,
                    "known_by": r.audience_out(row.audience),
                    "extra": r.dump(row.extra),
                    "decided": row.decided,
                }
                for ordinal, row in enumerate(given.rows)
            ],
        )
        self._driver.execute(queries.SET_BASE, (r.dump(given.base), story_id, episode_id))

    def set_inputs(
        self, story_id: str, episode_id: str, *, notes_hash: str, rows_hash: str, annotated: bool
    ) -> None:
        """Record the hashes of what an episode's memory is made from."""
        self._driver.execute(queries.SET_INPUTS, (notes_hash, rows_hash, annotated, story_id, episode_id))

    def put_back(self, story_id: str, inputs: Mapping[str, str | None]) -> None:
        """Make these inputs what they were once; None takes one out."""
        undo.put_back(self._driver, story_id, inputs)
        for episode_id, word in undo.texts_in(inputs):
            episode, state = self.episode(story_id, episode_id), self.episode_state(story_id, episode_id)
            assert episode is not None
            assert state is not None
            former = undo.with_text(episode, word)
            self.put_episode(story_id, former, order_key=state.order_key)
        self._touch_story(story_id)
