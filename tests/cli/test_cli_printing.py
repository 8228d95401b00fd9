"""Whatever a text says, printing it commands no terminal and forges no line; JSON gives it back exactly."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.conftest import jsonl
from kataribe.domain.text.printable import printable, printable_json, printable_line
from kataribe.surfaces import cli as surface
from kataribe.surfaces.cli import keyboard as keys
from kataribe.surfaces.cli import review_card as shown
from kataribe.surfaces.cli.app import run

if TYPE_CHECKING:
    from cli.conftest import Cli

EVIL = (
    "鍵は砂の下。The key\x1b[2J\x1b]0;owned\x07 is\r9.999\x9b31m \u202egone\u2028below."
    "\n2. (episode 9) forged\tcell"
)
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
WHO = ("--story", "tale", "--as", "ada", "--at", 3)


class Terminal(io.TextIOWrapper):
    """Standard output or error as a terminal has it."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8")


@pytest.fixture
def tale(cli: Cli) -> Cli:
    """A story and a log in which every text, title, name, speaker, session and caption is hostile."""
    folder = cli.folder(
        "tale",
        episodes=[
            {"episode_no": 1, "title": EVIL, "text": f"{EVIL}\nThe well is dry. 井戸は涸れた。"},
            {"episode_no": 2, "title": "two", "text": "Nothing."},
        ],
        facts=[
            {"fact_id": "f1", "episode_no": 1, "text": EVIL, "visibility": "public", "known_by": []},
            {
                "fact_id": "f2",
                "episode_no": 1,
                "text": f"Ada's {EVIL}",
                "visibility": "secret",
                "known_by": ["ada"],
            },
            {
                "fact_id": "f3",
                "episode_no": 2,
                "text": "ok",
                "supersedes": "f1",
                "known_by": ["ada"],
                "quote": EVIL,
            },
        ],
    )
    (folder / "cast.json").write_text(
        jsonl([{"characters": [{"id": "ada", "name": f"Ada {EVIL}"}, {"id": "bo", "name": "Bo"}]}]), "utf-8"
    )
    cli.take_in(folder, "tale")
    rows = [
        {"session": "s\x1b[1m", "speaker": f"ann{EVIL[:30]}", "id": "t1", "text": EVIL, "caption": EVIL,
         "time": "2024-01-01T00:00Z"},
        {"session": "s\x1b[1m", "speaker": "bob", "id": "t2", "text": "はい", "time": "2024-01-01T00:01Z"},
    ]  # fmt: skip
    cli("log", "import", cli.file("log.jsonl", jsonl(rows)), "--user", "u", "--embedder", "hash")
    return cli


COMMANDS: tuple[tuple[object, ...], ...] = (
    ("recall", "the key 鍵", *WHO),
    ("recall", "the key 鍵", *WHO, "--explain"),
    ("known", *WHO),
    ("recall", "the key 鍵", "--user", "u"),
    ("recall", "the key 鍵", "--user", "u", "--explain"),
    ("known", "--user", "u"),
    ("context", "the key\x1b[2J 鍵", *WHO, "--style", EVIL),
    ("answer", "the key 鍵", *WHO),
    ("answer", "the key 鍵", "--user", "u"),
    ("matrix", "--story", "tale"),
    ("diff", "--story", "tale", "--as", "ada", "--against", "bo"),
    ("why", "f2", "--story", "tale", "--as", "bo", "--at", 3),
    ("why", "--text", "key", "--story", "tale", "--as", "bo", "--at", 3),
    ("timeline", "f1", "--story", "tale"),
    ("check", "--story", "tale"),
    ("story", "list"),
    ("story", "show", "tale"),
    ("cast", "list", "--story", "tale"),
    ("cast", "show", "ada", "--story", "tale"),
    ("episode", "list", "--story", "tale"),
    ("episode", "history", "--story", "tale", "--no", 1),
    ("fact", "list", "--story", "tale"),
    ("fact", "review", "--story", "tale", "--list"),
    ("log", "list", "--user", "u"),
    ("log", "show", "--user", "u", "--turn", "t1", "--around", 1),
    ("log", "search", "key", "--user", "u"),
    ("trace", "--story", "tale"),
    ("undo", "--story", "tale", "--list"),
    ("work", "list"),
    ("verify",),
    ("recall", "x", "--story", EVIL, "--as", "ada", "--at", 1),
    ("recall", "x", "--story", "tale", "--as", EVIL, "--at", 1),
    ("recall", "x", *WHO, "--planner", EVIL),
    ("recall", "x", *WHO, "--filter", EVIL),
    (EVIL,),
)


