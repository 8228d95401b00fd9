"""The meta-test of doors: every verb is marked, and what is marked a viewer read is proved to be one."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer.main

import kataribe
from kataribe.__main__ import app
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.face.marks import VerbMark, mark_of
from support.stores import services

ROOTS = (kataribe.Kataribe, kataribe.AsyncKataribe)
VIEWERS = (kataribe.ViewerHandle, kataribe.AsyncViewerHandle)
HANDLES = (
    *ROOTS,
    *VIEWERS,
    *(getattr(kataribe, f"{way}{name}Handle") for way in ("", "Async") for name in (
        "Story", "Cards", "Checkpoints", "Episodes", "Facts", "Cast", "Branches", "Views", "User", "Memory",
        "Associations", "Library", "Admin", "Access", "Backups", "Hooks", "Index", "Audit", "Keys", "Profile",
        "Privacy"
    )),
)  # fmt: skip
MOST_VERBS = 15
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TOOLS = {"recall_tool": "recall", "search_tool": "search_log", "read_tool": "read_turn"}
"""Each tool is one verb and nothing else."""
SEVERAL_VIEWERS = {"recall_many"}
"""A viewer read for a list of viewers, for the program that runs them: no door bound to one leads to it."""
AT_AN_EPISODE = {"put_turns", "delete_turns", "turns", "import_log", "said", "remember", "chat", "nightly"}
"""What an author writes or lists: `at` says where talk, or when a night is held; no viewer stands there."""

COMMANDS = {
    "recall": "recall",
    "known": "known",
    "context": "context",
    "answer": "answer",
    "used": "viewer.report_use",
    "mcp": "recall",
    "sync": "sync",
    "verify": "verify",
    "rebuild": "admin.rebuild",
    "reembed": "admin.reembed",
    "backup": "admin.backup",
    "restore": "verify",
    "access add": "admin.access.add",
    "access list": "admin.access.list",
    "access revoke": "admin.access.revoke",
    "serve": "admin.access.check",
    "audit list": "admin.audit.list",
    "audit verify": "admin.audit.verify",
    "keys init": "admin.keys.init",
    "keys rotate": "admin.keys.rotate",
    "keys status": "admin.keys.status",
    "upgrade": "verify",
    "trace": "admin.traces",
    "doctor": "admin.stories",
    "demo": "recall",
    "matrix": "story.views.matrix",
    "diff": "story.views.diff",
    "why": "story.views.why",
    "timeline": "story.views.timeline",
    "check": "story.views.check",
    "impact": "story.views.impact",
    "calibrate": "admin.calibrate",
    "story add": "story.create",
    "story list": "admin.stories",
    "story show": "story.info",
    "story audience": "story.set_audience",
    "story model": "story.set_model",
    "story rename": "story.rename",
    "story delete": "story.delete",
    "story import": "story.import_folder",
    "story export": "story.export",
    "story checkpoint": "story.checkpoint",
    "story checkpoints": "story.checkpoints.list",
    "story rewind": "story.rewind",
    "story branch add": "story.branches.add",
    "story branch list": "story.branches.list",
    "story branch show": "story.branches.origin",
    "story branch diff": "story.views.compare",
    "story branch detach": "story.branches.detach",
    "cast add": "story.cast.add",
    "cast list": "story.cast.list",
    "cast suggest": "story.cast.suggest",
    "cast show": "story.cast.get",
    "cast edit": "story.cast.edit",
    "cast rename": "story.cast.rename",
    "cast delete": "story.cast.delete",
    "cast group add": "story.cast.groups.add",
    "cast group list": "story.cast.groups.list",
    "cast group edit": "story.cast.groups.edit",
    "cast group delete": "story.cast.groups.delete",
    "cast import": "story.cast.merge",
    "card import": "story.cards.import_card",
    "card export": "story.cards.card",
    "lorebook import": "story.cards.import_lorebook",
    "lorebook export": "story.cards.lorebook",
    "tell": "story.tell",
    "episode put": "story.episodes.put",
    "episode show": "story.episodes.get",
    "episode list": "story.episodes.list",
    "episode history": "story.episodes.history",
    "episode delete": "story.episodes.delete",
    "episode restore": "story.episodes.restore",
    "episode insert": "story.episodes.insert",
    "episode renumber": "story.episodes.renumber",
    "fact add": "story.facts.add",
    "fact list": "story.facts.list",
    "fact edit": "story.facts.edit",
    "fact pin": "story.facts.pin",
    "fact delete": "story.facts.delete",
    "fact review": "story.facts.review",
    "work list": "admin.work",
    "work retry": "admin.retry",
    "work accept": "admin.accept_empty",
    "work drop": "admin.drop",
    "fact keep": "story.facts.decide",
    "fact narrow": "story.facts.decide",
    "fact widen": "story.facts.decide",
    "fact scene": "story.facts.decide_scene",
    "fact drop": "story.facts.decide",
    "undo": "story.undo",
    "remember": "user.said",
    "chat": "user.chat",
    "log import": "user.import_log",
    "log list": "user.turns",
    "log show": "user.turns",
    "log search": "viewer.search_log",
    "log delete": "user.delete_turns",
    "log pairs": "user.memory.pairs",
    "thread list": "viewer.threads",
    "thread show": "viewer.threads",
    "buffer": "viewer.buffer",
    "memory list": "user.memory.list",
    "memory show": "viewer.memories",
    "memory why-kept": "user.memory.history",
    "memory pin": "user.memory.pin",
    "memory unpin": "user.memory.pin",
    "memory edit": "user.memory.edit",
    "memory forget": "user.memory.forget",
    "memory restore": "user.memory.restore",
    "associate": "viewer.associate",
    "nightly": "user.memory.nightly",
    "schedule": "user.memory.nightly",
    "policy show": "user.memory.nightly",
    "policy check": "user.memory.nightly",
    "user list": "admin.users",
    "user show": "user.state",
    "user delete": "user.delete",
    "profile show": "user.profile.show",
    "profile history": "user.profile.history",
    "profile set": "user.profile.set",
    "profile delete": "user.profile.delete",
    "profile keep": "user.profile.keep",
    "profile consent require": "user.profile.require",
    "profile consent waive": "user.profile.waive",
    "profile consent list": "user.profile.consents",
    "profile consent give": "user.profile.give",
    "profile consent withdraw": "user.profile.withdraw",
    "privacy scan": "admin.stories",
    "privacy request": "user.privacy.request",
    "privacy export": "user.privacy.export",
    "privacy show": "user.privacy.show",
    "privacy delete": "user.delete",
    "kb create": "library.create",
    "kb list": "libraries",
    "kb add": "library.add",
    "kb show": "library.state",
    "kb search": "library.search",
    "kb remove": "library.remove",
    "kb delete": "library.delete",
    "bench holders": "story.sync",
    "bench locomo": "recall",
    "bench parts": "recall",
    "bench personachat": "recall",
    "bench privacy": "admin.stories",
    "bench stories": "recall",
}
"""Which verb stands behind each command, by the way to it from the store."""


def verbs_of(kind: type) -> dict[str, Any]:
    """Give what a program can call of a handle."""
    return {name: verb for name, verb in inspect.getmembers(kind, callable) if not name.startswith("_")}


@pytest.mark.parametrize("kind", HANDLES, ids=lambda kind: kind.__name__)
def test_every_verb_is_of_one_sort_and_there_are_not_too_many(kind: type) -> None:
    verbs = verbs_of(kind)
    assert 0 < len(verbs) <= MOST_VERBS
    for name, verb in verbs.items():
        assert mark_of(verb) is not None, f"{name} is not marked: may a viewer see its result?"


def test_both_faces_have_the_same_verbs() -> None:
    for kind in HANDLES:
        if kind.__name__.startswith("Async"):
            continue
        brother = verbs_of(getattr(kataribe, f"Async{kind.__name__}"))
        assert verbs_of(kind).keys() == brother.keys()
        for name, verb in verbs_of(kind).items():
            assert mark_of(verb) is mark_of(brother[name])


def test_the_synchronous_face_is_as_it_is_generated() -> None:
    tool = Path(__file__).parents[2] / "tools" / "sync_face.py"
    found = subprocess.run(
        [sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def of_sort(kind: type, mark: VerbMark) -> set[str]:
    return {name for name, verb in verbs_of(kind).items() if mark_of(verb) is mark}


def test_viewer_reads_take_a_viewer_and_author_reads_none() -> None:
    for kind in HANDLES:
        for name, verb in verbs_of(kind).items():
            taken = inspect.signature(verb).parameters
            if name in SEVERAL_VIEWERS:
                assert kind in ROOTS
                assert "viewers" in taken
            elif kind in ROOTS and mark_of(verb) is VerbMark.VIEWER_READ:
                asked = get_type_hints(verb)["asked"]
                assert ViewerKeys.__annotations__.keys() <= get_args(asked)[0].__annotations__.keys()
            elif kind not in VIEWERS and name not in AT_AN_EPISODE:
                assert mark_of(verb) is not VerbMark.VIEWER_READ
                assert "at" not in taken


def test_a_bound_viewer_has_no_door_to_anything_else() -> None:
    for kind in VIEWERS:
        assert set(verbs_of(kind)) == of_sort(kind, VerbMark.VIEWER_READ)
        assert not SEVERAL_VIEWERS & set(verbs_of(kind))
        for verb in verbs_of(kind).values():
            hints = get_type_hints(verb, localns={"AsyncTool": object})
            asked = get_args(hints["asked"])[0].__annotations__ if "asked" in hints else {}
            assert not ViewerKeys.__annotations__.keys() & {*asked, *inspect.signature(verb).parameters}


def test_a_library_is_reached_by_its_own_handle_alone() -> None:
    """S4-66: no viewer and no read across viewers gives what documents say."""
    for kind in HANDLES:
        found = of_sort(kind, VerbMark.LIBRARY_READ)
        is_library = kind in (kataribe.LibraryHandle, kataribe.AsyncLibraryHandle)
        assert found == ({"search", "search_tool"} if is_library else set())
    assert "self.search" in inspect.getsource(kataribe.AsyncLibraryHandle.search_tool)
    assert "library" not in ViewerKeys.__annotations__


@pytest.mark.parametrize("left_out", ["story", "persona", "at"])
def test_nothing_about_a_viewer_is_assumed(left_out: str) -> None:
    """S0-21."""
    whole: dict[str, Any] = {"story": "s", "persona": "ann", "at": 2}
    partial = {name: value for name, value in whole.items() if name != left_out}
    with kataribe.open(":memory:", services=services()) as opened:
        for verb in of_sort(kataribe.Kataribe, VerbMark.VIEWER_READ) - SEVERAL_VIEWERS:
            asked = () if verb == "known" else ("?",)
            with pytest.raises(kataribe.InputError, match=left_out):
                getattr(opened, verb)(*asked, **partial)
            # Both is no contradiction: it is the story's viewer, talking with the user.
            with pytest.raises(kataribe.NotFoundError, match="no story 's'"):
                getattr(opened, verb)(*asked, **whole, user="u")
        with pytest.raises(kataribe.InputError, match=left_out):
            opened.viewer(**partial)
        with pytest.raises(kataribe.InputError, match="name the user"):
            opened.viewer(story="s", persona="p", at=2, as_of=NOON)


def test_an_option_that_is_misspelt_is_refused_with_the_one_that_is_meant() -> None:
    with kataribe.open(":memory:", services=services()) as opened:
        viewer: dict[str, Any] = {"story": "s", "persona": "ann", "at": 2}
        wrong: list[tuple[Any, dict[str, Any], str]] = [
            (opened.recall, {"topk": 1}, "'top_k'"),
            (opened.recall, {"story_id": "s"}, "'story'"),
            (opened.known, {"wher": {}}, "'where'"),
            (opened.viewer(**viewer).context, {"budgt": 1}, "'budget'"),
            (opened.story("s").facts.add, {"audiense": None}, "'audience'"),
            (opened.sync, {"worker": 2}, "'workers'"),
        ]
        for verb, options, meant in wrong:
            with pytest.raises(TypeError, match=f"did you mean {meant}"):
                verb(**options)
        with pytest.raises(TypeError, match="it has"):
            opened.admin.users(nothing_like_it=1)  # type: ignore[call-arg]


def test_every_viewer_read_is_in_the_property_machine() -> None:
    called = set[str]()
    for name in ("model.py", "talk_model.py"):
        tree = ast.parse((Path(__file__).parent.parent / "support" / name).read_text(encoding="utf-8"))
        everything = next(
            node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "everything"
        )
        called |= {node.attr for node in ast.walk(everything) if isinstance(node, ast.Attribute)}
    reads = of_sort(kataribe.Kataribe, VerbMark.VIEWER_READ) | of_sort(
        kataribe.ViewerHandle, VerbMark.VIEWER_READ
    )
    assert reads - TOOLS.keys() - {"report_use"} <= called
    for tool, verb in TOOLS.items():
        assert f"self._engine.{verb}_in_tokens" in inspect.getsource(
            getattr(kataribe.AsyncViewerHandle, tool)
        )


def _commands(group: object = None) -> Iterator[str]:
    root = typer.main.get_command(app) if group is None else group
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            yield from (f"{name} {one}" for one in _commands(command))
        else:
            yield name


def test_every_command_stands_for_a_verb() -> None:
    assert set(_commands()) == set(COMMANDS)
    ways = {"viewer": {"story": "s", "persona": "p", "at": 1}, "story": "s", "user": "u", "library": "l"}
    with kataribe.open(":memory:", services=services()) as opened:
        for way in COMMANDS.values():
            handle: Any = opened
            *steps, verb = way.split(".")
            for step in steps:
                given = ways.get(step) if handle is opened else None
                handle = getattr(handle, step)
                if given is not None:
                    handle = handle(**given) if isinstance(given, dict) else handle(given)
            assert mark_of(getattr(type(handle), verb)) is not None, way


def test_what_is_public_is_listed() -> None:
    assert kataribe.__all__ == sorted(kataribe.__all__)
    for name in kataribe.__all__:
        assert getattr(kataribe, name) is not None
    with pytest.raises(AttributeError):
        kataribe.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018
    assert dir(kataribe) == kataribe.__all__
    stub = ast.parse((Path(kataribe.__file__).with_suffix(".pyi")).read_text(encoding="utf-8"))
    stubbed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert stubbed | {"__version__"} == set(kataribe.__all__), "type checkers see the same names"
