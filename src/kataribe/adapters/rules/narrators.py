"""First persons who tell a story: those of the cast, and those whom nobody names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kataribe.adapters.rules.names import Names
from kataribe.adapters.rules.passages import BLANK, QuotedPassage, read_passage
from kataribe.adapters.tellers import NOBODY_TELLS, StoryTeller, is_border, named_tellers
from kataribe.domain.story.audience import decide
from kataribe.domain.text.paragraphs import Span
from kataribe.ports import Source

_LEAST = 3
"""First persons in a narration from which on somebody tells it."""
_SPREAD = {"ja": 1500, "en": 3000}
"""Characters of narration that have one first person at least, where somebody tells it."""

_KANJI = "々㐀-䶿一-鿿"
_FIRST_JA = re.compile(
    f"(?<![{_KANJI}])(?:私|僕|俺|余|吾輩|我輩|拙者)(?:達|たち|ら|等)?(?=[はがもをにのとへ、])"
    "|(?<![ぁ-ゖ])(?:わたし|わたくし|あたし|あたい|ぼく|おれ|おら|わし)(?:たち|ら)?(?=[はがもをにのとへ])"
    "|(?<![ァ-ヺー])(?:ボク|オレ|ワタシ|アタシ)(?:たち|ら)?(?=[はがもをにのとへ])"
)
_FIRST_EN = re.compile(r"\bI\b(?!\.)(?!\s*$)|\bmyself\b")


def first_person_teller(passages: Sequence[QuotedPassage]) -> StoryTeller:
    """Give the one of the cast whose first person the narration is in, if it is in one's alone."""
    owners: Counter[frozenset[str]] = Counter(
        mention.ids for passage in passages for mention in passage.told if mention.first_person
    )
    if len(owners) != 1:
        return NOBODY_TELLS
    (who, count), *_ = owners.items()
    return StoryTeller(who, is_named=False) if len(who) == 1 and count >= _LEAST else NOBODY_TELLS


def unnamed_narrator(source: Source) -> tuple[Span, ...]:
    """Find the parts of a text that a first person tells whom neither cast nor mark names.

    Each span is a part: what lies between two breaks or headings. Raises `InputError` for a
    malformed mark.
    """
    texts = [source.text[start:end] for start, end in source.paragraphs]
    skips = [verdict.skip for verdict in decide(texts, source.annotations)]
    spans = [(start + skip, end) for (start, end), skip in zip(source.paragraphs, skips, strict=True)]
    tellers = named_tellers(source)
    names = Names(source.cast)
    found: list[Span] = []
    for part in _parts(source):
        passages = [
            read_passage(source.text, spans[at], source.language, names.find(source.text, *spans[at]))
            for at in part
            if spans[at][0] < spans[at][1]
        ]
        named = any(tellers[at].who for at in part) or bool(first_person_teller(passages).who)
        if not named and _in_first_person(passages):
            found.append((source.paragraphs[part[0]][0], source.paragraphs[part[-1]][1]))
    return tuple(found)


def _in_first_person(passages: Sequence[QuotedPassage]) -> bool:
    """Whether somebody says I in the narration, again and again."""
    told = [passage for passage in passages if passage.narration.strip(BLANK)]
    if not told:
        return False
    pattern = _FIRST_JA if told[0].language == "ja" else _FIRST_EN
    count = sum(1 for passage in told for _ in pattern.finditer(passage.narration))
    length = sum(len(passage.narration) - passage.narration.count(BLANK) for passage in told)
    return count >= max(_LEAST, length / _SPREAD[told[0].language])


def _parts(source: Source) -> Iterator[list[int]]:
    part: list[int] = []
    for index, (start, end) in enumerate(source.paragraphs):
        if not is_border(source.text[start:end]):
            part.append(index)
        elif part:
            yield part
            part = []
    if part:
        yield part
