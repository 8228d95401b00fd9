"""Bringing memory up: what is done once, what fails, what is tried again, what is given up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.engine import Services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import Embedder, Extractor
from kataribe.testing.fakes import CountingEmbedder, FailingEmbedder, FakeExtractor, FrozenClock
from support.hits import fact_hits
from support.stores import empty_store, services


def parts(embedder: Embedder, extractor: Extractor | None = None) -> Services:
    """Give engines that wait for nothing, with this embedder and perhaps another extractor."""
    made = replace(services(), embedder=lambda _: embedder, clock=FrozenClock())
    return made if extractor is None else replace(made, extractor=lambda _: extractor)


@contextmanager
def store(path: Path, given: Services) -> Iterator[Kataribe]:
    with kataribe.open(str(path), services=given) as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "k.db")


def counting() -> CountingEmbedder:
    return CountingEmbedder(services().embedder("hash"))


def texts(made: Kataribe, at: int = 99) -> list[str]:
    return [hit.text for hit in made.known(story="s", persona="ann", at=at).hits]


def test_s0_12_only_what_is_new_is_embedded(path: Path) -> None:
    embedder = counting()
    with store(path, parts(embedder)) as made:
        made.story("s").create(language="en", embedder="hash")
        for no in range(1, 101):
            made.story("s").episodes.put(no=no, text=f"Ann walked {no} miles. Ben waited {no} days.")
        assert made.sync().done == 100
        before = len(embedder.documents)
        made.story("s").episodes.put(no=50, text="Ann walked 50 miles. Ben was gone.")
        report = made.sync()
        assert (report.done, report.embedded) == (1, 1)
        assert len(embedder.documents) == before + 1
        assert made.sync().done == 0, "nothing to do is nothing done"
        made.story("s").episodes.renumber(no=100, to=200)
        made.story("s").episodes.insert(no=1, text="Ann walked 1 miles.")
        assert made.sync().embedded == 0, "moving and repeating cost no embedding"


def test_s0_18_what_fails_is_tried_again_and_the_rest_goes_on(path: Path) -> None:
    embedder = FailingEmbedder(services().embedder("hash"), ["Ben lied."])
    with store(path, parts(embedder)) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.story("s").episodes.put(no=2, text="Ben lied. Ann knew.")
        made.story("s").episodes.put(no=3, text="Ben left.")
        report = made.sync()
        assert set(report.dead) == {("s", 2)}
        assert texts(made) == ["Ann sang.", "Ben left."]
        told = made.recall("Ben", story="s", persona="ann", at=9)
        assert told.pending_episodes == (2,), "a dead letter is not forgotten"
        assert made.sync().done == 0, "it is not tried for ever"
        embedder.failing = set()
        assert made.sync(retry=True).done == 1
        assert texts(made) == ["Ann sang.", "Ben lied.", "Ann knew.", "Ben left."]


def test_a_new_text_clears_the_dead_letter(path: Path) -> None:
    embedder = FailingEmbedder(services().embedder("hash"), ["Ben lied."])
    with store(path, parts(embedder)) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ben lied.")
        assert made.sync().dead
        made.story("s").episodes.put(no=1, text="Ben sang.")
        assert made.sync().done == 1
        assert texts(made) == ["Ben sang."]


def draft(text: str, start: int = 0) -> Draft:
    return Draft(text=text, start=start, end=start + len(text), audience=PUBLIC, reason=Reason.ANNOTATION)


def test_s0_15_what_does_not_stand_in_the_text_is_never_stored(path: Path) -> None:
    extractor = FakeExtractor({"Ann sang.": [draft("Ann lied all day.")], "Ben left.": [draft("Ben left.")]})
    with store(path, parts(counting(), extractor)) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.story("s").episodes.put(no=2, text="Ben left.")
        report = made.sync()
        assert "does not stand in the text" in report.dead["s", 1]
        assert texts(made) == ["Ben left."]


def test_an_unchanged_episode_is_not_read_again(path: Path) -> None:
    extractor = FakeExtractor({"Ann sang.": [draft("Ann sang.")]})
    with store(path, parts(counting(), extractor)) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.sync()
        made.story("s").facts.add(episode_no=1, text="Ben heard it.", audience=known_by("ben"))
        made.story("s").episodes.delete(no=1)
        made.story("s").episodes.restore(no=1)
        made.story("s").episodes.renumber(no=1, to=5)
        made.sync()
        assert texts(made) == ["Ann sang."]
        assert extractor.calls <= 2, "once for the text, and once more at most for the cast that ben joined"


def test_a_new_extractor_makes_what_the_old_one_found_stale(path: Path) -> None:
    one = FakeExtractor({"Ann sang.": [draft("Ann sang.")]}, extractor_id="fake-1")
    two = FakeExtractor({"Ann sang.": [draft("Ann")]}, extractor_id="fake-2")
    with store(path, parts(counting(), one)) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.story("s").episodes.put(no=2, text="Ann sang.")
        made.sync()
    with store(path, parts(counting(), two)) as made:
        assert made.known(story="s", persona="ann", at=9).pending_episodes == (1, 2)
        assert texts(made) == []
        made.sync()
        assert texts(made) == ["Ann", "Ann"]
        assert made.verify().problems == ()


def test_s0_43_the_same_words_twice_are_one_fact_for_each_holder(path: Path) -> None:
    said = [
        Draft(text="Yes.", start=0, end=4, audience=known_by("ann"), reason=Reason.ANNOTATION),
        Draft(text="Yes.", start=5, end=9, audience=known_by("ann", "ben"), reason=Reason.ANNOTATION),
    ]
    with store(path, parts(counting(), FakeExtractor({"Yes. Yes.": said}))) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").cast.add(kataribe.Character(character_id="ann"))
        made.story("s").cast.add(kataribe.Character(character_id="ben"))
        made.story("s").episodes.put(no=1, text="Yes. Yes.")
        made.sync()
        (anns,) = fact_hits(made.known(story="s", persona="ann", at=2).hits)
        (bens,) = fact_hits(made.known(story="s", persona="ben", at=2).hits)
        assert anns.fact_id == bens.fact_id
        assert (anns.offsets, bens.offsets) == ((0, 4), (5, 9)), "each by what its holder may see"
        assert (anns.id, bens.id) == ("vec:ep-1:v1:character:ann:0", "vec:ep-1:v1:character:ben:0")


def test_another_embedder_is_refused_until_a_rebuild(path: Path) -> None:
    """S4-98: a mismatch refuses search; a rebuild moves the story over, with equal ids (M-1)."""
    with store(path, parts(services().embedder("hash"))) as made:
        made.story("s").create(language="en", embedder="hash")
        made.story("s").episodes.put(no=1, text="Ann sang. Ben heard.")
        made.sync()
        before = made.known(story="s", persona="ann", at=2).hits
    with store(path, parts(services().embedder("wordllama"))) as made:
        with pytest.raises(kataribe.EmbedderMismatchError, match="kataribe rebuild"):
            made.recall("Who sang?", story="s", persona="ann", at=2)
        with pytest.raises(kataribe.EmbedderMismatchError):
            made.sync()
        with pytest.raises(kataribe.EmbedderMismatchError):
            made.story("s").facts.add(episode_no=1, text="Ann can sing.")
        assert not made.verify().ok
        made.admin.rebuild()
        assert made.known(story="s", persona="ann", at=2).hits == before
        assert made.recall("Who sang?", story="s", persona="ann", at=2).hits[0].text == "Ann sang."
        assert made.verify().ok
