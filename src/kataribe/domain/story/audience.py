"""From an author's marks and annotations to who may remember each paragraph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.ids import exact_hash
from kataribe.domain.story.inputs import Annotation, Annotations
from kataribe.domain.terms import NOBODY, PUBLIC, Audience, known_by
from kataribe.domain.text.paragraphs import is_scene_break
from kataribe.errors import InputError

_BEGINS = re.compile(r"\[\[[ \t]*known[-_ ]by\b|【[ \t\u3000]*知る者", re.IGNORECASE)
_WHOLE = re.compile(
    r"\[\[[ \t]*known[-_ ]by[ \t]*[:：](?P<en>[^\[\]\r\n]*)\]\]"
    r"|【[ \t\u3000]*知る者[ \t\u3000]*[:：](?P<ja>[^【】\r\n]*)】",
    re.IGNORECASE,
)
_NARRATOR_BEGINS = re.compile(r"\[\[[ \t]*narrator\b|【[ \t\u3000]*語り手", re.IGNORECASE)
_NARRATOR_WHOLE = re.compile(
    r"\[\[[ \t]*narrator[ \t]*[:：](?P<en>[^\[\]\r\n]*)\]\]"
    r"|【[ \t\u3000]*語り手[ \t\u3000]*[:：](?P<ja>[^【】\r\n]*)】",
    re.IGNORECASE,
)
_TOLD_TO = re.compile("[>＞→]")
_SEPARATORS = re.compile("[,，、]")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_EVERYBODY = frozenset({"public", "全員"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceMark:
    """An author's word inside the text, `text[start:end]`, on who may remember what follows."""

    start: int
    end: int
    audience: Audience
    own_line: bool
    """True when it stands alone on its line: it holds until the next such line or scene break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorMark:
    """An author's word inside the text, `text[start:end]`, on who tells what follows.

    At the head of an episode it holds for all of it, at the head of a part for that part. With
    `told_to` the part is a telling: a letter, a diary, a testimony.
    """

    start: int
    end: int
    narrator: str
    told_to: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the author decided for one paragraph; `audience` None leaves it to be guessed."""

    audience: Audience | None = None
    changed: bool = False
    """True for a paragraph written since the annotations were given: never the world's."""
    skip: int = 0
    """How many characters at the paragraph's beginning are a mark, and no part of a fact."""


UNDECIDED = Verdict()


def paragraph_hash(text: str) -> str:
    """Hash a paragraph byte for byte, to bind an annotation to it; blanks around it are not part of it."""
    return exact_hash(text.strip())


def marks(text: str) -> tuple[AudienceMark, ...]:
    """Find the inline marks of a text; raise `InputError` for one that is malformed or names nobody."""
    found: list[AudienceMark] = []
    for begun in _BEGINS.finditer(text):
        line = text.count("\n", 0, begun.start()) + 1
        whole = _WHOLE.match(text, begun.start())
        if whole is None:
            raise InputError(f"line {line}: {_snippet(text, begun.start())} is known by nobody: {_HOW}")
        head, tail = _line_around(text, whole.start(), whole.end())
        if head.strip():
            raise InputError(f"line {line}: {whole.group()!r} stands inside a line; {_WHERE}")
        found.append(
            AudienceMark(
                start=whole.start(),
                end=whole.end(),
                audience=_audience(whole, line),
                own_line=not tail.strip(),
            )
        )
    return tuple(found)


def narrator_marks(text: str) -> tuple[NarratorMark, ...]:
    """Find the marks that name a narrator; raise `InputError` for one that is malformed or names nobody."""
    found: list[NarratorMark] = []
    for begun in _NARRATOR_BEGINS.finditer(text):
        line = text.count("\n", 0, begun.start()) + 1
        whole = _NARRATOR_WHOLE.match(text, begun.start())
        if whole is None:
            raise InputError(
                f"line {line}: {_snippet(text, begun.start())} names no narrator: {_HOW_NARRATOR}"
            )
        if _line_around(text, whole.start(), whole.end())[0].strip():
            raise InputError(f"line {line}: {whole.group()!r} stands inside a line; {_WHERE}")
        found.append(_narrator(whole, line))
    return tuple(found)


