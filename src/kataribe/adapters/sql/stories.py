"""Stories in the ledger: casts, episodes, facts and decisions; each query is named after what it asks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from kataribe.adapters.sql import queries, undo
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, or_highest
from kataribe.adapters.sql.journal import SqlJournalTransaction
from kataribe.adapters.sql.memory import SqlMemoryTransaction, delta_of
from kataribe.adapters.sql.schema import (
    characters,
    episode_versions,
    episodes,
    extractions,
    facts,
    memories,
    memory_deltas,
    mentions,
    names,
    notes,
    pins,
    stories,
    suppressions,
)
from kataribe.adapters.sql.spaces import SqlSpacesTransaction
from kataribe.domain.ids import digest, exact_hash
from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.records import Delta, EpisodeState, EpisodeVersion, SpaceState
from kataribe.domain.space import episode_of, holder_of, story_space
from kataribe.domain.story.inputs import (
    Annotations,
    Character,
    Episode,
    Fact,
    Story,
    Suppression,
)

_MOVE = """
UPDATE {table} SET position = :key
WHERE space = :space AND (unit = :episode OR unit > :episode || ':' AND unit < :episode || ';')
"""


class SqlStoriesView(SqlPart):
    """What is read of stories."""

    def stories(self) -> tuple[Story, ...]:
        """Give all stories, by id."""
        rows = queries.ask(self._driver, f"{queries.STORIES} ORDER BY s.story_id")
        return tuple(r.story_in(row) for row in rows)

    def story(self, story_id: str) -> Story | None:
        """Give one story."""
        return self._caches.story(story_id, self._revision(story_space(story_id)), self._read_story)

    def _read_story(self, story_id: str) -> Story | None:
        found = queries.ask(self._driver, queries.STORY, (story_id,))
        return r.story_in(found[0]) if found else None

    def characters(self, story_id: str) -> tuple[Character, ...]:
        """Give the declared cast in its order."""
        return self._caches.cast(story_id, self._revision(story_space(story_id)), self._read_cast)

    def _read_cast(self, story_id: str) -> tuple[Character, ...]:
        called: dict[str, list[r.Row]] = {}
        for row in queries.ask(self._driver, queries.NAMES, (story_id,)):
            called.setdefault(row.character_id, []).append(row)
        cast = queries.ask(self._driver, queries.CAST, (story_id,))
        return tuple(r.character_in(row, called.get(row.character_id, [])) for row in cast)

    def branches(self, story_id: str) -> tuple[Story, ...]:
        """Give the stories that are branches of this one."""
        return tuple(r.story_in(row) for row in queries.ask(self._driver, queries.BRANCHES, (story_id,)))

    def mentioned(self, story_id: str, *, cap: int | None = None) -> Mapping[str, int]:
        """Give who is named by the rows of live episodes, and from which number on."""

        def read(_: str) -> Mapping[str, int]:
            rows = queries.ask(self._driver, queries.MENTIONED, {"story": story_id, "cap": or_highest(cap)})
            return {row.character_id: row.since for row in rows}

        return self._caches.mentioned(f"{story_id}:{cap}", self._revision(story_space(story_id)), read)

    @staticmethod
    def _of(story_id: str) -> tuple[str, str]:
        return story_space(story_id), story_id

    def episode_states(self, story_id: str) -> tuple[EpisodeState, ...]:
        """Give all episodes without texts."""
        rows = queries.ask(self._driver, f"{queries.STATES} ORDER BY e.no, e.order_key", self._of(story_id))
        return tuple(r.state_in(row) for row in rows)

    def episode_state(self, story_id: str, episode_id: str) -> EpisodeState | None:
        """Give one episode without its text."""
        rows = queries.ask(
            self._driver, f"{queries.STATES} AND e.episode_id = ?", (*self._of(story_id), episode_id)
        )
        return r.state_in(rows[0]) if rows else None

    def live_at(self, story_id: str, no: int) -> EpisodeState | None:
        """Give the live episode of this number without its text."""
        sql = f"{queries.STATES} AND e.deleted_at IS NULL AND e.no = ?"
        rows = queries.ask(self._driver, sql, (*self._of(story_id), no))
        return r.state_in(rows[0]) if rows else None

    def keys_around(
        self, story_id: str, no: int, *, leaving_out: str | None = None
    ) -> tuple[int | None, int | None]:
        """Give the order keys an episode of this number belongs between."""
        given = {"story": story_id, "no": no, "but": leaving_out}
        found = queries.ask(self._driver, queries.KEYS_AROUND, given)[0]
        return found.lower, found.upper

    def first_annotated(self, story_id: str, *, cap: int | None = None) -> int | None:
        """Give the lowest number of a live episode with annotations or inline marks."""
        given = (story_id, or_highest(cap))
        found: int | None = queries.ask(self._driver, queries.FIRST_ANNOTATED, given)[0].no
        return found

    def named_by(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give whom the rows of an episode name."""
        rows = queries.ask(self._driver, queries.NAMED_BY, (story_id, episode_id))
        return frozenset(row.character_id for row in rows)

    def episode(self, story_id: str, episode_id: str) -> Episode | None:
        """Give one episode with its text."""
        rows = queries.ask(self._driver, queries.EPISODE, (story_id, episode_id))
        return r.episode_in(rows[0]) if rows else None

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

    def upto(self, story_id: str, cutoff: int, *, cap: int | None = None) -> int | None:
        """Give the position of the last live episode numbered `cutoff` or lower."""
        given = (story_id, or_highest(cutoff), or_highest(cap))
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
        c = episode_versions.c
        query = sa.select(episode_versions).where(c.story_id == story_id, c.episode_id == episode_id)
        return tuple(r.version_in(row) for row in self._all(query.order_by(c.version)))

    def annotations(self, story_id: str, episode_id: str) -> Annotations:
        """Give the annotations of one episode."""
        base = queries.ask(self._driver, queries.BASE, (story_id, episode_id))
        rows = queries.ask(self._driver, queries.NOTES, (story_id, episode_id))
        return Annotations(
            rows=tuple(r.annotation_in(row) for row in rows),
            base=tuple(r.load(base[0].base)) if base else (),
        )

    def facts(self, story_id: str, episode_id: str | None = None) -> tuple[tuple[str, Fact], ...]:
        """Give supplied and hand-made facts."""
        if episode_id is None:
            rows = queries.ask(self._driver, queries.FACTS, (story_id,))
        else:
            rows = queries.ask(self._driver, queries.FACTS_OF_EPISODE, (story_id, episode_id))
        return tuple((row.episode_id, r.fact_in(row)) for row in rows)

    def fact(self, story_id: str, fact_id: str) -> tuple[str, Fact] | None:
        """Give one supplied or hand-made fact."""
        c = facts.c
        row = self._one(sa.select(facts).where(c.story_id == story_id, c.fact_id == fact_id))
        return None if row is None else (row.episode_id, r.fact_in(row))

    def suppressions(self, story_id: str, episode_id: str) -> tuple[Suppression, ...]:
        """Give what was struck out of an episode's extraction."""
        rows = queries.ask(self._driver, queries.SUPPRESSIONS, (story_id, episode_id))
        return tuple(Suppression(holder=row.holder, text_hash=row.text_hash) for row in rows)

    def pins(self, story_id: str, episode_id: str) -> frozenset[str]:
        """Give the pinned extracted facts of an episode."""
        return frozenset(
            row.fact_id for row in queries.ask(self._driver, queries.PINS, (story_id, episode_id))
        )

    def extraction(self, story_id: str, episode_id: str, fingerprint: str) -> Extraction | None:
        """Give a kept extraction; the fingerprint holds the text, so its spans are of the text as it is."""
        rows = queries.ask(self._driver, queries.EXTRACTION, (story_id, episode_id, fingerprint))
        return r.extraction_in(rows[0]) if rows else None

    def deltas(self, story_id: str, episode_id: str) -> tuple[Delta, ...]:
        """Give what each version of an episode put into memory."""
        c = memory_deltas.c
        query = sa.select(memory_deltas).where(c.story_id == story_id, c.episode_id == episode_id)
        return tuple(r.delta_in(row) for row in self._all(query.order_by(c.version, c.delta_id)))


