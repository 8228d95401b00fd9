"""Reading an export in tests: the rows of its tables, and its pages."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from kataribe.domain.conversation.turns import Turn
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.logs import parse_log

Row = dict[str, Any]


def exported(k: Kataribe, path: Path, user: str = "u") -> zipfile.ZipFile:
    """Export a user with a token of its own."""
    k.user(user).privacy.export(path, token=k.user(user).privacy.request("export"))
    return zipfile.ZipFile(path)


def rows(bundle: zipfile.ZipFile, name: str) -> list[Row]:
    """Give the rows of a file."""
    text = bundle.read(f"data/{name}.jsonl").decode("utf-8")
    # JSON may hold the other line ends of Unicode as they are.
    return [json.loads(line) for line in text.split("\n") if line]


def turns(bundle: zipfile.ZipFile, file: str = "data/turns.jsonl") -> tuple[Turn, ...]:
    """Give the turns of a file as `log import` reads them; none where nothing was said."""
    data = bundle.read(file)
    return parse_log(data, file).turns if data else ()


def page(bundle: zipfile.ZipFile, name: str) -> str:
    """Give a page."""
    return bundle.read(name).decode("utf-8")


def conversation(bundle: zipfile.ZipFile) -> str:
    """Give the pages of all sessions."""
    named = [name for name in bundle.namelist() if name.startswith("conversation/0")]
    return "\n".join(page(bundle, name) for name in named)


def everything(bundle: zipfile.ZipFile) -> bytes:
    """Give the bytes of all files in it."""
    return b"\n".join(bundle.read(name) for name in bundle.namelist())
