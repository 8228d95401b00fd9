"""The signs of each paragraph: who speaks, is called, acts, is touched or is only told of in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import IntEnum

from kataribe.adapters.rules.deeds import Deed, deed_of
from kataribe.adapters.rules.inner import precedes_thought, thinker_named
from kataribe.adapters.rules.movements import arrives, leaves, settles
from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.adapters.rules.presence import is_called, thought_of
from kataribe.domain.evidence import EvidenceKind
from kataribe.domain.text.paragraphs import Span


class Sign(IntEnum):
    """What a paragraph says of somebody's presence, the weakest first."""

    ABSENT = 0
    NAMED = 1
    TOLD = 2
    TOUCHED = 3
    MEANT = 4
    """A pronoun can mean nobody else."""
    CALLED = 5
    HEARD = 6
    """Is told something in the narration."""
    ACTED = 7
    THOUGHT = 8
    SPOKE = 9

    @property
    def is_strong(self) -> bool:
        """Whether somebody with this sign is there."""
        return self >= Sign.ACTED

    @property
    def evidence(self) -> EvidenceKind:
        """What this sign is evidence of; whatever tells no more, of being there."""
        return _EVIDENCE.get(self, EvidenceKind.PRESENT)


_EVIDENCE = {
    Sign.SPOKE: EvidenceKind.SPOKE,
    Sign.THOUGHT: EvidenceKind.INNER,
    Sign.ACTED: EvidenceKind.ACTED,
    Sign.CALLED: EvidenceKind.ADDRESSED,
    Sign.HEARD: EvidenceKind.ADDRESSED,
    Sign.TOUCHED: EvidenceKind.ADDRESSED,
}

_OF_DEED = {
    Deed.ABSENT: Sign.ABSENT,
    Deed.NAMED: Sign.NAMED,
    Deed.TOLD: Sign.TOLD,
    Deed.TOUCHED: Sign.TOUCHED,
    Deed.HEARD: Sign.HEARD,
    Deed.ACTED: Sign.ACTED,
}


@dataclass(slots=True)
class Signs:
    """The signs of one character in one paragraph."""

    best: Sign = Sign.ABSENT
    count: int = 0
    """How many strong ones."""
    came: bool = False
    left: bool = False
    settled: bool = False
    """Takes a place, sits or lies: stays without another word."""
    by_sentence: dict[int, Sign] = field(default_factory=dict)
    """The best sign in each sentence, by where the sentence begins."""

    def add(self, sign: Sign, sentence: int) -> None:
        """Take one more sign."""
        self.best = max(self.best, sign)
        self.count += sign.is_strong
        self.by_sentence[sentence] = max(self.by_sentence.get(sentence, sign), sign)

    def cap(self, sign: Sign) -> None:
        """Take nothing for more than a sign: what they are told to do they do in somebody's mind."""
        self.best, self.count, self.left = min(self.best, sign), 0, False
        self.settled = False
        self.by_sentence = {sentence: min(one, sign) for sentence, one in self.by_sentence.items()}


def signs_of(
    passage: QuotedPassage, inner: Set[Span], speakers: Mapping[int, Mention], *, in_present: bool = False
) -> dict[str, Signs]:
    """Give the signs of a paragraph by character; a name that two share is nobody's.

    `in_present` says that the narration of an English text is in the present tense.
    """
    found: dict[str, Signs] = {}
    for mention in passage.told:
        if len(mention.ids) == 1:
            _told(found.setdefault(_owner(mention), Signs()), passage, mention, inner, in_present)
    for who in thought_of(passage):
        if who in found and not found[who].came:
            found[who].cap(Sign.TOLD)
    for quote in passage.quotes:
        sentence = passage.sentence_at(quote[0])
        if sentence in inner:
            continue
        speaker = speakers.get(quote[0])
        if speaker is not None and len(speaker.ids) == 1:
            found.setdefault(_owner(speaker), Signs()).add(Sign.SPOKE, sentence[0])
        for mention in passage.named_in(*quote):
            if len(mention.ids) == 1 and is_called(passage, quote, mention):
                found.setdefault(_owner(mention), Signs()).add(Sign.CALLED, sentence[0])
    return found


def _told(signs: Signs, passage: QuotedPassage, mention: Mention, inner: Set[Span], in_present: bool) -> None:
    sentence = passage.sentence_at(mention.start)
    if sentence in inner and not mention.first_person and not precedes_thought(passage, sentence, mention):
        # Whoever is thought of may be far away; only the thinker is here.
        if thinker_named(passage, sentence)[0] == mention:
            signs.add(Sign.THOUGHT, sentence[0])
        return
    signs.add(_OF_DEED[deed_of(passage, mention, in_present=in_present)], sentence[0])
    signs.came = signs.came or arrives(passage, mention)
    signs.left = leaves(passage, mention)
    signs.settled = not signs.left and (signs.settled or settles(passage, mention))


def _owner(mention: Mention) -> str:
    return next(iter(mention.ids))


def people(signs: Sequence[Mapping[str, Signs]]) -> tuple[str, ...]:
    """Give everybody with a sign that may be one of presence, by id."""
    return tuple(sorted({who for each in signs for who, one in each.items() if one.best > Sign.ABSENT}))
