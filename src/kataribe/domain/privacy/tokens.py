"""Tokens that stand in place of personal data, and the way back.

A token is the kind and ten signs of a keyed hash of the value: `<email:k7q2m4xhz3>`. It depends on the
key, the kind and the value alone, so it is the same wherever the user says the value, in any turn and
order. Ten signs are 49 bits: among 10,000 values of a kind two share a token once in ten million
times. They never do so silently: `tokenise` and `together` refuse.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kataribe.domain.privacy.find import find, replaced
from kataribe.domain.privacy.kinds import PersonalFinding, PersonalKind
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.terms import Language
from kataribe.errors import ConflictError, InputError

KEY_LENGTH = 32
"""A key has at least so many bytes."""
_LETTERS = "abcdefghijkmnpqr"
_SIGNS = "abcdefghijklmnopqrstuvwxyz234567"
_COUNT = 9


@dataclass(frozen=True, slots=True)
class TokenValue:
    """What a token stands for: the value in its normal form, and the words as they were written first."""

    value: str
    written: str


@dataclass(frozen=True, slots=True)
class Tokenised:
    """A text whose personal data are tokens.

    `findings` are those of the text as it was given, `tokens` theirs, one by one, and `written` the
    words that they stand for.
    """

    text: str
    findings: tuple[PersonalFinding, ...]
    tokens: tuple[str, ...]
    written: tuple[str, ...]

    @property
    def values(self) -> Mapping[str, TokenValue]:
        """Each token with what it stands for."""
        return {
            token: TokenValue(one.value, words)
            for token, one, words in reversed([*zip(self.tokens, self.findings, self.written, strict=True)])
        }

    def restored(self) -> str:
        """Give the text as it was given, sign by sign."""
        shift = 0
        parts: list[tuple[int, int, str]] = []
        for token, one, words in zip(self.tokens, self.findings, self.written, strict=True):
            start = one.start + shift
            parts.append((start, start + len(token), words))
            shift += len(token) - len(words)
        return replaced(self.text, parts)


def tokenise(text: str, language: Language, key: bytes, *, with_names: bool = False) -> Tokenised:
    """Write a token in place of each personal datum of a text.

    Tokens that stand in the text stay as they are, so tokenising again changes nothing. Raises
    `InputError` for a key shorter than 32 bytes, and `ConflictError` when two values have one token.
    """
    if len(key) < KEY_LENGTH:
        raise InputError(f"a key for tokens has at least {KEY_LENGTH} bytes; this one has {len(key)}")
    findings = find(text, language, with_names=with_names)
    if not findings:
        return Tokenised(text, (), (), ())
    tokens = tuple(token_of(one.kind, one.value, key) for one in findings)
    made = replaced(text, ((one.start, one.end, token) for one, token in zip(findings, tokens, strict=True)))
    done = Tokenised(made, findings, tokens, tuple(text[one.start : one.end] for one in findings))
    together({}, zip(tokens, (TokenValue(one.value, "") for one in findings), strict=True))
    return done


def token_of(kind: PersonalKind, value: str, key: bytes) -> str:
    """Give the token of a value in its normal form."""
    number = int.from_bytes(
        hmac.digest(key, f"{kind}\0{value}".encode("utf-8", "surrogatepass"), "sha256")[:8]
    )
    signs = [_LETTERS[number % len(_LETTERS)]]
    number //= len(_LETTERS)
    for _ in range(_COUNT):
        signs.append(_SIGNS[number % len(_SIGNS)])
        number //= len(_SIGNS)
    return f"<{kind}:{''.join(signs)}>"


def together(
    known: Mapping[str, TokenValue], more: Mapping[str, TokenValue] | Iterable[tuple[str, TokenValue]]
) -> dict[str, TokenValue]:
    """Add the values of more tokens to those that are known; the words known first stay.

    Raises `ConflictError` when a token stands for two values, and names the token alone.
    """
    joined = dict(known)
    for token, value in more.items() if isinstance(more, Mapping) else more:
        if joined.setdefault(token, value).value != value.value:
            raise ConflictError(f"two values have the token {token}; say one of them in other words")
    return joined


def restore(text: str, values: Mapping[str, TokenValue]) -> str:
    """Write the words back in place of each token that is known; others stay as they are."""
    return TOKEN.sub(lambda found: values[found[0]].written if found[0] in values else found[0], text)
