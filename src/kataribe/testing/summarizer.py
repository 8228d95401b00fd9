"""What every summarizer must keep."""

from __future__ import annotations

import asyncio

from kataribe.domain.conversation.summaries import (
    NewerWords,
    OfferedContradictions,
    OfferedSummary,
    OlderWords,
    SpokenLine,
    ThreadText,
    take_contradictions,
    take_summary,
)
from kataribe.domain.terms import Language
from kataribe.ports import Summarizer

SAID: dict[Language, tuple[str, ...]] = {
    "en": ("My sister Mia moved to Osaka.", "Does she like it?", "Yes! Remember that I visit her in May."),
    "ja": ("妹の美亜が大阪に引っ越した。", "気に入ってる？", "うん！ 五月に会いに行くって覚えておいて。"),
}
OLDER: dict[Language, tuple[str, ...]] = {
    "en": ("Mia lives in Kyoto.", "Mia plays the flute."),
    "ja": ("美亜は京都に住んでいる。", "美亜はフルートを吹く。"),
}


def a_thread(language: Language) -> ThreadText:
    """Make a thread of three turns."""
    lines = tuple(
        SpokenLine(
            turn_id=f"turn {place}",
            speaker=("u", "rin")[place % 2],
            is_users=not place % 2,
            day="2023-05-08",
            text=text,
        )
        for place, text in enumerate(SAID[language])
    )
    return ThreadText(thread_id="th", language=language, lines=lines)


def a_newer(language: Language) -> NewerWords:
    """Make a turn, and older statements beside it."""
    older = tuple(
        OlderWords(turn_id=f"old {place}", start=0, end=len(text), day="2022-01-01", text=text)
        for place, text in enumerate(OLDER[language])
    )
    return NewerWords(language=language, line=a_thread(language).lines[0], older=older)


def summed(summarizer: Summarizer, thread: ThreadText) -> OfferedSummary:
    """Ask a summarizer for a thread's items and wait."""
    return asyncio.run(summarizer.sum_up(thread))


def compared(summarizer: Summarizer, newer: NewerWords) -> OfferedContradictions:
    """Ask a summarizer for contradictions and wait."""
    return asyncio.run(summarizer.contradicted(newer))


class SummarizerContract:
    """Subclass with a fixture `summarizer`."""

    def test_it_names_itself(self, summarizer: Summarizer) -> None:
        """Its id is not empty and stays the same."""
        assert summarizer.summarizer_id
        assert summarizer.summarizer_id == summarizer.summarizer_id.strip()

    def test_something_may_be_taken_of_what_it_makes_of_a_thread(self, summarizer: Summarizer) -> None:
        """In either language, by the turns as they were named to it."""
        for language in SAID:
            thread = a_thread(language)
            taken = take_summary(summed(summarizer, thread), thread)
            assert taken.items, taken.refused
            assert all(set(item.sources) <= set(thread.turn_ids) for item in taken.items)

    def test_it_names_older_statements_by_their_place(self, summarizer: Summarizer) -> None:
        """Only such as it was shown."""
        for language in OLDER:
            newer = a_newer(language)
            assert take_contradictions(compared(summarizer, newer), newer).refused == ()

    def test_an_estimate_asks_nobody_and_is_of_one_call_or_none(self, summarizer: Summarizer) -> None:
        """Tokens are used only by calls."""
        for language in SAID:
            for asked in (a_thread(language), a_newer(language)):
                guess = summarizer.estimate(asked)
                assert guess.calls in (0, 1)
                assert guess.calls or not (guess.input_tokens or guess.output_tokens)
