"""The ledger's part for libraries: their documents, each in the version that was given last."""

from __future__ import annotations

from typing import Protocol

from kataribe.domain.knowledge.documents import Document, DocumentRecord, Library


class DocumentsView(Protocol):
    """What is read of libraries within one view; a space is a library's."""

    def libraries(self) -> tuple[Library, ...]:
        """Give all libraries, by id (author)."""

    def library(self, library_id: str) -> Library | None:
        """Give one library."""

    def documents(self, space: str) -> tuple[DocumentRecord, ...]:
        """Give the documents of a library without their texts, by name (author)."""

    def document(self, space: str, name: str) -> Document | None:
        """Give one document with its text (author)."""


class DocumentsTransaction(DocumentsView, Protocol):
    """What is written of libraries within one transaction."""

    def put_library(self, library: Library) -> None:
        """Add a library and its space, or replace what is recorded of it."""

    def delete_library(self, library_id: str) -> None:
        """Remove a library and all that belongs to it."""

    def put_document(self, space: str, document: Document) -> None:
        """Add a document, or put it in the place of the one of its name.

        What is remembered of that one stays; the caller hides or forgets it.
        """

    def delete_document(self, space: str, name: str) -> bool:
        """Remove a document; False when there was none. What is remembered of it stays."""
