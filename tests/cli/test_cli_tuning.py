"""`calibrate` and `recall --explain`, as a person at a terminal sees them."""

from __future__ import annotations

import io
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from rich.console import Console

import kataribe
from kataribe.formats.wire.recall import explanation_json
from kataribe.surfaces.cli import explain

if TYPE_CHECKING:
    from cli.conftest import Cli

STORIES = Path(kataribe.__file__).parent / "stories"


def isle(cli: Cli) -> Path:
    """Take in the bundled story, and give its probes."""
    cli.take_in(STORIES / "lantern-isle", "isle")
    return STORIES / "lantern-isle" / "gold.jsonl"


def test_calibrate_writes_a_policy_that_is_installed_by_hand(cli: Cli) -> None:
    gold, out = isle(cli), cli.db.with_name("policy.toml")
    ask = ("recall", "What happened to the bell?", "--story", "isle", "--as", "wren", "--at", 9, "--json")
    before = cli(*ask).object
    ran = cli("calibrate", "--story", "isle", "--gold", gold, "--weights", "-o", out, "--json")
    found = ran.object
    assert "KATARIBE_POLICY" in ran.err
    assert found["embedder"] == "hash-1"
    assert found["minimum_similarity"]["fact"]["kept"] >= 0.97
    assert found["keyword_weight"]["found"].keys() >= {"0", "0.5", "1"}
    written = out.read_text("utf-8")
    assert '[embedders."hash-1".minimum_similarity]' in written
    assert "bell" not in written.lower(), "counts only, never a text"
    assert cli(*ask).object == before, "nothing is applied by itself"
    cli("--policy", out, *ask)
    again = cli("calibrate", "--story", "isle", "--gold", gold, "-o", out, code=3)
    assert "already" in again.err
    shown = cli("calibrate", "--story", "isle", "--gold", gold, "--weights").out
    assert "minimum" in shown
    assert "keyword weight" in shown


def test_a_policy_is_named_by_option_or_variable(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.sea()
    wrong = cli.file("p.toml", "format = 1\n[recall]\nkeyword_weight = 7\n")
    ask = ("recall", "灯台", "--story", cli.SEA, "--as", "ミナ", "--at", 5)
    assert "p.toml: recall.keyword_weight: must be from 0 to 1" in cli("--policy", wrong, *ask, code=3).err
    untuned = cli(*ask, "--json").object["hits"]
    monkeypatch.setenv("KATARIBE_POLICY", str(wrong))
    assert "recall.keyword_weight" in cli(*ask, code=3).err
    right = cli.file("q.toml", "format = 1\n[recall]\nkeyword_weight = 1\n")
    tuned = cli("--policy", right, *ask, "--json").object["hits"]
    assert tuned != untuned, "--policy goes before the variable"
    assert {hit["id"] for hit in tuned} == {hit["id"] for hit in untuned}


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--story", "s"),
        ("--user", "u"),
        ("--gold", "x"),
        ("--story", "s", "--qa", "x"),
        ("--story", "s", "--gold", "x", "--user", "u", "--qa", "x"),
        ("--story", "s", "--gold", "x", "--as", "p"),
    ],
)
def test_calibrate_says_what_it_needs(cli: Cli, given: tuple[str, ...]) -> None:
    assert "--gold" in cli("calibrate", *given, code=2).err or "--as" in given


def test_too_few_questions_are_refused_and_nothing_is_written(cli: Cli) -> None:
    gold, out = isle(cli), cli.db.with_name("policy.toml")
    few = cli.file("few.jsonl", "".join(gold.read_text("utf-8").splitlines(keepends=True)[:12]))
    assert "at least 20" in cli("calibrate", "--story", "isle", "--gold", few, "-o", out, code=3).err
    assert not out.exists()


# -- the table ---------------------------------------------------------------------------------


@pytest.fixture
def found(cli: Cli) -> kataribe.Recollection:
    story = cli.sea()
    with kataribe.open(str(cli.db)) as store:
        return store.recall("灯台の鍵", story=story, persona="ミナ", at=5, explain=True)


