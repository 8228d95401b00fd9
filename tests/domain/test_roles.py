"""In which part a speaker speaks: said, or told by the names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.conversation.turns import Role, Turn, role_of, turn_fingerprint, turn_memories
from kataribe.domain.terms import PUBLIC, Audience, known_by
from support.talk import turn

RIN = known_by("rin")


@pytest.mark.parametrize(
    ("speaker", "audience", "role"),
    [
        ("nora", RIN, Role.USER),
        ("Ｎｏｒａ", RIN, Role.USER),
        ("Rin", RIN, Role.PERSONA),
        ("rin", PUBLIC, Role.OTHER),
        ("Ben", RIN, Role.OTHER),
        ("SYSTEM", RIN, Role.SYSTEM),
        ("澪", known_by("澪"), Role.PERSONA),
    ],
)
def test_the_names_tell_a_role_that_nobody_said(speaker: str, audience: Audience, role: Role) -> None:
    said = replace(turn(1, "Hello."), speaker=speaker, audience=audience)
    assert role_of(said, "nora") is role


@pytest.mark.parametrize("role", Role)
def test_a_role_that_was_said_holds_whatever_the_names_are(role: Role) -> None:
    said = replace(turn(1, "Hello."), speaker="system", role=role)
    assert role_of(said, "nora") is role
    assert said.is_system is (role is Role.SYSTEM)
    assert bool(turn_memories("user:nora", said)) is (role is not Role.SYSTEM)


def test_what_older_releases_remembered_stays_as_it_was() -> None:
    said = turn(1, "Hello.")

    def fingerprint(one: Turn) -> str:
        return turn_fingerprint([one], language="en", embedder_id="any")

    assert fingerprint(said) == fingerprint(replace(said, role=None))
    assert fingerprint(said) != fingerprint(replace(said, role=Role.USER))
