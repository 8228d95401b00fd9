"""`.html`: what a page says, through lxml; the net is never asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree, html

from kataribe.adapters.books.pieces import squeezed
from kataribe.adapters.books.written_document import DocumentWriter
from kataribe.domain.knowledge.documents import DocumentText
from kataribe.errors import FormatError

_SKIPPED = frozenset(
    {
        *("head", "script", "style", "template", "noscript", "nav", "svg", "math", "rp", "rt", "rtc"),
        *("audio", "video", "canvas", "iframe", "object", "select", "button", "textarea", "datalist"),
    }
)
_BLOCK = re.compile(
    "p|div|section|article|aside|header|footer|main|blockquote|li|ul|ol|dl|dt|dd|table|tr|caption|pre|figure"
    "|figcaption|body|html|address|details|summary|fieldset|form|hr|h[1-6]"
)
_HEADING = re.compile("h([1-6])")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_DEEP = re.compile("excessive depth", re.IGNORECASE)
_BREAK = "\v"


def read_webpage(text: str, name: str) -> DocumentText:
    """Take the text out of a page; raise `FormatError` for one that is nested too deeply."""
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    writer = DocumentWriter(name)
    try:
        root = html.document_fromstring(_DECLARATION.sub("", text, count=1).replace("\0", ""), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise FormatError(f"it is no page of HTML: {str(error)[:200]}", file=name) from error
    if any(_DEEP.search(entry.message) for entry in parser.error_log):
        raise FormatError("it is nested too deeply to be read whole; save it anew from a browser", file=name)
    _Blocks(writer).read(root)
    title = root.findtext(".//title") or ""
    return writer.done(title=" ".join(title.split()))


class _Blocks:
    """Walks a page in the order of its text, and writes it block by block."""

    def __init__(self, writer: DocumentWriter) -> None:
        self._writer = writer
        self._words: list[str] = []
        self._verbatim = 0

    def read(self, root: etree._Element) -> None:
        """Walk all of it, without the stack of Python: pages are nested as they like."""
        for event, element in _walked(root):
            name = element.tag
            if event == "start":
                self._begin(name, element.text or "")
            else:
                self._end(name)
                self._say(element.tail or "")
        self._close(0)

    def _begin(self, name: str, text: str) -> None:
        if name == "br":
            self._words.append(_BREAK)
        elif name in ("td", "th"):
            self._words.append(" | " if "".join(self._words).strip() else "")
        elif _BLOCK.fullmatch(name):
            self._close(0)
        self._verbatim += name == "pre"
        self._say(text)

    def _end(self, name: str) -> None:
        if _BLOCK.fullmatch(name):
            heading = _HEADING.fullmatch(name)
            self._close(int(heading[1]) if heading else 0)
        self._verbatim -= name == "pre"

    def _say(self, text: str) -> None:
        self._words.append(text.replace("\n", _BREAK) if self._verbatim else text)

    def _close(self, level: int) -> None:
        lines = "".join(self._words).split(_BREAK)
        self._words = []
        kept = lines if self._verbatim else [squeezed(line).strip(" ") for line in lines]
        text = "\n".join(kept).strip("\n")
        if level:
            self._writer.heading(level, text)
        else:
            self._writer.paragraph(text)


def _walked(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Give elements as they begin and end, those aside that hold no text of the page."""
    walk = etree.iterwalk(root, events=("start", "end"))
    skipped: etree._Element | None = None
    for event, element in walk:
        if skipped is not None:
            if element is skipped and event == "end":
                skipped = None
                yield "end", element
            continue
        if event == "start" and (element.tag in _SKIPPED or element.get("hidden") is not None):
            skipped = element
            continue
        yield event, element
