"""Ranges in `visibility.jsonl`: one line for many episodes, read against their numbers as they come in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.terms import PUBLIC, Audience
from kataribe.formats.folder import read_folder
from kataribe.formats.given import annotations_given
from support.stores import empty_store, services

TEXT = {"en": "Ann came.\n\nBen left.", "ja": "アンが来た。\n\nベンは去った。"}


def folder(
    path: Path, rows: Sequence[Mapping[str, object]], numbers: tuple[int, ...] = (1, 2, 3, 5, 6)
) -> Path:
    path.mkdir(exist_ok=True)
    told = [{"episode_no": no, "text": TEXT["ja" if no % 2 else "en"]} for no in numbers]
    for name, lines in (("episodes", told), ("visibility", rows)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return path


def said(path: Path) -> dict[tuple[int, str | None], Audience]:
    found = read_folder(path)
    return {(row.episode_no, row.paragraph_id): row.audience for row in found.visibility or ()}


ANN, BEN = kataribe.known_by("ann"), kataribe.known_by("ben")


def test_a_range_speaks_of_every_episode_there_is_in_it(tmp_path: Path) -> None:
    path = folder(tmp_path, [{"episode_no": 2, "to": 5, "known_by": ["ann"], "tone": "low"}])
    assert said(path) == {(2, None): ANN, (3, None): ANN, (5, None): ANN}
    assert {row.extra["tone"] for row in read_folder(path).visibility or ()} == {"low"}


def test_a_row_of_an_episodes_own_goes_before_a_range(tmp_path: Path) -> None:
    path = folder(
        tmp_path,
        [
            {"episode_no": 3, "known_by": "public"},
            {"episode_no": 1, "to": 3, "known_by": ["ann"]},
            {"episode_no": 5, "to": 9, "known_by": ["ben"]},
            {"episode_no": 1, "paragraph_id": "1-2", "known_by": ["ben"]},
        ],
    )
    assert said(path) == {
        (3, None): PUBLIC, (1, "1-2"): BEN,
        (1, None): ANN, (2, None): ANN, (5, None): BEN, (6, None): BEN,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        ([(1, 3), (3, 5)], 2, "episodes 3 to 3 are in the range of line 1 too"),
        ([(5, 6), (1, 9)], 1, "episodes 5 to 6 are in the range of line 2 too"),
        ([(1, 3), (4, 4)], 2, "no episode from 4 to 4"),
        ([(3, 2)], 1, "ends at episode 2 before it begins at 3"),
    ],
)
def test_a_range_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, rows: list[tuple[int, int]], line: int, says: str
) -> None:
    lines = [{"episode_no": since, "to": to, "known_by": ["ann"]} for since, to in rows]
    with pytest.raises(kataribe.FormatError, match=says) as caught:
        read_folder(folder(tmp_path, lines))
    assert f"visibility.jsonl:{line}" in str(caught.value)


def test_a_range_has_no_paragraph_and_comes_with_no_single_episode(tmp_path: Path) -> None:
    row = {"episode_no": 1, "to": 2, "paragraph_id": "1-1", "known_by": ["ann"]}
    with pytest.raises(kataribe.FormatError, match="a range speaks of whole episodes"):
        read_folder(folder(tmp_path, [row]))
    with pytest.raises(kataribe.FormatError, match="comes with one; leave to out"):
        annotations_given([{"episode_no": 1, "to": 2, "known_by": ["ann"]}])


def test_a_range_becomes_the_annotations_of_its_episodes(tmp_path: Path) -> None:
    """They follow their episodes, and an export says them one by one."""
    path = folder(tmp_path / "in", [{"episode_no": 2, "to": 3, "known_by": ["ann"]}])
    with kataribe.open(str(empty_store(tmp_path / "store.db")), services=services()) as store:
        story = store.story("s")
        story.import_folder(path, embedder="hash")
        story.episodes.insert(no=3, text="Nobody came.")
        story.sync()
        holders = {row.episode_no: row.holder for row in story.facts.list()}
        assert (holders[2], holders[4]) == ("ann", "ann")
        assert holders[3] != "ann"
        story.export(tmp_path / "out")
    assert said(tmp_path / "out") == {(2, None): ANN, (4, None): ANN}
