"""Books made for tests: small archives of Word and EPUB, sound ones and such as must be refused."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

_CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
    '<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>"
)


def zipped(files: Mapping[str, str | bytes], *, packed: bool = True) -> bytes:
    """Pack files into an archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def page(body: str, *, kind: str = "") -> str:
    """Make a document of a book."""
    typed = f' epub:type="{kind}"' if kind else ""
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title/></head><body{typed}>{body}</body></html>"
    )


def epub(
    pages: Mapping[str, str], *, nav: Mapping[str, str] | None = None, more: Mapping[str, str] | None = None
) -> bytes:
    """Make a book of documents in their order; `nav` are the contents, by document."""
    items = [
        f'<item id="p{n}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(pages)
    ]
    refs = [f'<itemref idref="p{n}"/>' for n in range(len(pages))]
    links = "".join(
        f'<li><a href="text/{name}">{escape(words)}</a></li>' for name, words in (nav or {}).items()
    )
    opf = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        '<manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        f'{"".join(items)}</manifest><spine><itemref idref="nav"/>{"".join(refs)}</spine></package>'
    )
    files: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/book.opf": opf,
        "OEBPS/nav.xhtml": page(f'<nav epub:type="toc"><ol>{links}</ol></nav>'),
        **{f"OEBPS/text/{name}": body for name, body in pages.items()},
        **(more or {}),
    }
    return zipped(files)


def with_file(book: bytes, name: str, data: str | bytes) -> bytes:
    """Put another file into a book, or in the place of one of its own."""
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        files: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    return zipped({**files, name: data})


def locked(book: bytes) -> bytes:
    """Mark every file of an archive as encrypted by a password."""
    made = bytearray(book)
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = made.find(sign)
        while at >= 0:
            made[at + place] |= 1
            at = made.find(sign, at + 4)
    return bytes(made)
