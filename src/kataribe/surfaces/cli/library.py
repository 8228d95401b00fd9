"""`kataribe kb`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import kataribe as face
from kataribe.errors import ConflictError, InputError, MissingExtraError
from kataribe.formats.wire.knowledge import (
    document_json,
    document_receipt_json,
    library_json,
    library_search_json,
    library_state_json,
    refused_json,
)
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import EmbedderOption, JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.story import LanguageOption

app = typer.Typer(rich_markup_mode=None)

LibraryArgument = Annotated[str, typer.Argument(metavar="ID", help="The library's id.")]
DocumentArgument = Annotated[str, typer.Argument(metavar="DOCUMENT", help="The document's name.")]
EXIT_CHECK = 1
_NAMED = 5
"""How many pages a warning names."""


@app.command("create")
def create(
    library_id: LibraryArgument,
    language: LanguageOption = None,
    embedder: EmbedderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a library; without --language its first document decides it."""
    with opened() as kataribe:
        made = kataribe.library(library_id).create(
            language=None if language is None else language.value, embedder=embedder
        )
    if as_json:
        output.json_line(library_json(made))
        return
    told = made.language if made.language_told else "in the language of its first document"
    output.note(f"created {library_id} ({told}, {made.embedder_id})")


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List all libraries."""
    with opened() as kataribe:
        found = [kataribe.library(one.library_id).state() for one in kataribe.libraries()]
    if as_json:
        for state in found:
            output.json_line(library_state_json(state))
        return
    rows = [
        (
            one.library.library_id,
            one.library.language,
            one.library.embedder,
            len(one.documents),
            one.passages,
            one.pending_documents,
        )
        for one in found
    ]
    output.table("", ("id", "language", "embedder", "documents", "passages", "pending"), rows)


@app.command("add")
def add(
    library_id: LibraryArgument,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help=".txt, .md, .html, .pdf or .docx files.")
    ],
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="E", help="Of .txt, .md and .html (else UTF-8).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Add documents; one of the same name is replaced as a whole, by its next version."""
    with opened() as kataribe:
        handle = kataribe.library(library_id)
        handle.info()
        if len(files) == 1:
            _tell(handle.add(files[0], encoding=encoding), as_json=as_json)
            return
        done = [_added(handle, library_id, file, encoding, as_json=as_json) for file in files]
    if not all(done):
        raise typer.Exit(EXIT_CHECK)


def _added(
    handle: face.LibraryHandle, library_id: str, file: Path, encoding: str | None, *, as_json: bool
) -> bool:
    """Add one of several files; False when it was refused: the others are added all the same."""
    try:
        receipt = handle.add(file, encoding=encoding)
    except (InputError, ConflictError, MissingExtraError) as error:
        if as_json:
            output.json_line(refused_json(library_id, file.name, error.in_shell))
        output.note(f"error: {' '.join(error.in_shell.split())}")
        return False
    _tell(receipt, as_json=as_json)
    return True


def _tell(receipt: face.DocumentReceipt, *, as_json: bool) -> None:
    """Say what came of a file."""
    if as_json:
        output.json_line(document_receipt_json(receipt))
    else:
        output.note(_said(receipt))
    _warn(receipt)


def _said(receipt: face.DocumentReceipt) -> str:
    if receipt.is_unchanged:
        return f"{receipt.name} is stored already as version {receipt.version}; nothing to do"
    what = "added" if receipt.replaced is None else f"version {receipt.replaced} replaced"
    return f"{receipt.name}: {what}, version {receipt.version}, {output.count(receipt.passages, 'passage')}"


def _warn(receipt: face.DocumentReceipt) -> None:
    if receipt.pending is not None:
        output.warn(
            f"{receipt.name} is stored and not found yet: {receipt.pending}; mend the cause and run "
            f"`kataribe sync`"
        )
    empty = receipt.empty_pages
    if empty and not receipt.is_unchanged:
        named = ", ".join(map(str, empty[:_NAMED])) + (", ..." if len(empty) > _NAMED else "")
        output.warn(f"{receipt.name}: there is no text on page {named} (a scan, perhaps); it is not found")


@app.command("show")
def show(library_id: LibraryArgument, as_json: JsonOption = False) -> None:
    """Show a library: its documents with version, length and passages."""
    with opened() as kataribe:
        found = kataribe.library(library_id).state()
    if as_json:
        for one in found.documents:
            output.json_line(document_json(library_id, one))
        return
    rows = [
        (
            one.name,
            one.version,
            one.characters,
            one.pages or "",
            one.passages,
            "yes" if one.is_pending else "",
            one.added_at,
        )
        for one in found.documents
    ]
    head = ("document", "version", "characters", "pages", "passages", "pending", "added")
    output.table("", head, rows)


@app.command("search")
def search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.")],
    library_id: Annotated[str, typer.Option("--library", metavar="ID", help="The library to search.")],
    top_k: Annotated[int, typer.Option("--top-k", metavar="K", help="How many passages at most.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Search a library; no other command gives what is in it."""
    with opened() as kataribe:
        found = kataribe.library(library_id).search(question, top_k=top_k)
    if as_json:
        output.json_line(library_search_json(found))
    else:
        rows = [
            (
                f"{hit.score or 0:.3f}",
                hit.document,
                hit.version,
                " > ".join(hit.headings),
                hit.page,
                hit.text,
            )
            for hit in found.hits
        ]
        output.table("", ("score", "document", "version", "heading", "page", "text"), rows)
    for warning in found.warnings:
        output.warn(warning)
    if found.pending:
        output.warn(f"not searched yet: {', '.join(found.pending)}; run `kataribe sync`")


@app.command("remove")
def remove(library_id: LibraryArgument, document: DocumentArgument) -> None:
    """Remove a document with all that is found of it."""
    with opened() as kataribe:
        kataribe.library(library_id).remove(document)
    output.note(f"removed {document} from {library_id}")


@app.command("delete")
def delete(library_id: LibraryArgument) -> None:
    """Delete a library with all its documents."""
    with opened() as kataribe:
        kataribe.library(library_id).delete()
    output.note(f"deleted {library_id}")
