"""The property machine of conversations, exported: each turn that is there stands in it, word for word.

Beside the user lives another one who says other things, and no word of that one is in the export.
"""

from __future__ import annotations

from datetime import timedelta
from zipfile import ZipFile

import hypothesis.strategies as st
from hypothesis.stateful import rule

from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import PUBLIC, Language
from promises.test_sealing_machine import PLANTED, SealedTalkMachine
from promises.test_talk_machine import BEGIN, picks
from support.effort import walks
from support.exports import conversation, everything, exported, rows, turns
from support.talk_model import USER

OTHER = "zelda"
SECRETS: dict[Language, tuple[str, ...]] = {
    "en": ("The marmalade cipher lies at zelda.quill@example.org.", "Call the lighthouse at 212-555-0187."),
    "ja": (
        "マーマレード暗号はzelda.quill@example.orgにある。",
        "灯台の電話は０８０－８７６５－４３２１です。",
    ),
}
WORDS: dict[Language, tuple[str, ...]] = {
    "en": ("zelda", "marmalade", "lighthouse", "212-555-0187"),
    "ja": ("zelda", "マーマレード", "灯台", "０８０－８７６５－４３２１"),
}


class ExportMachine(SealedTalkMachine):
    """Another user says something now and then; a rule exports the first."""

    def __init__(self) -> None:
        super().__init__()
        self.exports = 0

    @rule(pick=picks, day=st.integers(0, 3))
    def the_other_says(self, pick: int, day: int) -> None:
        self.other_is_there()
        text = SECRETS[self.language][pick % 2]
        said = Turn(
            turn_id=f"t{pick % 20}",
            session="1",
            speaker=OTHER,
            text=text,
            time=BEGIN + timedelta(days=day),
            audience=PUBLIC,
        )
        self.store.user(OTHER).put_turns([said])
        self.store.user(OTHER).sync()

    def other_is_there(self) -> None:
        if OTHER not in {user.user_id for user in self.store.admin.users()}:
            self.store.user(OTHER).create(language=self.language, embedder="hash")
            self.store.user(OTHER).profile.set("name", SECRETS[self.language][0], by_hand=True)

    @rule()
    def export(self) -> None:
        self.other_is_there()
        self.exports += 1
        bundle = exported(self.store, self.path.parent / f"{self.path.name}-{self.exports}.zip", USER)
        try:
            found = turns(bundle)
            assert {one.turn_id: one for one in found} == self.turns
            assert list(found) == sorted(found, key=lambda one: one.order)
            told = conversation(bundle)
            for turn in self.turns.values():
                assert "\n".join(f"> {line}" for line in turn.text.split("\n")) in told
            self.is_as_it_is_listed(bundle)
            content = everything(bundle).decode("utf-8", "replace")
            assert not [word for word in WORDS[self.language] if word in content]
        finally:
            bundle.close()
            (self.path.parent / f"{self.path.name}-{self.exports}.zip").unlink()

    def is_as_it_is_listed(self, bundle: ZipFile) -> None:
        """Threads and memories are those that an author is shown."""
        user = self.store.user(USER)
        threads = [(one.holder, one.thread.thread_id) for one in user.memory.threads().threads]
        assert sorted((one["holder"], one["id"]) for one in rows(bundle, "threads")) == sorted(threads)
        kept = [
            (one.holder, one.value.memory_id, one.value.text)
            for state in (None, "hidden", "superseded", "expired")
            for one in user.memory.list(state=state).memories
        ]
        found = [(one["holder"], one["id"], one["text"]) for one in rows(bundle, "memories")]
        assert {one[:2] for one in found} >= {one[:2] for one in kept}
        for planted in PLANTED[self.language][:1]:
            assert sum(planted in one[2] for one in found) >= sum(planted in one[2] for one in kept)


class JapaneseExportMachine(ExportMachine):
    """The same in Japanese."""

    language: Language = "ja"


TestExport = ExportMachine.TestCase
TestExport.settings = walks(3, 8)
TestJapaneseExport = JapaneseExportMachine.TestCase
TestJapaneseExport.settings = walks(3, 8)
