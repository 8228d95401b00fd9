"""What an author hands in: stories, casts, episodes, annotations and facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import check_id, check_text
from kataribe.domain.terms import (
    DEFAULT_IMPORTANCE,
    PUBLIC,
    RULES,
    Audience,
    Extra,
    FactOrigin,
    FactSource,
    Language,
    check_arousal,
    check_language,
)
from kataribe.domain.text.name_parts import NamePart, id_parts, name_parts
from kataribe.errors import InputError


class NameKind(StrEnum):
    """What an alias is to its character."""

    NAME = "name"
    SURNAME = "surname"
    GIVEN = "given"
    NICKNAME = "nickname"
    TITLE = "title"
    FIRST_PERSON = "first_person"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """From which episode number on, and by whom, a name or description is known.

    `since` 0 means from the start; a viewer sees it when its cutoff is at least `since`.
    """

    since: int = 0
    audience: Audience = PUBLIC

    def __post_init__(self) -> None:
        if self.since < 0:
            raise InputError(f"an alias is known from episode 0 (the start) or later, not {self.since}")
        if self.audience.is_empty:
            raise InputError("an alias known by nobody is refused; name who knows it or make it public")

    def is_known(self, *, viewer: str | None, cutoff: int) -> bool:
        """Whether `viewer` (None: someone outside the cast) knows it after episode `cutoff`."""
        if self.since > cutoff:
            return False
        return self.audience.world or (viewer is not None and viewer in self.audience.members)


EVERYONE_ALWAYS = Address()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A name by which a character is called, and who knows that it is theirs."""

    text: str
    kind: NameKind = NameKind.OTHER
    address: Address = EVERYONE_ALWAYS
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_text(self.text, "alias")
        if not self.text.strip():
            raise InputError("an alias must not be empty")


