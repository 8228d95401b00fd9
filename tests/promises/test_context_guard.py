"""Before an answer what is sensitive and was not said to who asks is left out, and nothing is ever added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.memory import Backend, Recollection, TurnHit
from kataribe.domain.privacy.sensitive import is_sensitive
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.read.select import Screened, judged, screen, withheld
from support.stores import empty_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Words(NamedTuple):
    language: Language
    secret: str
    harmless: str
    question: str
    token: str


TOLD = (
    Words(
        "ja",
        "旅行の支払いのカード番号は4111 1111 1111 1111です",
        "旅行の支払いは来週です",
        "旅行の支払いは？",
        "card:",
    ),
    Words(
        "en",
        "For the trip my card number is 4111 1111 1111 1111",
        "The trip is paid next week",
        "How is the trip paid?",
        "card:",
    ),
    Words(
        "ja",
        "旅行サイトのパスワードは hunter2-Sakura9 です",
        "旅行サイトは便利だ",
        "旅行サイトは？",
        "secret:",
    ),
    Words(
        "en",
        "The trip site's password is hunter2-Sakura9",
        "The trip site is handy",
        "What of the trip site?",
        "secret:",
    ),
)
EACH = pytest.mark.parametrize("told", TOLD, ids=["ja card", "en card", "ja secret", "en secret"])


@pytest.fixture
def k(tmp_path: Path) -> Iterator[Kataribe]:
    (tmp_path / "db").mkdir()
    with kataribe.open(str(empty_store(tmp_path / "db" / "k.db"))) as made:
        for language in ("ja", "en"):
            made.user(language).create(language=language, embedder="hash")
        yield made


def say(k: Kataribe, user: str, text: str, held: Sequence[str], *, day: int = 0) -> None:
    audience = kataribe.known_by(*held) if held else kataribe.PUBLIC
    time = NOON + timedelta(days=day)
    k.user(user).put_turns(
        [
            kataribe.Turn(
                turn_id=f"{day}{held}",
                session=f"s{day}",
                speaker=user,
                text=text,
                time=time,
                audience=audience,
            )
        ]
    )
    k.sync()


def context(k: Kataribe, told: Words, persona: str | None, *, day: float = 9) -> kataribe.Context:
    viewer = k.viewer(user=told.language, as_of=NOON + timedelta(days=day), persona=persona)
    return viewer.context(told.question, min_relevance=0.0, min_similarity=-1.0)


def whys(made: kataribe.Context) -> set[str]:
    return {one.why.value for one in made.dropped}


@EACH
def test_what_was_told_to_all_is_not_told_on_to_a_persona(k: Kataribe, told: Words) -> None:
    say(k, told.language, told.secret, ())
    say(k, told.language, told.harmless, (), day=1)
    made = context(k, told, "himuro")
    assert told.token not in made.text
    assert told.harmless in made.text
    assert "sensitive" in whys(made)
    assert told.token in context(k, told, None).text


@EACH
def test_whom_it_was_said_to_is_reminded_of_it(k: Kataribe, told: Words) -> None:
    say(k, told.language, told.secret, ("himuro",))
    assert told.token in context(k, told, "himuro").text
    assert told.token not in context(k, told, "mio").text
    assert "sensitive" not in whys(context(k, told, "mio"))


@EACH
def test_neither_at_hand_nor_in_tiers_nor_as_evidence(k: Kataribe, told: Words) -> None:
    wish = "を覚えておいて" if told.language == "ja" else "Remember: "
    text = told.secret + wish if told.language == "ja" else wish + told.secret
    say(k, told.language, text, ())
    assert told.token not in context(k, told, "himuro", day=0.001).text
    k.user(told.language).memory.nightly(at=NOON + timedelta(days=3))
    kept = k.viewer(user=told.language, persona="himuro").memories().memories
    assert any(told.token in one.value.text or one.value.explicit for one in kept)
    made = context(k, told, "himuro")
    assert told.token not in made.text
    answer = k.viewer(user=told.language, persona="himuro", as_of=NOON + timedelta(days=9)).answer(
        told.question, min_relevance=0.0, min_similarity=-1.0
    )
    assert "4111" not in answer.text
    assert "hunter2" not in answer.text


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_only_tells_who_somebody_is_is_no_secret(language: Language) -> None:
    for text in ("hanako@example.jp", "090-1234-5678", "<email:a234567abc>", "My order 4471-2281-9034"):
        assert not is_sensitive(text, language)
    assert is_sensitive("<card:a234567abc>", language)


def hit(number: int, text: str, holder: str) -> TurnHit:
    return TurnHit(
        id=f"turn:{number}",
        fact_id=str(number),
        text=text,
        scope="world",
        character_id=holder,
        space="user:u",
        importance=0,
        arousal=None,
        score=1.0,
        relevance=None,
        pinned=False,
        superseded_by=None,
        told_from=None,
        evidence=None,
        confidence=None,
        parts={},
        marks=(),
        session="s",
        speaker="u",
        time=NOON,
    )


@settings(max_examples=60)
@given(
    texts=st.lists(
        st.tuples(
            st.sampled_from([*(one.secret for one in TOLD), "a", "b", "NONE"]), st.sampled_from([WORLD, "h"])
        ),
        max_size=6,
    ),
    persona=st.sampled_from([None, "h"]),
    kept=st.sets(st.sampled_from(["m1", "m2", "m3", "m99", "NONE", ""])),
    language=st.sampled_from(["ja", "en"]),
)
def test_a_guard_only_removes(
    texts: list[tuple[str, str]], persona: str | None, kept: set[str], language: Language
) -> None:
    hits = tuple(hit(number, text, holder) for number, (text, holder) in enumerate(texts))
    viewer = Viewer(user="u", persona=persona, as_of=NOON)
    found = Recollection(
        viewer=viewer,
        in_cast=True,
        hits=hits,
        pending_episodes=(),
        backend=Backend(embedder="hash", model="rules"),
    )
    before = screen(found, minimum=lambda _: None, recent=(), plan=None)
    for after in (withheld(before, language), judged(before, kept, "judge")):
        _is_less(before, after)
    both = judged(withheld(before, language), kept, "judge")
    assert {one.handle for one in both.chosen} <= kept
    assert not persona or not any(
        is_sensitive(one.hit.text, language) and one.hit.character_id == WORLD for one in both.chosen
    )


def _is_less(before: Screened, after: Screened) -> None:
    """Each stays as it was and in its place, or is told of as left out; never is one added."""
    left = [one for one in before.chosen if one in after.chosen]
    assert list(after.chosen) == left
    gone = [one.handle for one in before.chosen if one not in after.chosen]
    assert [one.handle for one in after.dropped[len(before.dropped) :]] == gone
