"""`sync`, `rebuild`, `verify`, `backup`, `doctor`, `trace`, `demo`, and real processes."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kataribe.adapters.cross_encoder import reranker

if TYPE_CHECKING:
    from cli.conftest import Cli


def ids(cli: Cli, story: str) -> list[str]:
    rows = cli("cast", "list", "--story", story).table
    return [hit["id"] for row in rows for hit in cli.known(story, row[0], 99)["hits"]]


def tamper(cli: Cli, statement: str) -> None:
    with closing(sqlite3.connect(cli.db)) as store:
        done = store.execute(statement)
        store.commit()
        assert done.rowcount > 0


# -- sync and rebuild ----------------------------------------------------------------------


def test_sync_says_how_far_it_is_on_standard_error(cli: Cli) -> None:
    cli("story", "import", cli.sea_folder(), "--story", "海 1", "--embedder", "hash")
    ran = cli("sync")
    assert ran.out == ""
    assert "海 1: 4 of 4 episodes" in ran.err
    assert "4 episodes brought up, 6 texts embedded" in ran.err
    nothing = cli("sync", "--story", "海 1")
    assert nothing.out == ""
    assert "0 episodes brought up, 0 texts embedded" in nothing.err


def test_sync_of_one_story_leaves_the_others(cli: Cli) -> None:
    for story in ("a", "b"):
        cli("story", "import", cli.sea_folder(), "--story", story, "--embedder", "hash")
    cli("sync", "--story", "a")
    assert set(cli.states("a").values()) == {"in memory"}
    assert set(cli.states("b").values()) == {"pending"}
    cli("sync")
    assert set(cli.states("b").values()) == {"in memory"}


def test_sync_of_an_empty_store(cli: Cli) -> None:
    assert cli("sync").code == 0
    assert cli("rebuild").code == 0
    assert cli("verify").code == 0
    cli("story", "add", "s", "--embedder", "hash")
    cli("sync")
    assert cli("recall", "q", "--story", "s", "--as", "x", "--at", 3, "--json").object["hits"] == []


def test_rebuild_makes_the_same(cli: Cli) -> None:
    sea, isle = cli.sea(), cli.isle()
    cli("fact", "add", "--story", sea, "--episode", 2, "--text", "手。", "--known-by", "ミナ")
    cli.put(isle, 2, "Boris and Anna slept.")
    cli("sync")
    asked = [("灯台", sea, "ミナ", 5), ("赤い小舟", sea, "ハル ト", 9), ("key", isle, "anna", 4)]
    before = [cli.recall(*each) for each in asked], ids(cli, sea), ids(cli, isle), cli.facts(isle)
    ran = cli("rebuild")
    assert ran.out == ""
    assert ([cli.recall(*each) for each in asked], ids(cli, sea), ids(cli, isle), cli.facts(isle)) == before
    tamper(cli, "DELETE FROM memories")
    cli("verify", code=1)
    cli("rebuild", "--story", sea)
    cli("rebuild")
    assert ([cli.recall(*each) for each in asked], ids(cli, sea), ids(cli, isle), cli.facts(isle)) == before
    cli("verify")


# -- verify --------------------------------------------------------------------------------


def test_verify(cli: Cli) -> None:
    story = cli.sea()
    told = cli("verify", "--json").object
    assert told["ok"] is True
    assert told["problems"] == []
    assert told["episodes"] == 4
    assert told["memories"] == 7
    assert "sound" in cli("verify").out
    cli.put(story, 2, "別の文。")
    told = cli("verify", "--json").object
    assert told["ok"] is True
    assert told["pending"] == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories SET text = text || '!' WHERE fact_id = 's2'",
        "UPDATE memories SET holder = 'world' WHERE fact_id = 's2'",
        "UPDATE memories SET quote = 'x' WHERE fact_id = 's2'",
        "UPDATE memories SET position = position - 1 WHERE fact_id = 's6'",
        "UPDATE memories SET live = 0 WHERE fact_id = 's1'",
        "UPDATE segments SET hashes = zeroblob(length(hashes))",
        "UPDATE memories SET supersedes = 's2' WHERE fact_id = 's6'",
        "UPDATE memories SET importance = 1 WHERE fact_id = 's2'",
        "DELETE FROM memories WHERE fact_id = 's3' AND holder = 'ミナ'",
        "DELETE FROM memory_vectors",
        "UPDATE segments SET vectors = zeroblob(length(vectors))",
        "UPDATE episodes SET text = 'another text' WHERE no = 1",
        "UPDATE work SET fingerprint = 'x', wanted = 'x' WHERE unit = 'ep-2'",
        "UPDATE facts SET text = 'another' WHERE fact_id = 's1'",
        "UPDATE facts SET known_by = NULL WHERE fact_id = 's2'",
        "UPDATE episodes SET order_key = 1 WHERE no = 4",
        "UPDATE spaces SET embedder_id = 'hash-0'",
    ],
)
def test_verify_finds_what_somebody_changed_in_the_file(cli: Cli, statement: str) -> None:
    story = cli.sea()
    tamper(cli, statement)
    ran = cli("verify", "--json", code=1)
    assert ran.object["ok"] is False
    assert ran.object["problems"]
    assert cli("verify", "--story", story, code=1).out.startswith("NOT SOUND")


def test_a_store_broken_in_the_middle(cli: Cli) -> None:
    cli.sea()
    data = bytearray(cli.db.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 40_000] = b"\xa5" * len(data[middle : middle + 40_000])
    cli.db.write_bytes(bytes(data))
    for arguments in (
        ("verify",),
        ("story", "list"),
        ("sync",),
        ("rebuild",),
        ("doctor",),
        ("fact", "list", "--story", cli.SEA),
    ):
        ran = _any_code(cli, *arguments)
        assert ran in (0, 1, 3)
    assert _any_code(cli, "verify") in (1, 3)


def _any_code(cli: Cli, *arguments: object) -> int:
    ran = cli.bare("--db", cli.db, *arguments)
    assert "Traceback" not in ran.err
    return ran.code


def test_a_truncated_store(cli: Cli) -> None:
    cli.sea()
    cli.db.write_bytes(cli.db.read_bytes()[:20_000])
    for arguments in (("verify",), ("story", "list"), ("sync",)):
        assert _any_code(cli, *arguments) in (1, 3)


def test_a_store_of_a_newer_version(cli: Cli) -> None:
    cli.sea()
    tamper(cli, "UPDATE alembic_version SET version_num = '9999'")
    before = cli.db.read_bytes()
    for arguments in (("story", "list"), ("sync",), ("verify",)):
        assert "newer" in cli(*arguments, code=3).err
    assert cli.db.read_bytes() == before


# -- backup --------------------------------------------------------------------------------


def test_backup_is_usable_after_sync(cli: Cli, tmp_path: Path) -> None:
    story, isle = cli.sea(), cli.isle()
    cli("fact", "delete", cli.facts(isle)[0]["fact_id"], "--story", isle)
    file = tmp_path / "控え 1.db"
    assert cli("backup", file).out == ""
    other = cli.other(file.name)
    before = cli.recall("灯台", story, "ミナ", 9), cli.known(isle, "anna", 9), cli.inputs(isle)
    waiting = other.recall("灯台", story, "ミナ", 9)
    assert waiting["hits"] == []
    assert waiting["pending_episodes"] == [1, 2, 3, 4]
    other("sync")
    assert (
        other.recall("灯台", story, "ミナ", 9),
        other.known(isle, "anna", 9),
        other.inputs(isle),
    ) == before
    other("verify")
    cli("verify")


def test_a_backup_with_vectors_is_usable_at_once(cli: Cli, tmp_path: Path) -> None:
    story = cli.sea()
    file = tmp_path / "控え 2.db"
    assert "kataribe restore" in cli("backup", file, "--with-vectors").err
    other = cli.other(file.name)
    assert other.recall("灯台", story, "ミナ", 9) == cli.recall("灯台", story, "ミナ", 9)
    other("verify")


def test_backup_refuses_to_overwrite(cli: Cli, tmp_path: Path) -> None:
    cli.sea()
    file = cli.file("there.db", "precious")
    cli("backup", file, code=3)
    assert file.read_text() == "precious"
    cli("backup", cli.db, code=3)
    cli("backup", tmp_path, code=3)
    cli("backup", tmp_path / "no" / "such" / "b.db", code=3)
    cli("verify")


# -- doctor and trace ----------------------------------------------------------------------


def test_doctor(cli: Cli) -> None:
    told = cli("doctor")
    assert told.err == ""
    assert not cli.db.exists()
    for word in ("kataribe", "python", "chive", "wordllama", "hash", "model", "reranker"):
        assert word in told.out
    story = cli.sea()
    cli.put(story, 1, "x")
    assert re.search("1 episodes? pending", cli("doctor").out)


def _package(folder: Path, module: str, name: str, version: str) -> None:
    """Lay an importable package down, with what tells its version."""
    (folder / module).mkdir()
    (folder / module / "__init__.py").write_text("raise RuntimeError('the doctor imports nothing')\n")
    told = folder / f"{module}-{version}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_the_doctor_says_of_rerankers_what_is_there(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether torch and sentence-transformers can be imported, where the model is from, that none is used."""

    def told() -> dict[str, list[str]]:
        return {row[0]: row for row in cli("doctor").table}

    # What is installed beside the tests says nothing of what is looked for.
    hidden = {"torch", "sentence_transformers"}
    monkeypatch.setattr(reranker, "find_spec", lambda name: None if name in hidden else find_spec(name))
    rows = told()
    assert rows["reranker"][1] == "none is used unless one is named with --reranker"
    _, state, line = rows["reranker cross-encoder"]
    assert state.startswith(
        "cannot be used: sentence-transformers, torch cannot be imported; no package brings"
    )
    assert "comes from a hub" in state
    assert line == "pip install 'kataribe[torch]'"
    _package(tmp_path, "sentence_transformers", "sentence-transformers", "77.1")
    monkeypatch.syspath_prepend(tmp_path)
    hidden.remove("sentence_transformers")
    state, line = told()["reranker cross-encoder"][1:]
    assert state.startswith("cannot be used: torch cannot be imported;")
    assert line == "pip install 'kataribe[torch]'", "one of the two alone is of no use"
    _package(tmp_path, "torch", "torch", "88.2")
    hidden.remove("torch")
    state, line = told()["reranker cross-encoder"][1:]
    assert state.startswith(
        "sentence-transformers 77.1, torch 88.2 can be imported; no package brings its model"
    )
    assert reranker.MULTILINGUAL in state
    assert "comes from a hub or a folder" in state
    assert "pip" not in line


