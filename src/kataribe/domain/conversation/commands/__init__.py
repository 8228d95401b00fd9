"""Commands to memory in a user's own turn, read by rules: remember, forget, do not remember, from now on.

What is negated, quoted, supposed, asked, or said of somebody else commands nothing.
"""

from __future__ import annotations

from kataribe.domain.conversation.commands.english import read_english
from kataribe.domain.conversation.commands.japanese import read_japanese
from kataribe.domain.conversation.commands.values import CommandKind, MemoryCommand
from kataribe.domain.terms import Language

__all__ = ["CommandKind", "MemoryCommand", "read_commands"]


def read_commands(text: str, language: Language) -> tuple[MemoryCommand, ...]:
    """Read the commands of a turn in the order in which they are said.

    Only a user's own turns command: do not call it with what a persona or the system said.
    """
    return read_japanese(text) if language == "ja" else read_english(text)
