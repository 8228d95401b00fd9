"""`privacy scan`."""

from __future__ import annotations

import json
import re
import zipfile
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


SAID = {
    "ja": "私の電話は０９０－１２３４－５６７８です。",
    "en": "My mail is jane@example.com, write there.",
}


@pytest.mark.parametrize("language", sorted(SAID))
def test_a_user_is_given_all_that_is_kept_as_one_file(cli: Cli, tmp_path: Path, language: str) -> None:
    told = ("--user", "u", "--speaker", "u", "--persona", "rin")
    cli("remember", SAID[language], *told, "--language", language, "--embedder", "hash")
    token = cli("privacy", "request", "--user", "u", "--action", "export").out.strip()
    done = cli("privacy", "export", tmp_path / "u.zip", "--user", "u", "--token", token)
    assert done.out == ""
    assert "u: 1 turn," in done.err
    assert "it is not encrypted" in done.err
    with zipfile.ZipFile(tmp_path / "u.zip") as bundle:
        data = bundle.read("data/turns.jsonl")
    listed = cli("log", "list", "--user", "u", "--json").object
    assert {name: value for name, value in json.loads(data).items() if name in listed} == listed
    cli("log", "import", "-", "--user", "v", "--language", language, "--embedder", "hash", stdin=data)
    assert cli("log", "list", "--user", "v", "--json").object == listed
    again = cli("privacy", "export", tmp_path / "two.zip", "--user", "u", "--token", token, code=3)
    assert "kataribe privacy request --user u --action export" in again.err
    there = cli("privacy", "export", tmp_path / "u.zip", "--user", "u", "--token", token, code=3)
    assert "name a new one" in there.err


def test_what_is_listed_can_be_imported_again(cli: Cli) -> None:
    line = {"id": "1", "session": "s", "speaker": "ann", "text": "Hi there.", "time": "2024-01-01T00:00:00Z"}
    more = {"persona": ["rin"], "conversation": "c", "mood": "glad"}
    cli("log", "import", "-", "--user", "u", stdin=json.dumps({**line, **more}).encode())
    listed = cli("log", "list", "--user", "u", "--json")
    again = cli("log", "import", "-", "--user", "u", "--json", stdin=listed.raw).object
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, 1)


@pytest.mark.parametrize("language", sorted(SAID))
def test_what_is_kept_of_a_user_is_shown_on_a_page(cli: Cli, language: str) -> None:
    told = ("--user", "u", "--speaker", "u", "--persona", "rin")
    cli("remember", SAID[language], *told, "--language", language, "--embedder", "hash")
    cli("profile", "set", "name", "Jane", "--user", "u", "--by-hand")
    shown = cli("privacy", "show", "--user", "u").out
    for part in ("1 turn in 1 session", "may be given to: rin", "name: Jane", "sealed: 1 turn", "backups: 0"):
        assert part in shown
    found = cli("privacy", "show", "--user", "u", "--json").object
    assert [one["value"] for one in found["profile"]] == ["Jane"]
    assert found["is_open"] is True
    assert "there is no user" in cli("privacy", "show", "--user", "nobody", code=3).err


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
