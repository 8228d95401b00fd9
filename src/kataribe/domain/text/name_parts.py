"""The parts of a person's name, and what of them a text may be believed to mean that person by.

Names are told apart by their form alone: words in Latin letters, words that `・` or a space
parts, a surname before a given name. A part that is also a common word stands for its owner
only where the text leaves no doubt; one of a single letter never does by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from kataribe.domain.text.common_words import ENGLISH, JAPANESE, ROLES_EN, ROLES_JA
from kataribe.domain.text.surnames import SURNAMES


class Guard(StrEnum):
    """What else must stand in a text for a part to be its owner's name there."""

    NONE = "none"
    HONORIFIC = "honorific"
    """An honorific right after it."""
    INSIDE = "inside"
    """Words of its sentence before it: at the beginning a common word has a capital too."""


@dataclass(frozen=True, slots=True)
class NamePart:
    """A text that names a person because their name, or their id, does."""

    text: str
    guard: Guard = Guard.NONE


HONORIFICS_JA = "さん|ちゃん|くん|さま|[様君殿氏嬢]|先生|先輩"

_KANJI = "々〆㐀-䶿一-鿿豈-﫿"
_KANA = "ァ-ヺーぁ-ゖ"
_JAPANESE = re.compile(f"[{_KANJI}{_KANA}]")
_SEPARATORS = re.compile(r"[\s・･·＝=]+")
_ENDING_JA = re.compile(f"(?:{HONORIFICS_JA}|{'|'.join(sorted(ROLES_JA, key=len, reverse=True))})$")
_ALL_KANJI = re.compile(f"[{_KANJI}]+")
_KANJI_KANA = re.compile(f"(?P<family>[{_KANJI}]{{2,3}})(?P<given>[ァ-ヺー]{{2,4}}|[ぁ-ゖー]{{2,4}})")
_GIVEN_ENDS = "郎子雄夫介助吉美香代江枝平蔵彦男"
_LONGEST_SURNAME = 4
_LONGEST_GIVEN = 3

_WORD_EN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PARTICLES = frozenset(
    [
        "de",
        "d'",
        "van",
        "von",
        "der",
        "den",
        "la",
        "le",
        "du",
        "di",
        "da",
        "del",
        "della",
        "bin",
        "ibn",
        "al",
        "el",
        "ben",
        "ter",
        "ten",
        "zu",
        "zur",
        "af",
        "av",
        "dos",
    ]
)
_SUFFIXES = frozenset(["jr", "sr", "esq", "esquire", "phd", "md", "ii", "iii", "iv"])
_ARTICLES = frozenset({"the", "a", "an"})


@lru_cache(maxsize=4096)
def name_parts(name: str) -> tuple[NamePart, ...]:
    """Give what a full name is shortened and turned to, longest first; the name itself is not in it."""
    folded = unicodedata.normalize("NFKC", name).strip()
    found = _japanese(folded) if _JAPANESE.search(folded) else _latin(folded)
    return _distinct(found, leaving_out=folded)


@lru_cache(maxsize=4096)
def id_parts(character_id: str) -> tuple[NamePart, ...]:
    """Give what an id names its owner by beside a name: itself, written as a text writes names."""
    folded = unicodedata.normalize("NFKC", character_id).strip()
    if _JAPANESE.search(folded):
        return _distinct([_part_ja(folded)] if len(folded) > 1 else [])
    words = [word for word in re.split(r"[\s_.-]+", folded) if word]
    if not words or not all(_WORD_EN.fullmatch(word) for word in words) or len("".join(words)) < 2:
        return ()
    if all(_is_common(word) for word in words):
        return ()
    written = " ".join(word if word != word.lower() else word.capitalize() for word in words)
    return _distinct([NamePart(written)])


def _distinct(found: Iterable[NamePart], *, leaving_out: str = "") -> tuple[NamePart, ...]:
    kept: dict[str, NamePart] = {}
    for part in found:
        if part.text != leaving_out:
            kept.setdefault(part.text, part)
    return tuple(sorted(kept.values(), key=lambda part: (-len(part.text), part.text)))


