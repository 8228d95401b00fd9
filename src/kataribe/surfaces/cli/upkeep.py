"""`kataribe sync`, `verify`, `rebuild`, `trace` and `doctor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.space import user_space
from kataribe.formats.wire.store import verification_json
from kataribe.formats.wire.story import trace_json
from kataribe.formats.wire.work import deployment_check_json, diagnosis_json, estimate_json, sync_report_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import BaseUrlOption, JsonOption, OptionalLibrary, OptionalStory
from kataribe.surfaces.cli.store import CHOICE, opened
from kataribe.surfaces.cli.user_sync import bring_up, chosen_users, say_talk
from kataribe.surfaces.cli.viewers import OneUser, OptionalUser, ViewedStory


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    for name, command in (
        ("sync", sync),
        ("verify", verify),
        ("rebuild", rebuild),
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
    user_id: OneUser = None,
    library_id: OptionalLibrary = None,
    as_json: JsonOption = False,
) -> None:
    """Bring memory up to texts, conversations and documents; it can be stopped and run again."""
    with opened(base_url=base_url) as kataribe:
        if dry_run:
            _say_estimates(kataribe.admin.estimate(story=story_id), as_json=as_json)
            return
        report = kataribe.sync(
            story=story_id,
            user=user_id,
            library=library_id,
            workers=workers,
            retry=retry,
            progress=output.progress(),
        )
    if as_json:
        output.json_line(sync_report_json(report))
    has_stories = story_id is not None or (user_id is None and library_id is None)
    _say(report, has_stories=has_stories, has_turns=user_id is not None)


def rebuild(
    story_id: OptionalStory = None,
    extract_again: Annotated[
        bool,
        typer.Option("--extract-again", help="Read unchanged texts anew too; models are asked again."),
    ] = False,
    base_url: BaseUrlOption = None,
    user_id: OneUser = None,
    library_id: OptionalLibrary = None,
    as_json: JsonOption = False,
) -> None:
    """Make all memories and vectors again from the inputs, with equal ids."""
    with opened(base_url=base_url) as kataribe:
        libraries = _chosen_libraries(kataribe, library_id, has_others=bool(user_id or story_id))
        users = [] if library_id and not user_id else chosen_users(kataribe, user_id, story_id)
        written = [kataribe.library(one).rebuild() for one in libraries]
        talk = {one: bring_up(kataribe, one, anew=True) for one in users}
        report = None
        if story_id is not None or (user_id is None and library_id is None):
            report = kataribe.admin.rebuild(
                story=story_id, extract_again=extract_again, progress=output.progress()
            )
    if as_json:
        told = _with_documents(report or face.SyncReport(), written)
        output.json_line(sync_report_json(_with_talk(told, talk)))
    done = [say_talk(one, found) for one, found in talk.items()]
    for one in written:
        _say(one, has_stories=False)
    if report is not None:
        _say(report)
    if not all(done):
        raise typer.Exit(1)


def _chosen_libraries(kataribe: face.Kataribe, library_id: str | None, *, has_others: bool) -> list[str]:
    """Give the library that was named; all of them when nothing was."""
    if library_id is not None:
        return [library_id]
    return [] if has_others else [one.library_id for one in kataribe.libraries()]


def _with_documents(report: face.SyncReport, written: Sequence[face.SyncReport]) -> face.SyncReport:
    """Give a report of documents beside what was told."""
    return replace(
        report,
        documents=sum(one.documents for one in written),
        embedded=report.embedded + sum(one.embedded for one in written),
        failed_documents={key: why for one in written for key, why in one.failed_documents.items()},
        dead_documents={key: why for one in written for key, why in one.dead_documents.items()},
    )


def _with_talk(report: face.SyncReport, talk: Mapping[str, face.TalkReport]) -> face.SyncReport:
    """Give a report of what was said beside what was told."""
    failed = {
        (user_space(user), unit): why for user, found in talk.items() for unit, why in found.failed.items()
    }
    return replace(
        report,
        pages=report.pages + sum(found.pages for found in talk.values()),
        embedded=report.embedded + sum(found.embedded for found in talk.values()),
        usage=sum((found.usage for found in talk.values()), report.usage),
        failed_turns={**report.failed_turns, **failed},
    )


def _say_estimates(found: tuple[face.Estimate, ...], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            output.json_line(estimate_json(one))
        return
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


def _say(report: face.SyncReport, *, has_stories: bool = True, has_turns: bool = False) -> None:
    for story in sorted(report.open_stories):
        output.warn(f"{story} has neither cast nor annotations: what its texts say is everybody's")
    if report.in_review:
        output.warn(f"{output.count(report.in_review, 'fact')} in review: see `kataribe fact review`")
    done = [f"{output.count(report.done, 'episode')} brought up"] if has_stories else []
    if report.pages or has_turns:
        done.append(f"{output.count(report.pages, 'unit')} of turns remembered")
    if report.documents or not (has_stories or has_turns):
        done.append(f"{output.count(report.documents, 'document')} remembered")
    output.note(", ".join((*done, f"{output.count(report.embedded, 'text')} embedded")))
    _say_usage(report)
    for (story, no), reason in sorted(report.spared.items()):
        output.warn(f"{story} episode {no}: {reason}")
    for (story, no), reason in sorted({**report.failed, **report.dead}.items()):
        output.note(f"error: {story} episode {no}: {reason}")
    turns = sorted({**report.failed_turns, **report.dead_turns}.items())
    for (space, unit), reason in turns:
        output.note(f"error: {space} {unit}: {reason}")
    documents = sorted({**report.failed_documents, **report.dead_documents}.items())
    for (space, name), reason in documents:
        output.note(f"error: {space} {name}: {reason}")
    failed = {"episodes": {**report.dead, **report.failed}, "turns": turns, "documents": documents}
    lacking = [what for what, found in failed.items() if found]
    if lacking:
        output.note(
            f"these {' and '.join(lacking)} are not in memory (`kataribe work list --dead`); "
            "mend the cause and run `kataribe sync --retry`"
        )
        raise typer.Exit(1)


def verify(
    as_json: JsonOption = False,
    story_id: OptionalStory = None,
    user_id: OneUser = None,
    library_id: OptionalLibrary = None,
) -> None:
    """Compare memory with what the inputs make of it."""
    if sum(one is not None for one in (story_id, user_id, library_id)) > 1:
        raise typer.BadParameter("--story, --user and --library exclude each other: look at one, or at all")
    with opened() as kataribe:
        found = _verified(kataribe, story_id, user_id, library_id)
    if as_json:
        output.json_line(verification_json(found))
    else:
        output.result(
            f"{'sound' if found.ok else 'NOT SOUND'}: {found.stories} stories, {found.episodes} episodes "
            f"({found.pending} pending), {_talk_of(found)}{_written_of(found)}{found.memories} memories, "
            f"{len(found.problems)} problems"
        )
        for problem in found.problems:
            output.result(problem)
    if not found.ok:
        raise typer.Exit(1)


def _verified(
    kataribe: face.Kataribe, story_id: str | None, user_id: str | None, library_id: str | None
) -> face.Verification:
    if library_id is not None:
        return kataribe.library(library_id).verify()
    if user_id is not None:
        return kataribe.user(user_id).verify()
    return kataribe.verify() if story_id is None else kataribe.story(story_id).verify()


def _talk_of(found: face.Verification) -> str:
    if not found.users:
        return ""
    return f"{found.users} users, {found.turns} turns ({found.pending_turns} pending), "


def _written_of(found: face.Verification) -> str:
    if not found.libraries:
        return ""
    return f"{found.libraries} libraries, {found.documents} documents ({found.pending_documents} pending), "


def trace(
    story_id: ViewedStory = None,
    user: OptionalUser = None,
    library_id: OptionalLibrary = None,
    last: Annotated[int, typer.Option("--last", min=1, help="How many, newest first.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Show the last searches: who asked behind which slices, and how much came back."""
    if sum(one is not None for one in (story_id, user, library_id)) != 1:
        raise typer.BadParameter(
            "name either a story with --story, a user with --user or a library with --library"
        )
    with opened() as kataribe:
        found = kataribe.admin.traces(story=story_id, user=user, library=library_id, last=last)
    if as_json:
        for one in found:
            output.json_line(trace_json(one))
        return
    has_both = any(one.user is not None and one.story for one in found)
    if has_both:
        head: tuple[str, ...] = ("at episode", "as of")
        placed: list[tuple[object, ...]] = [(one.episode_no or "", one.as_of) for one in found]
    else:
        head = ("at episode",) if user is None else ("as of",)
        placed = [(one.as_of or one.episode_no or "",) for one in found]
    rows = [
        (
            one.at,
            one.verb,
            "reader" if one.is_reader else one.character,
            *place,
            "; ".join(one.slices),
            len(one.ids),
        )
        for one, place in zip(found, placed, strict=True)
    ]
    output.table("", ("at", "verb", "as", *head, "slices", "hits"), rows)


def doctor(
    deployment: Annotated[
        bool,
        typer.Option(
            "--deployment",
            help="Look at permissions, the place of the keys, addresses and disks instead.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what is installed, which back ends are active and what to do about what is missing."""
    if deployment:
        _say_deployment(face.inspect_deployment(CHOICE.path, keys=CHOICE.keys), as_json=as_json)
        return
    rows, is_well = face.examine(CHOICE.path)
    if as_json:
        for row in rows:
            output.json_line(diagnosis_json(row))
    else:
        output.table("", ("what", "state", "do"), rows)
    if not is_well:
        raise typer.Exit(1)


def _say_deployment(found: Sequence[face.DeploymentCheck], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            output.json_line(deployment_check_json(one))
    else:
        output.table(
            "", ("check", "state", "says", "do"), [(one.check, one.state, one.says, one.do) for one in found]
        )
    if any(one.state is face.CheckState.BAD for one in found):
        raise typer.Exit(1)
