"""Looking for words in past logs: exact, few, and without the noise (S4-72 to S4-77, S4-93 to S4-95).

Pure rules on turns that were let through a gate before; nothing here reads a store.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from kataribe.domain.conversation.turns import is_system
from kataribe.domain.gate import Viewer
from kataribe.domain.ids import normalise
from kataribe.domain.memory import Hit, Memory
from kataribe.domain.recall.planning import MAX_KEYWORDS
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens
from kataribe.errors import InputError

MAX_SLOTS = 1000
"""How many turns of one sort may be asked for at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSearchPolicy:
    """The numbers of a search in past logs.

    `newest`, `oldest` and `middle` are how many turns are taken from the end, from the
    beginning, and by lot from between. `longest` and `shortest` are in characters: a longer
    turn is cut, a shorter one is skipped (S4-77). Turns alike in their first `alike`
    characters of normalised text are one (S4-75). The last `exclude_last` turns are in front
    of the model already and not searched (S4-73, S4-95).
    """

    newest: int = 2
    oldest: int = 2
    middle: int = 0
    longest: int = 500
    shortest: int = 30
    alike: int = 200
    exclude_last: int = 0

    def __post_init__(self) -> None:
        for name in ("newest", "oldest", "middle", "shortest", "exclude_last"):
            _whole(name, getattr(self, name), least=0)
        for name in ("longest", "alike"):
            _whole(name, getattr(self, name), least=1)
        for name in ("newest", "oldest", "middle"):
            if getattr(self, name) > MAX_SLOTS:
                raise InputError(f"{name} must be at most {MAX_SLOTS}, not {getattr(self, name)}")


