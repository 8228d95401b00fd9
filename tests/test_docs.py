"""The docs are run: every example, every pasted help text, every name, link and anchor.

Blocks of a document run in order in one temporary folder:

- ```` ```console ````: `$ kataribe ...` and other shell lines; what stands below a command is
  the output expected of it (`...` stands for any lines, or inside a line for any words);
- ```` ```python ````: one namespace per document; `#>` lines hold what the block prints;
- ```` ```json file=NAME ```` (or any other language): is written to the file NAME.

`KATARIBE_WRITE_DOCS=1 pytest tests/test_docs.py` brings the pasted parts up to date.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.main import get_command

import kataribe
from kataribe import errors
from kataribe.__main__ import app
from kataribe.domain import filters
from kataribe.domain.story.derive import FILTER_FIELDS
from kataribe.domain.story.inputs import NameKind
from kataribe.surfaces.cli import app as cli

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference.md"
READMES = (ROOT / "README.md", ROOT / "README.ja.md")
PAGES = (*READMES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
IS_WRITING = os.environ.get("KATARIBE_WRITE_DOCS") == "1"

_BLOCK = re.compile(r"^```(?P<language>\w+)(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_PASTED = re.compile(
    r"<!-- paste: (?P<what>[^>]+?) -->\n```text\n(?P<text>.*?)```\n<!-- /paste -->", re.DOTALL
)
_HEADING = re.compile(r"^(?P<level>#{1,6}) (?P<text>.+)$", re.MULTILINE)
_SCORE = re.compile(r"\b[01]\.\d{3,6}\b")
"""Another release of an embedder may move a score by a little."""
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def without_blocks(text: str) -> str:
    """Blank out the code blocks, so that a comment in one is no heading; every place stays the same."""
    return _BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)


def section(text: str, heading: str) -> str:
    """Give what stands below a heading, up to the next one of its level or above."""
    headings = list(_HEADING.finditer(without_blocks(text)))
    at = next(place for place, match in enumerate(headings) if match["text"] == heading)
    ends = [
        match.start() for match in headings[at + 1 :] if len(match["level"]) <= len(headings[at]["level"])
    ]
    return text[headings[at].end() : ends[0] if ends else len(text)]


# -- examples ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    """A shell line of a console block, and the lines expected of it."""

    line: str
    expected: tuple[str, ...]


def commands(body: str) -> Iterator[Command]:
    """Take a console block apart; `> ` goes on with the line above."""
    line: str | None = None
    expected: list[str] = []
    for written in body.splitlines():
        if written.startswith("$ "):
            if line is not None:
                yield Command(line, tuple(expected))
            line, expected = written[2:], []
        elif written.startswith("> ") and line is not None and not expected:
            line = f"{line}\n{written[2:]}"
        else:
            expected.append(written)
    assert line is not None, "a console block needs a line that begins with `$ `"
    yield Command(line, tuple(expected))


def is_plain(line: str) -> bool:
    """Whether a line calls kataribe and asks nothing of a shell."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    words = list(reader)
    asked_of_shell = "$" in re.sub("'[^']*'", "", line) or any(set(word) <= set("|<>&;()") for word in words)
    return words[0] == "kataribe" and not asked_of_shell


class _Screen(io.TextIOWrapper):
    """A terminal as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def said(line: str, folder: Path) -> tuple[int, str]:
    """Run a shell line, plain ones in this process; give the exit code and all that was said."""
    if is_plain(line):
        shown = io.BytesIO()
        screen = _Screen(shown, encoding="utf-8", write_through=True)
        notes = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(notes):
            code = cli.run(shlex.split(line)[1:])
        return code, shown.getvalue().decode("utf-8")
    ours = f'kataribe() {{ "{sys.executable}" -m kataribe "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", ours + line],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8")


def is_as(expected: tuple[str, ...], got: list[str]) -> bool:
    """Whether the lines are those expected, `...` standing for what may differ."""
    parts = []
    expected = tuple(_SCORE.sub("0.000", line) for line in expected)
    got = [_SCORE.sub("0.000", line) for line in got]
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r".*?".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ ]*\n")
    return re.fullmatch("".join(parts), "".join(f"{line.rstrip()}\n" for line in got)) is not None


def run_console(body: str, folder: Path, where: str) -> None:
    for command in commands(body):
        code, output = said(command.line, folder)
        got = output.rstrip("\n").splitlines()
        while got and not got[0].strip():
            got.pop(0)
        expected = "\n".join(command.expected).strip("\n").splitlines()
        is_refused = any(line.startswith("error:") for line in expected)
        assert (code == 0) is not is_refused, f"{where}: `{command.line}` left with {code}:\n{output}"
        if expected:
            assert is_as(tuple(expected), got), f"{where}: `{command.line}` said:\n{output}"


def run_python(body: str, names: dict[str, object], where: str) -> None:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(body, where, "exec"), names)
    expected = [line.removeprefix("#>").strip() for line in body.splitlines() if line.startswith("#>")]
    got = [line.strip() for line in shown.getvalue().splitlines()]
    assert is_as(tuple(expected), got), f"{where}: printed\n{shown.getvalue()}"


def is_example(page: Path) -> bool:
    return any(block["language"] in ("console", "python") for block in _BLOCK.finditer(text_of(page)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader has it: the stories of a checkout, and nothing else."""
    shutil.copytree(ROOT / "src" / "kataribe" / "stories", tmp_path / "src" / "kataribe" / "stories")
    monkeypatch.chdir(tmp_path)
    for name in ("KATARIBE_DB", "KATARIBE_BUSY_SECONDS", "KATARIBE_DURABILITY", "KATARIBE_ARENA_BYTES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": "80", "TERM": "dumb", "PYTHONUTF8": "1"}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if is_example(page)], ids=named)
