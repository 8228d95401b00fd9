"""How a recall came about, as a person reads it: slices, plan, candidates, scores, what was dropped."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import kataribe as face
from kataribe.formats.wire.recall import explanation_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.viewers import spaces_apart

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_LAST = ("dropped",)
_RULED = 3
"""Columns of a terminal that a rule and the blanks beside it take."""
_NARROW = 72
"""Columns of a terminal that rank, score, place, holder and a readable text need."""


def show(found: face.Recollection, told: face.Explanation, *, console: Console | None = None) -> None:
    """Print hits with their scores, then how they came about.

    Into a file or a pipe they are lines with tabs. In a wide terminal each part of the score has a
    column; in a narrow one they stand below the text. A terminal that is not UTF-8 gets plain
    ASCII for marks and lines.
    """
    if console is None and not sys.stdout.isatty():
        _plain(found, told)
        return
    _drawn(found, told, console or output.console())


def marks(hit: face.Hit, *, plain: bool = False) -> str:
    """Write the marks of a hit: a star for what is stirring, and `new` (S4-88)."""
    star = "*" if plain else face.Mark.STAR.sign
    return " ".join(star if mark is face.Mark.STAR else mark.value for mark in hit.marks)


def columns(hits: Sequence[face.Hit]) -> tuple[str, ...]:
    """Name the parts of the scores that are not 0 everywhere, in the order they come in."""
    names = dict.fromkeys(name for hit in hits for name in hit.parts)
    return tuple(name for name in names if any(hit.parts.get(name, 0.0) for hit in hits))


def facts(told: face.Explanation, backend: face.Backend) -> Iterator[tuple[str, str]]:
    """Give names and values of all that is told, a line each; what is empty is left out."""
    shown: Mapping[str, object] = explanation_json(told)
    for name in sorted(shown, key=lambda one: one in _LAST):
        yield from _lines(name.replace("_", " "), shown[name])
    yield "embedder", f"{backend.embedder}, model {backend.model}, reranker {backend.reranker or 'none'}"


def _lines(name: str, value: object) -> Iterator[tuple[str, str]]:
    if value in (None, "", [], {}):
        return
    match value:
        case {"fact_id": fact, "reason": reason}:
            yield name, f"{fact}: {reason}"
        case dict() if any(isinstance(one, dict | list) for one in value.values()):
            for key, one in value.items():
                yield from _lines(key.replace("_", " "), one)
        case dict():
            yield name, ", ".join(f"{key} {_said(one)}" for key, one in value.items() if one is not None)
        case list() if name == "slices" or any(isinstance(one, dict | list) for one in value):
            for one in value:
                yield from _lines(name.removesuffix("s"), one)
        case list():
            yield name, (", " if any(" " in str(one) for one in value) else " ").join(map(str, value))
        case _:
            yield name, f"{value} memories" if name == "admissible" else _said(value)


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _where(hit: face.Hit, *, apart: bool) -> str:
    """Say where a hit is from; with its space where hits come from several."""
    if isinstance(hit, face.FactHit):
        said = str(hit.episode_no)
    elif isinstance(hit, face.PassageHit):
        said = hit.document
    else:
        said = f"{hit.session} {hit.speaker} {hit.time.isoformat()}"
    return f"{hit.space} {said}" if apart else said


def _apart(hits: Sequence[face.Hit]) -> bool:
    return spaces_apart(hit.space for hit in hits)


def _holder(hit: face.Hit) -> str:
    return "everybody" if hit.scope == "world" else f"{hit.character_id} *"


def _head(hits: Sequence[face.Hit]) -> str:
    if _apart(hits):
        return "from"
    return "episode" if all(isinstance(hit, face.FactHit) for hit in hits) else "said"


def _plain(found: face.Recollection, told: face.Explanation) -> None:
    names = columns(found.hits)
    rows = [
        (
            _number(hit.score),
            _where(hit, apart=_apart(found.hits)),
            _holder(hit),
            hit.text,
            marks(hit),
            *(_number(hit.parts.get(name)) for name in names),
            (hit.quote if isinstance(hit, face.FactHit) else None) or "",
        )
        for hit in found.hits
    ]
    if rows:
        output.table("", ("score", _head(found.hits), "known to", "text", "marks", *names, "quote"), rows)
    for name, value in facts(told, found.backend):
        output.result(f"{name:<10} {' '.join(value.split())}")


def _drawn(found: face.Recollection, told: face.Explanation, console: Console) -> None:
    if found.hits:
        console.print(_hits(found.hits, console))
        console.print()
    console.print(_grid(facts(told, found.backend)))


def _hits(hits: Sequence[face.Hit], console: Console) -> Table:
    from rich.box import ASCII, HEAVY_HEAD
    from rich.table import Table

    plain = not console.encoding.lower().startswith("utf")
    names = columns(hits)
    is_wide = console.width >= _NARROW + sum(len(name) + _RULED for name in names)
    table = Table(show_edge=False, pad_edge=False, box=ASCII if plain else HEAVY_HEAD, show_lines=False)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("score", no_wrap=True)
    has_marks = any(hit.marks for hit in hits)
    if has_marks:
        table.add_column("", no_wrap=True)
    table.add_column(_head(hits), overflow="fold", max_width=24)
    table.add_column("known to", overflow="fold", max_width=14)
    table.add_column("text", overflow="fold", ratio=1)
    for name in names if is_wide else ():
        table.add_column(name, justify="right", no_wrap=True)
    for rank, hit in enumerate(hits, start=1):
        text = output.styled(hit.text)
        if not is_wide:
            below = "  ".join(f"{name} {_number(hit.parts.get(name))}" for name in names)
            text = output.joined((f"{hit.text}\n", ""), (below, "dim"))
        cells: list[RenderableType] = [str(rank), _number(hit.score)]
        if has_marks:
            cells.append(marks(hit, plain=plain))
        cells += [output.styled(_where(hit, apart=_apart(hits))), output.styled(_holder(hit)), text]
        table.add_row(*cells, *([_number(hit.parts.get(name)) for name in names] if is_wide else []))
    return table


def _grid(lines: Iterator[tuple[str, str]]) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, value in lines:
        grid.add_row(output.styled(name), output.styled(value))
    return grid


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
