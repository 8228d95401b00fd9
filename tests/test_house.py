"""The walls of the house that the import checker does not see."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import kataribe

HERE = Path(kataribe.__file__).parent
ROOT = HERE.parent.parent
MOST_METHODS = 15


def modules() -> Iterator[tuple[str, ast.Module, str]]:
    for file in sorted(HERE.rglob("*.py")):
        name = file.relative_to(HERE).as_posix()
        if "migrations/versions" not in name:
            text = file.read_text(encoding="utf-8")
            yield name, ast.parse(text), text


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for name, tree, _ in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield name, node


def is_method(node: ast.stmt) -> bool:
    """Whether it is something to be written, and not a value to be given."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return not any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)


def test_no_class_name_is_used_twice() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for name, node in classes():
        homes[node.name].add(name)
    assert {name: sorted(where) for name, where in homes.items() if len(where) > 1} == {}


def test_no_two_test_files_are_called_the_same() -> None:
    """Only one of them would be run."""
    names = Counter(file.name for file in Path(__file__).parent.rglob("test_*.py"))
    assert {name for name, count in names.items() if count > 1} == set()


def test_no_port_asks_for_more_than_fifteen_methods() -> None:
    asked = {
        f"{name}:{node.name}": sum(
            isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in node.body
        )
        for name, node in classes()
        if name.startswith("ports/") or any(ast.unparse(base).startswith("Protocol") for base in node.bases)
    }
    assert asked
    assert {port: count for port, count in asked.items() if count > MOST_METHODS} == {}


def test_only_one_module_writes_or_reads_the_name_of_a_space() -> None:
    spelled = re.compile(r"""["'](?:story|user|talk|kb):(?:["'{]|\{)""")
    found = [
        f"{name}:{number}"
        for name, _, text in modules()
        if name != "domain/space.py" and not name.startswith("testing/")
        for number, line in enumerate(text.splitlines(), start=1)
        if spelled.search(line)
    ]
    assert found == []


KNOWS_THE_KINDS = (
    "story/",
    "conversation/",
    "knowledge/",
    "domain/story/",
    "domain/conversation/",
    "domain/knowledge/",
    "agents/",
    "face/",
    "adapters/",
    "formats/",
    "surfaces/",
    "testing/",
    "bench/",
)
"""The rooms of one kind, what callers and files say (they name a story or a user), and the tables."""
OF_THEMSELVES = {"domain/space.py", "domain/gate.py"}
"""The values of an address and of a viewer, which look at what they hold."""
IDS = {"story", "story_id", "user", "user_id", "library_id", "is_talk"}
OF_A_KIND = {"Story", "User", "Library"}
NAMES_OF_KINDS = {"EXTRACT", "TURNS", "PASSAGES", "STORY", "TALK", "USER", "LIBRARY"}


def named_by(node: ast.expr) -> str:
    """Give the last name of `name`, `value.name` and `value.get("name")`."""
    match node:
        case (
            ast.Attribute(attr=name) | ast.Name(id=name) | ast.Call(args=[ast.Constant(value=str(name)), *_])
        ):
            return name
        case _:
            return ""


def asks_for_a_kind(node: ast.AST) -> bool:
    """Whether a condition or a name asks "a story or a user?"."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            both = [left, *others]
            compares = any(isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq | ast.In) for op in ops)
            nothing = any(isinstance(one, ast.Constant) and one.value is None for one in both)
            return compares and nothing and any(named_by(one) in IDS for one in both)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            return any(named_by(one) in OF_A_KIND for one in ast.walk(kinds) if isinstance(one, ast.expr))
        case ast.Attribute(value=ast.Name(id="SpaceType" | "WorkKind"), attr=name):
            return name in NAMES_OF_KINDS
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return named_by(test) in IDS
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return named_by(operand) in IDS
        case ast.BoolOp(op=ast.Or(), values=[_, ast.Constant(value="")]):
            return False
        case ast.BoolOp(values=values):
            return any(named_by(one) in IDS for one in values[:-1])
        case ast.comprehension(ifs=ifs):
            return any(named_by(one) in IDS for one in ifs)
        case _:
            return False


def test_a_question_for_the_kind_is_recognised() -> None:
    asked = (
        "if story_id is None: ...",
        "x = 1 if viewer.user is not None else 2",
        "isinstance(home, Story | User)",
        "isinstance(home, User)",
        "a if keys.get('story') is None else b",
        "work = WorkKind.TURNS",
        "if viewer.story: ...",
        "not user_id",
        "user or 'nobody'",
        "[one for one in spaces if one.story]",
        "if home.is_talk: ...",
    )
    assert [one for one in asked if not any(map(asks_for_a_kind, ast.walk(ast.parse(one))))] == []
    fine = (
        "if of is None: ...",
        "print(viewer.story or '')",
        "kind.open(view, story)",
        "isinstance(one, str)",
        "WorkKind.FEED",
    )
    assert [one for one in fine if any(map(asks_for_a_kind, ast.walk(ast.parse(one))))] == []


def test_nobody_but_the_kinds_and_the_face_asks_whether_it_is_a_story_or_a_user() -> None:
    asked = sorted(
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, tree, _ in modules()
        if not name.startswith(KNOWS_THE_KINDS) and name not in OF_THEMSELVES
        for node in ast.walk(tree)
        if asks_for_a_kind(node)
    )
    assert asked == []


STILL_OF_SQLITE = {
    "archives",
    "backups",
    "caches",
    "checkpoints",
    "ledger",
    "migrate",
    "queries",
    "segments",
    "undo",
}
"""What speaks to the driver beside `sqlite/`: named SQL, which another dialect would say otherwise."""


def imports_of(package: str) -> set[str]:
    """Name the modules that import a package, in any way."""
    return {
        name
        for name, tree, _ in modules()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(one.name.split(".")[0] == package for one in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package)
    }


def test_the_driver_of_sqlite_stays_under_its_adapter() -> None:
    found = imports_of("sqlite3")
    strangers = {name for name in found if not name.startswith(("adapters/sql/", "bench/"))}
    own_file = {"adapters/sealing/schema.py", "adapters/sealing/store.py"}
    assert strangers == {"doctor.py"} | own_file
    beside = {name for name in found if name.startswith("adapters/sql/")}
    beside = {name for name in beside if not name.startswith("adapters/sql/sqlite/")}
    assert beside <= {f"adapters/sql/{name}.py" for name in STILL_OF_SQLITE}
    assert any(name.startswith("adapters/sql/sqlite/") for name in found)


def test_the_plan_in_contributing_names_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    plan = text[text.index("src/kataribe/") : text.index("```", text.index("src/kataribe/"))]
    rooms = {
        one.name.removesuffix(".py")
        for one in HERE.iterdir()
        if (one.is_dir() or one.suffix == ".py") and not one.name.startswith(("_", "."))
    }
    missing = {room for room in rooms if not re.search(rf"\b{room}(?:/|\.py|\b)", plan)}
    assert missing == set()


def test_a_help_text_waits_for_no_engine() -> None:
    """The command line loads what a command needs when it runs."""
    asked = (
        "import sys, kataribe.surfaces.cli.app; print(*sorted({'numpy', 'sqlalchemy', "
        "'kataribe.engine', 'kataribe.ports', 'kataribe.story', 'kataribe.adapters'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
