"""`kataribe chat`: talk in the terminal; what is said is stored before anything else happens."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import kataribe as face
from kataribe.domain.conversation.commands import read_commands
from kataribe.domain.conversation.commands.values import CommandKind
from kataribe.domain.recall.requests import ContextOptions, ViewerKeys
from kataribe.domain.terms import Language
from kataribe.errors import InputError, KataribeError, ModelError
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.answer import PersonaOption as PersonaText
from kataribe.surfaces.cli.answer import SpeaksOption, StyleOption, given_text
from kataribe.surfaces.cli.chat_pages import HELP, show_kept, show_thread, show_why
from kataribe.surfaces.cli.options import BaseUrlOption, EmbedderOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.story import LanguageOption
from kataribe.surfaces.cli.viewers import UserOption

_ASKS_TO_REMEMBER: dict[Language, tuple[str, str]] = {
    "en": ("Please remember that.", "Please remember: {text}"),
    "ja": ("今のことを覚えておいて。", "{text}、と覚えておいて。"),
}
"""What `/remember` says in the user's place: alone, and with a text."""


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command("chat")(chat)


def chat(
    user_id: UserOption,
    persona: Annotated[
        str | None,
        typer.Option("--persona", metavar="P", help="Who is talked with (else nobody's: told to all)."),
    ] = None,
    story_id: Annotated[
        str | None, typer.Option("--story", metavar="S", help="Talk under this story, held at --at.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="N", min=1, help="With --story: the episode the talk is held at."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="M", help="The model (provider:name) that replies; else its context is shown."
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="X", help="The session (else that of the day, UTC).")
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="Begin off the record: nothing is stored.")] = False,
    speaks_as: SpeaksOption = None,
    persona_text: PersonaText = None,
    style: StyleOption = None,
    language: LanguageOption = None,
    embedder: EmbedderOption = None,
    base_url: BaseUrlOption = None,
) -> None:
    """Talk with a persona in the terminal; lines of a pipe are what the user says. /help lists commands."""
    if (story_id is None) != (at is None):
        raise typer.BadParameter("talk under a story is held at an episode: give both --story and --at")
    if story_id is not None and persona is None:
        raise typer.BadParameter("talk under a story needs who was there: give --persona")
    told = ContextOptions(
        speaks_as=speaks_as,
        style=style,
        persona_text=None if persona_text is None else given_text(persona_text),
    )
    with opened(base_url=base_url) as kataribe:
        bound = kataribe.user(user_id).chat(
            persona=persona,
            story=story_id,
            at=at,
            session=session,
            language=None if language is None else language.value,
            embedder=embedder,
        )
        viewer = ViewerKeys(user=user_id, persona=persona)
        if story_id is not None and at is not None:
            viewer = {**viewer, "story": story_id, "at": at}
        ChatLoop(kataribe, bound, viewer, told, model=model, off=off).go_on()


