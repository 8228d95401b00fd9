"""How things to be reviewed are shown: as a list, as JSON, or one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import kataribe as face
from kataribe.domain.memory import GUESSED, Reason
from kataribe.domain.text.printable import printable_line
from kataribe.surfaces.cli import output

_WHY = {
    Reason.SUPPLIED: "an author's row says so",
    Reason.ANNOTATION: "an author's annotation says so",
    Reason.NO_CAST: "the story has neither cast nor annotations",
    Reason.SPEAKER: "guessed: somebody says it, to those present",
    Reason.INNER: "guessed: somebody's inner speech",
    Reason.SCENE: "guessed: told of a scene, to those present in it",
    Reason.CHANGED: "guessed: written after the annotations, the narrowest of its neighbours",
    Reason.MODEL: "a language model says so",
    Reason.UNRECOGNISED: "nobody of the cast is recognised in it",
    Reason.EMPTY_GROUP: "the group it is for has no member then",
    Reason.NEWCOMER: "somebody joins a group and is told what it holds",
    Reason.LOST_QUOTE: "its quote does not stand in the episode any more",
}


def why(item: face.ReviewItem) -> str:
    """Say why an item is to be looked at."""
    if item.refusal is not None:
        return f"a model offered it, and it was not taken: {item.refusal}"
    if item.in_review and item.reason in GUESSED:
        return "nobody is there surely enough for the story's audience mode"
    return _WHY.get(item.reason, item.reason.value)


def who(item: face.ReviewItem, holders: Iterable[str]) -> str:
    """Name these holders."""
    names = {one.character_id: one.name for one in item.candidates}
    return ", ".join(called(holder, names.get(holder, holder)) for holder in holders)


def called(character_id: str, name: str) -> str:
    """Name a character, with the id when it is another word."""
    if character_id == "world":
        return "everybody"
    return name if name == character_id else f"{name} ({character_id})"


def listing(items: Sequence[face.ReviewItem]) -> None:
    """Print items as a table."""
    rows = [
        (
            item.fact_id,
            item.episode_no,
            ", ".join(item.holders) or "in review",
            item.origin.value + (" (look!)" if item.flagged else ""),
            item.reason.value if item.refusal is None else item.kind.value,
            item.text,
        )
        for item in items
    ]
    output.table("", ("id", "episode", "known by", "origin", "reason", "text"), rows)


def card(item: face.ReviewItem, position: str) -> None:
    """Show one item: where it stands, who would know it, and why."""
    from rich.padding import Padding
    from rich.rule import Rule
    from rich.table import Table

    console = output.console()
    title = f"{position} · episode {item.episode_no} ({item.episode_id}) · {item.fact_id}"
    console.print()
    console.print(Rule(output.styled(title), align="left", style="dim"))
    if item.passage:
        shown = output.joined(
            (item.before.lstrip("\n"), "dim"), (item.passage, "bold yellow"), (item.after.rstrip("\n"), "dim")
        )
        console.print(Padding(shown, (0, 0, 1, 2)))
    lines = [("fact", item.text, "bold")] if item.text != item.passage else []
    if item.quote is not None and item.quote != item.passage:
        lines.append(("quote", item.quote, "yellow"))
    holders = who(item, item.holders) or "nobody yet"
    lines.append(("known by", holders, "green" if item.holders else "red"))
    if item.in_review and not item.audience.is_empty:
        lines.append(("meant for", who(item, item.audience.holders()), "green"))
    lines.append(("why", why(item), ""))
    # A grid: a long value goes on below itself, not below its name.
    grid = Table.grid()
    grid.add_column(width=11, no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value, style in lines:
        grid.add_row(output.styled(f"{name:>9}", "dim"), output.styled(value, style))
    console.print(grid)


def say(text: str, style: str = "") -> None:
    """Say a line in between, in a colour on a terminal."""
    output.console().print(output.styled(printable_line(text), style))
