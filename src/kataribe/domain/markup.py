"""Readings, notes and emphasis in a manuscript: taken out for reading, with the way back to the text.

A stored text stays as its author wrote it. What is matched, embedded and shown of a sentence is
the text without ruby (`｜漢字《かな》`, HTML), notes of Aozora Bunko (`［＃...］`), tags and marks of
emphasis (`《《...》》`, Markdown).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

_HAN = "々〆〇ヶ\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u309f\u30a0-\u30ff"
_NOTE = r"［＃(?:[^［］\r\n]|［[^［］\r\n]*］)*］"
_TAGS = (
    "ruby|rb|rt|rp|rtc|em|strong|i|b|u|s|q|cite|span|small|big|sub|sup|font|mark|del|ins|center|p|div|br|hr"
)
_KEPT = r"\[\[[^\[\]\r\n]*\]\]|【[ \t\u3000]*(?:知る者|語り手)[^【】\r\n]*】"
"""An author's words to kataribe: nothing in them is markup."""

_MARKUP = re.compile(
    rf"(?P<kept>{_KEPT})"
    rf"|(?P<glyph>※{_NOTE})"
    rf"|(?P<note>{_NOTE})"
    # `｜base《reading》`: the sign, the base and the reading; the base may hold notes of its own.
    r"|(?P<sign>[｜|](?=[^\s｜|《》][^｜|《》\r\n]{0,80}《[^《》\r\n]{1,60}》)"
    r"|｜(?=[^\s｜《》（）][^｜《》（）\r\n]{0,40}（[^（）\r\n]{1,60}）))"
    r"|(?P<emphasis>《《(?=[^《》\r\n]{1,200}》》))|(?P<emphasised>(?<!》)》》)"
    r"|(?P<reading>《[^《》\r\n]{1,60}》|（[^（）\r\n]{1,60}）)"
    r"|(?P<ruby><r(?:t|p|tc)\b[^<>\r\n]*>[^<>]{0,120}</r(?:t|p|tc)\s*>)"
    rf"|(?P<tag></?(?:{_TAGS})(?:\s[^<>\r\n]*)?/?>)"
    r"|(?P<comment><!--[^<>]{0,1000}-->)",
    re.IGNORECASE | re.DOTALL,
)
_TRIGGERS = re.compile(r"[《［｜|<*_]")
_SPOKEN = re.compile(rf"[{_KANA}a-zA-Zａ-ｚＡ-Ｚ\u00c0-\u024f・＝ 　'’.\-]+")
_BASE = re.compile(rf"[{_HAN}a-zA-Zａ-ｚＡ-Ｚ\u00c0-\u024f〕'’.^~`]")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_OPENS = re.compile(r"<(?!/|br\b|hr\b|!)", re.IGNORECASE)

# Markdown: an opening that nothing like a word stands before, words, a closing that none follows.
_INNER = r"(?:[^*\r\n]|\r?\n(?![ \t\u3000]*\r?\n))"
_STAR = re.compile(
    r"(?<![\w*\\])(?P<open>\*{1,3})(?=[^\W_]|[“‘\"'「『（(—…\-])"
    rf"(?P<in>{_INNER}{{1,1000}}?)(?<=[^\s*\\])(?P=open)(?![\w*])"
)
# Between Japanese letters there is no blank, and the marks stand right against them.
_JAPANESE = f"[{_HAN}{_KANA}「『]"
_JAPANESE_ENDS = f"[{_HAN}{_KANA}」』。！？…]"
_WIDE_STARS = (
    re.compile(r"(?<![*\\])(?P<open>\*{2,3})(?=[^\s*])(?P<in>[^*\r\n]{1,400}?)(?<=[^\s*\\])(?P=open)(?!\*)"),
    re.compile(
        rf"(?:(?<=[{_HAN}{_KANA}、。「」『』！？])|(?<![\w*\\]))(?P<open>\*)(?={_JAPANESE})"
        rf"(?P<in>[^*\r\n]{{1,400}}?)(?<={_JAPANESE_ENDS})\*(?![*a-zA-Z0-9])"
    ),
)
_BAR = re.compile(
    r"(?<![^\W])(?<!\\)(?P<open>_{1,3})(?=[^\W_]|[“‘\"'「『（(—…\-])"
    r"(?P<in>(?:[^_\r\n]|(?<=[^\W_])_(?=[^\W_])|\r?\n(?![ \t\u3000]*\r?\n)){1,1000}?)"
    r"(?<=[^\s_\\])(?P=open)(?!\w)"
)

