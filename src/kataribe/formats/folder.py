"""A story in a folder, read and written.

`episodes.jsonl` and, beside it, `story.json`, `cast.json`, `facts.jsonl`,
`visibility.jsonl` and `decisions.jsonl`; or texts and books in the place of
`episodes.jsonl`. What is written reads back as the same values, and writing those again
gives the same bytes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from kataribe.domain.evidence import AudienceMode
from kataribe.domain.story.folder import (
    DecisionRow,
    EpisodeRow,
    FactRow,
    LeftOut,
    StoryFolder,
    Uncut,
    VisibilityRow,
)
from kataribe.domain.story.groups import Group
from kataribe.domain.story.inputs import Character
from kataribe.domain.terms import LANGUAGES
from kataribe.errors import FormatError, InputError
from kataribe.formats import rows
from kataribe.formats.castfile import dump_cast, parse_cast, parse_groups
from kataribe.formats.fields import Fields, filled
from kataribe.formats.jsonl import described, dump, parse_file, parse_lines, read_bytes
from kataribe.formats.plaintext import (
    SUFFIXES,
    BookReader,
    Manuscript,
    Reader,
    is_plain,
    read_many,
    read_one,
)

STORY = "story.json"
EPISODES = "episodes.jsonl"
CAST = "cast.json"
FACTS = "facts.jsonl"
VISIBILITY = "visibility.jsonl"
DECISIONS = "decisions.jsonl"

_FILE_OF_OWNER, _FOLDER_OF_OWNER = 0o600, 0o700
"""What is made new is for its owner alone: an exported story has every secret in it."""
_FILES = ".txt, .md, .docx or .epub"
_OTHER_BOOKS = frozenset({".doc", ".odt", ".rtf", ".pdf", ".mobi", ".azw3", ".html", ".htm", ".pages"})

_Row = TypeVar("_Row")


class _Files(TypedDict):
    """What the files beside `story.json` say."""

    episodes: tuple[EpisodeRow, ...]
    cast: tuple[Character, ...] | None
    groups: tuple[Group, ...] | None
    facts: tuple[FactRow, ...] | None
    visibility: tuple[VisibilityRow, ...] | None
    decisions: tuple[DecisionRow, ...] | None
    left_out: tuple[LeftOut, ...]
    uncut: tuple[Uncut, ...]


def read_folder(
    path: Path, *, facts: bool = True, encoding: str | None = None, book: BookReader | None = None
) -> StoryFolder:
    """Read a story from a folder, or from one `.txt`, `.md`, `.docx` or `.epub` file.

    Without `facts` the file of facts is left unread. `encoding` is that of the texts (left out:
    UTF-8); `book` takes the text out of a book.

    Raises `FormatError` naming file and line for what is malformed, and `InputError` when
    there is no story at `path`.
    """
    if not path.exists():
        raise InputError(f"there is nothing at {path}; give a folder or a {_FILES} file")
    reader = Reader(encoding, book)
    if not path.is_dir():
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"{path} is neither a folder nor a {_FILES} file; {_instead(path)}")
        return _as_folder(read_one(path, path.name, reader))
    found = _episodes(path, reader)
    episodes = found.episodes
    told = _lines(path, FACTS, rows.read_fact) if facts else None
    rows.check_distinct_facts(told or ())
    visibility = _lines(path, VISIBILITY, rows.read_visibility)
    rows.check_distinct_visibility(visibility or ())
    visibility = None if visibility is None else rows.spread_ranges(visibility, episodes)
    rows.check_paragraphs_exist(visibility or (), episodes)
    decisions = _lines(path, DECISIONS, rows.read_decision)
    rows.check_episodes_exist((*(told or ()), *(visibility or ()), *(decisions or ())), episodes)
    cast = _optional(path, CAST)
    return _story(
        _optional(path, STORY),
        episodes=episodes,
        cast=None if cast is None else parse_cast(cast, CAST),
        groups=None if cast is None else parse_groups(cast, CAST),
        facts=told,
        visibility=visibility,
        decisions=decisions,
        left_out=found.left_out,
        uncut=found.uncut,
    )


def _as_folder(found: Manuscript) -> StoryFolder:
    return StoryFolder(episodes=found.episodes, left_out=found.left_out, uncut=found.uncut)


def _instead(path: Path) -> str:
    """Say what to do with a file that is not read."""
    if path.suffix.lower() in _OTHER_BOOKS:
        return "save it as .docx, .epub or .txt"
    return "give the folder it is in"


def write_folder(path: Path, folder: StoryFolder) -> None:
    """Write a story into a folder, which is made when it is not there.

    Each file is put in its place whole. Files of an earlier export that no longer apply are
    removed; all others stay untouched.
    """
    files: dict[str, bytes | None] = {
        EPISODES: _dump_lines(EPISODES, map(rows.write_episode, folder.episodes)),
        CAST: _dump_cast(folder),
        FACTS: None,
        VISIBILITY: None,
        DECISIONS: None,
        STORY: _dump_story(folder),
    }
    if folder.facts is not None:
        files[FACTS] = _dump_lines(FACTS, map(rows.write_fact, folder.facts))
    if folder.visibility is not None:
        files[VISIBILITY] = _dump_lines(VISIBILITY, map(rows.write_visibility, folder.visibility))
    if folder.decisions:
        files[DECISIONS] = _dump_lines(DECISIONS, map(rows.write_decision, folder.decisions))
    try:
        for each in reversed((path, *path.parents)):
            if not each.is_dir():
                each.mkdir(mode=_FOLDER_OF_OWNER, exist_ok=True)
        for name, data in files.items():
            if data is None:
                (path / name).unlink(missing_ok=True)
            else:
                _replace(path / name, data)
    except OSError as error:
        raise InputError(f"cannot write to {path}: {error.strerror or error}") from error


def _episodes(path: Path, reader: Reader) -> Manuscript:
    episodes = _lines(path, EPISODES, rows.read_episode)
    if episodes is None:
        plain = [each for each in path.iterdir() if is_plain(each)]
        if not plain:
            raise InputError(f"{path} has no story: neither {EPISODES} nor a {_FILES} file is in it")
        if len(plain) == 1:
            return read_one(plain[0], plain[0].name, reader)
        return read_many(plain, reader)
    rows.check_distinct_episodes(episodes)
    return Manuscript(episodes=episodes)


def _optional(path: Path, name: str) -> bytes | None:
    """Read a file of the folder; None when it is not there."""
    file = path / name
    return read_bytes(file) if file.exists() else None


def _lines(path: Path, name: str, read: Callable[[Fields], _Row]) -> tuple[_Row, ...] | None:
    data = _optional(path, name)
    if data is None:
        return None
    return tuple(read(Fields(values, file=name, line=line)) for line, values in parse_lines(data, name))


def _story(data: bytes | None, **files: Unpack[_Files]) -> StoryFolder:
    """Give the folder, with what `story.json` says of the story as a whole."""
    if data is None:
        return StoryFolder(**files)
    value = parse_file(data, STORY)
    if not isinstance(value, dict):
        raise FormatError(f"must be an object {{...}}, not {described(value)}", file=STORY)
    fields = Fields(value, file=STORY)
    title = fields.maybe_text("title")
    told = fields.maybe_text("language")
    language = next((each for each in LANGUAGES if each == told), None)
    if told is not None and language is None:
        raise fields.refused(f"language must be one of {', '.join(LANGUAGES)}, not {described(told)}")
    return StoryFolder(
        title=title,
        language=language,
        embedder=fields.maybe_text("embedder"),
        audience=fields.choice("audience", tuple(AudienceMode)),
        extra=fields.rest(),
        **files,
    )


def _dump_cast(folder: StoryFolder) -> bytes | None:
    if not folder.cast and not folder.groups:
        return None
    return dump_cast(folder.cast or (), folder.groups or ()).encode()


def _dump_story(folder: StoryFolder) -> bytes:
    known: dict[str, object] = {
        "title": folder.title,
        "language": folder.language,
        "embedder": folder.embedder,
        "audience": folder.audience,
    }
    return dump(filled(known, folder.extra), STORY, indent=2).encode()


def _dump_lines(name: str, objects: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(dump(each, name) for each in objects).encode()


def _replace(file: Path, data: bytes) -> None:
    """Put a file in its place in one step, so that no reader sees half of it."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE_OF_OWNER), "wb") as made:
            made.write(data)
        if file.exists():
            # Whoever was let in stays in.
            part.chmod(stat.S_IMODE(file.stat().st_mode))
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
