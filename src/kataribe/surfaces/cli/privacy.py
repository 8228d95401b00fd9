"""`kataribe privacy`."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from kataribe.domain.privacy.requests import PrivacyAction
from kataribe.domain.privacy.tokens import KEY_LENGTH, tokenise
from kataribe.formats.detect import told_language
from kataribe.formats.wire.privacy import finding_json, user_overview_json
from kataribe.surfaces.cli import output, privacy_pages
from kataribe.surfaces.cli.erasures import TokenOption, show_receipt
from kataribe.surfaces.cli.options import EncodingOption, FileArgument, JsonOption
from kataribe.surfaces.cli.store import opened, text_of
from kataribe.surfaces.cli.story import LanguageOption

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

UserOption = Annotated[str, typer.Option("--user", metavar="U", help="The user.")]


@app.callback()
def _group() -> None:
    """Find personal data in a text; confirm what is done with all that is kept of a user."""


@app.command("scan")
def scan(
    file: FileArgument,
    language: LanguageOption = None,
    names: Annotated[bool, typer.Option("--names", help="Look for names of persons too.")] = False,
    encoding: EncodingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say where a text holds personal data: the kind, the characters, and the token in its place.

    Nothing is stored, and the tokens are of a key that is thrown away: they differ from run to run.
    """
    text = text_of(file, encoding)
    chosen = told_language(text) if language is None else language.value
    made = tokenise(text, chosen, secrets.token_bytes(KEY_LENGTH), with_names=names)
    found = [*zip(made.findings, made.tokens, strict=True)]
    if as_json:
        for one, token in found:
            output.json_line(finding_json(one.kind, one.start, one.end, token))
    elif found:
        rows = [(one.kind, one.start, one.end, token) for one, token in found]
        output.table("", ("kind", "start", "end", "token"), rows)


@app.command("request")
def request(
    user: UserOption,
    action: Annotated[PrivacyAction, typer.Option("--action", help="What it is to permit.")],
) -> None:
    """Print a token that permits one export or erasure of a user, once within 15 minutes."""
    with opened() as kataribe:
        output.result(kataribe.user(user).privacy.request(action.value))


@app.command("export")
def export(
    file: Annotated[str, typer.Argument(metavar="FILE.zip", help="The new file; none is overwritten.")],
    user: UserOption,
    token: TokenOption,
) -> None:
    """Write all that is kept of a user into a zip that a person can read, in the words that were said."""
    with opened() as kataribe:
        done = kataribe.user(user).privacy.export(file, token=token)
    output.note(
        f"{user}: {output.count(done.counts['turns'], 'turn')}, "
        f"{done.counts['memories']} memories, {done.size} bytes in {done.path}; it is not encrypted"
    )
    if done.left_out:
        output.note("Parquet files are left out: pip install 'kataribe[archive]' writes them")


@app.command("show")
def show(user: UserOption, as_json: JsonOption = False) -> None:
    """Show on one page what is kept of a user, who may be given it, and where it stands."""
    with opened() as kataribe:
        found = kataribe.user(user).privacy.show()
    if as_json:
        output.json_line(user_overview_json(found))
    else:
        privacy_pages.overview(found)
    if not found.is_open:
        output.warn(
            "the user's key is missing: tokens stand for personal data; `kataribe keys status` tells more"
        )


@app.command("delete")
def delete(user: UserOption, token: TokenOption, as_json: JsonOption = False) -> None:
    """Erase a user everywhere, and print a receipt; ends with 1 while something is still to be done."""
    with opened() as kataribe:
        receipt = kataribe.user(user).delete(token)
    show_receipt(receipt, as_json=as_json)
