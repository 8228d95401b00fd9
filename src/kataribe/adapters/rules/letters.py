"""Letters that stand in a text, from their salutation to the name they are signed with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.adapters.tellers import StoryTeller
from kataribe.domain.story.inputs import Character, NameKind

_LONGEST = 40
"""Paragraphs a letter has at most."""
_SHORT = 60
"""Characters the line of a signature has at most."""
_OPENS = '[“"「『（(]?\\s*'
_DEAR_EN = re.compile(rf"{_OPENS}(?:My\s+)?(?:[Dd]ear(?:est)?|[Tt]o)\s+[^.!?\n]{{1,40}}?(?:[,:—;]|--|$)")
_DEAR_JA = re.compile(
    f"{_OPENS}(?:拝啓|前略|謹啓|拝復|[^。、「」]{{1,12}}(?:様|さま|殿|君|さん|先生|へ)[、。：:　]?$)"
)
_SIGNED_JA = re.compile('(?:より|拝|敬具|草々|かしこ|[。」』”"\\s])+$')
_FORMAL = re.compile(rf"{_OPENS}(?:拝啓|前略|謹啓|拝復|(?:My\s+)?[Dd]ear(?:est)?\b)")
_CALLED_JA = re.compile("(?:様|さま|殿|君|さん|先生)?へ?[、。：:　]?")
_QUOTED = '“"「『'
_CLOSED = '”"」』'
_EDGES = " 　.,;:—–-“”\"’'「」『』。、（）()"


def letters(passages: Sequence[QuotedPassage], cast: Iterable[Character]) -> dict[int, StoryTeller]:
    """Give for each paragraph of a letter in a scene who writes it, and to whom of the cast."""
    signs = _signatures(cast)
    found: dict[int, StoryTeller] = {}
    for begin, passage in enumerate(passages):
        greeting = None if begin in found else _greeting(passage)
        if greeting is None:
            continue
        named = passage.named_in(passage.start, passage.start + greeting)
        told = frozenset[str]().union(*(mention.ids for mention in named if len(mention.ids) == 1))
        if not (_FORMAL.match(passage.text, passage.start) or (told and _is_whole(passage, named, greeting))):
            continue
        end, writer = _end(passages, begin, signs)
        if writer is not None and writer not in told:
            letter = StoryTeller(frozenset({writer}), told, is_named=False)
            found.update(dict.fromkeys(range(begin, end + 1), letter))
    return found


def _is_whole(passage: QuotedPassage, named: Sequence[Mention], greeting: int) -> bool:
    """Whether a Japanese salutation is a name and what one is called by, and no more: 陸様, not 陸は東へ."""
    if passage.language == "en":
        return True
    rest = passage.text[named[-1].end : passage.start + greeting]
    return _CALLED_JA.fullmatch(rest) is not None and named[0].start - passage.start <= 1


def _end(passages: Sequence[QuotedPassage], begin: int, signs: Mapping[str, str]) -> tuple[int, str | None]:
    """Find the line a letter is signed on, and by whom; None where nobody signs it.

    A letter in quotation marks ends where they close; another is signed outside of any.
    """
    is_quoted = passages[begin].text[passages[begin].start] in _QUOTED
    for end in range(begin + 1, min(begin + _LONGEST, len(passages))):
        above, line = passages[end - 1], passages[end]
        if is_quoted and above.text[above.end - 1] in _CLOSED:
            break
        if not is_quoted and line.text[line.start] in _QUOTED:
            continue
        if (writer := signs.get(_signed(line))) is not None:
            return end, writer
    return begin, None


def _greeting(passage: QuotedPassage) -> int | None:
    """How long the salutation is that a paragraph begins with; None without one."""
    head = passage.text[passage.start : min(passage.end, passage.start + _SHORT)]
    found = (_DEAR_JA if passage.language == "ja" else _DEAR_EN).match(head)
    return None if found is None else found.end()


def _signed(passage: QuotedPassage) -> str:
    """Give a short line as a signature is compared, without what stands around the name."""
    if passage.end - passage.start > _SHORT:
        return ""
    line = passage.text[passage.start : passage.end]
    if passage.language == "ja":
        line = _SIGNED_JA.sub("", line)
    return _compared(line)


def _compared(name: str) -> str:
    return "".join(name.strip(_EDGES).casefold().replace(".", " ").split())


def _signatures(cast: Iterable[Character]) -> dict[str, str]:
    """Give whom a signature names: a name, or the initials of one, that is nobody else's."""
    owners: dict[str, set[str]] = {}
    for one in cast:
        for text in _names(one):
            owners.setdefault(_compared(text), set()).add(one.character_id)
    return {text: next(iter(who)) for text, who in owners.items() if text and len(who) == 1}


def _names(one: Character) -> Iterator[str]:
    for alias in one.called():
        if alias.kind is not NameKind.FIRST_PERSON:
            yield alias.text
            words = alias.text.split()
            if len(words) > 1 and all(word[:1].isupper() for word in words):
                yield "".join(word[0] for word in words)
