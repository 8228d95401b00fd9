"""Headings: lines that name what follows them and tell nothing themselves."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from kataribe.domain.markup import plain

_KANJI = "〇零一二三四五六七八九十百千壱弐参"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LONGEST = 80
_LONGEST_WRITTEN = 240
"""Characters of a heading, without and with its readings and notes."""


class HeadingStyle(Enum):
    """How a heading shows that it is one."""

    MARKDOWN = auto()
    """`# Title`."""
    NOTED = auto()
    """`［＃「一」は中見出し］`."""
    NAMED = auto()
    """`第一章`, `Chapter 1`."""
    UNNUMBERED = auto()
    """`Prologue`, `幕間`."""
    COUNTED = auto()
    """`1話`, `◇1`, `その一`: a number with a sign."""
    ALONE = auto()
    """`一`, `1`, `IV.`."""
    LISTED = auto()
    """`一、午后の授業`, `1. The Inn`."""


@dataclass(frozen=True, slots=True)
class HeadingLine:
    """What a line says as a heading."""

    title: str
    level: int
    """1 for a part or a book, 2 for an episode, 3 for what is below one."""
    style: HeadingStyle
    number: int | None = None
    script: str = ""
    """How its number is written: those of one text are written alike."""
    bare: bool = False
    """Whether it is a number or a name alone, so that a title may follow on a line of its own."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and, where one follows, the title below it: `text[start:end]`."""

    start: int
    end: int
    line: int
    read: HeadingLine
    apart: bool
    """Whether blank lines set it off from the text above or below."""

    @property
    def title(self) -> str:
        """Its words."""
        return self.read.title

    @property
    def level(self) -> int:
        """1 for a part or a book, 2 for an episode."""
        return self.read.level

    @property
    def style(self) -> HeadingStyle:
        """How it shows that it is one."""
        return self.read.style


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    number: int
    words: str
    """Without blanks around it."""
    indent: str


# -- one line ------------------------------------------------------------------------------

_MARKDOWN = re.compile(r"(#{1,2})[ \t\u3000]+(\S.*?)(?:[ \t]+#+)?")
_NOTE = re.compile(r"［＃(?:「(?P<words>[^」\r\n]{1,120})」は)?(?P<size>[大中小])見出し］")
_RULE = re.compile(r"［＃[^］]*(?:同行|窓)[大中小]見出し")
_SIGNS = "■□◆◇●○◎★☆▼▽▲△§♦♢♡♥❖✦✧・＊*=＝~〜～―—–\\-"
_DRESSED = re.compile(rf"[{_SIGNS}\s]*(?P<words>.*?)[{_SIGNS}\s]*", re.DOTALL)
_FRONT_SIGN = re.compile(rf"[{_SIGNS}\s]*[■□◆◇●○◎★☆▼▽▲△§♦♢♡♥❖✦✧・＊*][{_SIGNS}\s]*")
_ENCLOSED = dict(zip("【［〔《〈<＜[(（", "】］〕》〉>＞])）", strict=True))
_OPEN = "[【［〔《〈<\\[(]"
_CLOSE = "[】］〕》〉>\\])]"

_N = rf"(?:[0-9]{{1,4}}|[{_KANJI}]{{1,9}})"
_REST = r"(?:[\s:.―—\-「『〈《【(].*)?"
_ORDINAL = re.compile(
    rf"(?P<open>{_OPEN}?)\s*第\s*(?P<number>{_N})\s*(?P<unit>話目|[章話回幕編篇部巻夜譚帖段])\s*"
    rf"(?:(?P<close>{_CLOSE})(?P<free>.*)|(?P<rest>{_REST}))"
)
_COUNTED = re.compile(
    rf"(?P<open>{_OPEN}?)\s*(?P<number>{_N})\s*(?P<unit>[話章幕])\s*"
    rf"(?:(?P<close>{_CLOSE})(?P<free>.*)|(?P<rest>{_REST}))"
)
_THAT = re.compile(rf"(?:そ|其)の(?P<number>{_N})(?P<rest>{_REST})")
_UNNUMBERED_JA = re.compile(
    rf"(?P<open>{_OPEN}?)(?:序章|序幕|終章|終幕|間章|幕間|閑話|番外編|番外|外伝|前日譚|後日譚|後日談|最終(?:話|章|回|幕)"
    rf"|プロローグ|エピローグ|インターミッション|インタールード)\s*(?:{_OPEN}?{_N}{_CLOSE}?)?"
    rf"(?:(?P<close>{_CLOSE})(?P<rest>.*)|(?P<more>{_REST}))"
)
_ONLY = frozenset({"序", "跋", "終"})

