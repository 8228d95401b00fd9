"""The task that remembers documents: each is cut into passages, and found whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.knowledge.documents import Document, Library, passage_memories, passage_terms
from kataribe.domain.memory import NO_USAGE, Memory, Usage
from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import Unit, parse_space
from kataribe.domain.work import WorkKind
from kataribe.errors import KataribeError
from kataribe.ports import Embedder, Transaction, View
from kataribe.work.path import vectors_for
from kataribe.work.task import Embedded, SyncReport


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentJob:
    """A document, and the fingerprint it is remembered for."""

    unit: Unit
    library: Library
    fingerprint: str
    document: Document
    attempts: int = 0
    memories: tuple[Memory, ...] = ()

    @property
    def embedder_id(self) -> str:
        """By whom the library is embedded."""
        return self.library.embedder_id

    @property
    def vector_spaces(self) -> tuple[str, ...]:
        """The library alone; what the last version said in the same words has its vectors already."""
        return (self.unit.space,)

    @property
    def texts(self) -> dict[str, str]:
        """What is embedded, by hash."""
        return {memory.text_hash: memory.words for memory in self.memories}


@dataclass(frozen=True, slots=True)
class PassagesTask:
    """Brings what is found in a library up to its documents."""

    embedder: Embedder
    kind: WorkKind = WorkKind.PASSAGES

    def whole(self, unit: str) -> str:
        """Name the document: nothing is made of its parts by themselves."""
        return unit

    def gather(self, view: View, space: str, units: Sequence[str]) -> tuple[DocumentJob, ...]:
        """Read these documents; those that are gone are left out."""
        library = view.library(parse_space(space).library or "")
        if library is None:
            return ()
        jobs = (document_job(view, library, space, name) for name in units)
        return tuple(job for job in jobs if job is not None)

    async def make(self, job: DocumentJob) -> DocumentJob:
        """Cut the document."""
        return with_passages(job)

    def let_go(self, tx: Transaction, space: str, units: Collection[str]) -> None:
        """Forget what is remembered of documents that are gone."""
        tx.forget_units(space, units)
        tx.want(space, self.kind, dict.fromkeys(units))

    def check(self, view: View, job: DocumentJob) -> DocumentJob:  # noqa: ARG002 - nothing to look up
        """What a document says is remembered as it is written: there is nothing to refuse."""
        return job

    def commit(self, tx: Transaction, job: DocumentJob, embedded: Embedded, *, reuse: bool) -> bool:
        """Put the passages in the place of the last version's, unless the document has changed since."""
        space, name = job.unit.space, job.unit.name
        library = tx.library(job.library.library_id)
        if library is None or library.embedder_id != job.embedder_id:
            return False
        held = tx.work(space, self.kind, name).get(name)
        if held is None or held.wanted != job.fingerprint:
            return False
        have = vectors_for(tx, job, embedded, reuse=reuse)
        if have is None:
            return False
        language = library.language
        tx.replace_memories(
            space,
            name,
            job.memories,
            terms={memory.fact_id: passage_terms(memory, language) for memory in job.memories},
            vectors=have,
            embedder_id=job.embedder_id,
            shown=True,
        )
        tx.put_work(space, self.kind, name, Work(fingerprint=job.fingerprint, outcome=Outcome.DONE))
        return True

    def keep(self, tx: Transaction, job: DocumentJob) -> None:
        """Nothing was asked of a model."""

    def note_done(self, report: SyncReport, job: DocumentJob) -> None:
        """Count a document."""
        report.documents += 1
        report.failed_documents.pop((job.unit.space, job.unit.name), None)

    def note_failed(self, report: SyncReport, job: DocumentJob, reason: str, *, dead: bool) -> None:
        """Note why a document is not found."""
        where = (job.unit.space, job.unit.name)
        if dead:
            report.dead_documents[where] = reason
            report.failed_documents.pop(where, None)
        else:
            report.failed_documents[where] = reason

    def spent(self, found: DocumentJob | KataribeError) -> Usage:  # noqa: ARG002 - whatever it is
        """Nothing was asked of a model."""
        return NO_USAGE


def with_passages(job: DocumentJob) -> DocumentJob:
    """Make a memory of each passage."""
    return replace(job, memories=passage_memories(job.unit.space, job.document))


def document_job(view: View, library: Library, space: str, name: str) -> DocumentJob | None:
    """Read a document and what is wanted of it; None when it is gone."""
    document = view.document(space, name)
    if document is None:
        return None
    held = view.work(space, WorkKind.PASSAGES, name).get(name)
    wanted = "" if held is None else held.wanted
    attempts = held.attempts if held is not None and held.fingerprint == wanted else 0
    return DocumentJob(
        unit=Unit(space, name), library=library, fingerprint=wanted, document=document, attempts=attempts
    )
