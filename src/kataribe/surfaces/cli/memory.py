"""`kataribe memory`."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Annotated

import typer

from kataribe.conversation.tiers import KeptMemories, KeptMemory
from kataribe.domain.conversation.life.policy import TierPolicy, other_numbers
from kataribe.domain.recall.requests import At
from kataribe.errors import InputError, NotFoundError
from kataribe.formats.wire.threads import moment_text
from kataribe.formats.wire.tiers import kept_memory_json, memory_history_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    PersonaOption,
    UserOption,
    ViewedStory,
    viewer_keys,
)

app = typer.Typer(rich_markup_mode=None)

MemoryOption = Annotated[str, typer.Argument(metavar="ID", help="As `memory list` gives it.")]


@app.command("list")
def list_memories(
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    tier: Annotated[str | None, typer.Option("--tier", metavar="T", help="mid or long.")] = None,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="S", help="One state, those of ended memories too: hidden, expired."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what is kept of what was said: by everybody, or with --as by one persona."""
    found = _kept(user_id, persona, story_id, at, as_of, tier, state)
    _print(found.memories, as_json=as_json)
    if found.pending:
        output.note(
            f"{', '.join(found.pending)}: more was said or used since; "
            f"type: kataribe sync --user {quote(user_id)}"
        )


@app.command("show")
def show_memory(
    memory_id: MemoryOption,
    user_id: UserOption,
    persona: PersonaOption = None,
    story_id: ViewedStory = None,
    at: EpisodeOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a memory as it stands."""
    kept = _kept(user_id, persona, story_id, at, as_of, None, None).memories
    found = [one for one in kept if one.value.memory_id == memory_id]
    if not found:
        raise NotFoundError(f"there is no memory {memory_id!r} here; `kataribe memory list` shows them")
    _print(found, as_json=as_json)


@app.command("why-kept")
def why_kept(memory_id: MemoryOption, user_id: UserOption, as_json: JsonOption = False) -> None:
    """Tell what became of a memory, when, and by which numbers."""
    with opened() as kataribe:
        found = kataribe.user(user_id).memory.history(memory_id)
    if as_json:
        policies = [found.policy_of(row) for row in found.rows]
        output.json_line(memory_history_json(found.space, found.holder, found.rows, policies))
        return
    output.heading(f"{memory_id}, held by {found.holder}: {found.rows[-1].text}")
    rows = [
        (
            moment_text(row.position),
            row.tier,
            row.state,
            str(row.reason),
            policy_text(found.policy_of(row)),
        )
        for row in found.rows
    ]
    output.table("", ("from", "tier", "state", "why", "by"), rows)


def policy_text(policy: TierPolicy) -> str:
    """Say by which numbers something came about: those that are other than the usual ones."""
    told = ", ".join(f"{key}={value}" for key, value in other_numbers(policy).items())
    return told or "the usual numbers"


@app.command("pin")
def pin(memory_id: MemoryOption, user_id: UserOption) -> None:
    """Keep a memory from fading and from making way."""
    with opened() as kataribe:
        kataribe.user(user_id).memory.pin(memory_id)
    output.note(f"{memory_id} is pinned")


@app.command("unpin")
def unpin(memory_id: MemoryOption, user_id: UserOption) -> None:
    """Take that back."""
    with opened() as kataribe:
        kataribe.user(user_id).memory.pin(memory_id, pinned=False)
    output.note(f"{memory_id} is not pinned any more")


@app.command("edit")
def edit(
    memory_id: MemoryOption,
    user_id: UserOption,
    text: Annotated[str, typer.Option("--text", metavar="T", help="What it says from now on.")],
) -> None:
    """Say what a memory says from now on; no night changes that."""
    with opened() as kataribe:
        kataribe.user(user_id).memory.edit(memory_id, text)
    output.note(f"{memory_id} says so from now on")


@app.command("restore")
def restore(memory_id: MemoryOption, user_id: UserOption) -> None:
    """Bring back what was hidden within the last 30 days."""
    with opened() as kataribe:
        kataribe.user(user_id).memory.restore(memory_id)
    output.note(f"{memory_id} is back")


@app.command("forget")
def forget(
    user_id: UserOption,
    memory_id: Annotated[str | None, typer.Argument(metavar="ID", help="As `memory list` gives it.")] = None,
    about: Annotated[
        str | None, typer.Option("--about", metavar="TEXT", help="All memories that have these words.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be forgotten.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Forget memories, and the turns that said it, for every moment; the log keeps the words."""
    if (memory_id is None) == (about is None):
        raise InputError("name a memory by its id, or what it is about with --about")
    with opened() as kataribe:
        memory = kataribe.user(user_id).memory
        if about is not None:
            found = memory.about(about)
        else:
            found = tuple(one for one in memory.list().memories if one.value.memory_id == memory_id)
        if not found:
            raise NotFoundError("nothing of that is kept; `kataribe memory list` shows what is")
        if not dry_run:
            for one in found:
                memory.forget(one.value.memory_id)
    _print(found, as_json=as_json)
    done = "would be forgotten" if dry_run else "forgotten"
    output.note(f"{done}: {len(found)}")


def _kept(
    user_id: str,
    persona: str | None,
    story_id: str | None,
    at: At | None,
    as_of: str | None,
    tier: str | None,
    state: str | None,
) -> KeptMemories:
    if persona is None and story_id is None and at is None and as_of is None:
        with opened() as kataribe:
            return kataribe.user(user_id).memory.list(tier=tier, state=state)
    keys = viewer_keys(story_id, persona, at, user_id, as_of)
    with opened() as kataribe:
        return kataribe.viewer(**keys).memories(tier=tier, state=state)


def _print(found: Sequence[KeptMemory], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            output.json_line(kept_memory_json(one.space, one.holder, one.value))
        return
    rows = [
        (one.value.memory_id, one.holder, one.value.tier, one.value.state, one.value.kind, one.value.text)
        for one in found
    ]
    output.table("", ("id", "held by", "tier", "state", "kind", "text"), rows)
