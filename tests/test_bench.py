"""The benchmarks run, and say what they measured; how fast it was is nobody's test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kataribe.bench import command, floor, guard, holders
from kataribe.bench.command import BENCHES, main
from kataribe.bench.guard import Accepted, accept, fallen, read
from kataribe.bench.rows import BenchRow, at_least, at_most
from kataribe.bench.sizes import Sizes
from kataribe.bench.stand_ins import RandomEmbedder
from kataribe.bench.synthetic import VIEWER, build, open_ledger
from kataribe.bench.timing import Watch, percentile
from kataribe.bench.workspace import Stage
from kataribe.domain.gate import Viewer
from kataribe.engine.kinds import KINDS
from kataribe.read.path import known
from kataribe.wiring import default_extractor
from support.json_shapes import problem
from support.model_server import fact
from support.scripted import Scripted

TINY = Sizes(
    visible=(50, 100),
    calls=5,
    seconds=1.0,
    processes=1,
    facts=40,
    facts_an_episode=10,
    replaced_in=(4,),
    replaced=2,
    changed_in=4,
    saga_episodes=8,
    saga_facts=6,
    saga_cast=4,
    crowd_threads=2,
    crowd_tasks=3,
    crowd_seconds=0.0,
    serve_clients=10,
    serve_seconds=0.0,
    year_days=4,
    year_turns=3,
    year_every=2,
)


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "QUICK", TINY)
    monkeypatch.setenv("KATARIBE_TEST_DATA", str(tmp_path))
    path = tmp_path / "accepted.json"
    path.write_text(json.dumps({"tolerance": 0.5, "ratios": {}}), encoding="utf-8")
    monkeypatch.setattr(guard, "ACCEPTED", path)


@pytest.mark.parametrize("name", BENCHES)
def test_each_benchmark_prints_its_rows(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", name]) == 0
    machine, blank, head, _, *lines = capsys.readouterr().out.splitlines()
    assert machine.startswith("cpus ")
    assert "sqlite" in machine
    assert "durability normal" in machine
    assert blank == ""
    assert head.split() == ["bench", "what", "figure", "(p50)", "p95", "floor", "target"]
    rows = lines[: lines.index("")]
    assert len(rows) >= 3
    assert all(line.split()[0] == name for line in rows)
    assert "not measured:" in lines


def test_json_parses_and_names_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--json", "search", "change"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert problem(told, {"$ref": "#/$defs/Measurements"}) is None
    assert {row["bench"] for row in told["rows"]} == {"search", "change"}
    names = [row["what"] for row in told["rows"]]
    assert len(names) == len(set(names)), "a row is found by its name"
    counts = {row["what"]: row["value"] for row in told["rows"] if row["bench"] == "change"}
    assert counts["one sentence in 4 episodes, en: extractions"] == 1
    assert counts["one sentence in 4 episodes, ja: texts embedded"] == 1


def test_a_model_is_held_against_the_annotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that gives everything to the world leaks, and the bench says so."""
    leaky = Scripted(lambda prompt, _: [fact(one["text"]) for one in prompt["paragraphs"]])
    rules = default_extractor()
    made = {"rules": rules, "openai:leaky": leaky.extractor}
    stage = Stage(tmp_path, TINY, model="openai:leaky", extractor=made.__getitem__)
    rows = {row.what: row.value for row in holders.measure(stage)}
    leaks = [value for what, value in rows.items() if "leaks" in what]
    assert len(leaks) == 2
    assert all(value > 0 for value in leaks)
    secrets = [value for what, value in rows.items() if "recall of secrets" in what]
    assert secrets == [0, 0]
    assert leaky.calls > 0


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert "choose from search, recall" in capsys.readouterr().err


def test_a_made_store_shows_the_viewer_half_of_itself(tmp_path: Path) -> None:
    made = build(tmp_path / "k.db", 50, name="bench", embedder=RandomEmbedder())
    ledger = open_ledger(made.path)
    viewer = Viewer(story="made", persona=VIEWER, at=made.at)
    with ledger.reading() as reading:
        assert len(reading.memories("story:made")) == made.total == 2 * made.visible
        hits = known(KINDS, reading, viewer).hits
        assert len(hits) == made.visible
        assert len(reading.admitted(made.gate)) == made.visible, "the gate is the one the engine makes"
    ledger.close()


def test_a_watch_keeps_the_warm_up_apart_and_stops_in_time() -> None:
    watch = Watch(4, 60, warm_up=2)
    assert list(watch.rounds()) == [0, 1, 2, 3, 4, 5]
    assert watch.calls == 4
    short = Watch(100, 0.0, warm_up=1)
    assert len(list(short.rounds())) == 4, "a few rounds are always timed"


