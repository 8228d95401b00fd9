"""What a user wants to be kept for some days only goes at the next night, with all that rested on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.domain.terms import Language
from kataribe.errors import InputError, NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)


class Words(NamedTuple):
    language: Language
    old: str
    new: str
    asked: str
    keep: str
    sparing: str
    about: tuple[str, str, str]


JA = Words(
    "ja",
    "うちの犬の名前はポチだよ",
    "来月は金沢へ旅行するつもりだ",
    "母の好物は鯖寿司だって覚えておいて",
    "私の話は90日たったら忘れて",
    "覚えてと言ったこと以外は、九十日で忘れて",
    ("ポチ", "金沢", "鯖寿司"),
)
EN = Words(
    "en",
    "Our dog is called Biscuit",
    "I plan to travel to Lisbon in June",
    "Remember that my mother loves gooseberries",
    "Please forget what I say after 90 days.",
    "Forget everything I say after 90 days, except what I asked you to remember.",
    ("Biscuit", "Lisbon", "gooseberries"),
)
BOTH = pytest.mark.parametrize("told", [JA, EN], ids=["ja", "en"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(path)) as made:
        for words in (JA, EN):
            made.user(words.language).create(language=words.language, embedder="hash")
        yield made


def turn(user: str, day: float, text: str, *, held: Sequence[str] = ("himuro",)) -> kataribe.Turn:
    return kataribe.Turn(
        turn_id=f"d{day}",
        session=f"s{day}",
        speaker=user,
        text=text,
        time=NOON + timedelta(days=day),
        audience=kataribe.known_by(*held),
    )


def said(told: Words) -> list[kataribe.Turn]:
    user = told.language
    return [turn(user, 0, told.old), turn(user, 1, told.asked), turn(user, 80, told.new)]


def night(k: Kataribe, user: str, day: float, *, dry_run: bool = False) -> kataribe.NightReport:
    return k.user(user).memory.nightly(at=NOON + timedelta(days=day), dry_run=dry_run)


def found(k: Kataribe, told: Words) -> list[bool]:
    """Say of the dog, the journey and the mother whether anything is remembered of them."""
    viewer = k.viewer(user=told.language, persona="himuro", as_of=NOON + timedelta(days=500))
    author = k.user(told.language)
    everything = (
        *(viewer.recall(one) for one in told.about),
        viewer.search_log(list(told.about)).hits,
        viewer.memories(),
        viewer.threads(),
        author.turns(),
        *(viewer.associate(one).ideas for one in told.about),
    )
    return [one in repr(everything) for one in told.about]


@BOTH
def test_what_is_older_goes_at_the_next_night_with_what_was_made_of_it(k: Kataribe, told: Words) -> None:
    user = told.language
    k.user(user).put_turns(said(told))
    night(k, user, 2)
    assert found(k, told) == [True, True, True]
    k.user(user).profile.keep(90, by_hand=True)
    assert found(k, told) == [True, True, True]
    assert night(k, user, 89).let_go == 0
    assert night(k, user, 90.5, dry_run=True).let_go == 1
    assert found(k, told) == [True, True, True]
    assert night(k, user, 90.5).let_go == 1
    assert found(k, told) == [False, True, True]
    assert night(k, user, 92).let_go == 1
    assert found(k, told) == [False, True, False]
    assert night(k, user, 93).let_go == 0
    assert k.verify().problems == ()


@BOTH
def test_it_is_read_from_plain_words_and_outlives_them(k: Kataribe, told: Words) -> None:
    user = told.language
    k.user(user).put_turns([*said(told), turn(user, 81, told.keep)])
    k.sync()
    (wish,) = k.user(user).profile.consents()
    assert (wish.key, wish.days, wish.spares, wish.evidence.turn_id) == ("keep", 90, False, "d81")
    assert night(k, user, 95).let_go == 2
    assert found(k, told) == [False, True, False]
    assert night(k, user, 200).let_go == 2
    assert k.user(user).turns() == ()
    k.user(user).put_turns([turn(user, 201, told.old)])
    assert k.user(user).profile.consents()[0].days == 90
    assert night(k, user, 300).let_go == 1


@BOTH
def test_what_the_user_asked_to_be_remembered_stays_only_where_the_user_said_so(
    k: Kataribe, told: Words
) -> None:
    user = told.language
    k.user(user).put_turns([*said(told), turn(user, 81, told.sparing)])
    night(k, user, 2)
    assert night(k, user, 95).let_go == 1
    assert found(k, told) == [False, True, True]
    viewer = k.viewer(user=user, persona="himuro", as_of=NOON + timedelta(days=500))
    assert [one.value.tier for one in viewer.memories().memories if one.value.explicit] == ["long"]
    k.user(user).profile.keep(90, by_hand=True)
    night(k, user, 96)
    assert found(k, told) == [False, True, False]


@BOTH
def test_what_is_pinned_stays_where_the_user_said_so(k: Kataribe, told: Words) -> None:
    user = told.language
    k.user(user).put_turns(said(told))
    night(k, user, 2)
    (dog,) = [one for one in k.user(user).memory.list().memories if told.about[0] in one.value.text]
    k.user(user).memory.pin(dog.value.memory_id)
    k.user(user).profile.keep(30, spare_asked=True, by_hand=True)
    assert k.user(user).memory.nightly().let_go == 1
    assert found(k, told) == [True, False, True]


@BOTH
def test_it_is_about_talk_under_stories_and_what_is_archived_too(
    tmp_path: Path, path: Path, told: Words
) -> None:
    settings = kataribe.Settings(path=str(path), archive=str(tmp_path / "archive"))
    with kataribe.open(settings=settings) as k:
        user = told.language
        k.user(user).create(language=user, embedder="hash")
        k.story("isle").create(language="en", embedder="hash", audience="wide")
        k.story("isle").episodes.put(no=1, text="Hello, said mio.")
        k.user(user).put_turns([turn(user, 0, told.old), turn(user, 80, told.new)])
        k.user(user).put_turns([turn(user, 0, told.asked), turn(user, 80, told.new)], story="isle", at=1)
        night(k, user, 10)
        kept = [one.value.text for one in k.user(user).memory.list().memories]
        assert all(any(about in text for text in kept) for about in told.about)
        k.user(user).profile.keep(30, by_hand=True)
        assert night(k, user, 82).let_go == 2
        left = (k.user(user).turns(), k.user(user).turns(story="isle", at=1), k.user(user).memory.list())
        assert [about in repr(left) for about in told.about] == [False, True, False]
        assert k.verify().problems == ()


@BOTH
def test_taken_back_all_is_kept_again_and_the_words_that_said_so_go_with_their_wish(
    k: Kataribe, told: Words
) -> None:
    user = told.language
    k.user(user).put_turns([*said(told), turn(user, 81, told.keep)])
    k.user(user).delete_turns(["d81"])
    assert k.user(user).profile.consents() == ()
    k.user(user).profile.keep(5, by_hand=True)
    k.user(user).profile.keep(None, by_hand=True)
    assert night(k, user, 400).let_go == 0
    k.user(user).profile.keep(5, by_hand=True)
    k.user(user).profile.withdraw("keep")
    assert night(k, user, 401).let_go == 0
    assert found(k, told) == [True, True, True]


@BOTH
def test_the_words_are_no_command_to_forget_at_once(k: Kataribe, told: Words) -> None:
    user = told.language
    k.user(user).put_turns([turn(user, 0, told.old), turn(user, 0.001, told.keep)])
    k.sync()
    viewer = k.viewer(user=user, persona="himuro", as_of=NOON + timedelta(days=1))
    assert viewer.memories().asked == ()
    assert told.about[0] in repr(viewer.recall(told.about[0]).hits)


@BOTH
def test_no_word_of_it_stays_in_the_file_and_the_record_says_how_much_went(path: Path, told: Words) -> None:
    user = told.language
    with kataribe.open(str(path)) as k:
        k.user(user).create(language=user, embedder="hash")
        k.user(user).put_turns(said(told))
        night(k, user, 2)
        k.user(user).profile.keep(90, by_hand=True)
        night(k, user, 95)
        events = [one.line() for one in k.admin.audit.list(f"user:{user}", last=100)]
    for file in path.parent.iterdir():
        assert told.about[0].encode() not in file.read_bytes()
        assert json.dumps(told.about[0])[1:-1].encode() not in file.read_bytes()
    assert any(str(one["act"]).endswith("nightly") and "delete_turns" in json.dumps(one) for one in events)


def test_a_number_of_days_rests_on_words_or_a_hand(k: Kataribe) -> None:
    profile = k.user("en").profile
    with pytest.raises(InputError, match="rests on words"):
        profile.keep(90)
    for days in (0, -1, 36_501, True):
        with pytest.raises(InputError, match="days"):
            profile.keep(days, by_hand=True)
    with pytest.raises(NotFoundError):
        k.user("nobody").profile.keep(90, by_hand=True)
    assert profile.consents() == ()


@settings(max_examples=10)
@given(data=st.data())
def test_what_is_left_is_what_a_store_has_that_was_told_no_more(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Nights that let go leave what the same nights make of the turns that are left (P3)."""
    told = data.draw(st.sampled_from([JA, EN]))
    user = told.language
    texts = (told.old, told.new, told.asked)
    lines = data.draw(st.lists(st.sampled_from(texts), min_size=2, max_size=6))
    days = data.draw(st.integers(1, 40))
    nights = sorted(data.draw(st.sets(st.integers(1, 70), min_size=1, max_size=3)))
    turns = [turn(user, at * 10, text) for at, text in enumerate(lines)]
    turns = [one for one in turns if one.time <= NOON + timedelta(days=nights[-1])]
    left = [one for one in turns if one.time > NOON + timedelta(days=nights[-1] - days)]

    def lived(told_turns: Sequence[kataribe.Turn], *, keeps: bool) -> object:
        path = empty_store(tmp_path_factory.mktemp("k") / "k.db")
        with kataribe.open(str(path)) as made:
            made.user(user).create(language=user, embedder="hash")
            if keeps:
                made.user(user).profile.keep(days, by_hand=True)
            made.user(user).put_turns(told_turns)
            for at in nights:
                night(made, user, at)
            assert made.verify().problems == ()
            viewer = made.viewer(user=user, persona="himuro", as_of=NOON + timedelta(days=500))
            return [
                made.user(user).turns(),
                viewer.memories().memories,
                viewer.threads().threads,
                *(viewer.recall(one).hits for one in told.about),
            ]

    assert lived(turns, keeps=True) == lived(left, keeps=False)
