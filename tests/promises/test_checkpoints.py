"""Save slots: a story kept under a name is that story again when it is rewound to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe import Alias, CastEdit, Character, FactEdit, Kataribe, Turn, known_by
from kataribe.domain.story.folder import EpisodeRow, FactRow, StoryFolder
from kataribe.domain.terms import PUBLIC, FactSource
from kataribe.formats.folder import write_folder
from kataribe.story.desk import checkpoints as slots
from kataribe.testing.fakes import CountingEmbedder
from support.model import everything
from support.stores import empty_store, services

CAST = {"ja": {"ann": "アン", "ben": "ベン"}, "en": {"ann": "Ann", "ben": "Ben"}}
TEXTS = {
    "ja": ("アンは水車小屋へ行った。\n「鍵は石の下だ」とベンは言った。", "アンはベンにランプを渡した。"),
    "en": ("Ann went to the mill.\n“The key is under the stone,” said Ben.", "Ann gave Ben the lamp."),
}
LATER = {"ja": "ベンは鍵を川に捨てた。", "en": "Ben threw the key into the river."}
QUESTIONS = {"ja": ("鍵はどこ？",), "en": ("Where is the key?",)}
VIEWERS = [(who, at) for who in ("ann", "ben", "stranger") for at in (1, 2, 3, 9)]
EMBEDDER = CountingEmbedder(services().embedder("hash"))
SAID = datetime(2024, 5, 1, 9, tzinfo=UTC)


@pytest.fixture(params=["ja", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(tmp_path: Path, language: Any) -> Iterator[Kataribe]:
    """A story of two episodes with a fact by hand, kept as `start`."""
    made_by = replace(services(), embedder=lambda _: EMBEDDER)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=made_by) as made:
        made.story("s").create(language=language, embedder="hash")
        for who, name in CAST[language].items():
            made.story("s").cast.add(Character(character_id=who, aliases=(Alias(text=name),)))
        for no, text in enumerate(TEXTS[language], start=1):
            made.story("s").episodes.put(no=no, text=text, episode_id=f"e{no}")
        made.story("s").facts.add(episode_no=1, text=LATER[language], audience=known_by("ben"))
        made.story("s").sync()
        made.story("s").checkpoint("start")
        yield made


def all_of(store: Kataribe, language: str, story_id: str = "s") -> list[object]:
    return everything(store, story_id, VIEWERS, QUESTIONS[language], ids=False)


def live(store: Kataribe, story_id: str = "s") -> list[tuple[int, str]]:
    return [(one.no, one.episode_id) for one in store.story(story_id).episodes.list() if one.is_live]


def play_on(store: Kataribe, language: str) -> None:
    """Change inputs of every kind: texts, numbers, deletions, facts, decisions, pins, the cast."""
    store.story("s").episodes.insert(no=1, text=LATER[language], episode_id="new")
    store.story("s").episodes.put(no=2, text=TEXTS[language][0] + "\n" + LATER[language])
    store.story("s").episodes.put(no=9, text=TEXTS[language][1], episode_id="last")
    store.story("s").episodes.delete(no=3)
    store.story("s").sync()
    found = [
        one
        for one in store.story("s").facts.list(episode_no=2)
        if one.origin is kataribe.FactOrigin.EXTRACTED
    ]
    struck, pinned, *_ = dict.fromkeys(one.fact_id for one in found)
    store.story("s").facts.delete(struck)
    store.story("s").facts.pin(pinned)
    (mine,) = {one.fact_id for one in store.story("s").facts.list() if one.origin is kataribe.FactOrigin.HAND}
    store.story("s").facts.edit(mine, FactEdit(audience=PUBLIC, importance=5, keep_quote=True))
    store.story("s").cast.edit("ann", CastEdit(add_aliases=(Alias(text="Fox"),)))
    store.story("s").cast.add(Character(character_id="cleo"))
    store.story("s").sync()


def test_rewinding_gives_the_story_back_and_forward_again(store: Kataribe, language: str) -> None:
    before, numbers = all_of(store, language), live(store)
    play_on(store, language)
    store.story("s").checkpoint("later")
    after, later_numbers = all_of(store, language), live(store)
    assert before != after
    assert store.story("s").rewind("start").name == "start"
    assert live(store) == numbers
    store.story("s").sync()
    assert all_of(store, language) == before
    assert store.story("s").verify().problems == ()
    store.story("s").rewind("later")
    store.story("s").sync()
    assert (all_of(store, language), live(store)) == (after, later_numbers)
    assert store.story("s").verify().problems == ()


def test_rewinding_is_one_step_that_undo_takes_back(store: Kataribe, language: str) -> None:
    play_on(store, language)
    after, steps = all_of(store, language), store.story("s").steps()
    store.story("s").rewind("start")
    assert len(store.story("s").steps()) == len(steps) + 1
    assert store.story("s").undo().summary == "rewound to start"
    store.story("s").sync()
    assert all_of(store, language) == after
    assert store.story("s").steps() == steps
    store.story("s").undo()
    assert store.story("s").verify().problems == ()


def test_rewinding_to_where_one_is_changes_nothing(store: Kataribe, language: str) -> None:
    before, steps = all_of(store, language), store.story("s").steps()
    store.story("s").rewind("start")
    assert (all_of(store, language), store.story("s").steps()) == (before, steps)
    assert not any(one.is_pending for one in store.story("s").episodes.list())


def test_what_was_deleted_and_what_is_new_cost_nothing(store: Kataribe, language: str) -> None:
    """What is still there is not embedded again: memory is whole when `rewind` returns."""
    before = all_of(store, language)
    store.story("s").episodes.delete(no=2)
    store.story("s").episodes.put(no=3, text=LATER[language])
    store.story("s").sync()
    EMBEDDER.documents.clear()
    store.story("s").rewind("start")
    assert not any(one.is_pending for one in store.story("s").episodes.list())
    assert EMBEDDER.documents == []
    assert all_of(store, language) == before


def test_an_import_is_rewound_with_where_its_facts_come_from(
    store: Kataribe, language: str, tmp_path: Path
) -> None:
    """Undo does not know of imports; a checkpoint does."""
    before = all_of(store, language)
    folder = StoryFolder(
        episodes=(EpisodeRow(episode_id="e1", no=1, text=TEXTS[language][0], extra={"weather": "雨"}),),
        facts=(FactRow(fact_id="f1", episode_no=1, audience=PUBLIC, text=LATER[language]),),
    )
    write_folder(tmp_path / "folder", folder)
    store.story("s").import_folder(tmp_path / "folder", only="facts")
    store.story("s").sync()
    assert store.story("s").episodes.get(no=1).fact_source is FactSource.SUPPLIED
    store.story("s").rewind("start")
    store.story("s").sync()
    episode = store.story("s").episodes.get(no=1)
    assert (episode.fact_source, episode.extra) == (FactSource.EXTRACTED, {})
    assert all_of(store, language) == before
    store.story("s").undo()
    assert store.story("s").episodes.get(no=1).extra == {"weather": "雨"}
    assert store.story("s").episodes.get(no=1).fact_source is FactSource.SUPPLIED


def test_a_fact_that_went_to_a_new_episode_goes_back_and_is_there_once(
    store: Kataribe, language: str
) -> None:
    before = all_of(store, language)
    (mine,) = {one.fact_id for one in store.story("s").facts.list() if one.origin is kataribe.FactOrigin.HAND}
    store.story("s").episodes.put(no=3, text=LATER[language])
    store.story("s").sync()
    store.story("s").facts.edit(mine, FactEdit(episode_no=3, keep_quote=True))
    store.story("s").rewind("start")
    store.story("s").sync()
    assert all_of(store, language) == before
    store.story("s").episodes.restore(no=3)
    store.story("s").sync()
    assert {one.episode_no for one in store.story("s").facts.list() if one.fact_id == mine} == {1}
    assert store.story("s").verify().problems == ()


def test_talk_follows_its_episodes(store: Kataribe, language: Any) -> None:
    """It is left as it is: of an episode made since it is in no gate until that is restored."""
    store.story("s").episodes.put(no=3, text=LATER[language])
    store.user("u").create(language=language, embedder="hash")
    for at in (2, 3):
        turn = Turn(
            turn_id=f"t{at}",
            session="x",
            speaker="Ann",
            text=LATER[language],
            time=SAID,
            audience=known_by("ann"),
        )
        store.user("u").put_turns([turn], story="s", at=at)
    store.sync()

    def heard() -> set[str]:
        hits = store.known(story="s", persona="ann", at=9, user="u").hits
        return {hit.fact_id for hit in hits if hit.kind == "turn"}

    assert heard() == {"t2", "t3"}
    store.story("s").rewind("start")
    assert heard() == {"t2"}
    store.story("s").episodes.restore(no=3)
    assert heard() == {"t2", "t3"}


def test_a_rewind_that_fails_changes_nothing(
    store: Kataribe, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_on(store, language)
    before, steps = all_of(store, language), store.story("s").steps()

    def broken(*_: object) -> None:
        raise kataribe.StoreError("broken off")

    monkeypatch.setattr(slots, "refresh", broken)
    with pytest.raises(kataribe.StoreError, match="broken off"):
        store.story("s").rewind("start")
    monkeypatch.undo()
    assert (all_of(store, language), store.story("s").steps()) == (before, steps)


def test_names_are_taken_once_unless_replaced(store: Kataribe, language: str) -> None:
    with pytest.raises(kataribe.ConflictError, match="'start' already"):
        store.story("s").checkpoint("start")
    store.story("s").episodes.put(no=3, text=LATER[language])
    made = store.story("s").checkpoint("start", replace=True)
    assert (made.episodes, made.facts) == (3, 1)
    kept = store.story("s").checkpoint("夜の前")
    assert store.story("s").checkpoints.list() == (made, kept)
    store.story("s").checkpoints.delete("start")
    assert store.story("s").checkpoints.list() == (kept,)
    for story_id, words in (
        ("s", "no checkpoint 'start'; `kataribe story checkpoints --story s`"),
        ("none", "no story 'none'"),
    ):
        story = store.story(story_id)
        for verb in (story.rewind, story.checkpoints.delete):
            with pytest.raises(kataribe.NotFoundError, match=words):
                verb("start")
    for name in ("", " x", "a:b"):
        with pytest.raises(kataribe.InputError, match="checkpoint name"):
            store.story("s").checkpoint(name)
    for asked in (
        lambda: store.story("none").checkpoint("x"),
        lambda: store.story("none").checkpoints.list(),
    ):
        with pytest.raises(kataribe.NotFoundError):
            asked()


def test_a_backup_holds_checkpoints(store: Kataribe, language: str, tmp_path: Path) -> None:
    before = all_of(store, language)
    play_on(store, language)
    store.admin.backup(tmp_path / "copy.db")
    with kataribe.open(str(tmp_path / "copy.db"), services=services()) as copy:
        copy.story("s").rewind("start")
        copy.story("s").sync()
        assert all_of(copy, language) == before


# -- branches ------------------------------------------------------------------------------


def test_a_parent_is_not_rewound_under_a_branch_that_reads_it(store: Kataribe, language: str) -> None:
    store.story("s").episodes.put(no=3, text=LATER[language], episode_id="e3")
    store.story("s").branches.add("if", after=3)
    store.sync()
    before = all_of(store, language), all_of(store, language, "if")
    with pytest.raises(kataribe.ConflictError, match=r"if read episodes .* would vanish"):
        store.story("s").rewind("start")
    assert (all_of(store, language), all_of(store, language, "if")) == before
    store.story("if").branches.detach()
    store.story("s").rewind("start")
    assert live(store, "if") == [(1, "e1"), (2, "e2"), (3, "e3")]


def test_what_no_branch_reads_is_rewound_under_it_and_numbers_are_followed(
    store: Kataribe, language: str
) -> None:
    store.story("s").branches.add("if", after=2)
    store.story("if").episodes.put(no=3, text=LATER[language], episode_id="i3")
    store.sync()
    store.story("s").checkpoint("forked")
    before = all_of(store, language, "if")
    store.story("s").episodes.put(no=8, text=LATER[language], episode_id="e8")
    store.story("s").episodes.renumber(no=2, to=5)
    assert live(store, "if") == [(1, "e1"), (5, "e2"), (6, "i3")]
    store.story("s").rewind("forked")
    assert live(store, "if") == [(1, "e1"), (2, "e2"), (3, "i3")]
    store.sync()
    assert all_of(store, language, "if") == before
    assert store.verify().problems == ()
    store.story("s").undo()
    assert live(store, "if") == [(1, "e1"), (5, "e2"), (6, "i3")]


def test_a_branch_is_rewound_by_itself_while_its_fork_stands(store: Kataribe, language: str) -> None:
    store.story("s").branches.add("if", after=2)
    store.story("if").episodes.put(no=3, text=LATER[language], episode_id="i3")
    store.story("if").checkpoint("own")
    store.story("if").episodes.put(no=4, text=TEXTS[language][0], episode_id="i4")
    store.story("s").episodes.put(no=7, text=TEXTS[language][0], episode_id="e7")
    store.story("if").rewind("own")
    assert live(store, "if") == [(1, "e1"), (2, "e2"), (3, "i3")]
    assert live(store)[-1] == (7, "e7"), "the parent is left as it is"
    store.story("s").episodes.renumber(no=2, to=3)
    with pytest.raises(kataribe.ConflictError, match="was number 2 and is 3 now"):
        store.story("if").rewind("own")
    store.story("s").episodes.renumber(no=3, to=2)
    store.story("if").branches.detach()
    with pytest.raises(kataribe.ConflictError, match="detached since"):
        store.story("if").rewind("own")


def test_a_fact_id_of_the_family_is_not_taken_twice(store: Kataribe, language: str) -> None:
    (mine,) = {one.fact_id for one in store.story("s").facts.list() if one.origin is kataribe.FactOrigin.HAND}
    store.story("s").branches.add("if", after=2)
    store.story("s").facts.delete(mine)
    store.story("if").episodes.put(no=3, text=TEXTS[language][0], episode_id="i3")
    ledger: Any = store._of._engine._ledger
    with ledger.writing() as writing:
        fact = kataribe.Fact(fact_id=mine, text=LATER[language], audience=PUBLIC)
        writing.put_facts("if", "i3", [fact])
    with pytest.raises(
        kataribe.ConflictError, match=f"cannot rewind 's' to 'start': there is a fact {mine!r}"
    ):
        store.story("s").rewind("start")
