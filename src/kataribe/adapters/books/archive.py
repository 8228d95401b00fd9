"""A zip archive that is looked over before anything in it is unpacked or parsed."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from lxml import etree

from kataribe.errors import FormatError

MOST_FILES = 10_000
MOST_BYTES = 256 * 2**20
"""Bytes of all files of a book together, unpacked."""
MOST_TEXT = 64 * 2**20
"""Bytes of one file of text, unpacked."""
MOST_RATIO = 200
"""How many times larger than in the archive a file may be; small ones may be any."""
_SMALL = 2**20

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DECLARED = re.compile(rb"<!\s*(?:ENTITY|ELEMENT|ATTLIST|NOTATION)|<!DOCTYPE[^>\[]*\[", re.IGNORECASE)
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#[xX][0-9a-fA-F]+);)[A-Za-z][A-Za-z0-9]*;")


class ZippedBook:
    """A book's archive. What is too large, encrypted or broken is refused with `FormatError`."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.data = data
        if data.startswith(_OLE):
            raise self.refused(
                "it is encrypted by a password, or of an old sort; save it anew without either"
            )
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._infos = {info.filename: info for info in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise self.broken(str(error)) from error
        self._check()

    def refused(self, reason: str) -> FormatError:
        """Make the error that refuses the book."""
        return FormatError(reason, file=self.name)

    def broken(self, detail: str) -> FormatError:
        """Make the error that says that the book is broken."""
        return self.refused(f"it is broken ({detail}); open it in its own program and save it anew")

    def names(self) -> list[str]:
        """Name the files in it."""
        return list(self._infos)

    def read(self, path: str) -> bytes:
        """Unpack a file. Raises `FormatError` when it is not there or broken."""
        info = self._infos.get(path)
        if info is None:
            raise self.broken(f"there is no {path} in it")
        if info.file_size > MOST_TEXT:
            raise self.refused(f"{path} in it has more than {MOST_TEXT // 2**20} MB; divide the book")
        try:
            return self._zip.read(info)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
        ) as error:
            raise self.broken(f"{path}: {error}") from error

    def tree(self, path: str) -> etree._Element:
        """Parse a file of XML; entities and declarations of its own are refused, the net is never asked."""
        return self.parse(self.read(path), path)

    def parse(self, data: bytes, path: str) -> etree._Element:
        """Parse XML that was unpacked from `path`."""
        self.check_xml(data, path)
        parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
        try:
            return etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self.broken(f"{path}: {str(error)[:200]}") from error

    def check_xml(self, data: bytes, path: str) -> None:
        """Refuse XML that declares entities of its own, in whatever width it is written."""
        if _DECLARED.search(data) or _DECLARED.search(data.replace(b"\0", b"")):
            raise self.refused(
                f"{path} in it declares entities of its own, which no book needs; it is not read"
            )

    def _check(self) -> None:
        infos = self._infos.values()
        if len(infos) > MOST_FILES:
            raise self.refused(f"there are more than {MOST_FILES:,} files in it")
        if any(info.flag_bits & 0x1 for info in infos):
            raise self.refused("it is encrypted by a password; save it without one")
        if sum(info.file_size for info in infos) > MOST_BYTES:
            raise self.refused(f"unpacked it has more than {MOST_BYTES // 2**20} MB; take pictures out of it")
        for info in infos:
            if info.file_size > max(_SMALL, MOST_RATIO * info.compress_size):
                raise self.refused(
                    f"{info.filename} in it is packed more than {MOST_RATIO} to 1, as in no book; "
                    f"it is not unpacked"
                )


def named_entities(data: bytes, known: dict[str, str]) -> bytes:
    """Write HTML's named characters (`&nbsp;`) out, which XML does not know; unknown ones stay."""
    text = data.decode("utf-8", "surrogateescape")
    written = _ENTITY.sub(lambda match: known.get(match.group()[1:], match.group()), text)
    return written.encode("utf-8", "surrogateescape")
