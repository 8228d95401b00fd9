"""Writing the ledger: one transaction, many small steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from kataribe.adapters.sql import hot, undoing
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.generations import SqlGenerationWriting
from kataribe.adapters.sql.remembering import SqlRemembering
from kataribe.adapters.sql.schema import (
    changes,
    characters,
    episode_versions,
    episodes,
    extractions,
    facts,
    memories,
    memory_deltas,
    memory_vectors,
    mentions,
    names,
    notes,
    pins,
    segments,
    stories,
    suppressions,
)
from kataribe.adapters.sql.talk import SqlTalkWriting
from kataribe.domain.gate import story_space
from kataribe.domain.ids import exact_hash
from kataribe.domain.steps import Step
from kataribe.domain.story import (
    Annotations,
    Character,
    Episode,
    Fact,
    Story,
    Suppression,
)


class SqlWriting(SqlRemembering, SqlTalkWriting, SqlGenerationWriting):
    """One transaction of the ledger."""

    def put_story(self, story: Story) -> None:
        """Add a story, or replace what is recorded of it."""
        values = r.story_out(story)
        new = insert(stories).values(**values, revision=0, created_at=self._now())
        self._run(new.on_conflict_do_update(index_elements=[stories.c.story_id], set_=values))
        self._touch(story.story_id)

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id; its rows follow by foreign key."""
        self._run(sa.update(stories).where(stories.c.story_id == story_id).values(story_id=new_id))
        renamed = {"space": story_space(new_id)}
        for table in (memories, segments):
            self._run(sa.update(table).where(table.c.story_id == new_id).values(**renamed))
        self._forget_changes(story_id)
        self._forget_changes(new_id)
        self._touch(new_id)
        moved = {"parent_id": new_id, "revision": self._new_revision()}
        self._run(sa.update(stories).where(stories.c.parent_id == story_id).values(**moved))
        vectors = sa.update(memory_vectors).where(memory_vectors.c.story_id == story_id)
        self._run(vectors.values(story_id=new_id))

    def delete_story(self, story_id: str) -> None:
        """Remove a story and all that belongs to it."""
        self._run(sa.delete(stories).where(stories.c.story_id == story_id))
        self._forget_changes(story_id)

    def _forget_changes(self, story_id: str) -> None:
        """Leave one note that all of a space is another now."""
        space = story_space(story_id)
        self._run(sa.delete(changes).where(changes.c.space == space))
        self._changed(space, [""])

    # -- cast ------------------------------------------------------------------------------

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
        self._touch(story_id)

    def delete_character(self, story_id: str, character_id: str) -> None:
        """Take a character's declaration out."""
        c = characters.c
        self._run(sa.delete(characters).where(c.story_id == story_id, c.character_id == character_id))
        self._touch(story_id)

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
        self._touch(story_id)

    def _rename_knower(self, table: sa.Table, story_id: str, character_id: str, new_id: str) -> None:
        key = list(table.primary_key.columns)
        named = table.c.known_by.contains(r.dump(character_id), autoescape=True)
        for row in self._all(sa.select(*key, table.c.known_by).where(table.c.story_id == story_id, named)):
            members = {new_id if member == character_id else member for member in r.load(row.known_by)}
            this = sa.and_(*(column == value for column, value in zip(key, row, strict=False)))
            self._run(sa.update(table).where(this).values(known_by=r.dump(sorted(members))))

    # -- episodes --------------------------------------------------------------------------

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
            "wanted": "",
            "visible": False,
            "created_at": now,
        }
        hot.put(self._driver, episodes, values, fresh)
        version = {
            "story_id": story_id,
            "episode_id": episode.episode_id,
            "version": episode.version,
            "title": episode.title,
        }
        hot.put(self._driver, episode_versions, version, {"text": episode.text, "created_at": now})
        self._touch(story_id)

    def copy_episode(self, story_id: str, episode_id: str, target: str, *, order_key: int) -> None:
        """Copy an episode into another story, memories aside."""
        here, there = (story_id, episode_id), {"story_id": target}
        hidden = {"order_key": order_key, "wanted": "", "visible": False}
        hot.copy(self._driver, episodes, here, {**there, **hidden})
        for table in (episode_versions, notes, facts, suppressions, pins, mentions, extractions):
            hot.copy(self._driver, table, here, there)
        hot.copy(self._driver, memory_deltas, here, {**there, "deleted_at": self._now()})
        self._touch(target)

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
        m = memories.c
        for episode_id, key in keys.items():
            moved = sa.update(memories).where(m.story_id == story_id, m.episode_id == episode_id)
            self._run(moved.values(position=key))
            g = segments.c
            packed = sa.update(segments).where(g.story_id == story_id, g.episode_id == episode_id)
            self._run(packed.values(position=key))
        self._changed(story_space(story_id), keys)
        self._touch(story_id)

    def set_deleted(self, story_id: str, episode_id: str, deleted_at: str | None) -> None:
        """Mark an episode deleted or live again, its deltas with it (S0-38)."""
        c = episodes.c
        this = sa.update(episodes).where(c.story_id == story_id, c.episode_id == episode_id)
        self._run(this.values(deleted_at=deleted_at))
        self._touch(story_id)

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
        named = sa.and_(m.story_id == story_id, m.quote_no.in_(sorted(numbers)))
        self._run(sa.update(memories).where(named).values(quote_no=renamed))
        self._touch(story_id)

    # -- what is said of episodes ----------------------------------------------------------

    def put_annotations(self, story_id: str, episode_id: str, given: Annotations) -> None:
        """Replace the annotations of an episode."""
        hot.clear(self._driver, notes, story_id, episode_id)
        hot.insert(
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
        self._driver.execute(hot.SET_BASE, (r.dump(given.base), story_id, episode_id))

    def put_facts(self, story_id: str, episode_id: str, given: Iterable[Fact]) -> None:
        """Add facts or replace those of the same id."""
        hot.insert(self._driver, facts, [r.fact_out(story_id, episode_id, f) for f in given], replace=True)

    def delete_facts(self, story_id: str, fact_ids: Iterable[str]) -> None:
        """Remove supplied or hand-made facts."""
        self._driver.executemany(hot.DELETE_FACT, [(story_id, fact_id) for fact_id in fact_ids])

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
        self._touch(story_id)
        hot.clear(self._driver, mentions, story_id, episode_id)
        hot.insert(
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
        self._driver.execute(hot.SET_INPUTS, (notes_hash, rows_hash, annotated, story_id, episode_id))

    # -- undo ------------------------------------------------------------------------------

    def put_back(self, story_id: str, inputs: Mapping[str, str | None]) -> None:
        """Make these inputs what they were once; None takes one out."""
        undoing.put_back(self._driver, story_id, inputs)
        for episode_id, word in undoing.texts_in(inputs):
            episode, state = self.episode(story_id, episode_id), self.episode_state(story_id, episode_id)
            assert episode is not None
            assert state is not None
            former = undoing.with_text(episode, word)
            self.put_episode(story_id, former, order_key=state.order_key)
        self._touch(story_id)

    def put_step(self, story_id: str, step: Step, *, keep: int) -> None:
        """Append a step and forget all but the last `keep`."""
        undoing.put_step(self._driver, story_id, step, keep)

    def delete_step(self, story_id: str, number: int) -> None:
        """Forget a step."""
        self._driver.execute(undoing.DELETE_STEP, (story_id, number))
