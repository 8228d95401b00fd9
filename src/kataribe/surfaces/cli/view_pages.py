"""The writer's views as pages: what is printed as JSON, CSV or HTML, or shown in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kataribe.domain.gate import Viewer
from kataribe.domain.ids import WORLD
from kataribe.domain.story.views import (
    Difference,
    EpisodeMark,
    EpisodePair,
    Finding,
    Inspection,
    Line,
    Matrix,
    QuotedSentence,
    StoryDifference,
    Timeline,
    Way,
    Why,
    holder_name,
)
from kataribe.formats.report import Cell, Linked, Report, Sheet
from kataribe.formats.wire import views as shown
from kataribe.surfaces.cli import output

_LATER = "What is gained in an episode is memory from the next one on."


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A view ready to be printed: its JSON value, its one table as CSV, and its report."""

    json: object
    head: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    report: Report


def _pending(numbers: Iterable[int]) -> tuple[str, ...]:
    listed = [str(no) for no in numbers]
    return (f"Not in memory yet, and so not shown: episode {', '.join(listed)}.",) if listed else ()


# -- matrix --------------------------------------------------------------------------------


def matrix_page(found: Matrix) -> Page:
    """Lay out a matrix: in CSV a line for each fact gained, in HTML a grid and what its numbers stand for."""
    first: dict[tuple[str, int], int] = {}
    for at, line in enumerate(found.lines):
        first.setdefault((line.holder, line.episode_no), at)
    names = {row.holder: row.name for row in found.rows}
    lines = [
        (line.episode_no, line.holder, names[line.holder], line.fact_id, line.text, *_evidence(line))
        for line in found.lines
    ]
    told = Sheet(
        title="What is gained",
        head=("episode", "who", "fact", "text", "guessed"),
        rows=[
            (
                line.episode_no,
                names[line.holder],
                line.fact_id,
                line.text,
                output.guess(line.evidence, line.confidence),
            )
            for line in found.lines
        ],
        anchors=[
            f"g{at}" if first[line.holder, line.episode_no] == at else ""
            for at, line in enumerate(found.lines)
        ],
    )
    return Page(
        json=shown.matrix_json(found),
        head=("episode_no", "holder", "name", "fact_id", "text", "evidence", "confidence"),
        rows=lines,
        report=Report(
            title=f"{found.title or found.story_id}: who gains what",
            language="und",
            notes=(_LATER, *_pending(found.pending)),
            sheets=(_grid(found, first), told),
        ),
    )


def _evidence(line: Line) -> tuple[str | None, str | None]:
    sure = None if line.confidence is None else f"{line.confidence:.2f}"
    return (None if line.evidence is None else line.evidence.value), sure


def _grid(found: Matrix, first: dict[tuple[str, int], int]) -> Sheet:
    numbers = [episode.no for episode in found.episodes]

    def cell(holder: str, no: int, count: int | None) -> Cell | Linked:
        if count is None or (holder, no) not in first:
            return count
        return Linked(text=str(count), target=f"g{first[holder, no]}")

    return Sheet(
        title="Facts gained, by episode",
        head=("", "all", *(str(no) for no in numbers)),
        rows=[
            (row.name, row.total, *(cell(row.holder, no, row.counts.get(no)) for no in numbers))
            for row in found.rows
        ],
        grid=True,
        hints=("", "", *(episode.title or "" for episode in found.episodes)),
    )


# -- diff ----------------------------------------------------------------------------------

_LINE_HEAD = ("episode", "known to", "fact", "text", "superseded by")
_CSV_LINE_HEAD = ("side", "episode_no", "holder", "fact_id", "text", "superseded_by")


def _line_row(line: Line) -> tuple[Cell, ...]:
    return (line.episode_no, holder_name(line.holder), line.fact_id, line.text, line.superseded_by)


def _csv_row(side: str, line: Line) -> tuple[Cell, ...]:
    return (side, line.episode_no, line.holder, line.fact_id, line.text, line.superseded_by)


def _sheets(parts: Iterable[tuple[str, str, Sequence[Line]]]) -> tuple[Sheet, ...]:
    return tuple(
        Sheet(title=f"{title}: {len(lines)}", head=_LINE_HEAD, rows=[_line_row(line) for line in lines])
        for _, title, lines in parts
    )


