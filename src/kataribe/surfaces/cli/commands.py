"""Which commands there are: each is known by its name, and loaded when it is called."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from kataribe.surfaces.cli.quick import spare_coercion

STORIES, TALK, LIBRARIES = "Stories", "Conversations", "Knowledge"
QUESTIONS = "Questions of a viewer"
VIEWS, UPKEEP = "Views of an author", "Upkeep"
PARTS = (STORIES, TALK, LIBRARIES, QUESTIONS, VIEWS, UPKEEP)
"""The parts of the help text, in their order."""

_HERE = "kataribe.surfaces.cli"


@dataclass(frozen=True, slots=True)
class Listed:
    """A command or a group of commands as the help text lists it; `module` has `app` or `register`."""

    part: str
    name: str
    help: str
    module: str


LISTED = [
    Listed(STORIES, "story", "Create, list, import and export stories.", f"{_HERE}.story"),
    Listed(STORIES, "cast", "Say who is in a story and how they are called.", f"{_HERE}.cast"),
    Listed(STORIES, "episode", "Put, edit, delete and move episodes.", f"{_HERE}.episode"),
    Listed(STORIES, "tell", "Append an episode with its facts, as it happens.", f"{_HERE}.tell"),
    Listed(STORIES, "fact", "Make, edit and review facts by hand.", f"{_HERE}.fact"),
    Listed(STORIES, "card", "Bring in and give out character cards.", f"{_HERE}.card"),
    Listed(STORIES, "lorebook", "Bring in and give out lorebooks.", f"{_HERE}.lorebook"),
    Listed(STORIES, "undo", "Take back the last change to a story.", f"{_HERE}.undo"),
    Listed(TALK, "remember", "Store one thing that was said, and remember it.", f"{_HERE}.remember"),
    Listed(TALK, "chat", "Talk in the terminal, with what a persona remembers.", f"{_HERE}.chat"),
    Listed(TALK, "log", "Bring in what was said with a user; list and search it.", f"{_HERE}.log"),
    Listed(TALK, "thread", "See what goes together in a conversation.", f"{_HERE}.thread"),
    Listed(TALK, "buffer", "Show what was just said and is at hand.", f"{_HERE}.buffer"),
    Listed(TALK, "memory", "See what is kept of conversations, pin, edit, forget.", f"{_HERE}.memory"),
    Listed(TALK, "associate", "Show what a text brings to mind of what was said.", f"{_HERE}.associate"),
    Listed(TALK, "nightly", "Promote what matters, let fade what is not used.", f"{_HERE}.nightly"),
    Listed(TALK, "schedule", "Hold nights and write backups at their time.", f"{_HERE}.schedule"),
    Listed(TALK, "user", "See and delete users.", f"{_HERE}.user"),
    Listed(TALK, "profile", "Keep what a user agrees to, and its consents.", f"{_HERE}.profile"),
    Listed(TALK, "privacy", "Find personal data; export and erase a user.", f"{_HERE}.privacy"),
    Listed(LIBRARIES, "kb", "Keep documents in a knowledge base, and search it.", f"{_HERE}.library"),
    Listed(QUESTIONS, "recall", "Ask what a viewer remembers.", f"{_HERE}.recall"),
    Listed(QUESTIONS, "known", "List everything a viewer may know.", f"{_HERE}.recall"),
    Listed(QUESTIONS, "context", "Put together what a model should be told.", f"{_HERE}.answer"),
    Listed(QUESTIONS, "answer", "Answer out of what a viewer remembers.", f"{_HERE}.answer"),
    Listed(QUESTIONS, "used", "Say which memories a viewer used.", f"{_HERE}.answer"),
    Listed(QUESTIONS, "mcp", "Let an agent ask as one viewer, over MCP.", f"{_HERE}.mcp"),
    Listed(VIEWS, "matrix", "Show what each character gains in each episode.", f"{_HERE}.views"),
    Listed(VIEWS, "diff", "Show what one knows and another does not.", f"{_HERE}.views"),
    Listed(VIEWS, "why", "Tell why a viewer does or does not know a thing.", f"{_HERE}.views"),
    Listed(VIEWS, "timeline", "Tell who learns a thing in which episode.", f"{_HERE}.views"),
    Listed(VIEWS, "check", "Look a story over for what is amiss.", f"{_HERE}.views"),
    Listed(VIEWS, "impact", "Show what a new text of an episode would move.", f"{_HERE}.overviews"),
    Listed(UPKEEP, "sync", "Bring memory up to texts and conversations.", f"{_HERE}.upkeep"),
    Listed(UPKEEP, "work", "See what is not in memory and why; retry or drop it.", f"{_HERE}.work"),
    Listed(UPKEEP, "verify", "Compare memory with what the inputs make of it.", f"{_HERE}.upkeep"),
    Listed(UPKEEP, "rebuild", "Make all memories and vectors again.", f"{_HERE}.upkeep"),
    Listed(UPKEEP, "reembed", "Change the embedder.", f"{_HERE}.reembed"),
    Listed(UPKEEP, "calibrate", "Measure which similarity is worth using.", f"{_HERE}.calibrate"),
    Listed(UPKEEP, "policy", "Show and check the numbers of recall and of the tiers.", f"{_HERE}.policy"),
    Listed(UPKEEP, "backup", "Write a consistent copy while others may write.", f"{_HERE}.backups"),
    Listed(UPKEEP, "restore", "Make a store of a backup, or try whether it can be.", f"{_HERE}.backups"),
    Listed(UPKEEP, "keys", "See to the store of the users' keys.", f"{_HERE}.keys"),
    Listed(UPKEEP, "serve", "Serve the store over HTTP.", f"{_HERE}.serve"),
    Listed(UPKEEP, "access", "Make and revoke keys by which programs connect.", f"{_HERE}.access"),
    Listed(UPKEEP, "audit", "See what was done, and that nothing is missing.", f"{_HERE}.audit"),
    Listed(UPKEEP, "upgrade", "Bring a store to the newest version.", f"{_HERE}.upgrade"),
    Listed(UPKEEP, "trace", "Show the last searches.", f"{_HERE}.upkeep"),
    Listed(UPKEEP, "doctor", "Say what is installed and what is missing.", f"{_HERE}.upkeep"),
    Listed(UPKEEP, "demo", "Play the stories that come with kataribe.", f"{_HERE}.demo"),
]
"""What can be called; the program adds what stands beside the command line."""


def plain_app(**options: Any) -> typer.Typer:
    """Make an app that prints help and errors as plain text."""
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, **options)


def built(one: Listed) -> Any:
    """Load a command and build it."""
    module: Any = import_module(one.module)
    holder = plain_app(add_completion=False)
    if hasattr(module, "register"):
        module.register(holder)
        holder.registered_commands = [info for info in holder.registered_commands if info.name == one.name]
    else:
        holder.add_typer(module.app, name=one.name, help=one.help)
    made: Any = typer.main.get_command(holder)
    command = made.commands[one.name] if one.name in getattr(made, "commands", {}) else made
    spare_coercion(command)
    return command


class Loading(MutableMapping[str, Any]):
    """The commands by name; one is loaded when it is asked for."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            found = next((one for one in LISTED if one.name == name), None)
            if found is None:
                raise KeyError(name)
            self._built[name] = built(found)
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*(one.name for one in LISTED), *self._built]))

    def __len__(self) -> int:
        return len(list(iter(self)))


class RootGroup(TyperGroup):
    """The root: lists its commands by parts, and loads the one that is called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "commands": None})
        self.commands = Loading()
        spare_coercion(self)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the shape of a group
        """Give the names."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the shape of a group
        """Write the commands of each part."""
        width = max(len(one.name) for one in LISTED)
        for part in PARTS:
            rows = [(one.name.ljust(width), one.help) for one in LISTED if one.part == part]
            with formatter.section(part):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Give what may stand here; none of the commands is loaded for it."""
        kept = self.commands
        self.commands = {one.name: TyperCommand(one.name, help=one.help) for one in LISTED}
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self.commands = kept
