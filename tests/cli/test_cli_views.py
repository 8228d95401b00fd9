"""The writer's views on the command line: in a terminal, as JSON, CSV and HTML."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from kataribe.surfaces.cli.app import run

if TYPE_CHECKING:
    from cli.conftest import Cli, Shelf


class Screen(io.TextIOWrapper):
    """A terminal as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def on_screen(cli: Cli, *arguments: object) -> str:
    """Run a command as in a terminal of 80 columns."""
    shown = io.BytesIO()
    screen = Screen(shown, encoding="utf-8", write_through=True)
    with redirect_stdout(screen), redirect_stderr(io.StringIO()):
        assert run(["--db", str(cli.db), *map(str, arguments)]) == 0
    return shown.getvalue().decode("utf-8")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_the_matrix_counts_what_each_gains(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("matrix", "--story", story)
    assert ran.out.splitlines()[0].split("\t") == ["who", "name", "all", "1", "2", "3", "4"]
    assert ran.table == [
        ["world", "everybody", "3", "1", "", "1", "1"],
        ["ミナ", "潮田ミナ", "2", "1", "1", "", ""],
        ["ハル ト", "浜野ハルト", "1", "", "1", "", ""],
        ["Ольга", "オリガ", "1", "", "", "1", ""],
    ]
    assert "from the next one on" in ran.err
    narrow = cli("matrix", "--story", story, "--as", "ミナ", "--from", "2", "--to", "3", "--json").object
    assert [row["holder"] for row in narrow["rows"]] == ["world", "ミナ"]
    assert [episode["episode_no"] for episode in narrow["episodes"]] == [2, 3]
    (cell,) = narrow["rows"][1]["cells"]
    assert (cell["episode_no"], cell["known_from"], cell["count"]) == (2, 3, 1)
    assert cell["facts"] == [
        {"fact_id": "s3", "text": "浜に赤い小舟がある。", "evidence": "annotated", "confidence": 1.0}
    ]
    cli("matrix", "--story", story, "--as", "nobody", code=3)
    cli("matrix", "--story", "none", code=3)


def test_the_matrix_fits_a_terminal_with_wide_names(cli: Cli, terminal: None) -> None:
    cast = [{"id": f"c{n}", "name": f"長い名前の登場人物その{n}番目"} for n in range(3)]
    episodes = [{"episode_no": no, "text": "…"} for no in range(1, 41)]
    facts = [
        {
            "fact_id": f"f{no}",
            "episode_no": no,
            "visibility": "secret",
            "known_by": ["c1"],
            "text": f"事実{no}",
        }
        for no in range(1, 41)
    ]
    cli.take_in(cli.folder("wide", episodes, facts=facts, cast=cast), "wide")
    shown = plain(on_screen(cli, "matrix", "--story", "wide"))
    assert all(cell_len(line) <= 80 for line in shown.splitlines())
    assert shown.count("everybody") == 3, "three blocks of episodes"
    numbers = [int(n) for line in shown.splitlines() if " all" in line for n in line.split()[1:]]
    assert numbers == list(range(1, 41))
    assert "…" in shown, "a long name is cut"


def test_no_colour_where_none_is_wanted(cli: Cli, terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    story = cli.sea()
    asked = ("why", "s2", "--story", story, "--as", "ミナ", "--at", "2")
    assert "\x1b[" in on_screen(cli, *asked)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", on_screen(cli, *asked))
    assert "\x1b[" not in cli(*asked).out


def test_why_says_yes_and_no_with_the_evidence(cli: Cli) -> None:
    story = cli.sea()
    yes = cli("why", "s4", "--story", story, "--as", "Ольга", "--at", "4", "--json").object
    assert (yes["knows"], yes["known_from"]) == (True, 4)
    proof = yes["evidence"]
    assert (proof["quote"], proof["quote_episode_no"]) == ("鍵を砂の下に隠した", 1)
    assert (proof["told_from"], proof["told_text"]) == ("s2", "ミナは灯台の鍵を砂の下に隠した。")
    no = cli("why", "s2", "--story", story, "--as", "Ольга", "--at", "4", "--json").object
    assert (no["knows"], no["known_from"]) == (False, None)
    assert [c["step"] for c in no["checks"] if not c["ok"]] == ["held"]
    found = cli("why", "--text", "赤い小舟", "--story", story, "--as", "ミナ", "--at", "9", "--json").objects
    assert {one["fact_id"] for one in found[:2]} == {"s3", "s6"}
    text = cli("why", "s2", "--story", story, "--as", "ミナ", "--at", "1").out
    assert text.startswith("not known before episode 2: ミナは灯台の鍵")
    cli("why", "--story", story, "--as", "ミナ", "--at", "1", code=2)
    cli("why", "s2", "--text", "鍵", "--story", story, "--as", "ミナ", "--at", "1", code=2)
    cli("why", "not there", "--story", story, "--as", "ミナ", "--at", "1", code=3)


def test_diff_has_three_forms(cli: Cli) -> None:
    story = cli.sea()
    two = cli("diff", "--story", story, "--as", "ミナ", "--against", "Ольга", "--json").object
    assert [line["fact_id"] for line in two["only_left"]] == ["s2", "s3"]
    assert [line["fact_id"] for line in two["only_right"]] == ["s4"]
    assert two["left"]["at"] == 5, "after the last episode"
    early = cli("diff", "--story", story, "--as", "ミナ", "--against", "Ольга", "--at", "2", "--json").object
    assert [line["fact_id"] for line in early["only_left"]] == ["s2"]
    between = cli("diff", "--story", story, "--as", "ミナ", "--from", "2", "--to", "4", "--json").object
    assert [line["fact_id"] for line in between["only_right"]] == ["s3", "s5"]
    assert [(line["fact_id"], line["superseded_by"]) for line in between["superseded"]] == [("s1", "s5")]
    cli.take_in(cli.sea_folder(), "other")
    cli.put("other", 4, "赤い小舟は燃えた。")
    cli("fact", "add", "--story", "other", "--episode", "1", "--text", "塔は高い。", "--known-by", "ミナ")
    cli("sync")
    stories = cli("diff", "--story", story, "--against-story", "other", "--json").object
    assert [pair["episode_no"] for pair in stories["episodes"]] == [4]
    assert [line["text"] for line in stories["only_right"]] == ["塔は高い。"]
    assert "Only in other: 1" in cli("diff", "--story", story, "--against-story", "other").out


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--as", "ミナ"),
        ("--as", "ミナ", "--from", "1"),
        ("--as", "ミナ", "--from", "3", "--to", "2"),
        ("--as", "ミナ", "--against", "Ольга", "--from", "1", "--to", "2"),
        ("--as", "ミナ", "--at", "2", "--from", "1", "--to", "2"),
        ("--against-story", "x", "--against", "Ольга"),
        ("--as", "ミナ", "--against", "Ольга", "--json", "--csv"),
    ],
)
def test_a_diff_that_makes_no_sense_is_refused(cli: Cli, options: tuple[str, ...]) -> None:
    cli("diff", "--story", cli.sea(), *options, code=2)


