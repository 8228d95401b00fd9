"""`kataribe kb`: documents are added, shown, searched, replaced and removed; what is refused says why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.documents import pdf

if TYPE_CHECKING:
    from cli.conftest import Cli

SAID = {
    "ja": ("規程.md", "# 返品\n\n返品は購入から七日以内に受け付ける。\n", "返品はいつまで？", "返品"),
    "en": (
        "rules.md",
        "# Returns\n\nReturns are taken for seven days.\n",
        "How long for returns?",
        "Returns",
    ),
}


@pytest.fixture(params=["ja", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def write(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_library_is_told_to_programs(cli: Cli, folder: Path, language: str) -> None:
    name, text, question, heading = SAID[language]
    made = cli("kb", "create", "rules", "--embedder", "hash", "--json").object
    assert (made["id"], made["language_told"], made["embedder"]) == ("rules", False, "hash")
    file = write(folder, name, text)
    added = cli("kb", "add", "rules", file, "--json").object
    assert (added["ok"], added["document"], added["version"], added["passages"]) == (True, name, 1, 1)
    again = cli("kb", "add", "rules", file, "--json").object
    assert (again["unchanged"], again["version"], again["replaced"]) == (True, 1, 1)
    (state,) = cli("kb", "list", "--json").objects
    assert (state["language"], state["documents"], state["passages"], state["pending"]) == (language, 1, 1, 0)
    (document,) = cli("kb", "show", "rules", "--json").objects
    assert (document["document"], document["characters"], document["pages"]) == (name, len(text), None)
    found = cli("kb", "search", question, "--library", "rules", "--json").object
    (hit,) = found["hits"]
    assert (hit["document"], hit["headings"], hit["page"], hit["version"]) == (name, [heading], None, 1)
    assert hit["text"] in text
    (trace,) = cli("trace", "--library", "rules", "--json").objects
    assert (trace["verb"], trace["library"]) == ("search_library", "rules")
    checked = cli("verify", "--json").object
    assert (checked["ok"], checked["libraries"], checked["documents"]) == (True, 1, 1)


def test_people_read_what_became_of_each_file(cli: Cli, folder: Path, language: str) -> None:
    name, text, question, heading = SAID[language]
    cli("kb", "create", "rules", "--language", language, "--embedder", "hash")
    file = write(folder, name, text)
    assert cli("kb", "add", "rules", file).err == f"{name}: added, version 1, 1 passage\n"
    assert cli("kb", "add", "rules", file).err == f"{name} is stored already as version 1; nothing to do\n"
    write(folder, name, text + "\n## B\n\nb\n")
    assert cli("kb", "add", "rules", file).err == f"{name}: version 1 replaced, version 2, 2 passages\n"
    rows = cli("kb", "search", question, "--library", "rules").table
    assert rows[0][1:4] == [name, "2", heading]
    assert [row[:5] for row in cli("kb", "show", "rules").table] == [[name, "2", str(len(text) + 9), "", "2"]]
    assert cli("kb", "list").table == [["rules", language, "hash", "1", "2", "0"]]
    assert cli("kb", "remove", "rules", name).err == f"removed {name} from rules\n"
    assert cli("kb", "search", question, "--library", "rules").table == []
    assert cli("kb", "delete", "rules").err == "deleted rules\n"
    assert cli("kb", "list").table == []


def test_one_refused_file_leaves_the_others_and_the_old_version(cli: Cli, folder: Path) -> None:
    cli("kb", "create", "rules", "--embedder", "hash")
    cli("kb", "add", "rules", write(folder, "a.pdf", pdf([["Returns are taken for seven days."]])))
    files = [
        write(folder, "a.pdf", pdf([[]])),
        write(folder, "b.txt", "Ask the manager."),
        write(folder, "c.xlsx", "x"),
        write(folder, "d.txt", "社員は休暇を取る。".encode("cp932")),
        folder / "missing.txt",
    ]
    done = cli("kb", "add", "rules", *files, code=1)
    lines = done.err.splitlines()
    assert [line.startswith("error: ") for line in lines] == [True, False, True, True, True]
    assert "a.pdf: there is no text in it: it is a scan" in lines[0]
    assert lines[1] == "b.txt: added, version 1, 1 passage"
    assert ".txt, .md, .html, .pdf, .docx" in lines[2]
    assert "--encoding shift_jis" in lines[3]
    assert "missing.txt" in lines[4]
    assert [row[:2] for row in cli("kb", "show", "rules").table] == [["a.pdf", "1"], ["b.txt", "1"]]
    (hit, *_) = cli("kb", "search", "returns", "--library", "rules", "--json").object["hits"]
    assert (hit["text"], hit["page"]) == ("Returns are taken for seven days.", 1)
    assert cli("kb", "add", "rules", files[3], "--encoding", "shift_jis").err.startswith("d.txt: added")
    refused, kept = cli("kb", "add", "rules", files[0], files[1], "--json", code=1).objects
    assert (refused["ok"], refused["version"], kept["unchanged"]) == (False, None, True)
    assert "scan" in refused["error"]
    assert "scan" in cli("kb", "add", "rules", files[0], code=3).err


def test_a_scanned_page_is_warned_of(cli: Cli, folder: Path) -> None:
    cli("kb", "create", "rules", "--embedder", "hash")
    done = cli("kb", "add", "rules", write(folder, "a.pdf", pdf([["Ask the manager."], []])))
    assert "warning: a.pdf: there is no text on page 2" in done.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("kb", "add", "nobody", "FILE"), "there is no library 'nobody'"),
        (("kb", "show", "nobody"), "there is no library 'nobody'"),
        (("kb", "search", "x", "--library", "nobody"), "there is no library 'nobody'"),
        (("kb", "search", " ", "--library", "rules"), "must not be empty"),
        (("kb", "search", "x", "--library", "rules", "--top-k", "0"), "top_k"),
        (("kb", "remove", "rules", "a.txt"), "has no document 'a.txt'"),
        (("kb", "delete", "nobody"), "there is no library 'nobody'"),
        (("kb", "create", "rules"), "there is a library 'rules' already"),
        (("kb", "create", "a:b"), "not allowed in an id"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    cli: Cli, folder: Path, command: tuple[str, ...], said: str
) -> None:
    cli("kb", "create", "rules", "--embedder", "hash")
    file = write(folder, "a.txt", "x")
    done = cli(*(str(file) if word == "FILE" else word for word in command), code=3)
    assert said in done.err
    assert done.err.count("\n") == 1


def test_upkeep_covers_libraries(cli: Cli, folder: Path) -> None:
    cli("kb", "create", "rules", "--embedder", "hash", "--language", "en")
    cli("kb", "add", "rules", write(folder, "a.txt", "Ask the manager."))
    before = cli("kb", "search", "manager", "--library", "rules", "--json").object["hits"]
    assert "1 libraries, 1 documents (0 pending)" in cli("verify", "--library", "rules").out
    assert "1 document remembered" in cli("rebuild", "--library", "rules").err
    assert cli("rebuild", "--json").objects[0]["documents"] == 1
    assert cli("kb", "search", "manager", "--library", "rules", "--json").object["hits"] == before
    assert (
        "library rules: 1 text embedded"
        in cli("reembed", "--library", "rules", "--embedder", "wordllama").err
    )
    assert cli("verify", "--json").object["ok"]
    assert cli("sync", "--library", "rules").err == "0 documents remembered, 0 texts embedded\n"
    assert cli("work", "list", "--library", "rules").err == "nothing to do: memory is up to the texts\n"
    copy = folder / "copy.db"
    cli("backup", copy)
    restored = ("--db", copy)
    assert cli(*restored, "kb", "search", "manager", "--library", "rules").table == []
    assert cli(*restored, "work", "list", "--json").object["library"] == "rules"
    cli(*restored, "sync")
    assert [
        hit["text"]
        for hit in cli(*restored, "kb", "search", "manager", "--library", "rules", "--json").object["hits"]
    ] == ["Ask the manager."]
    assert any("library rules" in line for line in cli("doctor").out.splitlines())
