"""Files of role-play programs: character cards and lorebooks, into a story and out of it."""

from __future__ import annotations

from pathlib import Path

from kataribe.engine import Engine
from kataribe.face.marks import author_read, write
from kataribe.formats.cards.card import Card, read_card
from kataribe.formats.cards.lorebook import Lorebook, read_lorebook
from kataribe.formats.cards.told import CardImport


class AsyncCardsHandle:
    """Character cards and lorebooks of one story."""

    def __init__(self, engine: Engine, story_id: str) -> None:
        self._engine = engine
        self.story_id = story_id

    @write
    async def import_card(self, card: str | Path | Card, *, character_id: str | None = None) -> CardImport:
        """Bring in a card (JSON, PNG or charx): a character of the cast, and its lore as an episode of facts.

        What it tells is held by its character alone, unless an entry says who else. Without
        `character_id` the id is made of the name. The same card again changes nothing. Raises `InputError`,
        `ConflictError`, `NotFoundError`, and `FormatError` with the place of what is malformed.
        """
        read = card if isinstance(card, Card) else read_card(Path(card))
        return await self._engine.import_card(self.story_id, read, character_id=character_id)

    @author_read
    async def card(self, character_id: str) -> Card:
        """Give a character as a card, with its lore. Raises `NotFoundError`."""
        return await self._engine.card(self.story_id, character_id)

    @write
    async def import_lorebook(self, book: str | Path | Lorebook, *, name: str = "lorebook") -> CardImport:
        """Bring in a lorebook or World Info as an episode of facts, which all know where none says who.

        `name` is its name where it has none. Raises `InputError`, `ConflictError`, `NotFoundError`, and
        `FormatError` with the place of what is malformed.
        """
        if isinstance(book, Lorebook):
            return await self._engine.import_lorebook(self.story_id, book, name=name)
        file = Path(book)
        return await self._engine.import_lorebook(self.story_id, read_lorebook(file), name=file.stem)

    @author_read
    async def lorebook(self) -> Lorebook:
        """Give what an author supplied as facts as a lorebook. Raises `NotFoundError`."""
        return await self._engine.lorebook(self.story_id)
