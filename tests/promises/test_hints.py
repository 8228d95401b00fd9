"""A viewer whose gate was empty is answered like one who comes first when there is something behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

import kataribe
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language
from support.stores import empty_store, services

TOLD = {
    "en": (
        "[[known-by: public]] The silver key of the well is lost.",
        "Where is the silver key?",
    ),
    "ja": ("【知る者：全員】井戸の銀の鍵がなくなった。", "井戸の銀の鍵はどこ？"),
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_who_asked_before_anything_was_there_is_planned_for(tmp_path: Path, language: Language) -> None:
    text, question = TOLD[language]
    path = str(empty_store(tmp_path / "k.db"))
    ada: ViewerKeys = {"story": "s", "persona": "ada", "at": 2}
    read: ViewerKeys = {"story": "s", "reader": True, "read": 1}
    with (
        kataribe.open(path, services=services()) as store,
        kataribe.open(path, services=services()) as writer,
        kataribe.open(path, services=services()) as other,
    ):
        story = writer.story("s")
        story.create(language=language, embedder="hash")
        story.cast.add(kataribe.Character(character_id="ada"))
        for viewer in (ada, read):
            assert store.recall(question, explain=True, **viewer).hits == ()
            assert other.recall(question, explain=True, **viewer).hits == ()
        bo: ViewerKeys = {"story": "t", "persona": "bo", "at": 2}
        writer.story("t").create(language=language, embedder="hash")
        writer.story("t").episodes.put(1, text)
        story.episodes.put(1, text)
        writer.sync()
        # Who is asked with them is embedded by the same embedder.
        _, *many = store.recall_many(question, [bo, ada, read], explain=True)
        alone = tuple(other.recall(question, explain=True, **viewer) for viewer in (ada, read))
    with kataribe.open(path, services=services()) as store:
        fresh = tuple(store.recall(question, explain=True, **viewer) for viewer in (ada, read))
    assert tuple(many) == alone == fresh
    assert [found.explanation.made_by for found in fresh if found.explanation] == ["rules-1", "rules-1"]
