"""Public sets of conversations with questions whose answers are known, read from their folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kataribe.bench.qa_sets import Talk, questions, talks
from kataribe.formats.jsonl import read_bytes
from kataribe.formats.logs import LogFormat, LogOptions, parse_log


def locomo(folder: Path) -> tuple[Talk, ...]:
    """Read LoCoMo: `turns.jsonl` and `qa.jsonl`, a conversation for each `conv`."""
    return _read(folder, "turns.jsonl", LogFormat.LOCOMO, conversation="conv")


def personachat(folder: Path) -> tuple[Talk, ...]:
    """Read RealPersonaChat: `utterances.jsonl` and `qa.jsonl`, a conversation for each `pair`."""
    return _read(folder, "utterances.jsonl", LogFormat.REALPERSONACHAT, conversation="pair")


READERS: dict[str, Callable[[Path], tuple[Talk, ...]]] = {"locomo": locomo, "personachat": personachat}


def _read(folder: Path, file: str, form: LogFormat, *, conversation: str) -> tuple[Talk, ...]:
    asked = questions(folder / "qa.jsonl", conversation=conversation)
    data = read_bytes(folder / file)
    logs = {
        name: parse_log(data, file, LogOptions(form=form, conversation=name, timezone="UTC"))
        for name in asked
    }
    turns = {name: log.turns for name, log in logs.items()}
    return talks(turns, asked, {name: log.language for name, log in logs.items()})
