"""`privacy scan`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli

TEXTS = {
    "ja": ("連絡は hanako@example.jp か ０９０－１２３４－５６７８ へ。", ["email", "phone"]),
    "en": ("Write to jane@example.com or call 415-555-2671.", ["email", "phone"]),
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_scan_says_where_personal_data_stand_and_no_word_of_them(
    cli: Cli, tmp_path: Path, language: str
) -> None:
    text, kinds = TEXTS[language]
    file = tmp_path / "said.txt"
    file.write_text(text, encoding="utf-8")
    out = cli("privacy", "scan", file, "--language", language, "--json").out
    found = [json.loads(line) for line in out.splitlines()]
    assert [one["kind"] for one in found] == kinds
    assert [list(one) for one in found] == [["kind", "start", "end", "token"]] * 2
    assert found[0]["token"].startswith("<email:")
    assert "@" in text[found[0]["start"] : found[0]["end"]]
    shown = cli("privacy", "scan", file, "--language", language).out
    for word in ("hanako", "jane", "5678", "５６７８", "2671"):
        assert word not in out + shown


def test_each_scan_has_a_key_of_its_own(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text("jane@example.com and jane@example.com", encoding="utf-8")
    first, second = (cli("privacy", "scan", file, "--language", "en", "--json").out for _ in range(2))
    tokens = [json.loads(line)["token"] for line in first.splitlines()]
    assert tokens[0] == tokens[1]
    assert first != second


def test_nothing_found_prints_nothing(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text("It rained. 雨だった。", encoding="utf-8")
    for options in ((), ("--json",)):
        ran = cli("privacy", "scan", file, "--language", "en", *options)
        assert (ran.out, ran.err) == ("", "")


def test_standard_input_and_other_encodings_are_read(cli: Cli, tmp_path: Path) -> None:
    text = "口座番号は1234567です"
    from_stream = cli("privacy", "scan", "-", "--json", stdin=text.encode()).object
    file = tmp_path / "said.txt"
    file.write_bytes(text.encode("shift_jis"))
    from_file = cli("privacy", "scan", file, "--encoding", "shift_jis", "--json").object
    assert {**from_stream, "token": ""} == {**from_file, "token": ""}
    assert (from_file["kind"], from_file["start"], from_file["end"]) == ("account", 5, 12)


def test_names_are_looked_for_when_that_is_asked(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "said.txt"
    file.write_text("昨日は田中さんと会った", encoding="utf-8")
    assert cli("privacy", "scan", file, "--language", "ja").out == ""
    assert json.loads(cli("privacy", "scan", file, "--names", "--json").out)["kind"] == "name"


def test_a_file_that_is_not_there_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert "cannot read" in cli("privacy", "scan", tmp_path / "no.txt", "--language", "en", code=3).err


@pytest.mark.parametrize("user", ["ゆき", "jonathan"])
def test_a_request_prints_the_token_alone(cli: Cli, user: str) -> None:
    cli("remember", "hello, it is warm today", "--user", user, "--speaker", user, "--language", "en")
    found = cli("privacy", "request", "--user", user, "--action", "delete")
    assert re.fullmatch(r"[0-9a-f]{48}\n", found.out)
    assert found.err == ""
    assert "there is no user" in cli("privacy", "request", "--user", "x", "--action", "export", code=3).err


@pytest.mark.parametrize("user", ["ゆき", "jonathan"])
def test_a_user_is_erased_with_a_token_and_a_receipt_is_printed(cli: Cli, user: str) -> None:
    said = ("hello, it is warm today", "--speaker", user, "--language", "en")
    cli("remember", *said, "--user", user)
    refused = cli("privacy", "delete", "--user", user, "--token", "0" * 48, code=3).err
    assert f"privacy request --user {user} --action delete" in refused
    token = cli("privacy", "request", "--user", user, "--action", "delete").out.strip()
    receipt = cli("privacy", "delete", "--user", user, "--token", token, "--json").object
    assert (receipt["deleted"], receipt["user_id"], receipt["complete"]) == (True, user, True)
    assert receipt["counts"]["turns"] == 1
    assert cli("user", "list").table == []
    cli("remember", *said, "--user", user)
    token = cli("privacy", "request", "--user", user, "--action", "delete").out.strip()
    assert "nothing of it is left" in cli("privacy", "delete", "--user", user, "--token", token).err