class SqlStoriesTransaction(
    SqlMemoryTransaction, SqlSpacesTransaction, SqlJournalTransaction, SqlStoriesView
):
    """What is written of stories."""

    def put_story(self, story: Story) -> None:
        """Add a story and its space, or replace what is recorded of it."""
        queries.put(self._driver, stories, r.story_out(story), {"created_at": self._now()})
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
        c = characters.c
        last = sa.select(sa.func.coalesce(sa.func.max(c.ordinal), -1) + 1).where(c.story_id == story_id)
        new = insert(characters).values(
            story_id=story_id,
            character_id=character.character_id,
            ordinal=last.scalar_subquery(),
            extra=r.dump(character.extra),
        )
        self._run(
            new.on_conflict_do_update(
                index_elements=[c.story_id, c.character_id], set_={"extra": r.dump(character.extra)}
            )
        )
        self._run(
            sa.delete(names).where(
                names.c.story_id == story_id, names.c.character_id == character.character_id
            )
        )
        self._run(sa.insert(names), r.names_out(story_id, character))
        self._touch_story(story_id)

    def delete_character(self, story_id: str, character_id: str) -> None:
        """Take a character's declaration out."""
        c = characters.c
        self._run(sa.delete(characters).where(c.story_id == story_id, c.character_id == character_id))
        self._touch_story(story_id)

    def rename_character(self, story_id: str, character_id: str, new_id: str) -> None:
        """Give a character another id wherever inputs name it."""
        for named in (characters, mentions):
            theirs = sa.and_(named.c.story_id == story_id, named.c.character_id == character_id)
            # An episode that names both ids names one from now on.
            renamed = sa.update(named).prefix_with("OR REPLACE").where(theirs)
            self._run(renamed.values(character_id=new_id))
        c = suppressions.c
        chosen = sa.update(suppressions).prefix_with("OR REPLACE")
        chosen = chosen.where(c.story_id == story_id, c.holder == character_id)
        self._run(chosen.values(holder=new_id))
        for table in (names, notes, facts):
            self._rename_knower(table, story_id, character_id, new_id)
        self._touch_story(story_id)

    def _rename_knower(self, table: sa.Table, story_id: str, character_id: str, new_id: str) -> None:
        key = list(table.primary_key.columns)
        named = table.c.known_by.contains(r.dump(character_id), autoescape=True)
        for row in self._all(sa.select(*key, table.c.known_by).where(table.c.story_id == story_id, named)):
            members = {new_id if member == character_id else member for member in r.load(row.known_by)}
            this = sa.and_(*(column == value for column, value in zip(key, row, strict=False)))
            self._run(sa.update(table).where(this).values(known_by=r.dump(sorted(members))))

    def put_episode(self, story_id: str, episode: Episode, *, order_key: int) -> None:
        """Add an episode or replace it, and keep its version."""
        now = self._now()
        values = {**r.episode_out(story_id, episode), "text_hash": exact_hash(episode.text)}
        values["order_key"] = order_key
        fresh = {
            "base": "[]",
            "notes_hash": "",
            "rows_hash": "",
            "annotated": False,
            "created_at": now,
        }
        queries.put(self._driver, episodes, values, fresh)
        version = {
            "story_id": story_id,
            "episode_id": episode.episode_id,
            "version": episode.version,
            "title": episode.title,
        }
        queries.put(self._driver, episode_versions, version, {"text": episode.text, "created_at": now})
        self._touch_story(story_id)

    def copy_episode(self, story_id: str, episode_id: str, target: str, *, order_key: int) -> None:
        """Copy an episode into another story, memories aside."""
        here, there = (story_id, episode_id), {"story_id": target}
        queries.copy(self._driver, episodes, here, {**there, "order_key": order_key})
        for table in (episode_versions, notes, facts, suppressions, pins, mentions, extractions):
            queries.copy(self._driver, table, here, there)
        queries.copy(self._driver, memory_deltas, here, {**there, "deleted_at": self._now()})
        self._touch_story(target)

    def set_numbers(self, story_id: str, numbers: Mapping[str, int], keys: Mapping[str, int]) -> None:
        """Renumber episodes, and move memories along with those that change their order."""
        c = episodes.c
        for sign in (-1, 1):
            # In two steps through negative values: numbers and keys are unique while they shift.
            for episode_id, no in numbers.items():
                this = sa.update(episodes).where(c.story_id == story_id, c.episode_id == episode_id)
                self._run(this.values(no=sign * no))
            for episode_id, key in keys.items():
                this = sa.update(episodes).where(c.story_id == story_id, c.episode_id == episode_id)
                self._run(this.values(order_key=sign * key - (1 if sign < 0 else 0)))
        space = story_space(story_id)
        for episode_id, key in keys.items():
            moved = {"key": key, "space": space, "episode": episode_id}
            for table in ("memories", "segments", "work"):
                self._driver.execute(_MOVE.format(table=table), moved)
        self._changed(space, [unit for unit in self.units(space) if episode_of(unit) in keys] if keys else [])
        self._touch_story(story_id)

    def set_deleted(self, story_id: str, episode_id: str, deleted_at: str | None) -> None:
        """Mark an episode deleted or live again, its deltas with it (S0-38)."""
        c = episodes.c
        this = sa.update(episodes).where(c.story_id == story_id, c.episode_id == episode_id)
        self._run(this.values(deleted_at=deleted_at))
        self._touch_story(story_id)

    def shift_references(self, story_id: str, numbers: Mapping[int, int]) -> None:
        """Make aliases and quotes follow the numbers they name."""
        if not numbers:
            return
        for column in (names.c.since, facts.c.quote_no):
            table = column.table
            renamed = sa.case(numbers, value=column, else_=column)
            named = sa.and_(table.c.story_id == story_id, column.in_(sorted(numbers)))
            self._run(sa.update(table).where(named).values({column.name: renamed}))
        m = memories.c
        renamed = sa.case(numbers, value=m.quote_no, else_=m.quote_no)
        named = sa.and_(m.space == story_space(story_id), m.quote_no.in_(sorted(numbers)))
        self._run(sa.update(memories).where(named).values(quote_no=renamed))
        self._touch_story(story_id)

    def put_annotations(self, story_id: str, episode_id: str, given: Annotations) -> None:
        """Replace the annotations of an episode."""
        queries.clear(self._driver, notes, story_id, episode_id)
        queries.insert(
            self._driver,
            notes,
            [
                {
                    "story_id": story_id,
                    "episode_id": episode_id,
                    "ordinal": ordinal,
                    "paragraph_id": row.paragraph_id,
                    "paragraph_hash": row.paragraph_hash,
                    "known_by": r.audience_out(row.audience),
                    "extra": r.dump(row.extra),
                }
                for ordinal, row in enumerate(given.rows)
            ],
        )
        self._driver.execute(queries.SET_BASE, (r.dump(given.base), story_id, episode_id))

    def put_facts(self, story_id: str, episode_id: str, given: Iterable[Fact]) -> None:
        """Add facts or replace those of the same id."""
        queries.insert(
            self._driver, facts, [r.fact_out(story_id, episode_id, f) for f in given], replace=True
        )

    def delete_facts(self, story_id: str, fact_ids: Iterable[str]) -> None:
        """Remove supplied or hand-made facts."""
        self._driver.executemany(queries.DELETE_FACT, [(story_id, fact_id) for fact_id in fact_ids])

    def put_suppressions(self, story_id: str, episode_id: str, given: Iterable[Suppression]) -> None:
        """Add suppressions."""
        rows = [
            {
                "story_id": story_id,
                "episode_id": episode_id,
                "holder": row.holder,
                "text_hash": row.text_hash,
            }
            for row in given
        ]
        if rows:
            self._run(insert(suppressions).on_conflict_do_nothing(), rows)

    def set_pin(self, story_id: str, episode_id: str, fact_id: str, *, pinned: bool) -> None:
        """Pin or unpin an extracted fact."""
        values = {"story_id": story_id, "episode_id": episode_id, "fact_id": fact_id}
        if pinned:
            self._run(insert(pins).values(**values).on_conflict_do_nothing())
        else:
            c = pins.c
            theirs = sa.and_(c.story_id == story_id, c.episode_id == episode_id)
            self._run(sa.delete(pins).where(theirs, c.fact_id == fact_id))

    def put_mentions(self, story_id: str, episode_id: str, character_ids: Collection[str]) -> None:
        """Record which characters the rows of an episode name."""
        self._touch_story(story_id)
        queries.clear(self._driver, mentions, story_id, episode_id)
        queries.insert(
            self._driver,
            mentions,
            [
                {"story_id": story_id, "episode_id": episode_id, "character_id": character_id}
                for character_id in sorted(character_ids)
            ],
        )

    def set_inputs(
        self, story_id: str, episode_id: str, *, notes_hash: str, rows_hash: str, annotated: bool
    ) -> None:
        """Record the hashes of what an episode's memory is made from."""
        self._driver.execute(queries.SET_INPUTS, (notes_hash, rows_hash, annotated, story_id, episode_id))

    def put_extraction(
        self,
        story_id: str,
        episode_id: str,
        fingerprint: str,
        extraction: Extraction,
        *,
        text: str,
        beside: Collection[str] = (),
    ) -> None:
        """Keep an extraction beside those that models were asked for, and those that are wanted too."""
        self._driver.execute(queries.DROP_FREE_EXTRACTIONS, (story_id, episode_id, r.dump(sorted(beside))))
        row = {
            "story_id": story_id,
            "episode_id": episode_id,
            "fingerprint": fingerprint,
            "made_at": self._now(),
            **r.extraction_out(extraction, text),
        }
        queries.insert(self._driver, extractions, [row], replace=True)

    def put_deltas(
        self, story_id: str, episode_id: str, given: Sequence[Memory], *, holder: str | None = None
    ) -> None:
        """Record what an episode puts into memory now."""
        latest = max((one.version for one in given), default=0)
        share = self._share(story_id, episode_id, holder)
        self._driver.execute(queries.REPLACED_DELTAS, {**share, "latest": latest})
        self._driver.execute(queries.OLDER_DELTAS, {**share, "gone": self._now()})
        shares: dict[str, list[Memory]] = {}
        for one in given:
            if not one.in_review:
                shares.setdefault(delta_of(one), []).append(one)
        queries.insert(
            self._driver,
            memory_deltas,
            [
                {
                    "story_id": story_id,
                    "delta_id": delta,
                    "episode_id": episode_id,
                    "version": theirs[0].version,
                    "scope": r.scope_of(theirs[0].holder),
                    "character_id": theirs[0].holder,
                    "facts": r.dump([[one.fact_id, one.text] for one in theirs]),
                    "hash": digest(theirs[0].holder, *(one.text_hash for one in theirs)),
                    "deleted_at": None,
                }
                for delta, theirs in shares.items()
            ],
        )

    def show_deltas(self, story_id: str, shown: Mapping[str, bool]) -> None:
        """Mark the latest deltas of these units as in memory, or as gone."""
        for unit, is_shown in shown.items():
            share = self._share(story_id, episode_of(unit), holder_of(unit))
            self._driver.execute(queries.SET_DELTAS, {**share, "gone": None if is_shown else self._now()})

    @staticmethod
    def _share(story_id: str, episode_id: str, holder: str | None) -> dict[str, object]:
        return {
            "story": story_id,
            "space": story_space(story_id),
            "episode": episode_id,
            "holder": holder,
        }

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
