"""The property machine of libraries: documents added, replaced and removed, against a plain model.

After every step a search gives nothing but passages of documents as they were stored last, each whole or
not at all (P4). Once all is remembered, every search is what a fresh build gives (P3), and what a viewer
is given is what it would be without any library (P2).
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import kataribe
from kataribe.domain.terms import Language
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FailingEmbedder
from support.effort import walks
from support.stores import empty_store, services

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
NAMES = ("rules.md", "規程.md", "a.txt", "b.txt")
PARTS: dict[Language, tuple[str, ...]] = {
    "en": (
        "# Returns\n\nReturns are taken for seven days.",
        "# Returns\n\nReturns are taken for thirty days.",
        "## Postage\n\nYou pay the postage of a return.",
        "The lamp in the harbour office is broken.",
        "# Empty",
        "Ask the manager first. " * 30,
    ),
    "ja": (
        "# 返品\n\n返品は購入から七日以内に受け付ける。",
        "# 返品\n\n返品は購入から三十日以内に受け付ける。",
        "## 送料\n\n返品の送料はお客様の負担とする。",
        "港の事務所のランプは壊れている。",
        "# 附則",
        "まず管理者に尋ねること。" * 40,
    ),
}
QUESTIONS: dict[Language, tuple[str, ...]] = {
    "en": ("How long are returns taken?", "postage", "Who must be asked?"),
    "ja": ("返品はいつまで？", "送料", "誰に尋ねる？"),
}
contents = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True)
names = st.sampled_from(NAMES)


class LibraryMachine(RuleBasedStateMachine):
    """A store with two libraries, a second handle on it, and the model of what was stored."""

    language: Language = "en"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-library-")
        store = str(empty_store(Path(self.folder.name) / "store.db"))
        self.embedder = FailingEmbedder(services().embedder("hash"))
        policy = WorkPolicy(backoff_seconds=0, max_attempts=1000)
        self.services: Services = replace(services(), embedder=lambda _: self.embedder, policy=policy)
        self.handles = [kataribe.open(store, services=self.services) for _ in range(2)]
        self.step = 0
        self.stored: dict[str, tuple[str, int]] = {}
        """The text of each document and its version."""
        self.lost: set[str] = set()
        """The documents that could not be remembered as they are."""

    @property
    def store(self) -> Kataribe:
        """Take turns between two handles on the same file."""
        self.step += 1
        return self.handles[self.step % 2]

    @property
    def library(self) -> kataribe.LibraryHandle:
        return self.store.library("l")

    def teardown(self) -> None:
        try:
            self.compare()
        finally:
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()

    def text(self, content: list[int]) -> str:
        return "\n\n".join(PARTS[self.language][part] for part in content) + "\n"

    @initialize()
    def begin(self) -> None:
        self.library.create(language=self.language, embedder="hash")
        other = self.store.library("other")
        other.create(language=self.language, embedder="hash")
        other.put("rules.md", self.text([0, 2, 3]))
        self.store.user("u").create(language=self.language, embedder="hash")
        self.store.user("u").said(PARTS[self.language][3], speaker="u", time=NOON)

    # -- what is stored --------------------------------------------------------------------

    @rule(name=names, content=contents)
    def put(self, name: str, content: list[int]) -> None:
        text = self.text(content)
        before = self.stored.get(name)
        receipt = self.library.put(name, text)
        is_same = before is not None and before[0] == text
        version = 1 if before is None else before[1] + (not is_same)
        assert (receipt.is_unchanged, receipt.version, receipt.pending) == (is_same, version, None)
        assert receipt.replaced == (None if before is None else before[1])
        self.stored[name] = (text, version)
        self.lost.clear()

    @rule(name=names, content=contents)
    def put_what_cannot_be_embedded(self, name: str, content: list[int]) -> None:
        """It is stored, and what was there before is found no more."""
        text = self.text(content)
        before = self.stored.get(name)
        if before is not None and before[0] == text:
            return
        self.library.sync(retry=True)
        self.lost.clear()
        self.embedder.failing = self.words(name, text)
        try:
            receipt = self.library.put(name, text)
        finally:
            self.embedder.failing = set()
        self.stored[name] = (text, receipt.version)
        if receipt.pending is not None:
            assert receipt.passages == 0
            self.lost.add(name)

    def words(self, name: str, text: str) -> set[str]:
        """Give what is embedded of a document."""
        with kataribe.open(":memory:", services=services()) as fresh:
            fresh.library("l").create(language=self.language, embedder="hash")
            fresh.library("l").put(name, text)
            with fresh._of._engine._ledger.reading() as view:
                return {memory.words for memory in view.memories("kb:l")}

    @rule(name=names)
    def remove(self, name: str) -> None:
        if name not in self.stored:
            with pytest.raises(kataribe.NotFoundError):
                self.library.remove(name)
            return
        self.library.remove(name)
        del self.stored[name]
        self.lost.discard(name)

    @rule(name=names)
    def remove_and_add_again(self, name: str) -> None:
        """What is wanted in the end is what was done once; it must be remembered again all the same."""
        if name in self.stored:
            text, _ = self.stored[name]
            self.remove(name)
            self.put(name, [part for part, said in enumerate(PARTS[self.language]) if said in text])

    @rule(name=names)
    def refuse(self, name: str) -> None:
        """What cannot be read leaves everything as it was."""
        with pytest.raises(kataribe.FormatError):
            self.library.put(name, "返品".encode("utf-16"))

    @rule(retry=st.booleans())
    def sync(self, retry: bool) -> None:
        self.library.sync(retry=retry)
        self.lost.clear()

    @rule()
    def rebuild(self) -> None:
        self.sync(retry=True)
        before = self.found(self.store)
        self.library.rebuild()
        assert self.found(self.store) == before

    # -- what is promised ------------------------------------------------------------------

    def found(self, store: Kataribe) -> list[list[tuple[object, ...]]]:
        """Give what each question finds: all of it, in order, with scores."""
        return [
            [
                (hit.text, hit.document, hit.headings, hit.version, hit.fact_id, hit.score)
                for hit in store.library("l").search(question, top_k=50).hits
            ]
            for question in QUESTIONS[self.language]
        ]

    @invariant()
    def a_search_gives_documents_as_they_are_and_whole(self) -> None:
        if not self.step:
            return
        hits = self.library.search(QUESTIONS[self.language][0], top_k=1000).hits
        for hit in hits:
            text, version = self.stored[hit.document]
            assert hit.text in text or hit.text in {part.strip("# ") for part in text.splitlines()}
            assert (hit.version, hit.space) == (version, "kb:l")
        assert {hit.document for hit in hits} == self.stored.keys() - self.lost
        state = self.library.state()
        assert {one.name: one.version for one in state.documents} == {
            name: version for name, (_, version) in self.stored.items()
        }
        assert {one.name for one in state.documents if one.is_pending} == self.lost
        assert {one.name: one.passages for one in state.documents if one.passages} == {
            name: sum(hit.document == name for hit in hits) for name in self.stored.keys() - self.lost
        }

    @invariant()
    def a_viewer_is_given_nothing_of_it(self) -> None:
        if self.step:
            known = self.store.known(user="u", as_of=NOON)
            assert [hit.text for hit in known.hits] == [PARTS[self.language][3]]

    def compare(self) -> None:
        """Compare with a fresh store that was given the final documents, and with itself."""
        self.library.sync(retry=True)
        with kataribe.open(":memory:", services=services()) as fresh:
            fresh.library("l").create(language=self.language, embedder="hash")
            for name, (text, version) in sorted(self.stored.items(), reverse=True):
                # The version is an input too: it counts what the document said before.
                for number in range(1, version):
                    fresh.library("l").put(name, f"version {number}")
                fresh.library("l").put(name, text)
            assert self.found(self.store) == self.found(fresh), "P3"
        assert self.store.verify().problems == ()


class JapaneseLibraryMachine(LibraryMachine):
    language = "ja"


TestLibraryMachine = LibraryMachine.TestCase
TestLibraryMachine.settings = walks(8, 14)
TestJapaneseLibraryMachine = JapaneseLibraryMachine.TestCase
TestJapaneseLibraryMachine.settings = walks(8, 14)
