"""Fences: what is remembered stands in a prompt as data that cannot pass for anything else (M-10).

A fenced block is an opening line, one line for each item, and a closing line. Both ends carry
a mark that is a digest of what stands between them, so that no content can hold it. An item's
line is `[m1] where | text`, with the signs of its marks before `where` if it has any; what could
end a line, hide or turn writing, or look like a handle or a tag is written as an escape, so that
the items can be read back exactly as they were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kataribe.domain.ids import digest
from kataribe.domain.memory import Mark
from kataribe.domain.text.printable import coded

MARK_LENGTH = 8
"""Hex digits of a fence's mark."""

_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNNAMED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}
_JOINERS = frozenset("\u200c\u200d")
"""They are formatting signs that writing needs: in emoji, in Persian, in Indic scripts."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# What is looked for stands in a text as matching folds it (`_folded`), so that no wide, small, accented or
# joined sign passes for another: a tag (`</memories`, `<|im_start|>`, `<s>`), a reference that becomes a
# sign of one (`&lt;`), or a bracket that could be read as a handle or a role.
# What stands in place of a personal datum is no tag: as it is, a model can say it again.
_TAG = re.compile(
    r"<(?![a-z]{2,16}:[a-z][a-z2-7]{9}>)(?=[A-Za-z/|!?])|&(?=(?:lt|gt|amp|#[0-9]+|#[xX][0-9A-Fa-f]+);)"
)
_HANDLE = re.compile(r"[\[【〔](?=\s{0,4}/?(?:[mM]\s{0,2}[0-9]|INST|SYS))")
_OURS = re.compile(
    r"<(?=/?(?:memories|recent|question|(?:long|mid|short)-term)\b)|" + _HANDLE.pattern, re.IGNORECASE
)
_BAR = re.compile(r"\|")
_BEGINS = re.compile(r"[<&\[【〔|]")
"""Every sign that one of these begins with."""
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
"""Signs that stand on or between others: a tag is a tag with them too."""
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt\\]))")
_SIGNS = "".join(mark.sign for mark in Mark)
_LINE = re.compile(rf"\[(m[1-9][0-9]*)\] (?:([{_SIGNS}]+) )?([^|]*) \| (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """One item behind a fence: its handle, where it is from, its words, and how it is marked."""

    handle: str
    where: str
    text: str
    marks: tuple[Mark, ...] = ()


def escape(text: str) -> str:
    """Write a text on one line, with nothing in it that is hidden or looks like a tag or a handle."""
    if text.isascii() and text.isprintable() and not {"\\", "<", "[", "&"}.intersection(text):
        return text
    risky = _places(text, _TAG, _HANDLE)
    return "".join(coded(sign) if at in risky else _written(sign) for at, sign in enumerate(text))


def _places(text: str, *patterns: re.Pattern[str]) -> frozenset[int]:
    """Tell where in a text the signs stand that begin one of these, however they are written."""
    if not _BEGINS.search(unicodedata.normalize("NFKD", text)):
        # Nearly every text, told in one step instead of one for each sign.
        return frozenset()
    folded, origins = _folded(text)
    return frozenset(origins[found.start()] for one in patterns for found in one.finditer(folded))


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Give a text as NFKD folds it, bare of what stands on or between signs, and where each sign is from."""
    if text.isascii():
        return text, range(len(text))
    signs: list[str] = []
    origins: list[int] = []
    for at, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign):
            if unicodedata.category(part) not in _UNSEEN:
                signs.append(part)
                origins.append(at)
    return "".join(signs), origins


def _written(sign: str) -> str:
    if sign in _NAMED:
        return _NAMED[sign]
    if unicodedata.category(sign) in _HIDDEN and sign not in _JOINERS:
        return coded(sign)
    return sign


def unescape(line: str) -> str:
    """Give back what `escape` was given."""

    def read(found: re.Match[str]) -> str:
        short, long, name = found.groups()
        return _UNNAMED[name] if name else chr(int(short or long, 16))

    return _ESCAPED.sub(read, line)


def in_lines(text: str) -> str:
    """Write a text of several lines as it is, but for what looks like a fence or a handle of ours."""
    return _coded_at(text, _OURS)


def _coded_at(text: str, pattern: re.Pattern[str]) -> str:
    places = _places(text, pattern)
    return "".join(coded(sign) if at in places else sign for at, sign in enumerate(text))


def line_of(item: Fenced) -> str:
    """Write an item as its line."""
    where = _coded_at(escape(item.where), _BAR)
    if where[:1] in _SIGNS:
        # A place cannot pass for a mark.
        where = "".join(map(coded, where[:1])) + where[1:]
    signs = "".join(mark.sign for mark in item.marks)
    return f"[{item.handle}] {signs + ' ' if signs else ''}{where} | {escape(item.text)}"


def mark_for(contents: Iterable[str]) -> str:
    """Make the mark of a fence out of what stands behind it, as a digest that stands nowhere in it."""
    given = list(contents)
    mark = digest("fence", *given)[:MARK_LENGTH]
    while any(mark in one for one in given):
        mark = digest("fence", mark, *given)[:MARK_LENGTH]
    return mark


def opening(name: str, mark: str) -> str:
    """Give the line that opens a fenced block."""
    return f"<{name} {mark}>"


def closing(name: str, mark: str) -> str:
    """Give the line that closes a fenced block."""
    return f"</{name} {mark}>"


def fenced(name: str, mark: str, lines: Sequence[str]) -> str:
    """Put lines behind a fence."""
    return "\n".join((opening(name, mark), *lines, closing(name, mark)))


def read_back(text: str, name: str = "memories") -> tuple[Fenced, ...]:
    """Read the items of a fenced block out of a prompt; nothing when there is no such block.

    The block counts that is opened by a line of this name and closed by the same mark.
    """
    opened = re.compile(rf"<{re.escape(name)} ([0-9a-f]{{{MARK_LENGTH}}})>")
    found: list[Fenced] = []
    mark: str | None = None
    for line in text.split("\n"):
        if mark is None:
            begins = opened.fullmatch(line)
            mark = begins[1] if begins else None
        elif line == closing(name, mark):
            return tuple(found)
        elif item := _LINE.fullmatch(line):
            handle, signs, where, words = item.groups()
            marks = tuple(mark for mark in Mark if mark.sign in (signs or ""))
            found.append(Fenced(handle=handle, where=unescape(where), text=unescape(words), marks=marks))
    return ()
