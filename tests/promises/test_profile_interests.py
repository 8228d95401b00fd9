"""What a user likes to talk of is counted by consent, from what a persona was given, and is never stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def k(tmp_path: Path) -> Iterator[Kataribe]:
    (tmp_path / "db").mkdir()
    with kataribe.open(str(empty_store(tmp_path / "db" / "k.db"))) as made:
        for user, texts in (
            ("yuki", ("猫が好き", "猫と温泉に行く", "秘密の薔薇", "猫とken@example.comの話")),
            ("ann", ("I love jazz", "Jazz and gardening", "A secret rose", "jazz, ken@example.com, chess")),
        ):
            made.user(user).create(language="ja" if user == "yuki" else "en", embedder="hash")
            himuro, mio = kataribe.known_by("himuro"), kataribe.known_by("mio")
            said = [
                (texts[0], "a", himuro),
                (texts[1], "b", himuro),
                (texts[2], "c", mio),
                (texts[3], "d", himuro),
            ]
            turns = [
                kataribe.Turn(turn_id=f"t{at}", session=session, speaker=user, text=text, audience=held,
                              time=NOON + timedelta(minutes=at))
                for at, (text, session, held) in enumerate(said)
            ]  # fmt: skip
            reply = kataribe.Turn(
                turn_id="r", session="a", speaker="himuro", text="!", time=NOON, audience=himuro, ordinal=1
            )
            made.user(user).put_turns([*turns, *turns[:1], reply])
        yield made


@pytest.mark.parametrize(
    ("user", "first", "second", "secret"), [("yuki", "猫", "温泉", "薔薇"), ("ann", "jazz", "garden", "rose")]
)
def test_topics_are_counted_once_a_conversation_by_consent(
    k: Kataribe, user: str, first: str, second: str, secret: str
) -> None:
    profile = k.user(user).profile
    assert profile.interests("himuro") == kataribe.Interests()
    profile.give("personalise", by_hand=True)
    found = profile.interests("himuro")
    assert found.topics[first] == 2
    assert found.topics[second] == 1
    assert found.top[0] == first
    assert found.addressed == {"himuro": 3}
    assert found.depth == {"himuro": 1}
    assert secret not in found.topics
    assert "chess" not in found.topics
    assert secret in profile.interests("mio").topics
    k.user(user).put_turns(k.user(user).turns())
    assert profile.interests("himuro") == found
    k.user(user).delete_turns(["t1"])
    assert second not in profile.interests("himuro").topics
    profile.withdraw("personalise")
    assert profile.interests("himuro").words is None
