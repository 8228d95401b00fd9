"""`kataribe backup` and `kataribe restore`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.wire.backups import restored_json, written_backup_json
from kataribe.settings import Settings, from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import CHOICE, opened


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A file that does not exist yet, or s3://BUCKET/NAME.", show_default=False
        ),
    ] = None,
    with_vectors: Annotated[
        bool,
        typer.Option("--with-vectors", help="Keep the vectors of stories; for stores without users."),
    ] = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the backups that were written.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a consistent copy without vectors, in which what users said is sealed, while others may write."""
    if (file is None) != list_them:
        raise typer.BadParameter("name either a FILE to write, or --list")
    with opened() as kataribe:
        if file is None:
            _list(kataribe.admin.backups.list(), as_json=as_json)
            return
        if as_json:
            raise typer.BadParameter("--json goes with --list")
        kataribe.admin.backup(file, with_vectors=with_vectors)
    output.note(f"wrote {file}; `kataribe restore {file} --to DB` makes a store of it")


def _list(found: tuple[face.WrittenBackup, ...], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            output.json_line(written_backup_json(one))
        return
    rows = [
        (one.at, one.path or "(not noted)", "sealed" if one.is_sealed else "written before sealing")
        for one in found
    ]
    output.table("", ("at", "file", "users"), rows)


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A backup, or its address in a bucket.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DB", help="The new store; it must not exist yet.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Try it: restore it into a temporary folder, and verify that.")
    ] = False,
    leave_closed: Annotated[
        bool, typer.Option("--leave-closed", help="Go on without users whose key cannot be had.")
    ] = False,
    no_sync: Annotated[
        bool, typer.Option("--no-sync", help="Leave it to a later `sync` to make vectors again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a store of a backup, or try whether that can be done; who was erased since does not come back."""
    if (to is None) != check:
        raise typer.BadParameter("name either the new store with --to, or --check")
    settings = from_environment(CHOICE.path, policy=CHOICE.policy, keys=CHOICE.keys)
    if to is None:
        done = face.check_backup(file, leave_closed=leave_closed, settings=settings)
    else:
        done = face.restore(file, to, leave_closed=leave_closed, settings=settings)
        if not no_sync:
            _sync(replace(settings, path=str(to)))
    if as_json:
        output.json_line(restored_json(done))
    else:
        _say(done)
    if not done.ok:
        raise typer.Exit(1)


def _sync(settings: Settings) -> None:
    with face.open(settings=settings) as kataribe:
        report = kataribe.sync(progress=output.progress())
    lacking = len(report.failed) + len(report.failed_turns) + len(report.failed_documents)
    if lacking:
        output.warn(f"{output.count(lacking, 'piece')} could not be made again; run `kataribe sync`")


def _say(done: face.Restored) -> None:
    verb = "restored" if done.to else "can be restored"
    where = f" to {done.to}" if done.to else ""
    when = "" if done.at is None else f", written {done.at}"
    output.result(f"{'' if done.ok else 'NOT SOUND: '}{done.file}{when}: {verb}{where}")
    output.result(", ".join(f"{number} {name}" for name, number in done.counts.items()))
    if not done.is_sealed:
        output.warn(
            f"{done.file} was written before sealing: what {output.count(done.users, 'user')} said stands "
            f"open in it; write a new backup and delete this one"
        )
    if done.erased:
        output.note(f"{output.count(done.erased, 'user')} not restored: erased since, as the tombstone says")
    if done.closed:
        output.warn(f"{output.count(done.closed, 'user')} not restored: their key cannot be had")
    for problem in done.problems:
        output.result(f"problem: {problem}")