_GLYPH_CODE = re.compile(r"第[34]水準(?P<plane>[12])-(?P<row>[0-9]{1,2})-(?P<cell>[0-9]{1,2})")
_GLYPH_POINT = re.compile(r"U\+(?P<point>[0-9A-Fa-f]{4,6})")


class _Side(Enum):
    """To which of its neighbours something that is taken out belongs."""

    BEFORE = auto()
    AFTER = auto()


@dataclass(frozen=True, slots=True)
class _Cut:
    """`text[start:end]` is taken out, or read as `instead`."""

    start: int
    end: int
    side: _Side
    instead: str = ""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text without markup, and where each of its characters stands in the text as written."""

    text: str
    _starts: Sequence[int] | None = None
    _ends: Sequence[int] | None = None
    """Start and end of each character in the text as written, with the markup that belongs to it."""
    _places: Sequence[int] | None = None
    """Where each character itself stands."""

    @property
    def is_same(self) -> bool:
        """Whether nothing was taken out."""
        return self._starts is None

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Give where `text[start:end]`, not empty, stands in the text as written."""
        if self._starts is None or self._ends is None:
            return start, end
        return self._starts[start], self._ends[end - 1]

    def read(self, start: int, end: int) -> tuple[int, int]:
        """Give what is left of a span of the text as written, as a span of `text`; it may be empty."""
        if self._places is None:
            return start, end
        return bisect_left(self._places, start), bisect_left(self._places, end)


def plain(text: str, *, emphasis: bool = False) -> PlainText:
    """Take readings, notes, tags and marks of emphasis out of a text.

    `emphasis` leaves Markdown's `*` and `_` in, which tell thoughts in English prose.
    """
    if _TRIGGERS.search(text) is None:
        return PlainText(text)
    cuts = list(_cuts(text))
    if not emphasis and ("*" in text or "_" in text):
        cuts = _merged(cuts, _emphasis(text))
    return _without(text, cuts) if cuts else PlainText(text)


def same_words(text: str, quote: str) -> bool:
    """Whether a text is what a quote says, markup aside."""
    if text == quote:
        return True
    # Half of a pair that another sentence closes stays in a quote: only the words count.
    return len(text) <= len(quote) and _words(plain(quote).text) == _words(text)


