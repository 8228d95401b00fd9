"""Verbs for files of role-play programs: cards and lorebooks, into a story and out of it."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.story.folder import OWN, NewEpisode
from kataribe.domain.story.inputs import Episode, Fact, NameKind
from kataribe.domain.story.undo import Scope
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.engine.events import EventVerbs
from kataribe.errors import ConflictError
from kataribe.formats.cards.card import Card
from kataribe.formats.cards.lorebook import Lorebook
from kataribe.formats.cards.told import (
    BOOK,
    CardImport,
    Lore,
    book_of,
    card_episode,
    card_of,
    character_of,
    entry_of_fact,
    id_for,
    is_of_lore,
    is_scenario,
    lore_of_book,
    lore_of_card,
)
from kataribe.ports import Transaction, View
from kataribe.story.desk import cast as casts
from kataribe.story.desk.adding import add_facts, episodes_named
from kataribe.story.desk.putting import next_no, put_with_rows
from kataribe.story.desk.undo import CAST
from kataribe.story.extract_task import catch_up, catch_up_all
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import full_cast
from kataribe.work.task import Embedded


class CardVerbs(EventVerbs):
    """Bringing in cards and lorebooks, and giving them out."""

    async def import_card(self, story_id: str, card: Card, *, character_id: str | None = None) -> CardImport:
        """Bring a card into a story: its character into the cast, what it tells as an episode of facts.

        The same card again changes nothing; one that has changed changes what it brought. It is all
        done or nothing. Raises `NotFoundError`, `InputError`, `ConflictError`.
        """
        who = character_id or id_for(card.name)
        character = character_of(card, who)
        story = await self.story(story_id)
        lore = lore_of_card(card, who, story.language)
        vectors = await self._vectors_here(story_id, lore.texts)

        def run(tx: Transaction) -> CardImport:
            with self._recorded(tx, story_id, CAST) as step:
                step.summary = f"brought in the card of {who}"
                casts.merge_cast(tx, story_id, [character])
            return replace(self._told(tx, story_id, lore, vectors), character_id=who)

        return await self._write(run)

    async def import_lorebook(self, story_id: str, book: Lorebook, *, name: str) -> CardImport:
        """Bring a lorebook into a story as an episode of facts; `name` is its name where it has none.

        Raises `NotFoundError`, `InputError`, `ConflictError`.
        """
        story = await self.story(story_id)
        lore = lore_of_book(book, name, story.language)
        vectors = await self._vectors_here(story_id, lore.texts)
        return await self._write(lambda tx: self._told(tx, story_id, lore, vectors))

    def _told(self, tx: Transaction, story_id: str, lore: Lore, vectors: Embedded | None) -> CardImport:
        no, change, told = None, "none", len(lore.elsewhere)
        if lore.episode is not None:
            given = lore.episode.at(_number_of(tx, story_id, lore.episode))
            (done,) = put_with_rows(tx, story_id, [given], self._recording(tx, story_id))
            if vectors is not None and done.change != "unchanged":
                catch_up(tx, story_id, done.episode_id, vectors)
            no, change, told = done.no, done.change, told + len(given.facts or ())
        if lore.elsewhere:
            home = Scope(episodes=episodes_named(tx, story_id, lore.elsewhere))
            with self._recorded(tx, story_id, home) as step:
                step.summary = f"brought in {len(lore.elsewhere)} entries of a lorebook"
                added = add_facts(tx, story_id, lore.elsewhere, widen=True)
            if vectors is not None:
                catch_up_all(tx, story_id, added.episode_ids, vectors)
        return CardImport(character_id=None, episode_no=no, told=told, change=change)

    async def card(self, story_id: str, character_id: str) -> Card:
        """Give a character as a card, with its lore (author). Raises `NotFoundError`."""
        return await self._read(lambda view: _card(view, story_id, character_id))

    async def lorebook(self, story_id: str) -> Lorebook:
        """Give all that an author wrote or brought in as facts as a lorebook (author).

        Entries that came in lorebooks come out as they came, with what has changed since; each other
        fact is an entry that says who knows it and in which episode. Raises `NotFoundError`.
        """
        return await self._read(lambda view: _lorebook(view, story_id))


def _card(view: View, story_id: str, character_id: str) -> Card:
    story = story_of(view, story_id)
    character = casts.character_of(view, story_id, character_id)
    episode = _live(view, story_id, card_episode(character_id))
    if episode is None:
        return card_of(character, None, None)
    facts = _facts_of(view, story_id, episode)
    scenario = next((one for one in facts if is_scenario(one)), None)
    if BOOK not in episode.extra:
        return card_of(character, None, scenario)
    own = known_by(character_id)
    book = book_of(episode, facts, audience=own, language=story.language, name=character.name)
    return card_of(character, book, scenario)


def _lorebook(view: View, story_id: str) -> Lorebook:
    story = story_of(view, story_id)
    cast = full_cast(view, parts_of(view, story_id))
    names = [one.text for who in cast for one in who.aliases if one.kind is not NameKind.FIRST_PERSON]
    found = Lorebook(name=story.title or story_id)
    for state in view.episode_states(story_id):
        episode = _live(view, story_id, state.episode_id)
        if episode is None or episode.episode_id in {card_episode(who.character_id) for who in cast}:
            continue
        facts = _facts_of(view, story_id, episode)
        if BOOK in episode.extra:
            book = book_of(episode, facts, audience=PUBLIC, language=story.language)
            found = replace(found, entries=(*found.entries, *book.entries), rest={**book.rest, **found.rest})
        else:
            own = [entry_of_fact(fact, state.no, names) for fact in facts if BOOK not in fact.extra]
            found = replace(found, entries=(*found.entries, *own))
    return found


def _number_of(view: View, story_id: str, given: NewEpisode) -> int:
    """Give the number under which the lore stands, or will. Raises `ConflictError` for a deleted one."""
    assert given.row.episode_id is not None
    assert given.row.no == OWN
    state = view.episode_state(story_id, given.row.episode_id)
    if state is None:
        return next_no(view, story_id)
    if not state.is_live:
        raise ConflictError(
            f"episode {state.episode_id!r}, which holds it, was deleted; "
            f"type: kataribe episode restore {state.no} --story {story_id}"
        )
    return state.no


def _live(view: View, story_id: str, episode_id: str) -> Episode | None:
    state = view.episode_state(story_id, episode_id)
    return view.episode(story_id, episode_id) if state is not None and state.is_live else None


def _facts_of(view: View, story_id: str, episode: Episode) -> list[Fact]:
    """Give what an author supplied of an episode, and the facts of its lore wherever they stand."""
    return [
        fact
        for home, fact in view.facts(story_id)
        if home == episode.episode_id or is_of_lore(fact, episode.episode_id)
    ]