def test_nothing_that_is_printed_commands_a_terminal(tale: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "200")
    harmed: list[object] = []
    for asked in COMMANDS:
        given = ["--db", str(tale.db), *map(str, asked)]
        piped = tale.bare(*given)
        out, err = Terminal(), Terminal()
        with redirect_stdout(out), redirect_stderr(err):
            run(given)
        assert out.shown + err.shown, asked
        harmed += [asked for said in (piped.out, piped.err, out.shown, err.shown) if HARMFUL.search(said)]
    assert harmed == []


def test_no_text_forges_a_row_of_a_table(tale: Cli) -> None:
    assert len(tale("known", *WHO).table) == 2
    assert len(tale("log", "list", "--user", "u").table) == 2
    assert {len(row) for row in tale("log", "list", "--user", "u").table} == {6}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\u2028", "\x0b"])
def test_no_turn_forges_another_in_what_is_shown(cli: Cli, line_end: str) -> None:
    text = f"Hello. こんにちは{line_end}== t9 bob, 2024-01-01T00:00:00+00:00, session 1 =={line_end}Yes."
    row = {"session": "1", "speaker": "ann", "id": "t1", "text": text, "time": "2024-01-01T00:00Z"}
    cli("log", "import", cli.file("log.jsonl", jsonl([row])), "--user", "u", "--embedder", "hash")
    said = cli("log", "show", "--user", "u", "--turn", "t1")
    assert [line for line in said.out.splitlines() if line.startswith("==")] == [
        "== t1 ann, 2024-01-01T00:00:00+00:00, session 1 =="
    ]
    assert cli("log", "show", "--user", "u", "--turn", "t1", "--json").object["text"] == text


def test_json_is_exact(tale: Cli) -> None:
    assert tale.fact("tale", "f1")["text"] == EVIL
    assert tale("log", "show", "--user", "u", "--turn", "t1", "--json").object["text"] == EVIL
    found = tale("answer", "the key 鍵", *WHO, "--json")
    assert f"Ada's {EVIL}" in [item["text"] for item in found.object["used"]]
    assert not HARMFUL.search(found.out)
    episode = tale("episode", "show", "--story", "tale", "--no", 1)
    assert episode.out == f"{EVIL}\nThe well is dry. 井戸は涸れた。"


def test_a_page_of_html_holds_no_harmful_sign(tale: Cli) -> None:
    page = tale("matrix", "--story", "tale", "--html").out
    assert "鍵は砂の下" in page
    assert not HARMFUL.search(page)


def test_the_walk_of_a_review_shows_texts_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "dumb")
    shown.say(f"  1  {EVIL}", "green")
    assert not HARMFUL.search(terminal.shown)
    assert terminal.shown.count("\n") <= 4  # folded at the screen's edge, no line of the text's own
    assert not re.search(r"^2\. ", terminal.shown, re.MULTILINE)
    assert keys.ESCAPE not in terminal.shown


@pytest.mark.parametrize("write", [printable, printable_line, printable_json])
def test_ordinary_text_is_printed_as_it_is(write: Callable[[str], str]) -> None:
    for text in ("普通の文。「はい」と言った。", "葛󠄀飾区 👩‍👩‍👧 ｶﾞ", "naïve C:\\n <b>[m1]</b>", ""):
        assert write(text) == text


def test_only_one_module_prints() -> None:
    """What is printed elsewhere would not be made harmless."""
    folder = Path(str(surface.__file__)).parent
    found = [
        f"{file.name}:{node.lineno}"
        for file in sorted(folder.glob("*.py"))
        if file.name != "output.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and re.fullmatch(
            r"print|(?:rich\.text\.)?Text(?:\.\w+)?|Console|typer\.echo|typer\.secho|sys\.std\w+(?:\.buffer)?\.write\w*",
            ast.unparse(node.func),
        )
    ]
    assert found == []
