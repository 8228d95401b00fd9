"""How prose is cut: paragraphs, scene breaks, brackets and sentences, as spans of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kataribe.domain.terms import Language
from kataribe.domain.text.headings import HeadingStyle, read_heading
from kataribe.errors import InputError

Span = tuple[int, int]
"""Character positions [start, end) in a text."""

_PAIRS = {
    "「": "」", "『": "』", "（": "）", "“": "”", "‘": "’", '"': '"', "'": "'", "(": ")", "[": "]",
    "【": "】", "〔": "〕", "［": "］", "〈": "〉", "《": "》", "«": "»",
}  # fmt: skip
_OPENERS_OF = {closer: opener for opener, closer in _PAIRS.items()}
_BRACKETS = re.compile("[" + re.escape("".join({*_PAIRS, *_OPENERS_OF})) + "]")
_CLOSERS = "”’」』）)\"'"
QUOTES = frozenset("「『“‘\"'«")
"""What opens quoted speech."""
_STANDALONE = QUOTES | {"（", "("}

_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_FINAL = re.compile(r"[.!?:;…—\])}>”’\"'»*_~|]$")
_HEAD = re.compile(r"(?:chapter|part|book|act|scene|episode)\b|#", re.IGNORECASE)
# What begins a line of its own: a list item, a mark, a speaker's label in a log.
_FRESH = re.compile(r"[-*+•>|#]\s|\d+[.)]\s|\[\[|#|\w[\w.'’-]*(?: \w[\w.'’-]*){0,2}:\s")
_MAX_HEADING = 60

_BREAKS = frozenset("*＊#＃☆★◇◆○●□■△▲▽▼◎※†‡§×✕♦♢♡♥⁂✦✧❖·•＝〓")
_RULES = frozenset("-‐‑–—―─━=_~〜～+－＿")
_MAX_BREAK = 80
_MIN_RULE = 3

_RUN = re.compile("[。．.！!？?…‥]+")
_LINE_ENDS = re.compile(r"\r\n|[\r\n]")
_PRONOUN = re.compile(r"I\b")
# Particles and the copula: what goes on with a sentence after 」 or ！, and not the words
# that merely begin like them (ところ, はい, もう ...).
_GOES_ON = re.compile(
    "と(?!ころ|き|つぜん|うとう|にかく|もかく|ても|りあえず|たん|なり|っさ|おく|うぜん|ある)"
    "|って|など|なん[てか]|なら|ほど|くらい|ぐらい|だけ|ばかり|から(?!から|だ)|まで|より|だ(?!れ|が|ん)|です"
    "|の(?!ろ|び|ど|ち)|が(?!た|ら|ば|さ|ち|っ)|は(?!い|っ|じ|る|や|な|ら)|を|に(?!わか|や|こ|ぎ|っ)"
    "|も(?!う|し|の|っ|ち|ぐ|と)|へ(?!や|ん)|で(?!も|は|す)|や(?!が|っ|は|さ|ま)|か(?!れ|の|つ|ら)"
    "|[、，,：:]|(?:云|言)(?:う|わ|っ)"
)

_SHORT = (
    "mr mrs ms dr st prof rev hon capt col gen lt sgt cpl maj messrs mme mlle mt fr esq gov pres "
    "sen rep adm cmdr supt insp e.g i.e cf vs viz ca approx eg ie"
)
_TITLES = frozenset(_SHORT.split())
# These end a sentence unless something of theirs follows.
_MAYBE = frozenset(
    {"etc", "al", "inc", "ltd", "co", "corp", "jr", "sr", "a.m", "p.m", "u.s", "u.k", "ph.d", "b.c"}
)
# These end none before a number.
_NUMBERED = frozenset({"no", "nos", "vol", "vols", "fig", "figs", "p", "pp", "ch", "art", "sec", "op"})
_WORD_BEFORE = re.compile(r"[^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*$")
_LONGEST_ABBREVIATION = 12


_HEADING = re.compile(r"#{1,6}[ \t\u3000]+\S")


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is a heading: it names what follows and tells nothing itself."""
    if "\n" in paragraph:
        return False
    if _HEADING.match(paragraph) is not None:
        return True
    found = read_heading(paragraph)
    # `1. The Inn` may be an item of a list, and such a list is told.
    return found is not None and found.style is not HeadingStyle.LISTED


def is_scene_break(line: str) -> bool:
    """Whether a line only parts two scenes, as `＊`, `* * *`, `◇` and `---` do."""
    signs = "".join(line.split())
    if not signs or len(line) > _MAX_BREAK:
        return False
    if all(sign in _BREAKS for sign in signs):
        return True
    # A dash or two is a beat of silence in dialogue; three are a rule across the page.
    return len(signs) >= _MIN_RULE and all(sign in _RULES or sign in _BREAKS for sign in signs)


