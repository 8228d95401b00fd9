"""A hit says what it is: a fact of an episode, or a turn that was said at a moment with its zone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import kataribe
from kataribe import FactHit, Kataribe, TurnHit

JAPAN = timezone(timedelta(hours=9))
SAID = datetime(2026, 3, 1, 21, 30, 15, 250_000, tzinfo=JAPAN)
TEXTS = {
    "ja": ("澪は灯台で古い鍵を見つけた。", "灯台の鍵は失くさないでね。", "灯台の鍵"),
    "en": (
        "Mio found an old key in the lighthouse.",
        "Do not lose the key of the lighthouse.",
        "lighthouse key",
    ),
}


@pytest.fixture(params=["ja", "en"])
def told(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Kataribe, str]]:
    """Give a store in which the same is told in a story and said with a user, and the language."""
    language = request.param
    told, said, _ = TEXTS[language]
    with kataribe.open(str(tmp_path / "k.db")) as store:
        store.story("s").create(language=language, embedder="hash")
        store.story("s").episodes.put(no=1, text=told)
        store.user("u").create(language=language, embedder="hash")
        store.user("u").said(said, speaker="Nora", persona="mio", time=SAID, session="1", caption="a photo")
        store.sync()
        yield store, language


def hits(store: Kataribe, language: str) -> tuple[FactHit, TurnHit]:
    """Recall both as one viewer."""
    found = store.recall(TEXTS[language][2], story="s", persona="mio", at=2, user="u", planner="none")
    fact = next(hit for hit in found.hits if isinstance(hit, FactHit))
    return fact, next(hit for hit in found.hits if isinstance(hit, TurnHit))


def test_a_fact_names_its_episode_and_a_turn_its_speaker_and_moment(told: tuple[Kataribe, str]) -> None:
    fact, turn = hits(*told)
    assert (fact.episode_no, fact.kind, turn.kind) == (1, "fact", "turn")
    assert (turn.session, turn.speaker, turn.caption) == ("1", "Nora", "a photo")
    assert not [name for name in ("session", "speaker", "time", "caption") if hasattr(fact, name)]
    assert not [name for name in ("episode_no", "episode_id", "quote", "offsets") if hasattr(turn, name)]
    assert all(isinstance(hit, kataribe.Hit) and isinstance(hit.score, float) for hit in (fact, turn))


def test_a_turns_moment_can_be_reckoned_with_and_keeps_its_zone(told: tuple[Kataribe, str]) -> None:
    _, turn = hits(*told)
    assert turn.time == SAID
    assert turn.time.utcoffset() == timedelta(hours=9)
    assert turn.time - datetime(2026, 3, 1, tzinfo=UTC) == timedelta(hours=12, minutes=30, seconds=15.25)


def test_as_json_both_are_spelt_as_ever(told: tuple[Kataribe, str]) -> None:
    fact, turn = hits(*told)
    common = ["id", "fact_id", "text", "space"]
    rest = ["scope", "character_id", "importance", "kind", "quote", "quote_episode_no", "offsets", "pinned"]
    rest += ["superseded_by", "told_from", "evidence", "confidence"]
    shown = kataribe.hit_json(fact, ranked=False)
    assert list(shown) == [*common, "episode_no", "episode_id", *rest]
    said = kataribe.hit_json(turn, ranked=False)
    assert list(said) == [*common, "session", "speaker", "time", "caption", *rest]
    assert said.get("time") == "2026-03-01T21:30:15.250000+09:00"
    assert (shown["kind"], said["kind"], said["quote"], said["offsets"]) == ("fact", "turn", None, None)
