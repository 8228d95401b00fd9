"""`kataribe bench`: its place in the command line; what measures is loaded when it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True)


class AsOf(StrEnum):
    """When questions about a conversation are asked."""

    NOW = "now"
    END = "end"


_Data = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="The folder with the data; see the README of each set.")
]
_Embedder = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="Which embedder (else the language's default)."),
]
_Whole = Annotated[bool, typer.Option("--whole", help="Do not measure with each part switched off.")]
_Nights = Annotated[
    bool,
    typer.Option(
        "--nights",
        help="Hold a night a day, with and without fading, and put contexts together; beside raw turns.",
    ),
]
_AsOfOption = Annotated[AsOf, typer.Option("--as-of", help="Ask today, or at the end of each conversation.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def locomo(
    data: _Data,
    embedder: _Embedder = None,
    whole: _Whole = False,
    as_of: _AsOfOption = AsOf.NOW,
    nights: _Nights = False,
    as_json: _Json = False,
) -> None:
    """Ask LoCoMo's questions: turns.jsonl and qa.jsonl; adversarial ones are told apart."""
    _talks("locomo", data, embedder, whole, as_of, nights, as_json)


@app.command()
def personachat(
    data: _Data,
    embedder: _Embedder = None,
    whole: _Whole = False,
    as_of: _AsOfOption = AsOf.NOW,
    nights: _Nights = False,
    as_json: _Json = False,
) -> None:
    """Ask about RealPersonaChat's pairs: utterances.jsonl and qa.jsonl."""
    _talks("personachat", data, embedder, whole, as_of, nights, as_json)


@app.command()
def stories(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="A story's folder, or one of such folders (else those bundled)."
        ),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help="Ask these about the texts in --data instead (set, question, gold).",
        ),
    ] = None,
    embedder: _Embedder = None,
    whole: _Whole = False,
    as_json: _Json = False,
) -> None:
    """Probe stories that have a gold.jsonl, by their facts and by their texts."""
    if questions is not None:
        _print("stories", _asked(data, questions, embedder, whole), as_json, embedder)
        return
    evaluate, folders = import_module("kataribe.bench.evaluate"), import_module("kataribe.bench.folders")
    with folders.probed(data) as found:
        choice = evaluate.EvaluatedSetting(embedder=embedder, switched=not whole)
        _print("stories", evaluate.stories(found, choice, _say), as_json, embedder)


@app.command()
def holders(
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="A story's folder with notes, or one of such folders."),
    ],
    notes: Annotated[
        Path | None,
        typer.Option(
            "--notes",
            metavar="DIR",
            help="Where cast.json and presence.jsonl are, in a folder for each story.",
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Hold the guesses of who was there against notes by paragraph (presence.jsonl)."""
    presence, shown = import_module("kataribe.bench.presence"), import_module("kataribe.bench.tables")
    extractor = import_module("kataribe.wiring").default_extractor()
    works = presence.noted_works(data, notes)
    figures = [one for work in works for one in presence.figures(presence.judge(work, extractor))]
    if as_json:
        _out(shown.presence_json(figures, extractor=extractor.extractor_id))
        return
    for line in shown.presence_lines(figures):
        _out(line)


@app.command()
def privacy(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder of marked lines (else those bundled)."),
    ] = None,
    lines: Annotated[
        list[Path] | None,
        typer.Option(
            "--lines",
            metavar="FILE",
            help="Count what is found in lines where nothing is marked (repeatable).",
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Count what is found of the personal data in marked lines, and what is found besides."""
    bench = import_module("kataribe.bench.privacy")
    judged = [*bench.figures(bench.marked_lines(data or bench.BUNDLED))]
    counted = [bench.unmarked(file) for file in lines or ()]
    if as_json:
        _out(bench.privacy_json(judged, counted))
        return
    for line in bench.privacy_lines(judged, counted):
        _out(line)


@app.command()
def parts(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="DIR",
            help="A folder that holds folders of LoCoMo, of RealPersonaChat or of stories with probes.",
        ),
    ],
    embedder: _Embedder = None,
    as_of: _AsOfOption = AsOf.NOW,
    as_json: _Json = False,
) -> None:
    """Say what each part of recall is worth: how much more is found with it, set by set.

    The stories that come with kataribe are asked beside those of the folder.
    """
    evaluate, worth = import_module("kataribe.bench.evaluate"), import_module("kataribe.bench.worth")
    folders, shown = import_module("kataribe.bench.folders"), import_module("kataribe.bench.tables")
    choice = evaluate.EvaluatedSetting(embedder=embedder, as_of=as_of.value)
    talks, probed = worth.sets_in(data)
    with folders.bundled() as own:
        measured = list(worth.measure(talks, (*own, *probed), choice, _say))
    worths = worth.worths(measured, choice)
    if as_json:
        _out(shown.worth_json(measured, worths, embedder=embedder or "default", as_of=as_of.value))
        return
    for line in shown.worth_lines(measured, worths):
        _out(line)


def _talks(
    name: str, data: Path, embedder: str | None, whole: bool, as_of: AsOf, nights: bool, as_json: bool
) -> None:
    evaluate, sets = import_module("kataribe.bench.evaluate"), import_module("kataribe.bench.datasets")
    choice = evaluate.EvaluatedSetting(embedder=embedder, switched=not whole, as_of=as_of.value)
    measure = import_module("kataribe.bench.nights").with_nights if nights else evaluate.conversations
    _print(name, measure(sets.READERS[name](data), choice, _say), as_json, embedder)


def _print(name: str, figures: Any, as_json: bool, embedder: str | None) -> None:
    shown = import_module("kataribe.bench.tables")
    if as_json:
        _out(shown.as_json(name, list(figures), embedder=embedder or "default"))
        return
    lines: Callable[[Any], Any] = shown.story_lines if name == "stories" else shown.talk_lines
    for line in lines(figures):
        _out(line)


def _asked(data: Path | None, questions: Path, embedder: str | None, whole: bool) -> Any:
    evaluate, asked = import_module("kataribe.bench.evaluate"), import_module("kataribe.bench.asked")
    choice = evaluate.EvaluatedSetting(embedder=embedder, switched=not whole)
    return asked.asked_of_texts(data or Path(), questions, choice, _say)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _out(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
