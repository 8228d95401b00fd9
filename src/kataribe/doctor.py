"""What is installed, what is active, and what to do about what is missing."""

from __future__ import annotations

import platform
import sqlite3
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kataribe import __version__, wiring
from kataribe.domain.conversation.turns import User
from kataribe.domain.knowledge.documents import LibraryState
from kataribe.domain.story.inputs import Story
from kataribe.errors import InputError, KataribeError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.settings import SQLITE, Settings, from_environment, unknown_variables, without_password

Row = tuple[str, str, str]

_BY_MODEL = {
    "pydantic-ai": ("pydantic-ai-slim", "--embedder openai:NAME, google:NAME, ollama:NAME and others"),
    "sentence-transformers": ("sentence-transformers", "--embedder sentence-transformers:NAME or :FOLDER"),
}
"""Embedders that are not one but as many as there are models: their package, and how to name one."""


def examine(path: str | None) -> tuple[list[Row], bool]:
    """Give (what, state, what to do) rows, and whether everything needed works.

    The store is looked at only when it is there: nothing is created.
    """
    rows: list[Row] = [
        ("kataribe", __version__, ""),
        ("python", platform.python_version(), ""),
        ("sqlite", sqlite3.sqlite_version, ""),
    ]
    rows += [(name, _version_of(name), "") for name in ("numpy", "sqlalchemy", "alembic", "typer")]
    rows += _embedders()
    extractor = wiring.default_extractor()
    rows.append(("extractor rules", f"{extractor.extractor_id} (asks no model; the default)", ""))
    rows.append(_models())
    rows.append(_books())
    rows.append(_documents())
    rows += _rerankers()
    rows += _origins(path)
    store, is_well = _store(path)
    return rows + store, is_well


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _embedders() -> list[Row]:
    rows: list[Row] = []
    defaults = {name: language for language, name in wiring.DEFAULT_EMBEDDERS.items()}
    settings = _settings()
    registry = wiring.Embedders(settings)
    for name in wiring.embedder_names():
        line = wiring.missing_line(name, settings)
        use = f", default for {defaults[name]}" if name in defaults else ""
        if line is not None:
            rows.append((f"embedder {name}", f"not installed{use}", line))
            continue
        if name in _BY_MODEL:
            rows.append((f"embedder {name}", f"{_version_of(_BY_MODEL[name][0])}: {_BY_MODEL[name][1]}", ""))
            continue
        try:
            embedder = registry.get(name)
            kind = "lexical" if embedder.is_lexical else "semantic"
            rows.append((f"embedder {name}", f"{embedder.embedder_id} ({kind}{use})", ""))
        except KataribeError as error:
            rows.append(
                (f"embedder {name}", str(error), "set KATARIBE_MINILM to a model folder, or unset it")
            )
    return rows


def _settings() -> Settings:
    try:
        return from_environment()
    except InputError:
        # The store's row says what is wrong with them.
        return Settings()


def _origins(path: str | None) -> list[Row]:
    """Say of every setting that is not as shipped what it is and where it came from."""
    unknown = [
        (name, "sets nothing", f"did you mean {near}?" if near else "see `Settings` in the reference")
        for name, near in unknown_variables().items()
    ]
    try:
        chosen = from_environment(path)
    except InputError:
        # The store's row says what is wrong with them.
        return unknown
    return [*(_origin(chosen, key, where) for key, where in chosen.origins.items()), *unknown]


def _origin(chosen: Settings, key: str, where: str) -> Row:
    value = str(getattr(chosen, "path" if key == "db" else key))
    return (f"setting {key}", f"{without_password(value)} (from {where})", "")


def _index(kataribe: Kataribe) -> list[Row]:
    """Say what the index outside the store lacks."""
    lag = kataribe.admin.index.lag()
    if lag is None:
        return [("index", "the store's own (none outside it is set)", "")]
    if lag.is_fed:
        state, todo = "holds all that the store does", ""
    else:
        state = (
            f"lacks {lag.units} units of {lag.spaces} spaces, and holds {lag.gone} of spaces that are gone"
        )
        todo = "kataribe sync"
    if lag.too_long:
        state += f"; the vectors of {lag.too_long} spaces are too long for it"
    return [("index", f"{lag.index_id}: {state}", todo)]


def _hook(kataribe: Kataribe) -> list[Row]:
    """Say what the webhook's receiver was not told yet; nothing where there is none."""
    lag = kataribe.admin.hooks.lag()
    if lag is None:
        return []
    if lag.is_told:
        return [("webhook", f"{lag.name}: knows all there is", "")]
    return [
        (
            "webhook",
            f"{lag.name}: lacks {lag.units} units of {lag.spaces} spaces, and of {lag.gone} that are gone",
            "kataribe sync",
        )
    ]


