"""What every ledger promises of libraries, and of the documents in them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD
from kataribe.domain.knowledge.documents import (
    Document,
    DocumentSection,
    DocumentText,
    Library,
    passage_memories,
    passage_terms,
)
from kataribe.domain.records import Outcome, Wanted, Work
from kataribe.domain.space import library_space
from kataribe.domain.work import WorkKind
from kataribe.errors import StoreError
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import ALWAYS, LONG, ODD, a_vector, open_spaces, plain

PASSAGES = WorkKind.PASSAGES
SPACE = library_space("規程")


def a_library(library_id: str = "規程", **more: object) -> Library:
    """Make a library."""
    made = Library(library_id=library_id, language="ja", embedder="any", embedder_id="any-1")
    return replace(made, **more)  # type: ignore[arg-type]


def a_document(name: str = "返品.md", text: str = "返品は七日以内。", **more: object) -> Document:
    """Make a document of one section."""
    section = DocumentSection(start=0, end=len(text), headings=("返品", "Returns: 1"))
    content = DocumentText(text=text, sections=(section,))
    made = Document(name=name, version=1, source_hash="h", content=content, added_at="2024-05-01T12:00+00:00")
    return replace(made, **more)  # type: ignore[arg-type]


def remember_document(writing: Transaction, document: Document, *, space: str = SPACE) -> None:
    """Make the memory of a document, and note that it is done."""
    memories = passage_memories(space, document)
    writing.replace_memories(
        space,
        document.name,
        memories,
        terms={one.fact_id: ("word", *passage_terms(one, "ja")) for one in memories},
        vectors={one.text_hash: a_vector(one) for one in memories},
        embedder_id="any-1",
        shown=True,
    )
    writing.want(space, PASSAGES, {document.name: Wanted(fingerprint="p", position=document.version)})
    writing.put_work(space, PASSAGES, document.name, Work(fingerprint="p", outcome=Outcome.DONE))


def _found(reading: View, space: str = SPACE) -> list[tuple[str, int]]:
    gate = Gate((Slice(space, WORLD, ALWAYS),))
    wordy = {one.key for one in reading.keywords.matching(("word",), gate=gate, top_k=99)}
    return [(one.text, one.version) for one in reading.admitted(gate) if one.key in wordy]


class DocumentsContract:
    """What every ledger promises of libraries, and of the documents in them."""

    def test_libraries_come_back_as_sent(self, ledger: Ledger) -> None:
        """By id, and replaced when put again; each has a space of its own."""
        with ledger.writing() as writing:
            writing.put_library(a_library("b", embedder="to be replaced"))
            writing.put_library(a_library("b", language_told=False))
            writing.put_library(a_library(language="en"))
        with ledger.reading() as reading:
            assert reading.libraries() == (a_library("b", language_told=False), a_library(language="en"))
            assert reading.library("規程") == a_library(language="en")
            assert reading.library("nobody") is None
            state = reading.space(SPACE)
            assert state is not None
            assert (state.language, state.parsed.library) == ("en", "規程")

    @pytest.mark.parametrize("text", [*ODD, LONG])
    def test_documents_come_back_as_sent(self, ledger: Ledger, text: str) -> None:
        """Whatever is in them; one of the same name is put in the place of the other."""
        document = a_document(text=text)
        pages = replace(document.content, pages=(0, 3, 3), empty_pages=(2,))
        with ledger.writing() as writing:
            writing.put_library(a_library())
            writing.put_document(SPACE, a_document(text="another"))
            writing.put_document(SPACE, replace(document, version=2, content=pages))
            writing.put_document(SPACE, a_document("a b.txt"))
        with ledger.reading() as reading:
            assert reading.document(SPACE, "返品.md") == replace(document, version=2, content=pages)
            stored = replace(document, version=2, content=pages)
            assert reading.documents(SPACE) == (a_document("a b.txt").record, stored.record)
            assert reading.document(SPACE, "nix") is None
            assert reading.documents("kb:nobody") == ()

    def test_a_document_needs_its_library(self, ledger: Ledger) -> None:
        """One of nobody's is refused, and nothing has changed."""
        with pytest.raises(StoreError), ledger.writing() as writing:
            writing.put_document(SPACE, a_document())
        with ledger.reading() as reading:
            assert reading.document(SPACE, "返品.md") is None

    def test_passages_come_back_with_where_they_stand(self, ledger: Ledger) -> None:
        """Their headings and pages, in every language; and they are found by words."""
        document = a_document(text="返品は七日以内。\n\nYou pay the postage.")
        document = replace(document, version=3, content=replace(document.content, pages=(0,)))
        with ledger.writing() as writing:
            writing.put_library(a_library())
            writing.put_document(SPACE, document)
            remember_document(writing, document)
        with ledger.reading() as reading:
            assert plain(reading.memories(SPACE)) == list(passage_memories(SPACE, document))
            (one,) = reading.memories(SPACE)
            assert one.excerpt is not None
            assert (one.excerpt.headings, one.excerpt.page) == (("返品", "Returns: 1"), 1)
            assert _found(reading) == [(document.content.text, 3)]

    def test_a_library_gone_takes_everything_along(self, ledger: Ledger) -> None:
        """Documents, passages, work and changes; other libraries, stories and users stay."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for library_id in ("規程", "規程2"):
                space = library_space(library_id)
                writing.put_library(a_library(library_id))
                writing.put_document(space, a_document())
                remember_document(writing, a_document(), space=space)
        with ledger.writing() as writing:
            writing.delete_library("規程")
        with ledger.reading() as reading:
            assert [one.library_id for one in reading.libraries()] == ["規程2"]
            assert (reading.memories(SPACE), reading.documents(SPACE)) == ((), ())
            assert (_found(reading), dict(reading.work(SPACE, PASSAGES))) == ([], {})
            assert _found(reading, library_space("規程2")) == [("返品は七日以内。", 1)]
            assert len(reading.stories()) == len(reading.users()) == 1
            assert SPACE not in {one.space for one in reading.changes(0).changes}
        with ledger.writing() as writing:
            writing.put_library(a_library())
        with ledger.reading() as reading:
            assert _found(reading) == []
        assert ledger.problems() == ()

    def test_a_document_gone_leaves_its_passages_to_who_removes_it(self, ledger: Ledger) -> None:
        """It says whether there was one; a sweep takes what is of no document."""
        with ledger.writing() as writing:
            writing.put_library(a_library())
            for name in ("a.txt", "b.txt"):
                writing.put_document(SPACE, a_document(name, f"text of {name}"))
                remember_document(writing, a_document(name, f"text of {name}"))
            assert writing.delete_document(SPACE, "a.txt")
            assert not writing.delete_document(SPACE, "a.txt")
            writing.sweep()
        with ledger.reading() as reading:
            assert [one.text for one in reading.memories(SPACE)] == ["text of b.txt"]

    def test_a_rename_touches_no_library(self, ledger: Ledger) -> None:
        """Of a story or a user of the same id."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for library_id in ("s", "u"):
                writing.put_library(a_library(library_id))
                writing.put_document(library_space(library_id), a_document())
            writing.rename_story("s", "t")
            writing.rename_user("u", "v")
        with ledger.reading() as reading:
            assert [one.library_id for one in reading.libraries()] == ["s", "u"]
            assert reading.document("kb:s", "返品.md") == a_document()
            assert reading.space("kb:u") is not None
