"""The text chunks of a PNG: a character card stands in one of them, as base64 of UTF-8 JSON."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

from kataribe.errors import FormatError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_BYTES = 64 * 2**20
"""How large a picture may be."""
_EDGE = 64
_GREY = 0x80


def texts_in(data: bytes, name: str) -> dict[str, bytes]:
    """Give the `tEXt` chunks of a picture by keyword; of one keyword the last. Raises `FormatError`."""
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data, name):
        if kind == b"tEXt":
            keyword, _, text = body.partition(b"\0")
            found[keyword.decode("latin-1")] = text
    return found


def with_texts(data: bytes, name: str, texts: Mapping[str, bytes]) -> bytes:
    """Give the picture with these `tEXt` chunks in the place of those of the same keywords."""
    parts = [SIGNATURE]
    for kind, body in _chunks(data, name):
        if kind == b"tEXt" and body.partition(b"\0")[0].decode("latin-1") in texts:
            continue
        if kind == b"IEND":
            parts += [_chunk(b"tEXt", key.encode("latin-1") + b"\0" + text) for key, text in texts.items()]
        parts.append(_chunk(kind, body))
    return b"".join(parts)


def plain_picture() -> bytes:
    """Make a small grey picture, for a card that has none of its own."""
    head = struct.pack(">IIBBBBB", _EDGE, _EDGE, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([_GREY]) * _EDGE) * _EDGE
    body = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return SIGNATURE + body


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _chunks(data: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Give each chunk with its body, up to and with `IEND`."""
    if not data.startswith(SIGNATURE):
        raise FormatError("is no PNG", file=name)
    if len(data) > MOST_BYTES:
        raise FormatError(f"is larger than {MOST_BYTES:,} bytes", file=name)
    at = len(SIGNATURE)
    while at < len(data):
        if at + 12 > len(data):
            break
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        end = at + 12 + length
        if end > len(data):
            break
        (check,) = struct.unpack_from(">I", data, end - 4)
        if check != zlib.crc32(kind + body):
            raise FormatError(f"its chunk at byte {at} is damaged; export the card anew", file=name)
        yield kind, body
        if kind == b"IEND":
            return
        at = end
    raise FormatError(f"is cut off at byte {at}; export the card anew", file=name)