def _words(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def _cuts(text: str) -> Iterator[_Cut]:
    is_signed = is_emphasised = False
    at = 0
    while match := _MARKUP.search(text, at):
        kind, start, at = match.lastgroup, match.start(), match.end()
        if kind in ("kept", None):
            continue
        if kind == "sign":
            is_signed = True
            yield _Cut(start, at, _Side.AFTER)
        elif kind == "reading":
            if is_signed or _is_reading(text, start, at):
                yield _Cut(start, at, _Side.BEFORE)
            else:
                # What is in these brackets may hold markup of its own.
                at = start + 1
            is_signed = False
        elif kind == "glyph":
            yield _Cut(start, at, _Side.BEFORE, _glyph(match.group()))
        elif kind == "note":
            yield _Cut(start, at, _Side.AFTER if _begins_line(text, start) else _Side.BEFORE)
        elif kind == "emphasis":
            is_emphasised = True
            yield _Cut(start, at, _Side.AFTER)
        elif kind == "emphasised":
            if is_emphasised:
                yield _Cut(start, at, _Side.BEFORE)
            is_emphasised = False
        elif kind == "tag":
            yield _tag(match)
        else:
            yield _Cut(start, at, _Side.BEFORE)


def _tag(match: re.Match[str]) -> _Cut:
    if _BREAK.match(match.group()):
        return _Cut(match.start(), match.end(), _Side.BEFORE, "\n")
    side = _Side.AFTER if _OPENS.match(match.group()) else _Side.BEFORE
    return _Cut(match.start(), match.end(), side)


def _is_reading(text: str, start: int, end: int) -> bool:
    """Whether 《...》 gives the reading of what it follows, and does not quote or name something."""
    if text[start] != "《" or start == 0:
        return False
    if text[start - 1] == "］":
        return "※［＃" in text[max(0, start - 80) : start]
    return (
        _BASE.match(text[start - 1]) is not None and _SPOKEN.fullmatch(text[start + 1 : end - 1]) is not None
    )


def _begins_line(text: str, at: int) -> bool:
    before = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at]
    return not re.sub(_NOTE, "", before).strip()


def _glyph(note: str) -> str:
    """Give the character a note describes, by its place in JIS X 0213 or Unicode; else `〓`."""
    if code := _GLYPH_CODE.search(note):
        row, cell = int(code["row"]) + 0xA0, int(code["cell"]) + 0xA0
        data = bytes([row, cell]) if code["plane"] == "1" else bytes([0x8F, row, cell])
        try:
            return data.decode("euc_jis_2004")
        except (UnicodeDecodeError, ValueError):
            return "〓"
    if point := _GLYPH_POINT.search(note):
        value = int(point["point"], 16)
        return chr(value) if 0x20 <= value < 0x110000 and not 0xD800 <= value < 0xE000 else "〓"
    return "〓"


def _emphasis(text: str) -> list[_Cut]:
    """Find Markdown's marks of emphasis, save in an author's words to kataribe."""
    kept = [match.span() for match in re.finditer(_KEPT, text)]
    found: dict[int, _Cut] = {}
    for pattern in (_STAR, *_WIDE_STARS, _BAR):
        for match in pattern.finditer(text):
            inner = match.span("in")
            if re.search(r"[^\W_]", match["in"]) is not None:
                found.setdefault(match.start(), _Cut(match.start(), inner[0], _Side.AFTER))
                found.setdefault(inner[1], _Cut(inner[1], match.end(), _Side.BEFORE))
    cuts = [cut for _, cut in sorted(found.items())]
    return [cut for cut in cuts if not any(start <= cut.start < end for start, end in kept)]


def _merged(cuts: list[_Cut], more: list[_Cut]) -> list[_Cut]:
    """Put both together in order, without those of the second that touch one of the first."""
    merged: list[_Cut] = []
    for cut in sorted([*more, *cuts], key=lambda cut: (cut.start, cut.end)):
        if not merged or cut.start >= merged[-1].end:
            merged.append(cut)
    return merged


def _without(text: str, cuts: Sequence[_Cut]) -> PlainText:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    places: list[int] = []
    at = 0
    opened: int | None = None
    for cut in (*cuts, _Cut(len(text), len(text), _Side.AFTER)):
        if at < cut.start:
            pieces.append(text[at : cut.start])
            starts += range(at, cut.start)
            ends += range(at + 1, cut.start + 1)
            places += range(at, cut.start)
            if opened is not None:
                starts[at - cut.start] = opened
                opened = None
        if cut.instead:
            pieces.append(cut.instead)
            starts += [cut.start if opened is None else opened] * len(cut.instead)
            ends += [cut.end] * len(cut.instead)
            places += [cut.start] * len(cut.instead)
            opened = None
        elif cut.side is _Side.BEFORE and ends and opened is None:
            ends[-1] = cut.end
        elif opened is None:
            opened = cut.start
        at = cut.end
    return PlainText("".join(pieces), starts, ends, places)