_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_WORDS = rf"(?:(?:{_TENS})(?:[\s-](?:{_UNITS}))?|{_TEENS}|{_UNITS})"
_NTH_UNITS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_NTH = (
    rf"(?:(?:{_TENS})-(?:{_NTH_UNITS})|{_NTH_UNITS}|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth"
    r"|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|last)"
)
_ROMAN = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_ROMAN_NUMBER = rf"(?=[MDCLXVI]){_ROMAN}"
# A title follows a separator or begins with a capital: "Chapter 3 was hard" is a sentence.
_REST_EN = r"(?:\s*(?:[.:]|[-–—]{1,3})(?:\s.*|[^\sa-z0-9.].*)?|\s+[^\sa-z].*)?"
_NAMED_EN = re.compile(
    rf"(?P<open>{_OPEN}?)(?:(?P<name>chapter|episode|part|book|volume|act)\s+(?:the\s+(?P<nth>{_NTH})"
    rf"|(?P<number>\d{{1,4}}|{_WORDS}|{_ROMAN_NUMBER}))|(?:ep|ch|chap)\.?\s*(?P<short>\d{{1,4}}))"
    rf"(?:(?P<close>{_CLOSE})(?P<free>.*)|(?P<rest>(?-i:{_REST_EN})))",
    re.IGNORECASE,
)
_UNNUMBERED_EN = re.compile(
    rf"(?:prologue|epilogue|interlude|intermission|prelude|coda)(?:\s+(?:\d{{1,3}}|{_WORDS}|{_ROMAN_NUMBER}))?"
    rf"(?P<rest>(?-i:{_REST_EN}))(?P<more>)",
    re.IGNORECASE,
)
_HASHED = re.compile(r"#(?P<number>\d{1,4})(?P<rest>[\s:.―—\-「『(].*)?")
_ALONE = re.compile(
    rf"{_OPEN}?\s*(?:(?P<kanji>[{_KANJI}]{{1,9}})|(?P<digits>[0-9]{{1,4}})|(?P<roman>{_ROMAN_NUMBER}))"
    rf"\s*{_CLOSE}?[.、)]?"
)
_ALONE_WORD = re.compile(rf"(?:{_WORDS})", re.IGNORECASE)
_LISTED = re.compile(
    rf"(?:(?P<kanji>[{_KANJI}]{{1,9}})[、.\s]|(?P<digits>[0-9]{{1,4}})(?:[.:、)]|\s)"
    rf"|(?P<roman>{_ROMAN_NUMBER})[.:])\s*(?P<rest>[^\s。a-z][^。]*)"
)
_SENTENCE_END = re.compile(r"(?:[。！？!?」』”…]|(?<![.])\.)$")
_PARTS = frozenset({"部", "編", "篇", "巻", "part", "book", "volume"})


def read_heading(line: str) -> HeadingLine | None:
    """Tell what a line says as a heading; None for a line that is none.

    A number alone or with a title may as well be anything else: who cuts a text by such lines looks
    whether they run on from one to the next.
    """
    raw = line.removeprefix("\ufeff").strip()
    if not raw or len(raw) > _LONGEST_WRITTEN:
        return None
    if "見出し" in raw and (noted := _noted(raw)):
        return noted
    words = plain(raw).text.strip()
    if not words or len(words) > _LONGEST:
        return None
    if markdown := _MARKDOWN.fullmatch(words):
        return HeadingLine(markdown[2], len(markdown[1]), HeadingStyle.MARKDOWN)
    return _by_words(words)


