"""Story folders to import: made-up ones, and those of others where they are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from random import Random

from kataribe.bench.sentences import Teller, names
from kataribe.bench.sizes import SEED
from kataribe.domain.terms import Language
from kataribe.errors import InputError

_SUPERSEDING = 20
"""One fact in so many replaces another."""
_SENTENCES = 20
"""The sentences of an episode's text in a saga."""


def write_facts(path: Path, *, language: Language, facts: int, an_episode: int) -> list[str]:
    """Write a folder of supplied facts, every third a secret of two; give their texts."""
    teller, random = Teller(language), Random(SEED)
    episodes = range(1, -(-facts // an_episode) + 1)
    texts = [teller.fact() for _ in range(facts)]
    rows = [
        {
            "fact_id": f"f{at}",
            "episode_no": 1 + at // an_episode,
            "text": text,
            "importance": 1 + at % 5,
            **_audience(at, random, names(language)),
        }
        for at, text in enumerate(texts)
    ]
    path.mkdir()
    _write(path / "episodes.jsonl", [{"episode_no": no, "text": teller.fact()} for no in episodes])
    _write(path / "facts.jsonl", rows)
    return texts


def write_saga(path: Path, *, episodes: int, an_episode: int, cast: Sequence[str]) -> None:
    """Write a folder of a long story: of its facts a third are secrets of two, a few replace earlier ones."""
    teller, random = Teller(), Random(SEED)
    rows: list[dict[str, object]] = []
    for at in range(episodes * an_episode):
        row = {
            "fact_id": f"f{at}",
            "episode_no": 1 + at // an_episode,
            "text": teller.fact(),
            "importance": 1 + at % 5,
            **_audience(at, random, cast),
        }
        # The fact of the same place one episode before, known to the same.
        before = at - an_episode
        if at % _SUPERSEDING == 0 and before >= 0:
            row["supersedes"] = f"f{before}"
            row |= {name: rows[before][name] for name in ("visibility", "known_by")}
        rows.append(row)
    path.mkdir()
    texts = [{"episode_no": no, "text": teller.text(_SENTENCES)} for no in range(1, episodes + 1)]
    _write(path / "episodes.jsonl", texts)
    _write(path / "facts.jsonl", rows)
    members = [{"id": one, "name": one} for one in cast]
    (path / "cast.json").write_text(json.dumps({"characters": members}), encoding="utf-8")


def write_texts(path: Path, texts: Iterable[str]) -> None:
    """Write a folder of episodes and nothing else."""
    path.mkdir()
    _write(path / "episodes.jsonl", [{"episode_no": no, "text": text} for no, text in enumerate(texts, 1)])


def _audience(at: int, random: Random, cast: Sequence[str]) -> dict[str, object]:
    if at % 3:
        return {"visibility": "public", "known_by": []}
    return {"visibility": "secret", "known_by": sorted(random.sample(cast, 2))}


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8", newline="\n"
    )


@contextmanager
def bundled() -> Iterator[tuple[Path, ...]]:
    """Give the folders of the stories that come with the package."""
    with as_file(files("kataribe") / "stories") as stories:
        yield tuple(sorted(path for path in stories.iterdir() if (path / "gold.jsonl").exists()))


def outside() -> tuple[Path, ...]:
    """Give the folders of probed stories in KATARIBE_TEST_DATA, as the tests find them."""
    data = outside_root()
    if not data.is_dir():
        return ()
    wanted = ("episodes.jsonl", "gold.jsonl")
    return tuple(sorted(path for path in data.iterdir() if all((path / name).exists() for name in wanted)))


def outside_root() -> Path:
    """Give the folder of outside data, whether it is there or not."""
    root = Path(__file__).resolve().parents[3]
    return Path(os.environ.get("KATARIBE_TEST_DATA", root.parent / "shared" / "data"))


@contextmanager
def probed(data: Path | None) -> Iterator[tuple[Path, ...]]:
    """Give the story folders with probes that `data` is or holds; those bundled when it is None.

    Raises `InputError` when there are none.
    """
    if data is None:
        with bundled() as found:
            yield found
        return
    folders = [data, *sorted(path for path in data.iterdir() if path.is_dir())] if data.is_dir() else []
    found = tuple(path for path in folders if (path / "gold.jsonl").exists())
    if not found:
        raise InputError(f"there is no story with a gold.jsonl in {data}; give a folder that holds one")
    yield found
