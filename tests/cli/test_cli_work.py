"""`kataribe work` and `sync --workers`."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kataribe.adapters.sql
import kataribe.wiring
from cli.conftest import Cli
from kataribe.domain.work import Lease, WorkKind
from kataribe.testing.fakes import FakeExtractor, FrozenClock


@pytest.fixture
def extractor(monkeypatch: pytest.MonkeyPatch) -> FakeExtractor:
    """Make every command use this extractor, and wait for nothing."""
    made = FakeExtractor(failing=["Poison."])
    parts = replace(kataribe.wiring.default_services(FrozenClock()), extractor=lambda _: made)
    monkeypatch.setattr(kataribe.wiring.stores, "default_services", lambda *_, **__: parts)
    return made


@pytest.fixture
def failed(cli: Cli, extractor: FakeExtractor) -> Cli:
    """Give a story whose second episode is a dead letter and whose third waits for a sync."""
    cli("story", "add", "物語", "--language", "ja", "--embedder", "hash")
    for no, text in enumerate(("雪が降った。", "Poison."), start=1):
        cli("episode", "put", "--story", "物語", "--no", no, "-", stdin=text.encode())
    ran = cli("sync", "--workers", 2, code=1)
    assert "物語 episode 2: told to fail" in ran.err
    assert "kataribe work list --dead" in ran.err
    cli("episode", "put", "--story", "物語", "--no", 3, "-", stdin="二人は歩いた。".encode())
    return cli


def test_the_list_says_what_is_not_in_memory_and_why(failed: Cli) -> None:
    dead, due = failed("work", "list").table
    assert dead == ["物語", "2", "ep-2", "dead", "3", "told to fail on 'Poison.'"]
    assert due == ["物語", "3", "ep-3", "due", "", ""]
    assert failed("work", "list", "--dead").table == [dead]
    assert [row["state"] for row in failed("work", "list", "--json").objects] == ["dead", "due"]
    only = failed("work", "list", "--story", "物語", "--dead", "--json").object
    assert only == {
        "story_id": "物語", "episode_id": "ep-2", "episode_no": 2, "state": "dead", "attempts": 3,
        "error": "told to fail on 'Poison.'", "worker": None, "until": None,
        "space": "story:物語", "kind": "extract", "unit": "ep-2", "user": None,
    }  # fmt: skip


def test_a_program_is_told_what_could_not_be_brought_up(failed: Cli) -> None:
    report = failed("sync", "--retry", "--json", code=1).object
    assert (report["ok"], report["episodes"]) == (False, 1)
    assert report["failed"] == [
        {"story": "物語", "episode_no": 2, "reason": "told to fail on 'Poison.'"},
    ]


def test_the_list_says_who_works_until_when(failed: Cli) -> None:
    ledger = kataribe.adapters.sql.SqlLedger(str(failed.db), FrozenClock())
    now = FrozenClock().now().timestamp()
    with ledger.writing() as writing:
        lease = Lease(token="t", worker="mill:7/proof", until=now + 60)
        assert writing.claim("story:物語", WorkKind.EXTRACT, lease, now=now, limit=9) == ("ep-3",)
    ledger.close()
    assert failed("work", "list").table[1][3] == "working: mill:7 until 2001-02-03T04:06:06+00:00"
    assert failed("work", "list", "--json").objects[1]["until"] == "2001-02-03T04:06:06+00:00"


def test_retry_and_drop(failed: Cli, extractor: FakeExtractor) -> None:
    failed("work", "drop", "--story", "物語", "--at", 2)
    assert failed("work", "list").table[0][3] == "dropped"
    assert "0 episodes to be tried again" in failed("work", "retry").err
    assert failed("sync", "--retry").code == 0, "what was dropped fails no more"
    extractor.failing.clear()
    ran = failed("work", "retry", "--story", "物語", "--at", 2)
    assert "1 episode to be tried again; run `kataribe sync`" in ran.err
    failed("sync")
    assert "memory is up to the texts" in failed("work", "list").err
    assert "no dead letters" in failed("work", "list", "--dead").err


def test_what_is_refused(failed: Cli) -> None:
    failed("work", "retry", "--at", 2, code=2)
    failed("work", "drop", "--story", "物語", code=2)
    failed("sync", "--workers", 0, code=2)
    assert "nothing to drop" in failed("work", "drop", "--story", "物語", "--at", 1, code=3).err
    assert "no episode 9" in failed("work", "drop", "--story", "物語", "--at", 9, code=3).err
    assert "no story 'nobody'" in failed("work", "list", "--story", "nobody", code=3).err