def paragraphs(text: str) -> tuple[Span, ...]:
    """Cut a text into its paragraphs: one a line, save that hard-wrapped Latin lines are joined."""
    found: list[Span] = []
    at = 0
    above = ""
    for line in text.splitlines(keepends=True):
        body = line.strip()
        if body:
            start = at + line.index(body[0]) if line[0].isspace() else at
            if above and _runs_on(above, body):
                found[-1] = (found[-1][0], start + len(body))
            else:
                found.append((start, start + len(body)))
        above = body
        at += len(line)
    return tuple(found)


def given_paragraphs(text: str, texts: Sequence[str]) -> tuple[Span, ...]:
    """Find an author's paragraphs in the text, one after another; raise `InputError` for one not there."""
    found: list[Span] = []
    at = 0
    for number, given in enumerate(texts, start=1):
        body = given.strip()
        start = text.find(body, at) if body else -1
        if start < 0:
            head = body if len(body) <= 40 else f"{body[:40]}..."
            raise InputError(
                f"paragraph {number} ({head!r}) does not stand in the episode's text after the one before it"
                if body
                else f"paragraph {number} is empty; leave it out"
            )
        at = start + len(body)
        found.append((start, at))
    return tuple(found)


def episode_paragraphs(text: str, cuts: Sequence[tuple[str, str]] | None) -> tuple[Span, ...]:
    """Cut an episode's text as its author did, (paragraph id, text) each; else as `paragraphs` does.

    Raises `InputError` for a paragraph that does not stand in the text.
    """
    return paragraphs(text) if cuts is None else given_paragraphs(text, [given for _, given in cuts])


