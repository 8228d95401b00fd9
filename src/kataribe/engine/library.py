"""Verbs for libraries: documents are stored, cut and remembered, and searched when that is asked."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from functools import partial

from kataribe.domain.knowledge.documents import (
    FIRST_VERSION,
    Document,
    DocumentReceipt,
    DocumentRecord,
    DocumentState,
    DocumentText,
    Library,
    LibrarySearch,
    LibraryState,
    LibraryViewer,
    check_document_name,
)
from kataribe.domain.memory import PassageHit, Recollection
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.records import Trace
from kataribe.domain.space import library_space
from kataribe.domain.terms import Language
from kataribe.engine.base import Base, check_installed
from kataribe.engine.kinds import LIBRARIES
from kataribe.engine.noting import Noting
from kataribe.engine.outside import OutsideReads
from kataribe.engine.request import RecallRequest, recall_request
from kataribe.engine.tracing import traced
from kataribe.errors import ConflictError, KataribeError
from kataribe.formats.detect import told_language
from kataribe.formats.documents import read_document
from kataribe.knowledge.homes import document_of, library_of
from kataribe.knowledge.owner import LibraryOwner
from kataribe.knowledge.store import (
    StoredDocument,
    add_library,
    rebuild,
    remove_document,
    settle_language,
    store_document,
)
from kataribe.ports import Transaction, View
from kataribe.read.path import RecallQuestion
from kataribe.read.path import recall as recall_for
from kataribe.work.crew import Crew, work_through
from kataribe.work.task import SyncReport

_LOOKS = 8
"""How often a question is embedded anew because the library has changed meanwhile."""
_UNPLANNED = SearchPlan(made_by="none")


class LibraryUpkeep(Base):
    """Making libraries, and storing documents in them."""

    async def add_library(
        self, library_id: str, *, language: Language | None = None, embedder: str | None = None
    ) -> Library:
        """Make a library. Without `language` its first document decides it; without `embedder` the language.

        Raises `ConflictError` when there is one of this id.
        """
        library = self._new_library(library_id, language or "en", embedder, told=language is not None)
        return await self._write(lambda tx: add_library(tx, library))

    def _new_library(
        self, library_id: str, language: Language, embedder: str | None, *, told: bool
    ) -> Library:
        name = embedder or self._services.default_embedder(language)
        return Library(
            library_id=library_id,
            language=language,
            embedder=name,
            embedder_id=self._services.embedder(name).embedder_id,
            language_told=told,
        )

    async def libraries(self) -> tuple[Library, ...]:
        """Give all libraries, by id (author)."""
        return await self._read(lambda view: view.libraries())

    async def library(self, library_id: str) -> Library:
        """Give one library (author). Raises `NotFoundError`."""
        return await self._read(lambda view: library_of(view, library_id))

    async def library_state(self, library_id: str) -> LibraryState:
        """Say how a library stands, document by document (author). Raises `NotFoundError`."""
        return await self._read(partial(_state, library_id=library_id))

    async def document(self, library_id: str, name: str) -> Document:
        """Give a document as it was stored last (author). Raises `NotFoundError`."""
        kept = check_document_name(name)
        return await self._read(lambda view: _document(view, library_id, kept))

    async def delete_library(self, library_id: str) -> None:
        """Remove a library with all its documents. Raises `NotFoundError`."""

        def act(tx: Transaction) -> None:
            library_of(tx, library_id)
            tx.delete_library(library_id)

        await self._write(act)
        await asyncio.to_thread(self._ledger.scrub)

    async def put_document(
        self, library_id: str, name: str, data: bytes, *, encoding: str | None = None
    ) -> DocumentReceipt:
        """Store a file as a document, durable first, and bring it into memory.

        A document of this name is replaced as a whole: what its last version said is found no more.
        A file that is stored already is left alone. Raises `FormatError` for a file that cannot be
        read, `InputError`, `NotFoundError`, `MissingExtraError`: what was there stays.
        """
        kept = check_document_name(name)
        library = await self.library(library_id)
        content = await asyncio.to_thread(read_document, data, kept, encoding, self._services.document)
        given = Document(
            name=kept,
            version=FIRST_VERSION,
            source_hash=hashlib.sha256(data).hexdigest(),
            content=content,
            added_at=self._services.clock.now().isoformat(),
        )
        first = self._library_settled_by(library, content)
        stored = await self._write(lambda tx: _store(tx, first, given))
        return await self._document_receipt(library_id, stored)

    def _library_settled_by(self, library: Library, content: DocumentText) -> Library:
        """Give the library as its first document would have it."""
        if library.language_told:
            return library
        language = told_language(content.text)
        if language == library.language:
            return library
        is_default = library.embedder == self._services.default_embedder(library.language)
        embedder = None if is_default else library.embedder
        return self._new_library(library.library_id, language, embedder, told=False)

    async def _document_receipt(self, library_id: str, stored: StoredDocument) -> DocumentReceipt:
        failed = None
        try:
            await self._bring_up_library(library_id)
        except KataribeError as error:
            # It is stored: a sync brings it into memory when what is wrong is mended.
            failed = str(error)
        return await self._read(lambda view: _receipt(view, library_id, stored, failed))

    async def remove_document(self, library_id: str, name: str) -> None:
        """Remove a document with all that is found of it. Raises `NotFoundError`."""
        kept = check_document_name(name)
        await self._write(lambda tx: remove_document(tx, library_id, kept))
        await asyncio.to_thread(self._ledger.scrub)

    async def rebuild_library(self, library_id: str) -> SyncReport:
        """Cut and embed all documents of a library again, with equal ids. Raises `NotFoundError`.

        It also moves the library to the release of its embedder that is installed now.
        """
        library = await self.library(library_id)
        current = replace(library, embedder_id=self._services.embedder(library.embedder).embedder_id)
        await self._write(partial(rebuild, library=current))
        return await self._bring_up_library(library_id, anew=True)

    async def _bring_up_library(self, library_id: str, *, anew: bool = False) -> SyncReport:
        """Do what is due in a library; what fails is left to the next sync unless all is made anew."""
        report = SyncReport()
        crew = Crew(processes=self._services.processes, waits=anew)
        owner = LibraryOwner(await self.library(library_id))
        works = await self._works(owner, report, crew, anew=anew)
        for work in works:
            await work.begin(retry=False)
        await work_through(works, self._services.clock, report)
        return report


class LibraryVerbs(LibraryUpkeep, Noting, OutsideReads):
    """Searching a library."""

    @traced("search_library")
    async def search_library(self, library_id: str, question: str, *, top_k: int = 5) -> LibrarySearch:
        """Give the passages of a library that answer a question best, best first.

        Nothing but the library is searched. Raises `NotFoundError`, `InputError`.
        """
        asked = recall_request(question, {"top_k": top_k}, self._services.recall_policy)
        viewer = LibraryViewer(library=library_id)
        found, pending = await self._search_library(viewer, question, asked)
        self._note(_trace(found, library_id, at=self._services.clock.now().isoformat()))
        return LibrarySearch(
            library=library_id,
            hits=tuple(_plain(hit) for hit in found.hits if isinstance(hit, PassageHit)),
            backend=found.backend,
            pending=pending,
            warnings=found.warnings,
        )

    async def _search_library(
        self, viewer: LibraryViewer, question: str, told: RecallRequest
    ) -> tuple[Recollection, tuple[str, ...]]:
        for _ in range(_LOOKS):
            library = await self._look(partial(library_of, library_id=viewer.library))
            asked = await self._library_question(viewer, library, question, told)

            def ask(view: View, asked: RecallQuestion = asked) -> tuple[object, tuple[str, ...]]:
                return recall_for(LIBRARIES, view, viewer, asked), _pending(view, viewer.library)

            found, pending = await self._look(ask)
            if isinstance(found, Recollection):
                return found, pending
        raise ConflictError("the library changes faster than a question is embedded; ask again")

    async def _library_question(
        self, viewer: LibraryViewer, library: Library, question: str, told: RecallRequest
    ) -> RecallQuestion:
        embedder = self._services.embedder(library.embedder)
        check_installed(f"library {library.library_id!r}", library.embedder_id, embedder)
        asked = RecallQuestion(
            text=question,
            vectors={(library.embedder_id, question): await embedder.embed_query(question)},
            top_k=told.top_k,
            searched=_UNPLANNED,
            policy=self._services.recall_policy_for(library.embedder_id),
        )
        return await self._preselected(viewer, asked, LIBRARIES)


def _store(tx: Transaction, first: Library, given: Document) -> StoredDocument:
    settle_language(tx, first)
    return store_document(tx, first.library_id, given)


def _document(view: View, library_id: str, name: str) -> Document:
    library_of(view, library_id)
    return document_of(view, library_id, name)


def _state(view: View, library_id: str) -> LibraryState:
    library = library_of(view, library_id)
    space, pending = library_space(library_id), _pending(view, library_id)
    return LibraryState(
        library=library,
        documents=tuple(
            _stands(view, space, one, is_pending=one.name in pending) for one in view.documents(space)
        ),
    )


def _stands(view: View, space: str, record: DocumentRecord, *, is_pending: bool) -> DocumentState:
    return DocumentState(
        name=record.name,
        version=record.version,
        characters=record.characters,
        pages=record.pages,
        passages=sum(view.packed(space, record.name).values()),
        added_at=record.added_at,
        is_pending=is_pending,
    )


def _pending(view: View, library_id: str) -> tuple[str, ...]:
    """Name the documents that are not found as they were stored last."""
    return view.once(("pending documents", library_id), partial(_lagging, view, library_id))


def _lagging(view: View, library_id: str) -> tuple[str, ...]:
    work = view.work(library_space(library_id), LibraryOwner(library_of(view, library_id)).work)
    return tuple(sorted(name for name, one in work.items() if one.lags))


def _receipt(view: View, library_id: str, stored: StoredDocument, failed: str | None) -> DocumentReceipt:
    """Say what came of a document as it stands now; `failed` says why it could not be looked at."""
    library, space = library_of(view, library_id), library_space(library_id)
    document = stored.document
    held = view.work(space, LibraryOwner(library).work, document.name).get(document.name)
    pending = None
    if held is not None and held.lags:
        pending = failed or held.error or "another process is at it"
    return DocumentReceipt(
        library=library,
        name=document.name,
        version=document.version,
        passages=sum(view.packed(space, document.name).values()),
        is_unchanged=stored.is_unchanged,
        replaced=stored.replaced,
        empty_pages=document.content.empty_pages,
        pending=pending,
    )


def _plain(hit: PassageHit) -> PassageHit:
    """Take away what says nothing of a passage: it is neither new nor old, and stirs nobody."""
    return replace(hit, marks=())


def _trace(found: Recollection, library_id: str, *, at: str) -> Trace:
    return Trace(
        at=at,
        character="",
        verb="search_library",
        filter=None,
        slices=found.slices,
        ids=tuple(hit.id for hit in found.hits),
        library=library_id,
    )
