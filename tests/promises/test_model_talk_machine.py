"""The property machine of conversations that a model sums up: P1 to P4 and P6, in every tier."""

from __future__ import annotations

from typing import Any

from hypothesis.stateful import rule

from kataribe.domain.conversation.summaries import NewerWords, OfferedContradictions
from kataribe.domain.terms import Language
from promises.test_talk_machine import ASKERS, TalkMachine
from support.effort import walks
from support.noting import ONE_CALL, ScriptedSummarizer, note_each
from support.talk_model import USER


def some_contradict(newer: NewerWords) -> OfferedContradictions:
    """Find some contradictions, by the texts alone."""
    places = tuple(
        place for place, one in enumerate(newer.older) if (len(one.text) + len(newer.line.text)) % 3 == 0
    )
    return OfferedContradictions(places=places, usage=ONE_CALL)


class ModelTalkMachine(TalkMachine):
    """The same, with a model that answers by a plain rule and is down now and then."""

    model = "openai:scripted"
    backoff = 60
    """Seconds: what failed waits for a sync that tries it again."""

    def parts(self) -> dict[str, Any]:
        self.summarizer = getattr(self, "summarizer", None) or ScriptedSummarizer(note_each, some_contradict)
        return {"summarizer": lambda _: self.summarizer}

    def sync(self) -> None:
        super().sync()
        self.every_word_has_its_sources()

    @rule()
    def sync_while_the_model_is_down(self) -> None:
        """All that was said is in memory all the same."""
        self.summarizer.fails()
        try:
            report = self.store.user(USER).sync(waits=False)
        finally:
            self.summarizer.down = None
        assert report.failed == {}
        self.each_unit_is_in_memory_as_a_whole_or_as_before(report.failed)

    def every_word_has_its_sources(self) -> None:
        """Whoever is given a model's words may be given all that they rest on (P1, P6)."""
        for persona, as_of in ASKERS:
            viewer = self.store.viewer(user=USER, persona=persona, as_of=as_of)
            there = {hit.fact_id for hit in self.store.known(user=USER, persona=persona, as_of=as_of).hits}
            for one in viewer.memories().memories:
                if one.value.sensitivity is not None:
                    assert set(one.value.sources) <= there, one
        assert self.store.user(USER).verify().problems == ()


class JapaneseModelTalkMachine(ModelTalkMachine):
    """The same in Japanese."""

    language: Language = "ja"


TestModelTalk = ModelTalkMachine.TestCase
TestModelTalk.settings = walks(5, 12)
TestJapaneseModelTalk = JapaneseModelTalkMachine.TestCase
TestJapaneseModelTalk.settings = walks(5, 12)