def is_marked(text: str) -> bool:
    """Whether an author's mark stands in a text; raise `InputError` for one that is malformed."""
    return bool(marks(text)) | bool(narrator_marks(text))


def marked_ids(text: str) -> frozenset[str]:
    """Give the ids of the characters named in a text's marks."""
    known = {member for mark in marks(text) for member in mark.audience.members}
    telling = {member for mark in narrator_marks(text) for member in (mark.narrator, *mark.told_to)}
    return frozenset(known | telling)


def with_mark_renamed(text: str, old: str, new: str) -> str:
    """Give the text with a character's id replaced in its marks, all else as it is.

    Raises `InputError` for a new id that a mark cannot name.
    """
    pieces: list[str] = []
    at = 0
    named = [(mark.start, mark.end, mark.audience.members) for mark in marks(text)]
    named += [(mark.start, mark.end, mark.told_to | {mark.narrator}) for mark in narrator_marks(text)]
    for start, end, members in sorted(named, key=lambda each: each[0]):
        if old in members:
            pieces += [text[at:start], _renamed(text[start:end], old, new)]
            at = end
    renamed = "".join([*pieces, text[at:]])
    if _members(renamed) != _members(text, {old: new}):
        raise InputError(f"a mark in a text cannot name {new!r}; choose another id")
    return renamed


def _members(text: str, called: Mapping[str, str] | None = None) -> list[frozenset[str]] | None:
    """Give whom each mark names, by the ids they are `called` now; None where one is malformed."""
    names = called or {}
    try:
        named = [mark.audience.members for mark in marks(text)]
        for mark in narrator_marks(text):
            named += [frozenset({mark.narrator}), mark.told_to]
    except InputError:
        return None
    return [frozenset(names.get(one, one) for one in members) for members in named]


def _renamed(mark: str, old: str, new: str) -> str:
    """Give a mark with one of its names replaced, blanks and separators as they are."""
    whole = _WHOLE.match(mark) or _NARRATOR_WHOLE.match(mark)
    assert whole is not None
    start, end = whole.span("en" if whole["en"] is not None else "ja")
    parted = (
        f"({_SEPARATORS.pattern})" if _WHOLE.match(mark) else f"({_SEPARATORS.pattern}|{_TOLD_TO.pattern})"
    )
    names = re.split(parted, mark[start:end])
    said = [name.replace(old, new) if name.strip() == old else name for name in names]
    return mark[:start] + "".join(said) + mark[end:]


def decide(paragraph_texts: Sequence[str], annotations: Annotations) -> tuple[Verdict, ...]:
    """Say for each paragraph what the author decided: a mark before a row, a row before the episode's."""
    found = _by_rows(paragraph_texts, annotations)
    _spread_marks(paragraph_texts, found)
    settled = tuple(verdict.audience if not verdict.changed else None for verdict in found)
    before = _nearest(settled)
    after = _nearest(settled[::-1])[::-1]
    for index, verdict in enumerate(found):
        if verdict.changed:
            found[index] = replace(verdict, audience=_narrowest(before[index], after[index]))
    for index, text in enumerate(paragraph_texts):
        if (skip := _narrator_skip(text)) > found[index].skip:
            found[index] = replace(found[index], skip=skip)
    return tuple(found)


_HOW = "write [[known-by: a, b]], or [[known-by: public]] (【知る者：a、b】, 【知る者：全員】)"
_HOW_NARRATOR = (
    "write [[narrator: a]], or [[narrator: a > b, c]] for what a tells b and c (【語り手：a】, "
    "【語り手：a→b、c】)"
)
_WHERE = "put it at the beginning of a paragraph or on a line of its own"


def _snippet(text: str, at: int) -> str:
    return repr(text[at : at + 40].splitlines()[0])


