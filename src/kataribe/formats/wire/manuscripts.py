"""What programs are shown of an import before it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypedDict

from kataribe.domain.story.folder import LeftOut, Uncut


class EpisodePreviewJson(TypedDict):
    """An episode as an import would make it; `line` is None for one that is a whole file.

    `cast` counts how often each of the cast is named in it.
    """

    no: int
    title: str | None
    file: str
    line: int | None
    characters: int
    scenes: int
    cast: dict[str, int]


class LeftOutJson(TypedDict):
    """What is no part of the story: lines `first` to `last` of a file, or None for both in a book."""

    file: str
    what: str
    first: int | None
    last: int | None


class UncutJson(TypedDict):
    """A long text that stays one episode, and how many headings were found in it."""

    file: str
    characters: int
    headings: int


class ImportPreviewJson(TypedDict):
    """The one object of `story import --dry-run --json`; nothing was changed.

    `new`, `edited` and `unchanged` are ids of episodes, `cast` counts whom of the cast the texts
    name, `strangers` what looks like a name and is not in the cast. `warnings` are sentences.
    """

    story: str
    language: str
    new: list[str]
    edited: list[str]
    unchanged: list[str]
    facts: int
    cast_changed: int
    joined: list[str]
    is_open: bool
    episodes: list[EpisodePreviewJson]
    cast: dict[str, int]
    strangers: dict[str, int]
    left_out: list[LeftOutJson]
    uncut: list[UncutJson]
    warnings: list[str]


class PreviewedEpisode(Protocol):
    """An episode as an import would make it."""

    @property
    def no(self) -> int:
        """Its number."""

    @property
    def title(self) -> str | None:
        """Its title."""

    @property
    def file(self) -> str:
        """The file it stands in."""

    @property
    def line(self) -> int | None:
        """The line it begins on."""

    @property
    def characters(self) -> int:
        """Characters of its text."""

    @property
    def scenes(self) -> int:
        """Stretches that separators and headings part."""

    @property
    def cast(self) -> Mapping[str, int]:
        """How often each of the cast is named."""


class Previewed(Protocol):
    """The episodes of an import, and who may be missing from the cast."""

    @property
    def language(self) -> str:
        """The language of the story."""

    @property
    def episodes(self) -> Sequence[PreviewedEpisode]:
        """The episodes, by number."""

    @property
    def strangers(self) -> Mapping[str, int]:
        """What is named like a person."""


class Tried(Protocol):
    """What an import would change."""

    new: list[str]
    edited: list[str]
    unchanged: list[str]
    facts: int
    cast_changed: int
    joined: list[str]
    is_open: bool
    left_out: list[LeftOut]
    uncut: list[Uncut]


def import_preview_json(
    story_id: str, report: Tried, preview: Previewed, warnings: Iterable[str]
) -> ImportPreviewJson:
    """Give what an import would bring in."""
    named: Counter[str] = Counter()
    for one in preview.episodes:
        named.update(one.cast)
    return {
        "story": story_id,
        "language": preview.language,
        "new": report.new,
        "edited": report.edited,
        "unchanged": report.unchanged,
        "facts": report.facts,
        "cast_changed": report.cast_changed,
        "joined": report.joined,
        "is_open": report.is_open,
        "episodes": [_episode(one) for one in preview.episodes],
        "cast": dict(sorted(named.items())),
        "strangers": dict(preview.strangers),
        "left_out": [_left_out(one) for one in report.left_out],
        "uncut": [_uncut(one) for one in report.uncut],
        "warnings": list(warnings),
    }


def _episode(one: PreviewedEpisode) -> EpisodePreviewJson:
    return {
        "no": one.no,
        "title": one.title,
        "file": one.file,
        "line": one.line,
        "characters": one.characters,
        "scenes": one.scenes,
        "cast": dict(one.cast),
    }


def _left_out(one: LeftOut) -> LeftOutJson:
    return {"file": one.file, "what": one.what.value, "first": one.first, "last": one.last}


def _uncut(one: Uncut) -> UncutJson:
    return {"file": one.file, "characters": one.characters, "headings": one.headings}
