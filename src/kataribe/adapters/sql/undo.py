"""Inputs as words that can be put back, and the steps that changed them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import Episode
from kataribe.domain.story.undo import Scope, Step, kind_of

STEPS = "SELECT * FROM undo WHERE story_id = ? ORDER BY number DESC LIMIT ?"
PUT_STEP = "INSERT INTO undo (story_id, number, at, summary, before, after) VALUES (?, ?, ?, ?, ?, ?)"
FORGET = "DELETE FROM undo WHERE story_id = ? AND number <= ?"
DELETE_STEP = "DELETE FROM undo WHERE story_id = ? AND number = ?"

_SET_BASE = "UPDATE episodes SET base = ? WHERE story_id = ? AND episode_id = ?"
_SET_SOURCE = "UPDATE episodes SET fact_source = ?, extra = ? WHERE story_id = ? AND episode_id = ?"
_SET_GONE = "UPDATE episodes SET deleted_at = ? WHERE story_id = ? AND episode_id = ?"
# Numbers are left out of fingerprints, so a memory would not follow its quote's by itself.
_SET_QUOTE_NO = "UPDATE memories SET quote_no = ? WHERE space = ? AND fact_id = ?"

_PLAIN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "fact": ("facts", ("episode_id", "fact_id")),
    "struck": ("suppressions", ("episode_id", "holder", "text_hash")),
    "pin": ("pins", ("episode_id", "fact_id")),
}
"""Kinds of inputs that are one row, with the columns that make their key."""


# -- reading -------------------------------------------------------------------------------


def inputs(driver: sqlite3.Connection, story_id: str, scope: Scope) -> dict[str, str]:
    """Give what the scope covers, by key."""
    found: dict[str, str] = {}
    for episode_id in (None,) if scope.episodes is None else sorted(scope.episodes):
        found.update(_of_episodes(driver, story_id, episode_id))
    if scope.places:
        found.update(_places(driver, story_id))
    if scope.cast or scope.places:
        found.update(_cast(driver, story_id))
    return found


def _ask(driver: sqlite3.Connection, table: str, story_id: str, episode_id: str | None) -> queries.Rows:
    one, given = ("", ()) if episode_id is None else (" AND episode_id = ?", (episode_id,))
    return queries.ask(driver, f"SELECT * FROM {table} WHERE story_id = ?{one}", (story_id, *given))


def _word(row: Any) -> str:
    values: dict[str, object] = row._asdict()
    values.pop("story_id")
    return r.dump(values)


def _of_episodes(
    driver: sqlite3.Connection, story_id: str, episode_id: str | None
) -> Iterator[tuple[str, str]]:
    for kind, (table, key) in _PLAIN.items():
        for row in _ask(driver, table, story_id, episode_id):
            yield ":".join((kind, *(getattr(row, column) for column in key))), _word(row)
    noted: dict[str, list[tuple[int, str]]] = {}
    for row in _ask(driver, "annotations", story_id, episode_id):
        noted.setdefault(row.episode_id, []).append((row.ordinal, _word(row)))
    for row in _ask(driver, "episodes", story_id, episode_id):
        yield (
            f"text:{row.episode_id}",
            r.dump({"title": row.title, "text": row.text, "paragraphs": row.paragraphs}),
        )
        yield f"source:{row.episode_id}", r.dump({"from": row.fact_source, "extra": row.extra})
        said = [word for _, word in sorted(noted.get(row.episode_id, []))]
        yield f"notes:{row.episode_id}", r.dump({"base": row.base, "rows": said})


def _places(driver: sqlite3.Connection, story_id: str) -> Iterator[tuple[str, str]]:
    sql = "SELECT episode_id, no, deleted_at FROM episodes WHERE story_id = ?"
    for row in queries.ask(driver, sql, (story_id,)):
        yield f"no:{row.episode_id}", str(row.no)
        yield f"gone:{row.episode_id}", r.dump(row.deleted_at)
    sql = "SELECT * FROM facts WHERE story_id = ? AND quote_no IS NOT NULL"
    for row in queries.ask(driver, sql, (story_id,)):
        yield f"fact:{row.episode_id}:{row.fact_id}", _word(row)


def _cast(driver: sqlite3.Connection, story_id: str) -> Iterator[tuple[str, str]]:
    called: dict[str, list[str]] = {}
    for row in queries.ask(driver, queries.NAMES, (story_id,)):
        called.setdefault(row.character_id, []).append(_word(row))
    for row in queries.ask(driver, queries.CAST, (story_id,)):
        theirs = {"character": _word(row), "names": called.get(row.character_id, [])}
        yield f"character:{row.character_id}", r.dump(theirs)


# -- putting back --------------------------------------------------------------------------


def put_back(driver: sqlite3.Connection, story_id: str, given: Mapping[str, str | None]) -> None:
    """Put rows back; texts are the caller's, who keeps versions."""
    gone = [key for key, word in given.items() if word is None]
    # First what goes: a fact that moved is there once, under the same id.
    for key in gone:
        _take_out(driver, story_id, key)
    for key, word in given.items():
        if word is not None:
            _put(driver, story_id, key, word)


