"""`kataribe serve`."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

import kataribe as face
from kataribe.errors import MissingExtraError
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.store import CHOICE, say_upgraded
from kataribe.wiring.upstream import upstream_of

_SERVER = "kataribe.surfaces.http.listen"
"""Loaded when it is called: it needs packages of its own."""


def register(app: typer.Typer) -> None:
    """Hang the command onto the root."""
    app.command("serve")(serve)


def serve(
    host: Annotated[str, typer.Option("--host", metavar="H", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8374,
    keys_required: Annotated[
        bool, typer.Option("--keys-required", help="Refuse who comes without an access key, here too.")
    ] = False,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="A certificate, for TLS.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key.")] = None,
    proxy: Annotated[
        str | None,
        typer.Option("--behind-proxy", metavar="NAME", help="Take connections from this proxy alone."),
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", metavar="PROVIDER:MODEL", help="The model behind /v1/chat/completions."),
    ] = None,
    session_header: Annotated[
        str, typer.Option("--session-header", metavar="NAME", help="Names a conversation of /v1.")
    ] = "X-Kataribe-Session",
    webhook: Annotated[
        str | None,
        typer.Option("--webhook", metavar="URL", help="Tell this address what becomes of memory."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--log", help="Write a line a request: route, status, time and key.")
    ] = False,
) -> None:
    """Serve the store over HTTP, to this machine alone unless told otherwise, until it is stopped."""
    try:
        http: Any = import_module(_SERVER)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("kataribe"):
            raise
        raise MissingExtraError("serving needs more packages: pip install 'kataribe[server]'") from error
    where = http.Listening(
        host=host,
        port=port,
        keys_required=keys_required,
        tls_cert=tls_cert,
        tls_key=tls_key,
        proxy=proxy,
        session_header=session_header,
    )
    if verbose:
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
        logging.getLogger("kataribe.server").setLevel(logging.INFO)
    asyncio.run(_serve(http, where, upstream, webhook))


async def _serve(http: Any, where: Any, upstream: str | None, webhook: str | None) -> None:
    settings = from_environment(CHOICE.path, policy=CHOICE.policy, keys=CHOICE.keys, webhook=webhook)
    model = upstream_of(settings, upstream)
    async with await face.open_async(settings=settings, upgraded=say_upgraded) as memory:
        await http.serve(
            memory,
            where,
            listens=lambda address: output.note(f"listening on {address}"),
            upstream=model,
            is_raw=settings.upstream_raw,
        )
