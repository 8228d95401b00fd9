"""What a user asks for in plain words is kept, with these words as its evidence, and goes with them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ASKED = (
    ("yuki", "ケンと呼んで。これからもよろしくね", "name", "ケン"),
    ("ann", "Hello there! Please call me Ken from now on.", "name", "Ken"),
    ("yuki", "タメ口でいいよ", "honorific", "タメ口"),
    ("ann", "You don't have to be so formal with me.", "honorific", "casual"),
)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def k(tmp_path: Path, clock: FrozenClock) -> Iterator[Kataribe]:
    (tmp_path / "db").mkdir()
    store = empty_store(tmp_path / "db" / "k.db")
    with kataribe.open(str(store), services=kataribe.default_services(clock)) as made:
        made.user("yuki").create(language="ja", embedder="hash")
        made.user("ann").create(language="en", embedder="hash")
        yield made


def turn(number: int, text: str, *, speaker: str = "yuki") -> kataribe.Turn:
    return kataribe.Turn(
        turn_id=f"t{number}",
        session="s",
        speaker=speaker,
        text=text,
        time=NOON - timedelta(hours=9 - number),
        audience=kataribe.known_by("himuro"),
    )


def shown(k: Kataribe, user: str = "yuki") -> dict[str, object]:
    return {one.key: one.value for one in k.user(user).profile.show()}


@pytest.mark.parametrize(("user", "text", "key", "value"), ASKED)
@pytest.mark.parametrize("way", ["said", "remember", "put_turns", "import_log"])
def test_what_is_asked_for_is_kept_by_every_way_it_is_stored(
    k: Kataribe, user: str, text: str, key: str, value: str, way: str
) -> None:
    handle = k.user(user)
    match way:
        case "said":
            handle.said(text, speaker=user, persona="himuro")
        case "remember":
            handle.remember([{"role": "user", "content": text}], persona="himuro")
        case "put_turns":
            handle.put_turns([turn(1, text, speaker=user)])
        case _:
            handle.import_log([turn(1, text, speaker=user)])
    (item,) = handle.profile.show()
    assert (item.key, item.value, item.is_personal) == (key, value, key == "name")
    (stored,) = handle.turns()
    assert item.evidence.turn_id == stored.turn_id
    assert item.updated_at == stored.time
    assert [one.evidence.turn_id for one in handle.profile.consents()] == [stored.turn_id]


def test_what_others_say_sets_nothing(k: Kataribe) -> None:
    k.user("yuki").put_turns(
        [turn(1, "ケンと呼んで", speaker="himuro"), turn(2, "敬語で話して", speaker="客")]
    )
    k.user("yuki").put_turns([turn(3, "ケンと呼んで", speaker="system")])
    assert shown(k) == {}


def test_it_goes_with_its_turn_and_comes_with_another_text(k: Kataribe) -> None:
    """P6."""
    user = k.user("yuki")
    user.put_turns([turn(1, "ケンと呼んで")])
    user.put_turns([turn(1, "リンと呼んで")])
    assert shown(k) == {"name": "リン"}
    user.put_turns([turn(1, "こんにちは")])
    assert shown(k) == {}
    user.put_turns([turn(2, "敬語で話して")])
    user.delete_turns(["t2"])
    assert shown(k) == {}
    assert user.profile.consents() == ()


def test_the_order_in_which_turns_come_in_does_not_matter(k: Kataribe) -> None:
    """P3: what was said last counts, however it was stored, changed or deleted before."""
    turns = [
        turn(1, "ケンと呼んで"),
        turn(2, "タメ口でいいよ"),
        turn(3, "ジョンと呼んで"),
        turn(4, "敬語で話して"),
    ]
    for order in itertools.permutations(turns):
        k.user("yuki").delete_turns([one.turn_id for one in turns])
        for one in order:
            k.user("yuki").put_turns([one])
        assert shown(k) == {"name": "ジョン", "honorific": "敬語"}
        k.user("yuki").delete_turns(["t3"])
        assert shown(k) == {"name": "ケン", "honorific": "敬語"}


def test_what_was_withdrawn_does_not_come_back_from_what_was_said_before(
    k: Kataribe, clock: FrozenClock
) -> None:
    user = k.user("yuki")
    user.put_turns([turn(1, "ケンと呼んで")])
    user.profile.withdraw("name")
    user.put_turns([turn(1, "ケンと呼んで"), turn(2, "リンと呼んでね")])
    assert shown(k) == {}
    clock.advance(timedelta(hours=1))
    user.said("やっぱりケンと呼んで", speaker="yuki", persona="himuro")
    assert shown(k) == {"name": "ケン"}


def test_how_to_speak_reaches_the_next_context(k: Kataribe) -> None:
    k.user("ann").said("You don't have to be so formal with me.", speaker="ann", persona="himuro")
    k.user("ann").said("Please call me Kenneth.", speaker="ann", persona="himuro")
    made = k.context("Hello?", user="ann", persona="himuro", parts=["style", "question"])
    assert "honorific: casual" in made.text
    assert "Kenneth" not in made.text


def test_a_turn_is_stored_though_nothing_can_be_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P5: with the record off, so that the key store is needed for nothing else."""
    settings = kataribe.Settings(
        path=str(tmp_path / "k.db"), audit="off", key_store=str(tmp_path / "no" / "k")
    )
    (tmp_path / "no").write_text("a file where a folder ought to be")
    with kataribe.open(str(tmp_path / "k.db"), settings=settings) as k:
        k.user("yuki").create(language="ja", embedder="hash")
        k.user("yuki").put_turns([turn(1, "ケンと呼んで")])
        assert [one.text for one in k.user("yuki").turns()] == ["ケンと呼んで"]
        assert k.user("yuki").profile.show() == ()


@pytest.mark.parametrize(
    ("user", "text", "key", "value", "token"),
    [
        ("yuki", "私の電話番号は090-1234-5678だって覚えておいて", "phone", "090-1234-5678", "<phone:"),
        ("ann", "Remember that my email is ann@example.com", "email", "ann@example.com", "<email:"),
    ],
)
def test_what_the_user_asks_to_be_remembered_is_a_value_and_a_sentence_without_personal_data(
    tmp_path: Path, user: str, text: str, key: str, value: str, token: str
) -> None:
    """U-12: a sealed value, and beside it a derived sentence with tokens; both rest on the turn."""
    (tmp_path / "db").mkdir()
    path = empty_store(tmp_path / "db" / "k.db")
    with kataribe.open(str(path)) as made:
        made.user(user).create(language="ja" if user == "yuki" else "en", embedder="hash")
        turn = kataribe.Turn(
            turn_id="t", session="s", speaker=user, text=text, time=NOON, audience=kataribe.known_by("himuro")
        )
        made.user(user).put_turns([turn])
        made.user(user).memory.nightly(at=NOON + timedelta(days=2))
        item = made.user(user).profile.get(key)
        assert (item.value, item.is_personal, item.evidence.turn_id) == (value, True, "t")
        viewer = made.viewer(user=user, persona="himuro", as_of=NOON + timedelta(days=3))
        (kept,) = viewer.memories().memories
        assert (kept.value.tier, kept.value.explicit, kept.value.sources) == ("long", True, ("t",))
        told = viewer.context("090-1234-5678?" if user == "yuki" else "ann@example.com?").text
        assert value not in told
        assert token[1:] in told
    assert all(value.encode() not in one.read_bytes() for one in path.parent.iterdir())
    with kataribe.open(str(path)) as made:
        made.user(user).delete_turns(["t"])
        assert made.user(user).profile.show() == ()
        assert made.user(user).memory.list().memories == ()
