"""What a user's words ask of memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kataribe.domain.text.paragraphs import Span


class CommandKind(StrEnum):
    """What a command asks for."""

    REMEMBER = "remember"
    FORGET = "forget"
    DO_NOT_REMEMBER = "do_not_remember"
    FROM_NOW_ON = "from_now_on"
    """A rule for the listener, or a state, that holds from this turn on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCommand:
    """One command in a turn."""

    kind: CommandKind
    span: Span
    """Which words of the text are to be remembered or forgotten; empty: what was said just before."""
    is_clear: bool = True
    """Whether it may be done at once; otherwise the user is asked first."""

    @property
    def is_of_last_turn(self) -> bool:
        """Whether it means what was said before the turn."""
        return self.span[0] == self.span[1]