@dataclass(frozen=True, slots=True)
class ImpliedName:
    """What a name or an id is shortened to, known by whom the name itself is known."""

    part: NamePart
    address: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A sentence about a character, and who knows it."""

    text: str
    address: Address = EVERYONE_ALWAYS
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_text(self.text, "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Narration:
    """Episodes that a character tells: numbers `since` to `until`, both inclusive.

    With `told_to` it is a telling (a letter, a diary, a testimony): its teller and those it is
    told to hold it, and nobody else who appears in it.
    """

    since: int
    until: int
    told_to: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_no(self.since, "the first episode of a narration")
        check_no(self.until, "the last episode of a narration")
        if self.until < self.since:
            raise InputError(f"a narration ends at episode {self.until} before it begins at {self.since}")
        for one in self.told_to:
            check_id(one, "character id in told_to")

    def covers(self, no: int) -> bool:
        """Whether episode `no` is told so."""
        return self.since <= no <= self.until


@dataclass(frozen=True, slots=True, kw_only=True)
class Character:
    """One of the cast.

    `aliases` holds the name too (kind `name`). `declared` is False for a character known
    only from facts or annotations: such a one is there `since` the earliest live episode
    that names it.
    """

    character_id: str
    aliases: tuple[Alias, ...] = ()
    descriptions: tuple[Description, ...] = ()
    declared: bool = True
    since: int = 0
    narrates: tuple[Narration, ...] = ()
    """The episodes it tells; in a cast as of one episode only what covers that episode."""
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_id(self.character_id, "character id")

    @property
    def name(self) -> str:
        """The first public name, else the id: what an author's listing shows."""
        for alias in self.aliases:
            if alias.kind is NameKind.NAME and alias.address == EVERYONE_ALWAYS:
                return alias.text
        return self.character_id

    def called(self) -> tuple[Alias, ...]:
        """Give every text that names the character; the id stands in where no name is given."""
        if any(alias.kind is NameKind.NAME for alias in self.aliases):
            return self.aliases
        own = Alias(text=self.character_id, kind=NameKind.NAME, address=Address(since=self.since))
        return (own, *self.aliases)

    def implied(self) -> tuple[ImpliedName, ...]:
        """Give what the names and the id stand for beside themselves: parts, in either order.

        A part has the address of its name, so one of a secret name is as secret. What the
        character is called anyway is not among them. Who is not declared is known by an id alone, perhaps
        out of somebody's secret, which must change nothing for others (P2): nothing is implied.
        """
        if not self.declared:
            return ()
        called = self.called()
        found = [
            ImpliedName(part, alias.address)
            for alias in called
            if alias.kind is NameKind.NAME
            for part in name_parts(alias.text)
        ]
        found += [ImpliedName(part, Address(since=self.since)) for part in id_parts(self.character_id)]
        return tuple(one for one in found if not any(one.part.text == alias.text for alias in called))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A story and the choices made for it when it was created."""

    story_id: str
    title: str | None = None
    language: Language
    language_told: bool = False
    """True when the language was told from the first text instead of being given."""
    embedder: str
    """Name of the embedder (an entry point), e.g. `chive`."""
    embedder_id: str
    """Name and version of what made the vectors; a mismatch refuses search (S4-98)."""
    extractor_id: str
    """Name and version of what reads its texts; a new one makes extracted episodes stale."""
    extractor: str = RULES
    """Name of the extractor: `rules`, or a model as `provider:name`."""
    parent: str | None = None
    """The story this one is a branch of, None for a story of its own (S1-6)."""
    fork_episode_id: str | None = None
    """The parent's last episode that a branch reads; bound to the id, so it moves with the number."""
    audience: AudienceMode = AudienceMode.EVIDENT
    """How sure a guess must be to be somebody's memory; one for a story and its branches."""
    extra: Extra = field(default_factory=dict)

    @property
    def asks_model(self) -> bool:
        """Whether a language model reads its texts."""
        return self.extractor != RULES

    def __post_init__(self) -> None:
        check_id(self.story_id, "story id")
        check_language(self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """An author's word on who may remember a paragraph, or a whole episode (`paragraph_hash` None)."""

    audience: Audience
    paragraph_id: str | None = None
    paragraph_hash: str | None = None
    decided: int | None = None
    """Of one decided in review: which of the paragraphs with this hash it speaks of, 0 the first.

    It speaks of that paragraph alone: no other counts as written since because of it.
    """
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """All annotations of one episode.

    `base` holds the hashes of the paragraphs that stood there when the annotations were
    given, so that a paragraph written since can be told from one left to the default.
    """

    rows: tuple[Annotation, ...] = ()
    base: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact an author supplied in a file or made by hand.

    `quote_no` is the number of the episode the quote stands in (None: the fact's own).
    `importance` is 1..5 (S1-5); `arousal` is 0 to 1, None when nobody
    said (S4-83). `supersedes` and `told_from` are fact ids and may name
    facts that are not there.
    """

    fact_id: str
    text: str
    audience: Audience
    origin: FactOrigin = FactOrigin.SUPPLIED
    quote: str | None = None
    quote_no: int | None = None
    importance: int = DEFAULT_IMPORTANCE
    pinned: bool = False
    supersedes: str | None = None
    told_from: str | None = None
    arousal: float | None = None
    ordinal: int = 0
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_id(self.fact_id, "fact id")
        check_arousal(self.arousal)
        check_text(self.text, "fact text")
        if not self.text.strip():
            raise InputError("a fact's text must not be empty")
        if self.audience.is_empty:
            raise InputError(
                "a secret needs at least one character who knows it; name them or make it public"
            )
        if isinstance(self.importance, bool) or self.importance not in range(1, 6):
            raise InputError(f"importance must be a whole number from 1 to 5, not {self.importance!r}")
        for linked, what in ((self.supersedes, "supersedes"), (self.told_from, "told_from")):
            if linked is not None:
                check_id(linked, f"fact id in {what}")
        if self.quote is not None:
            check_text(self.quote, "quote")
            if not self.quote:
                raise InputError("a quote must not be empty; leave it out instead")
        if self.quote_no is not None and self.quote_no < 1:
            raise InputError(f"a quote's episode must be 1 or more, not {self.quote_no}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A fact the author struck out of what is extracted: it stays out when text is read again."""

    holder: str
    """`world`, a character id, or the empty string for what waited in review."""
    text_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One chapter of a story, as it stands now."""

    episode_id: str
    no: int
    text: str
    title: str | None = None
    version: int = 1
    fact_source: FactSource = FactSource.EXTRACTED
    paragraph_ids: tuple[tuple[str, str], ...] | None = None
    """Ids and texts of the paragraphs when the author's file cut them, else None."""
    deleted_at: str | None = None
    extra: Extra = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_id(self.episode_id, "episode id")
        check_no(self.no)
        check_text(self.text)
        if self.title is not None:
            check_text(self.title, "title")


def check_no(no: int, what: str = "episode number") -> int:
    """Give `no` back when it is a whole number from 1 on, else raise `InputError`."""
    if isinstance(no, bool) or not isinstance(no, int) or not 1 <= no < 2**31:
        raise InputError(f"{what} must be a whole number from 1 on, not {no!r}")
    return no
