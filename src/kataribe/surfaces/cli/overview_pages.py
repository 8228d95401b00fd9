"""Who knows what by subject, and what a text would move, as pages."""

from __future__ import annotations

from kataribe.domain.story.overviews import FactImpact, Impact, KnowledgeSummary, ProbeImpact, Subject
from kataribe.formats.report import Cell, Report, Sheet
from kataribe.formats.wire import overviews as shown
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.view_pages import Page

_NOBODY = "(names nobody)"


def summary_page(found: KnowledgeSummary) -> Page:
    """Lay out a summary: a row for each subject, a column for each character's own knowledge."""
    names = [held.name for held in found.subjects[0].holders] if found.subjects else []
    rows = [_subject_row(one) for one in found.subjects]
    when = "after the last episode" if found.at is None else f"at the beginning of episode {found.at}"
    return Page(
        json=shown.summary_json(found),
        head=("subject", "name", "facts", "everybody", "character", "own", "total", "last_episode_no"),
        rows=[
            (one.subject, one.name, len(one.fact_ids), len(one.everybody), *cells)
            for one in found.subjects
            for held in one.holders
            for cells in [(held.holder, len(held.own), held.total, held.last_no)]
        ],
        report=Report(
            title=f"{found.story_id}: who knows what {when}",
            language="und",
            notes=(
                f"{output.count(len(found.texts), 'fact')}. Numbers of characters are beside everybody's.",
            ),
            sheets=(Sheet(title="By subject", head=("about", "facts", "everybody", *names), rows=rows),),
        ),
    )


def _subject_row(one: Subject) -> tuple[Cell, ...]:
    own: list[Cell] = [len(held.own) or None for held in one.holders]
    return (one.name or _NOBODY, len(one.fact_ids), len(one.everybody) or None, *own)


def impact_page(found: Impact) -> Page:
    """Lay out what a text would move: facts, holders, and probes."""
    facts = [_fact_row(one) for one in found.facts]
    told = f"{output.count(len(found.facts), 'fact')} would move, {found.kept} would stay as they are"
    probed = (
        f"; {len(found.probes)} of {output.count(found.asked, 'probe')} would change" if found.asked else ""
    )
    head = ("change", "episode", "fact", "before", "after", "text")
    sheets = [Sheet(title="Facts", head=head, rows=facts)] if facts else []
    if found.holders:
        counted: list[tuple[Cell, ...]] = [(one.name, one.gains, one.loses) for one in found.holders]
        sheets.append(Sheet(title="Who", head=("who", "gains", "loses"), rows=counted))
    if found.probes:
        asked = [_probe_row(one) for one in found.probes]
        sheets.append(Sheet(title="Probes", head=("question", "as", "at", "before", "after"), rows=asked))
    return Page(
        json=shown.impact_json(found),
        head=("change", "episode_no", "fact_id", "before", "after", "text"),
        rows=facts,
        report=Report(
            title=f"{found.story_id}: what this text of episode {found.episode_no} would move",
            language="und",
            notes=(f"{told}{probed}. Nothing was stored.", *_pending(found)),
            sheets=tuple(sheets),
        ),
    )


def _pending(found: Impact) -> tuple[str, ...]:
    listed = ", ".join(map(str, found.pending))
    return (f"Episode {listed} would have to be synced too; that is not in here.",) if listed else ()


def _fact_row(one: FactImpact) -> tuple[Cell, ...]:
    before = " ".join(one.before) or None
    return (one.change.value, one.episode_no, one.fact_id, before, " ".join(one.after) or None, one.text)


def _probe_row(one: ProbeImpact) -> tuple[Cell, ...]:
    said = {True: "found", False: "not found"}
    return (one.question, one.character, one.at, said[one.met_before], said[one.met_after])
