"""Review by scene: one word on who was there, that stays when other paragraphs are edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe import PUBLIC, Alias, Character, NameKind, Narration, known_by
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from support.guessing import FAINT, LIKELY, SURE, guessing
from support.stores import empty_store, services

NAMES = {"en": {"ann": "Ann", "ben": "Ben"}, "ja": {"ann": "アン", "ben": "ベン"}}
SCENES = {
    "en": (
        ("Ann came to the mill.", "The wheel stood still.", "So Ben and so Ann.", "Yes."),
        ("A letter lay there.", "“Burn it,” Ben said.", "Yes."),
        ("Rain fell.", "Then Ann.", "It was late."),
    ),
    "ja": (
        ("アンは水車小屋へ来た。", "水車は止まっていた。", "そこにベンとアン。", "はい。"),
        ("手紙があった。", "「燃やせ」とベンは言った。", "はい。"),
        ("雨が降った。", "そしてアン。", "夜も遅い。"),
    ),
}
both = pytest.mark.parametrize("language", ["en", "ja"])


def text_of(language: Language, *scenes: int) -> str:
    chosen = (SCENES[language][scene] for scene in scenes)
    return "\n\n* * *\n\n".join("\n\n".join(scene) for scene in chosen)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "store.db")), services=guessing()) as made:
        yield made


def tell(store: Kataribe, language: Language, *texts: str) -> None:
    story = store.story("s")
    story.create(language=language, embedder="hash")
    named = ((who, Alias(text=name, kind=NameKind.NAME)) for who, name in NAMES[language].items())
    story.cast.put([Character(character_id=who, aliases=(name,)) for who, name in named])
    for no, text in enumerate(texts, start=1):
        story.episodes.put(no=no, text=text)
    story.sync()


def held(store: Kataribe, no: int = 1) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in store.story("s").facts.list(episode_no=no):
        found.setdefault(row.text, set()).add(row.holder)
    return found


@both
def test_a_scene_is_shown_with_whom_it_found(store: Kataribe, language: Language) -> None:
    """Those who are not sure enough for the mode among them, and the sentences that wait."""
    tell(store, language, text_of(language, 0, 1, 2))
    one, two, three = store.story("s").facts.scenes()
    assert [(held.holder, held.confidence) for held in one.found] == [("ann", LIKELY), ("ben", FAINT)]
    assert [(held.holder, held.evidence, held.confidence) for held in two.found] == [("ben", "spoke", SURE)]
    assert [(held.holder, held.confidence) for held in three.found] == [("ann", FAINT)]
    wait = SCENES[language]
    assert one.waiting == (wait[0][1], wait[0][2], wait[0][3])
    assert two.waiting[0] == wait[1][0]
    assert three.waiting == wait[2]
    assert (one.begins, one.ends) == (wait[0][0], wait[0][3])
    assert {member.character_id for member in one.candidates} == {"ann", "ben"}


@both
def test_who_was_there_holds_what_waited_and_nothing_else(store: Kataribe, language: Language) -> None:
    tell(store, language, text_of(language, 0, 1, 2))
    scenes = store.story("s").facts.scenes()
    before = held(store)
    assert store.story("s").facts.decide_scene(scenes[0], known_by("ann", "ben")) is not None
    store.story("s").sync()
    first, waits, faint, yes = SCENES[language][0]
    now = held(store)
    assert now[waits] == now[faint] == {"ann", "ben"}
    assert now[first] == before[first] == {"ann"}
    # The same word in another scene waits there still.
    assert now[yes] == {"ann", "ben", ""}
    assert {text for text in now if now[text] != before[text]} == {waits, faint, yes}
    assert [scene.scene for scene in store.story("s").facts.scenes()] == [1, 2]
    assert store.story("s").verify().problems == ()
    row = next(row for row in store.story("s").facts.list() if row.text == waits)
    assert (row.evidence, row.confidence) == ("annotated", 1.0)


@both
def test_a_decision_survives_edits_of_other_paragraphs(store: Kataribe, language: Language) -> None:
    tell(store, language, text_of(language, 0, 2))
    store.story("s").facts.decide_scene(store.story("s").facts.scenes()[0], known_by("ben"))
    edited = text_of(language, 0, 2).replace(SCENES[language][2][0], SCENES[language][1][0])
    store.story("s").episodes.put(no=1, text=edited)
    store.story("s").sync()
    now = held(store)
    assert now[SCENES[language][0][1]] == {"ben"}
    # A paragraph written since is guessed as ever: it is nobody's because of a decision elsewhere.
    assert now[SCENES[language][1][0]] == {""}
    assert not any(row.flagged for row in store.story("s").facts.list())


@both
def test_a_decision_survives_an_import_of_the_texts(
    store: Kataribe, language: Language, tmp_path: Path
) -> None:
    """As every decision does; a file that names the paragraph goes before nothing that was decided."""
    tell(store, language, text_of(language, 0))
    store.story("s").facts.decide_scene(store.story("s").facts.scenes()[0], known_by("ben"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "chapter.txt").write_text(text_of(language, 0), encoding="utf-8")
    store.story("s").import_folder(tmp_path / "in")
    store.story("s").sync()
    assert held(store)[SCENES[language][0][1]] == {"ben"}
    store.story("s").episodes.put(no=1, text=text_of(language, 0), annotations=[])
    store.story("s").sync()
    assert held(store)[SCENES[language][0][1]] == {""}


def test_the_second_of_two_equal_paragraphs_is_meant(store: Kataribe) -> None:
    tell(store, "en", text_of("en", 0, 1))
    _, two = store.story("s").facts.scenes()
    store.story("s").facts.decide_scene(two, known_by("ben"))
    store.story("s").sync()
    (one,) = store.story("s").facts.scenes()
    assert "Yes." in one.waiting
    assert held(store)["Yes."] == {"ben", ""}


def test_deciding_again_replaces_and_undo_takes_back(store: Kataribe) -> None:
    tell(store, "en", text_of("en", 0))
    (item,) = store.story("s").facts.scenes()
    step = store.story("s").facts.decide_scene(item, known_by("ben"))
    assert step is not None
    assert step.summary == "said who was in scene 1 of episode 1: ben"
    assert store.story("s").facts.decide_scene(item, known_by("ben")) is None
    store.story("s").facts.decide_scene(item, PUBLIC)
    store.story("s").sync()
    assert held(store)["The wheel stood still."] == {"world"}
    store.story("s").undo()
    store.story("s").sync()
    assert held(store)["The wheel stood still."] == {"ben"}
    store.story("s").undo()
    store.story("s").sync()
    assert held(store)["The wheel stood still."] == {""}
    with pytest.raises(kataribe.InputError, match="nobody in it"):
        store.story("s").facts.decide_scene(item, kataribe.Audience())
    store.story("s").episodes.put(no=1, text="All is new.")
    with pytest.raises(kataribe.ConflictError, match="do not stand in episode 1 any more"):
        store.story("s").facts.decide_scene(item, known_by("ben"))


def test_decisions_are_exported_and_come_in_again(store: Kataribe, tmp_path: Path) -> None:
    tell(store, "ja", text_of("ja", 0, 1, 2))
    store.story("s").facts.decide_scene(store.story("s").facts.scenes()[1], known_by("ben"))
    store.story("s").sync()
    store.story("s").export(tmp_path / "out")
    store.story("copy").import_folder(tmp_path / "out")
    store.story("copy").sync()
    mine, theirs = (
        [(row.text, row.holder) for row in store.story(one).facts.list()] for one in ("s", "copy")
    )
    assert mine == theirs
    store.story("copy").export(tmp_path / "again")
    names = ("visibility.jsonl", "episodes.jsonl")
    for name in names:
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


@both
def test_at_most_three_scenes_of_an_episode_are_asked_about(store: Kataribe, language: Language) -> None:
    """The shortest beside each other go together; nothing that waits is left out."""
    tell(store, language, text_of(language, 0, 1, 2, 1, 2, 0, 1), text_of(language, 2))
    scenes = store.story("s").facts.scenes()
    assert [(scene.episode_no, scene.scene) for scene in scenes] == [(1, 1), (1, 2), (1, 3), (2, 1)]
    waiting = {item.text for item in store.story("s").facts.review()}
    assert {text for scene in scenes for text in scene.waiting} == waiting
    for scene in scenes:
        store.story("s").facts.decide_scene(scene, known_by("ann"))
    store.story("s").sync()
    assert store.story("s").facts.scenes() == ()
    assert store.story("s").facts.review() == ()


@both
def test_a_long_scene_is_parted_where_others_come_in(store: Kataribe, language: Language) -> None:
    ann, ben = NAMES[language].values()
    lines = [f"So {ann}, {at}." for at in range(6)] + [f"So {ben}, {at}." for at in range(6)]
    tell(store, language, "\n\n".join(lines), "\n\n".join(lines[:6]))
    scenes = store.story("s").facts.scenes()
    assert [(scene.episode_no, scene.begins, scene.ends) for scene in scenes] == [
        (1, lines[0], lines[5]),
        (1, lines[6], lines[11]),
        (2, lines[0], lines[5]),
    ]
    assert [[held.holder for held in scene.found] for scene in scenes] == [["ann"], ["ben"], ["ann"]]
    store.story("s").facts.decide_scene(scenes[1], known_by("ben"))
    store.story("s").sync()
    now = held(store)
    assert now[lines[5]] == {""}
    assert now[lines[6]] == {"ben"}


def test_what_was_struck_out_or_is_pending_is_in_no_scene(store: Kataribe) -> None:
    tell(store, "en", text_of("en", 2))
    waits = next(item for item in store.story("s").facts.review() if item.text == "Rain fell.")
    store.story("s").facts.delete(waits.fact_id)
    store.story("s").sync()
    (scene,) = store.story("s").facts.scenes()
    assert "Rain fell." not in scene.waiting
    store.story("s").episodes.put(no=1, text="Rain fell again.")
    assert store.story("s").facts.scenes() == ()


# -- narrators that nobody names -----------------------------------------------------------

FIRST = {
    "en": "I came to the inn. I saw the lamp. I told nobody of it, and I slept.",
    "ja": "私は宿に来た。私はランプを見た。私は誰にも言わず、私は眠った。",
}


@both
def test_a_first_person_whom_nobody_names_is_asked_for_once(tmp_path: Path, language: Language) -> None:
    """One item for the episodes beside each other, and not one a sentence."""
    with kataribe.open(str(empty_store(tmp_path / "s.db")), services=services()) as store:
        tell(store, language, FIRST[language], FIRST[language], text_of(language, 0), FIRST[language])
        story = store.story("s")
        assert [(item.first, item.last, item.parts) for item in story.facts.narrators()] == [
            (1, 2, 2),
            (4, 4, 1),
        ]
        one = story.facts.narrators()[0]
        assert FIRST[language].startswith(one.begins)
        assert {member.character_id for member in one.candidates} == {"ann", "ben"}
        story.cast.edit("ann", kataribe.CastEdit(narrates=[Narration(since=one.first, until=one.last)]))
        story.sync()
        assert [(item.first, item.last) for item in story.facts.narrators()] == [(4, 4)]
        rows = story.facts.list(episode_no=1)
        assert {(row.holder, row.evidence) for row in rows} == {("ann", "narrated")}
        assert story.verify().problems == ()


def test_what_is_told_by_nobody_named_leaves_room_for_fewer_scenes(tmp_path: Path) -> None:
    """At most three items of an episode, its narrator among them."""
    with kataribe.open(str(empty_store(tmp_path / "s.db")), services=services()) as store:
        tell(store, "en", "\n\n* * *\n\n".join([FIRST["en"], *["Rain fell. Nobody came."] * 5]))
        assert len(store.story("s").facts.narrators()) == 1
        assert len(store.story("s").facts.scenes()) == 2