def _archive(chosen: Settings) -> Row:
    """Say where the archive is, and what of it is lost or cannot be read."""
    problems = wiring.archive_problems(chosen)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        state, _, todo = problems[0].removeprefix("archive: ").partition("; ")
        return ("archive", f"{state}{more}", todo)
    if chosen.archive is None:
        return ("archive", "none is set: the texts of memories stay in the store", "")
    line = wiring.archive_of(chosen.archive, chosen).missing()
    if line is not None:
        return ("archive", f"{chosen.archive}: cannot be used yet, texts stay in the store", line)
    return ("archive", f"{chosen.archive}: all files are as they were written", "")


def _models() -> Row:
    version = _version_of("pydantic-ai-slim")
    if version == "not installed":
        return ("models", "not installed", "pip install 'kataribe[model]'")
    return ("models", f"pydantic-ai-slim {version} (asked only where a story names one)", "")


def _books() -> Row:
    versions = [f"{name} {_version_of(name)}" for name in ("python-docx", "lxml")]
    if any(version.endswith("not installed") for version in versions):
        return ("books", ".docx and .epub are not read", "pip install 'kataribe[books]'")
    return ("books", f".docx and .epub are read by {', '.join(versions)}", "")


def _documents() -> Row:
    packages = ("pypdf", "python-docx", "lxml", "markdown-it-py")
    versions = [f"{name} {_version_of(name)}" for name in packages]
    if any(version.endswith("not installed") for version in versions):
        lacking = ", ".join(name for name in packages if _version_of(name) == "not installed")
        return (
            "documents",
            f".txt is read; the other formats of libraries need {lacking}",
            "pip install 'kataribe[kb]'",
        )
    return ("documents", f".txt, .md, .html, .pdf and .docx are read by {', '.join(versions)}", "")


def _rerankers() -> list[Row]:
    """Say that none is used by itself, and which packages of each kind are there; no model is among them."""
    rows: list[Row] = [("reranker", "none is used unless one is named with --reranker", "")]
    for name, kind in wiring.rerankers().items():
        packages: dict[str, str | None] = kind.packages()
        lacking = [package for package, seen in packages.items() if seen is None]
        there = ", ".join(f"{package} {seen}" for package, seen in packages.items() if seen is not None)
        if lacking:
            state = f"cannot be used: {', '.join(lacking)} cannot be imported"
        else:
            state = f"{there} can be imported"
        state += f"; no package brings its model, {kind.default_model}: it comes from a hub or a folder"
        rows.append(
            (f"reranker {name}", state, kind.available() or f"--reranker {name}:FOLDER uses a model of yours")
        )
    return rows


def _store(path: str | None) -> tuple[list[Row], bool]:
    try:
        chosen = from_environment(path)
        if chosen.ledger == SQLITE and not Path(chosen.path).exists():
            return [
                ("store", f"{chosen.path}: not there yet", "kataribe story add ID --language ja|en")
            ], True
        with wiring.open(settings=chosen) as kataribe:
            index = [*_index(kataribe), *_hook(kataribe), _archive(chosen)]
            stories = kataribe.admin.stories()
            users = kataribe.admin.users()
            libraries = [kataribe.library(one.library_id).state() for one in kataribe.libraries()]
            pending = {s.story_id: _pending(kataribe, s.story_id) for s in stories}
    except KataribeError as error:
        return [("store", str(error), "give another with --db, or restore a backup")], False
    shown = without_password(chosen.path)
    size = f", {Path(chosen.path).stat().st_size / 1e6:.1f} MB" if chosen.ledger == SQLITE else ""
    rows: list[Row] = [("store", f"{shown}: {len(stories)} stories{size}", "")]
    rows += index
    rows += _vectors(stories, users)
    rows += [_library(one) for one in libraries]
    rows += [
        (f"story {story_id}", f"{count} episodes pending", f"kataribe sync --story {story_id}")
        for story_id, count in pending.items()
        if count
    ]
    return rows, True


def _library(state: LibraryState) -> Row:
    """Say what a library holds, and whether all of it is found."""
    pending = state.pending_documents
    said = f"{len(state.documents)} documents, {state.passages} passages, by {state.library.embedder_id}"
    if not pending:
        return (f"library {state.library.library_id}", said, "")
    return (f"library {state.library.library_id}", f"{said}; {pending} documents pending", "kataribe sync")


def _vectors(stories: Sequence[Story], users: Sequence[User]) -> list[Row]:
    """Tell whose vectors the store holds, and how many stories and users have them."""
    told, said = Counter(one.embedder_id for one in stories), Counter(one.embedder_id for one in users)
    return [
        (f"vectors of {embedder_id}", f"{told[embedder_id]} stories, {said[embedder_id]} users", "")
        for embedder_id in sorted(told.keys() | said.keys())
    ]


def _pending(kataribe: Kataribe, story_id: str) -> int:
    return sum(episode.is_pending for episode in kataribe.story(story_id).episodes.list())
