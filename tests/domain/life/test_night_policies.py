"""A night goes by its own numbers, and so does what follows it: what was before stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.conversation.life.events import Night, SaidStatement, SaidTurn, UsedAt
from kataribe.domain.conversation.life.policy import DAY, HOUR, PolicyTimes, TierPolicy, policy_from
from kataribe.domain.conversation.life.values import ItemKind, MemoryValue
from kataribe.domain.terms import LANGUAGES, Language
from support.life import Happening, flushes_of

TEA: dict[Language, str] = {"en": "I like tea.", "ja": "お茶が好きだ。"}
LONG: dict[Language, str] = {
    "en": "I like tea with milk, honey and ginger.",
    "ja": "お茶には牛乳と蜂蜜を入れる、それに生姜も少し足して飲む。",
}


def says(number: int, text: str, *, day: float) -> SaidTurn:
    return SaidTurn(
        turn_id=f"t{number}",
        at=int(day * DAY),
        session=f"s{number}",
        speaker="Ann",
        is_users=True,
        text=text,
        statements=(SaidStatement(start=0, end=len(text), kind=ItemKind.FACT, topic="tea"),),
    )


def happened(
    language: Language, turns: list[SaidTurn], *nights: Night, uses: tuple[UsedAt, ...] = ()
) -> Happening:
    said = tuple(turns)
    return Happening(language=language, turns=said, flushes=flushes_of(said), nights=nights, uses=uses)


def at_night(policy: dict[str, dict[str, int]], day: int) -> Night:
    return Night(day * DAY, policy_from(policy))


def rows(found: Happening) -> list[MemoryValue]:
    return list(found.life().values)


def words(found: Happening) -> list[str]:
    return [one.reason.word for one in rows(found)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_of_nights_before_stay_when_a_night_has_other_numbers(language: Language) -> None:
    turns = [says(1, TEA[language], day=1)]
    early = happened(language, turns, Night(2 * DAY))
    late = replace(early, nights=(*early.nights, at_night({"promotion": {"mentions": 1}}, 5)))
    assert rows(late)[: len(rows(early))] == rows(early)
    assert words(early) == ["said", "kept"]
    assert words(late) == ["said", "kept", "promoted_mentions"], (
        "nothing was said since, and yet it counts now"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_a_night_hold_until_the_next_one(language: Language) -> None:
    hours = at_night({"mid": {"recent_hours": 2}}, 2)
    turns = [
        says(1, TEA[language], day=1.5),
        says(2, LONG[language], day=3),
        says(3, TEA[language] * 2, day=6),
    ]
    found = rows(happened(language, turns, hours, Night(4 * DAY), at_night({}, 5)))
    kept = {one.memory_id: dict(one.reason.numbers)["hours"] for one in found if one.reason.word == "kept"}
    assert list(kept.values()) == [24, 2, 24], "as it was said, and by the usual numbers from day 5 on"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mid_term_ends_by_the_days_of_the_night(language: Language) -> None:
    turns = [says(1, TEA[language], day=1)]
    short = at_night({"mid": {"kept_days": 7}}, 12)
    assert words(happened(language, turns, Night(10 * DAY), short)) == ["said", "kept", "mid_term_over"]
    assert words(happened(language, turns, Night(10 * DAY), Night(12 * DAY))) == ["said", "kept"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_age_is_judged_anew_by_a_night_of_other_days(language: Language) -> None:
    turns = [says(1, TEA[language], day=1)]
    promote = at_night({"promotion": {"mentions": 1}}, 2)
    slow = at_night({"decay": {"warm_days": 60}}, 45)
    quick = at_night({"decay": {"warm_days": 10, "cool_days": 30}}, 50)
    found = rows(happened(language, turns, promote, Night(40 * DAY), slow, quick))
    assert [(one.position // DAY, one.state.value) for one in found if one.tier.value == "long"] == [
        (2, "hot"),
        (40, "warm"),
        (45, "hot"),
        (50, "cool"),
    ]
    fates = happened(language, turns, promote, Night(40 * DAY), slow, quick).life().fates
    assert [(one.position // DAY, one.state.value) for one in fates] == [
        (40, "warm"),
        (45, "hot"),
        (50, "cool"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_item_keeps_the_length_it_was_cut_to(language: Language) -> None:
    turns = [says(1, LONG[language], day=1), says(2, LONG[language], day=3)]
    narrow = at_night({"mid": {"item_characters": 20}, "promotion": {"mentions": 1}}, 2)
    found = happened(language, turns, narrow, Night(4 * DAY), uses=(UsedAt(turn_id="t1", at=5 * DAY),))
    texts = {one.sources[0]: one.text for one in rows(found)}
    assert texts["t1"] == LONG[language]
    assert len(texts["t2"]) <= 20
    assert all(one.sources for one in rows(found))


def test_what_happens_at_the_moment_of_a_night_goes_by_the_numbers_before_it() -> None:
    usual, other = TierPolicy(), policy_from({"promotion": {"mentions": 1}})
    times = PolicyTimes([(HOUR, other), (DAY, None)])
    found = [times.before(at) for at in (0, HOUR, HOUR + 1, DAY, DAY + 1)]
    assert found == [usual, usual, other, other, other], "a night without numbers goes on by those before it"