def _take_out(driver: sqlite3.Connection, story_id: str, key: str) -> None:
    kind, *parts = key.split(":")
    table, columns = ("characters", ("character_id",)) if kind == "character" else _PLAIN[kind]
    where = " AND ".join(f"{column} = ?" for column in columns)
    driver.execute(f"DELETE FROM {table} WHERE story_id = ? AND {where}", (story_id, *parts))


def _put(driver: sqlite3.Connection, story_id: str, key: str, word: str) -> None:
    kind, _, rest = key.partition(":")
    said = r.load(word)
    if kind in _PLAIN:
        queries.insert(driver, _PLAIN[kind][0], [{"story_id": story_id, **said}], replace=True)
        if kind == "fact":
            driver.execute(_SET_QUOTE_NO, (said["quote_no"], story_space(story_id), said["fact_id"]))
    elif kind == "gone":
        driver.execute(_SET_GONE, (said, story_id, rest))
    elif kind == "source":
        driver.execute(_SET_SOURCE, (said["from"], said["extra"], story_id, rest))
    elif kind == "notes":
        queries.clear(driver, "annotations", story_id, rest)
        queries.insert(driver, "annotations", [{"story_id": story_id, **r.load(row)} for row in said["rows"]])
        driver.execute(_SET_BASE, (said["base"], story_id, rest))
    elif kind == "character":
        _put_character(driver, story_id, rest, said)


def _put_character(
    driver: sqlite3.Connection, story_id: str, character_id: str, said: Mapping[str, Any]
) -> None:
    row = {"story_id": story_id, **r.load(said["character"])}
    queries.insert(driver, "characters", [row], replace=True)
    driver.execute(queries.DELETE_NAMES, (story_id, character_id))
    queries.insert(driver, "names", [{"story_id": story_id, **r.load(name)} for name in said["names"]])


def texts_in(given: Mapping[str, str | None]) -> tuple[tuple[str, str], ...]:
    """Give the texts among these inputs with their episodes."""
    return tuple(
        (key.partition(":")[2], word)
        for key, word in given.items()
        if kind_of(key) == "text" and word is not None
    )


def with_text(episode: Episode, word: str) -> Episode:
    """Give the episode with a former text, title and cuts, as a version of its own."""
    said = r.load(word)
    cuts = r.load(said["paragraphs"])
    return replace(
        episode,
        title=said["title"],
        text=said["text"],
        paragraph_ids=None if cuts is None else tuple((cut[0], cut[1]) for cut in cuts),
        version=episode.version + (said["text"] != episode.text),
    )


# -- steps ---------------------------------------------------------------------------------


def steps(driver: sqlite3.Connection, story_id: str, last: int) -> tuple[Step, ...]:
    """Give the last steps, newest first."""
    return tuple(
        Step(
            number=row.number,
            at=row.at,
            summary=row.summary,
            before=r.load(row.before),
            after=r.load(row.after),
        )
        for row in queries.ask(driver, STEPS, (story_id, last))
    )


def put_step(driver: sqlite3.Connection, story_id: str, step: Step, keep: int) -> None:
    """Append a step, forget the oldest."""
    given = (story_id, step.number, step.at, step.summary, r.dump(step.before), r.dump(step.after))
    driver.execute(PUT_STEP, given)
    driver.execute(FORGET, (story_id, step.number - keep))