def brackets(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Find the outermost balanced brackets and quotation marks between `start` and `end`.

    One that is never closed (or never opened) is passed over.
    """
    stack: list[tuple[int, str]] = []
    open_count: dict[str, int] = {}
    pairs: list[Span] = []
    for match in _BRACKETS.finditer(text, start, end):
        sign, at = match.group(), match.start()
        opener = _opener(text, start, end, at, sign, open_count)
        if opener is None:
            if sign in _PAIRS and (sign not in "\"'" or _may_open(text, start, end, at, sign)):
                stack.append((at, sign))
                open_count[sign] = open_count.get(sign, 0) + 1
            continue
        while stack:
            place, inner = stack.pop()
            open_count[inner] -= 1
            if inner == opener:
                pairs.append((place, at + 1))
                break
    return _outermost(pairs)


def sentences(text: str, start: int, end: int, language: Language) -> tuple[Span, ...]:
    """Cut a paragraph into sentences; what stands in brackets is never cut.

    Dialogue that stands on its own is a sentence. Abbreviations, initials and numbers end none.
    """
    pairs = dict(brackets(text, start, end))
    cased = any(char.isupper() for char in text[start:end])
    found: list[Span] = []
    begin = at = _skip(text, start, end)
    stops = _stops(text, start, end, pairs)
    for place in stops:
        if place < at:
            continue
        if place in pairs:
            at = pairs[place]
            over = _closes(text, end, pairs, (begin, place), cased)
        elif text[place] in "\r\n":
            at = _skip(text, place, end)
            # A verse or a list in Japanese; in English a line is only as wide as the page.
            over = language == "ja" or "\n" in text[place:at].replace("\r\n", "\n")[1:]
        else:
            at = _tail(text, place, end, pairs)
            over = _ends(text, (place, at), end, pairs, cased)
        if over:
            found.append((begin, _rstrip(text, begin, at)))
            begin = at = _skip(text, at, end)
    if begin < end and (last := _rstrip(text, begin, end)) > begin:
        found.append((begin, last))
    return tuple(span for span in found if span[1] > span[0])


def _runs_on(above: str, below: str) -> bool:
    """Whether the line below goes on with the one above, as it does on a page of fixed width."""
    if _FINAL.search(above) or _FRESH.match(below) or _CJK.search(above) or _CJK.search(below):
        return False
    return not (_is_heading(above) or _is_heading(below) or is_scene_break(above) or is_scene_break(below))


def _is_heading(line: str) -> bool:
    if len(line) > _MAX_HEADING:
        return False
    if _HEAD.match(line) or (line.isupper() and len(line) > 1):
        return True
    # At least two words, so that a name alone on a short line still joins its sentence.
    words = [word for word in line.split() if len(word) > 3]
    return len(words) > 1 and all(word[0].isupper() for word in words) and not line.endswith(",")


def _opener(text: str, start: int, end: int, at: int, sign: str, open_count: dict[str, int]) -> str | None:
    """The bracket that `sign` closes here, or None when it closes nothing."""
    opener = _OPENERS_OF.get(sign)
    if opener is None or not open_count.get(opener):
        return None
    after = text[at + 1] if at + 1 < end else " "
    before = text[at - 1] if at > start else " "
    if sign == "’" and after.isalpha():
        return None
    if sign == "'" and (after.isalnum() or before not in ".,!?…-—*"):
        return None
    if sign == '"' and before.isspace() and not after.isspace():
        return None
    return opener


def _may_open(text: str, start: int, end: int, at: int, sign: str) -> bool:
    before = text[at - 1] if at > start else " "
    after = text[at + 1] if at + 1 < end else " "
    if after.isspace():
        return False
    if sign == "'":
        return (before.isspace() or before in '(“"—-') and after.isalpha()
    return not before.isalnum() or bool(_CJK.match(before))


def _outermost(pairs: list[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    for pair in sorted(pairs):
        if not kept or pair[0] >= kept[-1][1]:
            kept.append(pair)
    return tuple(kept)


def _stops(text: str, start: int, end: int, pairs: dict[int, int]) -> list[int]:
    """Places where a sentence might end: stops, line ends and opening brackets, in order."""
    places = [match.start() for match in _RUN.finditer(text, start, end)]
    places += pairs
    places += [match.start() for match in _LINE_ENDS.finditer(text, start, end)]
    return sorted(places)


def _skip(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _rstrip(text: str, start: int, at: int) -> int:
    while at > start and text[at - 1].isspace():
        at -= 1
    return at


def _tail(text: str, at: int, end: int, pairs: dict[int, int]) -> int:
    """Where a run of stops ends, closing marks that close nothing counted in."""
    match = _RUN.match(text, at, end)
    at = match.end() if match else at + 1
    while at < end and text[at] in _CLOSERS and at not in pairs:
        at += 1
    return at


def _closes(text: str, end: int, pairs: dict[int, int], where: Span, cased: bool) -> bool:
    """Whether the bracket opened at `where[1]`, in a sentence begun at `where[0]`, ends that sentence."""
    begin, opened = where
    closed = pairs[opened]
    after = _skip(text, closed, end)
    if text[opened] not in _STANDALONE or after >= end or _RUN.match(text, after, end):
        return False
    alone = begin == opened
    if after in pairs and text[after] in _STANDALONE:
        return alone
    if _CJK.match(text[after]):
        return alone and not _GOES_ON.match(text, after, end)
    inside = text[opened + 1 : closed - 1].rstrip(_CLOSERS + " ")
    return inside[-1:] in tuple(".!?…—") and after > closed and _is_fresh(text[after], cased)


def _is_fresh(char: str, cased: bool) -> bool:
    """Whether a sentence could begin with `char`; in a text without capitals any may."""
    return not cased or not char.islower()


def _ends(text: str, where: Span, end: int, pairs: dict[int, int], cased: bool) -> bool:
    """Whether the stops at `where` end the sentence."""
    place, at = where
    after = _skip(text, at, end)
    if after >= end:
        return True
    run = text[place:at].rstrip(_CLOSERS)
    if "。" in run or ("．" in run and not text[after].isdigit()):
        return True
    follow = text[after + 1 : after + 2] if after in pairs else text[after]
    apart = after > at
    if not run.strip("….‥") and len(run.replace("…", "..").replace("‥", "..")) > 1:
        return apart and follow.isupper() and not _PRONOUN.match(text, after)
    if run == ".":
        return _full_stop(text, where, after, follow, cased)
    if _CJK.match(follow):
        return apart or not _GOES_ON.match(text, after, end)
    return (apart or after in pairs) and _is_fresh(follow, cased)


def _full_stop(text: str, where: Span, after: int, follow: str, cased: bool) -> bool:
    """Whether a single `.` ends the sentence: not in 3.14, after Mr. or among initials."""
    place, at = where
    match = _WORD_BEFORE.search(text[max(0, place - _LONGEST_ABBREVIATION) : place])
    word = match.group() if match else ""
    if after == at and not _CJK.match(follow):
        return False
    if word.casefold() in _NUMBERED:
        return not follow.isdigit()
    if word.casefold() in _MAYBE:
        return cased and follow.isupper()
    if word.casefold() in _TITLES or not _is_fresh(follow, cased):
        return False
    initials = word.split(".")
    return word == "I" or not all(len(part) == 1 and part.isupper() for part in initials)
