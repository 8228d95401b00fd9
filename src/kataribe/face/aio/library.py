"""One library: documents that are stored for good, and searched when that is asked."""

from __future__ import annotations

from pathlib import Path

from kataribe.domain.knowledge.documents import (
    Document,
    DocumentReceipt,
    Library,
    LibrarySearch,
    LibraryState,
)
from kataribe.domain.records import Verification
from kataribe.domain.terms import Language
from kataribe.engine import Engine
from kataribe.face.marks import author_read, library_read, write
from kataribe.face.spaces import space_named, spaces_named
from kataribe.formats.jsonl import read_bytes
from kataribe.tools import AsyncKnowledgeTool
from kataribe.work.task import SyncReport


class AsyncLibraryHandle:
    """One knowledge base of the store; there may be none of this id yet.

    What is in it comes into no recall, context or answer: it is searched here, or by the tool.
    """

    def __init__(self, engine: Engine, library_id: str) -> None:
        self._engine = engine
        self.library_id = library_id

    @write
    async def create(self, *, language: Language | None = None, embedder: str | None = None) -> Library:
        """Make the library. Without `language` its first document decides it. Raises `ConflictError`."""
        return await self._engine.add_library(self.library_id, language=language, embedder=embedder)

    @author_read
    async def info(self) -> Library:
        """Give what was chosen for the library. Raises `NotFoundError`."""
        return await self._engine.library(self.library_id)

    @author_read
    async def state(self) -> LibraryState:
        """Say how the library stands, document by document. Raises `NotFoundError`."""
        return await self._engine.library_state(self.library_id)

    @author_read
    async def document(self, name: str) -> Document:
        """Give a document with its text. Raises `NotFoundError`."""
        return await self._engine.document(self.library_id, name)

    @write
    async def add(self, path: str | Path, *, encoding: str | None = None) -> DocumentReceipt:
        """Add a file under its own name, or put it in the place of the document of that name.

        It is durable, and found, when this returns. A file that is stored already is left alone.
        Raises `FormatError` with the file and the reason, `InputError`, `NotFoundError`,
        `MissingExtraError`: what was there stays.
        """
        file = Path(path)
        return await self.put(file.name, read_bytes(file), encoding=encoding)

    @write
    async def put(self, name: str, data: bytes | str, *, encoding: str | None = None) -> DocumentReceipt:
        """Add what a file would hold, as `add` does; `name` says by its end which format it is."""
        given = data.encode() if isinstance(data, str) else data
        return await self._engine.put_document(self.library_id, name, given, encoding=encoding)

    @write
    async def remove(self, name: str) -> None:
        """Remove a document, and all that is found of it at once. Raises `NotFoundError`."""
        await self._engine.remove_document(self.library_id, name)

    @write
    async def delete(self) -> None:
        """Remove the library with all its documents. Raises `NotFoundError`."""
        await self._engine.delete_library(self.library_id)

    @library_read
    async def search(self, question: str, *, top_k: int = 5) -> LibrarySearch:
        """Give the passages that answer a question best, best first, each with where it stands.

        Raises `NotFoundError`, `InputError`.
        """
        return await self._engine.search_library(self.library_id, question, top_k=top_k)

    @library_read
    def search_tool(self) -> AsyncKnowledgeTool:
        """Make a tool for an agent that searches this library, and no other."""
        return AsyncKnowledgeTool(self.library_id, lambda query, top_k: self.search(query, top_k=top_k))

    @write
    async def sync(self, *, retry: bool = False) -> SyncReport:
        """Bring what is found up to the documents. `retry` tries dead letters again."""
        return await self._engine.sync(spaces_named(library=self.library_id), retry=retry)

    @write
    async def rebuild(self) -> SyncReport:
        """Cut and embed all documents again, with equal ids. Raises `NotFoundError`."""
        return await self._engine.rebuild_library(self.library_id)

    @author_read
    async def verify(self) -> Verification:
        """Compare what is found with what the documents say. Raises `NotFoundError`."""
        return await self._engine.verify(space_named(library=self.library_id))
