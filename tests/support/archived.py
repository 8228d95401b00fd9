"""Stores whose memories of the mid term lie in an archive, for tests."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.settings import Settings
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services
from support.talk import DAY_ONE, turn

LATER = DAY_ONE + timedelta(days=300)
NIGHT = DAY_ONE + timedelta(days=3)


def says(
    no: int, text: str, *, day: float = 0, speaker: str = "u", to: tuple[str, ...] | None = ("rin",)
) -> Turn:
    """Make a turn of a session of its day."""
    return turn(no, text, day=day, speaker=speaker, to=to, session=f"s{day:g}")


@contextmanager
def opened(store: Path, archive: Path | None, *, now: datetime = LATER, **parts: Any) -> Iterator[Kataribe]:
    """Open a store that is there."""
    settings = Settings(path=str(store), archive=None if archive is None else str(archive))
    chosen = replace(services(), clock=FrozenClock(now), **parts)
    with kataribe.open(settings=settings, services=chosen) as made:
        yield made


@contextmanager
def archived(
    folder: Path,
    turns: Iterable[Turn],
    *,
    language: Language = "en",
    night: datetime | None = NIGHT,
    archive: bool = True,
) -> Iterator[Kataribe]:
    """Give a store in `folder` whose memories are archived in a night."""
    folder.mkdir(exist_ok=True)
    empty_store(folder / "t.db")
    with opened(folder / "t.db", folder / "archive" if archive else None) as made:
        made.user("u").create(language=language, embedder="hash")
        made.user("u").put_turns(tuple(turns))
        made.user("u").sync()
        if night is not None:
            made.user("u").memory.nightly(at=night)
        yield made


def files(folder: Path) -> list[Path]:
    """Give all that lies in the archive."""
    return sorted(one for one in (folder / "archive").rglob("*") if one.is_file())


def in_archive(folder: Path) -> list[str]:
    """Give all texts in the archive, whoever wrote them there."""
    duckdb: Any = __import__("duckdb")
    found = [str(one) for one in files(folder) if one.suffix == ".parquet"]
    return (
        sorted(row[0] for row in duckdb.execute(f"SELECT text FROM read_parquet({found})").fetchall())
        if found
        else []
    )


def in_ledger(folder: Path) -> str:
    """Give all that the tiers keep in the store itself."""
    with closing(sqlite3.connect(folder / "t.db")) as driver:
        return "\n".join(row[0] for row in driver.execute("SELECT value FROM tier_values"))