def test_every_example_runs_and_says_what_is_written_below_it(page: Path, folder: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    text = text_of(page)
    for block in _BLOCK.finditer(text):
        where = f"{named(page)}:{text.count(chr(10), 0, block.start()) + 1}"
        info = block["info"].strip()
        if info.startswith("file="):
            file = folder / info.removeprefix("file=")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["body"], encoding="utf-8")
        elif block["language"] == "console":
            run_console(block["body"], folder, where)
        elif block["language"] == "python":
            run_python(block["body"], names, where)


# -- what is pasted ------------------------------------------------------------------------


def command_paths() -> dict[str, tuple[str, ...]]:
    """Every command that does something, by its name: `story import` -> ("story", "import")."""
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[tuple[tuple[str, ...], object]] = [((), get_command(app))]
    while waiting:
        path, command = waiting.pop()
        below: Mapping[str, object] | None = getattr(command, "commands", None)
        if below is None:
            found[" ".join(path)] = path
        else:
            waiting += [((*path, name), each) for name, each in below.items()]
    return found


def help_of(path: tuple[str, ...]) -> str:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        assert cli.run([*path, "--help"]) == 0
    return "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines()) + "\n"


def error_tree() -> str:
    drawn = (errors.__doc__ or "").split("::\n", 1)[1]
    return "\n".join(line.removeprefix("    ") for line in drawn.strip("\n").splitlines()) + "\n"


def pasted(what: str) -> str:
    """What belongs between the markers `<!-- paste: WHAT -->` and `<!-- /paste -->`."""
    if what == "errors":
        return error_tree()
    return help_of(tuple(what.removeprefix("help").split()))


@pytest.fixture
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")


@pytest.mark.usefixtures("_wide")
def test_pasted_parts_are_up_to_date() -> None:
    text = text_of(REFERENCE)

    def brought_up(found: re.Match[str]) -> str:
        what = found["what"]
        return f"<!-- paste: {what} -->\n```text\n{pasted(what)}```\n<!-- /paste -->"

    current = _PASTED.sub(brought_up, text)
    if IS_WRITING:
        REFERENCE.write_text(current, encoding="utf-8")
    assert text == current or IS_WRITING, "run KATARIBE_WRITE_DOCS=1 pytest tests/test_docs.py"


def test_every_command_has_a_section_with_its_help() -> None:
    text = text_of(REFERENCE)
    helps = {f"help {name}" for name in command_paths()} | {"help"}
    assert {found["what"] for found in _PASTED.finditer(text)} == helps | {"errors"}
    headings = Counter(match["text"] for match in _HEADING.finditer(without_blocks(text)))
    for name in command_paths():
        assert headings[f"kataribe {name}"] == 1, name
        assert f"<!-- paste: help {name} -->" in section(text, f"kataribe {name}"), name


# -- what is named -------------------------------------------------------------------------


def test_every_public_name_is_in_the_reference() -> None:
    text = section(text_of(REFERENCE), "The Python face")
    missing = [name for name in kataribe.__all__ if f"`{name}`" not in text]
    assert missing == []


def test_every_verb_of_the_face_is_in_the_reference() -> None:
    text = section(text_of(REFERENCE), "Handles and verbs")
    handles = [kataribe.Kataribe, kataribe.Chat]
    names = [name for name in kataribe.__all__ if re.match(r"(?!Async)\w+Handle$", name)]
    handles += [getattr(kataribe, name) for name in names]
    verbs = {name for kind in handles for name in vars(kind) if not name.startswith("_")}
    missing = [name for name in verbs - {"story_id", "user_id", "library_id"} if f"`{name}`" not in text]
    assert missing == []


