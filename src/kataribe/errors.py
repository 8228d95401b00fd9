"""Every error kataribe raises on purpose, named after what the caller can do.

::

    KataribeError
    ├── InputError               what was handed in is wrong: mend it and call again
    │   ├── FormatError          a file is malformed (carries file and line)
    │   └── FilterError          a caller's filter is not understood
    ├── NotFoundError            no such story, episode, character or fact
    ├── ConflictError            the id or number is taken, or the state forbids it
    │   ├── StaleError           somebody has changed it since it was read: read it again
    │   └── UnconfirmedError     it may be done, but a person should say so first (says how)
    ├── NotPermittedError        a token must permit it, and none does (a `PermissionError` too)
    ├── MissingExtraError        an optional package is not installed (says what to type)
    ├── EmbedderError            text could not be embedded
    │   ├── EmbedderMismatchError  the story was embedded by another embedder
    │   └── EmbedderUnavailableError  the embedder cannot be reached now, whatever the text
    ├── ExtractionError          an episode's text could not be turned into facts
    ├── ModelError               no language model can be asked: mend the key, name or address
    ├── VectorIndexError         the index outside the store cannot be reached; the store answers without it
    └── StoreError               the store refuses
        ├── ForeignStoreError    the file is not a kataribe store
        ├── NewerStoreError      a newer kataribe wrote it
        ├── StoreBusyError       another process holds it; try again
        ├── StoreFullError       no room on the disk
        ├── ArchiveError         the archive beside the store cannot be used
        │   └── ArchiveLostError a file of it is not there any more, or not what was written
        └── KeyStoreError        the key store refuses: its place, its rights, or what is in it
            ├── KeyLostError     a key that is needed is not there
            └── WrongKeyError    the key at hand does not fit
"""

from __future__ import annotations

import re
import sys
from traceback import walk_tb
from types import FrameType
from typing import ClassVar

MAX_QUOTED = 200
"""So many characters without a blank may stand in a message: the longest id there is."""
MAX_MESSAGE = 2000
"""So many characters may stand in a message at all."""
_LONG = re.compile(rf"\S{{{MAX_QUOTED + 40},}}")


