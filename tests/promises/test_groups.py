"""Groups: who is in them at an episode holds what they are told, and memory follows every edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sql import SqlLedger
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import known_by
from kataribe.errors import ConflictError, FormatError, InputError, NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.face.sync.story import StoryHandle
from kataribe.testing.fakes import FrozenClock
from support.hits import fact_hits
from support.stores import empty_store, services

TEXTS = {
    "en": ("The mill burned down.", "The key is under the stone.", "Nobody came to help."),
    "ja": ("水車小屋が燃えた。", "鍵は石の下にある。", "誰も助けに来なかった。"),
}
MARKS = {"en": "[[known-by: @circle]]\n", "ja": "【知る者：@circle】\n"}
CAST = ("a", "b", "c")


def member(who: str, since: int = 0, until: int | None = None) -> kataribe.Membership:
    return kataribe.Membership(character_id=who, since=since, until=until)


def circle(*members: kataribe.Membership, newcomers: str = "not") -> kataribe.Group:
    return kataribe.Group(group_id="circle", members=members, newcomers=kataribe.Newcomers(newcomers))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def begin(
    store: Kataribe, *members: kataribe.Membership, language: str = "en", newcomers: str = "not"
) -> StoryHandle:
    story = store.story("s")
    story.create(language="ja" if language == "ja" else "en", embedder="hash")
    story.cast.put([Character(character_id=one) for one in CAST])
    story.cast.groups.add(circle(*members, newcomers=newcomers))
    return story


def told(story: StoryHandle, no: int, text: str) -> None:
    """Put an episode whose one fact is the group's."""
    story.episodes.put(
        no, text, episode_id=f"e{no}", facts=[{"fact_id": f"f{no}", "text": text, "known_by": ["@circle"]}]
    )


def known(store: Kataribe, who: str, at: int = 9) -> list[str]:
    return [hit.fact_id for hit in fact_hits(store.known(story="s", persona=who, at=at).hits)]


def everything(store: Kataribe) -> dict[str, list[tuple[object, ...]]]:
    """Give what each of the cast is given at each episode, and all of memory."""
    seen: dict[str, list[tuple[object, ...]]] = {
        f"{who}@{at}": [
            (hit.id, hit.fact_id, hit.text, hit.quote, hit.episode_no)
            for hit in fact_hits(store.known(story="s", persona=who, at=at).hits)
        ]
        for who in CAST
        for at in range(1, 8)
    }
    return seen


