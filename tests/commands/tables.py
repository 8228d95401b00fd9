"""The tables of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kataribe.domain.terms import Language

LANGUAGES: tuple[Language, ...] = ("ja", "en")


def rows(table: str, language: Language | None = None) -> list[dict[str, Any]]:
    lines = (Path(__file__).parent / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
    given = [json.loads(line) for line in lines]
    return [row for row in given if language in (None, row["language"])]
