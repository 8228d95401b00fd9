"""Libraries in the ledger, and their documents."""

from __future__ import annotations

from kataribe.adapters.sql import queries
from kataribe.adapters.sql.base import SqlPart
from kataribe.adapters.sql.rows import Row, Values, dump, load
from kataribe.adapters.sql.spaces import SqlSpacesTransaction
from kataribe.domain.knowledge.documents import (
    Document,
    DocumentRecord,
    DocumentSection,
    DocumentText,
    Library,
)
from kataribe.domain.records import SpaceState
from kataribe.domain.space import library_space

_LIBRARIES = """
SELECT l.library_id, l.language_told, p.language, p.embedder, p.embedder_id
FROM libraries l JOIN spaces p ON p.space = l.space
"""
_DOCUMENTS = "SELECT name, version, characters, pages, added_at FROM documents WHERE space = ? ORDER BY name"
_DOCUMENT = "SELECT * FROM documents WHERE space = ? AND name = ?"
_DELETE = "DELETE FROM documents WHERE space = ? AND name = ? RETURNING name"


class SqlDocumentsView(SqlPart):
    """What is read of libraries."""

    def libraries(self) -> tuple[Library, ...]:
        """Give all libraries, by id."""
        rows = queries.ask(self._driver, f"{_LIBRARIES} ORDER BY l.library_id")
        return tuple(_library_in(row) for row in rows)

    def library(self, library_id: str) -> Library | None:
        """Give one library."""
        return self.once(("library", library_id), lambda: self._read_library(library_id))

    def _read_library(self, library_id: str) -> Library | None:
        found = queries.ask(self._driver, f"{_LIBRARIES} WHERE l.space = ?", (library_space(library_id),))
        return _library_in(found[0]) if found else None

    def documents(self, space: str) -> tuple[DocumentRecord, ...]:
        """Give the documents of a library, by name."""
        return tuple(_record_in(row) for row in queries.ask(self._driver, _DOCUMENTS, (space,)))

    def document(self, space: str, name: str) -> Document | None:
        """Give one document."""
        found = queries.ask(self._driver, _DOCUMENT, (space, name))
        return _document_in(found[0]) if found else None


class SqlDocumentsTransaction(SqlSpacesTransaction, SqlDocumentsView):
    """What is written of libraries."""

    def put_library(self, library: Library) -> None:
        """Add a library and its space, or replace what is recorded of it."""
        space = library_space(library.library_id)
        state = SpaceState(
            space=space,
            language=library.language,
            embedder=library.embedder,
            embedder_id=library.embedder_id,
        )
        self.put_space(state)
        row = {"space": space, "library_id": library.library_id, "language_told": library.language_told}
        queries.put(self._driver, "libraries", row, {})

    def delete_library(self, library_id: str) -> None:
        """Remove a library; rows follow by foreign key."""
        self._driver.execute("DELETE FROM spaces WHERE space = ?", (library_space(library_id),))

    def put_document(self, space: str, document: Document) -> None:
        """Add a document or put it in the place of the one of its name."""
        queries.put(self._driver, "documents", _document_out(space, document), {})
        self._touch(space)

    def delete_document(self, space: str, name: str) -> bool:
        """Remove a document."""
        self._touch(space)
        return bool(self._driver.execute(_DELETE, (space, name)).fetchall())


def _library_in(row: Row) -> Library:
    return Library(
        library_id=row.library_id,
        language=row.language,
        embedder=row.embedder,
        embedder_id=row.embedder_id,
        language_told=bool(row.language_told),
    )


def _document_out(space: str, document: Document) -> Values:
    content = document.content
    return {
        "space": space,
        "name": document.name,
        "version": document.version,
        "source_hash": document.source_hash,
        "characters": len(content.text),
        "text": content.text,
        "sections": dump([(one.start, one.end, one.headings) for one in content.sections]),
        "pages": dump(content.pages),
        "empty_pages": dump(content.empty_pages),
        "added_at": document.added_at,
    }


def _record_in(row: Row) -> DocumentRecord:
    return DocumentRecord(
        name=row.name,
        version=row.version,
        characters=row.characters,
        pages=len(load(row.pages)),
        added_at=row.added_at,
    )


def _document_in(row: Row) -> Document:
    sections = tuple(
        DocumentSection(start=start, end=end, headings=tuple(headings))
        for start, end, headings in load(row.sections)
    )
    content = DocumentText(
        text=row.text,
        sections=sections,
        pages=tuple(load(row.pages)),
        empty_pages=tuple(load(row.empty_pages)),
    )
    return Document(
        name=row.name,
        version=row.version,
        source_hash=row.source_hash,
        content=content,
        added_at=row.added_at,
    )
