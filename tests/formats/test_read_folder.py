from __future__ import annotations

import json
from pathlib import Path

import pytest

from kataribe.domain.story.folder import DecisionRow
from kataribe.domain.terms import PUBLIC, FactOrigin, FactSource, known_by
from kataribe.errors import FormatError, InputError
from kataribe.formats.folder import read_folder

ONE = '{"episode_no": 1, "text": "夜の空。\\n\\n川の音。"}\n'
CUT = (
    '{"episode_no": 1, "text": "夜の空。川の音。", "paragraphs": '
    '[{"id": "1-1", "text": "夜の空。"}, {"id": "1-2", "text": "川の音。"}]}\n'
)


def put(path: Path, **files: str | bytes) -> Path:
    """Write files named like `facts_jsonl`, with one plain episode unless told otherwise."""
    for name, content in {"episodes_jsonl": ONE, **files}.items():
        data = content if isinstance(content, bytes) else content.encode()
        (path / ".".join(name.rsplit("_", 1))).write_bytes(data)
    return path


def refusal(path: Path) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_folder(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_every_field_is_read(tmp_path: Path) -> None:
    put(
        tmp_path,
        story_json='{"title": "Hyde", "language": "en", "embedder": "wordllama", "author": {"by": "RLS"}}',
        episodes_jsonl='{"episode_id": "e1", "episode_no": 4, "title": null, "text": "ab", "part": "I", '
        '"paragraphs": [{"id": "p", "text": "b"}], "fact_source": "extracted", "annotated": ["h1", "h2"]}',
        facts_jsonl='{"fact_id": "f1", "episode_no": 4, "visibility": "secret", '
        '"known_by": ["Hyde", "Hyde"], "text": "t", '
        '"quote": "q", "quote_episode": 2, "importance": 5, "supersedes": "f0", "told_from": "f9", '
        '"pinned": true, "origin": "hand", "mood": "dark"}',
        visibility_jsonl='{"episode_no": 4, "paragraph_id": "gone", "known_by": "world", '
        '"paragraph_hash": "h", "x": 1}',
        decisions_jsonl='{"episode_no": 4, "suppress": {"holder": "world", "text_hash": "h"}}\n'
        '{"episode_no": 4, "pin": "f1"}',
    )
    folder = read_folder(tmp_path)
    assert (folder.title, folder.language, folder.embedder) == ("Hyde", "en", "wordllama")
    assert folder.extra == {"author": {"by": "RLS"}}
    (episode,) = folder.episodes
    assert (episode.episode_id, episode.no, episode.title, episode.text) == ("e1", 4, None, "ab")
    assert (episode.paragraphs, episode.base) == ((("p", "b"),), ("h1", "h2"))
    assert (episode.fact_source, episode.extra, episode.line) == (FactSource.EXTRACTED, {"part": "I"}, 1)
    (fact,) = folder.facts or ()
    assert fact.audience == known_by("Hyde")
    assert (fact.fact_id, fact.text, fact.quote, fact.quote_no, fact.importance) == ("f1", "t", "q", 2, 5)
    assert (fact.supersedes, fact.told_from, fact.pinned) == ("f0", "f9", True)
    assert (fact.origin, fact.extra) == (FactOrigin.HAND, {"mood": "dark"})
    (note,) = folder.visibility or ()
    assert (note.paragraph_id, note.paragraph_hash, note.audience, note.extra) == (
        "gone",
        "h",
        PUBLIC,
        {"x": 1},
    )
    assert folder.decisions == (
        DecisionRow(line=1, episode_no=4, suppressed=("world", "h")),
        DecisionRow(line=2, episode_no=4, pinned="f1"),
    )
    assert folder.cast is None


def test_marks_blank_lines_and_line_ends_of_windows_are_tolerated(tmp_path: Path) -> None:
    put(
        tmp_path,
        episodes_jsonl="\ufeff\r\n" + ONE.replace("\n", "\r\n") + '\r\n  \n{"episode_no": 2, "text": ""}',
    )
    put(
        tmp_path,
        episodes_jsonl=(tmp_path / "episodes.jsonl").read_bytes(),
        story_json="\ufeff{}",
        facts_jsonl="",
    )
    folder = read_folder(tmp_path)
    assert [(row.no, row.line) for row in folder.episodes] == [(1, 2), (2, 5)]
    assert folder.facts == ()
    assert folder.visibility is None


def test_null_is_the_same_as_missing(tmp_path: Path) -> None:
    row = dict.fromkeys(["fact_id", "quote", "quote_episode", "importance", "supersedes", "pinned", "origin"])
    put(tmp_path, facts_jsonl=json.dumps({"episode_no": 1, "visibility": "public", "text": "t", **row}))
    (fact,) = read_folder(tmp_path).facts or ()
    assert (fact.fact_id, fact.importance, fact.pinned, fact.extra) == (None, 3, False, {})


@pytest.mark.parametrize(
    ("said", "audience"),
    [
        ('"visibility": "public"', PUBLIC),
        ('"visibility": "public", "known_by": []', PUBLIC),
        ('"visibility": "public", "known_by": "public"', PUBLIC),
        ('"known_by": "world"', PUBLIC),
        ('"known_by": ["母", "ジョバンニ"]', known_by("ジョバンニ", "母")),
        ('"visibility": "secret", "known_by": ["母"]', known_by("母")),
    ],
)
def test_who_knows_a_fact_is_understood(tmp_path: Path, said: str, audience: object) -> None:
    put(tmp_path, facts_jsonl=f'{{"episode_no": 1, "text": "t", {said}}}')
    (fact,) = read_folder(tmp_path).facts or ()
    assert fact.audience == audience


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("", "nobody is said to know it"),
        ('"known_by": []', "nobody is said to know it"),
        ('"visibility": "secret"', "a secret known by nobody is refused"),
        ('"visibility": "secret", "known_by": []', "a secret known by nobody is refused"),
        ('"visibility": "secret", "known_by": "public"', "it is secret but known_by is 'public'"),
        ('"visibility": "public", "known_by": ["母"]', "it is public but known_by"),
        ('"visibility": "hidden"', "visibility must be one of public, secret, not the text 'hidden'"),
        ('"known_by": "母"', 'known_by must be "public" or a list of character ids'),
        ('"known_by": [1]', "holds 1"),
        ('"known_by": ["a:b"]', "not allowed in an id"),
        ('"known_by": ["World"]', "reserved"),
    ],
)
def test_who_knows_a_fact_must_be_said(tmp_path: Path, said: str, reason: str) -> None:
    put(tmp_path, facts_jsonl=f'\n{{"episode_no": 1, "text": "t"{", " if said else ""}{said}}}')
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("facts.jsonl", 2)
    assert reason in error.reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"episode_no": 2, "text": "x"', "not JSON"),
        ("[]", "must be an object {...}, not an empty list"),
        ("3", "not 3"),
        ('{"text": "x"}', "the field 'episode_no' is missing"),
        ('{"episode_no": null, "text": "x"}', "the field 'episode_no' is null"),
        ('{"episode_no": "2", "text": "x"}', "episode_no must be a whole number, not the text '2'"),
        ('{"episode_no": true, "text": "x"}', "episode_no must be a whole number, not true"),
        ('{"episode_no": 2.0, "text": "x"}', "not 2.0; write it without a point"),
        ('{"episode_no": 2.5, "text": "x"}', "not 2.5"),
        ('{"episode_no": 0, "text": "x"}', "from 1 to"),
        ('{"episode_no": 99999999999999999999999, "text": "x"}', "a huge number"),
        ('{"episode_no": 1, "text": "x"}', "episode_no 1 is already given in line 1"),
        ('{"episode_no": 2, "episode_id": "a,b", "text": "x"}', "not allowed in an id"),
        ('{"episode_no": 2}', "the field 'text' is missing"),
        ('{"episode_no": 2, "text": ["x"]}', "text must be a string, not a list"),
        ('{"episode_no": 2, "text": "\\ud83d"}', "lone surrogate (\\ud83d)"),
        ('{"episode_no": 2, "text": "x", "more": ["\\udc00"]}', "lone surrogate"),
        ('{"episode_no": 2, "text": "x", "text": "y"}', "'text' is given twice"),
        ('{"episode_no": 2, "text": "x", "more": {"a": 1, "a": 1}}', "'a' is given twice"),
        ('{"episode_no": 2, "text": "x", "more": NaN}', "NaN is not JSON"),
        ('{"episode_no": 2, "text": "x", "more": -Infinity}', "-Infinity is not JSON"),
        ('{"episode_no": 2, "text": "x", "more": 1e999}', "the number 1e999 is too large"),
        ('{"episode_no": 2, "text": "x", "more": ' + "1" * 5000 + "}", "a number cannot be read"),
        ('{"episode_no": 2, "text": "x", "more": ' + "[" * 90000 + "]" * 90000 + "}", "nested too deeply"),
        ('{"episode_no": 2, "text": "x", "fact_source": "guessed"}', "one of supplied, extracted"),
        ('{"episode_no": 2, "text": "x", "annotated": [1]}', "annotated must be a list of hashes"),
        ('{"episode_no": 2, "text": "x", "paragraphs": {}}', "paragraphs must be a list, not an object"),
        ('{"episode_no": 2, "text": "x", "paragraphs": ["x"]}', "paragraph 1: must be an object"),
        ('{"episode_no": 2, "text": "x", "paragraphs": [{"text": "x"}]}', "paragraph 1: the field 'id'"),
        ('{"episode_no": 2, "text": "x", "paragraphs": [{"id": "a", "text": "y"}]}', "does not stand"),
        (
            '{"episode_no": 2, "text": "xy", "paragraphs": [{"id":"a","text":"y"},{"id":"b","text":"x"}]}',
            "does not stand",
        ),
        (
            '{"episode_no": 2, "text": "xy", "paragraphs": [{"id":"a","text":"x"},{"id":"a","text":"y"}]}',
            "paragraph 2: the paragraph id 'a' is there twice",
        ),
        (
            '{"episode_no": 2, "text": "x", "paragraphs": [{"id": "a", "text": "x", "by": "me"}]}',
            "unknown field 'by'",
        ),
    ],
    ids=lambda value: value[:60],
)
def test_a_malformed_episode_is_refused_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    put(tmp_path, episodes_jsonl=ONE + line + "\n")
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("episodes.jsonl", 2)
    assert reason in error.reason


