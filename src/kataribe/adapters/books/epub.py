"""`.epub`, as publishers and writing programs make it: the documents of its spine, in their order."""

from __future__ import annotations

import html.entities
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from lxml import etree

from kataribe.adapters.books.archive import ZippedBook, named_entities
from kataribe.adapters.books.pieces import BookBlock, emphasised, ruby, squeezed, written
from kataribe.domain.story.folder import BookText, Matter

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""How fonts are veiled; it hides no text."""
_TYPE = "{http://www.idpf.org/2007/ops}type"
_MATTER = {
    "toc": Matter.CONTENTS, "landmarks": Matter.CONTENTS, "loi": Matter.CONTENTS, "cover": Matter.TITLE_PAGE,
    "titlepage": Matter.TITLE_PAGE, "halftitlepage": Matter.TITLE_PAGE, "frontispiece": Matter.TITLE_PAGE,
    "copyright-page": Matter.LICENCE, "imprint": Matter.COLOPHON, "colophon": Matter.COLOPHON,
}  # fmt: skip
_TITLED = (
    (re.compile(r"(?:table of )?contents|目\s*次|もくじ", re.IGNORECASE), Matter.CONTENTS),
    (re.compile(r"cover|title ?page|表紙|扉|タイトルページ", re.IGNORECASE), Matter.TITLE_PAGE),
    (re.compile(r"copyright(?: page)?|licen[cs]e|著作権.*", re.IGNORECASE), Matter.LICENCE),
    (re.compile(r"colophon|奥\s*付け?", re.IGNORECASE), Matter.COLOPHON),
)
_NAMED = {name.rstrip(";"): char for name, char in html.entities.html5.items() if name.endswith(";")}
_KNOWN = {
    f"{name};": char for name, char in _NAMED.items() if name not in ("amp", "lt", "gt", "quot", "apos")
}

_SKIPPED = frozenset(
    {"head", "script", "style", "template", "nav", "svg", "math", "rp", "rt", "rtc", "audio", "video"}
)
_BLOCKS = re.compile(
    "p|div|section|article|aside|header|footer|main|blockquote|li|ul|ol|dl|dt|dd|tr|table|pre|figure|figcaption"
    "|body|address|h[1-6]"
)
_ITALIC = frozenset({"em", "i", "cite"})


@dataclass(slots=True)
class _Page:
    """The blocks of one document, and the words of the one that is being read."""

    blocks: list[BookBlock] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def close(self, level: int = 0) -> None:
        """End the block that is being read."""
        lines = [squeezed(line).strip(" ") for line in "".join(self.words).split("\v")]
        text = "\n".join(lines).strip("\n")
        self.words = []
        if text.strip():
            self.blocks.append(BookBlock(" ".join(text.split("\n")) if level else text, level))


def read_epub(data: bytes, name: str) -> BookText:
    """Take the text out of a book; raise `FormatError` for what is refused."""
    archive = ZippedBook(data, name)
    _check_open(archive)
    package = _package(archive)
    labels = _labels(archive, package)
    left_out: dict[Matter, None] = {}
    blocks: list[BookBlock] = []
    for path in package.spine:
        root = _document(archive, path)
        label = labels.get(path)
        what = _matter(root, label)
        if what is not None:
            left_out[what] = None
            continue
        blocks += _page(root, label)
    if not any(block.text for block in blocks):
        raise archive.refused("there is no text in it that could be a story")
    return BookText(text=written(blocks), left_out=tuple(left_out))


# -- the package ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Package:
    spine: tuple[str, ...]
    """Paths of the documents, in reading order."""
    contents: tuple[str, ...]
    """Paths of the tables of contents: of EPUB 3, then of EPUB 2."""


def _check_open(archive: ZippedBook) -> None:
    """Refuse a book whose documents are encrypted."""
    if _ENCRYPTION not in archive.names():
        return
    for method in archive.tree(_ENCRYPTION).iter("{*}EncryptionMethod"):
        if method.get("Algorithm") not in _FONTS:
            raise archive.refused("it is encrypted (DRM); only a book without that can be read")


def _package(archive: ZippedBook) -> _Package:
    root_file = archive.tree(_CONTAINER).find(".//{*}rootfile")
    path = "" if root_file is None else root_file.get("full-path") or ""
    package = archive.tree(path)
    base = posixpath.dirname(path)
    items = {item.get("id"): item for item in package.iterfind(".//{*}manifest/{*}item")}
    spine = [
        items[ref.get("idref")]
        for ref in package.iterfind(".//{*}spine/{*}itemref")
        if ref.get("linear") != "no" and ref.get("idref") in items
    ]
    navs = [item for item in items.values() if "nav" in (item.get("properties") or "").split()]
    ncx = [item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml"]
    documents = [item for item in spine if "html" in (item.get("media-type") or "html") and item not in navs]
    if not documents:
        raise archive.broken("its spine names no documents")
    return _Package(
        spine=tuple(_path(base, item.get("href")) for item in documents),
        contents=tuple(_path(base, item.get("href")) for item in (*navs, *ncx)),
    )


def _path(base: str, href: str | None) -> str:
    return posixpath.normpath(posixpath.join(base, unquote((href or "").partition("#")[0])))


def _labels(archive: ZippedBook, package: _Package) -> dict[str, str]:
    """Give what the contents call each document, by path."""
    labels: dict[str, str] = {}
    for path in package.contents:
        if path not in archive.names():
            continue
        base = posixpath.dirname(path)
        for link, words in _links(_document(archive, path)):
            labels.setdefault(_path(base, link), squeezed(words).strip())
    return labels


def _links(contents: etree._Element) -> Iterator[tuple[str, str]]:
    for nav in contents.iter("{*}nav"):
        if (nav.get(_TYPE) or "toc") == "toc":
            for link in nav.iter("{*}a"):
                yield link.get("href") or "", "".join(link.itertext())
    for point in contents.iter("{*}navPoint"):
        content, label = point.find("{*}content"), point.find("{*}navLabel")
        if content is not None and label is not None:
            yield content.get("src") or "", "".join(label.itertext())


def _document(archive: ZippedBook, path: str) -> etree._Element:
    return archive.parse(named_entities(archive.read(path), _KNOWN), path)


# -- one document --------------------------------------------------------------------------


def _matter(root: etree._Element, label: str | None) -> Matter | None:
    """Tell what a document is that is no part of the story; None for the story."""
    body = _body(root)
    marked = [body, *(child for child in body if isinstance(child.tag, str))]
    if len([each for each in marked[1:] if "".join(each.itertext()).strip()]) > 1:
        marked = marked[:1]
    for each in marked:
        for word in (each.get(_TYPE) or "").split():
            if word in _MATTER:
                return _MATTER[word]
    called = label or _first_heading(body)
    return next((what for pattern, what in _TITLED if pattern.fullmatch(called.strip())), None)


def _body(root: etree._Element) -> etree._Element:
    body = root.find("{*}body")
    return root if body is None else body


def _first_heading(body: etree._Element) -> str:
    for each in body.iter():
        if isinstance(each.tag, str) and re.fullmatch("h[1-6]", _name(each)):
            return squeezed("".join(each.itertext()))
    return ""


def _name(element: etree._Element) -> str:
    return str(etree.QName(element).localname).lower()


def _page(root: etree._Element, label: str | None) -> list[BookBlock]:
    """The blocks of a document; where it begins with no heading, what the contents call it is one."""
    page = _Page()
    _walk(_body(root), page)
    page.close()
    blocks = page.blocks
    if not blocks:
        return []
    named = next((block for block in blocks if block.level), None)
    if label and named is None:
        if squeezed(blocks[0].text) == label:
            blocks = blocks[1:]
        return [BookBlock(""), BookBlock(label, 1), *blocks]
    return [BookBlock(""), *blocks]


def _walk(element: etree._Element, page: _Page) -> None:
    page.words.append(element.text or "")
    for child in element:
        if isinstance(child.tag, str):
            _read(child, page)
        page.words.append(child.tail or "")


def _read(element: etree._Element, page: _Page) -> None:
    name = _name(element)
    if name in _SKIPPED:
        return
    if name == "br":
        page.words.append("\v")
    elif name == "hr":
        page.close()
        page.blocks.append(BookBlock("* * *"))
    elif name == "ruby":
        page.words.append(_ruby(element))
    elif name in _ITALIC:
        page.words.append(_inner(element))
    elif _BLOCKS.fullmatch(name):
        page.close()
        _walk(element, page)
        page.close(int(name[1]) if re.fullmatch("h[1-6]", name) else 0)
    else:
        _walk(element, page)


def _inner(element: etree._Element) -> str:
    inside = _Page()
    _walk(element, inside)
    words = "".join(inside.words)
    if inside.blocks:
        return "\v".join([*(block.text for block in inside.blocks), words])
    return emphasised(squeezed(words)) if "\v" not in words else words


def _ruby(element: etree._Element) -> str:
    """Write `<ruby>` as a manuscript does, each base with the reading after it."""
    found: list[str] = []
    base = element.text or ""
    for child in element:
        name = _name(child) if isinstance(child.tag, str) else ""
        if name == "rt":
            found.append(ruby(base.strip(), "".join(child.itertext())))
            base = ""
        elif name not in ("rp", "rtc", ""):
            base += "".join(child.itertext())
        base += child.tail or ""
    return squeezed("".join([*found, base.strip()]))
