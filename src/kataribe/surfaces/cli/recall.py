"""`kataribe recall` and `known`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.recall.requests import RecallKeys
from kataribe.errors import FormatError, KataribeError
from kataribe.formats.probes import Question, QuestionError, read_questions
from kataribe.formats.wire.recall import recollection_json, unanswered_json
from kataribe.surfaces.cli import explain as explain_table
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import (
    BaseUrlOption,
    FilterOption,
    IntentOption,
    JsonOption,
    LeastOption,
    PlannerOption,
    RelevantOption,
    RerankerOption,
    filter_of,
)
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import (
    AsOfOption,
    EpisodeOption,
    OptionalUser,
    ReaderOption,
    ReadOption,
    ViewedStory,
    WhoOption,
    holder_cell,
    places,
    say_pending_of,
    viewer_keys,
)

EvidenceOption = Annotated[
    bool, typer.Option("--evidence", help="Say of what is guessed by which evidence, and how sure.")
]
TopKOption = Annotated[int, typer.Option("--top-k", metavar="K", min=1, max=1000, help="How many at most.")]


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    for name, command in (("recall", recall), ("known", known)):
        app.command(name)(command)


def recall(
    question: Annotated[str | None, typer.Argument(metavar="QUESTION")] = None,
    story_id: ViewedStory = None,
    character: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    reader: ReaderOption = False,
    read: ReadOption = None,
    top_k: TopKOption = 10,
    where: FilterOption = None,
    batch: Annotated[
        Path | None,
        typer.Option("--batch", metavar="FILE", help="Lines of qid, question, character, episode_no."),
    ] = None,
    least: LeastOption = None,
    relevant: RelevantOption = None,
    archived: Annotated[
        bool,
        typer.Option("--archived", help="Search also what was not used for so long that it is archived."),
    ] = False,
    intent: IntentOption = None,
    planner: PlannerOption = None,
    reranker: RerankerOption = None,
    base_url: BaseUrlOption = None,
    as_json: JsonOption = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how the result came about.")] = False,
    evidence: EvidenceOption = False,
    around: Annotated[
        bool, typer.Option("--around", help="Show sentences among those of their paragraph that are known.")
    ] = False,
) -> None:
    """Ask what a character remembers at an episode, a persona of a user, or both together."""
    how: RecallKeys = {
        "top_k": top_k,
        "where": filter_of(where),
        "min_similarity": least,
        "min_relevance": relevant,
        "archived": archived,
        "intent": intent,
        "planner": planner,
        "reranker": reranker,
    }
    if batch is not None:
        if question is not None or character is not None or at is not None:
            raise typer.BadParameter("--batch takes questions, characters and episodes from its file alone")
        if story_id is None or user is not None or as_of is not None:
            raise typer.BadParameter("--batch is for a story: name it with --story, and no user")
        if reader or read is not None:
            raise typer.BadParameter("--batch asks as characters; ask as a reader question by question")
        _batch(batch, story_id, how, base_url)
        return
    if question is None:
        raise typer.BadParameter("give a QUESTION, or --batch FILE")
    viewer = viewer_keys(story_id, character, at, user, as_of, reader=reader, read=read)
    asked: RecallKeys = {**how, "explain": explain, **viewer}
    with opened(base_url=base_url) as kataribe:
        found = kataribe.recall(question, **asked)
    _warn(found)
    if as_json:
        output.json_line(recollection_json(found))
    else:
        _print_hits(found, evidence=evidence, around=around)


def _batch(file: Path, story_id: str, how: RecallKeys, base_url: str | None) -> None:
    failed = False
    with opened(base_url=base_url) as kataribe:
        kataribe.story(story_id).info()
        for _, asked in read_questions(file):
            try:
                if isinstance(asked, FormatError):
                    raise asked
                given: RecallKeys = {
                    **how,
                    "story": story_id,
                    "persona": asked.character,
                    "at": asked.at,
                }
                found = kataribe.recall(asked.text, **given)
            except KataribeError as error:
                failed = True
                output.json_line(unanswered_json(_qid(asked), error))
                continue
            _warn(found)
            output.json_line(recollection_json(found, qid=asked.qid))
            output.flush()
    if failed:
        raise typer.Exit(1)


def _qid(asked: Question | QuestionError) -> str | None:
    return asked.qid


def _warn(found: face.Recollection) -> None:
    if found.persona_note is not None:
        output.warn(found.persona_note)
    say_pending_of(
        found.viewer,
        in_cast=found.in_cast,
        episodes=found.pending_episodes,
        turns=found.pending_turns,
    )


def _holder(hit: face.Hit, *, evidence: bool) -> str:
    """Say who remembers a hit, and by which guess where that is asked for."""
    guess = output.guess(hit.evidence, hit.confidence) if evidence else ""
    shown = holder_cell(hit.scope, hit.character_id)
    return f"{shown} (guessed: {guess})" if guess else shown


def _say_guessed(hits: Sequence[face.Hit]) -> None:
    """Say how many of what is shown rests on a guess."""
    if guessed := sum(hit.is_guessed for hit in hits):
        output.note(f"{guessed} of {len(hits)} remembered by guess; --evidence shows by which")


def _words(hit: face.Hit, *, around: bool) -> str:
    """Give the words of a hit, with those around it where that is asked for and there are any."""
    wide = hit.around if around and isinstance(hit, face.FactHit) else None
    return wide or hit.text


def _print_hits(found: face.Recollection, *, evidence: bool, around: bool) -> None:
    if not found.hits:
        why = (
            ""
            if found.note in (None, found.persona_note)
            else f": {found.note}; --planner none searches all the same"
        )
        output.note(f"nothing to recall{why}")
    if found.explanation is not None:
        explain_table.show(found, found.explanation)
        return
    head, placed = places(found.hits)
    rows = [
        (
            "" if hit.score is None else f"{hit.score:.3f}",
            *cells,
            _holder(hit, evidence=evidence),
            _words(hit, around=around),
        )
        for hit, cells in zip(found.hits, placed, strict=True)
    ]
    if rows:
        output.table("", ["score", *head, "known to", "text"], rows)
    if not evidence:
        _say_guessed(found.hits)


def known(
    story_id: ViewedStory = None,
    character: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    reader: ReaderOption = False,
    read: ReadOption = None,
    where: FilterOption = None,
    as_json: JsonOption = False,
    evidence: EvidenceOption = False,
) -> None:
    """List everything a character may know at an episode, a persona of a user, or both together."""
    viewer = viewer_keys(story_id, character, at, user, as_of, reader=reader, read=read)
    with opened() as kataribe:
        found = kataribe.known(where=filter_of(where), **viewer)
    _warn(found)
    if as_json:
        output.json_line(recollection_json(found, ranked=False))
        return
    if not found.hits:
        output.note("nothing is known")
        return
    head, placed = places(found.hits)
    rows = [
        (
            *cells,
            _holder(hit, evidence=evidence),
            hit.text,
            "" if hit.superseded_by is None else f"superseded by {hit.superseded_by}",
        )
        for hit, cells in zip(found.hits, placed, strict=True)
    ]
    output.table("", (*head, "known to", "text", ""), rows)
    if not evidence:
        _say_guessed(found.hits)
