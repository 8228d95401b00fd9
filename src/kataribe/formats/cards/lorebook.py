"""Lorebooks: of a character card, in a file of their own, and World Info as SillyTavern writes it.

An entry is kept as it came, unknown fields too. What kataribe adds stands below `extensions`, under
`kataribe`: `audience` (`"public"` or a list of character ids), `episode` (a number) and `fact` (an id).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kataribe.domain.terms import Audience, Extra
from kataribe.formats.fields import Fields
from kataribe.formats.jsonl import parse_file, read_bytes

SPEC = "lorebook_v3"
OURS = "kataribe"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreEntry:
    """One entry: what it says, and the words that call for it.

    `audience` and `episode` are None where the entry says nothing of them. `raw` is the entry as it
    came.
    """

    keys: tuple[str, ...]
    content: str
    name: str | None = None
    enabled: bool = True
    audience: Audience | None = None
    episode: int | None = None
    raw: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lorebook:
    """A lorebook; `rest` holds what it says beside its entries."""

    name: str | None = None
    entries: tuple[LoreEntry, ...] = ()
    rest: Extra = field(default_factory=dict)


def read_lorebook(path: Path) -> Lorebook:
    """Read a lorebook or World Info. Raises `InputError`, and `FormatError` with the place."""
    return parse_lorebook(read_bytes(path), str(path))


def parse_lorebook(data: bytes, name: str) -> Lorebook:
    """Read a lorebook out of bytes that came from `name`. Raises `FormatError` with the place."""
    value = parse_file(data, name)
    fields = Fields({"book": value}, file=name).inside(value, "the lorebook")
    spec = fields.take("spec")
    if spec is None:
        return book_in(fields)
    if spec != SPEC:
        raise fields.refused(f"spec must be {SPEC!r}, not {spec!r}; a card is read by `kataribe card import`")
    return book_in(fields.inside(fields.take("data"), "data"))


def book_in(fields: Fields) -> Lorebook:
    """Read the book that these fields are of. Raises `FormatError`."""
    name = fields.maybe_text("name")
    entries = fields.take("entries")
    if isinstance(entries, dict):
        # World Info numbers its entries.
        listed = [(f"entries.{key}", value) for key, value in entries.items()]
    elif isinstance(entries, list):
        listed = [(f"entries[{at}]", value) for at, value in enumerate(entries)]
    else:
        raise fields.refused("entries must be a list, or an object as World Info has it")
    read = tuple(_entry(fields.inside(value, place), value) for place, value in listed)
    return Lorebook(name=name, entries=read, rest=fields.rest())


def _entry(fields: Fields, raw: Mapping[str, object]) -> LoreEntry:
    content = fields.text("content")
    keys = _texts(fields, "keys") if "keys" in raw else _texts(fields, "key")
    extensions = fields.take("extensions")
    ours = extensions.get(OURS) if isinstance(extensions, dict) else None
    added = fields.inside(ours, f"extensions.{OURS}") if ours is not None else Fields({}, file=fields.file)
    disabled = fields.take("disable") is True or fields.take("enabled") is False
    return LoreEntry(
        keys=keys,
        content=content,
        name=fields.maybe_text("name") or fields.maybe_text("comment") or None,
        enabled=not disabled,
        audience=added.audience("audience"),
        episode=added.maybe_number("episode"),
        raw=dict(raw),
    )


def _texts(fields: Fields, name: str) -> tuple[str, ...]:
    """Take a list of texts; one text with commas is a list too, as World Info once wrote it."""
    value = fields.take(name)
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(one, str) for one in parts):
        raise fields.refused(f"{name} must be a list of texts")
    return tuple(stripped for one in parts if (stripped := one.strip()))


def lorebook_bytes(book: Lorebook) -> bytes:
    """Write a lorebook in a file of its own, as version 3 of the specification has it."""
    data = book_object(book)
    return (json.dumps({"spec": SPEC, "data": data}, ensure_ascii=False, indent=2) + "\n").encode()


def book_object(book: Lorebook) -> dict[str, object]:
    """Write a lorebook as an object, with what it came with; its entries are a list."""
    named = {} if book.name is None else {"name": book.name}
    return {**named, "extensions": {}, **book.rest, "entries": _written(book.entries)}


def _written(entries: Sequence[LoreEntry]) -> list[dict[str, object]]:
    return [_entry_object(entry, order) for order, entry in enumerate(entries)]


_WORLD_INFO = frozenset({"key", "keysecondary", "disable", "order", "uid"})
"""Fields of World Info that stand for some of a lorebook's."""


def _entry_object(entry: LoreEntry, order: int) -> dict[str, object]:
    raw = {key: value for key, value in entry.raw.items() if key not in _WORLD_INFO}
    came = {new: entry.raw[old] for old, new in _RENAMED.items() if old in entry.raw}
    told = {} if entry.name is None or "comment" in raw else {"name": entry.name}
    plain = {"extensions": {}, "insertion_order": order, "use_regex": False}
    return {**plain, **told, **raw, **came, **_known(entry, raw)}


_RENAMED = {"keysecondary": "secondary_keys", "order": "insertion_order", "uid": "id"}


def _known(entry: LoreEntry, raw: Mapping[str, object]) -> dict[str, object]:
    given = raw.get("extensions")
    extensions = dict(given) if isinstance(given, dict) else {}
    ours: dict[str, object] = {}
    if entry.audience is not None:
        ours["audience"] = "public" if entry.audience.world else list(entry.audience.holders())
    if entry.episode is not None:
        ours["episode"] = entry.episode
    if ours:
        extensions[OURS] = ours
    return {
        "keys": list(entry.keys),
        "content": entry.content,
        "enabled": entry.enabled,
        "extensions": extensions,
    }
