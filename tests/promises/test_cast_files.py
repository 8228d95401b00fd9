"""A cast file beside a cast changed by hand: the file's changes win, the rest stays, a clash is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.domain.story.cast_merge import CastClash, merge_character
from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind, Narration
from kataribe.domain.terms import known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.story.desk.cast import CastEdit
from support.stores import empty_store, services

WORDS = {
    "en": ("Ann Lee", "Annie", "the miller", "the baker"),
    "ja": ("安西 杏", "あんちゃん", "粉屋", "パン屋"),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def folder(tmp_path: Path, *characters: dict[str, object]) -> Path:
    """Write a folder with one episode and this cast."""
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "episodes.jsonl").write_text(json.dumps({"episode_no": 1, "text": "x"}), encoding="utf-8")
    (tmp_path / "cast.json").write_text(json.dumps({"characters": characters}), encoding="utf-8")
    return tmp_path


def called(store: Kataribe, who: str = "a") -> list[str]:
    return [alias.text for alias in store.story("s").cast.get(who).aliases]


@pytest.mark.parametrize("language", WORDS)
def test_what_only_a_hand_changed_outlives_the_same_file_and_a_changed_one(
    store: Kataribe, language: str, tmp_path: Path
) -> None:
    name, nick, part, other = WORDS[language]
    story = store.story("s")
    file = folder(tmp_path / "f", {"id": "a", "name": name, "aliases": [nick], "born": 3}, {"id": "b"})
    assert story.import_folder(file, language="en").cast_changed == 2
    story.cast.edit("a", CastEdit(add_aliases=(Alias(text=part),), remove_aliases=(nick,), description="d"))
    story.cast.delete("b")
    by_hand = story.cast.list()
    report = story.import_folder(file)
    assert story.cast.list() == by_hand
    assert (report.cast_changed, report.cast_kept, report.cast_clashes) == (0, ["a", "b"], [])
    folder(tmp_path / "f", {"id": "a", "name": other, "aliases": [nick], "born": 4}, {"id": "b"})
    report = story.import_folder(file)
    assert called(store) == [other, part], (
        "the file's new name, the hand's alias, and none that was taken away"
    )
    assert story.cast.get("a").extra == {"born": 4}
    assert (report.cast_changed, report.cast_clashes) == (1, [])


@pytest.mark.parametrize("language", WORDS)
def test_what_both_changed_is_the_files_and_is_told(store: Kataribe, language: str, tmp_path: Path) -> None:
    name, nick, part, other = WORDS[language]
    story = store.story("s")
    file = folder(tmp_path / "f", {"id": "a", "name": name, "aliases": [nick]}, {"id": "b"})
    story.import_folder(file, language="en")
    story.cast.edit("a", CastEdit(name=part, remove_aliases=(nick,)))
    story.cast.delete("b")
    said = {"text": nick, "from": 1, "known_by": ["b"]}
    folder(tmp_path / "f", {"id": "a", "name": other, "aliases": [said]}, {"id": "b", "name": part})
    report = story.import_folder(file)
    assert called(store) == [other, nick]
    assert called(store, "b") == [part]
    assert report.cast_clashes == [
        CastClash("a", "name"), CastClash("a", f"alias {nick}"), CastClash("b", "declared"),
    ]  # fmt: skip
    assert story.import_folder(file).cast_clashes == [], "told once"


def test_a_hand_before_the_first_import_keeps_what_the_file_does_not_speak_of(
    store: Kataribe, tmp_path: Path
) -> None:
    story = store.story("s")
    story.create(language="en", embedder="hash")
    story.cast.add(Character(character_id="a", aliases=(Alias(text="Annie"),)))
    report = story.import_folder(folder(tmp_path / "f", {"id": "a", "name": "Ann"}))
    assert called(store) == ["Ann", "Annie"]
    assert (report.cast_kept, report.cast_clashes) == (["a"], [])


def test_an_import_that_is_undone_can_be_done_again(store: Kataribe, tmp_path: Path) -> None:
    story = store.story("s")
    story.create(language="en", embedder="hash")
    cast = kataribe.read_cast(folder(tmp_path / "f", {"id": "a", "name": "Ann"}) / "cast.json")
    assert story.cast.merge(cast).changed == 1
    story.undo()
    assert story.cast.list() == ()
    assert story.cast.merge(cast).changed == 1
    assert called(store) == ["Ann"]


def test_a_branch_knows_what_its_parents_file_said(store: Kataribe, tmp_path: Path) -> None:
    story = store.story("s")
    file = folder(tmp_path / "f", {"id": "a", "name": "Ann"})
    story.import_folder(file, language="en")
    story.branches.add("t", after=1)
    store.story("t").cast.edit("a", CastEdit(name="Anna"))
    merged = store.story("t").cast.merge(kataribe.read_cast(file / "cast.json"))
    assert (merged.changed, merged.kept) == (0, ("a",))
    assert [alias.text for alias in store.story("t").cast.get("a").aliases] == ["Anna"]


def test_numbers_that_followed_an_insert_are_not_set_back(store: Kataribe, tmp_path: Path) -> None:
    story = store.story("s")
    file = folder(tmp_path / "f", {"id": "a", "aliases": [{"text": "Ann", "from": 1}]})
    story.import_folder(file, language="en")
    story.episodes.insert(1, "before")
    assert story.cast.get("a").aliases[0].address.since == 2
    assert story.cast.merge(kataribe.read_cast(file / "cast.json")).changed == 0
    assert story.cast.get("a").aliases[0].address.since == 2


TEXTS = st.sampled_from(["A", "B", "C"])
ADDRESSES = st.sampled_from([Address(), Address(since=2), Address(audience=known_by("b"))])
ALIASES = st.builds(
    Alias, text=TEXTS, kind=st.sampled_from([NameKind.NAME, NameKind.OTHER]), address=ADDRESSES
)
CHARACTERS = st.builds(
    Character,
    character_id=st.just("a"),
    aliases=st.lists(ALIASES, max_size=4).map(
        lambda found: tuple(sorted(found, key=lambda alias: alias.kind is not NameKind.NAME))
    ),
    descriptions=st.lists(st.builds(Description, text=TEXTS), max_size=1).map(tuple),
    narrates=st.lists(st.just(Narration(since=1, until=2)), max_size=1).map(tuple),
    extra=st.dictionaries(TEXTS, st.integers(0, 1), max_size=2),
)
MAYBE = st.none() | CHARACTERS


@given(last=MAYBE, file=CHARACTERS, now=MAYBE)
def test_whoever_alone_changed_something_has_it_their_way(
    last: Character | None, file: Character, now: Character | None
) -> None:
    if last is not None:
        assert merge_character(last, last, now).character == now, "a file that did not change changes nothing"
        assert merge_character(last, last, now).clashes == ()
        assert merge_character(last, file, last).character == file, "a cast no hand changed is the file's"
        assert merge_character(last, file, last).clashes == ()
    merged = merge_character(last, file, now)
    again = merge_character(file, file, merged.character)
    assert again.character == merged.character, "the same file again changes nothing"
    assert merge_character(last, file, file).character == file
    assert merge_character(last, file, file).clashes == ()


@given(last=CHARACTERS, file=CHARACTERS, now=CHARACTERS)
def test_a_field_is_said_by_the_file_or_by_the_hand_and_only_a_clash_is_told(
    last: Character, file: Character, now: Character
) -> None:
    merged = merge_character(last, file, now)
    assert merged.character is not None
    assert merged.character.descriptions in (file.descriptions, now.descriptions)
    clashes = last.descriptions not in (file.descriptions, now.descriptions)
    assert ("description" in merged.clashes) == (clashes and file.descriptions != now.descriptions)
    spoken = {alias for one in (file, now) for alias in map(repr, one.aliases)}
    assert set(map(repr, merged.character.aliases)) <= spoken
    assert replace(merged.character, aliases=()).character_id == "a"
