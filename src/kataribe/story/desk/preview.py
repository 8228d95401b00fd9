"""What an import would bring in, before it does: episodes with their scenes and who is named in them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kataribe.domain.markup import plain
from kataribe.domain.story.folder import EpisodeRow
from kataribe.domain.story.inputs import Character, NameKind
from kataribe.domain.terms import Language
from kataribe.domain.text.headings import head_end
from kataribe.domain.text.naming import as_pattern, name_candidates
from kataribe.domain.text.paragraphs import is_heading, is_scene_break, paragraphs

LEAST_NAMED = 3
"""So often something that looks like a name must stand in a story before it is shown."""
_MOST_NAMES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodePreview:
    """An episode as an import would make it. `cast` counts how often each of the cast is named."""

    no: int
    title: str | None
    file: str
    line: int | None
    characters: int
    """Characters of its text."""
    scenes: int
    """Stretches of text that separators and headings part."""
    cast: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """The episodes of an import. `strangers` counts what is named like a person and not in the cast."""

    episodes: tuple[EpisodePreview, ...]
    strangers: Mapping[str, int]
    language: Language = "en"
    """That of the story as it would be."""


def preview(rows: Sequence[EpisodeRow], cast: Sequence[Character], language: Language) -> ImportPreview:
    """Look over the texts of an import, in the order of their numbers."""
    patterns = _patterns(cast)
    candidates: Counter[str] = Counter()
    episodes: list[EpisodePreview] = []
    for row in sorted(rows, key=lambda row: row.no):
        text = unicodedata.normalize("NFKC", plain(row.text[head_end(row.text) :]).text)
        candidates.update(name_candidates(text, language))
        named = {who: len(pattern.findall(text)) for who, pattern in patterns.items()}
        episodes.append(
            EpisodePreview(
                no=row.no,
                title=row.title,
                file=row.file,
                line=row.line,
                characters=len(row.text),
                scenes=scene_count(row.text),
                cast={who: count for who, count in named.items() if count},
            )
        )
    return ImportPreview(
        episodes=tuple(episodes), strangers=_strangers(candidates, patterns), language=language
    )


def scene_count(text: str) -> int:
    """Count the stretches of a text that hold words, parted by separators and headings."""
    body = text[head_end(text) :]
    count, is_open = 0, False
    for start, end in paragraphs(body):
        words = plain(body[start:end]).text
        if is_scene_break(words) or is_heading(words):
            is_open = False
        elif not is_open and re.search(r"[^\W_]", words):
            count, is_open = count + 1, True
    return count


def _patterns(cast: Sequence[Character]) -> dict[str, re.Pattern[str]]:
    """Give for each of the cast what finds their names, the longest first."""
    found: dict[str, re.Pattern[str]] = {}
    for character in cast:
        names = {
            _folded(alias.text) for alias in character.called() if alias.kind is not NameKind.FIRST_PERSON
        }
        names |= {_folded(character.character_id)}
        ordered = sorted(filter(None, names), key=lambda name: (-len(name), name))
        found[character.character_id] = re.compile("|".join(map(_bounded, ordered)))
    return found


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip()


def _bounded(name: str) -> str:
    """A pattern for a name: of Latin letters as a whole word."""
    head = r"(?<![^\W_])" if name[0].isascii() else ""
    tail = r"(?![^\W_\u3041-\u9fff])" if name[-1].isascii() else ""
    return head + as_pattern(name) + tail


def _strangers(candidates: Counter[str], patterns: Mapping[str, re.Pattern[str]]) -> dict[str, int]:
    often = [(name, count) for name, count in candidates.items() if count >= LEAST_NAMED]
    new = [
        (name, count)
        for name, count in sorted(often, key=lambda one: (-one[1], one[0]))
        if not any(pattern.search(name) for pattern in patterns.values())
    ]
    return dict(new[:_MOST_NAMES])
