"""`kataribe bench holders`: guesses held against notes of who is there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kataribe.bench.cli import app
from kataribe.bench.presence import ALL, PresenceFigures, figures, judge, noted_works
from kataribe.domain.evidence import AudienceMode
from kataribe.errors import FormatError, InputError
from kataribe.wiring import default_extractor
from support.json_shapes import check_lines

EPISODES = [
    {
        "episode_no": 1,
        "text": "Nora came in and laughed.\n\nFelix’s letter lay on the table.\n\nNora read it.",
    },
    {"episode_no": 2, "text": "It rained."},
]
CAST = [{"id": "nora", "name": "Nora"}, {"id": "felix", "name": "Felix"}]
NOTES = [
    {"episode_no": 1, "from": "1-1", "to": "1-1", "present": ["nora", "felix"]},
    {"episode_no": 1, "from": "1-2", "to": "1-3", "present": ["nora"]},
]


def write(folder: Path, **files: Sequence[Mapping[str, object]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        is_cast = name == "cast"
        lines = json.dumps(rows) if is_cast else "\n".join(json.dumps(one) for one in rows)
        (folder / f"{name}.{'json' if is_cast else 'jsonl'}").write_text(lines, encoding="utf-8")
    return folder


def whole(made: list[PresenceFigures], mode: AudienceMode) -> PresenceFigures:
    return next(one for one in made if (one.mode, one.evidence, one.episode) == (mode, ALL, None))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "data" / "tale", episodes=EPISODES, cast=CAST, presence=NOTES)
    return tmp_path / "data"


def test_guesses_are_pairs_of_a_sentence_and_a_holder(data: Path) -> None:
    (work,) = noted_works(data)
    made = list(figures(judge(work, default_extractor())))
    evident = whole(made, AudienceMode.EVIDENT)
    assert (evident.work, evident.sentences, evident.noted) == ("tale", 3, 4)
    assert (evident.guessed, evident.right, evident.precision, evident.recall) == (3, 3, 1.0, 0.75)
    assert (evident.waiting, evident.missed, evident.to_world) == (0, 0, 0)
    assert [one.episode for one in made if one.mode == "evident" and one.evidence == ALL] == [None, 1]


def test_a_mode_that_is_surer_guesses_no_more(data: Path) -> None:
    (work,) = noted_works(data)
    made = list(figures(judge(work, default_extractor())))
    guessed = [
        whole(made, mode).guessed for mode in (AudienceMode.STRICT, AudienceMode.EVIDENT, AudienceMode.WIDE)
    ]
    assert guessed == sorted(guessed)


def test_kinds_of_evidence_sum_up_to_the_whole(data: Path) -> None:
    (work,) = noted_works(data)
    made = list(figures(judge(work, default_extractor())))
    for mode in AudienceMode:
        kinds = [one for one in made if one.mode == mode and one.evidence != ALL]
        assert sum(one.guessed for one in kinds) == whole(made, mode).guessed
        assert sum(one.right for one in kinds) == whole(made, mode).right


def test_notes_and_cast_may_stand_elsewhere(tmp_path: Path) -> None:
    data = write(tmp_path / "data" / "tale", episodes=EPISODES)
    write(tmp_path / "notes" / "tale", cast=CAST, presence=NOTES)
    assert [work.name for work in noted_works(data, tmp_path / "notes")] == ["tale"]
    with pytest.raises(InputError, match="--notes"):
        noted_works(data)


def test_notes_that_name_no_paragraph_are_refused(tmp_path: Path) -> None:
    notes = [{"episode_no": 1, "from": "1-1", "to": "1-9", "present": []}]
    data = write(tmp_path / "tale", episodes=EPISODES, cast=CAST, presence=notes)
    (work,) = noted_works(data)
    with pytest.raises(InputError, match="no paragraph '1-9'"):
        judge(work, default_extractor())


def test_malformed_notes_are_refused(tmp_path: Path) -> None:
    notes = [{"episode_no": 1, "from": "1-1", "to": "1-1", "present": "nora"}]
    data = write(tmp_path / "tale", episodes=EPISODES, cast=CAST, presence=notes)
    with pytest.raises(FormatError, match="present must be a list"):
        noted_works(data)


def test_the_command_prints_a_table_or_an_object(data: Path) -> None:
    runner = CliRunner()
    table = runner.invoke(app, ["holders", "--data", str(data)])
    assert table.exit_code == 0, table.output
    assert {"strict", "evident", "wide"} <= set(table.output.split())
    printed = runner.invoke(app, ["holders", "--data", str(data), "--json"]).stdout
    check_lines(["bench", "holders", "--json"], printed)
    told = json.loads(printed)
    assert told["bench"] == "holders"
    assert {"precision", "recall", "evidence", "mode", "work"} <= set(told["figures"][0])
