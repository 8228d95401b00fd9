"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

StoryOption = Annotated[str, typer.Option("--story", metavar="ID", help="The story.")]
OptionalStory = Annotated[
    str | None, typer.Option("--story", metavar="ID", help="The story (else all of them).")
]
NumberOption = Annotated[int, typer.Option("--no", metavar="N", min=1, help="The episode's number.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsOption = Annotated[str, typer.Option("--as", metavar="CHARACTER", help="Who remembers: a character's id.")]
AtOption = Annotated[
    int, typer.Option("--at", metavar="N", min=1, help="The episode they are in; they know up to N-1.")
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