def diff_page(found: Difference) -> Page:
    """Lay out what two viewers know apart from each other."""
    parts = diff_parts(found)
    left, right = found.left, found.right
    one, other = f"{left.character} at {left.at}", f"{right.character} at {right.at}"
    outside = tuple(f"{who} is not in the cast by then: only what is public counts." for who in found.missing)
    return Page(
        json=shown.difference_json(found),
        head=_CSV_LINE_HEAD,
        rows=[_csv_row(side, line) for side, _, lines in parts for line in lines],
        report=Report(
            title=f"{left.story}: {one}, {other}",
            language="und",
            notes=(*outside, *_pending(found.pending)),
            sheets=_sheets(parts),
        ),
    )


def diff_parts(found: Difference) -> list[tuple[str, str, tuple[Line, ...]]]:
    """Name the parts of a difference, each with its lines."""
    left, right = found.left, found.right
    if left.character == right.character:
        return [
            ("lost", f"Known at {left.at}, not at {right.at}", found.only_left),
            ("gained", f"Gained between {left.at} and {right.at}", found.only_right),
            ("superseded", f"Held for true at {left.at}, replaced at {right.at}", found.superseded),
        ]
    return [
        ("left", f"{left.character} knows, {right.character} does not", found.only_left),
        ("right", f"{right.character} knows, {left.character} does not", found.only_right),
        ("superseded", f"{left.character} holds for true, {right.character} knows better", found.superseded),
    ]


def stories_page(found: StoryDifference) -> Page:
    """Lay out where two stories part."""
    parts = [
        ("left", f"Only in {found.left}", found.only_left),
        ("right", f"Only in {found.right}", found.only_right),
    ]
    episodes = Sheet(
        title=f"Episodes that differ: {len(found.episodes)}",
        head=("episode", found.left, found.right, "differs in"),
        rows=[_pair_row(pair) for pair in found.episodes],
    )
    pending = tuple(sorted({*found.pending_left, *found.pending_right}))
    same = f"{found.shared} episodes are shared." if found.shared != 1 else "1 episode is shared."
    return Page(
        json=shown.story_difference_json(found),
        head=_CSV_LINE_HEAD,
        rows=[_csv_row(side, line) for side, _, lines in parts for line in lines],
        report=Report(
            title=f"{found.left} and {found.right}",
            language="und",
            notes=(same, *_pending(pending)),
            sheets=(episodes, *_sheets(parts)),
        ),
    )


def _pair_row(pair: EpisodePair) -> tuple[Cell, ...]:
    return (pair.no, _mark(pair.left), _mark(pair.right), ", ".join(pair.changed))


def _mark(mark: EpisodeMark | None) -> str:
    return "" if mark is None else mark.title or mark.episode_id


# -- why -----------------------------------------------------------------------------------


