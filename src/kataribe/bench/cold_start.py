"""From nothing: opening a store in a fresh process, and commands as a person types them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from statistics import median

from kataribe.bench.processes import told, wall
from kataribe.bench.rows import BenchRow, at_most
from kataribe.bench.synthetic import STORY, VIEWER, Made
from kataribe.bench.timing import Watch
from kataribe.bench.workspace import Stage
from kataribe.wiring import Embedders, default_services, missing_line
from kataribe.wiring import open as open_store

_TARGETS = {10_000: 50.0, 100_000: 500.0}
_ONE_SHOT = 1_500.0
_START = 300.0
_BUNDLED = (
    ("yoimachi", "chive", "澪", "灯守とは誰のこと？"),
    ("lantern-isle", "wordllama", "wren", "What happened to the bell?"),
)


def measure(stage: Stage) -> Iterator[BenchRow]:
    """Start processes; the file lies in the system's cache, modules are compiled as pip leaves them."""
    for wanted in stage.sizes.visible[-2:]:
        yield from _first_recall(stage, stage.made(wanted), _TARGETS.get(wanted))
    bare = _process(stage, [sys.executable, "-c", "pass"]).cpu
    yield from _one_shots(stage, bare)
    code = [sys.executable, "-c", "import kataribe"]
    yield _row("python -c 'import kataribe', wall", _process(stage, code), _START, bare)
    yield _row("python -m kataribe --help, wall", _process(stage, _command("--help")), _START, bare)


def _first_recall(stage: Stage, made: Made, goal: float | None) -> Iterator[BenchRow]:
    found = [told(stage, "first_recall", made.path, made.at) for _ in range(stage.sizes.processes)]
    whole = sorted(one["open"] + one["recall"] for one in found)
    target, met = ("", None) if goal is None else at_most(median(whole), goal)
    yield BenchRow(
        bench="open",
        what=f"cold open to first recall, {made.visible:,} visible",
        value=median(whole),
        unit="ms",
        p95=whole[-1],
        cpu=median(one["cpu"] for one in found),
        floor=stage.scan(made.visible),
        target=target,
        met=met,
        calls=len(whole),
    )
    for part in ("open", "recall"):
        middle = median(one[part] for one in found)
        yield BenchRow(
            bench="open",
            what=f"  of it {part}, {made.visible:,} visible",
            value=middle,
            unit="ms",
            calls=len(whole),
        )


def _one_shots(stage: Stage, bare: float) -> Iterator[BenchRow]:
    path = stage.path()
    for story_id, embedder, character, question in _BUNDLED:
        if missing_line(embedder) is None:
            _import(path, story_id)
            command = _recall(path, story_id, question, character, 5)
            yield _row(
                f"kataribe recall, {story_id} ({embedder}), wall", _process(stage, command), _ONE_SHOT, bare
            )
    size = stage.sizes.visible[min(1, len(stage.sizes.visible) - 1)]
    made = stage.made(size, name="hash", embedder=Embedders().get("hash"))
    command = _recall(made.path, STORY, "Who hid the silver lantern?", VIEWER, made.at)
    what = f"kataribe recall, {made.visible:,} visible (hash), wall"
    yield _row(what, _process(stage, command), _ONE_SHOT, bare)


def _import(path: Path, story_id: str) -> None:
    with open_store(str(path), services=default_services()) as store, as_file(files("kataribe")) as package:
        store.story(story_id).import_folder(package / "stories" / story_id)
        store.story(story_id).sync()


def _recall(path: Path, story_id: str, question: str, character: str, at: int) -> list[str]:
    viewer = ["--story", story_id, "--as", character, "--at", str(at)]
    return _command("--db", str(path), "recall", question, *viewer, "--json")


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kataribe", *arguments]


def _process(stage: Stage, command: Sequence[str]) -> Watch:
    watch = Watch(stage.sizes.processes, 60, warm_up=1)
    for _ in watch.rounds():
        wall(stage, command)
    return watch


def _row(what: str, watch: Watch, goal: float, bare: float) -> BenchRow:
    target, met = at_most(watch.p50, goal)
    return BenchRow(
        bench="open",
        what=what,
        value=watch.p50,
        unit="ms",
        p95=watch.p95,
        cpu=watch.cpu,
        floor=bare,
        target=target,
        met=met,
        calls=watch.calls,
    )
