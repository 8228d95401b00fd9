"""Documents made for tests: small PDFs, sound ones and such as must be refused."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from pypdf import PdfWriter
from pypdf.generic import IndirectObject

_TOP, _LEFT, _LEADING, _SIZE = 780, 50, 18, 12


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    outline: Sequence[tuple[int, str, int]] = (),
    password: str | None = None,
    told: bool = True,
) -> bytes:
    """Make a PDF of pages of lines. A page without lines is a picture of one.

    `outline` are (level from 1 on, words, page from 1 on); without `told` its font does not say
    which characters it draws.
    """
    codes = {
        char: n for n, char in enumerate(sorted({c for page in pages for line in page for c in line}), 1)
    }
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /Test /Encoding /Identity-H /DescendantFonts [4 0 R]"
    glyphs = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Test /DW 1000"
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        font + (b" /ToUnicode 5 0 R >>" if told else b" >>"),
        glyphs + b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        _stream(_unicodes(codes)),
    ]
    for number, page in enumerate(pages):
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
            b" /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % (7 + 2 * number)
        )
        bodies.append(_stream(_content(page, codes)))
    return _finished(_file(bodies), outline, password)


def pdf_bomb() -> bytes:
    """Make a small PDF whose one page is a hundred million characters, unpacked."""
    packed = zlib.compress(b" " * 100_000_000, 9)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >>"
    return _file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            page + b" /Contents 4 0 R >>",
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _content(lines: Sequence[str], codes: dict[str, int]) -> bytes:
    drawn: list[str] = []
    for at, line in enumerate(lines):
        glyphs = "".join(f"{codes[char]:04x}" for char in line)
        drawn.append(f"BT /F1 {_SIZE} Tf {_LEFT} {_TOP - _LEADING * at} Td <{glyphs}> Tj ET")
    return "\n".join(drawn).encode()


def _unicodes(codes: dict[str, int]) -> bytes:
    rows = [f"<{code:04x}> <{char.encode('utf-16-be').hex()}>" for char, code in codes.items()]
    blocks = [rows[at : at + 100] for at in range(0, len(rows), 100)]
    mapped = "\n".join(f"{len(some)} beginbfchar\n" + "\n".join(some) + "\nendbfchar" for some in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{mapped}\nendcmap end end"
    ).encode()


def _stream(data: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(data), data)


def _file(bodies: Sequence[bytes]) -> bytes:
    made, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    at = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, at)
    return bytes(made)


def _finished(data: bytes, outline: Sequence[tuple[int, str, int]], password: str | None) -> bytes:
    if not outline and password is None:
        return data
    writer = PdfWriter(clone_from=io.BytesIO(data))
    above: dict[int, IndirectObject] = {}
    for level, words, page in outline:
        above[level] = writer.add_outline_item(title=words, page_number=page - 1, parent=above.get(level - 1))
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()
