"""Questions for recall in bulk: one JSON object a line, a bad line being an answer too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kataribe.errors import FormatError
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import parse_line, read_bytes, split_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of whom, and when: `at` is the episode in which it is asked."""

    qid: str
    text: str
    character: str
    at: int


class QuestionError(FormatError):
    """A line that is no question; `qid` is its id when that much can be read."""

    def __init__(self, reason: str, *, file: str, line: int | None, qid: str | None) -> None:
        super().__init__(reason, file=file, line=line)
        self.qid = qid


def read_questions(path: Path) -> Iterator[tuple[int, Question | QuestionError]]:
    """Read questions with their line numbers; a bad line gives an error and the next goes on."""
    return parse_questions(read_bytes(path), str(path))


def parse_questions(data: bytes, name: str) -> Iterator[tuple[int, Question | QuestionError]]:
    """Read questions out of bytes that came from `name`, e.g. standard input."""
    for line, offset, raw in split_lines(data):
        qid: str | None = None
        try:
            values = parse_line(raw, name, line=line, offset=offset)
            if values is None:
                continue
            found = values.get("qid")
            qid = found if isinstance(found, str) else None
            question = _question(Fields(values, file=name, line=line))
            yield line, question
        except FormatError as error:
            yield line, QuestionError(error.reason, file=name, line=line, qid=qid)


def _question(fields: Fields) -> Question:
    return Question(
        qid=fields.filled_text("qid"),
        text=fields.filled_text("question"),
        character=fields.filled_text("character"),
        at=fields.number("episode_no"),
    )
