"""What a card and a lorebook tell a story, and a story's facts as a lorebook again.

Entries become facts of one episode, the lore, each with its audience; `{{char}}` becomes the
character's name. What the book said beside stays with the episode, so that it comes out again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import check_id, digest
from kataribe.domain.story.folder import OWN, EpisodeRow, FactRow, NewEpisode
from kataribe.domain.story.inputs import (
    Address,
    Alias,
    Character,
    Description,
    Episode,
    Fact,
    NameKind,
)
from kataribe.domain.terms import PUBLIC, Audience, Language, known_by
from kataribe.errors import InputError
from kataribe.formats.cards.card import Card, CardSpec
from kataribe.formats.cards.lorebook import Lorebook, LoreEntry, book_in, book_object
from kataribe.formats.fields import Fields

CARD = "card"
"""Under which name of a character's extra fields its card is kept."""
BOOK = "lorebook"
"""Under which name of an episode's extra fields its lorebook is kept, and of a fact's its entry."""
_SCENARIO = "scenario"
_CHAR = re.compile(r"\{\{char\}\}|<BOT>|<CHAR>", re.IGNORECASE)
_USER = re.compile(r"\{\{user\}\}|<USER>", re.IGNORECASE)
_NOTE = re.compile(r"\{\{//[^{}]*\}\}")
_DECORATOR = re.compile(r"\A(?:@@.*(?:\n|\Z))+")
_UNFIT = re.compile(r"[:,\s]+")
_THE_USER: Mapping[Language, str] = {"en": "the user", "ja": "ユーザー"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lore:
    """What is put into a story: an episode of lore (None: nothing is told), and facts of other episodes."""

    episode: NewEpisode | None
    elsewhere: tuple[FactRow, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts of all facts, each once."""
        own = () if self.episode is None else self.episode.facts or ()
        return list(dict.fromkeys(fact.text for fact in (*own, *self.elsewhere)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CardImport:
    """What came of a card or a lorebook: the character, the episode of its lore, and its facts.

    `character_id` is None for a lorebook, `episode_no` where nothing was told. `told` counts the facts.
    """

    character_id: str | None
    episode_no: int | None
    told: int
    change: str
    """`new`, `edited` or `unchanged`: what became of the episode; `none` where there is none."""


def id_for(name: str) -> str:
    """Make the id of a character out of its name: `Captain Nova` is `captain-nova`."""
    plain = _UNFIT.sub("-", unicodedata.normalize("NFKC", name).casefold()).strip("-")
    kept = "".join(sign for sign in plain if unicodedata.category(sign)[0] != "C")
    try:
        return check_id(kept or f"card-{digest(name)[:8]}", "character id")
    except InputError:
        return f"card-{digest(name)[:8]}"


def card_episode(character_id: str) -> str:
    """Name the episode of a card's lore."""
    return f"card-{character_id}"


def is_scenario(fact: Fact) -> bool:
    """Whether a fact is the scenario of a card."""
    return fact.fact_id.startswith("card-") and fact.fact_id.endswith(f"-{_SCENARIO}")


def is_of_lore(fact: Fact, episode_id: str) -> bool:
    """Whether a fact is an entry of the lore of an episode, wherever it stands."""
    found = _entry_of(fact)
    return found is not None and found[0] == episode_id


def character_of(card: Card, character_id: str) -> Character:
    """Make the character of a card: its names, what all know of it and what it knows of itself."""
    names = [Alias(text=card.name, kind=NameKind.NAME)]
    nickname = card.text("nickname")
    if nickname and nickname != card.name:
        names.append(Alias(text=nickname, kind=NameKind.NICKNAME))
    own = Address(audience=known_by(character_id))
    told = [(card.text("description"), Address()), (card.text("personality"), own)]
    kept: dict[str, object] = {"spec": card.spec.value, "data": dict(card.data), "rest": dict(card.rest)}
    if card.book is not None and not _told_by(card.book):
        kept[BOOK] = book_object(card.book)
    return Character(
        character_id=character_id,
        aliases=tuple(names),
        descriptions=tuple(
            Description(text=_plain(text, card.name), address=address) for text, address in told if text
        ),
        extra={CARD: kept},
    )


def lore_of_card(card: Card, character_id: str, language: Language) -> Lore:
    """Give what a card tells beside its character, which holds it alone where the card says no more."""
    episode_id = card_episode(character_id)
    audience = known_by(character_id)
    scenario = card.text("scenario")
    first = []
    if scenario:
        text = _plain(scenario, card.name, language)
        fact_id = f"{episode_id}-{_SCENARIO}"
        first = [FactRow(fact_id=fact_id, episode_no=OWN, audience=audience, text=text)]
    book = card.book or Lorebook()
    title = book.name or card.name
    return _lore(episode_id, title, book, audience, name=card.name, language=language, first=first)


def lore_of_book(book: Lorebook, name: str, language: Language) -> Lore:
    """Give what a lorebook tells, which all know where an entry says nothing else."""
    title = book.name or name
    return _lore(f"lore-{id_for(title)}", title, book, PUBLIC, name=None, language=language)


def _lore(
    episode_id: str,
    title: str,
    book: Lorebook,
    audience: Audience,
    *,
    name: str | None,
    language: Language,
    first: Sequence[FactRow] = (),
) -> Lore:
    rows = [*first, *_rows(book, episode_id, audience, name, language)]
    own = tuple(row for row in rows if row.episode_no == OWN)
    elsewhere = tuple(row for row in rows if row.episode_no != OWN)
    if not own:
        return Lore(episode=None, elsewhere=elsewhere)
    extra = {BOOK: book_object(book)} if book.entries else {}
    text = "\n\n".join(row.text for row in own)
    row = EpisodeRow(file="", no=OWN, text=text, episode_id=episode_id, title=title, extra=extra)
    return Lore(episode=NewEpisode(row=row, facts=own), elsewhere=elsewhere)


def _rows(
    book: Lorebook, episode_id: str, audience: Audience, name: str | None, language: Language
) -> Iterable[FactRow]:
    for number, entry in _told_by(book):
        yield FactRow(
            fact_id=f"{episode_id}-{number}",
            episode_no=OWN if entry.episode is None else entry.episode,
            audience=entry.audience or audience,
            text=_told(entry, name, language),
            extra={BOOK: [episode_id, number]},
        )


def _told_by(book: Lorebook) -> list[tuple[int, LoreEntry]]:
    numbered = enumerate(book.entries, 1)
    return [(number, one) for number, one in numbered if one.enabled and _plain(one.content, None)]


def _told(entry: LoreEntry, name: str | None, language: Language) -> str:
    """Say what an entry says; where none of its keys stands in it, what it is of is put before it."""
    text = _plain(entry.content, name, language)
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not entry.keys or any(unicodedata.normalize("NFKC", key).casefold() in folded for key in entry.keys):
        return text
    return f"{entry.keys[0]}{'：' if language == 'ja' else ': '}{text}"


def _plain(text: str, name: str | None, language: Language = "en") -> str:
    """Leave out what is meant for the program alone, and put names in place of placeholders."""
    said = _USER.sub(_THE_USER[language], _NOTE.sub("", _DECORATOR.sub("", text)))
    return (said if name is None else _CHAR.sub(name, said)).strip()


# -- and back ------------------------------------------------------------------------------


def card_of(character: Character, lore: Lorebook | None, scenario: Fact | None) -> Card:
    """Give a character as a card: the one it came from with what has changed since, or a new one."""
    kept = character.extra.get(CARD)
    came = kept if isinstance(kept, dict) else {}
    data = dict(came.get("data") or {})
    data["name"] = character.name
    for field, text in _described(character).items():
        if _plain(str(data.get(field) or ""), character.name) != text:
            data[field] = text
    if scenario is not None and _SCENARIO not in data:
        data[_SCENARIO] = scenario.text
    for field in ("description", "personality", "scenario", "first_mes", "mes_example"):
        data.setdefault(field, "")
    held = came.get(BOOK)
    if lore is None and isinstance(held, dict):
        lore = book_in(Fields(held, file="", where="the lorebook: "))
    spec = CardSpec(str(came.get("spec", CardSpec.V3)))
    return Card(name=character.name, spec=spec, data=data, book=lore, rest=dict(came.get("rest") or {}))


def _described(character: Character) -> dict[str, str]:
    """Give what stands in a card's fields: what all know of somebody, and what it alone knows."""
    own = known_by(character.character_id)
    public = [one.text for one in character.descriptions if one.address == Address()]
    secret = [one.text for one in character.descriptions if one.address.audience == own]
    found = {"description": "\n".join(public), "personality": "\n".join(secret)}
    return {name: text for name, text in found.items() if text}


def book_of(
    episode: Episode,
    facts: Sequence[Fact],
    *,
    audience: Audience,
    language: Language,
    name: str | None = None,
) -> Lorebook:
    """Give the lorebook of an episode of lore as its facts stand now; `facts` are those of its entries too.

    An entry whose fact is gone is left out, one that was never told stays, and further facts of the
    episode are further entries. `audience` is what goes without saying, `name` that of the card's character.
    """
    held = episode.extra.get(BOOK)
    book = Lorebook(name=episode.title)
    if isinstance(held, dict):
        book = book_in(Fields(held, file="", where="the lorebook: "))
    by_entry = {_entry_of(fact): fact for fact in facts}
    told = dict(_told_by(book))
    entries: list[LoreEntry] = []
    for number, entry in enumerate(book.entries, 1):
        fact = by_entry.get((episode.episode_id, number))
        if number not in told:
            entries.append(entry)
        elif fact is not None:
            entries.append(_again(entry, fact, audience, _told(entry, name, language)))
    more = [fact for fact in facts if _entry_of(fact) is None and not is_scenario(fact)]
    entries += [entry_of_fact(fact, None, ()) for fact in more]
    return replace(book, entries=tuple(entries))


def _entry_of(fact: Fact) -> tuple[str, int] | None:
    found = fact.extra.get(BOOK)
    if isinstance(found, list) and len(found) == 2 and isinstance(found[1], int):
        return str(found[0]), found[1]
    return None


def _again(entry: LoreEntry, fact: Fact, audience: Audience, said: str) -> LoreEntry:
    told = entry.content if fact.text == said else fact.text
    by = fact.audience if entry.audience is not None or fact.audience != audience else None
    return replace(entry, content=told, audience=by)


def entry_of_fact(fact: Fact, no: int | None, names: Iterable[str]) -> LoreEntry:
    """Make an entry of a fact, called for by the names that stand in it, or by its first words."""
    found = [name for name in names if name in fact.text]
    keys = found or [fact.text[:_KEY].split("。")[0].split(". ")[0]]
    return LoreEntry(keys=tuple(keys), content=fact.text, audience=fact.audience, episode=no)


_KEY = 24
"""Characters of a fact that stand for a key where it names nobody."""
