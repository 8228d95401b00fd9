"""What the tests of the command line share: a way to type commands, and folders to import."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import typer.main

from kataribe.surfaces.cli.app import run
from support.json_shapes import check_lines

Row = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """What became of one command line."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode("utf-8")

    @property
    def objects(self) -> list[Row]:
        """Read standard output as JSON lines; nothing else may be in it."""
        assert self.out == "" or self.out.endswith("\n")
        # JSON may hold the other line ends of Unicode as they are.
        found = [json.loads(line) for line in self.out.split("\n") if line]
        assert all(isinstance(each, dict) for each in found)
        return found

    @property
    def object(self) -> Row:
        (found,) = self.objects
        return found

    @property
    def table(self) -> list[list[str]]:
        """Read standard output as a table without its head."""
        return [line.split("\t") for line in self.out.split("\n") if line][1:]


@contextmanager
def _standard_input(data: bytes | None) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data or b""), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before


def type_in(*arguments: object, stdin: bytes | None = None) -> Ran:
    """Run a command line in this process as `python -m kataribe` would."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
    err = io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), _standard_input(stdin):
        code = run([str(argument) for argument in arguments])
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    check_lines([str(argument) for argument in arguments], out.buffer.getvalue().decode("utf-8"))
    return Ran(code, out.buffer.getvalue(), err.getvalue())


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_rows(file: Path) -> list[Row]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip()]


_made: dict[str, bytes] = {}
"""Stores that were made once, by what is in them; a test gets a copy."""


class Cli:
    """A store, and the command line on it."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def __call__(self, *arguments: object, code: int = 0, stdin: bytes | None = None) -> Ran:
        """Run a command, which must end with `code`, and keep the rules that hold for every command."""
        ran = type_in("--db", self.db, *arguments, stdin=stdin)
        said = f"{arguments}\nexit {ran.code}\n{ran.err}"
        assert ran.code == code, said
        assert "Traceback" not in ran.err + ran.out, said
        if code in (2, 3):
            assert ran.raw == b"", said
            errors = [line for line in ran.err.splitlines() if not line.startswith("warning: ")]
            assert len(errors) == 1, said
            assert errors[0].startswith("error: "), said
            assert len(errors[0]) > len("error: "), said
        return ran

    bare = staticmethod(type_in)
    """Run a command line without `--db`."""

    @staticmethod
    def at(db: Path) -> Cli:
        """Give the command line on a store anywhere."""
        return Cli(db)

    def other(self, name: str) -> Cli:
        """Give the command line on another store beside this one."""
        return Cli(self.db.with_name(name))

    # -- writing what is put in -----------------------------------------------------------

    def folder(
        self,
        name: str,
        episodes: Sequence[Mapping[str, Any]],
        *,
        facts: Iterable[Mapping[str, Any]] | None = None,
        visibility: Iterable[Mapping[str, Any]] | None = None,
        cast: Sequence[Mapping[str, Any]] | None = None,
        story: Mapping[str, Any] | None = None,
    ) -> Path:
        path = self.db.parent / name
        path.mkdir(parents=True, exist_ok=True)
        (path / "episodes.jsonl").write_bytes(jsonl(episodes).encode())
        if facts is not None:
            (path / "facts.jsonl").write_bytes(jsonl(facts).encode())
        if visibility is not None:
            (path / "visibility.jsonl").write_bytes(jsonl(visibility).encode())
        if cast is not None:
            (path / "cast.json").write_bytes(json.dumps({"characters": list(cast)}).encode())
        if story is not None:
            (path / "story.json").write_bytes(json.dumps(dict(story)).encode())
        return path

    def file(self, name: str, data: str | bytes) -> Path:
        path = self.db.parent / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def put(self, story: str, no: int, text: str, *options: object) -> Ran:
        return self("episode", "put", "--story", story, "--no", no, *options, "-", stdin=text.encode())

    def take_in(self, folder: Path, story: str, *options: object, embedder: str = "hash") -> None:
        self("story", "import", folder, "--story", story, "--embedder", embedder, *options)
        self("sync", "--story", story)

    # -- asking ---------------------------------------------------------------------------

    def recall(self, question: str, story: str, who: str, at: int, *options: object) -> Row:
        return self("recall", question, "--story", story, "--as", who, "--at", at, "--json", *options).object

    def known(self, story: str, who: str, at: int) -> Row:
        return self("known", "--story", story, "--as", who, "--at", at, "--json").object

    def known_ids(self, story: str, who: str, at: int) -> list[str]:
        return [hit["fact_id"] for hit in self.known(story, who, at)["hits"]]

    def known_texts(self, story: str, who: str, at: int) -> list[str]:
        return [hit["text"] for hit in self.known(story, who, at)["hits"]]

    def facts(self, story: str, *options: object) -> list[Row]:
        return self("fact", "list", "--story", story, "--json", *options).objects

    def fact(self, story: str, fact_id: str) -> Row:
        (found,) = (fact for fact in self.facts(story) if fact["fact_id"] == fact_id)
        return found

    def review(self, story: str) -> list[Row]:
        return self("fact", "review", "--story", story, "--json").objects

    def batch(self, story: str, asked: Sequence[Mapping[str, Any]], *options: object, code: int = 0) -> Ran:
        file = self.file("asked.jsonl", jsonl(asked))
        return self("recall", "--batch", file, "--story", story, "--json", *options, code=code)

    def states(self, story: str) -> dict[str, str]:
        """Give the state of each episode by its id."""
        return {row[1]: row[5] for row in self("episode", "list", "--story", story).table}

    def inputs(self, story: str) -> dict[str, bytes]:
        """Give the files that an export writes."""
        out = self.db.parent / f"export of {len(list(self.db.parent.glob('export of *')))}"
        self("story", "export", out, "--story", story)
        return {file.name: file.read_bytes() for file in sorted(out.iterdir())}

    # -- a small story --------------------------------------------------------------------

    SEA = "海辺 の町"
    """A story's id, with a space in it."""
    SEA_TEXTS = (
        "海辺の町には古い灯台がある。ミナは灯台の鍵を砂の下に隠した。",
        "ハルトは夜の浜で赤い小舟を見つけた。ミナもそれを見ていた。",
        "ミナはオリガに鍵のことを打ち明けた。灯台はきのう取り壊された。",
        "祭りの日、赤い小舟は沖へ流れていった。",
    )
    SEA_FACTS: tuple[Row, ...] = (
        {
            "fact_id": "s1",
            "episode_no": 1,
            "visibility": "public",
            "known_by": [],
            "text": "海辺の町には古い灯台がある。",
            "quote": "古い灯台がある",
            "quote_episode": 1,
        },
        {
            "fact_id": "s2",
            "episode_no": 1,
            "visibility": "secret",
            "known_by": ["ミナ"],
            "text": "ミナは灯台の鍵を砂の下に隠した。",
            "quote": "鍵を砂の下に隠した",
            "quote_episode": 1,
            "importance": 5,
        },
        {
            "fact_id": "s3",
            "episode_no": 2,
            "visibility": "secret",
            "known_by": ["ミナ", "ハル ト"],
            "text": "浜に赤い小舟がある。",
            "quote": "赤い小舟を見つけた",
            "quote_episode": 2,
        },
        {
            "fact_id": "s4",
            "episode_no": 3,
            "visibility": "secret",
            "known_by": ["Ольга"],
            "text": "オリガはミナから灯台の鍵のことを聞いた。",
            "quote": "鍵を砂の下に隠した",
            "quote_episode": 1,
            "told_from": "s2",
        },
        {
            "fact_id": "s5",
            "episode_no": 3,
            "visibility": "public",
            "known_by": [],
            "text": "海辺の町の灯台はもう無い。",
            "quote": "取り壊された",
            "quote_episode": 3,
            "supersedes": "s1",
        },
        {
            "fact_id": "s6",
            "episode_no": 4,
            "visibility": "public",
            "known_by": [],
            "text": "赤い小舟は沖へ流れた。",
        },
    )
    SEA_CAST: tuple[Row, ...] = (
        {"id": "ミナ", "name": "潮田ミナ", "aliases": ["みなちゃん"]},
        {"id": "ハル ト", "name": "浜野ハルト", "aliases": ["ハルト"]},
        {"id": "Ольга", "name": "オリガ"},
    )

    def sea_folder(self, name: str = "sea") -> Path:
        episodes = [{"episode_no": no, "text": text} for no, text in enumerate(self.SEA_TEXTS, start=1)]
        return self.folder(name, episodes, facts=self.SEA_FACTS, cast=self.SEA_CAST)

    def sea(self) -> str:
        """Take in the small story; give its id."""
        self._copied("sea", lambda: self.take_in(self.sea_folder(), self.SEA))
        return self.SEA

    def _copied(self, name: str, make: Callable[[], None]) -> None:
        """Make a store, or copy the one that was made so before."""
        if self.db.exists():
            make()
        elif name in _made:
            self.db.write_bytes(_made[name])
        else:
            make()
            _made[name] = self.db.read_bytes()

    ISLE = "isle"
    ISLE_TEXTS = (
        "Anna found a silver key in the garden. Boris was asleep in the house.",
        "Boris met Anna at the old mill. “I sold the horse,” said Boris.",
        "Clara wrote a long letter to Anna. It rained all day.",
    )

    ISLE_CAST: tuple[Row, ...] = (
        {"id": "anna", "name": "Anna"},
        {"id": "boris", "name": "Boris"},
        {"id": "clara", "name": "Clara"},
    )

    def isle_folder(self, name: str = "isle") -> Path:
        episodes = [{"episode_no": no, "text": text} for no, text in enumerate(self.ISLE_TEXTS, start=1)]
        return self.folder(name, episodes, cast=self.ISLE_CAST)

    def isle(self) -> str:
        """Take in a small story of texts alone, to be read by the rules; give its id."""
        # Its texts are too short to tell much: every guess counts.
        self._copied("isle", lambda: self.take_in(self.isle_folder(), self.ISLE, "--audience", "wide"))
        return self.ISLE


def bundled(name: str) -> Path:
    return Path(str(files("kataribe") / "stories" / name))


def outside(name: str) -> Path:
    """Give a folder of the shared data, or skip."""
    root = Path(os.environ.get("KATARIBE_TEST_DATA", "../shared/data"))
    folder = (root if root.is_absolute() else ROOT / root) / name
    if not (folder / "episodes.jsonl").exists():
        pytest.skip(f"no {name} in {root}: set KATARIBE_TEST_DATA to where the test data is")
    return folder


STORY_FOLDERS = ("yoimachi", "lantern-isle", "ja-ginga-tetsudo", "en-jekyll-hyde", "ja-botchan")


class Shelf:
    """Story folders that are there already."""

    def __getitem__(self, name: str) -> Path:
        return bundled(name) if name in ("yoimachi", "lantern-isle") else outside(name)

    def rows(self, name: str, file: str) -> list[Row]:
        return read_rows(self[name] / file)


@pytest.fixture(autouse=True, scope="session")
def _commands_built_once() -> Iterator[None]:
    """Let typer build the tree of commands once, not for every command line: it takes longer than they do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A store that is not there yet in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KATARIBE_DB", raising=False)
    return Cli(tmp_path / "kataribe.db")
