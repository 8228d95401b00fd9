"""`kataribe calibrate`: measure one's own data, and write what was found as a policy file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.formats.labels import read_gold, read_qa
from kataribe.formats.wire.store import calibration_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("calibrate")(calibrate)


def calibrate(
    story_id: Annotated[
        str | None, typer.Option("--story", metavar="ID", help="The story to measure; needs --gold.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="FILE", help="Its probes, with what they should bring up."),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="U", help="The user to measure; needs --qa.")
    ] = None,
    qa: Annotated[
        Path | None, typer.Option("--qa", metavar="FILE", help="Questions with the ids of turns as evidence.")
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", metavar="ID", help="Which conversation of the file the user's is."),
    ] = None,
    persona: Annotated[
        str | None, typer.Option("--as", metavar="P", help="The persona that is asked about the user.")
    ] = None,
    keep: Annotated[
        float, typer.Option("--keep", metavar="SHARE", min=0.5, max=1.0, help="Evidence that must stay.")
    ] = 0.97,
    weights: Annotated[
        bool, typer.Option("--weights", help="Choose the keywords' share by cross-validation too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="A policy file that is not there yet.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure which similarity is worth using in your own data; nothing is applied by itself."""
    questions = _questions(story_id, gold, user, qa, conversation, persona)
    with opened() as kataribe:
        found = kataribe.admin.calibrate(questions, story=story_id, user=user, keep=keep, weights=weights)
    if out is not None:
        face.save_policy(found, out)
    if as_json:
        output.json_line(calibration_json(found))
    else:
        _print(found)
    if out is not None:
        output.note(f"wrote {out}; it holds with `kataribe --policy {out} ...` or KATARIBE_POLICY={out}")


def _questions(
    story_id: str | None,
    gold: Path | None,
    user: str | None,
    qa: Path | None,
    conversation: str | None,
    persona: str | None,
) -> tuple[face.Labelled, ...]:
    if story_id is not None and gold is not None and user is None and qa is None:
        if conversation is not None or persona is not None:
            raise typer.BadParameter(
                "--conversation and --as go with --user; a probe names its own character"
            )
        return read_gold(gold)
    if user is not None and qa is not None and story_id is None and gold is None:
        return read_qa(qa, conversation=conversation, persona=persona)
    raise typer.BadParameter(
        "give --story with --gold FILE, or --user with --qa FILE: "
        "without questions whose answers are known nothing can be measured"
    )


def _print(found: face.Calibration) -> None:
    output.result(f"embedder   {found.embedder_id}")
    output.result(f"questions  {found.questions} with evidence, {found.answered} find it in the first 10")
    head = ("kind", "minimum", "evidence", "kept", "5/50/95 %", "others", "left out", "5/50/95 %")
    rows = [
        (
            one.kind.value,
            f"{one.minimum:.2f}",
            one.evidence,
            f"{one.kept:.1%}",
            "/".join(f"{cosine:.2f}" for cosine in one.spread),
            one.others,
            f"{one.removed:.1%}",
            "/".join(f"{cosine:.2f}" for cosine in one.other_spread),
        )
        for one in found.separations
    ]
    output.table("", head, rows)
    if found.weights is None:
        return
    trial = found.weights
    tried = [(f"{weight:g}", f"{share:.3f}") for weight, share in trial.found.items()]
    output.table("", ("keyword weight", "evidence found"), tried)
    said = "the weight in use stays" if trial.chosen is None else f"chosen: {trial.chosen:g}"
    output.result(f"on questions unseen {trial.held_out:.3f}, in use {trial.current:.3f}: {said}")
