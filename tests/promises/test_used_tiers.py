"""What a viewer used moves what it keeps in tiers; `verify` finds nothing wrong, and a sync brings it up."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from support.archived import LATER, NIGHT, opened, says
from support.stores import empty_store

WORDS = {
    "en": ("I live in Osaka.", "I like green tea very much.", "Where do I live?"),
    "ja": ("私は大阪に住んでいます。", "私は緑茶が大好きです。", "どこに住んでいる？"),
}


def lived(store: Kataribe, language: Language) -> None:
    user = store.user("u")
    user.create(language=language, embedder="hash")
    first, second, _ = WORDS[language]
    user.put_turns([says(1, first), says(2, second, day=0.5), says(3, first, day=0.7, to=("ben",))])
    store.sync()
    user.memory.nightly(at=NIGHT)


def use(store: Kataribe, language: Language) -> int:
    rin = store.viewer(user="u", persona="rin")
    hits = rin.recall(WORDS[language][2]).hits
    return rin.report_use([one.fact_id for one in hits])


def rows(store: Kataribe) -> dict[str, list[object]]:
    """Give who keeps what, in all its rows."""
    memory = store.user("u").memory
    found: dict[str, list[object]] = {}
    for one in memory.list().memories:
        found.setdefault(one.holder, []).extend(memory.history(one.value.memory_id).rows)
    return found


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_used_is_brought_up_by_a_sync_and_is_sound_before(
    tmp_path: Path, language: Language
) -> None:
    path = empty_store(tmp_path / "k.db")
    with opened(path, None) as store:
        lived(store, language)
        before = rows(store)
        assert use(store, language) > 0
    with opened(path, None) as store:
        assert store.verify().problems == ()
        assert store.user("u").memory.list().pending == ("rin",)
        assert rows(store) == before
        store.sync()
        assert store.verify().problems == ()
        assert store.user("u").memory.list().pending == ()
        after = rows(store)
        assert after["ben"] == before["ben"]
        store.admin.rebuild()
        assert rows(store) == after


def test_what_was_used_in_this_process_is_brought_up_by_its_next_sync(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    with opened(path, None) as store:
        lived(store, "en")
        assert use(store, "en") > 0
        store.sync()
        brought_up = rows(store)
        assert store.user("u").memory.list().pending == ()
        assert store.verify().problems == ()
    with opened(path, None, now=LATER + timedelta(days=1)) as store:
        assert store.verify().problems == ()
        store.sync()
        assert rows(store) == brought_up


def test_a_persona_that_keeps_nothing_of_its_own_makes_nothing_due(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    with opened(path, None) as store:
        store.user("u").create(language="en", embedder="hash")
        store.user("u").put_turns([says(1, "I live in Osaka.", to=None)])
        store.sync()
        assert use(store, "en") > 0
    with opened(path, None) as store:
        assert store.user("u").memory.list().pending == ()
        assert store.verify().problems == ()