def test_percentiles_and_targets() -> None:
    assert [percentile(range(1, 101), percent) for percent in (50, 95, 100)] == [50, 95, 100]
    assert percentile([7.0], 95) == 7.0
    assert at_most(1.0, 2.0) == ("<= 2.00 ms", True)
    assert at_least(1.0, 2.0, "facts/s") == (">= 2 facts/s", False)
    row = BenchRow(bench="b", what="w", value=3.0, unit="ms", target="<= 2.00 ms", met=False)
    assert row.line().endswith("SHORT")


# -- the guard --------------------------------------------------------------------------------------


def _row(what: str, value: float, unit: str = "ms", floor: float | None = None) -> BenchRow:
    return BenchRow(bench="b", what=what, value=99.0, cpu=value, unit=unit, floor=floor)


def test_a_figure_falls_when_its_ratio_to_the_floor_of_its_run_does() -> None:
    accepted = Accepted(0.5, {"b: own": 4.0, "b: none": 2.0, "b: speed": 5.0, "b: same": 4.0})
    run = [
        _row("  own", 13.0, floor=2.0),
        _row("none", 31.0),
        _row("speed", 100.0, "facts/s", floor=1000.0),
        _row("same", 40.0, floor=10.0),
        _row("new", 9999.0, floor=0.1),
    ]
    fell = fallen(run, accepted, 10.0)
    assert [(one.name, one.ratio) for one in fell] == [("b: own", 6.5), ("b: none", 3.1), ("b: speed", 10.0)]
    assert fell[0].line() == "b: own: 6.5 times its floor, accepted are 4.0"


def test_a_slower_machine_makes_no_figure_fall() -> None:
    """Figure and floor are of one run: both take three times as long there."""
    accepted = Accepted(0.5, {"b: own": 4.0, "b: none": 2.0, "b: speed": 5.0})
    run = [_row("own", 24.0, floor=6.0), _row("none", 60.0), _row("speed", 20.0, "facts/s", floor=100.0)]
    assert fallen(run, accepted, 30.0) == ()


def test_a_hair_of_a_millisecond_and_what_is_no_speed_of_the_processor_do_not_fall() -> None:
    accepted = Accepted(0.5, {"b: small": 2.0, "b: share": 2.0, "b: by the clock": 2.0})
    by_the_clock = BenchRow(bench="b", what="by the clock", value=900.0, unit="ms", floor=0.1)
    run = [_row("small", 0.15, floor=0.03), _row("share", 9.0, "share", 0.1), by_the_clock]
    assert fallen(run, accepted, 1.0) == ()


def test_accepting_keeps_what_was_not_measured(tmp_path: Path) -> None:
    path = tmp_path / "accepted.json"
    path.write_text(
        json.dumps({"tolerance": 0.25, "ratios": {"b: old": 3.0, "b: own": 9.0}}), encoding="utf-8"
    )
    run = [_row("own", 13.0, floor=2.0), _row("a share", 0.5, "share")]
    assert accept(path, run, 1.0) == 1
    assert read(path) == Accepted(0.25, {"b: old": 3.0, "b: own": 6.5})
    assert fallen(run, read(path), 1.0) == ()


def test_the_run_says_which_figure_fell_and_accepts_it_when_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = [_row("a thing", 50.0, floor=2.0)]
    monkeypatch.setattr(command, "BENCHES", {"b": lambda _: iter(slow)})
    monkeypatch.setattr(floor, "scan", lambda *_: 1.0)
    guard.ACCEPTED.write_text(json.dumps({"tolerance": 0.5, "ratios": {"b: a thing": 5}}), encoding="utf-8")
    assert main(["b"]) == 1
    assert "  b: a thing: 25.0 times its floor, accepted are 5.0" in capsys.readouterr().out
    assert main(["--json", "b"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert problem(told, {"$ref": "#/$defs/Measurements"}) is None
    assert told["fell"] == [{"name": "b: a thing", "ratio": 25.0, "accepted": 5}]
    assert main(["--accept", "b"]) == 0
    assert main(["b"]) == 0
    assert "fell" not in capsys.readouterr().out


def test_what_is_accepted_comes_with_the_package() -> None:
    accepted = read(Path(guard.__file__).with_name("accepted.json"))
    assert accepted.tolerance > 0
    assert all(ratio > 0 for ratio in accepted.ratios.values())
    names = {name.partition(":")[0] for name in accepted.ratios}
    assert names <= command.BENCHES.keys()
    assert {"search", "recall", "open", "ingest", "replace", "said", "crowd"} <= names
