"""What programs are shown of libraries: their documents, and the passages that a search finds."""

from __future__ import annotations

from typing import TypedDict

from kataribe.domain.knowledge.documents import (
    DocumentReceipt,
    DocumentState,
    Library,
    LibrarySearch,
    LibraryState,
)
from kataribe.domain.memory import PassageHit


class LibraryJson(TypedDict):
    """A line of `kb list --json`, and the one object of `kb create --json`."""

    id: str
    language: str
    language_told: bool
    embedder: str
    embedder_id: str


class LibraryStateJson(TypedDict):
    """A library with how many documents it has, and how many of their passages are found."""

    id: str
    language: str
    language_told: bool
    embedder: str
    embedder_id: str
    documents: int
    passages: int
    pending: int


class DocumentJson(TypedDict):
    """A line of `kb show --json`; `pages` is None where the format has none."""

    library: str
    document: str
    version: int
    characters: int
    pages: int | None
    passages: int
    added_at: str
    pending: bool


class DocumentReceiptJson(TypedDict):
    """A line of `kb add --json`: what came of a file; with `error` it was refused."""

    library: str
    document: str
    ok: bool
    version: int | None
    replaced: int | None
    unchanged: bool
    passages: int
    empty_pages: list[int]
    pending: str | None
    error: str | None


class PassageJson(TypedDict):
    """A passage that a search found, and where it stands."""

    text: str
    document: str
    headings: list[str]
    page: int | None
    version: int
    id: str
    score: float | None


class LibrarySearchJson(TypedDict):
    """The one object of `kb search --json`; `pending` names documents that are not searched yet."""

    library: str
    hits: list[PassageJson]
    pending: list[str]
    embedder: str
    warnings: list[str]


def library_json(library: Library) -> LibraryJson:
    """Give what was chosen for a library."""
    return {
        "id": library.library_id,
        "language": library.language,
        "language_told": library.language_told,
        "embedder": library.embedder,
        "embedder_id": library.embedder_id,
    }


def library_state_json(state: LibraryState) -> LibraryStateJson:
    """Give how a library stands."""
    return {
        **library_json(state.library),
        "documents": len(state.documents),
        "passages": state.passages,
        "pending": state.pending_documents,
    }


def document_json(library_id: str, one: DocumentState) -> DocumentJson:
    """Give how a document stands."""
    return {
        "library": library_id,
        "document": one.name,
        "version": one.version,
        "characters": one.characters,
        "pages": one.pages or None,
        "passages": one.passages,
        "added_at": one.added_at,
        "pending": one.is_pending,
    }


def document_receipt_json(receipt: DocumentReceipt) -> DocumentReceiptJson:
    """Give what came of a file that was added."""
    return {
        "library": receipt.library.library_id,
        "document": receipt.name,
        "ok": True,
        "version": receipt.version,
        "replaced": receipt.replaced,
        "unchanged": receipt.is_unchanged,
        "passages": receipt.passages,
        "empty_pages": list(receipt.empty_pages),
        "pending": receipt.pending,
        "error": None,
    }


def refused_json(library_id: str, name: str, reason: str) -> DocumentReceiptJson:
    """Give a file that was refused, and why."""
    return {
        "library": library_id,
        "document": name,
        "ok": False,
        "version": None,
        "replaced": None,
        "unchanged": False,
        "passages": 0,
        "empty_pages": [],
        "pending": None,
        "error": reason,
    }


def passage_json(hit: PassageHit) -> PassageJson:
    """Give a passage with where it stands."""
    return {
        "text": hit.text,
        "document": hit.document,
        "headings": list(hit.headings),
        "page": hit.page,
        "version": hit.version,
        "id": hit.fact_id,
        "score": hit.score,
    }


def library_search_json(found: LibrarySearch) -> LibrarySearchJson:
    """Give what a search in a library found."""
    return {
        "library": found.library,
        "hits": [passage_json(hit) for hit in found.hits],
        "pending": list(found.pending),
        "embedder": found.backend.embedder,
        "warnings": list(found.warnings),
    }