def kanji_number(digits: str) -> int | None:
    """Read a number written in kanji: 十二 and 一二 are both 12; None when it is none."""
    values = {"〇": 0, "零": 0, "壱": 1, "弐": 2, "参": 3}
    values.update({digit: value for value, digit in enumerate("一二三四五六七八九", start=1)})
    if all(digit in values for digit in digits):
        return int("".join(str(values[digit]) for digit in digits)) if digits else None
    total, digit = 0, 0
    for char in digits:
        if char in values:
            digit = values[char]
        elif char in "十百千":
            total, digit = total + (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char], 0
        else:
            return None
    return total + digit


def _noted(raw: str) -> HeadingLine | None:
    """A heading by a note of Aozora Bunko that speaks of the whole line."""
    note = _NOTE.search(raw)
    if note is None or _RULE.search(raw):
        return None
    words = plain(raw).text.strip()
    if not words or (note["words"] is not None and plain(note["words"]).text.strip() != words):
        return None
    inner = _by_words(words)
    bare = inner is not None and inner.bare
    return HeadingLine(words, "大中小".index(note["size"]) + 1, HeadingStyle.NOTED, bare=bare)


def _by_words(words: str) -> HeadingLine | None:
    folded = unicodedata.normalize("NFKC", words)
    if folded.startswith("#"):
        return _hashed(folded, words)
    is_signed = _FRONT_SIGN.match(words) is not None
    dressed = _DRESSED.fullmatch(words)
    title = _unwrapped(dressed["words"] if dressed and dressed.start("words") else words)
    body = unicodedata.normalize("NFKC", title).strip()
    if not body:
        return None
    return _named(body, title) or _counted(body, title, is_signed=is_signed)


def _unwrapped(words: str) -> str:
    """Give the words without brackets around the whole of them."""
    close = _ENCLOSED.get(words[:1])
    if close is not None and words.endswith(close) and close not in words[1:-1]:
        return words[1:-1].strip()
    return words


def _named(body: str, title: str) -> HeadingLine | None:
    if match := _ORDINAL.fullmatch(body):
        if body.endswith("。") or not _is_closed(match):
            return None
        return _as_told(match, title, kanji_or_int(match["number"]), match["unit"], HeadingStyle.NAMED)
    if (match := _NAMED_EN.fullmatch(body)) and _is_closed(match):
        number = _english_number(match["number"] or match["short"] or match["nth"])
        return _as_told(match, title, number, (match["name"] or "").lower(), HeadingStyle.NAMED)
    only = body in _ONLY
    match = _UNNUMBERED_JA.fullmatch(body) or _UNNUMBERED_EN.fullmatch(body)
    if only or (match and not body.endswith("。")):
        rest = "" if match is None else "".join(filter(None, (match["rest"], match["more"])))
        return HeadingLine(title, 2, HeadingStyle.UNNUMBERED, bare=not rest.strip())
    return None


def _is_closed(match: re.Match[str]) -> bool:
    """Whether a bracket that opens before a number closes after it, and none closes that did not open."""
    if match["open"] and not match["close"]:
        # Brackets around the whole line: 【第1話 朝】.
        return bool(re.search(f"{_CLOSE}$", match["rest"] or ""))
    return bool(match["open"]) or not match["close"]


def _as_told(
    match: re.Match[str], title: str, number: int | None, unit: str, style: HeadingStyle
) -> HeadingLine:
    level = 1 if unit in _PARTS else 2
    rest = (match["rest"] or "") + (match["free"] or "")
    bare = not re.search(r"[^\W_]", rest)
    return HeadingLine(title, level, style, number, unit, bare)


