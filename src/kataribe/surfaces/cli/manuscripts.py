"""What `story import` says of manuscripts: what was left out, what was not cut, and a dry run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.store import CHOICE, opened

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show the episodes, scenes and cast found; change nothing.")
]
_MOST_NAMES = 8
_MEMORY = ":memory:"


@contextmanager
def opened_for(*, dry_run: bool) -> Iterator[face.Kataribe]:
    """Open the store; a dry run makes none where there is none."""
    chosen = from_environment(CHOICE.path, policy=CHOICE.policy)
    if dry_run and chosen.ledger == "sqlite" and chosen.path != _MEMORY and not Path(chosen.path).exists():
        with face.open(settings=replace(chosen, path=_MEMORY)) as kataribe:
            yield kataribe
        return
    with opened() as kataribe:
        yield kataribe


def say_manuscript(report: face.ImportReport) -> None:
    """Say what was left out of the files, and which long texts stayed one episode."""
    files: dict[str, list[str]] = {}
    for one in report.left_out:
        lines = "" if one.first is None else f" (lines {one.first} to {one.last})"
        files.setdefault(one.file, []).append(f"{one.what.value}{lines}")
    for file, found in files.items():
        output.note(f"left out of {file}: {', '.join(found)}")
    for warning in uncut_warnings(report):
        output.warn(warning)


def uncut_warnings(report: face.ImportReport) -> list[str]:
    """Tell of the long texts that stayed one episode, a sentence each."""
    return [
        f"{long.file} is one episode of {long.characters:,} characters: {_why(long)}" for long in report.uncut
    ]


def _why(long: face.Uncut) -> str:
    if long.headings > 1:
        return (
            f"{long.headings} headings were found in it, but each file of a folder with several is an "
            f"episode; import it alone to cut it at them"
        )
    return (
        "no headings were found in it; where each episode begins, put one on a line of its own, "
        "as `# Title`, `第一話` or `Chapter 1`"
    )


def show_preview(preview: face.ImportPreview) -> None:
    """Print the episodes that an import would make, and who might be missing from the cast."""
    rows = [
        (one.no, one.title, one.characters, one.scenes, _counted(one.cast), _place(one))
        for one in preview.episodes
    ]
    output.table("", ("no", "title", "characters", "scenes", "cast", "from"), rows)
    if preview.strangers:
        output.note(f"named like people, and not in the cast: {_counted(preview.strangers)}")


def _counted(names: Mapping[str, int]) -> str:
    ordered = sorted(names.items(), key=lambda one: (-one[1], one[0]))
    shown = ", ".join(f"{name} {count}" for name, count in ordered[:_MOST_NAMES])
    return f"{shown}, and {len(ordered) - _MOST_NAMES} more" if len(ordered) > _MOST_NAMES else shown


def _place(one: face.EpisodePreview) -> str:
    return one.file if one.line is None else f"{one.file}:{one.line}"
