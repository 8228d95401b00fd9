"""How a user wants to be spoken to, in one line: what of a profile comes into contexts (S2-12)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from kataribe.domain.privacy.profile import EFFECTS
from kataribe.domain.recall.context_words import words
from kataribe.domain.terms import Language
from kataribe.domain.text.fence import escape

_LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {"style": "style", "honorific": "honorific", "tone": "tone", "policy": "policy"},
    "ja": {"style": "文体", "honorific": "敬語", "tone": "口調", "policy": "方針"},
}
_BETWEEN: Mapping[Language, tuple[str, str]] = {"en": (": ", "; "), "ja": ("＝", "、")}


def wishes_of(values: Mapping[str, object], language: Language) -> str:
    """Write the values of the keys that say how to speak, on one line; empty without any.

    Nothing in it breaks out of its line, or looks like a fence or a handle.
    """
    named = [(_LABELS[language][key], values[key]) for key in EFFECTS if key in values]
    if not named:
        return ""
    equals, between = _BETWEEN[language]
    told = between.join(f"{label}{equals}{escape(_plain(value))}" for label, value in named)
    return words(language).wishes.format(wishes=told)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
