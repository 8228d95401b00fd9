"""What a writer asks of a whole story: who knows what by subject, and what a text would move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.recall.calibration import Labelled
from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.terms import Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.overviews import impact_json, summary_json
from support.stores import empty_store, services


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


CAST = {
    "ja": {"ann": "アン", "ben": "ベン"},
    "en": {"ann": "Ann", "ben": "Ben"},
}
TEXTS = {
    "ja": ("アンは鍵を隠した。アンは笑った。", "ベンは船を出した。ベンは歌った。"),
    "en": ("Ann hid the key. Ann laughed.", "Ben put out to sea. Ben sang."),
}
NEW = {"ja": "アンは鍵を捨てた。アンは笑った。", "en": "Ann threw the key away. Ann laughed."}
QUESTION = {"ja": "鍵はどこ", "en": "Where is the key"}


def told(store: Kataribe, language: Language) -> kataribe.StoryHandle:
    story = store.story("s")
    story.create(language=language, embedder="hash")
    for character_id, name in CAST[language].items():
        story.cast.add(Character(character_id=character_id, aliases=(Alias(text=name, kind=NameKind.NAME),)))
    for no, text in enumerate(TEXTS[language], start=1):
        story.episodes.put(no=no, text=text)
    story.sync()
    return story


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_summary_says_what_each_knows_of_whom_and_agrees_with_known(
    store: Kataribe, language: Language
) -> None:
    story = told(store, language)
    names = CAST[language]
    public = story.facts.add(episode_no=1, text=f"{names['ben']} 1", audience=kataribe.PUBLIC)
    secret = story.facts.add(episode_no=2, text=f"{names['ben']} 2", audience=known_by("ann"))
    ben = next(one for one in story.views.summary().subjects if one.subject == "ben")
    assert ben.in_cast
    assert ben.everybody == (public,)
    assert secret in ben.fact_ids
    ann, himself = ben.holders
    assert secret in ann.own
    assert secret not in himself.own
    assert (ann.total, ann.last_no) == (2, 2)
    for at in (1, 2, 3):
        summary = story.views.summary(before=at)
        for held in (held for one in summary.subjects for held in one.holders):
            known = {hit.fact_id for hit in store.known(story="s", persona=held.holder, at=at).hits}
            own = {
                fact
                for one in summary.subjects
                for h in one.holders
                if h.holder == held.holder
                for fact in h.own
            }
            everybody = {fact for one in summary.subjects for fact in one.everybody}
            assert known == own | everybody
    assert not story.views.summary(before=1).subjects


def test_who_is_outside_the_cast_is_a_subject_when_often_named_and_what_names_nobody_is_last(
    store: Kataribe,
) -> None:
    story = told(store, "en")
    for n in range(3):
        story.facts.add(episode_no=1, text=f'"{n}," said Mr. Crane.', audience=kataribe.PUBLIC)
    story.facts.add(episode_no=1, text="It rained.", audience=kataribe.PUBLIC)
    found = story.views.summary().subjects
    assert [(one.subject, one.in_cast) for one in found] == [
        ("ann", True),
        ("ben", True),
        ("Crane", False),
        ("", False),
    ]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_an_impact_tells_exactly_what_putting_and_syncing_moves_and_stores_nothing(
    store: Kataribe, language: Language, tmp_path: Path
) -> None:
    story = told(store, language)
    gold = [
        Labelled(
            question=QUESTION[language],
            character="ann",
            at=3,
            keys=(TEXTS[language][0].split("。")[0].split(". ")[0],),
        ),
        Labelled(question="zzz", character="ben", at=1),
    ]

    def memory() -> dict[str, tuple[str, ...]]:
        return {
            fact.fact_id: tuple(sorted(event.holders))
            for fact in story.facts.list()
            for event in story.views.timeline(fact_id=fact.fact_id).events
        }

    before, revision = memory(), store.changes(0)
    found = story.views.impact(no=1, text=NEW[language], gold=gold)
    assert memory() == before
    assert store.changes(0) == revision
    assert story.episodes.get(no=1).text == TEXTS[language][0]
    assert not story.views.matrix().pending
    assert (found.change, found.episode_no, found.asked) == ("edited", 1, 2)
    assert [fact.change.value for fact in found.facts] == ["new", "gone"]
    assert {fact.after for fact in found.facts if fact.change.value == "new"} == {("ann",)}
    (probe,) = found.probes
    assert (probe.met_before, probe.met_after) == (True, False)
    assert [(one.holder, one.gains, one.loses) for one in found.holders] == [("ann", 1, 1)]
    story.episodes.put(no=1, text=NEW[language])
    story.sync()
    after = memory()
    assert {
        fact.fact_id for fact in found.facts if fact.change.value == "new"
    } == after.keys() - before.keys()
    assert {
        fact.fact_id for fact in found.facts if fact.change.value == "gone"
    } == before.keys() - after.keys()
    for fact in found.facts:
        if fact.change.value == "new":
            assert after[fact.fact_id] == fact.after


def test_the_impact_of_the_same_text_is_none_and_of_a_new_episode_its_facts(store: Kataribe) -> None:
    story = told(store, "en")
    same = story.views.impact(no=1, text=TEXTS["en"][0])
    assert (same.change, same.facts, same.holders) == ("unchanged", (), ())
    new = story.views.impact(no=3, text="Ann came home.")
    assert new.change == "new"
    assert [(fact.change.value, fact.episode_no, fact.after) for fact in new.facts] == [("new", 3, ("ann",))]
    assert len(story.episodes.list()) == 2
    with pytest.raises(kataribe.InputError):
        story.views.impact(no=0, text="x")
    with pytest.raises(kataribe.NotFoundError):
        store.story("none").views.impact(no=1, text="x")


def test_a_hand_made_fact_whose_quote_the_text_loses_is_told(store: Kataribe) -> None:
    story = told(store, "en")
    fact = story.facts.add(
        episode_no=1, text="The key is hidden.", audience=known_by("ben"), quote="Ann hid the key."
    )
    found = {one.fact_id: one for one in story.views.impact(no=1, text=NEW["en"]).facts}
    assert found[fact].change.value == "holders"
    assert (found[fact].before, found[fact].after) == (("ben",), ())


def test_probes_without_a_viewer_are_refused(store: Kataribe) -> None:
    story = told(store, "en")
    with pytest.raises(kataribe.InputError):
        story.views.impact(no=1, text="x", gold=[Labelled(question="who?")])


def test_a_summary_and_an_impact_are_values_of_json(store: Kataribe) -> None:
    story = told(store, "ja")
    json.dumps([summary_json(story.views.summary()), impact_json(story.views.impact(no=1, text=NEW["ja"]))])