def _is_common(word: str) -> bool:
    return word.lower() in ENGLISH or word.lower() in ROLES_EN


# -- Latin letters -------------------------------------------------------------------------


def _latin(name: str) -> Iterator[NamePart]:
    """Dr. Henry van Jekyll: Henry van Jekyll, van Jekyll, Jekyll, Henry, Dr. Jekyll."""
    words = [word.strip(".,") for word in name.split()]
    words = [word for word in words if word and word.lower() not in _SUFFIXES]
    if not words or words[0].lower() in _ARTICLES or not all(_is_of_name(word) for word in words):
        return
    titles = 0
    while titles < len(words) and words[titles].lower() in ROLES_EN:
        titles += 1
    bare = [word for word in words[titles:] if len(word) > 1]
    if not bare:
        return
    for start in range(len(bare)):
        for end in range(start + 1, len(bare) + 1):
            if bare[end - 1].lower() not in _PARTICLES:
                yield from _run(bare[start:end])
    if len(bare) == 2 and not titles:
        yield NamePart(f"{bare[1]} {bare[0]}")
    if titles:
        yield NamePart(f"{words[titles - 1]} {bare[-1]}")
        yield NamePart(f"{words[titles - 1]}. {bare[-1]}")


def _is_of_name(word: str) -> bool:
    """Whether a word can stand in a name: a description is none, though it may be all a text calls one."""
    return word.lower() in _PARTICLES or (
        bool(_WORD_EN.fullmatch(word)) and word[0] != word[0].lower() and not word.endswith(("'s", "’s"))
    )


def _run(words: Sequence[str]) -> Iterator[NamePart]:
    """Words of a name that follow each other; one that is common must stand inside a sentence."""
    if words[0].lower() in _PARTICLES and len(words) == 1:
        return
    is_common = len(words) == 1 and _is_common(words[0])
    yield NamePart(" ".join(words), Guard.INSIDE if is_common else Guard.NONE)


# -- Japanese ------------------------------------------------------------------------------


def _japanese(name: str) -> Iterator[NamePart]:
    base = _without_ending(name)
    words = [word for word in _SEPARATORS.split(base) if word]
    if len(words) == 1:
        words = list(_parted(base))
    if base != name and len(base) > 1:
        yield _part_ja(base)
    if len(words) < 2:
        return
    yield from (_part_ja(word) for word in words)
    for order in (words, words[::-1]):
        for joint in ("", " ", "・"):
            yield NamePart(joint.join(order))


def _without_ending(name: str) -> str:
    """Give a name without the honorific or the rank it ends in, when a name is left."""
    ending = _ENDING_JA.search(name)
    base = name[: ending.start()].strip() if ending else name
    return base if base and base not in JAPANESE and base not in ROLES_JA else name


def _parted(name: str) -> tuple[str, ...]:
    """Part a surname from a given name that nothing parts; a name that may be anything stays whole."""
    mixed = _KANJI_KANA.fullmatch(name)
    if mixed and mixed["family"] not in JAPANESE and mixed["family"] not in ROLES_JA:
        return mixed["family"], mixed["given"]
    if not _ALL_KANJI.fullmatch(name):
        return (name,)
    for length in range(min(_LONGEST_SURNAME, len(name) - 1), 0, -1):
        if name[:length] in SURNAMES and len(name) - length <= _LONGEST_GIVEN:
            return name[:length], name[length:]
    is_four = len(name) == 4 and name[-1] in _GIVEN_ENDS
    if (is_four or (len(name) == 5 and name[-1] == "郎")) and name[:2] not in JAPANESE | ROLES_JA:
        return name[:2], name[2:]
    return (name,)


def _part_ja(word: str) -> NamePart:
    doubtful = len(word) == 1 or word in JAPANESE or word in ROLES_JA
    return NamePart(word, Guard.HONORIFIC if doubtful else Guard.NONE)