def _whole(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be a whole number from {least} on, not {value!r}")


SEARCH_TOOL = LogSearchPolicy(shortest=0)
"""What who searches on purpose gets: 2 newest and 2 oldest, 4 at most (S4-93).

Short turns too: that they are noise is a rule of what is looked up by itself (S4-77), and in
Japanese most of what is said is short.
"""

AUTOMATIC = LogSearchPolicy(middle=1)
"""What is looked up by itself: 2 newest, 2 oldest and 1 from between, 5 at most (S4-74)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHit:
    """A turn in which a keyword stands.

    `text` is as it was said, or the `longest` characters of it around the first keyword; then
    `is_cut` says that more is available, of `characters` in all. `keywords` are those that
    stand in it.
    """

    turn_id: str
    session: str
    speaker: str
    time: str
    text: str
    caption: str | None
    scope: str
    character_id: str
    keywords: tuple[str, ...]
    characters: int
    is_cut: bool = False
    space: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSearch:
    """The answer of a search in past logs, newest first.

    `keywords` were looked for, `ignored` were not, each with the reason. `matched` is how many
    turns inside the gate were found before slots were filled. `pending_turns` are not in
    memory yet, and so were not searched.
    """

    viewer: Viewer
    keywords: tuple[str, ...]
    ignored: tuple[tuple[str, str], ...]
    hits: tuple[LogHit, ...]
    matched: int
    pending_turns: int
    in_cast: bool = True
    """Whether the persona is in the cast of the viewer's story; True without a story."""
    slices: tuple[str, ...] = ()
    """What was read, in words, as traces keep it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A turn in which keywords stand, as a viewer is shown it; `hit.text` is a part of it when `is_cut`."""

    hit: Hit
    keywords: tuple[str, ...]
    is_cut: bool = False


def folded(text: str) -> str:
    """Give a text as keywords are compared: NFKC, case folded, single spaces."""
    return normalise(normalise(text).casefold())


def distinctive(
    keywords: Sequence[str], language: Language
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Part keywords into those to look for and those too common, with the reason (S4-72).

    Raises `InputError` for more than `MAX_KEYWORDS`.
    """
    if isinstance(keywords, str):
        raise InputError("keywords must be a list of words; a single one is a list of one")
    if len(keywords) > MAX_KEYWORDS:
        raise InputError(
            f"at most {MAX_KEYWORDS} keywords can be looked for, not {len(keywords)}; keep the rarest"
        )
    kept: dict[str, str] = {}
    ignored: list[tuple[str, str]] = []
    for keyword in keywords:
        bare = folded(keyword)
        if bare in kept:
            ignored.append((keyword, "the same as another"))
        elif (reason := _common(bare, language)) is not None:
            ignored.append((keyword, reason))
        else:
            kept[bare] = keyword
    return tuple(kept.values()), tuple(ignored)


def _common(bare: str, language: Language) -> str | None:
    if not bare:
        return "empty"
    # A stop word of either language: people mix them.
    if not tokens(bare, language) or not tokens(bare, "en"):
        return "too common to find anything by"
    if len(bare) == 1 and not _is_telling(bare):
        return "a single letter finds everything"
    return None


def _is_telling(char: str) -> bool:
    """Whether one character is a word: a kanji is, a kana or a letter is not."""
    return unicodedata.name(char, "").startswith(("CJK UNIFIED", "CJK COMPATIBILITY"))


def search(
    turns: Sequence[Memory], keywords: Sequence[str], policy: LogSearchPolicy, *, seed: int
) -> tuple[tuple[LogHit, ...], int]:
    """Give the hits, newest first, and how many turns matched; `turns` are of one gate.

    What is drawn by lot is decided by `seed` and by the turns that matched.
    """
    wanted = [(keyword, folded(keyword)) for keyword in keywords]
    past = _past(turns, policy.exclude_last)
    matched: list[tuple[Memory, tuple[str, ...]]] = []
    for turn in past:
        words = folded(_words(turn))
        standing = tuple(keyword for keyword, bare in wanted if bare in words)
        if standing and len(turn.text.strip()) >= policy.shortest:
            matched.append((turn, standing))
    matched = _distinct(matched, policy.alike)
    chosen = slots(len(matched), policy, seed=seed)
    return tuple(_hit(*matched[at], policy) for at in reversed(chosen)), len(matched)


def slots(count: int, policy: LogSearchPolicy, *, seed: int) -> tuple[int, ...]:
    """Choose among `count` things in order of time: the newest, the oldest, some by lot; ascending."""
    newest = set(range(max(0, count - policy.newest), count))
    oldest = set(range(min(policy.oldest, count)))
    between = sorted(set(range(count)) - newest - oldest)
    drawn = random.Random(seed).sample(between, min(policy.middle, len(between)))
    return tuple(sorted({*newest, *oldest, *drawn}))


def _past(turns: Sequence[Memory], exclude_last: int) -> list[Memory]:
    """Give what people said, oldest first, once each and without the end that is in context already."""
    once = {
        (turn.space, turn.fact_id): turn
        for turn in turns
        if turn.said is not None and not is_system(turn.said.speaker)
    }
    ordered = sorted(once.values(), key=_order)
    return ordered[: max(0, len(ordered) - exclude_last)]


def _order(turn: Memory) -> tuple[int, str, int, str]:
    session = "" if turn.said is None else turn.said.session
    return (turn.position, session, turn.place, turn.fact_id)


def _words(turn: Memory) -> str:
    caption = None if turn.said is None else turn.said.caption
    return turn.text if caption is None else f"{turn.text} {caption}"


def _distinct(
    matched: Sequence[tuple[Memory, tuple[str, ...]]], alike: int
) -> list[tuple[Memory, tuple[str, ...]]]:
    """Keep the newest of turns that begin alike."""
    newest = {normalise(turn.text)[:alike]: at for at, (turn, _) in enumerate(matched)}
    return [matched[at] for at in sorted(newest.values())]


def _hit(turn: Memory, standing: tuple[str, ...], policy: LogSearchPolicy) -> LogHit:
    said = turn.said
    assert said is not None
    text, is_cut = cut(turn.text, standing[0], policy.longest)
    return LogHit(
        turn_id=turn.fact_id,
        session=said.session,
        speaker=said.speaker,
        time=said.time,
        text=text,
        caption=said.caption,
        scope="world" if turn.holder == "world" else "character",
        character_id=turn.holder,
        keywords=standing,
        characters=len(turn.text),
        is_cut=is_cut,
        space=turn.space,
    )


def cut(text: str, keyword: str, longest: int) -> tuple[str, bool]:
    """Give a text, or `longest` characters of it with the keyword in the middle; and whether it was cut."""
    if len(text) <= longest:
        return text, False
    middle = _place(text, folded(keyword)) + len(keyword) // 2
    start = min(max(0, middle - longest // 2), len(text) - longest)
    return text[start : start + longest], True


def _place(text: str, bare: str) -> int:
    """Give about where in a text a folded keyword stands; 0 when it cannot be told."""
    lengths: list[int] = []
    shown: list[str] = []
    for at, char in enumerate(text):
        one = folded(char) or " "
        shown.append(one)
        lengths += [at] * len(one)
    place = "".join(shown).find(bare)
    return 0 if place < 0 else lengths[place]
