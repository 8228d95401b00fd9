"""The meta-test: every door is a write, or upkeep, or a proved viewer read, or on the author's list."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import typer.main

import kataribe
from kataribe.__main__ import app
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.engine import AsyncKataribe
from kataribe.face import Kataribe

TOOLS = {"recall_tool": "recall", "search_tool": "search_log", "read_tool": "read_turn"}
"""Each tool is one verb and nothing else."""
VIEWER_READS = {"recall", "known", "search_log", "read_turn", "context", "answer", *TOOLS}
"""Each takes a viewer and is driven by the property machine of P1 and P2."""

AUTHOR_READS = {
    "stories",
    "story",
    "branches",
    "branch",
    "cast",
    "character",
    "episodes",
    "episode",
    "history",
    "facts",
    "review",
    "matrix",
    "diff",
    "diff_stories",
    "why",
    "timeline",
    "check",
    "undo_list",
    "verify",
    "backup",
    "export_story",
    "traces",
    "users",
    "user",
    "user_state",
    "turns",
    "user_traces",
    "verify_user",
    "estimate",
    "calibrate",
    "refusals",
    "work",
    "changes",
}
"""The closed, named list: these see across viewers, and no viewer's door leads to them."""

WRITES = {
    "add_story",
    "set_model",
    "rename_story",
    "delete_story",
    "add_branch",
    "detach_branch",
    "import_story",
    "add_character",
    "put_cast",
    "edit_character",
    "rename_character",
    "delete_character",
    "put_episode",
    "put_episodes",
    "tell",
    "insert_episode",
    "delete_episode",
    "restore_episode",
    "renumber_episode",
    "add_fact",
    "add_facts",
    "edit_fact",
    "pin_fact",
    "delete_fact",
    "decide",
    "undo",
    "sync",
    "rebuild",
    "reembed",
    "retry_work",
    "accept_empty",
    "drop_work",
    "add_user",
    "delete_user",
    "put_turns",
    "delete_turns",
    "import_log",
    "sync_user",
    "rebuild_user",
    "report_use",
}
AT_AN_EPISODE = {"put_turns", "delete_turns", "turns", "import_log"}
"""What an author writes or lists of talk: `at` says where it is held, and no viewer stands there."""
UPKEEP = {"adopt_extractor", "check_viewer", "close", "flush", "start"}

COMMANDS = {
    "recall": "recall",
    "known": "known",
    "context": "context",
    "answer": "answer",
    "used": "report_use",
    "sync": "sync",
    "verify": "verify",
    "rebuild": "rebuild",
    "reembed": "reembed",
    "backup": "backup",
    "upgrade": "verify",
    "trace": "traces",
    "doctor": "stories",
    "demo": "recall",
    "matrix": "matrix",
    "diff": "diff",
    "why": "why",
    "timeline": "timeline",
    "check": "check",
    "calibrate": "calibrate",
    "story add": "add_story",
    "story list": "stories",
    "story show": "story",
    "story model": "set_model",
    "story rename": "rename_story",
    "story delete": "delete_story",
    "story import": "import_story",
    "story export": "export_story",
    "story branch add": "add_branch",
    "story branch list": "branches",
    "story branch show": "branch",
    "story branch diff": "diff_stories",
    "story branch detach": "detach_branch",
    "cast add": "add_character",
    "cast list": "cast",
    "cast show": "character",
    "cast edit": "edit_character",
    "cast rename": "rename_character",
    "cast delete": "delete_character",
    "cast import": "put_cast",
    "episode put": "put_episode",
    "episode show": "episode",
    "episode list": "episodes",
    "episode history": "history",
    "episode delete": "delete_episode",
    "episode restore": "restore_episode",
    "episode insert": "insert_episode",
    "episode renumber": "renumber_episode",
    "fact add": "add_fact",
    "fact list": "facts",
    "fact edit": "edit_fact",
    "fact pin": "pin_fact",
    "fact delete": "delete_fact",
    "fact review": "review",
    "work list": "work",
    "work retry": "retry_work",
    "work accept": "accept_empty",
    "work drop": "drop_work",
    "fact keep": "decide",
    "fact narrow": "decide",
    "fact widen": "decide",
    "fact drop": "decide",
    "undo": "undo",
    "log import": "import_log",
    "log list": "turns",
    "log show": "turns",
    "log search": "search_log",
    "log delete": "delete_turns",
    "user list": "users",
    "user show": "user_state",
    "user delete": "delete_user",
    "bench locomo": "recall",
    "bench parts": "recall",
    "bench personachat": "recall",
    "bench stories": "recall",
}
"""Which verb of the face stands behind each command."""


