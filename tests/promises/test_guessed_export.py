"""Guessed audiences written out, edited, and handed in again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe import Alias, Character, NameKind
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from support.guessing import guessing
from support.stores import empty_store

NAMES = {"en": {"ann": "Ann", "ben": "Ben"}, "ja": {"ann": "アン", "ben": "ベン"}}
TEXTS = {
    "en": "Ann gave Ben the lamp.\n\nThe mill stood empty.\n\n“Yes,” Ben said.\n\n“Yes,” Ben said.",
    "ja": "アンはベンに灯を渡した。\n\n小屋は空だ。\n\nはい、とベンは言った。\n\nはい、とベンは言った。",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "store.db")), services=guessing()) as made:
        yield made


def rows_in(folder: Path) -> list[dict[str, object]]:
    text = (folder / "visibility.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_guesses_are_written_a_row_a_paragraph_and_come_in_edited(
    store: Kataribe, language: Language, tmp_path: Path
) -> None:
    story = store.story("s")
    story.create(language=language, embedder="hash", audience="wide")
    for who, name in NAMES[language].items():
        story.cast.add(Character(character_id=who, aliases=(Alias(text=name, kind=NameKind.NAME),)))
    story.episodes.put(no=1, text=TEXTS[language])
    story.sync()
    out = tmp_path / "out"
    story.export(out)
    assert not (out / "visibility.jsonl").exists()
    story.export(out, guessed=True)
    rows = rows_in(out)
    assert [(row["paragraph_id"], row["known_by"]) for row in rows] == [
        ("1-1", ["ann", "ben"]),
        ("1-3", ["ben"]),
        ("1-4", ["ben"]),
    ]
    assert TEXTS[language].startswith(str(rows[0]["begins"]))
    rows[0]["known_by"] = ["ann"]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (out / "visibility.jsonl").write_text("\n".join(lines), encoding="utf-8")
    story.import_folder(out)
    story.sync()
    first = TEXTS[language].split("\n\n")[0]
    assert [(row.holder, row.evidence) for row in story.facts.list() if row.text == first] == [
        ("ann", "annotated")
    ]
    story.export(out, guessed=True)
    assert rows_in(out) == rows, "what is annotated is no guess any more"