def rebuilt(store: Kataribe, tmp_path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give the same of a fresh store with the same inputs (P3)."""
    store.sync()
    assert store.verify().ok, store.verify().problems
    store.story("s").export(tmp_path / "out")
    with kataribe.open(str(empty_store(tmp_path / "fresh.db")), services=services()) as fresh:
        fresh.story("s").import_folder(tmp_path / "out")
        fresh.sync()
        assert fresh.verify().ok
        fresh.story("s").export(tmp_path / "again")
        for file in (tmp_path / "out").iterdir():
            assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name
        return everything(fresh)


def plain(seen: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """Leave versions and indexes inside vector ids aside."""
    return {key: sorted((row[1:] for row in rows), key=repr) for key, rows in seen.items()}


# -- who holds what ------------------------------------------------------------------------


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("way", ["fact", "hand", "mark", "annotation"])
def test_members_at_the_episode_hold_it_and_nobody_else(store: Kataribe, language: str, way: str) -> None:
    story = begin(store, member("a"), member("b", 2, 2), language=language)
    for no, text in enumerate(TEXTS[language], 1):
        if way == "fact":
            told(story, no, text)
        elif way == "hand":
            story.episodes.put(no, "…", facts=[])
            story.facts.add(text, episode_no=no, audience=known_by("@circle"))
        elif way == "mark":
            story.episodes.put(no, MARKS[language] + text)
        else:
            story.episodes.put(no, text, annotations=[{"known_by": ["@circle"]}])
    store.sync()
    assert [len(known(store, who)) for who in CAST] == [3, 1, 0]
    assert [hit.text for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)] == [
        TEXTS[language][1]
    ]
    assert known(store, "b", at=2) == [], "not before it is over"
    assert known(store, "@circle") == []
    assert store.story("s").facts.review() == ()
    assert store.verify().ok


def test_a_group_beside_characters_and_two_groups_are_united(store: Kataribe) -> None:
    story = begin(store, member("a"))
    story.cast.groups.add(kataribe.Group(group_id="輪", members=(member("b"),)))
    story.episodes.put(1, "x", facts=[{"fact_id": "f", "text": "x", "known_by": ["@circle", "@輪", "c"]}])
    assert [known(store, who) for who in CAST] == [["f"], ["f"], ["f"]]


def test_a_group_without_members_then_sends_the_fact_to_review_and_never_to_the_world(
    store: Kataribe,
) -> None:
    story = begin(store, member("a", 2))
    told(story, 1, "x")
    story.episodes.put(2, "[[known-by: @circle]]\nSecond.\n\n[[known-by: a]]\nThird.")
    story.cast.groups.edit("circle", kataribe.GroupEdit(members=(member("a", 3),)))
    store.sync()
    items = story.facts.review()
    assert [(item.text, item.reason, item.holders) for item in items] == [
        ("x", "empty_group", ()), ("Second.", "empty_group", ()),
    ]  # fmt: skip
    assert [known(store, who) for who in ("b", "c")] == [[], []]
    story.facts.decide(items[0].fact_id, kataribe.Decision(verb=kataribe.Verb.KEEP, audience=known_by("b")))
    story.cast.groups.edit("circle", kataribe.GroupEdit(members=(member("c"),)))
    store.sync()
    assert story.facts.review() == ()
    assert known(store, "b") == ["f1"]
    assert [hit.text for hit in fact_hits(store.known(story="s", persona="c", at=9).hits)] == ["Second."]


# -- who joins and who leaves --------------------------------------------------------------


@pytest.mark.parametrize("language", TEXTS)
def test_newcomers_learn_what_the_group_holds_only_when_they_are_told(
    store: Kataribe, language: str, tmp_path: Path
) -> None:
    first, second, third = TEXTS[language]
    story = begin(store, member("a"), member("b", 3), language=language)
    story.episodes.put(1, MARKS[language] + first, episode_id="e1")
    told(story, 2, second)
    told(story, 3, third)
    store.sync()
    assert [hit.text for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)] == [third]
    story.cast.groups.edit("circle", kataribe.GroupEdit(newcomers=kataribe.Newcomers.TOLD))
    store.sync()
    hits = fact_hits(store.known(story="s", persona="b", at=9).hits)
    assert {hit.text for hit in hits} == {first, second, third}
    theirs = {hit.fact_id: hit for hit in hits}
    ours = {hit.fact_id: hit for hit in fact_hits(store.known(story="s", persona="a", at=9).hits)}
    assert theirs.keys() == ours.keys(), "the same fact"
    assert {hit.id for hit in hits} == {f"vec:e3:v1:character:b:{at}" for at in range(3)}
    assert all(hit.episode_no == 3 for hit in hits)
    assert known(store, "b", at=3) == [], "not before they joined"
    quoted = next(hit for hit in hits if hit.text == first)
    assert (quoted.quote, quoted.quote_episode_no) == (first, 1)
    assert plain(everything(store)) == plain(rebuilt(store, tmp_path))


def test_newcomers_are_told_at_once_of_a_fact_made_by_hand(store: Kataribe) -> None:
    story = begin(store, member("a"), member("b", 2), newcomers="told")
    for no in (1, 2):
        told(story, no, f"x{no}")
    store.sync()
    story.facts.add("The key is lost.", episode_no=1, audience=known_by("@circle"))
    texts = {hit.text for hit in store.known(story="s", persona="b", at=9).hits}
    assert texts == {"x1", "x2", "The key is lost."}


def test_who_leaves_keeps_what_was_held_and_gets_no_more(store: Kataribe) -> None:
    story = begin(store, member("a"), member("b"))
    for no in (1, 2, 3):
        told(story, no, f"x{no}")
    story.cast.groups.edit("circle", kataribe.GroupEdit(leave={"b": 2}))
    store.sync()
    assert known(store, "b") == ["f1", "f2"]
    assert known(store, "a") == ["f1", "f2", "f3"]


def test_who_comes_back_is_told_what_was_missed_and_nothing_twice(store: Kataribe, tmp_path: Path) -> None:
    story = begin(store, member("a"), member("b", 2, 3), member("b", 5), newcomers="told")
    for no in range(1, 7):
        told(story, no, f"x{no}")
    store.sync()
    found = {hit.fact_id: hit.episode_no for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)}
    assert found == {"f1": 2, "f2": 2, "f3": 3, "f4": 5, "f5": 5, "f6": 6}
    assert plain(everything(store)) == plain(rebuilt(store, tmp_path))


def test_what_the_group_lost_is_not_told(store: Kataribe, tmp_path: Path) -> None:
    story = begin(store, member("a"), member("b", 3), newcomers="told")
    story.episodes.put(1, "[[known-by: @circle]]\nThe mill burned. The key is lost.", episode_id="e1")
    told(story, 2, "x2")
    told(story, 3, "x3")
    store.sync()
    mill, key = (m.fact_id for m in story.facts.list(episode_no=1) if m.holder == "a")
    story.facts.delete(mill)
    store.sync()
    assert set(known(store, "b")) == {key, "f2", "f3"}
    story.facts.edit(key, kataribe.FactEdit(text="The key is found."))
    store.sync()
    texts = {hit.text for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)}
    assert texts == {"The key is found.", "x2", "x3"}, "a fact changed by hand stays the group's"
    story.facts.edit("f2", kataribe.FactEdit(audience=known_by("a")))
    story.episodes.delete(1)
    store.sync()
    assert known(store, "b") == ["f3"]
    assert plain(everything(store)) == plain(rebuilt(store, tmp_path))


def test_a_copy_follows_edits_of_other_episodes(store: Kataribe, tmp_path: Path) -> None:
    story = begin(store, member("a"), member("b", 3), newcomers="told")
    story.episodes.put(1, "[[known-by: @circle]]\nThe mill burned.", episode_id="e1")
    story.episodes.put(4, "y", episode_id="e4", facts=[])
    store.sync()
    assert [hit.episode_no for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)] == [4], (
        "3 is not there"
    )
    told(story, 3, "x3")
    store.sync()
    assert {hit.episode_no for hit in fact_hits(store.known(story="s", persona="b", at=9).hits)} == {3}
    story.episodes.put(1, "[[known-by: @circle]]\nThe mill stands.", episode_id="e1")
    story.episodes.insert(1, "Before.")
    store.sync()
    assert story.cast.groups.get("circle").members == (member("a"), member("b", 4))
    (copy,) = [
        hit for hit in fact_hits(store.known(story="s", persona="b", at=9).hits) if hit.fact_id != "f3"
    ]
    assert (copy.text, copy.quote_episode_no, copy.episode_no) == ("The mill stands.", 2, 4)
    assert plain(everything(store)) == plain(rebuilt(store, tmp_path))


# -- edits, undo, branches -----------------------------------------------------------------


def test_an_edit_of_a_group_moves_memory_exactly_and_is_undone(store: Kataribe, tmp_path: Path) -> None:
    story = begin(store, member("a"), newcomers="told")
    for no in (1, 2, 3):
        told(story, no, f"x{no}")
    store.sync()
    before = everything(store)
    story.cast.groups.edit(
        "circle", kataribe.GroupEdit(members=(member("b", 2), member("c", 1, 1)), remove=["a"])
    )
    store.sync()
    assert [known(store, who) for who in CAST] == [[], ["f1", "f2", "f3"], ["f1"]]
    assert plain(everything(store)) == plain(rebuilt(store, tmp_path))
    story.undo()
    store.sync()
    assert everything(store) == before
    story.checkpoint("then")
    story.cast.groups.edit("circle", kataribe.GroupEdit(remove=["a"]))
    story.rewind("then")
    store.sync()
    assert everything(store) == before


def test_a_group_outside_the_gate_changes_no_byte(tmp_path: Path) -> None:
    seen: list[list[object]] = []
    for members in ((member("a"),), (member("a"), member("b", 2, 2)), (member("a"), member("b", 3))):
        with kataribe.open(str(empty_store(tmp_path / f"{len(seen)}.db")), services=services()) as store:
            story = begin(store, *members, newcomers="told")
            for no in (1, 2, 3):
                told(story, no, f"x{no}")
            store.sync()
            seen.append([store.recall("x1", story="s", persona=who, at=9) for who in ("a", "c")])
    assert [[repr(one) for one in found] for found in seen[1:]] == [[repr(one) for one in seen[0]]] * 2


def test_a_branch_sees_the_group_as_it_was_at_the_fork_and_may_have_its_own(store: Kataribe) -> None:
    story = begin(store, member("a"), member("b", 2, 3), member("c", 4))
    for no in (1, 2, 3, 4):
        told(story, no, f"x{no}")
    story.branches.add("t", after=2)
    branch = store.story("t")
    branch.episodes.put(3, "own", facts=[{"fact_id": "own", "text": "own", "known_by": ["@circle"]}])
    store.sync()

    def theirs(who: str) -> list[str]:
        return [hit.fact_id for hit in store.known(story="t", persona=who, at=9).hits]

    assert [theirs(who) for who in CAST] == [["f1", "f2", "own"], ["f2", "own"], []]
    branch.cast.groups.edit("circle", kataribe.GroupEdit(leave={"b": 2}))
    store.sync()
    assert theirs("b") == ["f2"]
    assert known(store, "b") == ["f2", "f3"], "the parent's group is as it was"
    branch.branches.detach()
    store.sync()
    assert [theirs(who) for who in CAST] == [["f1", "f2", "own"], ["f2"], []]
    with pytest.raises(ConflictError, match="episode 1"):
        story.cast.groups.delete("circle")


def test_a_character_of_a_group_is_renamed_with_it_and_not_deleted(store: Kataribe) -> None:
    story = begin(store, member("a"), member("b"))
    told(story, 1, "x")
    story.cast.rename("a", "z")
    store.sync()
    assert story.cast.groups.get("circle").characters == {"z", "b"}
    assert known(store, "z") == ["f1"]
    with pytest.raises(ConflictError, match="circle"):
        story.cast.delete("z")
    story.cast.groups.edit("circle", kataribe.GroupEdit(remove=["z"]))
    story.cast.delete("z")


# -- what is refused -----------------------------------------------------------------------


def test_unknown_and_nested_groups_and_strangers_are_refused(store: Kataribe) -> None:
    story = begin(store, member("a"))
    with pytest.raises(InputError, match="@other"):
        story.episodes.put(1, "[[known-by: @other]] x")
    with pytest.raises(InputError, match="@other"):
        story.episodes.put(1, "x", facts=[{"text": "x", "known_by": ["@other"]}])
    assert story.episodes.list() == ()
    with pytest.raises(InputError, match="one by one"):
        story.episodes.put(1, "[[narrator: @circle]]\nx")
    assert story.episodes.list() == ()
    with pytest.raises(InputError, match="not other groups"):
        member("@circle")
    with pytest.raises(InputError, match="nobody"):
        story.cast.groups.add(kataribe.Group(group_id="g", members=(member("nobody"),)))
    with pytest.raises(ConflictError):
        story.cast.groups.add(circle())
    with pytest.raises(NotFoundError):
        story.cast.groups.get("g")
    with pytest.raises(InputError, match="member"):
        story.cast.groups.edit("circle", kataribe.GroupEdit(remove=["b"]))
    with pytest.raises(InputError, match="must not begin with @"):
        story.cast.add(Character(character_id="@x"))
    with pytest.raises(InputError, match="must not begin with @"):
        story.cast.rename("a", "@x")
    told(story, 1, "x")
    with pytest.raises(ConflictError, match="episode 1"):
        story.cast.groups.delete("circle")
    story.episodes.delete(1)
    with pytest.raises(ConflictError, match="episode 1"):
        story.cast.groups.delete("circle")


def test_ids_from_before_there_were_groups_keep_working_and_are_told(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "old.db")
    with kataribe.open(str(path), services=services()) as store:
        store.story("s").create(language="en", embedder="hash")
    ledger = SqlLedger(str(path), FrozenClock())
    with ledger.writing() as writing:
        writing.put_character("s", Character(character_id="@x"))
    ledger.close()
    with kataribe.open(str(path), services=services()) as store:
        story = store.story("s")
        story.episodes.put(1, "x", facts=[{"fact_id": "f", "text": "x", "known_by": ["@x"]}])
        story.cast.edit("@x", kataribe.CastEdit(name="Xavier"))
        assert known(store, "@x") == ["f"]
        with pytest.raises(ConflictError, match="@x"):
            story.cast.groups.add(kataribe.Group(group_id="x"))
        assert "id-like-a-group" in {found.code for found in story.views.check().findings}


def test_a_user_space_refuses_groups(store: Kataribe) -> None:
    with pytest.raises(InputError, match="group"):
        store.user("u").said("Hello there, my friend.", speaker="u", persona="@circle", language="en")


def folder(path: Path, cast: object, *facts: object, text: str = "x") -> Path:
    path.mkdir(exist_ok=True)
    (path / "episodes.jsonl").write_text(
        "".join(json.dumps({"episode_no": no, "text": text}) + "\n" for no in (1, 2)), encoding="utf-8"
    )
    (path / "cast.json").write_text(json.dumps(cast), encoding="utf-8")
    (path / "facts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in facts), encoding="utf-8")
    return path


PEOPLE = [{"id": "a"}, {"id": "b"}]


def test_files_say_groups_and_are_refused_by_file_and_line(store: Kataribe, tmp_path: Path) -> None:
    group = {"id": "g", "members": ["a", {"id": "b", "from": 2}], "newcomers": "told", "note": 1}
    fact = {"episode_no": 1, "fact_id": "f", "text": "x", "known_by": ["@g"]}
    good = folder(tmp_path / "good", {"characters": PEOPLE, "groups": [group]}, fact)
    store.story("s").import_folder(good, language="en")
    store.sync()
    assert [known(store, who) for who in ("a", "b")] == [["f"], ["f"]]
    assert store.story("s").import_folder(good).cast_changed == 0
    strange = {**fact, "known_by": ["@h"]}

    def saying(name: str, *groups: object) -> Path:
        return folder(tmp_path / name, {"characters": PEOPLE, "groups": groups})

    people = {"characters": PEOPLE, "groups": [group]}
    cases = [
        ("facts.jsonl:2", folder(tmp_path / "1", people, fact, strange)),
        ("cast.json", saying("2", {"id": "g", "members": ["@g"]})),
        ("cast.json", saying("3", {"id": "@g"})),
        ("cast.json", saying("4", {"id": "g", "members": ["c"]})),
        ("cast.json", folder(tmp_path / "5", {"characters": [*PEOPLE, {"id": "@g"}]})),
        ("episodes.jsonl:1", folder(tmp_path / "6", people, text="x\n\n[[known-by: @h]] y")),
    ]
    for where, path in cases:
        with pytest.raises(FormatError, match=where):
            store.story("t").import_folder(path, language="en")
        with pytest.raises(NotFoundError):
            store.story("t").info()


def test_a_group_changed_by_hand_outlives_the_same_file(store: Kataribe, tmp_path: Path) -> None:
    group: dict[str, object] = {"id": "g", "members": ["a"]}
    story = store.story("s")
    path = folder(tmp_path / "f", {"characters": PEOPLE, "groups": [group]})
    story.import_folder(path, language="en")
    story.cast.groups.edit("g", kataribe.GroupEdit(members=(member("b", 2),)))
    by_hand = story.cast.groups.get("g")
    assert story.import_folder(path).cast_kept == ["@g"]
    assert story.cast.groups.get("g") == by_hand
    folder(tmp_path / "f", {"characters": PEOPLE, "groups": [{"id": "g", "members": ["b"]}]})
    report = story.import_folder(path)
    assert [(one.character, one.field) for one in report.cast_clashes] == [("@g", "members")]
    assert story.cast.groups.get("g").members == (member("b"),)
