"""What a model is asked, and what never again; and that a failure loses nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAuthenticationError, ModelHTTPError

import kataribe
from kataribe import CastEdit, Kataribe, Refusal, known_by
from kataribe.bench.holders import held_against
from kataribe.domain.story.inputs import Alias, Character, Description
from kataribe.domain.terms import PUBLIC
from kataribe.testing.fakes import FailingEmbedder
from support.hits import fact_hits
from support.model_server import Fact, fact
from support.scripted import Answer, Scripted
from support.stores import empty_store, services

MODEL = "openai:scripted"


def whole(prompt: dict[str, Any], _: int) -> list[Fact]:
    """Each paragraph in other words, known by those of the cast whom it names."""
    return [
        fact(f"It is told: {one['text']}", one["text"], _named(prompt, one["text"]) or ["world"])
        for one in prompt["paragraphs"]
    ]


def _named(prompt: dict[str, Any], text: str) -> list[str]:
    return [one["id"] for one in prompt["cast"] if any(name in text for name in one["names"])]


@contextmanager
def store(path: Path, model: Scripted, **parts: Any) -> Iterator[Kataribe]:
    rules = services().extractor("rules")
    made = replace(services(), extractor=lambda name: rules if name == "rules" else model.extractor, **parts)
    file = path / "k.db"
    if not file.exists():
        empty_store(file)
    with kataribe.open(str(file), services=made) as opened:
        yield opened


def tell(made: Kataribe, texts: Iterable[str], *, cast: Iterable[str] = ("Ann",)) -> None:
    made.story("s").create(language="en", embedder="hash", model=MODEL)
    made.story("s").cast.put([Character(character_id=one) for one in cast])
    for no, text in enumerate(texts, 1):
        made.story("s").episodes.put(no=no, text=text)


def texts_of(made: Kataribe, character: str, at: int) -> list[str]:
    return [hit.text for hit in made.known(story="s", persona=character, at=at).hits]


def test_what_a_model_found_is_remembered_by_those_who_know_it(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["The sea was calm.\n\nAnn hid the letter."], cast=["Ann", "Ben"])
        report = made.sync()
        assert (report.done, report.usage.calls, model.calls) == (1, 1, 1)
        assert texts_of(made, "Ann", 1) == []
        assert texts_of(made, "Ben", 2) == ["It is told: The sea was calm."]
        assert len(texts_of(made, "Ann", 2)) == 2
        (hit, *_) = fact_hits(made.recall("Who hid the letter?", story="s", persona="Ann", at=2).hits)
        assert (hit.text, hit.quote) == ("It is told: Ann hid the letter.", "Ann hid the letter.")
        text = made.story("s").episodes.get(no=1).text
        assert hit.offsets is not None
        assert text[slice(*hit.offsets)] == "Ann hid the letter."
        assert {memory.reason.value for memory in made.story("s").facts.list()} == {"model"}
        assert made.verify().ok
        assert model.calls == 1, "a verification asks nobody"


def test_one_changed_sentence_in_a_hundred_episodes_is_one_call(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, [f"Ann counted {no} boats. The harbour was grey." for no in range(1, 101)])
        made.sync()
        assert model.calls == 100
        made.sync()
        made.admin.rebuild()
        assert model.calls == 100, "nothing has changed"
        before = made.story("s").episodes.get(no=50).text
        made.story("s").episodes.put(no=50, text=before.replace("grey", "green"))
        made.sync()
        assert model.calls == 101
        assert "green" in model.asked[-1]["paragraphs"][0]["text"]
        made.story("s").episodes.put(no=50, text=before)
        made.sync()
        assert model.calls == 101, "what is undone is known already"
        assert any("grey" in text for text in texts_of(made, "Ann", 51))
        made.story("s").episodes.renumber(no=100, to=200)
        made.story("s").episodes.insert(no=3, text="Ann slept.")
        made.sync()
        assert model.calls == 102, "the new episode alone: numbers are not part of what is read"
        made.story("s").episodes.delete(no=3)
        made.story("s").episodes.restore(no=3)
        made.sync()
        assert model.calls == 102
        assert made.verify().ok


def test_rebuild_asks_again_only_when_told_to(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept."])
        made.sync()
        made.admin.rebuild(story="s", extract_again=True)
        assert model.calls == 4
        assert made.verify().ok


def test_going_back_to_a_model_costs_nothing(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang."])
        made.sync()
        by_model = texts_of(made, "Ann", 2)
        made.story("s").set_model("rules")
        assert texts_of(made, "Ann", 2) == [], "what another read is not shown"
        made.sync()
        assert texts_of(made, "Ann", 2) == ["Ann sang."]
        made.story("s").set_model(MODEL)
        made.sync()
        assert texts_of(made, "Ann", 2) == by_model
        assert model.calls == 1


def test_a_backup_keeps_what_was_paid_for(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang."])
        made.sync()
        (tmp_path / "b").mkdir()
        made.admin.backup(tmp_path / "b" / "k.db")
    with store(tmp_path / "b", model) as again:
        again.sync()
        assert model.calls == 1
        assert texts_of(again, "Ann", 2) == ["It is told: Ann sang."]


def test_descriptions_are_told_to_a_model_from_when_they_are_known_and_secrets_never(tmp_path: Path) -> None:
    model = Scripted(whole)
    at = kataribe.Address
    person = Character(
        character_id="Ann",
        aliases=(
            Alias(text="Ann", kind=kataribe.NameKind.NAME),
            Alias(text="Captain Red", address=at(since=1, audience=known_by("Ann"))),
            Alias(text="Annie", address=at(since=2)),
        ),
        descriptions=(
            Description(text="She sells bread."),
            Description(text="She is a pirate.", address=at(audience=known_by("Ann"))),
            Description(text="She left the town.", address=at(since=2)),
        ),
    )
    with store(tmp_path, model) as made:
        made.story("s").create(language="en", embedder="hash", model=MODEL)
        made.story("s").cast.put([person])
        made.story("s").episodes.put(no=1, text="Ann sang.")
        made.story("s").episodes.put(no=2, text="Ann slept.")
        made.sync()
        told = {one["paragraphs"][0]["text"]: one["cast"][0] for one in model.asked}
        assert told["Ann sang."] == {"id": "Ann", "names": ["Ann"], "about": ["She sells bread."]}
        assert told["Ann slept."]["names"] == ["Ann", "Annie"]
        assert told["Ann slept."]["about"] == ["She sells bread.", "She left the town."]
        secret = Alias(text="Queen Ann", address=at(audience=known_by("Ann")))
        made.story("s").cast.edit("Ann", CastEdit(add_aliases=(secret,)))
        made.sync()
        assert model.calls == 2, "a secret is not told, so it changes nothing"
        made.story("s").cast.edit("Ann", CastEdit(add_aliases=(Alias(text="Nan", address=at(since=2)),)))
        made.sync()
        assert [one["paragraphs"][0]["text"] for one in model.asked[2:]] == ["Ann slept."]


# -- failures --------------------------------------------------------------------------------


def test_a_model_that_fails_loses_nothing_and_hides_nothing_else(tmp_path: Path) -> None:
    def script(prompt: dict[str, Any], number: int) -> Answer:
        if "slept" in prompt["paragraphs"][0]["text"]:
            return "no"
        return whole(prompt, number)

    model = Scripted(script)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept.", "Ann woke."])
        report = made.sync()
        assert report.done == 2
        assert "no facts in the shape asked for" in report.dead["s", 2]
        assert report.usage.calls > 2, "what failed is counted"
        assert made.story("s").episodes.get(no=2).text == "Ann slept."
        assert texts_of(made, "Ann", 4) == ["It is told: Ann sang.", "It is told: Ann woke."]
        model.script = whole
        made.sync(retry=True)
        assert len(texts_of(made, "Ann", 4)) == 3


def test_a_failed_answer_does_not_empty_what_is_remembered(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang."])
        made.sync()
        model.script = lambda *_: "no"
        made.admin.rebuild(story="s", extract_again=True)
        assert [memory.text for memory in made.story("s").facts.list()] == ["It is told: Ann sang."]


def test_what_was_paid_for_is_kept_when_embedding_fails(tmp_path: Path) -> None:
    model = Scripted(whole)
    embedder = FailingEmbedder(services().embedder("hash"), failing=["It is told: Ann sang."])
    with store(tmp_path, model, embedder=lambda _: embedder) as made:
        tell(made, ["Ann sang."])
        assert made.sync().dead
        embedder.failing.clear()
        made.sync(retry=True)
        assert texts_of(made, "Ann", 2) == ["It is told: Ann sang."]
        assert model.calls == 1


def test_a_store_opens_without_a_key_and_shows_what_is_remembered(tmp_path: Path) -> None:
    with store(tmp_path, Scripted(whole)) as made:
        tell(made, ["Ann sang."])
        made.sync()
    with kataribe.open(str(tmp_path / "k.db")) as plain:
        assert texts_of(plain, "Ann", 2) == ["It is told: Ann sang."]
        plain.story("s").episodes.put(no=2, text="Ann slept.")
        with pytest.raises(kataribe.ModelError, match="OPENAI_API_KEY"):
            plain.sync()
        assert texts_of(plain, "Ann", 3) == ["It is told: Ann sang."]


def test_a_model_that_this_release_does_not_know_hides_nothing(tmp_path: Path) -> None:
    with store(tmp_path, Scripted(whole)) as made:
        tell(made, ["Ann sang."])
        made.sync()
    with closing(sqlite3.connect(tmp_path / "k.db")) as connection, connection:
        connection.execute("UPDATE stories SET extractor = 'other:x'")
    with kataribe.open(str(tmp_path / "k.db"), services=services()) as plain:
        assert texts_of(plain, "Ann", 2) == ["It is told: Ann sang."]
        with pytest.raises(kataribe.InputError, match="'other:x' is no model"):
            plain.sync()


def test_what_was_read_before_the_key_was_refused_is_kept(tmp_path: Path) -> None:
    def script(prompt: dict[str, Any], number: int) -> Answer:
        if "slept" in prompt["paragraphs"][0]["text"]:
            raise ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name="x")
        return whole(prompt, number)

    model = Scripted(script)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept."])
        with pytest.raises(kataribe.ModelError, match="cannot be asked: the server answered 401"):
            made.sync()
        assert texts_of(made, "Ann", 3) == ["It is told: Ann sang."]
        model.script = whole
        made.sync()
        assert len(texts_of(made, "Ann", 3)) == 2
        sung = [one for one in model.asked if one["paragraphs"][0]["text"] == "Ann sang."]
        assert len(sung) == 1


# -- refusals and estimates ------------------------------------------------------------------


def test_refusals_are_those_of_the_texts_as_they_stand(tmp_path: Path) -> None:
    model = Scripted(lambda prompt, number: [*whole(prompt, number), fact("Zed came.", "Ann", ["zed"])])
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept."])
        report = made.sync()
        reason = "known_by names zed, not in the cast; use ids of the cast"
        refusal = Refusal(text="Zed came.", quote="Ann", reason=reason)
        ids = [state.episode_id for state in made.story("s").episodes.list()]
        assert made.admin.refusals("s") == ((ids[0], refusal), (ids[1], refusal))
        assert report.refused == 4 - 2
        model.script = whole
        made.story("s").episodes.put(no=1, text="Ann sang a song.")
        made.sync()
        assert made.admin.refusals("s") == ((ids[1], refusal),)


def test_an_estimate_asks_nobody_and_writes_nothing(tmp_path: Path) -> None:
    model = Scripted(whole, name="openai:gpt-4o-mini")
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept."])
        before = made.story("s").episodes.list()
        (one,) = made.admin.estimate()
        assert (one.story_id, one.due, one.to_read, one.usage.calls) == ("s", 2, 2, 2)
        assert one.usage.input_tokens > 0
        assert one.usage.cost
        assert model.calls == 0
        assert made.story("s").episodes.list() == before
        made.sync()
        (one,) = made.admin.estimate(story="s")
        assert (one.due, one.to_read, one.usage.calls) == (0, 0, 0)


# -- is it any good --------------------------------------------------------------------------


def test_an_extractor_is_held_against_the_authors_word() -> None:
    gold = [("e", 0, 10, known_by("ann")), ("e", 10, 20, PUBLIC), ("e", 20, 30, known_by("ann", "ben"))]
    keeps = held_against(
        gold, [("e", 2, 8, known_by("ann")), ("e", 12, 15, PUBLIC), ("e", 21, 22, known_by("ben"))]
    )
    assert (keeps.guessed, keeps.allowed, keeps.waiting) == (3, 3, 0)
    assert (keeps.gold_secret, keeps.hit_secret) == (3, 2)
    leaks = held_against(gold, [("e", 2, 8, PUBLIC)])
    assert leaks.guessed - leaks.allowed == 1
    assert leaks.waiting == 2


LONG = "Ann sang all day. " * 30
"""More than a paragraph."""


ONCE = kataribe.WorkPolicy(max_attempts=1)


def nothing(*_: object) -> list[Fact]:
    return []


def test_an_unchanged_text_is_not_forgotten_unless_a_person_says_so(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model) as made:
        tell(made, ["Ann sang.", "Ann slept."])
        made.sync()
        before = [replace(fact, key=0) for fact in made.story("s").facts.list()]
        with pytest.raises(kataribe.ConflictError, match="no empty answer"):
            made.admin.accept_empty("s", episode_no=1)
        model.script = nothing
        report = made.admin.rebuild(story="s", extract_again=True)
        assert sorted(report.spared) == [("s", 1), ("s", 2)]
        assert "work accept --story s --at 2" in report.spared["s", 2]
        assert ([replace(fact, key=0) for fact in made.story("s").facts.list()], report.dead) == (before, {})
        assert {refused.reason for _, refused in made.admin.refusals("s")} == set(report.spared.values())
        assert made.story("s").facts.review() == ()
        assert made.verify().ok
        made.admin.accept_empty("s", episode_no=2)
        assert texts_of(made, "Ann", 3) == ["It is told: Ann sang."]
        calls = model.calls
        assert (made.sync().done, made.admin.rebuild().done, model.calls) == (0, 2, calls)
        assert texts_of(made, "Ann", 3) == ["It is told: Ann sang."]
        assert made.verify().ok
        model.script = whole
        assert made.admin.rebuild(story="s", extract_again=True).spared == {}
        assert len(texts_of(made, "Ann", 3)) == 2
        assert made.admin.refusals("s") == ()


def test_an_edited_text_of_a_paragraph_is_not_forgotten_unasked(tmp_path: Path) -> None:
    model = Scripted(whole)
    with store(tmp_path, model, policy=ONCE) as made:
        tell(made, [LONG, "Ann slept."])
        made.sync()
        model.script = nothing
        made.story("s").episodes.put(no=1, text=f"{LONG}Ann woke.")
        made.story("s").episodes.put(no=2, text="To be told.")
        report = made.sync()
        assert list(report.dead) == [("s", 1)], "a line may hold nothing any more, a paragraph hardly"
        assert "work accept --story s --at 1" in report.dead["s", 1]
        (item,) = made.admin.work(story="s")
        assert (item.episode_no, item.error) == (1, report.dead["s", 1])
        model.script = whole
        made.sync(retry=True)
        assert "Ann woke." in texts_of(made, "Ann", 3)[0]
        model.script = nothing
        made.story("s").episodes.put(no=1, text=LONG.replace("sang", "wept"))
        made.sync()
        made.admin.accept_empty("s", episode_no=1)
        assert (made.admin.work(story="s"), texts_of(made, "Ann", 3)) == ((), [])
        calls = model.calls
        assert (made.admin.rebuild().dead, model.calls) == ({}, calls)
        assert made.verify().ok


def test_what_never_held_a_fact_may_be_empty(tmp_path: Path) -> None:
    with store(tmp_path, Scripted(nothing)) as made:
        tell(made, [LONG])
        assert made.sync().done == 1
        assert made.admin.rebuild(story="s", extract_again=True).spared == {}


def test_a_text_read_anew_by_another_model_is_not_forgotten_unasked(tmp_path: Path) -> None:
    with store(tmp_path, Scripted(whole)) as made:
        tell(made, ["Ann sang."])
        made.sync()
    with store(tmp_path, Scripted(nothing, name="openai:other"), policy=ONCE) as made:
        assert list(made.admin.rebuild().dead) == [("s", 1)]
        assert [fact.text for fact in made.story("s").facts.list()] == ["It is told: Ann sang."]
