"""What searches leave behind them: written in groups, whichever verb it was, and not for ever."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

import kataribe
from kataribe.engine.noting import TRACES_TOGETHER
from kataribe.settings import from_environment
from support.stores import services
from support.talk import talk, turn


@pytest.mark.parametrize("verb", ["search_log", "read_turn", "recall"])
def test_a_full_group_is_written_by_itself(tmp_path: Path, verb: str) -> None:
    """Nobody has to close the store, or to ask for traces, for them to be there."""
    path = tmp_path / "t.db"
    with talk(path, [turn(1, "The key lies under the mill."), turn(2, "鍵は水車小屋の下。")]):
        pass

    async def ask() -> int:
        store = await kataribe.open_async(str(path), services=services())
        try:
            for number in range(TRACES_TOGETHER):
                if verb == "search_log":
                    await store.viewer(user="u").search_log(["鍵" if number % 2 else "key"])
                elif verb == "read_turn":
                    await store.viewer(user="u").read_turn("t1")
                else:
                    await store.recall("key", user="u")
            assert store._engine._flushing is not None
            await store._engine._flushing
            with sqlite3.connect(path) as raw:
                return int(raw.execute("SELECT count(*) FROM traces WHERE verb = ?", (verb,)).fetchone()[0])
        finally:
            await store.close()

    assert asyncio.run(ask()) == TRACES_TOGETHER


def test_old_traces_go_when_new_ones_are_written(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with talk(path, [turn(1, "The key lies under the mill.")], parts={"traces_kept": 3}) as store:
        for number in range(5):
            store.recall("key", user="u", as_of=turn(number, "x", day=9).time)
        moments = [trace.as_of for trace in store.admin.traces(user="u")]
        assert moments == [turn(number, "x", day=9).time.isoformat() for number in (4, 3, 2)]
        store.viewer(user="u").search_log(["key"])
        assert [trace.verb for trace in store.admin.traces(user="u")] == ["search_log", "recall", "recall"]


def test_a_trace_of_a_user_keeps_the_shape_of_a_filter_and_none_of_its_words(tmp_path: Path) -> None:
    """What nobody can tell to be personal, a bare password say, is not written down either."""
    with talk(
        tmp_path / "t.db", [turn(1, "The key lies under the mill."), turn(2, "鍵は水車小屋の下。")]
    ) as store:
        where = {
            "$or": [{"speaker": {"$in": ["hunter2", "合言葉"]}}, {"turn_id": "t1"}],
            "ordinal": {"$gt": 1},
        }
        store.recall("key", user="u", where=where)
        store.viewer(user="u").known(where={"speaker": "合言葉"})
        known, recall = store.admin.traces(user="u")
    assert known.filter == {"speaker": "…"}
    assert recall.filter == {
        "$or": [{"speaker": {"$in": ["…", "…"]}}, {"turn_id": "t1"}],
        "ordinal": {"$gt": 1},
    }


def test_how_many_stay_is_a_setting() -> None:
    read = from_environment(environ={"KATARIBE_TRACES_KEPT": "7"})
    assert kataribe.default_services(settings=read).traces_kept == 7
    assert from_environment(environ={}).traces_kept == kataribe.Settings().traces_kept == 10_000
    with pytest.raises(kataribe.InputError, match="KATARIBE_TRACES_KEPT"):
        from_environment(environ={"KATARIBE_TRACES_KEPT": "all"})
    with pytest.raises(kataribe.InputError, match="traces_kept"):
        kataribe.Settings(traces_kept=-1)
