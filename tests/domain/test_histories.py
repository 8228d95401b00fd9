"""A history that a client sends whole, laid beside what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.domain.conversation.histories import HistoryPlace, Key, is_same, opening, place_of
from kataribe.domain.conversation.turns import Role


def lines(*told: str) -> list[Key]:
    """Make lines of texts: those of the persona begin with a colon."""
    return [(Role.PERSONA if text.startswith(":") else Role.USER, text) for text in told]


def after(said: Sequence[Key], stored: Sequence[Key]) -> list[Key]:
    """Give what is stored when it has followed."""
    place = place_of(said, stored)
    before, rest = stored[: place.start], stored[place.start :]
    tail = list(rest[len(rest) - place.tail :])
    assert said[: place.same] == rest[: place.same]
    assert said[len(said) - place.tail :] == tail
    return [*before, *rest[: place.same], *said[place.same : len(said) - place.tail], *tail]


talk = st.lists(
    st.sampled_from(["うん", "ok", "雨だね", "Hi"]).flatmap(lambda text: st.sampled_from([text, f":{text}"])),
    max_size=7,
).map(lambda told: lines(*told))


@given(said=talk, stored=talk)
def test_whatever_is_sent_stands_at_the_end_of_what_is_stored_then(
    said: list[Key], stored: list[Key]
) -> None:
    found = after(said, stored)
    assert found[len(found) - len(said) :] == said


@given(said=talk, stored=talk)
def test_what_was_followed_once_is_followed_again_without_a_change(
    said: list[Key], stored: list[Key]
) -> None:
    found = after(said, stored)
    if len(said) > 1 and found[0] == said[0] and len(found) > len(said):
        # It begins like the whole: it is taken for the whole then.
        return
    again = after(said, found)
    assert again == found or len(said) == 1


@given(stored=talk.filter(bool), more=talk)
def test_what_goes_on_removes_nothing(stored: list[Key], more: list[Key]) -> None:
    if len(stored) > 1 or more:
        assert after([*stored, *more], stored) == [*stored, *more]


@pytest.mark.parametrize(
    ("stored", "said", "then"),
    [
        (("Hi", ":a"), ("Hi",), ("Hi",)),
        (("Hi", ":a", "b", ":c"), ("Hi", ":a", "b"), ("Hi", ":a", "b")),
        (("Hi", ":a", "b", ":c"), ("Hi", ":a", "x"), ("Hi", ":a", "x")),
        (("Hi", ":a", "b", ":c"), ("Hi", ":a", "x", ":c", "d"), ("Hi", ":a", "x", ":c", "d")),
        (("Hi", ":a", "b", ":c"), ("Hi", ":x", "b", ":c", "d"), ("Hi", ":x", "b", ":c", "d")),
        (("Hi", ":a", "b", ":c"), ("Yo", ":a", "b", ":c", "d"), ("Yo", ":a", "b", ":c", "d")),
        # A client that left out the oldest messages.
        (("Hi", ":a", "b", ":c"), ("b", ":c", "d"), ("Hi", ":a", "b", ":c", "d")),
        (("Hi", ":a", "b", ":c"), (":c", "d"), ("Hi", ":a", "b", ":c", "d")),
        (("Hi", ":a", "b", ":c", "d", ":e"), ("b", ":c", "d"), ("Hi", ":a", "b", ":c", "d")),
        (("Hi", ":a", "b", ":c", "d", ":e"), ("b", ":c", "x"), ("Hi", ":a", "b", ":c", "x")),
        # A client that sends its last message alone.
        (("Hi", ":a", "b", ":c"), ("d",), ("Hi", ":a", "b", ":c", "d")),
        (("Hi", ":a", "b", ":c"), ("Hi",), ("Hi", ":a", "b", ":c", "Hi")),
        # One that has nothing to do with what is stored.
        (("Hi", ":a", "b", ":c"), ("x", ":y", "z"), ("Hi", ":a", "b", ":c", "x", ":y", "z")),
    ],
)
def test_what_is_stored_then(stored: Sequence[str], said: Sequence[str], then: Sequence[str]) -> None:
    assert after(lines(*said), lines(*stored)) == lines(*then)


def test_a_message_in_the_middle_is_changed_at_its_place() -> None:
    stored = lines("Hi", ":a", "b", ":c")
    assert place_of(lines("Hi", ":a", "x", ":c"), stored) == HistoryPlace(start=0, same=2, tail=1)


NOW, LATER = timedelta(minutes=1), timedelta(hours=2)


@pytest.mark.parametrize(
    ("stored", "said", "age", "same"),
    [
        (("Hi", ":a"), ("Hi",), NOW, True),
        (("Hi", ":a"), ("Hi",), LATER, False),
        # The reply never came: it is asked again.
        (("Hi",), ("Hi",), LATER, True),
        (("Hi", ":a", "b", ":c"), ("Hi",), NOW, False),
        (("Hi", ":a", "b", ":c"), ("Hi", ":a", "x"), LATER, True),
        (("Hi", ":a"), ("Hi", ":x", "b"), LATER, True),
        (("Hi", ":a", "b"), ("Hi", ":x", "y"), NOW, False),
        ((":おはよう", "Hi", ":a"), (":おはよう", "Hi"), NOW, True),
        ((":おはよう", "Hi", ":a"), (":おやすみ", "Hi"), NOW, False),
    ],
)
def test_a_conversation_without_a_name_is_known_by_how_it_begins(
    stored: Sequence[str], said: Sequence[str], age: timedelta, same: bool
) -> None:
    assert is_same(lines(*said), lines(*stored), age=age) is same


def test_an_opening_goes_up_to_the_first_thing_that_the_user_says() -> None:
    assert [opening(lines(*told)) for told in ((), (":a",), ("x", ":a"), (":a", "x", ":b"))] == [0, 1, 1, 2]
