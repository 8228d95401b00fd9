"""What is from the time or the episodes that a question names goes first; of two the newer does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import kataribe
from kataribe import FactHit, Kataribe, Turn
from kataribe.domain.terms import LANGUAGES, Language

TOKYO = timezone(timedelta(hours=9))
NOW = datetime(2023, 3, 15, 10, 0, tzinfo=TOKYO)

SAID = {
    "ja": [
        ("2021-12-31T23:00", "年越しそばは実家で食べたよ"),
        ("2022-06-20T12:00", "駅前のパン屋で働いている"),
        ("2022-08-10T09:00", "海で泳いで真っ黒になった"),
        ("2022-12-31T22:30", "こたつで紅白を見ている"),
        ("2023-02-01T12:00", "駅前のパン屋で働いていない"),
    ],
    "en": [
        ("2021-12-31T23:00", "We ate soba at my parents' house to end the year"),
        ("2022-06-20T12:00", "I work at the bakery near the station"),
        ("2022-08-10T09:00", "I swam in the sea until I was brown"),
        ("2022-12-31T22:30", "Watching the song contest under the blanket"),
        ("2023-02-01T12:00", "I do not work at the bakery near the station"),
    ],
}
ASKED = {
    "ja": (
        "去年の大晦日は？",
        "2022年の夏に何をした？",
        "2020年の夏に何をした？",
        "駅前のパン屋で働いている？",
    ),
    "en": (
        "What about last New Year's Eve?",
        "What did I do in the summer of 2022?",
        "What did I do in the summer of 2020?",
        "Do I work at the bakery near the station?",
    ),
}


@pytest.fixture(scope="module", params=["ja", "en"])
def talk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Kataribe, str]]:
    """A store with what one person said, and its language."""
    language = request.param
    with kataribe.open(str(tmp_path_factory.mktemp("when") / "k.db")) as store:
        user = store.user("u")
        user.create(language=language, embedder="hash")
        user.put_turns(
            [
                Turn(
                    turn_id=f"t{number}",
                    session=f"s{number}",
                    speaker="Nora",
                    text=text,
                    time=datetime.fromisoformat(when).replace(tzinfo=TOKYO),
                )
                for number, (when, text) in enumerate(SAID[language])
            ]
        )
        user.sync()
        yield store, language


def ids(store: Kataribe, question: str, **more: object) -> list[str]:
    return [hit.fact_id for hit in store.recall(question, user="u", as_of=NOW, **more).hits]  # type: ignore[arg-type]


def test_a_question_of_a_day_is_given_that_day_first(talk: tuple[Kataribe, str]) -> None:
    store, language = talk
    found = store.recall(ASKED[language][0], user="u", as_of=NOW)
    assert found.hits[0].fact_id == "t3"
    assert found.hits[0].parts["when"] == 1.0
    assert found.note is None


def test_a_question_of_a_season_is_given_that_season_first(talk: tuple[Kataribe, str]) -> None:
    store, language = talk
    assert set(ids(store, ASKED[language][1])[:2]) == {"t1", "t2"}


def test_where_nothing_is_from_then_it_is_said(talk: tuple[Kataribe, str]) -> None:
    store, language = talk
    found = store.recall(ASKED[language][2], user="u", as_of=NOW)
    assert found.note is not None
    assert "2020-06-01 to 2020-08-31" in found.note


def test_a_question_of_no_time_has_no_part_of_it(talk: tuple[Kataribe, str]) -> None:
    store, language = talk
    assert "when" not in store.recall(ASKED[language][3], user="u", as_of=NOW).hits[0].parts


def test_of_two_that_say_the_same_matter_the_newer_goes_first(talk: tuple[Kataribe, str]) -> None:
    store, language = talk
    assert [one for one in ids(store, ASKED[language][3]) if one in ("t1", "t4")] == ["t4", "t1"]
    before = {
        "ja": "以前、駅前のパン屋で働いていた？",
        "en": "Did I use to work, at first, at the bakery near the station?",
    }
    assert set(ids(store, before[language])[:2]) == {"t1", "t4"}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"time": {"$gte": "2022-08"}}, {"t2", "t3", "t4"}),
        ({"time": {"$gt": "2022"}}, {"t4"}),
        ({"time": {"$lte": "2021"}}, {"t0"}),
        ({"time": "2022-08-10"}, {"t2"}),
        ({"time": {"$gte": "2022-12-31T22:30:00+09:00"}}, {"t3", "t4"}),
        ({"time": {"$gte": "2022-12-31T13:30:00Z", "$lt": "2023-01-01"}}, {"t3"}),
        ({"time": {"$ne": "2022"}}, {"t0", "t4"}),
        ({"time": {"$in": ["2021-12", "2023-02-01"]}}, {"t0", "t4"}),
        ({"session": "s2"}, {"t2"}),
        ({"speaker": {"$ne": "Nora"}}, set()),
    ],
)
def test_times_are_compared_as_moments(
    talk: tuple[Kataribe, str], where: dict[str, object], expected: set[str]
) -> None:
    store, language = talk
    assert set(ids(store, ASKED[language][3], where=where)) == expected
    assert {hit.fact_id for hit in store.known(user="u", as_of=NOW, where=where).hits} == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_is_asked_by_its_episodes(tmp_path: Path, language: Language) -> None:
    texts = {
        "ja": ["船が港に着いた。", "船が嵐にあった。", "船を売った。", "船の夢を見た。"],
        "en": ["The ship came in.", "The ship met a storm.", "We sold the ship.", "I dreamt of the ship."],
    }
    questions = {"ja": "三話前に船に何があった？", "en": "What happened to the ship three chapters ago?"}
    with kataribe.open(str(tmp_path / "k.db")) as store:
        story = store.story("s")
        story.create(language=language, embedder="hash")
        for no, text in enumerate(texts[language], start=1):
            story.episodes.put(no, text)
        story.sync()
        found = store.recall(questions[language], story="s", persona="mio", at=5)
        places = [hit.episode_no for hit in found.hits if isinstance(hit, FactHit)]
        assert places[0] == 2
        plain = store.recall(questions[language], story="s", persona="mio", at=4)
        told = [hit.episode_no for hit in plain.hits if isinstance(hit, FactHit)]
        assert told[0] == 1, "three before the fourth"
        at_three = store.recall(questions[language], story="s", persona="mio", at=3)
        assert at_three.note is None, "no episode is three before the third: nothing is narrowed"
