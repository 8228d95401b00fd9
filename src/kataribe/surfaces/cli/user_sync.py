"""Bringing users' memory up from the command line, and saying what became of it."""

from __future__ import annotations

import sys
from collections.abc import Callable

import kataribe as face
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.nightly import unanswered


def bring_up(
    kataribe: face.Kataribe,
    user_id: str,
    *,
    anew: bool = False,
    retry: bool = False,
    waits: bool = True,
) -> face.TalkReport:
    """Remember what a user's turns say, all of it again with `anew`, dead letters too with `retry`.

    Unless it `waits`, what fails is left to the next sync.
    """
    tell = talk_progress(user_id)
    if anew:
        return kataribe.user(user_id).rebuild(progress=tell)
    return kataribe.user(user_id).sync(retry=retry, waits=waits, progress=tell)


def chosen_users(kataribe: face.Kataribe, user_id: str | None, story_id: str | None) -> list[str]:
    """Give the user that was named; all of them when neither a user nor a story was."""
    if user_id is not None:
        return [kataribe.user(user_id).info().user_id]
    return [] if story_id is not None else [user.user_id for user in kataribe.admin.users()]


def say_talk(user_id: str, report: face.TalkReport) -> bool:
    """Say what became of a user's pages; False when some could not be brought up."""
    if report.pages or report.embedded:
        output.note(
            f"{user_id}: {output.count(report.pages, 'day')} remembered, "
            f"{output.count(report.embedded, 'text')} embedded"
        )
    usage = report.usage
    if usage.calls:
        output.note(
            f"{user_id}: {output.count(usage.calls, 'call')} of models, {usage.input_tokens} tokens in, "
            f"{usage.output_tokens} out"
        )
    if report.refused:
        output.warn(f"{user_id}: {output.count(len(report.refused), 'item')} of a model's refused")
    if report.unanswered:
        output.warn(unanswered(user_id, report.unanswered))
    for page, reason in sorted(report.failed.items()):
        output.note(f"error: {user_id} day {page}: {reason}")
    if report.failed:
        output.note(
            f"these days are not in memory; mend the cause and run `kataribe sync --user {user_id} --retry`"
        )
    return not report.failed


def talk_progress(user_id: str) -> Callable[[int, int], None]:
    """Make a progress line on standard error; one plain line at the end when it is no terminal."""
    is_terminal = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if is_terminal:
            output.over(f"{user_id}: {done} of {output.count(total, 'day')}", is_last=done >= total)

    return tell
