"""What programs are shown of cards and lorebooks that were brought in."""

from __future__ import annotations

from typing import TypedDict

from kataribe.formats.cards.told import CardImport


class CardImportJson(TypedDict):
    """The one object of `card import --json` and `lorebook import --json`.

    `character` is None for a lorebook, `episode_no` where there is no episode of lore. `facts` are
    how many facts are told. `change`: `new`, `edited`, `unchanged`, or `none` without an episode.
    """

    story: str
    character: str | None
    episode_no: int | None
    facts: int
    change: str


def card_import_json(done: CardImport, story_id: str) -> CardImportJson:
    """Give what came of a card or a lorebook."""
    return {
        "story": story_id,
        "character": done.character_id,
        "episode_no": done.episode_no,
        "facts": done.told,
        "change": done.change,
    }
