"""What is sent again is stored once, and what was read before is not written over what is newer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from support.stores import empty_store, services


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[kataribe.Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "store.db")), services=services()) as opened:
        yield opened


def test_a_turn_that_is_said_again_under_its_id_is_stored_once(memory: kataribe.Kataribe) -> None:
    talk = memory.user("yuki")
    talk.create(language="ja", embedder="hash")
    first = talk.said("短く話して", speaker="yuki", persona="澪", session="s", turn_id="k1")
    talk.said("Fine.", speaker="澪", persona="澪", session="s", turn_id="k2")
    again = talk.said("短く話して", speaker="yuki", persona="澪", session="s", turn_id="k1")
    assert (again.turn_id, again.time) == (first.turn_id, first.time) == ("k1", first.time)
    assert [turn.turn_id for turn in talk.turns()] == ["k1", "k2"]
    with pytest.raises(kataribe.ConflictError, match="give each its own"):
        talk.said("長く話して", speaker="yuki", persona="澪", session="s", turn_id="k1")
    assert len(memory.known(user="yuki", persona="澪").hits) == 2
    assert memory.verify().problems == ()


def test_an_episode_is_not_put_over_a_newer_one(memory: kataribe.Kataribe) -> None:
    tale = memory.story("海")
    tale.create(language="ja", embedder="hash")
    with pytest.raises(kataribe.StaleError, match="is not there"):
        tale.episodes.put(1, "雨", expected="any")
    tale.episodes.put(1, "雨", expected="")
    read = kataribe.episode_tag(tale.episodes.get(1))
    with pytest.raises(kataribe.StaleError, match="is there already"):
        tale.episodes.put(1, "雪", expected="")
    tale.episodes.put(1, "雨", title="題", expected=read)
    with pytest.raises(kataribe.StaleError, match="has changed"):
        tale.episodes.put(1, "雪", expected=read)
    assert (tale.episodes.get(1).text, tale.episodes.get(1).title) == ("雨", "題")
    tale.episodes.put(1, "晴れ", expected="*")
    assert tale.episodes.get(1).text == "晴れ"