def test_an_episode_id_stands_once(tmp_path: Path) -> None:
    put(
        tmp_path,
        episodes_jsonl='{"episode_id": "夜", "episode_no": 1, "text": ""}\n'
        '{"episode_id": "夜", "episode_no": 2, "text": ""}',
    )
    assert "episode_id '夜' is already given in line 1" in refusal(tmp_path).reason


def test_other_encodings_are_refused_at_their_byte(tmp_path: Path) -> None:
    head = ONE.encode() + b'{"episode_no": 2, "text": "'
    put(tmp_path, episodes_jsonl=head + '夜"}'.encode("cp932"))
    error = refusal(tmp_path)
    assert error.line == 2
    assert f"byte offset {len(head)}" in error.reason
    put(tmp_path, episodes_jsonl=ONE.encode("utf-16"))
    assert "UTF-16" in refusal(tmp_path).reason


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ('"episode_no": 9, "visibility": "public", "text": "t"', "there is no episode 9"),
        ('"episode_no": 1, "visibility": "public", "text": " "', "text must not be empty"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "quote": ""', "quote must not be empty"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "quote_episode": 0', "quote_episode must be"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "importance": 6', "from 1 to 5, not 6"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "pinned": 1', "true or false, not 1"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "origin": "extracted"', "supplied, hand"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "supersedes": ""', "fact id in supersedes"),
        ('"episode_no": 1, "visibility": "public", "text": "t", "fact_id": "f1"', "fact_id 'f1' is already"),
    ],
)
def test_a_malformed_fact_is_refused_with_its_line(tmp_path: Path, rest: str, reason: str) -> None:
    put(
        tmp_path,
        facts_jsonl='{"fact_id": "f1", "episode_no": 1, "visibility": "public", "text": "t"}\n{' + rest + "}",
    )
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("facts.jsonl", 2)
    assert reason in error.reason


