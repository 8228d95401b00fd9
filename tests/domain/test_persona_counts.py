"""Counters by persona: who speaks for it under whatever name, and nobody else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kataribe.domain.conversation.turns import Role, Turn, persona_counts
from kataribe.domain.ids import WORLD
from kataribe.domain.terms import known_by


def said(*lines: tuple[str, Role | None], to: str) -> list[Turn]:
    begin = datetime(2024, 5, 1, tzinfo=UTC)
    return [
        Turn(
            turn_id=f"t{no}",
            session="s",
            speaker=speaker,
            text="Hm.",
            time=begin + timedelta(minutes=no),
            audience=known_by(to),
            role=role,
        )
        for no, (speaker, role) in enumerate(lines)
    ]


@pytest.mark.parametrize(("user", "persona"), [("nora", "rin"), ("遥", "凛")])
def test_only_personas_are_counted_each_by_its_id(user: str, persona: str) -> None:
    turns = said(
        (user, None),
        (persona, None),
        ("assistant", Role.PERSONA),
        ("Assistant", Role.PERSONA),
        ("Ben", Role.OTHER),
        ("Mia", Role.PERSONA),
        ("system", None),
        ("tool", Role.SYSTEM),
        ("assistant", None),
        to=persona,
    )
    assert persona_counts(turns, user_id=user, holder=persona) == {persona: 3, "Mia": 1}
    assert persona_counts(turns[2:4], user_id=user, holder=WORLD) == {}, "whose voice it is nobody knows"


def test_a_persona_is_one_in_any_width_and_case() -> None:
    turns = said(("RIN", None), ("Ｒｉｎ", Role.PERSONA), ("rin", None), to="rin")
    assert persona_counts(turns, user_id="nora", holder="rin") == {"rin": 3}
