"""What the commands within a chat show."""

from __future__ import annotations

from collections.abc import Sequence

import kataribe as face
from kataribe.conversation.threads import HeldThread
from kataribe.conversation.tiers import KeptMemory
from kataribe.surfaces.cli import output

HELP = """\
/why           what the last reply was told, part by part, and what was left out
/why ID        what became of a memory, and why
/memory        what is kept of your conversations
/remember      ask for what was just said to be remembered; with a text: for that
/forget WORDS  forget what is kept that has all these words; or an ID that /memory shows
/thread        what this part of the conversation holds so far
/off, /on      go off the record, where nothing is stored; and back
/quit          leave (so do Ctrl-D and Ctrl-C; what was said stays)"""


def show_why(made: face.Context) -> None:
    """Show what a context is made of, and what found no place in it."""
    for part in made.parts:
        output.result(f"{part.name}: {part.tokens} of {part.budget} tokens, {part.reason}")
        for item in part.items:
            output.result(f"  {item.handle} {item.where} | {item.text} ({item.reason})")
    for one in made.dropped:
        output.result(f"left out {one.handle or one.part}: {one.why}, {one.detail}")


def show_kept(kept: Sequence[KeptMemory]) -> None:
    """Show what is kept in tiers."""
    if not kept:
        output.note("nothing is kept yet: a conversation is summed up once it is over")
    for one in kept:
        value = one.value
        output.result(f"{value.memory_id} [{value.tier}, {value.state}] {value.text} ({value.reason.word})")


def show_thread(threads: Sequence[HeldThread], session: str | None) -> None:
    """Show the last thread of a session, else the last of all."""
    of_session = [one for one in threads if one.thread.session == session] or list(threads)
    if not of_session:
        output.note("nothing was said yet")
        return
    thread = max(of_session, key=lambda one: one.thread.turns[-1].at).thread
    output.result(f"{thread.thread_id}, session {thread.session}, begun: {thread.began}")
    for turn in thread.turns:
        output.result(f"  {turn.speaker}: {turn.text}")