class ChatLoop:
    """One conversation at the terminal, until nothing more comes."""

    def __init__(
        self,
        kataribe: face.Kataribe,
        chat: face.Chat,
        viewer: ViewerKeys,
        told: ContextOptions,
        *,
        model: str | None,
        off: bool,
    ) -> None:
        self._kataribe = kataribe
        self._chat = chat
        self._user = viewer.get("user") or ""
        self._persona = viewer.get("persona")
        self._viewer = viewer
        self._told = told
        self._model = model
        self._off = chat.off_the_record() if off else None
        self._last: face.Context | None = None
        self._is_terminal = sys.stdin.isatty()
        self._commands = {
            "help": self._help,
            "why": self._why,
            "memory": self._memory,
            "forget": self._forget,
            "remember": self._remember,
            "thread": self._thread,
            "off": self._off_the_record,
            "on": self._on_the_record,
        }

    def go_on(self) -> None:
        """Talk until the end of what is typed, or `/quit`."""
        if self._is_terminal:
            output.note("/help lists commands; Ctrl-D ends. What is said is stored as it is said.")
        while (line := self._line()) is not None:
            text = line.strip()
            if text in ("/quit", "/exit"):
                return
            if not text:
                continue
            try:
                self._take(text)
            except KataribeError as error:
                # A pipe has nobody who would mend it; what was said before stays said.
                if not self._is_terminal and not isinstance(error, ModelError):
                    raise
                output.warn(error.in_shell)

    def _line(self) -> str | None:
        if not self._is_terminal:
            line = sys.stdin.readline()
            return line or None
        output.flush()
        try:
            return input(f"{self._user}{' (off the record)' if self._off else ''}> ")
        except EOFError:
            output.note("")
            return None

    def _take(self, text: str) -> None:
        if not text.startswith("/"):
            self._say(text)
            return
        name, _, rest = text[1:].partition(" ")
        command = self._commands.get(name)
        if command is None:
            raise InputError(f"there is no /{name}; there are /{', /'.join(self._commands)} and /quit")
        command(rest.strip())

    # -- talking ------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        if self._off is not None:
            self._off.said(text)
        else:
            self._store(text)
        if self._model is None:
            self._last = (self._off or self._chat).context(text, **self._told)
            output.lines(self._last.text)
            return
        self._reply(text, self._model)

    def _reply(self, text: str, model: str) -> None:
        talked = self._off or self._chat
        if self._is_terminal:
            output.piece(f"{self._persona or model}> ")
        answer = talked.reply(text, model=model, heard=output.piece, **self._told)
        output.piece("\n")
        self._last = answer.context
        talked.replied(answer.text, speaker=None if self._persona else "assistant")
        for note in answer.notes:
            output.warn(note)

    def _store(self, text: str) -> None:
        """Store what was said; what it asks of memory is done at once, and said."""
        asks = self._asks(text)
        before = self._hidden() if asks else {}
        told = self._chat.said(text)
        if told.made:
            output.note(f"created user {self._user} ({told.user.language}, {told.user.embedder_id})")
        if told.pending is not None:
            output.warn(f"stored, and found by words until it is embedded: {told.pending}")
        if not asks:
            return
        self._kataribe.user(self._user).sync(waits=False)
        gone = {name: said for name, said in self._hidden().items() if name not in before}
        for name, said in gone.items():
            output.note(f"forgotten: {said} (`kataribe memory restore {name} --user {self._user}` undoes it)")
        kept = self._kataribe.viewer(**self._viewer).memories()
        for one in kept.asked:
            if one.turn_id == told.turn_id:
                output.note(f"{one.verb} was not done, it is not plain what is meant: {one.why}")

    def _asks(self, text: str) -> bool:
        language = self._language()
        if language is None:
            return False
        return any(one.kind is not CommandKind.REMEMBER for one in read_commands(text, language))

    def _language(self) -> Language | None:
        found = next((one for one in self._kataribe.admin.users() if one.user_id == self._user), None)
        return None if found is None else found.language

    def _hidden(self) -> dict[str, str]:
        kept = self._kataribe.viewer(**self._viewer).memories(state="hidden")
        return {one.value.memory_id: one.value.text for one in kept.memories}

    # -- commands -----------------------------------------------------------------------------

    def _help(self, _: str) -> None:
        output.lines(HELP)

    def _why(self, memory_id: str) -> None:
        if memory_id:
            found = self._kataribe.user(self._user).memory.history(memory_id)
            for row in found.rows:
                output.result(f"{row.tier} {row.state}: {row.reason}")
        elif self._last is None:
            output.note("nothing was told to anybody yet; say something first")
        else:
            show_why(self._last)

    def _memory(self, _: str) -> None:
        show_kept(self._kataribe.viewer(**self._viewer).memories().memories)

    def _forget(self, what: str) -> None:
        if not what:
            raise InputError("name what to forget: /forget WORDS, or /forget ID as /memory shows it")
        memory = self._kataribe.user(self._user).memory
        mine = self._kataribe.viewer(**self._viewer).memories().memories
        found = [one for one in mine if one.value.memory_id == what]
        if not found:
            named = {one.value.memory_id for one in memory.about(what)}
            found = [one for one in mine if one.value.memory_id in named]
        for one in found:
            memory.forget(one.value.memory_id)
            output.note(f"forgotten: {one.value.text}")
        if not found:
            output.note("nothing that is kept has all these words; /memory shows what is")

    def _remember(self, text: str) -> None:
        if self._off is not None:
            raise InputError("nothing is kept off the record; /on goes back")
        alone, of = _ASKS_TO_REMEMBER[self._language() or "en"]
        said = of.format(text=text.rstrip("。.")) if text else alone
        self._chat.said(said)
        output.note(f"said in your place: {said}")

    def _thread(self, _: str) -> None:
        show_thread(self._kataribe.viewer(**self._viewer).threads().threads, self._chat.session)

    def _off_the_record(self, _: str) -> None:
        self._off = self._off or self._chat.off_the_record()
        output.note("off the record: nothing is stored until /on; what you say is still told to the model")

    def _on_the_record(self, _: str) -> None:
        self._off = None
        output.note("on the record: what you say is stored")