def why_page(found: Sequence[Why]) -> Page:
    """Lay out answers of `why`: a table of checks for each fact."""
    viewer = found[0].viewer
    return Page(
        json=[shown.why_json(one) for one in found],
        head=("fact_id", "text", "knows", "step", "ok", "says"),
        rows=[
            (one.fact_id, one.text, _yes(one.knows), check.step.value, _yes(check.ok), check.says)
            for one in found
            for check in one.checks
        ],
        report=Report(
            title=_why_title(viewer),
            language="und",
            sheets=tuple(
                Sheet(
                    title=f"{one.text} ({one.fact_id}): {verdict(one)}",
                    head=("asked", "", "because"),
                    rows=[
                        *((check.step.value, _yes(check.ok), check.says) for check in one.checks),
                        *((name, None, said) for name, said in evidence_rows(one)),
                    ],
                )
                for one in found
            ),
        ),
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def verdict(one: Why) -> str:
    """Say the answer in a few words."""
    if one.knows:
        return "known" if one.superseded_by is None else f"known, superseded by {one.superseded_by}"
    return "not known" if one.known_from is None else f"not known before episode {one.known_from}"


def _why_title(viewer: Viewer) -> str:
    if viewer.story is not None:
        return f"{viewer.story}: what {viewer.character} knows at {viewer.at}, and why"
    who = viewer.persona or "who was told with all"
    return f"{viewer.user}: what {who} remembers, and why"


def evidence_rows(one: Why) -> list[tuple[str, str]]:
    """Say where the audience comes from."""
    guesses = {held.holder: output.guess(held.evidence, held.confidence) for held in one.holdings}
    named = (f"{holder_name(holder)}{_in_brackets(guesses.get(holder))}" for holder in one.holders)
    rows = [("known by", ", ".join(named) or "nobody")]
    if one.said is not None:
        rows.append(("said", f"session {one.said.session}, {one.said.speaker}, {one.said.time}"))
        rows.append(("space", one.space or ""))
    proof = one.evidence
    if proof is None:
        return rows
    guessed = " (guessed after a change: look at it)" if proof.flagged else ""
    rows.append(("audience from", f"{proof.reason.value}, {proof.origin.value}{guessed}"))
    if proof.quote is not None:
        rows.append((f"quote, episode {proof.quote_no}", proof.quote))
    if proof.told_from is not None:
        rows.append(("told from", f"{proof.told_from}: {proof.told_text or 'which is not there'}"))
    return rows


def _in_brackets(guess: str | None) -> str:
    return f" (guessed: {guess})" if guess else ""


# -- timeline ------------------------------------------------------------------------------

_WAYS = {
    Way.FACT: "comes up",
    Way.TELLING: "is told, from",
    Way.REPLACES: "replaces",
    Way.REPLACED: "is replaced by",
}


def timeline_page(found: Timeline) -> Page:
    """Lay out a timeline: what happens to the fact, then who learns it when."""
    return Page(
        json=shown.timeline_json(found),
        head=("character_id", "name", "episode_no", "known_from", "fact_id", "through"),
        rows=[
            (
                one.character_id,
                one.name,
                one.episode_no,
                None if one.episode_no is None else one.episode_no + 1,
                one.fact_id,
                one.through,
            )
            for one in found.learned
        ],
        report=Report(
            title=f"{found.story_id}: who learns it when",
            language="und",
            notes=(found.text, _LATER, *_pending(found.pending)),
            sheets=(
                Sheet(
                    title="What becomes of it",
                    head=("episode", "fact", "", "held by", "text"),
                    rows=event_rows(found),
                ),
                Sheet(title="Who learns it", head=("who", "in episode", "through"), rows=learned_rows(found)),
            ),
        ),
    )


def event_rows(found: Timeline) -> list[tuple[Cell, ...]]:
    """Give a row for each fact of a timeline."""
    return [
        (
            event.episode_no,
            event.fact_id,
            f"{_WAYS[event.way]} {event.linked or ''}".strip(),
            ", ".join(holder_name(holder) for holder in event.holders) or "in review",
            event.text,
        )
        for event in found.events
    ]


def learned_rows(found: Timeline) -> list[tuple[Cell, ...]]:
    """Give a row for each of the cast, those who never learn it last."""
    ordered = sorted(found.learned, key=lambda one: (one.episode_no is None, one.episode_no or 0))
    return [
        (
            one.name,
            "never" if one.episode_no is None else one.episode_no,
            "" if one.fact_id is None else f"{one.fact_id}{' (everybody)' if one.through == WORLD else ''}",
        )
        for one in ordered
    ]


# -- check ---------------------------------------------------------------------------------


def place_of(quoted: QuotedSentence) -> str:
    """Say where a sentence stands."""
    paragraph = "" if quoted.paragraph is None else f", paragraph {quoted.paragraph}"
    return f"episode {quoted.episode_no}{paragraph}"


def _said(finding: Finding) -> str:
    quotes = "".join(f" [{place_of(quoted)}: {quoted.text}]" for quoted in finding.quotes)
    return finding.says + quotes


def check_page(found: Inspection) -> Page:
    """Lay out what `check` found."""
    rows: list[tuple[Cell, ...]] = [
        (
            finding.severity.value,
            finding.code,
            finding.episode_no,
            " ".join(finding.fact_ids),
            _said(finding) + (" (guessed)" if finding.guessed_facts or finding.is_guess else ""),
            finding.advice,
        )
        for finding in found.findings
    ]
    head = ("severity", "code", "episode", "facts", "says", "advice")
    looked_at = f"{output.count(found.episodes, 'episode')} and {output.count(found.facts, 'fact')}"
    counted = ", ".join(output.count(number, severity.value) for severity, number in found.counts.items())
    return Page(
        json=shown.inspection_json(found),
        head=("severity", "code", "episode_no", "fact_ids", "says", "advice"),
        rows=rows,
        report=Report(
            title=f"{found.story_id}: looked over",
            language="und",
            notes=(
                f"{looked_at}: {counted}.",
                *((f"Held by guess: {output.count(found.guessed, 'fact')}.",) if found.guessed else ()),
                *_pending(found.pending),
            ),
            sheets=(Sheet(title="Findings", head=head, rows=rows),),
        ),
    )