def test_facts_can_be_left_unread(tmp_path: Path) -> None:
    put(tmp_path, facts_jsonl=b"\xff")
    assert read_folder(tmp_path, facts=False).facts is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"episode_no": 1, "paragraph_id": "1-1"}', "known_by must be"),
        ('{"episode_no": 1, "paragraph_id": "1-1", "known_by": []}', "needs at least one character"),
        ('{"episode_no": 1, "paragraph_id": 3, "known_by": "public"}', "paragraph_id must be a string"),
        ('{"episode_no": 2, "paragraph_id": null, "known_by": "public"}', "there is no episode 2"),
        ('{"episode_no": 1, "paragraph_id": "1-3", "known_by": "public"}', "no paragraph '1-3'"),
        (
            '{"episode_no": 1, "known_by": ["母"]}',
            "a row for the whole of episode 1 is already given in line 1",
        ),
        ('{"episode_no": 1, "known_by": "public", "paragraph_hash": ""}', "paragraph_hash must not be empty"),
    ],
)
def test_a_malformed_visibility_is_refused_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    first = '{"episode_no": 1, "paragraph_id": null, "known_by": "public"}\n'
    put(tmp_path, episodes_jsonl=CUT, visibility_jsonl=first + line)
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("visibility.jsonl", 2)
    assert reason in error.reason