def _line_around(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands on the line before and after a mark."""
    begin = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    rest = _REST_OF_LINE.match(text, end)
    return text[begin:start], rest.group() if rest else ""


def _audience(mark: re.Match[str], line: int) -> Audience:
    names = [name.strip() for name in _SEPARATORS.split(mark["en"] if mark["en"] is not None else mark["ja"])]
    if not all(names):
        raise InputError(f"line {line}: {mark.group()!r} is known by nobody: {_HOW}")
    everybody = [name.casefold() in _EVERYBODY for name in names]
    if not any(everybody):
        return known_by(*names)
    if len(names) > 1:
        raise InputError(f"line {line}: {mark.group()!r} names the public and others; {_HOW}")
    return PUBLIC


def _narrator(mark: re.Match[str], line: int) -> NarratorMark:
    inside = mark["en"] if mark["en"] is not None else mark["ja"]
    narrator, *told = _TOLD_TO.split(inside)
    told_to = [name.strip() for each in told for name in _SEPARATORS.split(each)]
    names = [narrator.strip(), *told_to]
    if len(told) > 1 or _SEPARATORS.search(narrator) or not all(names):
        raise InputError(f"line {line}: {mark.group()!r} does not name one narrator: {_HOW_NARRATOR}")
    if any(name.casefold() in _EVERYBODY for name in names):
        raise InputError(f"line {line}: {mark.group()!r} names the public; {_HOW_NARRATOR}")
    who = known_by(*names).members
    return NarratorMark(start=mark.start(), end=mark.end(), narrator=names[0], told_to=who - {names[0]})


def _narrator_skip(paragraph: str) -> int:
    """How much of a paragraph's beginning is a mark that names a narrator."""
    found = narrator_marks(paragraph)
    if not found:
        return 0
    last = found[-1]
    if paragraph[: last.start].strip():
        raise InputError(f"{paragraph[last.start : last.end]!r} stands inside a paragraph; {_WHERE}")
    return last.end


def _by_rows(paragraph_texts: Sequence[str], annotations: Annotations) -> list[Verdict]:
    """Verdicts out of the annotations' rows alone."""
    by_hash: dict[str, list[Annotation]] = {}
    episode: Audience | None = None
    for row in annotations.rows:
        if row.paragraph_hash is not None:
            by_hash.setdefault(row.paragraph_hash, []).append(row)
        elif row.paragraph_id is None:
            episode = row.audience
    base = Counter(annotations.base)
    seen: Counter[str] = Counter()
    found: list[Verdict] = []
    for text in paragraph_texts:
        if is_scene_break(text):
            found.append(UNDECIDED)
            continue
        key = paragraph_hash(text)
        rows = by_hash.get(key, [])
        number = seen[key]
        seen[key] += 1
        if rows and number >= max(len(rows), base[key]):
            # A copy made since: it says what the annotated one says.
            number = len(rows) - 1
        if number < len(rows):
            found.append(Verdict(audience=rows[number].audience))
        elif by_hash and key not in base:
            found.append(Verdict(changed=True))
        else:
            found.append(Verdict(audience=episode))
    return found


def _spread_marks(paragraph_texts: Sequence[str], found: list[Verdict]) -> None:
    """Put what the marks say in the place of what the rows say."""
    holding: Audience | None = None
    for index, text in enumerate(paragraph_texts):
        if is_scene_break(text):
            holding = None
            continue
        mark = _mark_of(text)
        if mark is not None and mark.own_line:
            holding = mark.audience
        audience = mark.audience if mark is not None else holding
        if audience is not None:
            found[index] = Verdict(audience=audience, skip=mark.end if mark is not None else 0)


def _mark_of(paragraph: str) -> AudienceMark | None:
    found = marks(paragraph)
    if not found:
        return None
    last = found[-1]
    if paragraph[: last.start].strip():
        raise InputError(f"{paragraph[last.start : last.end]!r} stands inside a paragraph; {_WHERE}")
    return last


def _nearest(settled: Sequence[Audience | None]) -> tuple[Audience | None, ...]:
    """For each place the last audience settled before it."""
    last: Audience | None = None
    found: list[Audience | None] = []
    for audience in settled:
        found.append(last)
        last = audience if audience is not None else last
    return tuple(found)


def _narrowest(left: Audience | None, right: Audience | None) -> Audience | None:
    """The narrowest of two neighbours, never the world: None when that is all there is."""
    named = [audience for audience in (left, right) if audience is not None and not audience.world]
    if not named:
        return None
    members = frozenset.intersection(*(audience.members for audience in named))
    return Audience(members=members) if members else NOBODY
