"""A retriever of LlamaIndex: what one viewer remembers, by the library's own calls."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import MetadataMode, QueryBundle

import kataribe
from kataribe.agents.llama_index import KataribeRetriever
from support.stores import empty_store, services

TOLD = {
    "en": ("Ada buried the silver key under the pear tree.", "Where is the silver key?"),
    "ja": ("アダは銀の鍵を梨の木の下に埋めた。", "銀の鍵はどこ？"),
}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_retriever_gives_what_its_viewer_remembers_and_nobody_else(tmp_path: Path, language: Any) -> None:
    secret, question = TOLD[language]
    path = empty_store(tmp_path / "s.db")
    with kataribe.open(str(path), services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash", audience="wide")
        for who in ("ada", "bo"):
            story.cast.add(kataribe.Character(character_id=who))
        story.tell(secret, facts=[{"text": secret, "known_by": ["ada"], "fact_id": "f1"}])
        ada = KataribeRetriever(memory, {"story": "s", "persona": "ada", "at": 2}, top_k=3)
        (found,) = ada.retrieve(question)
        (hit,) = memory.recall(question, story="s", persona="ada", at=2).hits
        assert (found.node.node_id, found.score) == ("f1", hit.score)
        assert found.node.get_content(MetadataMode.LLM) == secret
        assert found.node.metadata["episode_no"] == 1
        for asked in (question, QueryBundle(f"{question} (persona: ada, at: 99)")):
            assert KataribeRetriever(memory, {"story": "s", "persona": "bo", "at": 2}).retrieve(asked) == []
        assert [one.node.node_id for one in asyncio.run(ada.aretrieve(question))] == ["f1"]
        with pytest.raises(kataribe.InputError):
            KataribeRetriever(memory, {"story": "s", "at": 2, "user": ""})
