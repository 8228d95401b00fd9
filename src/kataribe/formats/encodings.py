"""Texts that are not UTF-8: recognised, and read when the caller names their encoding."""

from __future__ import annotations

import codecs
import re

from kataribe.errors import FormatError, InputError
from kataribe.formats.jsonl import decode

_NAMES = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    # What is called Shift_JIS is nearly always Windows' superset of it.
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "windows-1252": "cp1252",
}
_ALSO = {
    "utf8": "utf-8", "utf16": "utf-16", "utf16le": "utf-16-le", "utf16be": "utf-16-be", "unicode": "utf-16",
    "shiftjis": "shift_jis", "sjis": "shift_jis", "cp932": "shift_jis", "mskanji": "shift_jis",
    "windows31j": "shift_jis", "ms932": "shift_jis", "eucjp": "euc-jp", "ujis": "euc-jp",
    "iso2022jp": "iso-2022-jp", "jis": "iso-2022-jp", "cp1252": "windows-1252", "windows1252": "windows-1252",
    "latin1": "windows-1252", "iso88591": "windows-1252",
}  # fmt: skip
ENCODINGS = tuple(_NAMES)
"""The names by which an encoding is given."""

_LETTERS = re.compile("[\u3041-\u30fe\u4e00-\u9fff。、「」]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fe]")
_RARE = re.compile("[\uff61-\uff9f\ue000-\uf8ff\u0080-\u009f\ufffd]")


def encoding_named(name: str) -> str:
    """Give the name as it is kept; raise `InputError` for an encoding that is not known."""
    key = re.sub(r"[\W_]", "", name.casefold())
    if key not in _ALSO:
        raise InputError(f"there is no encoding {name!r}; choose from {', '.join(ENCODINGS)}")
    return _ALSO[key]


def read_text(data: bytes, name: str, encoding: str | None = None) -> str:
    """Turn bytes into text: UTF-8 byte for byte, or what `encoding` says.

    Raises `FormatError` with the encoding it seems to be, when there is one, and what to say then.
    """
    if encoding is None or encoding_named(encoding) == "utf-8":
        return _utf_8(data, name)
    known = encoding_named(encoding)
    _check_plausible(data, name, known)
    try:
        return _decoded(data, known)
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        seems = told_encoding(data)
        hint = f"; it seems to be {seems}" if seems is not None else ""
        raise FormatError(f"not {known} at byte offset {at}{hint}", file=name, line=None) from error


def _check_plausible(data: bytes, name: str, known: str) -> None:
    """Refuse bytes that another encoding than the given one makes sense of: nonsense would be stored."""
    if not data.isascii() and _is_utf_8(data):
        raise FormatError(f"it is UTF-8, not {known}; leave the encoding out", file=name)
    if known == "windows-1252" or known.startswith("utf-16"):
        seems = told_encoding(data)
        if seems is not None and seems[:6] != known[:6] and seems != "windows-1252":
            raise FormatError(f"it is not {known}: it seems to be {seems}", file=name)
        if known != "windows-1252" and seems == "windows-1252":
            raise FormatError(f"it is not {known}, by its bytes", file=name)


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf_8(data: bytes, name: str) -> str:
    try:
        return decode(data, name)
    except FormatError as error:
        seems = told_encoding(data)
        if seems is None:
            raise
        reason = error.reason.split(" (maybe")[0].split("; save")[0]
        raise FormatError(
            f"{reason}: it seems to be {seems}; give --encoding {seems} (in Python encoding={seems!r}), "
            f"or save the file as UTF-8",
            file=name,
            line=error.line,
        ) from error


def _decoded(data: bytes, known: str) -> str:
    if known == "utf-16" and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # Without a mark it is what zeros in it say; machines of today write the low byte first.
        known = _order(data) or "utf-16-le"
    text = data.decode(_NAMES[known])
    return text.removeprefix("\ufeff") if known.startswith("utf-16") else text


def told_encoding(data: bytes) -> str | None:
    """Tell which encoding bytes are in that are not UTF-8; None when no one fits."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if (order := _order(data)) is not None:
        return order
    if b"\x1b$B" in data or b"\x1b$@" in data:
        return "iso-2022-jp" if _share(data, "iso-2022-jp") is not None else None
    shares = {name: _share(data, name) for name in ("shift_jis", "euc-jp")}
    fitting = {name: share for name, share in shares.items() if share is not None and share > 0}
    if fitting:
        return max(fitting, key=lambda name: (fitting[name], name == "shift_jis"))
    return "windows-1252" if _share(data, "windows-1252") is not None else None


def _order(data: bytes) -> str | None:
    """Tell UTF-16 without a mark by its zero bytes, which no other text holds."""
    head = data[:4000]
    if len(head) < 4 or b"\0" not in head:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > 4 * even:
        return "utf-16-le"
    if even > 4 * odd:
        return "utf-16-be"
    # Japanese alone holds few of them, and in one order only it is Japanese.
    shares = {name: _share(data[: len(data) & ~1], name) or 0.0 for name in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] > 0.5 else None


def _share(data: bytes, name: str) -> float | None:
    """The share of what Japanese is written with, less what it never holds; None: it does not fit."""
    try:
        text = data.decode(_NAMES[name])
    except UnicodeError:
        return None
    wide = [char for char in text if ord(char) >= 0x80]
    if 5 * len(_KANA.findall(text)) < len(wide):
        # Bytes of a western text make characters too, but hardly ever kana.
        return 0.0
    good = len(_LETTERS.findall(text)) - 2 * len(_RARE.findall(text))
    return good / max(1, len(wide))
