"""Documents as files: what each format is read as, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from kataribe.domain.ids import check_text
from kataribe.domain.knowledge.documents import FORMATS, DocumentSection, DocumentText
from kataribe.errors import FormatError, InputError
from kataribe.formats.encodings import read_text

MOST_BYTES = 64 * 2**20
"""Bytes of one file."""

DocumentReader = Callable[[str, bytes | str, str], DocumentText]
"""Takes the text out of a document: given its format, its bytes (its text for a format of text), its name.

Raises `FormatError`, `MissingExtraError`.
"""

_OTHER_NAMES = {".htm": ".html", ".markdown": ".md", ".text": ".txt"}
_OF_TEXT = frozenset({".txt", ".md", ".html"})


def format_of(name: str) -> str:
    """Give the format of a document by its name. Raises `InputError` for another than `FORMATS`."""
    suffix = PurePath(name).suffix.lower()
    found = _OTHER_NAMES.get(suffix, suffix)
    if found not in FORMATS:
        raise InputError(f"{name}: a document is one of {', '.join(FORMATS)}; save it as one of them")
    return found


def read_document(
    data: bytes, name: str, encoding: str | None, reader: DocumentReader | None
) -> DocumentText:
    """Read a document. Raises `FormatError` with file and reason, `InputError`, `MissingExtraError`."""
    form = format_of(name)
    if encoding is not None and form not in _OF_TEXT:
        raise InputError(f"{name}: {form} says itself how its text is encoded; leave the encoding out")
    if len(data) > MOST_BYTES:
        raise FormatError(f"it has more than {MOST_BYTES // 2**20} MB; divide it", file=name)
    given = _text(data, name, encoding) if form in _OF_TEXT else data
    found = plain(given) if form == ".txt" and isinstance(given, str) else _read(form, given, name, reader)
    if not found.text.strip():
        raise FormatError("there is no text in it", file=name)
    check_text(found.text, f"the text of {name}")
    return found


def plain(text: str) -> DocumentText:
    """Give a text without headings as a document."""
    return DocumentText(text=text, sections=(DocumentSection(start=0, end=len(text)),))


def _text(data: bytes, name: str, encoding: str | None) -> str:
    return read_text(data, name, encoding).removeprefix("\ufeff")


def _read(form: str, given: bytes | str, name: str, reader: DocumentReader | None) -> DocumentText:
    if reader is None:
        raise InputError(f"{name}: only .txt is read here; save it as a .txt file in UTF-8")
    return reader(form, given, name)
