"""Tables in a terminal: in colour where there is any, and no wider than the screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from kataribe.domain.ids import WORLD
from kataribe.domain.story.views import REVIEW, EpisodeMark, Matrix, Row
from kataribe.domain.text.printable import printable_line
from kataribe.formats.report import Cell, Linked, Sheet
from kataribe.surfaces.cli import output

_PAINT = {
    "problem": "bold red",
    "warning": "yellow",
    "note": "dim",
    "yes": "green",
    "no": "red",
    "never": "dim",
    "in review": "yellow",
    "everybody": "cyan",
}
_NAME_WIDTH = 18
_COLUMN_GAP = 2


def show_sheet(sheet: Sheet) -> None:
    """Show a table under its title; plain lines when nobody is looking at a terminal."""
    if sheet.title:
        say(sheet.title, "bold")
    if not sheet.rows:
        output.result("(none)")
        return
    if not sys.stdout.isatty():
        output.table("", sheet.head, [[_plain(cell) for cell in row] for row in sheet.rows])
        return
    from rich.table import Table

    made = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in sheet.head:
        made.add_column(output.styled(name), overflow="fold")
    for row in sheet.rows:
        made.add_row(*(output.styled(said, _PAINT.get(said, "")) for said in map(_said, row)))
    output.console().print(made)


def say(text: str, style: str = "") -> None:
    """Print a line of the result in a style; plain when it is no terminal."""
    if not sys.stdout.isatty():
        output.result(text)
        return
    output.console().print(output.styled(printable_line(text), style), soft_wrap=True)


def _plain(cell: Cell | Linked) -> Cell:
    return cell.text if isinstance(cell, Linked) else cell


def _said(cell: Cell | Linked) -> str:
    plain = _plain(cell)
    return "" if plain is None else str(plain)


# -- the matrix ----------------------------------------------------------------------------


def show_matrix(found: Matrix) -> None:
    """Show counts, characters down and episodes across, in as many blocks as the screen asks for.

    Names are cut to fit; in plain lines there is one wide table, and nothing is cut.
    """
    if not sys.stdout.isatty():
        numbers = [episode.no for episode in found.episodes]
        head = ("who", "name", "all", *(str(no) for no in numbers))
        rows = [
            (_who(row), row.name, row.total, *(row.counts.get(no) for no in numbers)) for row in found.rows
        ]
        output.table("", head, rows)
        return
    _show_blocks(found)


def _who(row: Row) -> str:
    return row.holder or "(in review)"


def _show_blocks(found: Matrix) -> None:
    from rich.cells import cell_len, set_cell_size

    console = output.console()
    wide = min(_NAME_WIDTH, max((cell_len(printable_line(row.name)) for row in found.rows), default=0))
    totals = max(3, *(len(str(row.total)) for row in found.rows))
    counted = [len(str(count)) for row in found.rows for count in row.counts.values()]
    column = max([2, *counted, *(len(_head(episode)) for episode in found.episodes)]) + 1
    room = max(1, (console.width - wide - totals - _COLUMN_GAP) // column)
    for block in _blocks(found.episodes, room):
        line = output.styled(" " * wide + "all".rjust(totals + _COLUMN_GAP), "bold")
        for episode in block:
            line.append(_head(episode).rjust(column), style="bold" if episode.in_memory else "bold yellow")
        console.print(line, soft_wrap=True)
        for row in found.rows:
            line = output.styled(set_cell_size(_cut(printable_line(row.name), wide), wide), _row_style(row))
            line.append(str(row.total).rjust(totals + _COLUMN_GAP), style="dim")
            for episode in block:
                count = row.counts.get(episode.no)
                line.append(("·" if count is None else str(count)).rjust(column), style=_heat(count))
            console.print(line, soft_wrap=True)
        console.print()


def _cut(name: str, wide: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return name if cell_len(name) <= wide else set_cell_size(name, wide - 1).rstrip() + "…"


def _head(episode: EpisodeMark) -> str:
    return str(episode.no) if episode.in_memory else f"{episode.no}*"


def _blocks(episodes: Sequence[EpisodeMark], room: int) -> Iterator[Sequence[EpisodeMark]]:
    for at in range(0, max(len(episodes), 1), room):
        yield episodes[at : at + room]


def _row_style(row: Row) -> str:
    return "cyan" if row.holder == WORLD else "yellow" if row.holder == REVIEW else ""


def _heat(count: int | None) -> str:
    if count is None:
        return "dim"
    return "bold magenta" if count >= 10 else "bold green" if count >= 4 else "green"