def test_a_timeline_says_who_learns_it_and_who_never_does(cli: Cli) -> None:
    story = cli.sea()
    found = cli("timeline", "s2", "--story", story, "--json").object
    assert [(event["episode_no"], event["fact_id"]) for event in found["events"]] == [(1, "s2"), (3, "s4")]
    learned = {one["character_id"]: (one["episode_no"], one["known_from"]) for one in found["learned"]}
    assert learned == {"ミナ": (1, 2), "ハル ト": (None, None), "Ольга": (3, 4)}
    assert "浜野ハルト\tnever\t" in cli("timeline", "s2", "--story", story).out
    replaced = cli("timeline", "s1", "--story", story, "--json").object
    assert [(event["fact_id"], event["way"]) for event in replaced["events"]] == [
        ("s1", "fact"),
        ("s5", "replaces"),
    ]


def test_check_leaves_with_one_when_there_is_a_problem(cli: Cli) -> None:
    story = cli.sea()
    found = cli("check", "--story", story, "--json").object
    assert found["ok"]
    assert "no-evidence" in {finding["code"] for finding in found["findings"]}
    cli("fact", "edit", "s5", "--story", story, "--supersedes", "s99")
    ran = cli("check", "--story", story, "--json", code=1)
    (problem,) = (f for f in ran.object["findings"] if f["severity"] == "problem")
    assert (problem["code"], problem["fact_ids"], problem["episode_no"]) == ("missing-link", ["s5"], 3)
    assert "problem missing-link episode 3 s5" in cli("check", "--story", story, code=1).out


