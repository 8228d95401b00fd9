"""Storing documents: durable first, and marked to be remembered in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kataribe.domain.knowledge.documents import FIRST_VERSION, Document, Library, document_fingerprint
from kataribe.domain.records import Outcome, Wanted
from kataribe.domain.space import library_space
from kataribe.domain.work import WorkKind
from kataribe.errors import ConflictError
from kataribe.knowledge.homes import document_of, library_of
from kataribe.ports import DocumentsView, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """What came of storing a document; `replaced` is the version it had before, None for a new one."""

    document: Document
    is_unchanged: bool = False
    replaced: int | None = None


def add_library(tx: Transaction, library: Library) -> Library:
    """Add a library. Raises `ConflictError` when there is one of this id."""
    if tx.library(library.library_id) is not None:
        raise ConflictError(f"there is a library {library.library_id!r} already")
    tx.put_library(library)
    return library


def settle_language(tx: Transaction, library: Library) -> Library:
    """Give a library what its first document asks for, unless it has documents or its language was named."""
    current = library_of(tx, library.library_id)
    if current.language_told or tx.documents(library_space(library.library_id)):
        return current
    tx.put_library(library)
    return library


def store_document(tx: Transaction, library_id: str, given: Document) -> StoredDocument:
    """Store a document in the place of the one of its name; what that one said is found no more.

    One that says what is stored already is left alone. The version given is not looked at: it counts
    up from the one that is there. Raises `NotFoundError`.
    """
    library_of(tx, library_id)
    space = library_space(library_id)
    before = tx.document(space, given.name)
    if before is not None and before.has_said == given.has_said:
        return StoredDocument(document=before, is_unchanged=True, replaced=before.version)
    version = FIRST_VERSION if before is None else before.version + 1
    document = replace(given, version=version)
    tx.put_document(space, document)
    if before is not None:
        # Hidden, not forgotten: what both versions say need not be embedded again.
        tx.show(space, {given.name: False})
    want(tx, library_id, [document])
    return StoredDocument(document=document, replaced=None if before is None else before.version)


def remove_document(tx: Transaction, library_id: str, name: str) -> Document:
    """Remove a document with what is remembered of it. Raises `NotFoundError`."""
    library_of(tx, library_id)
    document = document_of(tx, library_id, name)
    space = library_space(library_id)
    tx.delete_document(space, name)
    tx.forget_units(space, [name])
    # The same document may be added again: what was done of it once is not there any more.
    _lose(tx, space, name)
    tx.want(space, WorkKind.PASSAGES, {name: None})
    return document


def want(tx: Transaction, library_id: str, documents: Iterable[Document]) -> None:
    """Record what these documents should be remembered as."""
    library = library_of(tx, library_id)
    wanted = {
        one.name: Wanted(
            fingerprint=document_fingerprint(one, language=library.language, embedder_id=library.embedder_id),
            position=one.version,
        )
        for one in documents
    }
    tx.want(library_space(library_id), WorkKind.PASSAGES, wanted)


def want_all(tx: Transaction, library_id: str) -> None:
    """Record the same for all of a library."""
    space = library_space(library_id)
    want(tx, library_id, [document_of(tx, library_id, name) for name in _names(tx, space)])


def _names(view: DocumentsView, space: str) -> list[str]:
    return [one.name for one in view.documents(space)]


def rebuild(tx: Transaction, library: Library) -> None:
    """Mark all documents to be remembered again by what `library` names.

    What another embedder made is forgotten at once: its vectors cannot be compared with new
    ones. Raises `NotFoundError`.
    """
    before = library_of(tx, library.library_id)
    tx.sweep()
    space = library_space(library.library_id)
    if before.embedder_id != library.embedder_id:
        for name in _names(tx, space):
            _lose(tx, space, name)
        tx.forget_units(space)
        tx.put_library(replace(before, embedder=library.embedder, embedder_id=library.embedder_id))
    want_all(tx, library.library_id)


def _lose(tx: Transaction, space: str, name: str) -> None:
    """Record that the memory of a document is not whole any more, whatever is wanted of it."""
    work = tx.work(space, WorkKind.PASSAGES, name).get(name)
    if work is not None and work.outcome is Outcome.DONE:
        tx.put_work(space, WorkKind.PASSAGES, name, replace(work, fingerprint="", outcome=Outcome.DUE))
