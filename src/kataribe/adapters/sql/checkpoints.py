"""Checkpoints: rows of a story's inputs under a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.domain.story.checkpoint import Checkpoint

_ALL = """
SELECT name, at, episodes, facts, fork_episode_id, fork_no FROM checkpoints WHERE story_id = ? ORDER BY name
"""
_INPUTS = "SELECT inputs FROM checkpoints WHERE story_id = ? AND name = ?"
_DELETE = "DELETE FROM checkpoints WHERE story_id = ? AND name = ?"


def all_of(driver: sqlite3.Connection, story_id: str) -> tuple[Checkpoint, ...]:
    """Give the checkpoints of a story, by name."""
    return tuple(
        Checkpoint(
            name=row.name,
            at=row.at,
            episodes=row.episodes,
            facts=row.facts,
            fork_episode_id=row.fork_episode_id,
            fork_no=row.fork_no,
        )
        for row in queries.ask(driver, _ALL, (story_id,))
    )


def inputs_of(driver: sqlite3.Connection, story_id: str, name: str) -> Mapping[str, str]:
    """Give the inputs a checkpoint holds; empty where there is none."""
    found = queries.tuples(driver, _INPUTS, (story_id, name))
    kept: dict[str, str] = r.load(found[0][0]) if found else {}
    return kept


def put(driver: sqlite3.Connection, story_id: str, given: Checkpoint, inputs: Mapping[str, str]) -> None:
    """Keep inputs under a name."""
    row = {
        "story_id": story_id,
        "name": given.name,
        "at": given.at,
        "episodes": given.episodes,
        "facts": given.facts,
        "fork_episode_id": given.fork_episode_id,
        "fork_no": given.fork_no,
        "inputs": r.dump(dict(inputs)),
    }
    queries.insert(driver, "checkpoints", [row], replace=True)


def delete(driver: sqlite3.Connection, story_id: str, name: str) -> bool:
    """Forget a checkpoint."""
    return driver.execute(_DELETE, (story_id, name)).rowcount > 0