def drawn(found: kataribe.Recollection, width: int, *, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    assert found.explanation is not None
    explain.show(
        found, found.explanation, console=Console(file=file, width=width, highlight=False, color_system=None)
    )
    file.flush()
    return raw.getvalue().decode(encoding)


def with_parts(found: kataribe.Recollection, **parts: float) -> kataribe.Recollection:
    hits = tuple(replace(hit, parts={**hit.parts, **parts}) for hit in found.hits)
    return replace(found, hits=hits)


def marked(found: kataribe.Recollection, *marks: kataribe.Mark) -> kataribe.Recollection:
    return replace(found, hits=tuple(replace(hit, marks=marks) for hit in found.hits))


MANY = dict.fromkeys(("neighbours", "session", "speaker", "phrase", "arousal", "decay", "intent"), 0.5)


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize("parts", [{}, MANY])
def test_the_table_fits_its_terminal_and_tells_everything(
    found: kataribe.Recollection, width: int, parts: dict[str, float]
) -> None:
    rich = with_parts(found, **parts)
    shown = drawn(rich, width)
    assert all(cell_len(line) <= width for line in shown.split("\n"))
    flat = "".join(shown.split()).replace("│", "")
    for hit in rich.hits:
        assert f"{hit.score:.3f}" in shown
        assert "".join(hit.text.split())[:8] in flat
    assert rich.explanation is not None
    for words in (*rich.explanation.slices, "hash-1", "superseded by s5", "reranker none", "5 memories"):
        assert "".join(words.split()) in flat
    for name in ("similarity", *parts):
        assert name in shown or name in flat or name[:5] in shown
    assert "pinned" not in shown, "nothing is pinned: no column"


def test_in_a_wide_terminal_each_part_has_its_column(found: kataribe.Recollection) -> None:
    names = explain.columns(found.hits)
    assert {"similarity", "keyword", "fused"} <= set(names)
    wide, narrow = drawn(found, 240), drawn(found, 80)
    head, _, *rows = ([cell.strip() for cell in re.split("[│┃]", line)] for line in wide.split("\n"))
    assert head[-len(names) :] == list(names)
    for hit, row in zip(found.hits, rows, strict=False):
        assert row[-len(names) :] == [f"{hit.parts[name]:.3f}" for name in names]
    assert f"similarity {found.hits[0].parts['similarity']:.3f}" in narrow


def test_what_is_moving_and_what_is_new_is_marked(found: kataribe.Recollection) -> None:
    """S4-88."""
    hit = found.hits[0]
    assert explain.marks(replace(hit, marks=tuple(kataribe.Mark))) == "★ new"
    assert explain.marks(replace(hit, marks=())) == ""
    assert explain.marks(replace(hit, marks=(kataribe.Mark.STAR,)), plain=True) == "*"
    assert drawn(marked(found, *kataribe.Mark), 100).count("│ ★ new │") == len(found.hits)
    assert "│ new │" in drawn(marked(found, kataribe.Mark.NEW), 100)
    assert "★" not in drawn(found, 100)


def test_a_terminal_that_is_not_utf_8_gets_plain_lines(cli: Cli) -> None:
    isle(cli)
    with kataribe.open(str(cli.db)) as store:
        found = store.recall("the bell", story="isle", persona="wren", at=3, explain=True)
    plain = replace(
        found,
        hits=tuple(
            replace(
                hit,
                text=hit.text.encode("ascii", "replace").decode(),
                marks=(kataribe.Mark.STAR,),
            )
            for hit in found.hits
        ),
    )
    for width in (80, 140):
        shown = drawn(plain, width, encoding="ascii")
        assert shown.count("| * |") == len(plain.hits) > 0
        assert shown.isascii()


def test_whatever_an_explanation_tells_is_shown(found: kataribe.Recollection) -> None:
    assert found.explanation is not None
    more = replace(found.explanation, stripped=("ミナ",), candidates={"vectors": 48, "keywords": 7})
    assert explanation_json(more).keys() == {one.name for one in fields(more)}, "none is forgotten"
    lines = dict(explain.facts(more, found.backend))
    assert lines["candidates"] == "vectors 48, keywords 7"
    assert lines["stripped"] == "ミナ"
    assert list(lines)[-2:] == ["dropped", "embedder"]


def test_into_a_pipe_it_is_lines_with_tabs(cli: Cli) -> None:
    story = cli.sea()
    ask = ("recall", "灯台の鍵", "--story", story, "--as", "ミナ", "--at", 5, "--explain")
    lines = cli(*ask).out.splitlines()
    head = lines[0].split("\t")
    assert head[:5] == ["score", "episode", "known to", "text", "marks"]
    assert head[-1] == "quote"
    assert "pinned" not in head
    assert any(line.startswith("slice ") for line in lines)
    told = cli(*ask, "--json").object["explain"]
    assert told["dropped"] == [{"fact_id": "s1", "reason": "superseded by s5"}]
    assert told["slices"]