def test_equal_paragraphs_may_each_have_their_row(tmp_path: Path) -> None:
    put(
        tmp_path,
        episodes_jsonl=CUT,
        visibility_jsonl='{"episode_no": 1, "paragraph_id": "1-1", "known_by": ["母"], '
        '"paragraph_hash": "h"}\n'
        '{"episode_no": 1, "paragraph_id": "1-2", "known_by": "public", "paragraph_hash": "h"}',
    )
    assert len(read_folder(tmp_path).visibility or ()) == 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"episode_no": 1}', "either suppress or pin"),
        ('{"episode_no": 1, "pin": "f", "suppress": {"holder": "", "text_hash": "h"}}', "and not both"),
        ('{"episode_no": 1, "pin": "f", "why": "?"}', "unknown field 'why'"),
        ('{"episode_no": 1, "suppress": "f"}', "suppress: must be an object"),
        ('{"episode_no": 1, "suppress": {"holder": "a:b", "text_hash": "h"}}', "not allowed in an id"),
        ('{"episode_no": 1, "suppress": {"holder": "", "text_hash": ""}}', "text_hash must not be empty"),
        ('{"episode_no": 7, "pin": "f"}', "there is no episode 7"),
    ],
)
def test_a_malformed_decision_is_refused_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    put(tmp_path, decisions_jsonl=line)
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("decisions.jsonl", 1)
    assert reason in error.reason


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        ('{\n"language": "fr"}', "language must be one of ja, en, not the text 'fr'", None),
        ('{"title": 1}', "title must be a string", None),
        ("[]", "must be an object", None),
        ('{"title": "x",\n}', "not JSON", 2),
    ],
)
def test_a_malformed_story_is_refused(tmp_path: Path, content: str, reason: str, line: int | None) -> None:
    put(tmp_path, story_json=content)
    error = refusal(tmp_path)
    assert (error.file, error.line) == ("story.json", line)
    assert reason in error.reason


def test_where_there_is_no_story_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is nothing at"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="neither episodes"):
        read_folder(tmp_path)
    (tmp_path / "README.md").write_bytes(b"# About")
    (tmp_path / ".hidden.txt").write_bytes(b"x")
    with pytest.raises(InputError, match="neither episodes"):
        read_folder(tmp_path)
    (tmp_path / "book.pdf").write_bytes(b"x")
    with pytest.raises(InputError, match="neither a folder nor"):
        read_folder(tmp_path / "book.pdf")
    (tmp_path / "episodes.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot read"):
        read_folder(tmp_path)


def test_a_story_without_episodes_is_one(tmp_path: Path) -> None:
    put(tmp_path, episodes_jsonl="")
    assert read_folder(tmp_path).episodes == ()
