"""Presence as intervals: from the first sign of somebody to the last, until they leave."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import accumulate
from typing import NamedTuple

from kataribe.adapters.rules.confidence import Around, confidence_of
from kataribe.adapters.rules.movements import breaks_up, gathers, leaves_alone, moves, one_leaves, shifts
from kataribe.adapters.rules.passages import QuotedPassage
from kataribe.adapters.rules.pronouns import means_one, tells_of_us
from kataribe.adapters.rules.signs import Sign, Signs, people
from kataribe.adapters.rules.turns import by_turns, runs
from kataribe.domain.evidence import EvidenceKind

_UNIT = {"ja": 100, "en": 260}
"""Characters of text that count as one step away from a sign."""
_LEAST_STEP = 0.34
_BETWEEN = ((6.0, Around.CLOSE), (12.0, Around.WITHIN), (25.0, Around.APART))
_SINCE = ((3.0, Around.JUST), (12.0, Around.SINCE))
_UNTIL = ((3.0, Around.SOON),)
_STAY = 1
"""So often may somebody go elsewhere before who took a place is thought to have gone along."""
_BESIDE = 6.0
"""Within so many steps a strong sign confirms a weaker one."""
_LEAST = 3
"""Somebody must act in so many paragraphs for the scene to follow them."""
_BEFORE_TALK = 4.0
"""Within so many steps before a conversation somebody may have joined it."""
_ATTEND = 6
"""Within so many paragraphs of the word for a meeting several are told of who attend it."""
_PAGES = 25.0
_SEVERAL = 4
_FAR = frozenset({Around.APART, Around.DISTANT})


class PresenceGuess(NamedTuple):
    """How somebody is taken to be in a paragraph, and the sort of guess this is."""

    evidence: EvidenceKind
    confidence: float
    sign: str
    around: Around
    is_focus: bool

    @property
    def cell(self) -> str:
        """Name the sort, to measure it by."""
        return f"{'focus' if self.is_focus else 'other'} {self.sign} {self.around.value}"


class PresenceLine:
    """Who is there in each paragraph of a scene."""

    def __init__(
        self,
        passages: Sequence[QuotedPassage],
        signs: Sequence[Mapping[str, Signs]],
        told: Sequence[Set[str]] | None = None,
    ) -> None:
        """Read the scene; `told` says for each paragraph who tells it: their presence is no question."""
        self._passages = passages
        self._signs = signs
        self._in_turn = _take_turns(passages, signs)
        self._acts = _acts(passages)
        self._at = _places(passages)
        self._moved = [0, *accumulate(int(moves(passage)) for passage in passages)]
        self._lines = {line: number for number, run in enumerate(runs(passages)) for line in run}
        tellers = frozenset().union(*told) if told else frozenset()
        ranked = [] if tellers else _ranked(signs)
        self.focus = ranked[0][0] if ranked and ranked[0][1] >= _LEAST else None
        self._is_alone_in_focus = len(ranked) < 2 or ranked[0][1] >= 2 * ranked[1][1]
        self._gone: dict[int, set[str]] = {}
        self._meant = self._pronouns(tellers)
        self._farewells = sorted(self._gone)
        self._partner = self._partners(tellers)
        self._seats = _seats(signs)
        self._meetings = _meetings(passages, signs, self._acts)
        self._mused = _mused(passages, told, self._lines)
        self.guesses: tuple[dict[str, PresenceGuess], ...] = tuple({} for _ in passages)
        for who in people(signs):
            if who not in tellers:
                self._follow(who)

    @property
    def point_of_view(self) -> str | None:
        """Whose thoughts are told, where nobody else does nearly as much."""
        return self.focus if self._is_alone_in_focus else None

    def _follow(self, who: str) -> None:
        """Walk through the scene with one of those named in it."""
        anchors = self._anchors(who)
        places = [self._at[anchor] for anchor in anchors]
        after = 0
        for index, at in enumerate(self._at):
            while after < len(anchors) and anchors[after] <= index:
                after += 1
            is_here = after > 0 and anchors[after - 1] == index
            back = anchors[after - 1 - is_here] if after - is_here > 0 else None
            ahead = anchors[after] if after < len(anchors) else None
            around = self._around(who, index, back, ahead)
            if around in _FAR and back is not None and ahead is not None:
                near = bisect_right(places, at + _PAGES) - bisect_left(places, at - _PAGES)
                around = Around.STEADY if near >= _SEVERAL else around
                if self._moved[ahead] - self._moved[back + 1]:
                    around = Around.STRAYED if around is Around.DISTANT else Around.ROVING
                    is_seated = self._meets(back, index) or self._seat(who, index) is not None
                    around = Around.SEATED if is_seated else around
            if around is not Around.ALONE or who in self._signs[index]:
                self.guesses[index][who] = self._guess(who, index, around)

    def _pronouns(self, tellers: Set[str]) -> dict[int, str]:
        """Find whom a pronoun means in paragraphs that name nobody: the only one about of late.

        Who goes away unnamed is noted on the way.
        """
        found: dict[int, str] = {}
        late: dict[str, int] = {}
        for index, passage in enumerate(self._passages):
            late = {
                who: at
                for who, at in late.items()
                if self._same(at, index) and self._at[index] - self._at[at] <= _BESIDE
            }
            named = self._signs[index].keys() - tellers
            if not named and len(late) == 1 and means_one(passage):
                found[index] = next(iter(late))
            for who in named:
                if self._signs[index][who].left:
                    late.pop(who, None)
                elif self._signs[index][who].best.is_strong:
                    late[who] = index
            if leaves_alone(passage) or (len(late) == 1 and not named and one_leaves(passage)):
                gone = late.keys() - {self.focus}
                self._gone[index] = gone | self._gone.get(index, set())
                late = {who: at for who, at in late.items() if who not in gone}
        return found

    def _partners(self, tellers: Set[str]) -> dict[int, str]:
        """Find for the lines of conversations whom they are with, where one alone is about.

        Narrators and whom the scene goes along with do not count: they are the other party.
        """
        found: dict[int, str] = {}
        for run in runs(self._passages):
            begin = run[0]
            while (
                begin
                and self._same(begin - 1, run[0])
                and self._at[run[0]] - self._at[begin - 1] <= _BEFORE_TALK
            ):
                begin -= 1
            about: set[str] = set()
            for index in range(begin, run[-1] + 1):
                for who in self._signs[index].keys() - tellers - {self.focus}:
                    if self._signs[index][who].left and index < run[0]:
                        about.discard(who)
                    elif self._signs[index][who].best.is_strong:
                        about.add(who)
            if len(about) == 1:
                found.update(dict.fromkeys(run, next(iter(about))))
        return found

    def _anchors(self, who: str) -> list[int]:
        """Where somebody surely is: the strong signs, and weaker ones close to them."""
        strong = [
            index for index, signs in enumerate(self._signs) if who in signs and signs[who].best.is_strong
        ]
        weak = [
            index
            for index, signs in enumerate(self._signs)
            if who in signs
            and signs[who].best in (Sign.TOLD, Sign.TOUCHED, Sign.CALLED, Sign.HEARD)
            and self._is_by(index, strong)
        ]
        meant = [index for index, one in self._meant.items() if one == who]
        return sorted({*strong, *weak, *meant})

    def _is_by(self, index: int, strong: Sequence[int]) -> bool:
        place = bisect_left(strong, index)
        near = strong[max(place - 1, 0) : place + 1]
        return any(
            self._acts[one] == self._acts[index] and abs(self._at[one] - self._at[index]) <= _BESIDE
            for one in near
        )

    def _guess(self, who: str, index: int, around: Around) -> PresenceGuess:
        own = self._signs[index].get(who)
        if own is None and who in self._in_turn[index]:
            cell, evidence = "turn", EvidenceKind.SPOKE
        elif own is None and self._meant.get(index) == who:
            cell, evidence = "meant", EvidenceKind.ACTED
        elif own is None and self._partner.get(index) == who:
            cell, evidence = "partner", EvidenceKind.PRESENT
        elif own is None:
            cell, evidence = "mused" if index in self._mused else "none", EvidenceKind.PRESENT
        else:
            cell, evidence = own.best.name.lower(), own.best.evidence
            cell += "s" if own.count > 1 and own.best is Sign.ACTED else ""
        is_focus = who == self.focus
        confidence = confidence_of(cell, around, is_focus=is_focus)
        return PresenceGuess(evidence, confidence, cell, around, is_focus)

    def _around(self, who: str, index: int, back: int | None, ahead: int | None) -> Around:
        """Say how near the signs before and after a paragraph are that the same scene holds."""
        # Time shifts with whom the scene goes along with; others need not come along.
        shifts_with = who == self.focus and back is not None and ahead is not None
        if back is not None and (
            self._left(who, back, index) or not (shifts_with or self._same(back, index))
        ):
            back = None
        if ahead is not None and (self._came(who, ahead) or not (shifts_with or self._same(index, ahead))):
            ahead = None
        before = None if back is None else self._at[index] - self._at[back]
        after = None if ahead is None else self._at[ahead] - self._at[index]
        if before is not None and after is not None:
            return _step(before + after, _BETWEEN, Around.DISTANT)
        if before is not None and back is not None:
            if self._talk(back, index):
                return Around.TALKING
            since = _step(before, _SINCE, Around.LONG_SINCE)
            if self._meets(back, index):
                return Around.STAYED
            seat = None if since is Around.LONG_SINCE else self._seat(who, index)
            stays = seat is not None and self._moved[index + 1] - self._moved[seat + 1] <= _STAY
            return Around.STAYED if stays else since
        if after is not None and ahead is not None:
            if self._talk(ahead, index) and self._speaks(who, ahead):
                return Around.TALKED_TO
            return _step(after, _UNTIL, Around.LATER)
        return Around.ALONE

    def _speaks(self, who: str, index: int) -> bool:
        return who in self._signs[index] and self._signs[index][who].best is Sign.SPOKE

    def _seat(self, who: str, index: int) -> int | None:
        """Give the last paragraph before one in which somebody takes a place that they have not left."""
        seats = self._seats.get(who, ())
        place = bisect_right(seats, index)
        if not place:
            return None
        seat = seats[place - 1]
        return seat if self._same(seat, index) and not self._left(who, seat, index) else None

    def _meets(self, one: int, other: int) -> bool:
        """Whether two paragraphs are of one meeting or meal."""
        return self._meetings[one] is not None and self._meetings[one] == self._meetings[other]

    def _same(self, one: int, other: int) -> bool:
        """Whether two paragraphs are of one time and place."""
        return self._acts[one] == self._acts[other]

    def _talk(self, one: int, other: int) -> bool:
        """Whether two paragraphs are lines of one conversation."""
        return one in self._lines and self._lines[one] == self._lines.get(other)

    def _left(self, who: str, since: int, until: int) -> bool:
        """Whether somebody goes away from paragraph `since` on, before paragraph `until`."""
        if who in self._signs[since] and self._signs[since][who].left:
            return True
        first = bisect_left(self._farewells, since)
        return any(
            who in self._gone[at] for at in self._farewells[first : bisect_left(self._farewells, until)]
        )

    def _came(self, who: str, index: int) -> bool:
        return who in self._signs[index] and self._signs[index][who].came


def _seats(signs: Sequence[Mapping[str, Signs]]) -> dict[str, list[int]]:
    """Say for each in which paragraphs they take a place."""
    found: dict[str, list[int]] = {}
    for index, each in enumerate(signs):
        for who, one in each.items():
            if one.settled and one.best > Sign.NAMED:
                found.setdefault(who, []).append(index)
    return found


def _meetings(
    passages: Sequence[QuotedPassage], signs: Sequence[Mapping[str, Signs]], acts: Sequence[int]
) -> list[int | None]:
    """Number the meetings and meals that several attend, from where they are told of until they break up."""
    found: list[int | None] = []
    now: int | None = None
    for index, passage in enumerate(passages):
        if now is not None and acts[now] != acts[index]:
            now = None
        near = signs[max(0, index - _ATTEND) : index + _ATTEND]
        there = {who for each in near for who, one in each.items() if one.best.is_strong or one.settled}
        if now is None and gathers(passage) and len(there) >= _SEVERAL:
            now = index
        found.append(now)
        if now is not None and now != index and breaks_up(passage):
            now = None
    return found


def _mused(
    passages: Sequence[QuotedPassage], told: Sequence[Set[str]] | None, lines: Mapping[int, int]
) -> frozenset[int]:
    """The paragraphs that a narrator tells of nobody's company.

    Nobody speaks in them, no conversation goes on over them, and it is not `we` who do what is told.
    """
    if not told:
        return frozenset()
    return frozenset(
        index
        for index, passage in enumerate(passages)
        if told[index]
        and not passage.quotes
        and not tells_of_us(passage)
        and not (index - 1 in lines and lines[index - 1] == lines.get(index + 1))
    )


def _step(steps: float, edges: Sequence[tuple[float, Around]], else_: Around) -> Around:
    return next((around for edge, around in edges if steps <= edge), else_)


def _places(passages: Sequence[QuotedPassage]) -> list[float]:
    """How far into the scene each paragraph begins, in steps."""
    places: list[float] = []
    at = 0.0
    for passage in passages:
        places.append(at)
        at += max(_LEAST_STEP, (passage.end - passage.start) / _UNIT[passage.language])
    return places


def _acts(passages: Sequence[QuotedPassage]) -> list[int]:
    """Number the stretches of one time and place."""
    numbers: list[int] = []
    act = 0
    for index, passage in enumerate(passages):
        act += bool(index and shifts(passage))
        numbers.append(act)
    return numbers


def _ranked(signs: Sequence[Mapping[str, Signs]]) -> list[tuple[str, int]]:
    """Count the paragraphs in which each acts, speaks or thinks; who does most is first."""
    count: Counter[str] = Counter()
    for each in signs:
        for who, one in each.items():
            count[who] += one.best >= Sign.ACTED
    return sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))


def _take_turns(passages: Sequence[QuotedPassage], signs: Sequence[Mapping[str, Signs]]) -> list[set[str]]:
    told: dict[int, str] = {}
    for index, each in enumerate(signs):
        spoke = [who for who, one in each.items() if one.best is Sign.SPOKE]
        if len(spoke) == 1:
            told[index] = spoke[0]
    found: list[set[str]] = [set() for _ in passages]
    for run in runs(passages):
        for index, who in by_turns(run, told).items():
            found[index].add(who)
    return found