def _counted(body: str, title: str, *, is_signed: bool) -> HeadingLine | None:
    if body.endswith("。"):
        return None
    if (match := _COUNTED.fullmatch(body)) and _is_closed(match):
        return _as_told(match, title, kanji_or_int(match["number"]), match["unit"], HeadingStyle.COUNTED)
    if match := _THAT.fullmatch(body):
        return HeadingLine(
            title, 2, HeadingStyle.COUNTED, kanji_or_int(match["number"]), "その", not match["rest"].strip()
        )
    if match := _ALONE.fullmatch(body):
        script, number = _script(match)
        style = HeadingStyle.COUNTED if is_signed else HeadingStyle.ALONE
        return HeadingLine(title, 2, style, number, f"{script}*" if is_signed else script, bare=True)
    if _ALONE_WORD.fullmatch(body) and (body[0].isupper() or is_signed):
        return HeadingLine(title, 2, HeadingStyle.ALONE, _english_number(body), "word", bare=True)
    if (match := _LISTED.fullmatch(body)) and not _SENTENCE_END.search(body):
        script, number = _script(match)
        return HeadingLine(title, 2, HeadingStyle.LISTED, number, f"{script}*" if is_signed else script)
    return None


def _hashed(folded: str, words: str) -> HeadingLine | None:
    match = _HASHED.fullmatch(folded)
    if match is None or folded.endswith("。"):
        return None
    rest = (match["rest"] or "").strip()
    return HeadingLine(words, 2, HeadingStyle.COUNTED, int(match["number"]), "#", bare=not rest)


def _script(match: re.Match[str]) -> tuple[str, int | None]:
    if match["kanji"]:
        return "kanji", kanji_number(match["kanji"])
    if match["digits"]:
        return "digits", int(match["digits"])
    return "roman", _roman_number(match["roman"])


def kanji_or_int(digits: str) -> int | None:
    """Read a number in plain digits or in kanji; None when it is none."""
    return int(digits) if digits.isascii() and digits.isdigit() else kanji_number(digits)


def _roman_number(digits: str) -> int:
    values = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
    numbers = [values[digit] for digit in digits.upper()]
    return sum(
        -number if any(later > number for later in numbers[at + 1 : at + 2]) else number
        for at, number in enumerate(numbers)
    )


def _english_number(word: str) -> int | None:
    """Read `7`, `VII`, `seven`, `seventh` or `twenty-seven`; None for `last`."""
    word = word.lower()
    if word.isdigit():
        return int(word)
    below = f"{_UNITS}|{_TEENS}".split("|")
    tens = _TENS.split("|")
    ranks = [*_NTH_UNITS.split("|"), "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"]
    ranks += ["sixteenth", "seventeenth", "eighteenth", "nineteenth"]
    values = {name: at for names in (below, ranks) for at, name in enumerate(names, start=1)}
    values |= {name: 10 * at for at, name in enumerate(tens, start=2)}
    values |= {"twentieth": 20, "thirtieth": 30}
    pieces = re.split(r"[\s-]+", word)
    if all(piece in values for piece in pieces):
        return sum(values[piece] for piece in pieces)
    return _roman_number(word) if re.fullmatch("[mdclxvi]+", word) else None


# -- a whole text --------------------------------------------------------------------------


def headings(text: str) -> Iterator[Heading]:
    """Find all lines of a text that look like headings, each with the title below it."""
    lines = _lines(text)
    at = 0
    while at < len(lines):
        line = lines[at]
        found = read_heading(line.words) if line.words else None
        if found is None:
            at += 1
            continue
        apart = at == 0 or not lines[at - 1].words or at + 1 >= len(lines) or not lines[at + 1].words
        title = _title_below(lines, at) if found.bare else None
        if title is not None:
            words = plain(lines[title].words).text.strip()
            yield Heading(line.start, lines[title].end, line.number, _titled(found, words), apart)
            at = title + 1
        else:
            yield Heading(line.start, line.end, line.number, found, apart)
            at += 1