def test_every_error_is_drawn() -> None:
    text = section(text_of(REFERENCE), "Errors")
    classes = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.KataribeError)
    ]
    assert [name for name in classes if name not in text] == []
    assert set(classes) <= set(kataribe.__all__)


def test_every_exit_code_is_in_the_reference() -> None:
    text = section(text_of(REFERENCE), "Exit codes")
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert told == {0, cli.EXIT_CHECK, cli.EXIT_USAGE, cli.EXIT_REFUSED, cli.EXIT_CRASHED, cli.EXIT_STOPPED}


def test_every_environment_variable_is_in_the_reference() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    used = {name for file in sources for name in re.findall(r"KATARIBE_[A-Z_]+[A-Z]", text_of(file))}
    told = set(re.findall(r"`(KATARIBE_[A-Z_]+)`", section(text_of(REFERENCE), "Settings")))
    assert used <= told


def test_every_operator_and_field_of_filters_is_in_the_reference() -> None:
    text = section(text_of(REFERENCE), "Filters")
    with pytest.raises(kataribe.FilterError) as refused:
        filters.parse({"importance": {"$near": 4}})
    operators = re.findall(r"\$\w+", str(refused.value).split("the operators are", 1)[1])
    assert operators
    assert [
        name for name in (*operators, *sorted(FILTER_FIELDS - {"_extra"})) if f"`{name}`" not in text
    ] == []


def test_every_kind_of_name_is_in_the_reference() -> None:
    text = section(text_of(REFERENCE), "cast.json")
    assert [kind.value for kind in NameKind if f"`{kind.value}`" not in text] == []


# -- links ---------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    seen: Counter[str] = Counter()
    found: set[str] = set()
    for match in _HEADING.finditer(without_blocks(text_of(page))):
        slug = re.sub(r"[^\w\- ]", "", match["text"].lower()).replace(" ", "-")
        found.add(slug if not seen[slug] else f"{slug}-{seen[slug]}")
        seen[slug] += 1
    return found


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for match in _LINK.finditer(without_blocks(text_of(page))):
        target, _, anchor = match["target"].partition("#")
        if "://" in target:
            continue
        there = page if not target else (page.parent / target).resolve()
        assert there.exists(), f"{named(page)}: {match['target']}"
        assert there.is_relative_to(ROOT), f"{named(page)}: {match['target']}"
        if anchor:
            assert anchor in anchors(there), f"{named(page)}: {match['target']}"


def test_the_index_leads_to_every_page() -> None:
    linked = {
        match["target"].partition("#")[0] for match in _LINK.finditer(text_of(ROOT / "docs" / "index.md"))
    }
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= linked


def test_no_page_names_a_place_on_somebodys_machine() -> None:
    for page in PAGES:
        assert re.findall(r"(?<![\w.])/(?:home|tmp|Users|root|work)/\S*", text_of(page)) == [], named(page)


# -- two languages, one README -------------------------------------------------------------


def shape(page: Path) -> list[tuple[str, list[str]]]:
    """The commands and code blocks of a page without what differs by language: values and output."""
    found: list[tuple[str, list[str]]] = []
    for block in _BLOCK.finditer(text_of(page)):
        if block["language"] == "console":
            for command in commands(block["body"]):
                words = shlex.split(command.line)
                verb = words[: 1 + next((i for i, w in enumerate(words[1:]) if w.startswith("-")), 1)]
                found.append(("console", [*verb, *(word for word in words if word.startswith("--"))]))
        elif block["language"] == "text":
            found.append(("text", [line.partition("#")[0].rstrip() for line in block["body"].splitlines()]))
        else:
            found.append((block["language"], re.findall(r"\b(?:kataribe|memory)\.\w+", block["body"])))
    return found


def test_both_readmes_say_the_same() -> None:
    english, japanese = READMES
    levels = [
        [len(match["level"]) for match in _HEADING.finditer(without_blocks(text_of(page)))]
        for page in READMES
    ]
    assert levels[0] == levels[1]
    assert shape(english) == shape(japanese)
    targets = [[m["target"] for m in _LINK.finditer(without_blocks(text_of(page)))] for page in READMES]
    assert Counter(targets[0]) - Counter(targets[1]) <= Counter({"README.ja.md": 1})


def test_the_change_log_knows_this_version() -> None:
    assert f"## [{kataribe.__version__}]" in text_of(ROOT / "CHANGELOG.md")


def test_the_glossary_has_each_word_once() -> None:
    words = re.findall(r"^\| \*\*([^*]+)\*\*", text_of(REFERENCE.parent / "glossary.md"), flags=re.MULTILINE)
    assert len(words) > 100
    assert sorted(words) == sorted(set(words))
