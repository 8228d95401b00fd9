"""What a turn says in words: what is kept of it in the open, and what is sealed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kataribe.domain.conversation.turns import Turn, role_of
from kataribe.domain.privacy.find import find
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.privacy.tokens import KEY_LENGTH, tokenise
from kataribe.domain.terms import Extra, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedTurn:
    """A turn as it stands in the open, and what is sealed of it."""

    turn: Turn
    sealed: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidWords:
    """The words of one turn as they were said, and what each token stands for that was written for them."""

    speaker: str
    text: str
    caption: str | None = None
    extra: Extra = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def written(self) -> bytes:
        """Write them down to be sealed."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(parts, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")

    @staticmethod
    def read(written: bytes) -> SaidWords:
        """Read them again."""
        return SaidWords(**json.loads(written.decode("utf-8", "surrogatepass")))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedTurn:
    """A turn with its personal data written as tokens, and its words as they were said.

    `said` is None where there is nothing to seal.
    """

    turn: Turn
    said: SaidWords | None = None


class TokenWriter:
    """Writes tokens for the personal data of one user; the key is asked for when there are any."""

    def __init__(self, language: Language, key: Callable[[], bytes]) -> None:
        self._language = language
        self._key = key
        self.values: dict[str, str] = {}
        """The words that each token was written for first."""

    def text(self, text: str) -> str:
        """Write tokens in a text."""
        if not find(text, self._language):
            return text
        done = tokenise(text, self._language, self._key())
        for token, words in zip(done.tokens, done.written, strict=True):
            self.values.setdefault(token, words)
        return done.text

    def value(self, given: object) -> object:
        """Write tokens in every text of a JSON value; names of its fields stay."""
        if isinstance(given, str):
            return self.text(given)
        if isinstance(given, Mapping):
            return {name: self.value(one) for name, one in given.items()}
        if isinstance(given, list | tuple):
            return [self.value(one) for one in given]
        return given

    def fields(self, given: Mapping[str, object]) -> dict[str, object]:
        """Write tokens in a JSON object."""
        return {name: self.value(one) for name, one in given.items()}


def guarded(turn: Turn, user_id: str, language: Language, key: Callable[[], bytes]) -> GuardedTurn:
    """Write tokens in a turn of a user."""
    writer = TokenWriter(language, key)
    speaker, text = writer.text(turn.speaker), writer.text(turn.text)
    caption = None if turn.caption is None else writer.text(turn.caption)
    extra = writer.fields(turn.extra) if turn.extra else turn.extra
    if not writer.values:
        return GuardedTurn(turn=turn)
    # Whose name is a token is nobody's any more that the name could tell.
    role = turn.role if speaker == turn.speaker else role_of(turn, user_id)
    said = SaidWords(
        speaker=turn.speaker,
        text=turn.text,
        caption=turn.caption,
        extra=dict(turn.extra),
        values=dict(writer.values),
    )
    kept = replace(turn, speaker=speaker, text=text, caption=caption, extra=extra, role=role)
    return GuardedTurn(turn=kept, said=said)


def without_values(text: str, language: Language) -> str:
    """Give a text with the kind alone in place of each personal datum: it is the same under every key."""
    return TOKEN.sub(lambda found: f"{found[0].partition(':')[0]}>", TokenWriter(language, _zeros).text(text))


def _zeros() -> bytes:
    return bytes(KEY_LENGTH)


def tokens_in(text: str) -> tuple[str, ...]:
    """Give the tokens that stand in a text, in order."""
    return tuple(TOKEN.findall(text)) if "<" in text else ()


def with_words(text: str, values: Mapping[str, str]) -> str:
    """Write the words back in place of each token that is known; others stay as they are."""
    return TOKEN.sub(lambda found: values.get(found[0], found[0]), text)


def left_of(turn: Turn, said: SaidWords) -> SaidWords:
    """Give what was said of what is left of a turn, and nothing else."""
    values = {token: words for token, words in said.values.items() if token in _all_of(turn)}
    return SaidWords(
        speaker=with_words(turn.speaker, values),
        text=with_words(turn.text, values),
        caption=None if turn.caption is None else with_words(turn.caption, values),
        extra=said.extra if turn.extra else {},
        values=values,
    )


def _all_of(turn: Turn) -> str:
    return "\n".join((turn.speaker, turn.text, turn.caption or "", json.dumps(dict(turn.extra))))


def given_back(turn: Turn, said: SaidWords) -> Turn:
    """Give a turn with its words as they were said; `turn` is the one these were sealed of."""
    return replace(turn, speaker=said.speaker, text=said.text, caption=said.caption, extra=said.extra)
