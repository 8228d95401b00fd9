"""The demo's month of talk: what two people's companion keeps, why, and what it was told to forget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import kataribe as face
from kataribe.domain.terms import Language
from kataribe.surfaces.cli import output

_BEGIN = datetime(2026, 1, 5, 20, 0, tzinfo=UTC)
_NIGHTS = (1, 8, 15, 22, 29)
_SAID: dict[str, tuple[Language, str, tuple[tuple[int, str], ...]]] = {
    "ida": (
        "en",
        "pip",
        (
            (0, "Please remember that I am allergic to hazelnuts."),
            (0, "I live in Leeds."),
            (2, "I started learning the cello."),
            (6, "My cello teacher is called Rosa."),
            (9, "I broke up with Daniel."),
            (12, "The cello is harder than I thought."),
            (16, "I do not live in Leeds any more. I live in York."),
            (20, "Forget what I said about Daniel."),
        ),
    ),
    "蒼": (
        "ja",
        "灯",
        (
            (0, "私はそばアレルギーだと覚えておいて。"),
            (0, "私は函館に住んでいます。"),
            (3, "チェロを習い始めました。"),
            (8, "チェロの先生は厳しい人です。"),
            (12, "健と別れました。"),
            (18, "チェロの発表会に出ます。"),
            (21, "健のことは忘れて。"),
        ),
    ),
}


def show_tiers(kataribe: face.Kataribe) -> None:
    """Talk for a month with two people, hold a night a week, and show what is in each tier."""
    output.heading("a month of talk with two people, and five nights")
    for user, (language, persona, said) in _SAID.items():
        _talk(kataribe, user, language, persona, said)
        _show(kataribe, user, persona)


def _talk(
    kataribe: face.Kataribe, user: str, language: Language, persona: str, said: tuple[tuple[int, str], ...]
) -> None:
    kataribe.user(user).create(language=language)
    turns = [
        face.Turn(
            turn_id=f"{user}-{no}",
            session=f"day {day}",
            speaker=user,
            text=text,
            time=_BEGIN + timedelta(days=day, minutes=no),
            audience=face.known_by(persona),
            role=face.Role.USER,
        )
        for no, (day, text) in enumerate(said, start=1)
    ]
    for number, days in enumerate(_NIGHTS):
        since = _NIGHTS[number - 1] if number else -1
        spoken = [turn for turn, (day, _) in zip(turns, said, strict=True) if since <= day < days]
        kataribe.user(user).put_turns(spoken)
        kataribe.user(user).sync()
        kataribe.user(user).memory.nightly(at=_BEGIN + timedelta(days=days, hours=-1))


def _show(kataribe: face.Kataribe, user: str, persona: str) -> None:
    memory = kataribe.user(user).memory
    output.result(f"  what {persona} keeps of {user}:")
    for one in memory.list().memories:
        why = memory.history(one.value.memory_id).rows[-1].reason.word
        output.result(f"    [{one.value.tier}, {one.value.state}] {one.value.text} ({why})")
    for state in ("hidden", "superseded"):
        for one in memory.list(state=state).memories:
            output.result(f"    {state}, given to nobody any more: {one.value.text}")
    _show_context(kataribe, user, persona)


def _show_context(kataribe: face.Kataribe, user: str, persona: str) -> None:
    """Show what of it a model is told whatever is asked."""
    greeting = "Good evening!" if _SAID[user][0] == "en" else "こんばんは。"
    moment = _BEGIN + timedelta(days=_NIGHTS[-1])
    made = kataribe.context(greeting, user=user, persona=persona, as_of=moment)
    for part in made.parts:
        if part.items:
            said = "; ".join(item.text for item in part.items)
            output.result(
                f"    told as the {part.name} term with {greeting!r} ({part.tokens} tokens): {said}"
            )
