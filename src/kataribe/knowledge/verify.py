"""Comparing what is remembered of documents with what it should be, made anew and not stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from kataribe.domain.knowledge.documents import Document, Library, passage_memories, passage_terms
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState, Verification
from kataribe.domain.space import library_space
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import term_hash
from kataribe.domain.work import WorkKind
from kataribe.knowledge.homes import library_of
from kataribe.knowledge.passages_task import PassagesTask
from kataribe.ports import Embedder, View
from kataribe.work.compare import unlike, worn
from kataribe.work.embed import embed_texts
from kataribe.work.path import WorkTools


@dataclass(frozen=True, slots=True)
class _Stored:
    name: str
    document: Document | None
    stored: tuple[Memory, ...]
    derived: Mapping[str, MemoryState]
    packed: Mapping[tuple[str, str], bool]
    lags: bool

    def wanted(self, space: str) -> dict[str, Memory]:
        """Give what should be remembered, by memory id."""
        if self.document is None:
            return {}
        return {memory.memory_id: memory for memory in passage_memories(space, self.document)}


async def verify_library(tools: WorkTools, task: PassagesTask, library_id: str) -> Verification:
    """Cut and embed every document again, and compare. Raises `NotFoundError`."""
    library, names = await tools.read(lambda view: (library_of(view, library_id), _names(view, library_id)))
    problems: list[str] = []
    if library.embedder_id != task.embedder.embedder_id:
        problems.append(
            f"library {library_id}: embedded by {library.embedder_id}, installed is "
            f"{task.embedder.embedder_id}; run `kataribe rebuild`"
        )
    documents = memories = pending = 0
    for name in names:
        unit = await tools.read(partial(_gather, library_id=library_id, name=name))
        documents += unit.document is not None
        memories += len(unit.stored)
        pending += unit.lags
        found = [*unlike(unit.stored, unit.packed, unit.derived)]
        if unit.lags:
            found += _shown_too_soon(unit)
        else:
            found += [*_compare(library, unit), *await _worn(library, unit, task.embedder)]
        problems += [f"library {library_id} {name}: {problem}" for problem in found]
    return Verification(
        stories=0,
        episodes=0,
        memories=memories,
        pending=0,
        problems=tuple(problems),
        libraries=1,
        documents=documents,
        pending_documents=pending,
    )


def _names(view: View, library_id: str) -> tuple[str, ...]:
    """Name all that is a document, or is remembered or due as one."""
    space = library_space(library_id)
    due = view.due(space, WorkKind.PASSAGES)
    return tuple(sorted({*(one.name for one in view.documents(space)), *view.units(space), *due}))


def _gather(view: View, library_id: str, name: str) -> _Stored:
    space = library_space(library_id)
    held = view.work(space, WorkKind.PASSAGES, name).get(name)
    return _Stored(
        name,
        view.document(space, name),
        view.memories(space, unit=name),
        view.memory_states(space, name),
        view.packed(space, name),
        held is not None and held.lags,
    )


def _shown_too_soon(unit: _Stored) -> Iterator[str]:
    """What the last version said must not be found once another is stored."""
    for memory in unit.stored:
        is_current = unit.document is not None and memory.version == unit.document.version
        if unit.derived[memory.memory_id].live and not is_current:
            yield f"memory {memory.memory_id} is of a version that is not there any more"


def _compare(library: Library, unit: _Stored) -> Iterator[str]:
    should = unit.wanted(library_space(library.library_id))
    have = {memory.memory_id: replace(memory, key=0) for memory in unit.stored}
    for gone in sorted(should.keys() - have.keys()):
        yield f"memory {gone} is missing"
    for more in sorted(have.keys() - should.keys()):
        yield f"memory {more} is of no document"
    for shared in sorted(should.keys() & have.keys()):
        if should[shared] != have[shared]:
            yield f"memory {shared} is not what its document makes of it"


async def _worn(library: Library, unit: _Stored, embedder: Embedder) -> list[str]:
    """Compare terms and vectors with what the document gives now."""
    wanted = unit.wanted(library_space(library.library_id))
    held = [wanted[one.memory_id] for one in unit.stored if one.memory_id in wanted]
    anew = await embed_texts(sorted({memory.words for memory in held}), embedder)
    problems: list[str] = []
    for memory in held:
        problems += worn(
            memory.memory_id,
            unit.derived[memory.memory_id],
            terms=_terms_of(memory, library.language),
            vector=anew.vectors.get(memory.text_hash),
            embedder_id=embedder.embedder_id,
            source="document",
        )
    return problems


def _terms_of(memory: Memory, language: Language) -> tuple[int, ...]:
    return tuple(sorted(term_hash(term) for term in passage_terms(memory, language)))
