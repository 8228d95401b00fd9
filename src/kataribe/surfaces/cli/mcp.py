"""`kataribe mcp`: a door for an agent, bound to one viewer."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any

import typer

import kataribe as face
from kataribe.errors import MissingExtraError
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import BaseUrlOption
from kataribe.surfaces.cli.store import CHOICE, say_upgraded
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

_NEEDED = ("mcp", "uvicorn")


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("mcp")(mcp)


def mcp(
    story_id: ViewedStory = None,
    character: WhoOption = None,
    at: EpisodeOption = None,
    user: OptionalUser = None,
    as_of: AsOfOption = None,
    reader: ReaderOption = False,
    read: ReadOption = None,
    library: Annotated[
        str | None, typer.Option("--library", metavar="L", help="A knowledge base that is searched too.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve streamable HTTP, on this machine alone; 0: a free port.",
        ),
    ] = None,
    base_url: BaseUrlOption = None,
) -> None:
    """Serve one viewer's memory to an agent, over MCP: standard input and output, or HTTP."""
    viewer = viewer_keys(story_id, character, at, user, as_of, reader=reader, read=read)
    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingExtraError("`kataribe mcp` needs a package; type: pip install 'kataribe[mcp]'")
    settings = from_environment(CHOICE.path, base_url=base_url, policy=CHOICE.policy, keys=CHOICE.keys)
    running: Any = import_module("kataribe.agents.mcp_running")
    running.serve(
        lambda: face.open_async(settings=settings, upgraded=say_upgraded),
        viewer,
        library=library,
        port=port,
        version=face.__version__,
        say=output.note,
    )
