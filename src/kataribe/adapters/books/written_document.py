"""Putting a document together: paragraphs under headings, on pages where there are any."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from kataribe.domain.knowledge.documents import DocumentSection, DocumentText
from kataribe.errors import FormatError

MOST_CHARACTERS = 32 * 2**20
"""Characters of one document."""
_BETWEEN = "\n\n"


class HeadingPath:
    """The headings that a place of a document stands under, the highest first."""

    def __init__(self) -> None:
        self._held: list[tuple[int, str]] = []

    def enter(self, level: int, words: str) -> None:
        """Take up a heading; those of its level and below end."""
        self._held = [one for one in self._held if one[0] < level]
        self._held.append((level, words))

    @property
    def words(self) -> tuple[str, ...]:
        """The headings in words."""
        return tuple(words for _, words in self._held)


@dataclass(slots=True)
class DocumentWriter:
    """Takes headings and paragraphs in their order; `name` is the file that is named where one is refused."""

    name: str
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _start: int = 0
    _path: HeadingPath = field(default_factory=HeadingPath)
    _sections: list[DocumentSection] = field(default_factory=list)
    _pages: list[int] = field(default_factory=list)
    _is_open: bool = False

    def heading(self, level: int, words: str) -> None:
        """Begin what stands under a heading; an empty one is none."""
        said = " ".join(words.split())
        if not said:
            return
        self._close()
        self.paragraph(said)
        self._start, self._is_open = self._length, True
        self._path.enter(level, said)

    def paragraph(self, text: str) -> None:
        """Add a paragraph; one without text is left out."""
        if not text.strip():
            return
        kept = f"{text.strip()}{_BETWEEN}"
        self._length += len(kept)
        if self._length > MOST_CHARACTERS:
            raise FormatError(
                f"there are more than {MOST_CHARACTERS // 2**20} million characters in it; divide it",
                file=self.name,
            )
        self._parts.append(kept)

    def page(self) -> None:
        """Begin a page."""
        self._pages.append(self._length)

    def done(self, *, title: str = "", empty_pages: tuple[int, ...] = ()) -> DocumentText:
        """Give the document; `title` stands above all of one that has no heading."""
        self._close()
        sections = tuple(self._sections)
        if title and not any(one.headings for one in sections):
            sections = tuple(
                DocumentSection(start=one.start, end=one.end, headings=(title,)) for one in sections
            )
        return DocumentText(
            text="".join(self._parts), sections=sections, pages=tuple(self._pages), empty_pages=empty_pages
        )

    def _close(self) -> None:
        if self._length > self._start or self._is_open:
            one = DocumentSection(start=self._start, end=self._length, headings=self._path.words)
            self._sections.append(one)


def unreadable_share(text: str) -> float:
    """Give the share of characters that no reader can make sense of, 0 to 1."""
    seen = [char for char in text if not char.isspace()]
    odd = sum(unicodedata.category(char) in ("Co", "Cn", "Cc") or char == "\ufffd" for char in seen)
    return odd / max(1, len(seen))