VIEWS = (
    ("matrix",),
    ("diff", "--as", "ミナ", "--against", "Ольга"),
    ("why", "s2", "--as", "ミナ", "--at", "3"),
    ("timeline", "s2"),
    ("check",),
)


@pytest.mark.parametrize("view", VIEWS, ids=[view[0] for view in VIEWS])
def test_every_view_opens_elsewhere(cli: Cli, view: tuple[str, ...]) -> None:
    story = cli.sea()
    ran = cli(*view, "--story", story, "--csv")
    rows = list(csv.DictReader(io.StringIO(ran.out, newline="")))
    assert rows
    assert all(None not in row and None not in row.values() for row in rows), "as wide as the head"
    page = cli(*view, "--story", story, "--html").out
    assert page.startswith('<!DOCTYPE html>\n<html lang="ja">')
    assert "http://" not in page
    assert "https://" not in page
    out = cli.db.parent / "page.html"
    wrote = cli(*view, "--story", story, "--out", out)
    assert (wrote.out, out.read_text("utf-8")) == ("", page)
    assert cli(*view, "--story", story, "--json").objects


def test_out_never_writes_over_another_sort_of_file(cli: Cli) -> None:
    story = cli.sea()
    before = cli.db.read_bytes()
    cli("matrix", "--story", story, "--html", "--out", cli.db, code=2)
    cli("matrix", "--story", story, "--csv", "--out", cli.db.parent / "x.html", code=2)
    cli("matrix", "--story", story, "--out", cli.db.parent / "no such" / "x.html", code=3)
    assert cli.db.read_bytes() == before


def test_hostile_texts_are_only_texts(cli: Cli, terminal: None) -> None:
    hostile = '<script>alert(1)</script>[bold red]x[/] "q"'
    facts = [{"fact_id": "f1", "episode_no": 1, "visibility": "public", "known_by": [], "text": hostile}]
    folder = cli.folder(
        "h", [{"episode_no": 1, "text": "x"}], facts=facts, cast=[{"id": "a", "name": "<b>A"}]
    )
    cli.take_in(folder, "h")
    page = cli("matrix", "--story", "h", "--html").out
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "[bold red]x[/]" in plain(on_screen(cli, "timeline", "f1", "--story", "h"))


def test_what_is_pending_is_warned_of(cli: Cli) -> None:
    story = cli.sea()
    cli("fact", "add", "--story", story, "--episode", "4", "--text", "x", "--known-by", "world")
    cli.put(story, 4, "赤い小舟は沖へ流れて燃えた。")
    for view in (("matrix",), ("check",), ("timeline", "s2")):
        assert "not in memory yet: episode 4" in cli(*view, "--story", story).err
    told = cli("why", "s6", "--story", story, "--as", "ミナ", "--at", "9", "--json").object
    assert next(c["step"] for c in told["checks"] if not c["ok"]) == "in_memory"


def test_the_stories_that_come_along_have_no_problem(cli: Cli, shelf: Shelf) -> None:
    for name in ("yoimachi", "lantern-isle"):
        cli.take_in(shelf[name], name)
        assert cli("check", "--story", name, "--json").object["counts"]["problem"] == 0


def test_a_branch_differs_from_canon_after_the_fork_alone(cli: Cli) -> None:
    story = cli.sea()
    cli("story", "branch", "add", "if", "--of", story, "--after", "2")
    cli.put("if", 3, "赤い小舟は燃えた。")
    cli("sync")
    found = cli("story", "branch", "diff", "if", "--json").object
    assert (found["left"], found["right"], found["shared_episodes"]) == (story, "if", 2)
    assert [pair["episode_no"] for pair in found["episodes"]] == [3, 4]
    assert {line["fact_id"] for line in found["only_left"]} == {"s4", "s5", "s6"}
    assert {line["episode_no"] for line in found["only_right"]} <= {3}
    assert cli("diff", "--story", story, "--against-story", "if", "--json").object == found
    after = cli("why", "s4", "--story", "if", "--as", "Ольга", "--at", "9", "--json").object
    assert [c["step"] for c in after["checks"] if not c["ok"]] == ["live"]
    shared = cli("why", "s2", "--story", "if", "--as", "ミナ", "--at", "2", "--json").object
    assert shared["knows"]
    rows = {row["holder"]: row for row in cli("matrix", "--story", "if", "--json").object["rows"]}
    assert [cell["episode_no"] for cell in rows["ミナ"]["cells"]][:2] == [1, 2]
    cli("story", "branch", "diff", story, code=3)


