"""Pronouns, resolved only where one reading is possible."""

from __future__ import annotations

import re

from kataribe.adapters.rules.passages import QuotedPassage

_ONE_EN = re.compile(
    r"(?:^|[.!?;:,”\"\0]\s*|\b(?:and|but|when|as|then|while|so|because|that|if|for)\s+)"
    r"(?:[Hh]e|[Ss]he)\s+(?!had\b|would\b|could\b|might\b)\w+"
    r"|\b(?:said|cried|asked|replied|returned|answered|repeated|whispered)\s+(?:he|she)\b"
)
_ONE_JA = re.compile(
    "(?<![々一-龠])(?:彼女?|先方|相手|むこう|あいつ|やっこさん)(?=[はがも])"
    "|(?:その|この)(?:人|男|女|子|老人|婆さん|爺さん|娘|少年|少女)(?=[はがも])"
)

_US_EN = re.compile(r"\b(?:[Ww]e|us|ourselves|the (?:two|three|four|five|six|seven) of us)\b")
_US_JA = re.compile(
    "(?:我々|われわれ|吾々|(?:私|僕|俺|わたし|わたくし|ぼく|おれ)(?:達|たち|ら|ども))(?=[はがもをにのと、])"
)


def tells_of_us(passage: QuotedPassage) -> bool:
    """Whether the narration tells what the narrator and others did together."""
    return bool((_US_JA if passage.language == "ja" else _US_EN).search(passage.narration))


def means_one(passage: QuotedPassage) -> bool:
    """Whether a pronoun in the narration tells of one person who is doing something."""
    return bool((_ONE_JA if passage.language == "ja" else _ONE_EN).search(passage.narration))
