from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli


@pytest.fixture
def told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A store of its own folder, with one user who said one thing."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    text = "短く話すのがいいと思うんだ"
    cli("remember", "--user", "yuki", "--speaker", "yuki", "--persona", "h", "--session", "s", text)
    return cli


def turn_of(told: Cli) -> str:
    return str(told("log", "list", "--user", "yuki", "--session", "s", "--json").objects[0]["id"])


def test_a_value_is_kept_shown_and_withdrawn(told: Cli) -> None:
    turn = turn_of(told)
    assert turn in told("profile", "set", "style", "短く", "--user", "yuki", "--evidence", turn).err
    told("profile", "set", "limits", '{"words": 30}', "--user", "yuki", "--by-hand")
    limits, style = told("profile", "show", "--user", "yuki", "--json").objects
    assert (limits["value"], limits["by_hand"], limits["evidence"]) == ({"words": 30}, True, None)
    assert (style["value"], style["consent"], style["evidence"]) == ("短く", True, turn)
    assert style["pii_flag"] is False
    assert told("profile", "show", "style", "--user", "yuki").table[0][:3] == ["style", "短く", "1.0.0"]
    told("profile", "set", "style", "長く", "--user", "yuki", "--by-hand", "--until", "2099-01-01T00:00Z")
    history = told("profile", "history", "style", "--user", "yuki", "--json").objects
    assert [one["version"] for one in history] == ["1.0.0", "1.0.1"]
    assert history[1]["expires_at"] == "2099-01-01T00:00:00+00:00"
    told("profile", "consent", "withdraw", "style", "--user", "yuki")
    told("profile", "delete", "limits", "--user", "yuki")
    assert told("profile", "show", "--user", "yuki", "--json").objects == []
    given = told("profile", "consent", "list", "--user", "yuki", "--json").objects
    assert {one["key"]: one["given"] for one in given} == {"limits": True, "style": False}


def test_a_consent_is_given_with_a_turn_or_by_hand_and_not_without(told: Cli) -> None:
    assert "--by-hand" in told("profile", "consent", "give", "personalise", "--user", "yuki", code=3).err
    assert "--by-hand" in told("profile", "set", "tone", "warm", "--user", "yuki", code=3).err
    told("profile", "consent", "give", "personalise", "--user", "yuki", "--evidence", turn_of(told))
    assert told("profile", "consent", "list", "--user", "yuki").table[0][:2] == ["personalise", "given"]
    told("profile", "show", "tone", "--user", "yuki", code=3)


def test_without_the_key_store_keys_are_listed_and_a_value_is_refused(
    told: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told("profile", "set", "tone", "warm", "--user", "yuki", "--by-hand")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    ran = told("profile", "show", "--user", "yuki")
    assert ran.table[0][:2] == ["tone", "(locked)"]
    assert "key is missing" in ran.err
    assert "warm" not in ran.out
    told("profile", "show", "tone", "--user", "yuki", code=3)
