"""`kataribe sync`, `recall`, `known`, `verify`, `rebuild`, `backup`, `trace` and `doctor`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.shown import recollection_json
from kataribe.errors import FormatError, KataribeError
from kataribe.formats.probes import Question, QuestionError, read_questions
from kataribe.surfaces.cli import explain as explain_table
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import (
    AsOption,
    AtOption,
    BaseUrlOption,
    JsonOption,
    OptionalStory,
    StoryOption,
)
from kataribe.surfaces.cli.store import CHOICE, opened

TopKOption = Annotated[int, typer.Option("--top-k", metavar="K", min=1, max=1000, help="How many at most.")]
FilterOption = Annotated[
    str | None,
    typer.Option("--filter", metavar="JSON", help='AND-ed with the gate, e.g. {"importance": {"$gte": 4}}.'),
]


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    for name, command in (
        ("sync", sync),
        ("recall", recall),
        ("known", known),
        ("verify", verify),
        ("rebuild", rebuild),
        ("backup", backup),
        ("trace", trace),
        ("doctor", doctor),
    ):
        app.command(name)(command)


def sync(
    story_id: OptionalStory = None,
    workers: Annotated[
        int,
        typer.Option("--workers", metavar="N", min=1, max=64, help="How many work at a time."),
    ] = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed too often.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Guess what models would be asked, and do nothing.")
    ] = False,
    base_url: BaseUrlOption = None,
) -> None:
    """Bring memory up to the texts; it can be stopped and run again."""
    with opened(base_url=base_url) as kataribe:
        if dry_run:
            _say_estimates(kataribe.estimate(story_id))
            return
        report = kataribe.sync(story_id, workers=workers, retry=retry, progress=output.progress())
    _say(report)


def rebuild(
    story_id: OptionalStory = None,
    extract_again: Annotated[
        bool,
        typer.Option("--extract-again", help="Read unchanged texts anew too; models are asked again."),
    ] = False,
    base_url: BaseUrlOption = None,
) -> None:
    """Make all memories and vectors again from the inputs, with equal ids."""
    with opened(base_url=base_url) as kataribe:
        report = kataribe.rebuild(story_id, extract_again=extract_again, progress=output.progress())
    _say(report)


def _say_estimates(found: tuple[face.Estimate, ...]) -> None:
    rows = [
        (
            one.story_id,
            one.model,
            one.due,
            one.to_read,
            one.usage.calls,
            one.usage.input_tokens,
            one.usage.output_tokens,
            _price(one.usage),
        )
        for one in found
    ]
    head = ("story", "model", "due", "to read", "calls", "tokens in", "tokens out", "cost")
    output.table("", head, rows)


def _price(usage: face.Usage) -> str:
    return "unknown" if usage.cost is None else f"{usage.cost:.4f} USD"


def _say_usage(report: face.SyncReport) -> None:
    usage = report.usage
    if usage.calls:
        output.note(
            f"{output.count(usage.calls, 'call')} of models: {usage.input_tokens} tokens in, "
            f"{usage.output_tokens} out, {usage.seconds:.1f} s, cost {_price(usage)}"
        )
    if report.refused:
        output.warn(f"{output.count(report.refused, 'fact')} of a model's refused")


def _say(report: face.SyncReport) -> None:
    for story in sorted(report.open_stories):
        output.warn(f"{story} has neither cast nor annotations: what its texts say is everybody's")
    if report.in_review:
        output.warn(f"{output.count(report.in_review, 'fact')} in review: see `kataribe fact review`")
    output.note(
        f"{output.count(report.done, 'episode')} brought up, {output.count(report.embedded, 'text')} embedded"
    )
    _say_usage(report)
    for (story, no), reason in sorted({**report.failed, **report.dead}.items()):
        output.note(f"error: {story} episode {no}: {reason}")
    if report.dead or report.failed:
        output.note(
            "these episodes are not in memory (`kataribe work list --dead`); "
            "mend the cause and run `kataribe sync --retry`"
        )
        raise typer.Exit(1)


def recall(
    story_id: StoryOption,
    question: Annotated[str | None, typer.Argument(metavar="QUESTION")] = None,
    character: Annotated[
        str | None, typer.Option("--as", metavar="CHARACTER", help="Who remembers: a character's id.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="The episode they are in; they know up to N-1."),
    ] = None,
    top_k: TopKOption = 10,
    where: FilterOption = None,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", metavar="FILE", help="Lines of qid, question, character, episode_no."),
    ] = None,
    as_json: JsonOption = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how the result came about.")] = False,
) -> None:
    """Ask what a character remembers at an episode."""
    parsed = _filter(where)
    if batch is not None:
        if question is not None or character is not None or at is not None:
            raise typer.BadParameter("--batch takes questions, characters and episodes from its file alone")
        _batch(batch, story_id, top_k, parsed)
        return
    if question is None or character is None or at is None:
        raise typer.BadParameter("give a QUESTION with --as and --at, or --batch FILE")
    with opened() as kataribe:
        found = kataribe.recall(
            question,
            story_id=story_id,
            character=character,
            at=at,
            top_k=top_k,
            where=parsed,
            explain=explain,
        )
    _warn(found)
    if as_json:
        output.json_line(recollection_json(found))
    else:
        _print_hits(found)


def _filter(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"--filter is not JSON: {error.msg} at character {error.pos}") from error
    if not isinstance(value, dict):
        raise typer.BadParameter("--filter must be a JSON object")
    return value


def _batch(file: Path, story_id: str, top_k: int, where: dict[str, object] | None) -> None:
    failed = False
    with opened() as kataribe:
        kataribe.story(story_id)
        for _, asked in read_questions(file):
            try:
                if isinstance(asked, FormatError):
                    raise asked
                found = kataribe.recall(
                    asked.text,
                    story_id=story_id,
                    character=asked.character,
                    at=asked.at,
                    top_k=top_k,
                    where=where,
                )
            except KataribeError as error:
                failed = True
                output.json_line({"qid": _qid(asked), "error": str(error)})
                continue
            _warn(found)
            output.json_line({"qid": asked.qid, **recollection_json(found)})
            sys.stdout.flush()
    if failed:
        raise typer.Exit(1)


def _qid(asked: Question | QuestionError) -> str | None:
    return asked.qid


def _warn(found: face.Recollection) -> None:
    viewer = found.viewer
    if not isinstance(viewer, face.Viewer):
        if found.pending_turns:
            output.warn(
                f"not in memory yet: {found.pending_turns} turns; run `kataribe sync --user {viewer.user}`"
            )
        return
    if not found.in_cast:
        output.warn(
            f"{viewer.character!r} is not in the cast of {viewer.story} at episode {viewer.at}: "
            f"only what everybody knows is given"
        )
    if found.pending_episodes:
        numbers = ", ".join(str(no) for no in found.pending_episodes)
        output.warn(f"not in memory yet: episode {numbers}; run `kataribe sync --story {viewer.story}`")


def _print_hits(found: face.Recollection) -> None:
    if not found.hits:
        output.note("nothing to recall")
    if found.explanation is not None:
        explain_table.show(found, found.explanation)
        return
    rows = [
        (
            "" if hit.score is None else f"{hit.score:.3f}",
            hit.episode_no,
            "everybody" if hit.scope == "world" else f"{hit.character_id} *",
            hit.text,
        )
        for hit in found.hits
    ]
    if rows:
        output.table("", ("score", "episode", "known to", "text"), rows)


def known(
    story_id: StoryOption,
    character: AsOption,
    at: AtOption,
    where: FilterOption = None,
    as_json: JsonOption = False,
) -> None:
    """List everything a character may know at an episode."""
    with opened() as kataribe:
        found = kataribe.known(story_id=story_id, character=character, at=at, where=_filter(where))
    _warn(found)
    if as_json:
        output.json_line(recollection_json(found, ranked=False))
        return
    if not found.hits:
        output.note("nothing is known")
        return
    rows = [
        (
            hit.episode_no,
            "everybody" if hit.scope == "world" else f"{hit.character_id} *",
            hit.text,
            "" if hit.superseded_by is None else f"superseded by {hit.superseded_by}",
        )
        for hit in found.hits
    ]
    output.table("", ("episode", "known to", "text", ""), rows)


def verify(as_json: JsonOption = False, story_id: OptionalStory = None) -> None:
    """Compare memory with what the inputs make of it."""
    with opened() as kataribe:
        found = kataribe.verify(story_id)
    if as_json:
        output.json_line(
            {
                "ok": found.ok,
                "stories": found.stories,
                "episodes": found.episodes,
                "memories": found.memories,
                "pending": found.pending,
                "problems": list(found.problems),
            }
        )
    else:
        output.result(
            f"{'sound' if found.ok else 'NOT SOUND'}: {found.stories} stories, {found.episodes} episodes "
            f"({found.pending} pending), {found.memories} memories, {len(found.problems)} problems"
        )
        for problem in found.problems:
            output.result(problem)
    if not found.ok:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that does not exist yet.")],
) -> None:
    """Write a consistent copy without vectors, while others may write."""
    with opened() as kataribe:
        kataribe.backup(file)
    output.note(f"wrote {file}; `kataribe --db {file} sync` makes its vectors again")


def trace(
    story_id: StoryOption,
    last: Annotated[int, typer.Option("--last", min=1, help="How many, newest first.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Show the last searches: who asked behind which slices, and how much came back."""
    with opened() as kataribe:
        found = kataribe.traces(story_id, last=last)
    if as_json:
        for one in found:
            output.json_line(
                {
                    "at": one.at,
                    "verb": one.verb,
                    "character": one.character,
                    "episode_no": one.episode_no,
                    "filter": one.filter,
                    "slices": list(one.slices),
                    "ids": list(one.ids),
                }
            )
        return
    rows = [(t.at, t.verb, t.character, t.episode_no, "; ".join(t.slices), len(t.ids)) for t in found]
    output.table("", ("at", "verb", "as", "at episode", "slices", "hits"), rows)


def doctor() -> None:
    """Say what is installed, which back ends are active and what to do about what is missing."""
    rows, is_well = face.examine(CHOICE.path)
    output.table("", ("what", "state", "do"), rows)
    if not is_well:
        raise typer.Exit(1)
