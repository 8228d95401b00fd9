"""`kataribe bench privacy`: personal data counted where they are marked, and where nothing is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kataribe.bench.cli import app
from kataribe.bench.privacy import ALL, MarkedLine, PrivacyFigure, figures, marked_lines, unmarked
from kataribe.errors import FormatError, InputError
from support.json_shapes import check_lines


def written(file: Path, *rows: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def row(text: str, *expected: tuple[str, str], language: str = "en") -> dict[str, object]:
    return {"language": language, "text": text, "expected": [list(one) for one in expected]}


def whole(lines: tuple[MarkedLine, ...]) -> PrivacyFigure:
    return next(one for one in figures(lines) if one.kind == ALL)


def test_what_is_missed_and_what_is_found_besides_is_counted(tmp_path: Path) -> None:
    written(
        tmp_path / "lines.jsonl",
        row("jane@example.com", ("email", "jane@example.com")),
        row("call 415-555-2671 or jane@example.com", ("phone", "415-555-2671")),
        row("my cat is called Tom", ("name", "Tom")),
    )
    found = whole(marked_lines(tmp_path))
    assert (found.marked, found.found, found.right) == (3, 3, 2)
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == pytest.approx(2 / 3)


def test_a_span_that_is_cut_short_is_not_right(tmp_path: Path) -> None:
    written(tmp_path / "lines.jsonl", row("電話は090-1234-5678", ("phone", "090-1234"), language="ja"))
    found = whole(marked_lines(tmp_path))
    assert (found.marked, found.found, found.right) == (1, 1, 0)


def test_words_that_stand_twice_are_taken_in_their_order(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", row("a@b.jp a@b.jp", ("email", "a@b.jp"), ("email", "a@b.jp")))
    (line,) = marked_lines(tmp_path)
    assert line.marked == (("email", 0, 6), ("email", 7, 13))


@pytest.mark.parametrize(
    "wrong",
    [
        {"language": "fr", "text": "a", "expected": []},
        {"language": "en", "text": 1, "expected": []},
        {"language": "en", "text": "a", "expected": [["email", "b"]]},
        {"language": "en", "text": "a", "expected": ["email"]},
        {"language": "en", "text": "a"},
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, wrong: object) -> None:
    file = written(tmp_path / "lines.jsonl", row("a"), wrong)
    with pytest.raises(FormatError) as refused:
        marked_lines(tmp_path)
    assert (refused.value.file, refused.value.line) == (str(file), 2)


def test_a_folder_without_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.jsonl file"):
        marked_lines(tmp_path)


def test_lines_without_marks_are_counted(tmp_path: Path) -> None:
    rows = ({"text": "a@b.jp"}, {"text": "rain"}, {"id": 3})
    counted = unmarked(written(tmp_path / "said.jsonl", *rows))
    assert (counted["lines"], counted["characters"], counted["found"]) == (2, 10, {"email": 1})


def test_the_command_prints_both_languages_from_what_is_bundled(tmp_path: Path) -> None:
    said = written(tmp_path / "said.jsonl", {"text": "rain"})
    ran = CliRunner().invoke(app, ["privacy", "--lines", str(said), "--json"])
    assert ran.exit_code == 0, ran.output
    check_lines(("bench", "privacy"), ran.stdout)
    shown = json.loads(ran.stdout)
    assert {one["language"] for one in shown["figures"] if one["kind"] == ALL} == {"ja", "en"}
    plain = CliRunner().invoke(app, ["privacy", "--lines", str(said)]).stdout
    assert "said.jsonl: 1 lines, 4 characters: nothing" in plain
