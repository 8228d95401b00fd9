"""Who holds what was guessed: by which evidence, how sure, and how sure the story wants it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe import Alias, AudienceMode, Character, EvidenceKind, NameKind, Narration, known_by
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from support.guessing import FAINT, LIKELY, SURE, GuessingExtractor, guessing
from support.stores import empty_store

NAMES = {"en": {"ann": "Ann", "ben": "Ben"}, "ja": {"ann": "アン", "ben": "ベン"}}
TEXTS = {
    "en": "Ann gave Ben the lamp.\n\n“The key is mine,” Ben said.\n\nThe mill stood empty.",
    "ja": "アンはベンにランプを渡した。\n\n「鍵は僕のだ」とベンは言った。\n\n水車小屋は空だった。",
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")
both = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def extractor() -> GuessingExtractor:
    return GuessingExtractor()


@pytest.fixture
def store(tmp_path: Path, extractor: GuessingExtractor) -> Iterator[Kataribe]:
    path = empty_store(tmp_path / "store.db")
    with kataribe.open(str(path), services=guessing(extractor)) as made:
        yield made


def person(character_id: str, language: Language = "en", *told: Narration) -> Character:
    name = Alias(text=NAMES[language][character_id], kind=NameKind.NAME)
    return Character(character_id=character_id, aliases=(name,), narrates=told)


def tell(store: Kataribe, language: Language = "en", audience: str | None = None) -> None:
    """Put a story of one episode in place."""
    story = store.story("s")
    story.create(language=language, embedder="hash", audience=audience)
    story.cast.put([person("ann", language), person("ben", language)])
    story.episodes.put(no=1, text=TEXTS[language])
    story.sync()


def held(store: Kataribe, story_id: str = "s") -> list[tuple[int, str, str | None, float | None]]:
    """Give who holds which paragraph of the first episode, by what, and how sure that is."""
    rows = store.story(story_id).facts.list()
    order = sorted({row.place for row in rows})
    return [(order.index(row.place), row.holder, row.evidence, row.confidence) for row in rows]


ANN, BEN, BEN_SAYS = (0, "ann", "acted", LIKELY), (0, "ben", "present", FAINT), (1, "ben", "spoke", SURE)
WAITS = [(0, "", None, None), (1, "", None, None), (2, "", None, None)]


@both
def test_each_copy_names_what_speaks_for_its_own_holder(store: Kataribe, language: Language) -> None:
    tell(store, language, "wide")
    assert held(store) == [ANN, BEN, BEN_SAYS, WAITS[2]]
    assert [row.is_guessed for row in store.story("s").facts.list()] == [True, True, True, False]


@both
def test_a_guess_that_is_not_sure_enough_waits_in_review(store: Kataribe, language: Language) -> None:
    tell(store, language)
    assert held(store) == [ANN, BEN_SAYS, WAITS[2]]
    assert {hit.text for hit in store.known(story="s", persona="ben", at=2).hits} == {
        TEXTS[language].split("\n\n")[1]
    }
    store.story("s").set_audience("strict")
    store.story("s").sync()
    assert held(store) == [WAITS[0], BEN_SAYS, WAITS[2]]
    assert {item.text for item in store.story("s").facts.review()} == {
        TEXTS[language].split("\n\n")[0],
        TEXTS[language].split("\n\n")[2],
    }
    assert store.story("s").verify().problems == ()


def test_the_authors_word_is_sure_and_what_is_everybodys_unsaid_has_no_evidence(store: Kataribe) -> None:
    story = store.story("s")
    story.create(language="en", embedder="hash")
    story.episodes.put(no=1, text="The mill stood empty.")
    story.sync()
    assert held(store) == [(0, "world", None, None)]
    story.facts.add("Ann owns the mill.", episode_no=1, audience=known_by("ann"))
    story.episodes.put(no=1, text="[[known-by: ben]] The mill stood empty.")
    story.sync()
    rows = {(row.text, row.holder): (row.evidence, row.confidence) for row in story.facts.list()}
    assert rows == {
        ("Ann owns the mill.", "ann"): (EvidenceKind.ANNOTATED, 1.0),
        ("The mill stood empty.", "ben"): (EvidenceKind.ANNOTATED, 1.0),
    }
    assert story.verify().problems == ()


# -- the mode ------------------------------------------------------------------------------


def test_another_mode_is_followed_without_reading_again(
    store: Kataribe, extractor: GuessingExtractor
) -> None:
    tell(store)
    read = extractor.reads
    for mode, holders in (("wide", 3), ("strict", 1), ("evident", 2)):
        store.story("s").set_audience(mode)
        assert [state.is_pending for state in store.story("s").episodes.list()] == [True]
        store.story("s").sync()
        assert sum(1 for row in held(store) if row[1]) == holders
    assert extractor.reads == read
    assert store.story("s").info().audience is AudienceMode.EVIDENT


def test_a_mode_that_is_chosen_already_makes_nothing_stale(store: Kataribe) -> None:
    tell(store)
    store.story("s").set_audience(AudienceMode.EVIDENT)
    assert not any(state.is_pending for state in store.story("s").episodes.list())


def test_an_unknown_mode_is_refused(store: Kataribe) -> None:
    tell(store)
    with pytest.raises(kataribe.InputError, match="strict, evident, wide, not 'sure'"):
        store.story("s").set_audience("sure")
    with pytest.raises(kataribe.InputError, match="strict, evident, wide"):
        store.story("t").create(language="en", audience="sure")


def test_undo_takes_a_mode_back(store: Kataribe) -> None:
    tell(store)
    before = held(store)
    store.story("s").set_audience("strict")
    assert store.story("s").undo().summary == "chose the audience mode strict"
    store.story("s").sync()
    assert held(store) == before
    assert store.story("s").info().audience is AudienceMode.EVIDENT


def test_a_checkpoint_keeps_the_mode(store: Kataribe) -> None:
    tell(store)
    store.story("s").checkpoint("sure")
    store.story("s").set_audience("wide")
    store.story("s").rewind("sure")
    store.story("s").sync()
    assert store.story("s").info().audience is AudienceMode.EVIDENT
    assert held(store) == [ANN, BEN_SAYS, WAITS[2]]


def test_the_mode_is_one_for_a_story_and_its_branches(store: Kataribe) -> None:
    tell(store, audience="wide")
    store.story("s").branches.add("if", after=1)
    assert store.story("if").info().audience is AudienceMode.WIDE
    store.story("if").set_audience("strict")
    assert store.story("s").info().audience is AudienceMode.STRICT
    store.story("s").sync()
    assert held(store) == [WAITS[0], BEN_SAYS, WAITS[2]]
    store.story("if").undo()
    assert store.story("s").info().audience is AudienceMode.WIDE


def test_the_mode_is_exported_and_comes_in_again(store: Kataribe, tmp_path: Path) -> None:
    tell(store, audience="strict")
    store.story("s").export(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "story.json").read_bytes())["audience"] == "strict"
    store.story("copy").import_folder(tmp_path / "out")
    store.story("copy").sync()
    assert held(store, "copy") == held(store)
    store.story("copy").set_audience("wide")
    store.story("copy").import_folder(tmp_path / "out")
    assert store.story("copy").info().audience is AudienceMode.STRICT
    store.story("copy").import_folder(tmp_path / "out", audience="wide")
    assert store.story("copy").info().audience is AudienceMode.WIDE


def test_a_folder_that_says_nothing_of_the_mode_leaves_it(store: Kataribe, tmp_path: Path) -> None:
    row = {"episode_no": 1, "text": "Ann came."}
    (tmp_path / "episodes.jsonl").write_text(json.dumps(row), encoding="utf-8")
    store.story("s").import_folder(tmp_path)
    assert store.story("s").info().audience is AudienceMode.EVIDENT
    store.story("s").set_audience("wide")
    store.story("s").import_folder(tmp_path)
    assert store.story("s").info().audience is AudienceMode.WIDE
    (tmp_path / "story.json").write_text('{"audience": "sure"}', encoding="utf-8")
    with pytest.raises(kataribe.FormatError, match=r"story\.json.*strict, evident, wide"):
        store.story("s").import_folder(tmp_path)


# -- narrators -----------------------------------------------------------------------------


@both
def test_what_a_narrator_tells_the_narrator_holds(store: Kataribe, language: Language) -> None:
    tell(store, language)
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=1, until=1)]))
    store.story("s").sync()
    assert [row[1:3] for row in held(store) if row[0] == 2] == [("ann", "narrated")]
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=2, until=9)]))
    store.story("s").sync()
    assert held(store) == [ANN, BEN_SAYS, WAITS[2]]


@both
def test_a_telling_is_held_by_its_teller_and_those_it_is_told_to(store: Kataribe, language: Language) -> None:
    tell(store, language)
    telling = Narration(since=1, until=1, told_to=frozenset({"cleo"}))
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[telling]))
    store.story("s").sync()
    assert {row[1] for row in held(store)} == {"ann", "cleo"}
    assert store.known(story="s", persona="cleo", at=2).in_cast
    assert not store.known(story="s", persona="cleo", at=1).in_cast
    cleo = next(one for one in store.story("s").cast.list() if one.character_id == "cleo")
    assert (cleo.declared, cleo.since) == (False, 1)
    assert store.story("s").verify().problems == ()


def test_a_narrator_counts_only_where_it_narrates(store: Kataribe, extractor: GuessingExtractor) -> None:
    tell(store)
    store.story("s").episodes.put(no=2, text="Ann came back.")
    store.story("s").sync()
    read = extractor.reads
    store.story("s").cast.edit("ben", kataribe.CastEdit(narrates=[Narration(since=2, until=2)]))
    assert [state.is_pending for state in store.story("s").episodes.list()] == [False, True]
    store.story("s").sync()
    assert extractor.reads == read + 1


def test_narrators_follow_names_and_numbers_and_are_taken_back(store: Kataribe) -> None:
    tell(store)
    cast = store.story("s").cast
    telling = Narration(since=1, until=1, told_to=frozenset({"ben"}))
    cast.edit("ann", kataribe.CastEdit(narrates=[telling]))
    cast.rename("ben", "bernard")
    assert cast.get("ann").narrates[0].told_to == {"bernard"}
    store.story("s").episodes.insert(no=1, text="Long before.")
    told = cast.get("ann").narrates
    assert [(one.since, one.until) for one in told] == [(2, 2)]
    store.story("s").undo()
    store.story("s").undo()
    assert cast.get("ann").narrates == (telling,)
    store.story("s").undo()
    assert cast.get("ann").narrates == ()


def test_an_episode_that_moves_is_told_where_it_goes(store: Kataribe) -> None:
    tell(store)
    for no in (2, 3, 4):
        store.story("s").episodes.put(no=no, text=f"Ann came, {no}.")
    cast = store.story("s").cast
    cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=1, until=2)]))
    store.story("s").episodes.renumber(no=2, to=9)
    assert [(one.since, one.until) for one in cast.get("ann").narrates] == [(1, 1), (9, 9)]
    cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=3, until=10**6)]))
    store.story("s").episodes.insert(no=4, text="Between.")
    assert [(one.since, one.until) for one in cast.get("ann").narrates] == [(3, 10**6 + 1)]


def test_a_branch_reads_its_parents_narrators_up_to_the_fork(store: Kataribe) -> None:
    tell(store)
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=1, until=9)]))
    store.story("s").branches.add("if", after=1)
    store.story("if").episodes.put(no=2, text="The mill burned.")
    store.story("if").sync()
    assert [row.holder for row in store.story("if").facts.list() if row.episode_no == 2] == [""]
    store.story("if").branches.detach()
    assert [(one.since, one.until) for one in store.story("if").cast.get("ann").narrates] == [(1, 1)]


def test_a_deleted_character_narrates_no_more(store: Kataribe) -> None:
    tell(store)
    telling = Narration(since=1, until=1, told_to=frozenset({"ben"}))
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[telling]))
    assert store.story("s").cast.delete("ben"), "the telling still names him"
    assert store.story("s").cast.delete("ann") is False
    assert [one.character_id for one in store.story("s").cast.list()] == []
    store.story("s").undo()
    assert store.story("s").cast.get("ann").narrates == (telling,)


def test_narrators_are_exported_and_come_in_again(store: Kataribe, tmp_path: Path) -> None:
    tell(store)
    telling = Narration(since=1, until=3, told_to=frozenset({"ben", "cleo"}))
    plain = Narration(since=5, until=5)
    store.story("s").cast.edit("ann", kataribe.CastEdit(narrates=[telling, plain]))
    store.story("s").sync()
    store.story("s").export(tmp_path / "out")
    written = json.loads((tmp_path / "out" / "cast.json").read_bytes())["characters"][0]
    assert written["narrates"] == [{"from": 1, "to": 3, "told_to": ["ben", "cleo"]}, {"from": 5, "to": 5}]
    store.story("copy").import_folder(tmp_path / "out")
    store.story("copy").sync()
    assert store.story("copy").cast.get("ann").narrates == (telling, plain)
    assert held(store, "copy") == held(store)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ([{"from": 3, "to": 2}], "ends at episode 2 before it begins at 3"),
        ([{"from": 3}], "'to' is missing"),
        ([{"to": 3}], "'from' is missing"),
        ([{"from": 0, "to": 3}], "from must be a whole number from 1"),
        ([{"from": 1, "to": 3, "told_to": []}], "narrates 1.*at least one character"),
        ([{"from": 1, "to": 3, "told_to": "public"}], "told_to names characters"),
        ([{"from": 1, "to": 3}, {"from": 1, "to": 2, "tone": "low"}], "narrates 2: unknown field 'tone'"),
        ({"from": 1, "to": 3}, "narrates must be a list"),
        (["ann"], "narrates 1: must be an object"),
    ],
)
def test_a_malformed_narrator_is_refused_with_its_place(tmp_path: Path, told: object, says: str) -> None:
    path = tmp_path / "cast.json"
    path.write_text(json.dumps([{"id": "ben"}, {"id": "ann", "narrates": told}]), encoding="utf-8")
    with pytest.raises(kataribe.FormatError, match=says) as caught:
        kataribe.read_cast(path)
    assert "cast.json" in str(caught.value)
    assert "character 2 (ann)" in str(caught.value)