def _public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}


@pytest.mark.parametrize("kind", [AsyncKataribe, Kataribe])
def test_every_verb_is_of_one_sort(kind: type) -> None:
    sorts = (VIEWER_READS, AUTHOR_READS, WRITES, UPKEEP)
    for name in _public(kind):
        assert sum(name in sort for sort in sorts) == 1, f"{name} is not sorted: may a viewer see its result?"
    one_face = {*TOOLS, "start", "adopt_extractor", "check_viewer"}
    assert set().union(*sorts) - one_face <= _public(kind)


def test_viewer_reads_take_a_viewer_and_author_reads_none() -> None:
    for name in VIEWER_READS:
        taken = inspect.signature(getattr(Kataribe, name)).parameters
        asked = get_type_hints(getattr(Kataribe, name))["viewer" if name in TOOLS else "asked"]
        assert inspect.Parameter.VAR_KEYWORD in {one.kind for one in taken.values()}
        assert ViewerKeys.__annotations__.keys() <= get_args(asked)[0].__annotations__.keys()
    for name in (AUTHOR_READS | WRITES) - AT_AN_EPISODE:
        assert "at" not in inspect.signature(getattr(Kataribe, name)).parameters


@pytest.mark.parametrize("left_out", ["story_id", "character", "at"])
def test_nothing_about_a_viewer_is_assumed(left_out: str) -> None:
    """S0-21."""
    whole: dict[str, object] = {"story_id": "s", "character": "ann", "at": 2}
    partial = {name: value for name, value in whole.items() if name != left_out}
    with kataribe.open(":memory:") as opened:
        for verb in VIEWER_READS:
            asked = () if verb == "known" or verb in TOOLS else ("?",)
            with pytest.raises(kataribe.InputError, match=left_out):
                getattr(opened, verb)(*asked, **partial)
            if verb not in TOOLS:
                # Both is no contradiction: it is the story's viewer, talking with the user.
                with pytest.raises(kataribe.NotFoundError, match="no story 's'"):
                    getattr(opened, verb)(*asked, **whole, user="u")
            with pytest.raises(kataribe.InputError, match="name the user"):
                getattr(opened, verb)(*asked, **whole, persona="p")


def test_every_viewer_read_is_in_the_property_machine() -> None:
    called = set[str]()
    for name in ("model.py", "talk_model.py"):
        tree = ast.parse((Path(__file__).parent.parent / "support" / name).read_text())
        everything = next(
            node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "everything"
        )
        called |= {node.attr for node in ast.walk(everything) if isinstance(node, ast.Attribute)}
    assert VIEWER_READS - TOOLS.keys() <= called
    for tool, verb in TOOLS.items():
        assert f"self.{verb}(" in inspect.getsource(getattr(Kataribe, tool))


def test_both_faces_have_the_same_verbs() -> None:
    """The synchronous face is one line over its asynchronous brother, with the same signature."""
    for name in VIEWER_READS | AUTHOR_READS | WRITES:
        if name in TOOLS:
            continue
        ours, theirs = getattr(Kataribe, name), getattr(AsyncKataribe, name)
        assert inspect.signature(ours) == inspect.signature(theirs), name
        assert inspect.iscoroutinefunction(theirs)
        body = ast.parse(inspect.getsource(ours).lstrip()).body[0]
        assert isinstance(body, ast.FunctionDef)
        assert len(body.body) == 2, f"{name} is more than a docstring and a line"


def _commands(group: object = None) -> Iterator[str]:
    root = typer.main.get_command(app) if group is None else group
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            yield from (f"{name} {one}" for one in _commands(command))
        else:
            yield name


def test_every_command_stands_for_a_verb() -> None:
    assert set(_commands()) == set(COMMANDS)
    known = VIEWER_READS | AUTHOR_READS | WRITES
    assert set(COMMANDS.values()) <= known


def test_what_is_public_is_listed() -> None:
    assert kataribe.__all__ == sorted(kataribe.__all__)
    for name in kataribe.__all__:
        assert getattr(kataribe, name) is not None
    with pytest.raises(AttributeError):
        kataribe.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018
    assert dir(kataribe) == kataribe.__all__
    stub = ast.parse((Path(kataribe.__file__).with_suffix(".pyi")).read_text())
    stubbed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert stubbed | {"__version__"} == set(kataribe.__all__), "type checkers see the same names"
