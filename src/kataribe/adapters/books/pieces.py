"""What is taken out of a book, written as a manuscript: headings, ruby and emphasis as its marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_BLANK = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class BookBlock:
    """A paragraph, or a heading of a level from 1 on; an empty one is a blank line."""

    text: str
    level: int = 0


def emphasised(text: str, *, dotted: bool = False) -> str:
    """Mark words as emphasised: `*italics*`, or `《《dotted》》`."""
    words = text.strip()
    if not _LETTER.search(words) or any(sign in words for sign in ("*", "《", "\n")):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}《《{words}》》{after}" if dotted else f"{before}*{words}*{after}"


def ruby(base: str, reading: str) -> str:
    """Write a reading as a manuscript does."""
    if not reading.strip() or not base.strip() or re.search("[《》｜\n]", base + reading):
        return base
    return f"｜{base}《{reading.strip()}》"


def squeezed(text: str) -> str:
    """Write every run of blanks as one, as a page shows it."""
    return _BLANK.sub(" ", text)


def written(blocks: Iterable[BookBlock]) -> str:
    """Put blocks together: a paragraph a line, with blank lines between them in a Latin script."""
    kept = _shifted(list(blocks))
    text = "".join(block.text for block in kept)
    letters = len(_LETTER.findall(text))
    joint = "\n" if len(_JAPANESE.findall(text)) > 0.1 * letters else "\n\n"
    lines = [_line(block, joint) for block in kept]
    return re.sub(r"\n{4,}", "\n\n\n", joint.join(lines).strip("\n")) + "\n"


def _line(block: BookBlock, joint: str) -> str:
    if not block.level:
        return block.text
    mark = f"{'#' * block.level} {block.text}"
    return f"\n{mark}\n" if joint == "\n" else f"\n{mark}"


def _shifted(blocks: list[BookBlock]) -> list[BookBlock]:
    """Let the highest headings be of the first level or the second, at which a text is cut."""
    highest = min((block.level for block in blocks if block.level), default=0)
    less = max(0, highest - 2)
    return [BookBlock(block.text, block.level - less if block.level else 0) for block in blocks]
