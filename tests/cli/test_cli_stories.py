"""`story add|list|show|rename|delete`, the store's place, and ids in any script."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kataribe.adapters.chive import ChiveEmbedder
from kataribe.adapters.wordllama import WordLlamaEmbedder

if TYPE_CHECKING:
    from cli.conftest import Cli

IDS = ("銀河 鉄道", "Мёртвые души", "قصة", "𠮷野 家", "a/b c", "🌊 wave", 'it\'s "quoted"', "..", "Ａ１")


def add(cli: Cli, story: str, *options: object) -> None:
    cli("story", "add", story, "--embedder", "hash", *options)


def what(cli: Cli, story: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cli("story", "show", story).table}


def stories(cli: Cli) -> list[str]:
    return [row[0] for row in cli("story", "list").table]


def test_add_list_show(cli: Cli) -> None:
    add(cli, "二つの 町", "--language", "ja", "--title", "題 🌙")
    add(cli, "B", "--language", "en")
    assert sorted(stories(cli)) == sorted(["B", "二つの 町"])
    shown = what(cli, "二つの 町")
    assert shown["id"] == "二つの 町"
    assert shown["title"] == "題 🌙"
    assert shown["language"] == "ja"
    assert "hash" in shown["embedder"]
    assert shown["episodes"] == "0"


def test_add_says_nothing_on_standard_output(cli: Cli) -> None:
    assert cli("story", "add", "s", "--embedder", "hash").out == ""


@pytest.mark.parametrize("story", IDS)
def test_ids_in_any_script(cli: Cli, story: str) -> None:
    add(cli, story)
    cli("cast", "add", story, "--story", story)
    cli.put(story, 1, "Here it is.", "--id", story)
    fact = cli(
        "fact", "add", "--story", story, "--episode", 1, "--text", "秘密 secret", "--known-by", story
    ).out.strip()
    cli("sync", "--story", story)
    found = cli.recall("secret", story, story, 2)
    assert found["viewer"]["story"] == found["viewer"]["character"] == story
    assert fact in [hit["fact_id"] for hit in found["hits"]]
    assert {hit["episode_id"] for hit in found["hits"]} == {story}


@pytest.mark.parametrize(
    "bad", ["world", "public", "a:b", "a,b", "a\nb", "a\tb", "a\x00b", "a\x7fb", "", " ", " a", "World"]
)
def test_refused_ids(cli: Cli, bad: str) -> None:
    add(cli, "s")
    cli("story", "add", bad, "--embedder", "hash", code=3)
    cli("cast", "add", bad, "--story", "s", code=3)
    cli("story", "rename", "s", bad, code=3)
    cli("episode", "put", "--story", "s", "--no", 1, "--id", bad, "-", code=3, stdin=b"x")
    cli("episode", "insert", "--story", "s", "--no", 1, "--id", bad, "-", code=3, stdin=b"x")
    cli("cast", "add", "a", "--story", "s")
    cli("cast", "rename", "a", bad, "--story", "s", code=3)
    assert stories(cli) == ["s"]
    assert what(cli, "s")["cast"] == "a"
    assert what(cli, "s")["episodes"] == "0"


def test_a_taken_id_is_refused(cli: Cli) -> None:
    add(cli, "s")
    cli("story", "add", "s", "--embedder", "hash", code=3)
    add(cli, "t")
    cli("story", "rename", "s", "t", code=3)


def test_rename_keeps_everything(cli: Cli) -> None:
    story = cli.sea()
    before = cli.recall("灯台", story, "ミナ", 5)
    cli("story", "rename", story, "港 の町")
    after = cli.recall("灯台", "港 の町", "ミナ", 5)
    assert {hit.pop("space") for hit in before["hits"]} == {f"story:{story}"}
    assert {hit.pop("space") for hit in after["hits"]} == {"story:港 の町"}
    assert after["hits"] == before["hits"]
    assert after["viewer"]["story"] == "港 の町"
    assert after["pending_episodes"] == []
    cli("story", "show", story, code=3)
    cli("verify")


def test_delete_takes_all_of_one_story(cli: Cli) -> None:
    story = cli.sea()
    isle = cli.isle()
    before = cli.known(isle, "anna", 9)
    cli("story", "delete", story)
    assert stories(cli) == [isle]
    cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 3, code=3)
    assert cli.known(isle, "anna", 9) == before
    add(cli, story, "--language", "ja")
    assert cli.known(story, "ミナ", 9)["hits"] == []
    cli("verify")


def test_default_embedders(cli: Cli) -> None:
    cli("story", "add", "日", "--language", "ja")
    cli("story", "add", "e", "--language", "en")
    assert "chive" in what(cli, "日")["embedder"]
    assert "wordllama" in what(cli, "e")["embedder"]


def test_unknown_embedder_is_refused(cli: Cli) -> None:
    assert "hash" in cli("story", "add", "s", "--embedder", "nonsense", code=3).err


@pytest.mark.parametrize(("language", "maker"), [("ja", ChiveEmbedder), ("en", WordLlamaEmbedder)])
def test_a_missing_extra_is_told_with_the_line_to_type(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, language: str, maker: type
) -> None:
    line = f"pip install 'kataribe[{language}]'"
    monkeypatch.setattr(maker, "available", classmethod(lambda cls: line))
    assert line in cli("story", "add", "s", "--language", language, code=3).err
    assert cli("story", "list").table == []
    text = {"ja": "灯台がある。", "en": "A lighthouse."}[language]
    folder = cli.folder("f", [{"episode_no": 1, "text": text}])
    assert line in cli("story", "import", folder, "--story", "s", "--language", language, code=3).err
    assert line in cli("story", "import", folder, "--story", "s", code=3).err
    assert cli("story", "list").table == []
    # Another embedder does, and is recorded.
    cli("story", "import", folder, "--story", "s", "--embedder", "hash")
    assert what(cli, "s")["embedder"].startswith("hash")
    doctor = cli("doctor")
    assert line in doctor.out


# -- where the store is --------------------------------------------------------------------


def test_the_store_is_chosen_by_option_then_environment_then_default(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.bare("story", "add", "here", "--embedder", "hash").code == 0
    assert (tmp_path / "kataribe.db").exists()
    monkeypatch.setenv("KATARIBE_DB", str(tmp_path / "環境 db"))
    assert cli.bare("story", "add", "there", "--embedder", "hash").code == 0
    assert (tmp_path / "環境 db").exists()
    assert [line.split("\t")[0] for line in cli.bare("story", "list").out.splitlines()[1:]] == ["there"]
    assert "here" in cli("story", "list").out
    assert "there" not in cli("story", "list").out


def test_help_needs_no_store(cli: Cli) -> None:
    for group in ((), ("story",), ("cast",), ("episode",), ("fact",), ("recall",), ("known",)):
        assert "Usage" in cli(*group, "--help").out
    assert cli("--version").out.strip()
    assert not cli.db.exists()


@pytest.mark.parametrize("content", [b"hello, I am a text", b"SQLite format 3\x00" + b"\x00" * 100, b"\x00"])
def test_a_foreign_file_is_refused_and_left_alone(cli: Cli, content: bytes) -> None:
    cli.db.write_bytes(content)
    for arguments in (
        ("story", "list"),
        ("sync",),
        ("verify",),
        ("recall", "q", "--story", "s", "--as", "a", "--at", "2"),
    ):
        cli(*arguments, code=3)
    assert cli.db.read_bytes() == content
    assert sorted(os.listdir(cli.db.parent)) == [cli.db.name]


def test_a_store_that_cannot_be(cli: Cli, tmp_path: Path) -> None:
    cli.at(tmp_path)("story", "list", code=3)
    cli.at(tmp_path / "no" / "such" / "k.db")("story", "list", code=3)
