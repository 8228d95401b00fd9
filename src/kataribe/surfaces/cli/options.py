"""Options that several commands share."""

from __future__ import annotations

import json
from typing import Annotated

import typer

StoryOption = Annotated[str, typer.Option("--story", metavar="ID", help="The story.")]
OptionalStory = Annotated[
    str | None, typer.Option("--story", metavar="ID", help="The story (else all of them).")
]
OptionalLibrary = Annotated[str | None, typer.Option("--library", metavar="ID", help="A library.")]
NumberOption = Annotated[int, typer.Option("--no", metavar="N", min=1, help="The episode's number.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="E", help="Of texts that are not UTF-8: shift_jis, utf-16, euc-jp, ..."
    ),
]
FileArgument = Annotated[str, typer.Argument(metavar="FILE|-", help="The text; - reads standard input.")]
TitleOption = Annotated[str | None, typer.Option("--title", metavar="T", help="A title.")]
EpisodeIdOption = Annotated[str | None, typer.Option("--id", metavar="ID", help="The episode's id.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="What reads its texts: rules, or a model as provider:name."),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="An OpenAI-compatible server of your own (else KATARIBE_BASE_URL).",
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="E",
        help="chive, wordllama, minilm, hash (lexical), or a model as provider:name.",
    ),
]
LeastOption = Annotated[
    float | None,
    typer.Option("--min-similarity", metavar="X", help="Use nothing less like the question (-1 to 1)."),
]
RelevantOption = Annotated[
    float | None,
    typer.Option("--min-relevance", metavar="X", help="Use nothing less likely to answer it (0 to 1)."),
]
PlannerOption = Annotated[
    str | None,
    typer.Option("--planner", metavar="P", help="Who plans the search: rules, none, or a model."),
]
IntentOption = Annotated[
    str | None,
    typer.Option(
        "--intent",
        metavar="I",
        help="emotional, factual, technical, temporal or relational (else the planner says).",
    ),
]
RerankerOption = Annotated[
    str | None,
    typer.Option(
        "--reranker", metavar="R", help="Who reorders the hits: cross-encoder, or a model (else nobody)."
    ),
]
KeepQuote = Annotated[
    bool, typer.Option("--keep-quote", help="Show its quote to those who know it from now on.")
]
NoQuote = Annotated[bool, typer.Option("--no-quote", help="Take the quote away.")]
FilterOption = Annotated[
    str | None,
    typer.Option("--filter", metavar="JSON", help='AND-ed with the gate, e.g. {"importance": {"$gte": 4}}.'),
]


def filter_of(text: str | None) -> dict[str, object] | None:
    """Read a filter from the command line."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"--filter is not JSON: {error.msg} at character {error.pos}") from error
    except RecursionError as error:
        raise typer.BadParameter("--filter is nested too deeply; make it flatter") from error
    except ValueError as error:
        raise typer.BadParameter(f"--filter holds a number that cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise typer.BadParameter("--filter must be a JSON object")
    return value
