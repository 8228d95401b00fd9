"""Reports in CSV and HTML: tables of plain values, the HTML one file that needs nothing else."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kataribe.domain.text.printable import printable

Cell = str | int | None
"""What stands in a table; None is an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A cell that leads to the section named `target` of the same report."""

    text: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table: its head, its rows (as long as the head), and how wide cells are to be.

    `anchors` name rows so that a `Linked` cell can lead to them: one for each row, or none.
    A `grid` has narrow cells of numbers under a long head, and row names that stay in sight.
    """

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[Cell | Linked]]
    anchors: Sequence[str] = ()
    grid: bool = False
    hints: tuple[str, ...] = ()
    """What to show over each cell of the head; as many as the head has, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A titled report: what to know before reading it, and its tables."""

    title: str
    language: str
    notes: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = field(default_factory=tuple)


def to_csv(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write one table as CSV (RFC 4180, UTF-8): a head, then rows, each ended by CR LF.

    A cell that a spreadsheet would take for a formula is written as the text it is, behind an
    apostrophe.
    """
    made = io.StringIO(newline="")
    writer = csv.writer(made)
    writer.writerow(head)
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return made.getvalue()


def _plain(cell: Cell) -> Cell:
    # Texts are other people's words: =cmd() must not become a formula on the author's machine.
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell


def to_html(report: Report) -> str:
    """Write a report as one HTML page with its style in it; light or dark as the reader's system is."""
    return "".join(_page(report))


_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root{color-scheme:light dark}
:root{--ink:#1d2129;--paper:#fff;--line:#d5d9e0;--soft:#f3f5f8;--mark:#8a5a00;--hot:#fbe9c6}
@media (prefers-color-scheme:dark){
:root{--ink:#e4e7ec;--paper:#15181d;--line:#363c46;--soft:#1e232a;--mark:#f0c060;--hot:#4a3a14}
}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:1.5rem 0 .5rem}
p{margin:.2rem 0;max-width:70em}
.scroll{overflow:auto;max-height:85vh;border:1px solid var(--line)}
table{border-collapse:separate;border-spacing:0;width:100%}
th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td{white-space:pre-wrap;overflow-wrap:break-word}
thead th{position:sticky;top:0;z-index:2;background:var(--soft)}
tbody tr:target td,tbody tr:target th{background:var(--hot)}
.grid{width:auto}.grid th,.grid td{padding:.15rem .35rem;white-space:nowrap}
.grid td,.grid thead th{text-align:right}
.grid tbody th,.grid thead th:first-child{position:sticky;left:0;background:var(--soft);text-align:left}
.grid tbody th{z-index:1}.grid thead th:first-child{z-index:3}
.grid a{color:var(--mark);text-decoration:none;font-weight:600}
@media print{.scroll{overflow:visible;max-height:none}}
""".strip()


def _page(report: Report) -> Iterator[str]:
    title = _escaped(report.title)
    yield f'<!DOCTYPE html>\n<html lang="{_escaped(report.language)}">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    # No script and nothing from outside, whatever a text may say.
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    for note in report.notes:
        yield f"<p>{_escaped(note)}</p>\n"
    for sheet in report.sheets:
        yield from _table(sheet)
    yield "</body>\n</html>\n"


def _table(sheet: Sheet) -> Iterator[str]:
    if sheet.title:
        yield f"<h2>{_escaped(sheet.title)}</h2>\n"
    kind = ' class="grid"' if sheet.grid else ""
    yield f'<div class="scroll"><table{kind}>\n<thead><tr>'
    for at, name in enumerate(sheet.head):
        hint = f' title="{_escaped(sheet.hints[at])}"' if sheet.hints and sheet.hints[at] else ""
        yield f'<th scope="col"{hint}>{_escaped(name)}'
    yield "</tr></thead>\n<tbody>\n"
    for at, row in enumerate(sheet.rows):
        anchor = f' id="{_escaped(sheet.anchors[at])}"' if sheet.anchors and sheet.anchors[at] else ""
        # The ends of rows and cells may be left out; in a big grid most cells are empty.
        yield f"<tr{anchor}>"
        for place, cell in enumerate(row):
            yield '<th scope="row">' if sheet.grid and not place else "<td>"
            yield _inside(cell)
        yield "\n"
    yield "</tbody>\n</table></div>\n"


def _inside(cell: Cell | Linked) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Linked):
        return f'<a href="#{_escaped(cell.target)}">{_escaped(cell.text)}</a>'
    return _escaped(str(cell))


def _escaped(text: str) -> str:
    return html.escape(printable(text))
