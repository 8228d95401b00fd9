"""Libraries by name."""

from __future__ import annotations

from kataribe.domain.knowledge.documents import Document, Library
from kataribe.domain.space import library_space
from kataribe.errors import NotFoundError
from kataribe.ports import DocumentsView


def library_of(view: DocumentsView, library_id: str) -> Library:
    """Give a library. Raises `NotFoundError`."""
    library = view.library(library_id)
    if library is None:
        raise NotFoundError(f"there is no library {library_id!r}; `kataribe kb list` shows them")
    return library


def document_of(view: DocumentsView, library_id: str, name: str) -> Document:
    """Give a document of a library that is there. Raises `NotFoundError`."""
    document = view.document(library_space(library_id), name)
    if document is None:
        raise NotFoundError(
            f"library {library_id!r} has no document {name!r}; `kataribe kb show {library_id}` shows them"
        )
    return document
