"""What a user's words command: the lines beside this file were written before the rules.

`commands.jsonl` is what the rules were written on. `commands.held_back.jsonl` is only counted:
nobody looks at a miss of it to mend a rule.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from commands.tables import LANGUAGES, rows
from conftest import outside
from kataribe.domain.conversation.commands import CommandKind, MemoryCommand, read_commands
from kataribe.domain.terms import Language

FLOORS = {"en": (0.93, 0.95), "ja": (0.96, 0.91)}
"""The least precision and recall on the lines held back; when the rules were written they were .96
and .98 in English, 1.00 and .94 in Japanese."""


def told(text: str, command: MemoryCommand) -> dict[str, Any]:
    return {
        "kind": command.kind.value,
        "of": text[slice(*command.span)],
        "is_clear": command.is_clear,
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", ["commands", "commands.held_back"])
def test_the_tables_hold_at_least_forty_of_each(table: str, language: Language) -> None:
    given = [bool(row["expected"]) for row in rows(table, language)]
    assert given.count(True) >= 40
    assert given.count(False) >= 40


@pytest.mark.parametrize("row", rows("commands"), ids=lambda row: row["text"])
def test_a_turn_commands_what_its_words_say(row: dict[str, Any]) -> None:
    found = [told(row["text"], command) for command in read_commands(row["text"], row["language"])]
    assert found == row["expected"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_not_used_for_the_rules_are_read_nearly_as_well(language: Language) -> None:
    right = Counter[str]()
    for row in rows("commands.held_back", language):
        found = Counter(command.kind.value for command in read_commands(row["text"], language))
        wanted = Counter(command["kind"] for command in row["expected"])
        right["both"] += (found & wanted).total()
        right["found"] += found.total()
        right["wanted"] += wanted.total()
    precision, recall = FLOORS[language]
    assert right["both"] >= precision * right["found"], right
    assert right["both"] >= recall * right["wanted"], right


def real_lines(language: Language) -> Iterator[str]:
    name = "locomo/turns.jsonl" if language == "en" else "ja-realpersonachat/utterances.jsonl"
    folder, file = name.split("/")
    for line in (outside(folder) / file).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["text"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_between_people_is_hardly_ever_taken_for_a_command(language: Language) -> None:
    given = list(real_lines(language))
    found = [line for line in given if read_commands(line, language)]
    assert len(given) > 1000
    assert len(found) <= len(given) / 500, found


SAME: dict[Language, tuple[str, ...]] = {
    "en": (
        "Remember that I'm vegan.",
        "REMEMBER THAT I'M VEGAN!",
        "please remember that I’m vegan",
        "Ｐｌｅａｓｅ　ｒｅｍｅｍｂｅｒ　ｔｈａｔ　Ｉ＇ｍ　ｖｅｇａｎ．",
    ),
    "ja": (
        "ﾋﾞｰｶﾞﾝって覚えておいて。",
        "ビーガンって憶えておいて！",
        "ビーガンっておぼえておいてください",
        "ビーガンってオボエといてね♪",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_is_read_in_any_spelling_and_its_words_come_back_as_written(language: Language) -> None:
    for text in SAME[language]:
        (command,) = read_commands(text, language)
        assert command.kind is CommandKind.REMEMBER
        said = text[slice(*command.span)]
        assert said
        assert said in text
        assert said[0] in "IiＩﾋビ"
        assert said[-1] in "nNｎﾝン"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Forget that.", "en"),
        ("Forget my age and remember my name.", "en"),
        ("忘れて。", "ja"),
        ("古い番号は忘れて、新しい番号を覚えて。", "ja"),
    ],
)
def test_quoted_speech_commands_nothing(text: str, language: Language) -> None:
    assert read_commands(text, language)
    quoted = f'He wrote "{text}" on the wall.' if language == "en" else f"彼は「{text}」と壁に書いた。"
    assert not read_commands(quoted, language)


def test_an_empty_span_is_what_was_said_before_the_turn() -> None:
    (of_last,) = read_commands("Please remember that.", "en")
    (of_this,) = read_commands("I moved. Please remember that.", "en")
    assert of_last.is_of_last_turn
    assert not of_this.is_of_last_turn


LONG = {
    "en": ("oh and ", "so remember ", "please forget it, ", "((", "from now on ", "off the record ", "\" '"),
    "ja": ("ごめんね", "忘れて、", "覚えておいて", "さんに覚えて", "今後は", "「」", "なし"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_too_long_or_too_odd_to_be_read(language: Language) -> None:
    for piece in LONG[language]:
        text = piece * (3000 // len(piece)) + "x"
        for command in read_commands(text, language):
            start, end = command.span
            assert 0 <= start <= end <= len(text)
    assert read_commands("", language) == ()
