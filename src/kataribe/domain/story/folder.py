"""A story as it travels in a folder: what a file says, before a store has seen it.

Every row keeps the 1-based `line` it came from, so that a refusal can name it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.story.groups import Group
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import DEFAULT_IMPORTANCE, Audience, Extra, FactOrigin, FactSource, Language
from kataribe.errors import FormatError

OWN = 0
"""The number of an episode in a row that does not say one: the row is of the episode it comes with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRow:
    """A line of `episodes.jsonl`, or one text file."""

    line: int | None = None
    file: str = "episodes.jsonl"
    episode_id: str | None = None
    no: int
    title: str | None = None
    text: str
    paragraphs: tuple[tuple[str, str], ...] | None = None
    """(id, text) in order; each text stands in the episode's text, one after another."""
    fact_source: FactSource | None = None
    base: tuple[str, ...] | None = None
    """Hashes of the paragraphs its annotations were given for (see `Annotations.base`)."""
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRow:
    """A line of `facts.jsonl`."""

    line: int | None = None
    file: str = "facts.jsonl"
    fact_id: str | None = None
    episode_no: int
    audience: Audience
    text: str
    quote: str | None = None
    quote_no: int | None = None
    importance: int = DEFAULT_IMPORTANCE
    arousal: float | None = None
    pinned: bool = False
    supersedes: str | None = None
    told_from: str | None = None
    origin: FactOrigin = FactOrigin.SUPPLIED
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityRow:
    """A line of `visibility.jsonl`: `paragraph_id` None speaks of the whole episode."""

    line: int | None = None
    file: str = "visibility.jsonl"
    episode_no: int
    to: int | None = None
    """The last episode of a range that begins with `episode_no`, as a file may say it: a row for each."""
    paragraph_id: str | None = None
    paragraph_hash: str | None = None
    """Given by an export: binds to this text instead of to the paragraph of that id."""
    decided: int | None = None
    """Given by an export of one decided in review, see `Annotation`."""
    audience: Audience
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """A line of `decisions.jsonl`: an extracted fact struck out or pinned by a person."""

    line: int | None = None
    file: str = "decisions.jsonl"
    episode_no: int
    suppressed: tuple[str, str] | None = None
    """(holder, text hash), else None."""
    pinned: str | None = None
    """A fact id, else None."""


class Matter(StrEnum):
    """What stands around a story in its file."""

    HEADER = "header"
    TITLE_PAGE = "title page"
    CONTENTS = "contents"
    """A table of contents, with the title page before it."""
    COLOPHON = "colophon"
    LICENCE = "licence"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What is no part of the story: the lines `first` to `last` of a file, from 1 on, both counted in.

    Both are None for what a book itself marks as such: it has no lines.
    """

    file: str
    first: int | None = None
    last: int | None = None
    what: Matter


@dataclass(frozen=True, slots=True, kw_only=True)
class BookText:
    """What was taken out of a book, written as a manuscript, and what was left in it."""

    text: str
    left_out: tuple[Matter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncut:
    """A long text that is one episode: it has no headings, or stands in a folder of several files."""

    file: str
    characters: int
    headings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFolder:
    """Everything a folder says. None means that the file is not there."""

    title: str | None = None
    language: Language | None = None
    embedder: str | None = None
    audience: AudienceMode | None = None
    extra: Extra = field(default_factory=dict)
    episodes: tuple[EpisodeRow, ...]
    cast: tuple[Character, ...] | None = None
    groups: tuple[Group, ...] | None = None
    facts: tuple[FactRow, ...] | None = None
    visibility: tuple[VisibilityRow, ...] | None = None
    decisions: tuple[DecisionRow, ...] | None = None
    left_out: tuple[LeftOut, ...] = ()
    uncut: tuple[Uncut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """An episode with its rows, read and checked; None leaves those it has as they are."""

    row: EpisodeRow
    facts: tuple[FactRow, ...] | None = None
    annotations: tuple[VisibilityRow, ...] | None = None

    @property
    def texts(self) -> list[str]:
        """The texts of its facts, each once."""
        return list(dict.fromkeys(fact.text for fact in self.facts or ()))

    def at(self, no: int) -> NewEpisode:
        """Give it under a number. Raises `FormatError` for a row that names another episode."""
        return NewEpisode(
            row=replace(self.row, no=no),
            facts=None if self.facts is None else _bound(self.facts, no),
            annotations=None if self.annotations is None else _bound(self.annotations, no),
        )


_Row = TypeVar("_Row", FactRow, VisibilityRow)


def _bound(read: tuple[_Row, ...], no: int) -> tuple[_Row, ...]:
    for row in read:
        if row.episode_no not in (OWN, no):
            raise FormatError(
                f"it names episode {row.episode_no}, and comes with episode {no}; "
                f"leave episode_no out, or put it with its own episode",
                file=row.file,
                line=row.line,
            )
    return tuple(replace(row, episode_no=no) for row in read)
