"""A fact made by hand in the words of the text: whose place it takes, and whose it never takes (P2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.terms import PUBLIC, Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

WORDS = {
    "en": ("The key is under the stone.", "The lamp went out."),
    "ja": ("鍵は石の下にある。", "ランプが消えた。"),
}


@pytest.fixture(params=["en", "ja"])
def told(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Kataribe, str, str]]:
    """A story of one episode that everybody knows, what it says, and what it does not say."""
    language: Language = "ja" if request.param == "ja" else "en"
    said, unsaid = WORDS[language]
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("s").create(language=language, embedder="hash")
        store.story("s").episodes.put(no=1, text=said)
        store.sync()
        yield store, said, unsaid


def knowers(store: Kataribe, text: str) -> set[str]:
    """Tell who knows these words at episode 2."""
    return {
        who
        for who in ("ann", "ben")
        if text in [hit.text for hit in store.known(story="s", persona=who, at=2).hits]
    }


def test_a_fact_made_first_takes_nothing_from_those_to_whom_the_text_says_it_later(
    told: tuple[Kataribe, str, str],
) -> None:
    store, said, unsaid = told
    store.story("s").facts.add(episode_no=1, text=unsaid, audience=known_by("ann"))
    assert knowers(store, unsaid) == {"ann"}
    store.story("s").episodes.put(no=1, text=f"{said}\n{unsaid}")
    store.sync()
    assert knowers(store, unsaid) == {"ann", "ben"}
    assert store.verify().ok


def test_a_fact_taken_from_somebody_is_taken_though_the_text_says_it(
    told: tuple[Kataribe, str, str],
) -> None:
    store, said, _ = told
    fact_id = store.story("s").facts.add(episode_no=1, text=said, audience=PUBLIC)
    assert knowers(store, said) == {"ann", "ben"}
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=known_by("ann"), keep_quote=True))
    assert knowers(store, said) == {"ann"}
    store.sync()
    assert knowers(store, said) == {"ann"}
    store.story("s").undo()
    assert knowers(store, said) == {"ann", "ben"}
    assert store.verify().ok


def test_nothing_is_taken_while_nobody_can_tell_what_the_text_says(told: tuple[Kataribe, str, str]) -> None:
    store, said, unsaid = told
    fact_id = store.story("s").facts.add(episode_no=1, text=said, audience=PUBLIC)
    store.story("s").episodes.put(no=1, text=f"{said}\n{unsaid}")
    edit = kataribe.FactEdit(audience=known_by("ann"), keep_quote=True)
    with pytest.raises(kataribe.ConflictError, match="kataribe sync"):
        store.story("s").facts.edit(fact_id, edit)
    store.story("s").episodes.delete(no=1)
    with pytest.raises(kataribe.ConflictError, match="restore"):
        store.story("s").facts.edit(fact_id, edit)
    store.story("s").episodes.restore(no=1)
    store.sync()
    store.story("s").facts.edit(fact_id, edit)
    assert knowers(store, said) == {"ann"}
    assert store.verify().ok
