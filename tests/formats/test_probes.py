from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.errors import InputError
from kataribe.formats.probes import Question, QuestionError, parse_questions, read_questions


def test_a_bad_line_is_an_answer_and_the_next_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    lines = [
        '{"qid": "q1", "question": "放課後？", "character": "ジョバンニ", "episode_no": 3, "mode": "both"}',
        "",
        '{"qid": "q2", "question": "Who?", "character": "Hyde", "episode_no": "3"}',
        '{"qid": 3, "question": "Who?", "character": "Hyde", "episode_no": 3}',
        "not json",
        '{"qid": "q1", "question": "Who?", "character": "Hyde", "episode_no": 3}',
        '{"qid": "q4", "question": "", "character": "Hyde", "episode_no": 3}',
        '{"qid": "q5", "question": "Who?", "character": "world", "episode_no": 1}',
    ]
    file.write_bytes("\n".join(lines).encode() + b"\n\xff\n" + lines[0].replace("q1", "q6").encode())
    found = dict(read_questions(file))
    assert found[1] == Question(qid="q1", text="放課後？", character="ジョバンニ", at=3)
    assert isinstance(found[10], Question)
    errors = {line: error for line, error in found.items() if isinstance(error, QuestionError)}
    assert {line: error.qid for line, error in errors.items()} == {
        3: "q2", 4: None, 5: None, 7: "q4", 9: None,
    }  # fmt: skip
    assert all(error.line == line and error.file == str(file) for line, error in errors.items())
    assert "episode_no must be a whole number, not the text '3'" in errors[3].reason
    assert isinstance(found[6], Question), "a qid may come again: each line is answered"
    assert "not UTF-8 at byte offset" in errors[9].reason


def test_questions_may_come_from_anywhere() -> None:
    line = b'{"qid": "q", "question": "?", "character": "a", "episode_no": 1}'
    assert [number for number, _ in parse_questions(b"\xef\xbb\xbf" + line, "-")] == [1]
    assert list(parse_questions(b"", "-")) == []


def test_a_missing_file_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_questions(tmp_path / "none.jsonl")