def head_end(text: str) -> int:
    """Give where the headings end that a text begins with; 0 where it begins with none.

    A bare number counts here: at the head of an episode it is nothing else.
    """
    end = 0
    for heading in headings(text):
        if text[end : heading.start].strip("\ufeff \t\u3000\r\n"):
            break
        end = heading.end
    return end


def first_heading(text: str) -> str | None:
    """Give the words of the heading that a text begins with; None where it begins with none."""
    end = head_end(text)
    found = [heading for heading in headings(text) if heading.end <= end]
    lowest = max((heading.level for heading in found), default=0)
    return next((heading.title for heading in found if heading.level == lowest), None)


def _titled(found: HeadingLine, title: str) -> HeadingLine:
    """Give a heading the title below it; a number alone says nothing beside one."""
    if found.style in (HeadingStyle.ALONE, HeadingStyle.COUNTED) or (
        found.style is HeadingStyle.NOTED and _is_number(found.title)
    ):
        return replace(found, title=title, bare=False)
    joint = " " if re.search("[\u3041-\u9fff]", found.title) else ": "
    return replace(found, title=found.title.rstrip(".:： ") + joint + title, bare=False)


def _is_number(words: str) -> bool:
    return _ALONE.fullmatch(unicodedata.normalize("NFKC", words)) is not None


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    for number, match in enumerate(_LINE.finditer(text), start=1):
        whole = match.group()
        words = whole.removeprefix("\ufeff").strip()
        indent = whole[: len(whole) - len(whole.lstrip())]
        found.append(_Line(match.start(), match.end(), number, words, indent))
    return found


_LONGEST_TITLE = {"ja": 30, "en": 70}
_NO_TITLE_JA = re.compile("[。、，！？!?「」『』（）…――]|[たるいだうすくぬむ]$")
_SPOKEN_TITLE = re.compile('[「『“"](?P<words>[^「」『』“”"]+)[」』”"]')
_CJK = re.compile("[\u3041-\u30ff\u3400-\u9fff]")
_CAPITAL = re.compile(r"[^\W_]*[A-Z0-9À-Þ]")


def _title_below(lines: list[_Line], at: int) -> int | None:
    """Find the title on a line of its own below a bare heading: short, set off, and text below it."""
    below = at + 1
    while below < len(lines) and not lines[below].words and below - at <= 2:
        below += 1
    if below + 1 >= len(lines) or not lines[below].words or lines[below + 1].words:
        return None
    after = next((lines[place] for place in range(below + 1, len(lines)) if lines[place].words), None)
    line = lines[below]
    if after is None or read_heading(after.words) is not None or read_heading(line.words) is not None:
        return None
    return below if _is_title(line, after) else None


def _is_title(line: _Line, after: _Line) -> bool:
    words = plain(line.words).text.strip()
    if not re.search(r"[^\W\d_]", words):
        return False
    if _CJK.search(words):
        # A paragraph of the story is indented as the next one is.
        is_prose = line.indent == after.indent == "\u3000"
        return len(words) <= _LONGEST_TITLE["ja"] and not _NO_TITLE_JA.search(words) and not is_prose
    return len(words) <= _LONGEST_TITLE["en"] and _is_english_title(words)


def _is_english_title(words: str) -> bool:
    spoken = _SPOKEN_TITLE.fullmatch(words)
    if (
        spoken is None
        and re.search(r"[.!?,;…][”’\"']?$", words)
        and not re.search(r"\b(?:[A-Z]|etc)\.$", words)
    ):
        return False
    body = spoken["words"] if spoken else words
    if spoken and re.search(r"[.!?,;…]$", body):
        return False
    long = [word for word in re.split(r"\s+|--+|[–—]+", body) if len(word) > 3]
    capital = [word for word in long if _CAPITAL.match(word.lstrip("“‘\"'("))]
    return body[:1].upper() == body[:1] and 5 * len(capital) >= 3 * len(long)
