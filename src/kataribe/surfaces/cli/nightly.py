"""`kataribe nightly`."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Annotated

import typer

from kataribe.conversation.tiers import NightReport
from kataribe.errors import InputError
from kataribe.formats.wire.threads import moment_text
from kataribe.formats.wire.tiers import kept_memory_json, night_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.memory import policy_text
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import OptionalUser, moment


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("nightly")(nightly)


def nightly(
    user_id: OptionalUser = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="TIME", help="When it is held, with a zone (else now)."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Record nothing.")] = False,
    digest: Annotated[
        bool,
        typer.Option("--digest", help="List what the last night changed; with --at or --dry-run: this one."),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="Who sums up what was said from now on: rules, or provider:model."
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last night back.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Hold a night: promote what matters, consolidate, and let fade what is not used."""
    time = moment(at)
    is_new = time is not None or dry_run or model is not None
    if undo and (digest or is_new):
        raise InputError("--undo takes the last night back, and goes with no other option")
    with opened() as kataribe:
        users = [user_id] if user_id is not None else [one.user_id for one in kataribe.admin.users()]
        if not users:
            output.note("nothing was said with anybody yet; there is no night to hold")
        for one in users:
            memory = kataribe.user(one).memory
            if user_id is None and not memory.nights() and (undo or (digest and not is_new)):
                output.note(f"{one}: no night was held yet")
            elif undo:
                _say_undone(memory.undo_night(), as_json=as_json)
            elif digest and not is_new:
                say_night(memory.last_night(), digest=True, as_json=as_json)
            else:
                say_night(
                    memory.nightly(at=time, dry_run=dry_run, model=model), digest=digest, as_json=as_json
                )


def _say_undone(report: NightReport, *, as_json: bool) -> None:
    if as_json:
        _print(report)
        return
    output.note(f"{report.user_id}: the night of {moment_text(report.at)} is taken back")


def _print(report: NightReport) -> None:
    changed = [kept_memory_json(one.space, one.holder, one.value) for one in report.changed]
    line = night_json(
        report.user_id,
        report.at,
        report.counts,
        changed,
        is_dry=report.is_dry,
        policy=report.policy,
        usage=report.usage,
        to_ask=len(report.open_asks),
        unanswered=report.unanswered,
        let_go=report.let_go,
    )
    output.json_line(line)


def say_night(report: NightReport, *, digest: bool, as_json: bool) -> None:
    """Tell what a night has changed, or would."""
    if as_json:
        _print(report)
        return
    told = ", ".join(f"{count} {word}" for word, count in report.counts.items()) or "nothing changed"
    output.note(f"{report.user_id}: {told}{' (nothing was recorded)' if report.is_dry else ''}")
    _say_asked(report)
    if report.let_go:
        would = " would go" if report.is_dry else " gone"
        output.note(f"{report.user_id}: {output.count(report.let_go, 'turn')}{would}, as the user wants it")
    if digest:
        output.note(f"held by {policy_text(report.policy)}")
        values = [(one.holder, one.value) for one in report.changed]
        rows = [
            (value.memory_id, holder, value.tier, value.state, str(value.reason), value.text)
            for holder, value in values
        ]
        output.table("", ("id", "held by", "tier", "state", "why", "text"), rows)
        if rows and not report.is_dry:
            output.note(f"to take this night back: kataribe nightly --user {quote(report.user_id)} --undo")


def _say_asked(report: NightReport) -> None:
    """Tell what models were asked, or would be; and who did not answer, so that rules stand in."""
    usage = report.usage
    tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out"
    if report.open_asks:
        asks = output.count(len(report.open_asks), "question")
        output.note(
            f"{report.user_id}: {asks} would be put to a model, about {tokens}; what comes of that is open"
        )
    elif usage.calls:
        output.note(f"{report.user_id}: {output.count(usage.calls, 'call')} of models, {tokens}")
    if report.unanswered:
        output.warn(unanswered(report.user_id, report.unanswered))


def unanswered(user_id: str, why: Mapping[str, str]) -> str:
    """Say that a model gave no answer, and what stands in for it."""
    reason = next(iter(why.values()))
    return (
        f"{user_id}: {output.count(len(why), 'question')} not answered ({reason}); rules sum up meanwhile, "
        f"and the next night, or `kataribe sync --user {user_id} --retry`, asks again"
    )
