"""The property machine of conversations once more, with personal data in what is said and asked.

Whoever asks is given the words as they were said; a fresh build with the same keys answers the same, and
what lies outside an asker's gate changes no byte. None of the data stands in the store's files.
"""

from __future__ import annotations

from typing import Any

from hypothesis.stateful import invariant

from kataribe.adapters.sealing.store import FileKeys
from kataribe.domain.privacy.tokens import tokenise
from kataribe.domain.terms import Language
from kataribe.ports import Keys
from kataribe.wiring.keys import seal
from promises.test_talk_machine import LINES, QUESTIONS, WORDS, TalkMachine
from support.effort import walks
from support.talk_model import USER

PLANTED: dict[Language, tuple[str, ...]] = {
    "en": ("ann.lee@example.com", "415-555-2671", "4111 1111 1111 1111"),
    "ja": ("ann.lee@example.com", "０９０－１２３４－５６７８", "4111-1111-1111-1111"),
}
WRITTEN: dict[Language, tuple[str, ...]] = {
    "en": (
        "My mail is {}, the key is by the mill.",
        "Call me at {} when the harbour is closed.",
        "The card is {}; it is in the harbour office.",
    ),
    "ja": (
        "メールは{}で、鍵は水車小屋にある。",
        "港が閉まったら電話は{}です。",
        "カードは{}で、港の事務所にある。",
    ),
}
OTHERWISE: dict[Language, str] = {
    "en": "You may call (415) 555-2671 too, at the harbour.",
    "ja": "港では０９０１２３４５６７８に電話して。",
}


class KeptKeys(FileKeys):
    """Keys in memory that stay when a store is closed: a fresh build is made with the same."""

    def close(self) -> None:
        """Keep them."""


class SealedTalkMachine(TalkMachine):
    """Half of what is said holds a personal datum, in one or the other way of writing it."""

    lines = {  # noqa: RUF012 - as the machine has them
        language: (
            *(line.format(datum) for line, datum in zip(WRITTEN[language], PLANTED[language], strict=True)),
            OTHERWISE[language],
            *LINES[language][:4],
        )
        for language in LINES
    }
    questions = {one: (*QUESTIONS[one], f"{PLANTED[one][1]}?") for one in QUESTIONS}  # noqa: RUF012
    words = {one: (*WORDS[one], PLANTED[one][0]) for one in WORDS}  # noqa: RUF012

    def parts(self) -> dict[str, Any]:
        """Give the same keys to every store."""
        if not hasattr(self, "keys"):
            self.keys = KeptKeys(":memory:", "one", seal=seal)

        def open_keys(store_id: str, known_as: str | None) -> Keys:
            return self.keys

        return {"keys": open_keys, "seal": seal}

    def for_a_model(self, text: str) -> str:
        """Give it with tokens."""
        key = self.keys.of(USER)
        return text if key is None else tokenise(text, self.language, key.derived("tokens")).text

    def say_live_what_cannot_be_embedded(self, pick: Any, time: Any, audience: Any) -> None:
        """Leave it out: what the embedder is told is no text of the machine's."""

    def sync_with_failures(self, pick: Any) -> None:
        """Leave it out for the same reason."""

    def back_up(self) -> None:
        """Leave it out: keys that end with a store are refused by a backup."""

    @invariant()
    def nothing_planted_stands_in_a_file(self) -> None:
        there = [one.read_bytes() for one in sorted(self.path.rglob("*")) if one.is_file()]
        for planted in (*PLANTED[self.language], "(415) 555-2671", "０９０１２３４５６７８"):
            assert not any(planted.encode() in content for content in there)


class JapaneseSealedTalkMachine(SealedTalkMachine):
    """The same in Japanese."""

    language: Language = "ja"


TestSealedTalk = SealedTalkMachine.TestCase
TestSealedTalk.settings = walks(4, 8)
TestJapaneseSealedTalk = JapaneseSealedTalkMachine.TestCase
TestJapaneseSealedTalk.settings = walks(4, 8)