def test_the_summary_of_the_matrix_tells_who_knows_what_of_whom(cli: Cli) -> None:
    story = cli.sea()
    whole = cli("matrix", "--story", story, "--summary", "--json").object
    early = cli("matrix", "--story", story, "--summary", "--at", "2", "--json").object
    assert (whole["at"], early["at"]) == (None, 2)
    assert len(early["facts"]) < len(whole["facts"])
    for found in (whole, early):
        counted = {fact for one in found["subjects"] for fact in one["fact_ids"]}
        assert counted == {fact["fact_id"] for fact in found["facts"]}
    table = cli("matrix", "--story", story, "--summary").table
    assert len(table) >= 1
    written = cli("matrix", "--story", story, "--summary", "--csv").out
    assert written.splitlines()[0].startswith("subject,name,facts,everybody,character,own,total")
    cli("matrix", "--story", story, "--summary", "--from", "2", code=2)
    cli("matrix", "--story", story, "--at", "2", code=2)


def test_an_impact_is_told_and_nothing_is_stored(cli: Cli, tmp_path: Path) -> None:
    story = tmp_path / "pier"
    story.mkdir()
    (story / "1.txt").write_text("[[known-by: ann]] Ann hid the key.", encoding="utf-8")
    (story / "cast.json").write_text('{"characters": [{"id": "ann", "name": "Ann"}]}', encoding="utf-8")
    cli("story", "import", story, "--story", "pier", "--embedder", "hash")
    cli("sync")
    new = tmp_path / "new.txt"
    new.write_text("[[known-by: ann]] Ann lost the key.", encoding="utf-8")
    gold = tmp_path / "gold.jsonl"
    probe = {
        "question": "Where is the key?",
        "character": "ann",
        "episode_no": 2,
        "must_include_any": ["hid"],
    }
    gold.write_text(json.dumps(probe) + "\n", encoding="utf-8")
    found = cli("impact", new, "--story", "pier", "--no", "1", "--gold", gold, "--json").object
    assert [(fact["change"], fact["before"], fact["after"]) for fact in found["facts"]] == [
        ("new", [], ["ann"]),
        ("gone", ["ann"], []),
    ]
    assert [(one["met_before"], one["met_after"]) for one in found["probes"]] == [(True, False)]
    ran = cli("impact", new, "--story", "pier", "--no", "1")
    assert "Nothing was stored." in ran.out
    assert "Ann hid the key." in cli("episode", "show", "--story", "pier", "--no", "1").out
    cli("impact", new, "--story", "none", "--no", "1", code=3)


def test_guessed_contradictions_fail_only_a_strict_check(cli: Cli, tmp_path: Path) -> None:
    story = tmp_path / "isle"
    story.mkdir()
    (story / "1.txt").write_text("[[known-by: public]] Ann was long dead and buried.", encoding="utf-8")
    (story / "2.txt").write_text("[[known-by: public]] Ann laughed and ran for the pier.", encoding="utf-8")
    (story / "cast.json").write_text('{"characters": [{"id": "ann", "name": "Ann"}]}', encoding="utf-8")
    cli("story", "import", story, "--story", "isle", "--embedder", "hash")
    cli("sync")
    ran = cli("check", "--story", "isle")
    assert "episode 1, paragraph 1: Ann was long dead and buried." in ran.out
    assert "episode 2, paragraph 1: Ann laughed and ran for the pier." in ran.out
    cli("check", "--story", "isle", "--strict", code=1)
    (finding,) = [
        one for one in cli("check", "--story", "isle", "--json").object["findings"] if one["guessed"]
    ]
    assert [quoted["episode_no"] for quoted in finding["quotes"]] == [1, 2]
    assert finding["quotes"][0]["start"] == len("[[known-by: public]] ")
