"""What is shown of an erasure."""

from __future__ import annotations

from typing import Annotated

import typer

from kataribe.domain.privacy.erasure import ErasureReceipt
from kataribe.formats.wire.privacy import erasure_json
from kataribe.surfaces.cli import output

_TOKEN = typer.Option("--token", metavar="T", help="What `privacy request` printed.")
TokenOption = Annotated[str, _TOKEN]
OptionalToken = Annotated[str | None, _TOKEN]


def show_receipt(receipt: ErasureReceipt, *, as_json: bool) -> None:
    """Print a receipt; ends with 1 where something is still to be done."""
    if as_json:
        output.json_line(erasure_json(receipt))
    else:
        output.table("", ("erased", "count"), sorted(receipt.counts.items()))
        end = "nothing of it is left" if receipt.complete else "not all of it yet"
        output.note(f"erased {receipt.user} at {receipt.at}: {end}")
    for who in receipt.held_by:
        output.note(
            f"not complete: {who} still reads the log; it is cut off once that ends, by `kataribe sync`"
        )
    for name, why in receipt.unreached.items():
        output.note(f"not complete: {name}: {why}; `kataribe sync` tries again")
    for name in receipt.unsealed:
        output.note(f"not sealed, and not reached by this: {name}; delete it yourself")
    if not receipt.complete:
        raise typer.Exit(1)