def shortened(message: str) -> str:
    """Cut what a message quotes at too great a length; its beginning and its end, what to do, stay."""
    cut = _LONG.sub(lambda found: _cut(found[0], MAX_QUOTED), message)
    return cut if len(cut) <= MAX_MESSAGE else _cut(cut, MAX_MESSAGE // 2)


def _cut(text: str, length: int) -> str:
    head = length * 2 // 3
    return f"{text[:head]}... ({len(text) - length:,} characters more) ...{text[head - length :]}"


_OPTION = re.compile("\ufdd0([a-z_]+)(?: ([^\ufdd1]*))?\ufdd1")


def option(name: str, value: str = "") -> str:
    """Name an option in a message: `name=` or `name="value"` in Python, `--name value` in a shell."""
    return f"\ufdd0{name} {value}\ufdd1" if value else f"\ufdd0{name}\ufdd1"


def _in_python(found: re.Match[str]) -> str:
    return f"{found[1]}=" if found[2] is None else f'{found[1]}="{found[2]}"'


def _in_shell(found: re.Match[str]) -> str:
    named = f"--{found[1].replace('_', '-')}"
    return named if found[2] is None else f"{named} {found[2]}"


_WITHHELD = re.compile("\ufdd2([^\ufdd3\ufdd4]*)\ufdd4([^\ufdd3]*)\ufdd3")
_WITHHELD_MARKS = re.compile("[\ufdd2-\ufdd4]")


def withheld(words: object, instead: str = "...") -> str:
    """Put what others wrote into a message: a server, a package, a text that is stored.

    Where no words of a user may be told, `instead` stands in its place. Of an error that a part of
    yours raises nothing is told there, unless it marks by this what it quotes.
    """
    return f"\ufdd2{_unmarked(instead)}\ufdd4{_unmarked(str(words))}\ufdd3"


def _unmarked(words: str) -> str:
    return _WITHHELD_MARKS.sub("", words)


class KataribeError(Exception):
    """Something kataribe refuses; the message says what was wrong and what to do.

    What is quoted in it may be as long as it likes: too long a quotation is cut here. `in_shell` is
    the message as the command line says it: an option is named there as one types it. `wordless` is
    what may stand in a log or in the store, whosever text it is about.
    """

    _sees_words: ClassVar[bool] = True
    """Whether who raises it may have been handed a user's words."""

    def __init__(self, message: str | None = None) -> None:
        self._given = message or (type(self).__doc__ or "").strip()
        self._maker = _maker(sys._getframe(1))
        said = shortened(_WITHHELD.sub(r"\2", self._given))
        super().__init__(_OPTION.sub(_in_python, said))
        self.in_shell = _OPTION.sub(_in_shell, said)

    @property
    def wordless(self) -> str:
        """The message without what others wrote; of an error that others raised, who and of what type."""
        return _OPTION.sub(_in_python, shortened(self._bare()))

    @property
    def retold(self) -> str:
        """The message for the message of another error: that error knows then what others wrote."""
        return self._given if self._is_marked else withheld(self, self._bare())

    @property
    def _is_marked(self) -> bool:
        """Whether what the message quotes is marked, or it cannot quote anything."""
        return not self._sees_words or _is_ours(self._maker) or _WITHHELD.search(self._given) is not None

    def _bare(self) -> str:
        if self._is_marked:
            return _WITHHELD.sub(r"\1", self._given)
        return f"{type(self).__name__} of {self._maker} (its words are kept back; set KATARIBE_TRACE_TEXT=1)"

    def hush(self) -> None:
        """Take the words of others out of this error: out of the message, and what it was caused by.

        The types of the causes and where each was raised stay, as notes.
        """
        bare = self._bare()
        self._given, self._maker = bare, __name__
        self.args = (self.wordless,)
        self.in_shell = _OPTION.sub(_in_shell, shortened(bare))
        causes = _causes(self)
        self.__cause__ = self.__context__ = None
        self.__suppress_context__ = True
        for cause in causes:
            self.add_note(f"caused by {_called(cause)}")


def retold(error: KataribeError) -> str:
    """Give an error's message for the message of another error."""
    return error.retold


def _maker(frame: FrameType | None) -> str:
    """Name the module that makes an error."""
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return "?" if frame is None else str(frame.f_globals.get("__name__", "?"))


def _is_ours(module: str) -> bool:
    return f"{module}.".startswith("kataribe.")


def _causes(error: BaseException) -> list[BaseException]:
    """Give what an error was caused by, the nearest first."""
    found: list[BaseException] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and cause not in (error, *found):
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


def _called(error: BaseException) -> str:
    """Name an error by its type and the line that raised it, without its message."""
    where = [(frame.f_globals.get("__name__", "?"), line) for frame, line in walk_tb(error.__traceback__)]
    kind = type(error)
    raised = f" in {where[-1][0]}, line {where[-1][1]}" if where else ""
    return f"{kind.__module__}.{kind.__qualname__}{raised}"


class InputError(KataribeError):
    """What was handed in is wrong."""


class FormatError(InputError):
    """A file is malformed.

    `file` is its path as given and `line` the 1-based line (None: the file as a whole).
    """

    def __init__(self, reason: str, *, file: str, line: int | None = None) -> None:
        where = file if line is None else f"{file}:{line}"
        super().__init__(f"{where}: {reason}")
        self.file = file
        self.line = line
        self.reason = shortened(_OPTION.sub(_in_python, reason))
        self.given = reason
        """The reason as it was given, to be told again in another error."""


class FilterError(InputError):
    """A caller's filter is not understood."""


class NotFoundError(KataribeError):
    """There is no such thing."""


class ConflictError(KataribeError):
    """The id or number is taken, or the state forbids it."""


class StaleError(ConflictError):
    """Somebody has changed it since it was read."""


class UnconfirmedError(ConflictError):
    """A person should confirm it first."""


class NotPermittedError(KataribeError, PermissionError):
    """A token must permit it, and none does."""


class MissingExtraError(KataribeError):
    """An optional package is not installed."""

    _sees_words = False


class EmbedderError(KataribeError):
    """Text could not be embedded."""


class EmbedderMismatchError(EmbedderError):
    """The story was embedded by another embedder than the one at hand."""


class EmbedderUnavailableError(EmbedderError):
    """The embedder cannot be reached now, whatever the text: try again later."""


class ExtractionError(KataribeError):
    """An episode's text could not be turned into facts.

    `usage` is a `Usage` of what was spent on it all the same, or None.
    """

    def __init__(self, message: str | None = None, *, usage: object = None) -> None:
        super().__init__(message or "An episode's text could not be turned into facts.")
        self.usage = usage


class ModelError(KataribeError):
    """No language model can be asked."""


class VectorIndexError(KataribeError):
    """The index outside the store cannot be reached, or refuses what it is given."""


class StoreError(KataribeError):
    """The store refuses."""


class ForeignStoreError(StoreError):
    """The file is not a kataribe store."""


class NewerStoreError(StoreError):
    """A newer kataribe wrote this store."""


class StoreBusyError(StoreError):
    """Another process holds the store."""


class StoreFullError(StoreError):
    """There is no room left on the disk."""


class ArchiveError(StoreError):
    """The archive beside the store cannot be used."""


class ArchiveLostError(ArchiveError):
    """A file of the archive is not there any more, or not what was written."""


class KeyStoreError(StoreError):
    """The key store refuses."""


class KeyLostError(KeyStoreError):
    """A key that is needed is not there."""


class WrongKeyError(KeyStoreError):
    """The key at hand does not fit."""
