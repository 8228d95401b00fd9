"""What a command loads: it is what makes a short command long, and counts the same on a busy machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import kataribe.__main__
from kataribe.surfaces.cli.commands import LISTED, PARTS
from support.stores import services

if TYPE_CHECKING:
    from cli.conftest import Cli

TEXT = """\
[[known-by: public]] The silver key of the well is lost.

[[known-by: ada]] 井戸の銀の鍵を隠したのはエイダだ。
"""

COMPLETE = f"_{'kataribe'.upper()}_COMPLETE"
"""Where a shell says what it wants to be completed."""
HEAVY = ("numpy", "sqlalchemy", "alembic", "pydantic", "rich", "pydantic_ai", "tokenizers", "sudachipy")
"""What takes long to load."""

RUN = """
import sys
import kataribe.__main__
from kataribe.surfaces.cli.app import run
code = run(sys.argv[1:])
ours = sorted(name for name in sys.modules if name.startswith("kataribe."))
print(code, *[name for name in {heavy!r} if name in sys.modules], "/", *ours, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loading") / "k.db"
    with kataribe.open(str(path), services=services()) as opened:
        story = opened.story("s")
        story.create(language="en", embedder="hash")
        story.cast.add(kataribe.Character(character_id="ada"))
        story.episodes.put(1, TEXT)
        story.sync()
        opened.user("u").create(language="en", embedder="hash")
        opened.user("u").said("I live by the harbour.", speaker="u", persona="ada")
    return path


def loaded(*command: object) -> tuple[set[str], set[str]]:
    """Run a command in a process of its own: what it loaded of what is heavy, and of ours."""
    code = RUN.format(heavy=HEAVY)
    ran = subprocess.run(
        [sys.executable, "-c", code, *map(str, command)], capture_output=True, text=True, check=True
    )
    (last,) = ran.stderr.splitlines()[-1:]
    heavy, _, ours = last.partition(" / ")
    said = heavy.split()
    assert said[0] == "0", ran.stderr
    return set(said[1:]), set(ours.split())


def test_help_loads_no_command_and_no_engine() -> None:
    heavy, ours = loaded("--help")
    assert heavy == set()
    assert len(ours) < 30, ours
    listed = {one.module for one in LISTED}
    assert not ours & (listed | {"kataribe.engine", "kataribe.ports", "kataribe.wiring"})


def test_help_of_a_command_loads_that_command_alone() -> None:
    heavy, ours = loaded("recall", "--help")
    assert heavy == set()
    assert ours & {one.module for one in LISTED} == {"kataribe.surfaces.cli.recall"}
    assert "kataribe.engine" not in ours


@pytest.mark.parametrize(
    "command",
    [
        ("story", "list"),
        ("episode", "show", "--story", "s", "--no", "1"),
        ("matrix", "--story", "s"),
        ("known", "--story", "s", "--as", "ada", "--at", "2"),
        ("trace", "--story", "s", "--last", "3"),
        ("privacy", "show", "--user", "u"),
    ],
    ids=lambda command: command[0],
)
def test_what_reads_and_embeds_nothing_loads_neither_arrays_nor_a_toolkit_of_sql(
    store: Path, command: tuple[str, ...]
) -> None:
    heavy, ours = loaded("--db", store, *command)
    assert heavy == set()
    assert "kataribe.engine" in ours
    assert not {one for one in ours if one.startswith("kataribe.adapters.rules.") and "extractor" not in one}


def test_a_scan_for_personal_data_loads_nothing_heavy(tmp_path: Path) -> None:
    text = tmp_path / "said.txt"
    text.write_text("jane@example.com", encoding="utf-8")
    assert loaded("privacy", "scan", text, "--language", "en", "--json")[0] == set()


def test_a_question_loads_arrays_and_nothing_to_migrate_with(store: Path) -> None:
    asked = ("--story", "s", "--as", "ada", "--at", "2")
    heavy, ours = loaded("--db", store, "recall", "Where is the key?", *asked)
    assert heavy == {"numpy"}
    assert "kataribe.adapters.rules.planner" in ours
    assert "kataribe.adapters.sql.schema" not in ours


def test_a_text_that_is_put_and_remembered_migrates_nothing(store: Path, tmp_path: Path) -> None:
    text = tmp_path / "two.txt"
    text.write_text("Bo found a boot.\n", encoding="utf-8")
    assert loaded("--db", store, "episode", "put", text, "--story", "s", "--no", 2)[0] <= {"numpy"}
    assert loaded("--db", store, "sync", "--story", "s")[0] == {"numpy"}


def test_the_help_text_lists_every_command_once_in_its_part(cli: Cli) -> None:
    shown = cli.bare("--help").out
    parts = [line.removesuffix(":") for line in shown.splitlines() if line.endswith(":")]
    assert parts[parts.index("Options") + 1 :] == list(PARTS)
    names = [one.name for one in LISTED]
    assert len(set(names)) == len(names)
    for one in LISTED:
        assert f"  {one.name} " in shown
        assert one.help in shown, "it stands on one line"


def test_every_command_that_is_listed_can_be_called_for_help(cli: Cli) -> None:
    for one in LISTED:
        ran = cli.bare(one.name, "--help")
        assert (ran.code, ran.err) == (0, ""), one
        assert ran.out.startswith(f"Usage: kataribe {one.name} "), one


def test_a_misspelt_command_is_told_the_nearest(cli: Cli) -> None:
    assert "Did you mean 'recall'?" in cli("recal", "x", code=2).err
    assert "Did you mean 'list'?" in cli("story", "lst", code=2).err


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("episode", "put", "-", "--story", "s", "--at", 3), "there is no --at here; did you mean --no?"),
        (("fact", "add", "--story", "s", "--no", 3), "there is no --no here; did you mean --episode?"),
        (("known", "--story", "s", "--persona", "a"), "there is no --persona here; did you mean --as?"),
        (("recall", "鍵", "--story", "s", "--filtre", "{}"), "--filter"),
    ],
)
def test_an_option_of_another_command_is_told_as_what_it_is_here(
    cli: Cli, command: tuple[object, ...], meant: str
) -> None:
    assert meant in cli(*command, code=2).err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_a_script_that_completes(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `--show-completion` prints; which shell it is, is said here and not guessed."""
    code = "import sys, kataribe.__main__ as k; sys.argv[0] = 'kataribe'; k.main()"
    monkeypatch.setenv(COMPLETE, f"source_{shell}")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert COMPLETE in ran.stdout
    assert "kataribe" in ran.stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("kataribe re", ["remember", "recall", "rebuild", "reembed", "restore"]),
        ("kataribe story ex", ["export"]),
        ("kataribe --pol", ["--policy"]),
        ("kataribe recall --expl", ["--explain"]),
    ],
)
def test_a_word_is_completed(words: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, kataribe.__main__ as k; sys.argv[0] = 'kataribe'; k.main()"
    monkeypatch.setenv(COMPLETE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == found


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (("--at", "0"), "0"),
        (("--at", "三"), "三"),
        (("--at", "2", "--top-k", "0"), "top-k"),
        (("--at", "2", "--top-k", "1001"), "top-k"),
        (("--at", "2", "--top-k", "１０"), "top-k"),
        (("--at", "2", "--top-k", "-3"), "top-k"),
        (("--at", "2", "--top-k", "3"), None),
    ],
)
def test_numbers_are_read_and_refused_as_the_parser_does(
    cli: Cli, store: Path, given: tuple[str, ...], wrong: str | None
) -> None:
    ran = cli.bare("--db", store, "recall", "鍵", "--story", "s", "--as", "ada", *given)
    assert ran.code == (0 if wrong is None else 2), ran.err
    assert wrong is None or wrong in ran.err
