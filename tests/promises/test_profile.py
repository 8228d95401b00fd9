"""A profile holds what its user agreed to, sealed, and nothing of it outlives its evidence."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kataribe
from kataribe.errors import InputError, KeyStoreError, NotFoundError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.face.sync.profile import ProfileHandle
from kataribe.testing.fakes import FrozenClock
from support.erasing import erase
from support.stores import empty_store

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PAIRS = (("呼び名", "けんいちろう"), ("nickname", "Bumbershoot"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


def opened(path: Path) -> Kataribe:
    made = kataribe.open(str(path))
    if not made.admin.users():
        made.user("yuki").create(language="ja", embedder="hash")
    return made


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with opened(path) as made:
        yield made


def say(k: Kataribe, turn_id: str, text: str, *, minute: int = 0, speaker: str = "yuki") -> str:
    turn = kataribe.Turn(
        turn_id=turn_id,
        session="s",
        speaker=speaker,
        text=text,
        time=NOON + timedelta(minutes=minute),
        audience=kataribe.known_by("himuro"),
    )
    k.user("yuki").put_turns([turn])
    return turn_id


def shown(profile: ProfileHandle) -> dict[str, object]:
    return {one.key: one.value for one in profile.show()}


@pytest.mark.parametrize(("key", "value"), PAIRS)
def test_a_value_is_kept_with_its_evidence_and_every_set_is_a_version(
    k: Kataribe, key: str, value: str
) -> None:
    profile = k.user("yuki").profile
    turn = say(k, "t1", f"みんなは{value}って言うんだ")
    first = profile.set(key, value, evidence=turn)
    assert (first.value, first.version, first.evidence.turn_id) == (value, "1.0.0", turn)
    second = profile.set(key, {"名": [value, 2, None]}, by_hand=True)
    assert (second.version, second.evidence.is_by_hand) == ("1.0.1", True)
    assert profile.get(key).value == {"名": [value, 2, None]}
    assert [(one.version, one.value) for one in profile.history(key)] == [
        ("1.0.0", value),
        ("1.0.1", {"名": [value, 2, None]}),
    ]
    assert [(one.key, one.step, one.evidence.is_by_hand) for one in profile.consents()] == [
        (key, kataribe.ConsentStep.GIVEN, True)
    ]


def test_consent_needs_a_turn_that_is_there_and_that_the_user_said(k: Kataribe) -> None:
    profile = k.user("yuki").profile
    with pytest.raises(InputError, match="rests on words"):
        profile.set("style", "短く")
    with pytest.raises(InputError, match="rests on words"):
        profile.give("style", evidence=say(k, "t1", "短く話して"), by_hand=True)
    with pytest.raises(NotFoundError, match="t9"):
        profile.set("style", "短く", evidence="t9")
    with pytest.raises(InputError, match="somebody else"):
        profile.set("style", "短く", evidence=say(k, "t2", "短く話すね", speaker="himuro"))
    with pytest.raises(NotFoundError):
        k.user("nobody").profile.set("style", "短く", by_hand=True)
    assert profile.show() == ()
    assert profile.consents() == ()


def test_no_word_of_a_value_stands_in_the_store(path: Path) -> None:
    with opened(path) as k:
        for key, value in PAIRS:
            k.user("yuki").profile.set(key, value, by_hand=True)
    for file in path.parent.iterdir():
        found = file.read_bytes()
        for _, value in PAIRS:
            assert value.encode() not in found
            assert value.encode("unicode_escape") not in found


def test_without_the_key_keys_are_listed_without_values(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with opened(path) as k:
        k.user("yuki").profile.set("tone", "warm", by_hand=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    with kataribe.open(str(path)) as k:
        profile = k.user("yuki").profile
        (item,) = profile.show()
        assert (item.key, item.value, item.is_locked) == ("tone", None, True)
        assert [one.is_locked for one in profile.history()] == [True]
        with pytest.raises(KeyStoreError):
            profile.get("tone")
        with pytest.raises(NotFoundError):
            profile.get("style")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with kataribe.open(str(path)) as k:
        assert k.user("yuki").profile.get("tone").value == "warm"


def test_withdrawing_takes_the_value_and_its_history(k: Kataribe) -> None:
    profile = k.user("yuki").profile
    for value in ("warm", "cold"):
        profile.set("tone", value, by_hand=True)
    profile.set("style", "short", by_hand=True)
    assert profile.withdraw("tone").step is kataribe.ConsentStep.WITHDRAWN
    assert shown(profile) == {"style": "short"}
    assert profile.history("tone") == ()
    assert {one.key: one.step.value for one in profile.consents()} == {"style": "given", "tone": "withdrawn"}
    with pytest.raises(NotFoundError):
        profile.withdraw("tone")


def test_deleting_a_key_leaves_its_consent(k: Kataribe) -> None:
    profile = k.user("yuki").profile
    profile.set("tone", "warm", by_hand=True)
    assert profile.delete("tone") == 1
    assert profile.show() == ()
    assert profile.history() == ()
    assert profile.consents()[0].step is kataribe.ConsentStep.GIVEN
    with pytest.raises(NotFoundError):
        profile.delete("tone")


@pytest.mark.parametrize("is_changed", [False, True], ids=["deleted", "changed"])
def test_value_and_consent_go_with_the_turn_they_rest_on(k: Kataribe, *, is_changed: bool) -> None:
    """P6."""
    profile = k.user("yuki").profile
    profile.set("tone", "やさしく", evidence=say(k, "t1", "やさしく話して"))
    profile.set("style", "short", evidence=say(k, "t2", "keep it short"))
    profile.give("personalise", evidence="t1")
    if is_changed:
        say(k, "t1", "やっぱり普通でいいよ")
    else:
        k.user("yuki").delete_turns(["t1"])
    assert shown(profile) == {"style": "short"}
    assert [one.key for one in profile.consents()] == ["style"]
    assert [one.key for one in profile.history()] == ["style"]


def test_a_turn_that_is_stored_again_as_it_was_takes_nothing(k: Kataribe) -> None:
    profile = k.user("yuki").profile
    profile.set("tone", "warm", evidence=say(k, "t1", "speak warmly"))
    say(k, "t1", "speak warmly")
    assert shown(profile) == {"tone": "warm"}


def test_a_value_ends_at_its_time_and_what_was_before_does_not_come_back(path: Path) -> None:
    clock = FrozenClock(NOON)
    opened(path).close()
    with kataribe.open(str(path), services=kataribe.default_services(clock)) as k:
        profile = k.user("yuki").profile
        profile.set("tone", "warm", by_hand=True)
        profile.set("tone", "formal", by_hand=True, until=NOON + timedelta(days=1))
        assert shown(profile) == {"tone": "formal"}
        clock.set(NOON + timedelta(days=1))
        assert profile.show() == ()
        profile.set("style", "short", by_hand=True)
        assert [one.key for one in profile.history()] == ["style"]
        with pytest.raises(InputError):
            profile.set("tone", "late", by_hand=True, until=NOON)


def test_a_profile_goes_with_its_user(k: Kataribe) -> None:
    k.user("yuki").profile.set("tone", "warm", by_hand=True)
    erase(k, "yuki")
    k.user("yuki").create(language="ja", embedder="hash")
    assert k.user("yuki").profile.show() == ()
    assert k.user("yuki").profile.consents() == ()


@pytest.mark.parametrize(
    ("key", "value", "is_personal"),
    [
        ("tone", "warm", False),
        ("name", "Ken", True),
        ("連絡", {"to": ["ken@example.com"]}, True),
        ("連絡", "０９０－１２３４－５６７８", True),
        ("length", 3, False),
        ("policy", True, False),
    ],
)
def test_what_says_who_a_user_is_is_marked(
    k: Kataribe, key: str, value: object, *, is_personal: bool
) -> None:
    assert k.user("yuki").profile.set(key, value, by_hand=True).is_personal is is_personal


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "x" * 5000, b"x"])
def test_what_is_no_json_is_refused_and_nothing_is_kept(k: Kataribe, value: object) -> None:
    profile = k.user("yuki").profile
    with pytest.raises(InputError):
        profile.set("tone", value, by_hand=True)
    assert profile.show() == ()
    assert profile.consents() == ()


Steps = Sequence[tuple[str, int, int]]
STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "withdraw", "forget", "drop"]), st.integers(0, 1), st.integers(0, 3)),
    max_size=12,
)


class Kept:
    """What ought to be kept: values by key with their evidence, and who consented last."""

    def __init__(self) -> None:
        self.values: list[tuple[str, str, str | None]] = []
        self.steps: list[tuple[str, bool, str | None]] = []

    def counts(self) -> dict[str, object]:
        return {key: value for key, value, _ in self.values}

    def given(self) -> dict[str, bool]:
        return {key: is_given for key, is_given, _ in self.steps}


@settings(max_examples=15)
@given(STEPS)
def test_nothing_is_kept_that_has_no_consent_and_no_evidence(steps: Steps) -> None:
    """Any order of setting, withdrawing, deleting keys and deleting turns ends as what is left says (P6)."""
    with tempfile.TemporaryDirectory() as folder, opened(empty_store(Path(folder) / "k.db")) as k:
        user, model = k.user("yuki"), Kept()
        profile = user.profile
        for number, (what, at, turn) in enumerate(steps):
            key = ("語調", "style")[at]
            if what == "set":
                evidence = say(k, f"t{turn}", f"turn {turn}", minute=turn) if turn else None
                made = profile.set(key, f"v{number}", evidence=evidence, by_hand=evidence is None)
                assert tuple(map(int, made.version.split("."))) == max(
                    tuple(map(int, one.version.split("."))) for one in profile.history(key)
                )
                model.values.append((key, f"v{number}", evidence))
                model.steps.append((key, True, evidence))
            elif what == "forget":
                user.delete_turns([f"t{turn}"])
                gone = f"t{turn}"
                model.values = [one for one in model.values if one[2] != gone]
                model.steps = [one for one in model.steps if one[2] != gone]
            elif what == "withdraw" and model.given().get(key):
                profile.withdraw(key)
                model.values = [one for one in model.values if one[0] != key]
                model.steps.append((key, False, None))
            elif what == "drop" and key in model.counts():
                profile.delete(key)
                model.values = [one for one in model.values if one[0] != key]
            assert shown(profile) == model.counts()
            assert {one.key: one.step.value == "given" for one in profile.consents()} == model.given()
            assert all(model.given()[key] for key in model.counts())
