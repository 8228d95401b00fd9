"""`kataribe context`, `answer` and `used`: memory put into words for a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

import kataribe as face
from kataribe.domain.recall.context import DEFAULT_BUDGET, DEFAULT_TOP_K, ESTIMATE
from kataribe.domain.recall.requests import ContextKeys, ViewerKeys
from kataribe.errors import InputError
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
    viewer_keys,
)

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")]
BudgetOption = Annotated[int, typer.Option("--budget", metavar="N", min=1, help="Tokens at most.")]
CounterOption = Annotated[
    str,
    typer.Option(
        "--counter", metavar="C", help="What counts tokens: estimate, or tokenizer:PATH of a tokenizer.json."
    ),
]
OrderOption = Annotated[
    str, typer.Option("--order", metavar="O", help="How memories stand: by score or by time.")
]
TopKOption = Annotated[
    int, typer.Option("--top-k", metavar="K", min=1, max=1000, help="How many memories at most.")
]
JudgeOption = Annotated[
    str | None,
    typer.Option("--judge", metavar="M", help="A model (provider:name) that leaves out what is of no use."),
]
SpeaksOption = Annotated[
    str | None, typer.Option("--speaks-as", metavar="NAME", help="The name to speak under (else the id).")
]
PersonaOption = Annotated[
    Path | None, typer.Option("--persona-text", metavar="FILE", help="What to say of who speaks.")
]
StyleOption = Annotated[
    str | None, typer.Option("--style", metavar="S", help="How it speaks: honorific, tone.")
]


def register(app: typer.Typer) -> None:
    """Hang the commands onto the root."""
    for name, command in (("context", context), ("answer", answer), ("used", used)):
        app.command(name)(command)


def context(
    question: QuestionArgument,
    story_id: ViewedStory = None,
    who: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    reader: ReaderOption = False,
    read: ReadOption = None,
    budget: BudgetOption = DEFAULT_BUDGET,
    order: OrderOption = "score",
    counter: CounterOption = ESTIMATE,
    top_k: TopKOption = DEFAULT_TOP_K,
    min_similarity: LeastOption = None,
    min_relevance: RelevantOption = None,
    where: FilterOption = None,
    intent: IntentOption = None,
    planner: PlannerOption = None,
    reranker: RerankerOption = None,
    judge: JudgeOption = None,
    speaks_as: SpeaksOption = None,
    persona_text: PersonaOption = None,
    style: StyleOption = None,
    base_url: BaseUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put together what a model should be told to answer as a viewer."""
    asked = _asked(
        viewer_keys(story_id, who, at, user, as_of, reader=reader, read=read),
        budget=budget,
        order=order,
        counter=counter,
        top_k=top_k,
        min_similarity=min_similarity,
        min_relevance=min_relevance,
        where=filter_of(where),
        intent=intent,
        planner=planner,
        reranker=reranker,
        judge=judge,
        speaks_as=speaks_as,
        persona_text=persona_text,
        style=style,
    )
    with opened(base_url=base_url) as kataribe:
        made = kataribe.context(question, **asked)
    if as_json:
        output.json_line(face.context_json(made))
        return
    output.lines(made.text)
    _say(made)


def answer(
    question: QuestionArgument,
    story_id: ViewedStory = None,
    who: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    reader: ReaderOption = False,
    read: ReadOption = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="The model (provider:name) that answers; else evidence."),
    ] = None,
    budget: BudgetOption = DEFAULT_BUDGET,
    order: OrderOption = "score",
    counter: CounterOption = ESTIMATE,
    top_k: TopKOption = DEFAULT_TOP_K,
    min_similarity: LeastOption = None,
    min_relevance: RelevantOption = None,
    where: FilterOption = None,
    intent: IntentOption = None,
    planner: PlannerOption = None,
    reranker: RerankerOption = None,
    judge: JudgeOption = None,
    speaks_as: SpeaksOption = None,
    persona_text: PersonaOption = None,
    style: StyleOption = None,
    base_url: BaseUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer as a viewer, out of what it remembers and nothing else."""
    asked = _asked(
        viewer_keys(story_id, who, at, user, as_of, reader=reader, read=read),
        budget=budget,
        order=order,
        counter=counter,
        top_k=top_k,
        min_similarity=min_similarity,
        min_relevance=min_relevance,
        where=filter_of(where),
        intent=intent,
        planner=planner,
        reranker=reranker,
        judge=judge,
        speaks_as=speaks_as,
        persona_text=persona_text,
        style=style,
    )
    with opened(base_url=base_url) as kataribe:
        said = kataribe.answer(question, **asked, model=model)
    if as_json:
        output.json_line(face.answer_json(said))
        return
    output.lines(said.text)
    for note in (*said.notes, *said.context.notes):
        output.warn(note)
    if said.kind is face.AnswerKind.ANSWER:
        output.note(f"said by {said.backend}, out of {', '.join(i.handle for i in said.used) or 'no memory'}")


def used(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of hits, of facts or of turns.")],
    story_id: ViewedStory = None,
    who: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
) -> None:
    """Say which memories a viewer used, so that they come a little sooner to it."""
    viewer = viewer_keys(story_id, who, at, user, as_of)
    with opened() as kataribe:
        noted = kataribe.viewer(**viewer).report_use(ids)
    output.note(f"{noted} noted as used")


def _asked(
    viewer: ViewerKeys,
    *,
    budget: int,
    order: str,
    counter: str,
    top_k: int,
    min_similarity: float | None,
    min_relevance: float | None,
    where: dict[str, object] | None,
    intent: str | None,
    planner: str | None,
    reranker: str | None,
    judge: str | None,
    speaks_as: str | None,
    persona_text: Path | None,
    style: str | None,
) -> ContextKeys:
    asked = {
        **viewer,
        "budget": budget,
        "order": order,
        "counter": counter,
        "top_k": top_k,
        "min_similarity": min_similarity,
        "min_relevance": min_relevance,
        "where": where,
        "intent": intent,
        "reranker": reranker,
        "judge": judge,
        "speaks_as": speaks_as,
        "persona_text": None if persona_text is None else given_text(persona_text),
        "style": style,
    }
    if planner is not None:
        asked["planner"] = planner
    return cast(ContextKeys, asked)


def given_text(path: Path) -> str:
    """Read a text of the caller's own words. Raises `InputError`."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8: {error}") from error


def _say(made: face.Context) -> None:
    for note in made.notes:
        output.warn(note)
    for part in made.parts:
        output.note(f"{part.name}: {part.tokens} tokens, {part.reason}")
    for one in made.dropped:
        output.note(f"dropped {one.handle or one.part}: {one.why}, {one.detail}")
    output.note(f"{made.tokens} of {made.budget} tokens, counted by {made.counter}")