def test_doctor_on_a_foreign_file(cli: Cli) -> None:
    cli.db.write_bytes(b"no store")
    told = cli("doctor", code=1)
    assert "not a kataribe store" in told.out


def test_trace(cli: Cli) -> None:
    story = cli.sea()
    cli.recall("灯台の秘密の質問", story, "ミナ", 3)
    cli.known(story, "誰か", 2)
    (newest, before) = cli("trace", "--story", story, "--json").objects
    assert (newest["verb"], newest["character"], newest["episode_no"]) == ("known", "誰か", 2)
    assert (before["verb"], before["character"], before["episode_no"]) == ("recall", "ミナ", 3)
    assert len(before["ids"]) == 3
    assert len(cli("trace", "--story", story, "--last", 1, "--json").objects) == 1
    assert len(cli("trace", "--story", story).table) == 2
    cli("trace", "--story", story, "--last", 0, code=2)
    # A read at episode 1 reads nothing.
    cli.recall("灯台", story, "ミナ", 1)
    assert cli("trace", "--story", story, "--last", 1, "--json").object["slices"] == []


# -- processes -----------------------------------------------------------------------------


def process(
    *arguments: object, cwd: Path, stdin: bytes | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    env = {key: value for key, value in os.environ.items() if key != "KATARIBE_DB"}
    done = subprocess.run(
        [sys.executable, "-m", "kataribe", *(str(argument) for argument in arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**env, **(environment or {})},
        timeout=300,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done


def test_a_process_from_text_to_recall_in_a_bare_locale(tmp_path: Path) -> None:
    bare = {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "KATARIBE_DB": str(tmp_path / "店.db")}
    text = "ミナは灯台の鍵を隠した。\r\n絵文字 👩‍👧 \n".encode()
    steps: tuple[tuple[tuple[object, ...], bytes | None], ...] = (
        (("story", "add", "海 辺", "--language", "ja", "--embedder", "hash"), None),
        (("episode", "put", "--story", "海 辺", "--no", 1, "-"), text),
        (("sync",), None),
    )
    for arguments, data in steps:
        done = process(*arguments, cwd=tmp_path, stdin=data, environment=bare)
        assert done.returncode == 0, done.stderr
        assert done.stdout == b""
    assert (
        process("episode", "show", "--story", "海 辺", "--no", 1, cwd=tmp_path, environment=bare).stdout
        == text
    )
    asked = process(
        "recall",
        "鍵",
        "--story",
        "海 辺",
        "--as",
        "ミナ",
        "--at",
        2,
        "--json",
        cwd=tmp_path,
        environment=bare,
    )
    assert asked.returncode == 0
    assert json.loads(asked.stdout.decode())["hits"][0]["text"] == "ミナは灯台の鍵を隠した。"
    assert "ミナ".encode() in asked.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("recall", "q", "--story", "s", "--as", "a", "--at", "0"), 2),
        (("story", "show", "無い"), 3),
        (("doctor",), 0),
    ],
)
def test_exit_codes_of_processes(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    done = process(*arguments, cwd=tmp_path)
    assert done.returncode == code
    if code:
        assert done.stdout == b""
        assert len(done.stderr.splitlines()) == 1


def test_a_reader_who_stops_reading_is_no_error(cli: Cli, tmp_path: Path) -> None:
    cli.sea()
    done = subprocess.run(
        f"'{sys.executable}' -m kataribe --db kataribe.db fact list --story '{cli.SEA}' --json | true",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b""


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    done = process("demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    for word in ("chive", "wordllama", "rules", "reranker none"):
        assert word in said
    assert "NOT SOUND" not in said
    assert " 0 leaks" in said
    assert "[addressed 0.70] Ben told Cleo in the garden that the key was under the well stone." in said
    assert "audience evident: 0 sentences in review" in said
    assert "What is the capital of France? 0 of" in said
    assert said.count("an export, with a token good once") == 2
    assert said.count(", 404: there is nothing of that name for this key") == 2
    assert "openai: the models of this key are ['kataribe/lantern-isle@8/wren']" in said
    assert "an agent bound to 澪 has recall_memories, known: recall_memories gives" in said
    assert list(tmp_path.iterdir()) == []


def test_demo_leaves_a_file_that_is_there_alone(cli: Cli) -> None:
    file = cli.file("kept.db", "precious")
    cli("demo", "--keep", file, code=3)
    assert file.read_text() == "precious"
