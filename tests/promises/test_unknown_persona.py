"""An unknown persona of a user is told of like an unknown character; the gate alone decides it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kataribe import Kataribe, context_json, recollection_json
from kataribe.domain.terms import Language
from support.talk import DAY_ONE, talk, turn

SAID: dict[Language, tuple[str, str, str]] = {
    "en": ("The boat lies behind the mill.", "Only for Rin: the boat leaks.", "Where is the boat?"),
    "ja": ("舟は水車小屋の裏にある。", "凛にだけ言うと、舟は水漏れする。", "舟はどこ？"),
}
LATE = DAY_ONE + timedelta(days=9)
LANGUAGES = pytest.mark.parametrize("language", SAID)


def turns(language: Language, *, day: float = 1) -> list[Any]:
    told, secret, _ = SAID[language]
    return [turn(1, told), turn(2, secret, day=day, to=["rin"])]


def doors(store: Kataribe, language: Language, persona: str | None, as_of: Any = LATE) -> list[object]:
    """Give all that a viewer is given, as JSON."""
    viewer: Any = {"user": "u", "persona": persona, "as_of": as_of}
    question = SAID[language][2]
    return [
        recollection_json(store.recall(question, **viewer, planner="none")),
        recollection_json(store.known(**viewer), ranked=False),
        context_json(store.context(question, **viewer, planner="none")),
    ]


@LANGUAGES
def test_a_persona_that_holds_nothing_is_told_of(tmp_path: Path, language: Language) -> None:
    with talk(tmp_path / "k.db", turns(language), language=language) as store:
        said = "'rim' holds nothing of what was said with u by then: only what was told to all is given"
        recalled, known, context = doors(store, language, "rim")
        assert recalled["note"] == known["note"] == said  # type: ignore[index]
        assert said in context["notes"]  # type: ignore[index]
        assert [hit["fact_id"] for hit in known["hits"]] == ["t1"]  # type: ignore[index]
        assert said in store.answer(SAID[language][2], user="u", persona="rim", as_of=LATE).context.notes
        for persona in ("rin", None):
            for found in doors(store, language, persona):
                assert "holds nothing" not in str(found)


@LANGUAGES
def test_it_depends_on_the_gate_alone(tmp_path: Path, language: Language) -> None:
    """P2: what the persona is told later, and what others hold, changes no byte of the answer."""
    early = DAY_ONE + timedelta(hours=12)
    with talk(tmp_path / "later.db", turns(language), language=language) as store:
        before_it_was_told = doors(store, language, "rin", early)
        misspelt = doors(store, language, "rim")
    with talk(tmp_path / "never.db", turns(language)[:1], language=language) as store:
        assert doors(store, language, "rin", early) == before_it_was_told
        assert doors(store, language, "rim") == misspelt
    assert "'rin' holds nothing" in str(before_it_was_told[0])


@LANGUAGES
def test_what_waits_to_be_remembered_is_held(tmp_path: Path, language: Language) -> None:
    """Then it is said that turns are not in memory yet, and not that the persona is unknown."""
    with talk(tmp_path / "k.db", turns(language), language=language) as store:
        store.user("u").put_turns([turn(3, SAID[language][1], day=2, to=["mio"])])
        found = store.known(user="u", persona="mio", as_of=LATE)
        assert (found.note, found.pending_turns) == (None, 1)
        store.sync()
        assert store.known(user="u", persona="mio", as_of=LATE).note is None
        store.user("u").delete_turns(["t3"])
        assert store.known(user="u", persona="mio", as_of=LATE).unknown_persona


@LANGUAGES
def test_a_viewer_of_a_story_too_is_told_of_the_cast_only(tmp_path: Path, language: Language) -> None:
    """Who has never talked with a user is no stranger to its story."""
    with talk(tmp_path / "k.db", turns(language), language=language) as store:
        store.story("s").create(language=language, embedder="hash")
        store.story("s").episodes.put(no=1, text=SAID[language][0])
        found = store.known(story="s", persona="mio", at=2, user="u", as_of=LATE)
        assert (found.note, found.in_cast, found.unknown_persona) == (None, False, False)
