"""Undo by name: what is refused, what follows in branches, what a model offered in vain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.ids import fact_id_for
from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.story.undo import STEPS_KEPT
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.story.desk import undo as undoing
from promises.test_model_sync import MODEL, texts_of
from promises.test_model_sync import store as model_store
from support.model_server import Fact, fact
from support.scripted import Scripted
from support.stores import empty_store, services


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    """A parent `p` of four episodes and a branch `b` after the second."""
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        made.story("p").create(language="en", embedder="hash")
        for who, name in (("ann", "Ann"), ("ben", "Ben")):
            alias = Alias(text=name, kind=NameKind.NAME)
            made.story("p").cast.add(Character(character_id=who, aliases=(alias,)))
        for no in (1, 2, 3, 4):
            made.story("p").episodes.put(
                no=no, text=f"Ann carried the key of day {no} to Ben.", episode_id=f"e{no}"
            )
        made.story("p").branches.add("b", after=2)
        made.story("b").episodes.put(no=3, text="Ben burned the mill, and Ann saw it.", episode_id="i3")
        made.sync()
        yield made


def exported(store: Kataribe, path: Path, story: str) -> dict[str, bytes]:
    out = path / f"out-{story}-{len(list(path.glob('out-*')))}"
    store.story(story).export(out)
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


def numbers(store: Kataribe, story: str) -> list[tuple[int, str]]:
    return [(e.no, e.episode_id) for e in store.story(story).episodes.list() if e.is_live]


def test_a_branch_goes_back_with_its_parent(store: Kataribe, tmp_path: Path) -> None:
    store.story("b").facts.add(episode_no=3, text="x", quote="Ann carried")
    start = [exported(store, tmp_path, story) for story in ("p", "b")], numbers(store, "b")
    store.story("p").episodes.insert(no=1, text="Before all.")
    store.story("p").episodes.renumber(no=5, to=8)
    store.story("p").cast.rename("ann", "anna")
    store.sync()
    assert numbers(store, "b") != start[1]
    for _ in range(3):
        store.story("p").undo()
        assert store.verify().problems == ()
    store.sync()
    assert ([exported(store, tmp_path, story) for story in ("p", "b")], numbers(store, "b")) == start
    assert store.verify().problems == ()


def test_numbers_do_not_go_back_when_a_branch_was_made_since(store: Kataribe) -> None:
    store.story("p").episodes.insert(no=1, text="Before all.")
    store.story("p").branches.add("c", after=4)
    before = numbers(store, "p"), numbers(store, "b"), numbers(store, "c")
    with pytest.raises(kataribe.ConflictError, match="other branches"):
        store.story("p").undo()
    assert (numbers(store, "p"), numbers(store, "b"), numbers(store, "c")) == before


def test_a_fact_does_not_come_back_beside_one_of_its_id_in_a_branch(store: Kataribe, tmp_path: Path) -> None:
    fact_id = store.story("p").facts.add(episode_no=1, text="x")
    store.story("p").facts.delete(fact_id)
    (tmp_path / "b").mkdir()
    episode = {"episode_no": 3, "episode_id": "i3", "text": "Ben slept."}
    told = {"fact_id": fact_id, "episode_no": 3, "visibility": "public", "text": "x"}
    for name, row in (("episodes", episode), ("facts", told)):
        (tmp_path / "b" / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    store.story("b").import_folder(tmp_path / "b")
    with pytest.raises(kataribe.ConflictError, match="delete that one first"):
        store.story("p").undo()


def test_facts_of_a_parent_are_decided_on_in_the_parent(store: Kataribe) -> None:
    fact_id = next(item.fact_id for item in store.story("p").facts.review(every_guess=True))
    with pytest.raises(kataribe.ConflictError, match="parent"):
        store.story("b").facts.decide(fact_id, kataribe.Decision(verb=kataribe.Verb.KEEP))
    assert {item.episode_id for item in store.story("b").facts.review(every_guess=True)} == {"i3"}


def test_only_the_step_that_is_meant_is_taken_back(store: Kataribe) -> None:
    first = store.story("p").facts.add(episode_no=1, text="x")
    (step,) = store.story("p").steps(last=1)
    store.story("p").facts.pin(first)
    with pytest.raises(kataribe.ConflictError, match="not the last any more"):
        store.story("p").undo(number=step.number)
    assert store.story("p").undo().summary.startswith("pinned")
    assert store.story("p").undo(number=step.number) == step


def test_what_changes_nothing_is_no_step(store: Kataribe) -> None:
    before = store.story("p").steps()
    store.story("p").episodes.put(no=1, text=store.story("p").episodes.get(no=1).text)
    store.story("p").cast.put(store.story("p").cast.list())
    with pytest.raises(kataribe.ConflictError):
        store.story("p").episodes.restore(no=1)
    assert store.story("p").steps() == before


def test_the_oldest_steps_are_forgotten(store: Kataribe, monkeypatch: pytest.MonkeyPatch) -> None:
    assert STEPS_KEPT == 1000
    monkeypatch.setattr(undoing, "STEPS_KEPT", 3)
    fact_id = store.story("b").facts.add(episode_no=3, text="x")
    for at in range(4):
        store.story("b").facts.pin(fact_id, pinned=at % 2 == 0)
    assert [step.summary.split()[0] for step in store.story("b").steps()] == [
        "unpinned",
        "pinned",
        "unpinned",
    ]
    for _ in range(3):
        store.story("b").undo()
    with pytest.raises(kataribe.NotFoundError, match="nothing to undo"):
        store.story("b").undo()


def test_a_text_that_comes_back_is_a_version_of_its_own(store: Kataribe) -> None:
    old = store.story("p").episodes.get(no=4)
    store.story("p").episodes.put(no=4, text="Other words.", title="T")
    store.sync()
    store.story("p").undo()
    new = store.story("p").episodes.get(no=4)
    assert (new.text, new.title, new.version) == (old.text, old.title, old.version + 2)
    assert [entry.text for entry in store.story("p").episodes.history(no=4)] == [
        old.text,
        "Other words.",
        old.text,
    ]
    store.sync()
    assert store.verify().problems == ()


# -- what a model offered in vain ----------------------------------------------------------

CAST = ("Ann", "澪")
OFFERS = {
    "en": ("Ann hid the letter.", "Ann burned the letter.", "Ann burned"),
    "ja": ("澪は手紙を隠した。", "澪は手紙を焼いた。", "焼いた"),
}


@pytest.fixture(params=["en", "ja"])
def offered(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Kataribe, str, str]]:
    """A story whose model offers one fact that is there and one whose quote is not."""
    text, refused, quote = OFFERS[request.param]

    def offer(prompt: dict[str, Any], number: int) -> list[Fact]:
        return [fact(text), fact(refused, quote)] if number == 1 else [fact(refused, quote)]

    with model_store(tmp_path, Scripted(offer)) as made:
        language: Language = "ja" if request.param == "ja" else "en"
        made.story("s").create(language=language, embedder="hash", model=MODEL)
        made.story("s").cast.put([Character(character_id=one) for one in CAST])
        made.story("s").episodes.put(no=1, text=text)
        made.sync()
        yield made, refused, text


def refused_item(made: Kataribe) -> kataribe.ReviewItem:
    (item,) = (item for item in made.story("s").facts.review() if item.kind is kataribe.ReviewKind.REFUSED)
    return item


def test_an_offer_in_vain_is_to_be_reviewed(offered: tuple[Kataribe, str, str]) -> None:
    made, refused, _ = offered
    item = refused_item(made)
    assert (item.text, item.holders, item.audience.is_empty) == (refused, (), True)
    assert item.fact_id == fact_id_for("ep-1", refused)
    assert item.refusal
    assert [one.character_id for one in item.candidates] == list(CAST)
    assert refused not in texts_of(made, "Ann", 2)


def test_an_offer_in_vain_is_dismissed_for_good_and_comes_back_by_undo(
    offered: tuple[Kataribe, str, str],
) -> None:
    made, _, text = offered
    item = refused_item(made)
    assert made.story("s").facts.decide(item.fact_id, kataribe.Decision(verb=kataribe.Verb.DROP)) is not None
    made.sync()
    assert [one for one in made.story("s").facts.review() if one.kind is kataribe.ReviewKind.REFUSED] == []
    assert texts_of(made, "Ann", 2) == [text]
    made.story("s").undo()
    assert refused_item(made) == item
    assert made.verify().ok


def test_an_offer_in_vain_is_kept_for_those_named(offered: tuple[Kataribe, str, str]) -> None:
    made, refused, text = offered
    item = refused_item(made)
    for verb in (kataribe.Verb.KEEP, kataribe.Verb.EDIT):
        words = "x" if verb is kataribe.Verb.EDIT else None
        with pytest.raises(kataribe.InputError):
            made.story("s").facts.decide(item.fact_id, kataribe.Decision(verb=verb, text=words))
    assert refused_item(made) == item
    ann = kataribe.known_by("Ann")
    made.story("s").facts.decide(item.fact_id, kataribe.Decision(verb=kataribe.Verb.KEEP, audience=ann))
    assert [one for one in made.story("s").facts.review() if one.kind is kataribe.ReviewKind.REFUSED] == []
    assert refused in texts_of(made, "Ann", 2)
    assert refused not in texts_of(made, "澪", 2)
    made.story("s").undo()
    assert refused_item(made) == item
    edit = kataribe.Decision(verb=kataribe.Verb.EDIT, text=f"{refused}!", quote=text, audience=ann)
    made.story("s").facts.decide(item.fact_id, edit)
    assert f"{refused}!" in texts_of(made, "Ann", 2)
    assert made.verify().ok
