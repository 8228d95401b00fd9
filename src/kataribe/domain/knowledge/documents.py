"""Libraries and their documents: what is stored of each, and what is remembered of it."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.gate import Viewer
from kataribe.domain.ids import MAX_ID_LENGTH, WORLD, check_id, check_text, digest, text_hash
from kataribe.domain.memory import Backend, Excerpt, Kind, Memory, PassageHit, Reason, passage_words
from kataribe.domain.terms import FactOrigin, Language, check_language
from kataribe.domain.text.chunk import DEFAULT_OVERLAP, DEFAULT_SIZE, chunk
from kataribe.domain.text.tokens import tokens
from kataribe.errors import InputError

FORMATS = (".txt", ".md", ".html", ".pdf", ".docx")
"""What a document's name may end in, in any case; `.htm` and `.markdown` are read as well."""
FIRST_VERSION = 1
CUT = f"{DEFAULT_SIZE}/{DEFAULT_OVERLAP}-1"
"""Names the rule by which documents are cut: under another rule every document is made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A knowledge base: in which language and by which embedder its documents are remembered.

    `language_told` says that a person named the language; otherwise the first document decides it.
    """

    library_id: str
    language: Language
    embedder: str
    embedder_id: str
    language_told: bool = True

    def __post_init__(self) -> None:
        check_id(self.library_id, "library id")
        check_language(self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryViewer(Viewer):
    """Who searches a library: nobody in particular, since what its documents say is the world's."""

    library: str

    def __post_init__(self) -> None:
        check_id(self.library, "library id")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSection:
    """A part of a document, text[start:end], and the headings it stands under, the highest first.

    The headings themselves stand before it. One that is empty is a heading with nothing below it.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """What a file says: its text, its sections in order, and where its pages begin (empty: it has none).

    `empty_pages` are the numbers of pages without text: pictures of a page, perhaps.
    """

    text: str
    sections: tuple[DocumentSection, ...]
    pages: tuple[int, ...] = ()
    empty_pages: tuple[int, ...] = ()

    def page_at(self, place: int) -> int | None:
        """Give the number of the page on which a character stands; None where there are no pages."""
        return max(bisect_right(self.pages, place), 1) if self.pages else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document without its text: its version, its length in characters, and how many pages it has."""

    name: str
    version: int
    characters: int
    pages: int
    added_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it is stored. `source_hash` is that of the file's bytes; `added_at` is ISO 8601."""

    name: str
    version: int
    source_hash: str
    content: DocumentText
    added_at: str

    def __post_init__(self) -> None:
        if self.version < FIRST_VERSION:
            raise InputError(f"a document's version counts from {FIRST_VERSION}, not {self.version}")
        check_text(self.content.text, "a document's text")

    @property
    def record(self) -> DocumentRecord:
        """What it is without its text."""
        return DocumentRecord(
            name=self.name,
            version=self.version,
            characters=len(self.content.text),
            pages=len(self.content.pages),
            added_at=self.added_at,
        )

    @property
    def has_said(self) -> tuple[str, DocumentText]:
        """What decides whether a file has changed: its bytes, and what was read in them."""
        return (self.source_hash, self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """How a document stands: its version, its length in characters, and how much of it is found.

    `passages` counts those that a search finds; `is_pending` says that the version stored last is
    not among them yet.
    """

    name: str
    version: int
    characters: int
    pages: int
    passages: int
    added_at: str
    is_pending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryState:
    """How a library stands: its documents by name."""

    library: Library
    documents: tuple[DocumentState, ...]

    @property
    def passages(self) -> int:
        """How many passages a search finds."""
        return sum(one.passages for one in self.documents)

    @property
    def pending_documents(self) -> int:
        """How many documents are not in memory as they were stored last."""
        return sum(one.is_pending for one in self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReceipt:
    """What came of adding a document.

    `is_unchanged`: the file is the one that is stored, and nothing was done. `replaced` is the version
    that was there before (None: it is new). `pending` says why it is not found yet (None: it is).
    """

    library: Library
    name: str
    version: int
    passages: int
    is_unchanged: bool = False
    replaced: int | None = None
    empty_pages: tuple[int, ...] = ()
    pending: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySearch:
    """What a search in a library found, best first; `pending` names documents that are not searched yet."""

    library: str
    hits: tuple[PassageHit, ...]
    backend: Backend
    pending: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPassage:
    """A piece of a document that is found by itself."""

    index: int
    text: str
    excerpt: Excerpt

    @property
    def words(self) -> str:
        """What is embedded of it."""
        return passage_words(self.excerpt.headings, self.text)


def check_document_name(name: str) -> str:
    """Give the name under which a document is kept; raise `InputError` for what cannot be one.

    It is written composed (NFC): what one system calls a file another calls the same way.
    """
    check_text(name, "document name")
    kept = unicodedata.normalize("NFC", name)
    if not kept.strip() or kept != kept.strip() or not kept.isprintable() or len(kept) > MAX_ID_LENGTH:
        raise InputError(
            f"document name {kept[:40]!r} must be printable, without blanks around it, and have 1 to "
            f"{MAX_ID_LENGTH} characters"
        )
    if any(sign in kept for sign in ":/\\"):
        raise InputError(f"document name {kept!r} may hold no colon and no slash; it is a file's name alone")
    return kept


def passages_of(document: Document) -> tuple[DocumentPassage, ...]:
    """Cut a document: each section by itself, at the best places in reach."""
    cut = enumerate(_cut(document.name, document.content))
    return tuple(DocumentPassage(index=index, text=text, excerpt=where) for index, (text, where) in cut)


def _cut(name: str, content: DocumentText) -> Iterator[tuple[str, Excerpt]]:
    for at, section in enumerate(content.sections):
        text = content.text[section.start : section.end]
        spans = chunk(text)
        for start, end in spans:
            page = content.page_at(section.start + start)
            yield text[start:end], Excerpt(document=name, headings=section.headings, page=page)
        if not spans and section.headings and _stands_alone(content, at):
            # Nothing is below it: the heading is all there is to find.
            page = content.page_at(section.start)
            above = section.headings[:-1]
            yield section.headings[-1], Excerpt(document=name, headings=above, page=page)


def _stands_alone(content: DocumentText, at: int) -> bool:
    """Whether no later heading stands below that of an empty section."""
    mine = content.sections[at].headings
    below = content.sections[at + 1 : at + 2]
    return not any(one.headings[: len(mine)] == mine for one in below)


def passage_id(document: str, version: int, index: int) -> str:
    """Make a passage's id out of its document, that one's version, and its place there."""
    return f"p-{digest('passage', document)[:12]}-v{version}-{index:05}"


def passage_memories(space: str, document: Document) -> tuple[Memory, ...]:
    """Make what is remembered of a document: the world's, at its version."""
    return tuple(
        Memory(
            memory_id=f"passage:{passage_id(document.name, document.version, one.index)}",
            space=space,
            holder=WORLD,
            position=document.version,
            episode_id="",
            episode_no=0,
            fact_id=passage_id(document.name, document.version, one.index),
            version=document.version,
            fact_index=one.index,
            text=one.text,
            text_hash=text_hash(one.words),
            origin=FactOrigin.EXTRACTED,
            place=one.index,
            reason=Reason.WRITTEN,
            kind=Kind.PASSAGE,
            excerpt=one.excerpt,
        )
        for one in passages_of(document)
    )


def passage_terms(memory: Memory, language: Language) -> list[str]:
    """Give the keywords that find a passage: those of its headings too."""
    return list(tokens(memory.words, language))


def document_fingerprint(document: Document, *, language: Language, embedder_id: str) -> str:
    """Say what a document's passages are made from."""
    content = document.content
    parts = (repr(content.sections), repr(content.pages), content.text)
    return digest("passages", CUT, language, embedder_id, document.name, str(document.version), *parts)
