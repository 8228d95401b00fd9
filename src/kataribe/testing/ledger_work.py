"""What every ledger promises of work: what is wanted, who works on it, and how it ended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kataribe.domain.records import Outcome, Wanted, Work
from kataribe.domain.space import Unit, story_space
from kataribe.domain.work import Lease, WorkKind
from kataribe.ports import Ledger, Transaction, View
from kataribe.testing.ledger_world import (
    EXTRACT,
    GAP,
    ODD,
    SPACES,
    TURNS,
    a_story,
    an_episode,
    fill,
    open_spaces,
)


def _lagging(writing: Transaction, count: int = 4, story_id: str = "s") -> None:
    """Put episodes whose memory is not there."""
    writing.put_story(a_story(story_id))
    for no in range(1, count + 1):
        writing.put_episode(story_id, an_episode(no), order_key=no * GAP)
        _want(writing, story_space(story_id), f"e{no}", f"print {no}", no * GAP)


def _want(writing: Transaction, space: str, unit: str, fingerprint: str, position: int = 0) -> None:
    writing.want(space, EXTRACT, {unit: Wanted(fingerprint=fingerprint, position=position)})


def _done(fingerprint: str) -> Work:
    return Work(fingerprint=fingerprint, outcome=Outcome.DONE)


def _lease(token: str, until: float = 100.0) -> Lease:
    return Lease(token=token, worker=f"worker of {token}", until=until)


def _held(reading: View, token: str, now: float) -> set[str]:
    """Name the units of one story that a token holds."""
    found = reading.held(token, now=now)
    assert {unit.space for unit in found} <= {"story:s"}
    return {unit.name for unit in found}


class WorkContract:
    """What every ledger promises of work: what is wanted, who works on it, and how it ended."""

    def test_what_is_claimed_is_not_claimed_again(self, ledger: Ledger) -> None:
        """By number, as many as asked for, of this story alone."""
        with ledger.writing() as writing:
            _lagging(writing)
            _lagging(writing, story_id="other")
            assert writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=3) == ("e1", "e2", "e3")
            assert writing.claim("story:s", EXTRACT, _lease("b"), now=0, limit=3) == ("e4",)
            assert writing.claim("story:s", EXTRACT, _lease("c"), now=0, limit=3) == ()
            assert writing.claim("story:other", EXTRACT, _lease("c"), now=0, limit=1) == ("e1",)
            assert _held(writing, "a", 0) == {"e1", "e2", "e3"}
            assert _held(writing, "unknown", 0) == frozenset()
            assert writing.lease_holders("story:s", EXTRACT) == {"worker of a", "worker of b"}
            held = writing.work("story:s", EXTRACT)["e1"]
            assert (held.lease, held.worker, held.leased_until) == ("a", "worker of a", 100.0)

    def test_a_lease_that_ran_out_is_another_s(self, ledger: Ledger) -> None:
        """And can be renewed no more."""
        with ledger.writing() as writing:
            _lagging(writing, 1)
            writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=1)
            assert writing.next_due("story:s", EXTRACT) == 100.0
            assert writing.renew("a", now=99, until=200) == 1
            assert writing.claim("story:s", EXTRACT, _lease("b", 300), now=199, limit=1) == ()
            assert _held(writing, "a", 200) == frozenset()
            assert writing.renew("a", now=200, until=900) == 0
            assert writing.claim("story:s", EXTRACT, _lease("b", 300), now=200, limit=1) == ("e1",)
            assert _held(writing, "a", 200) == frozenset()
            writing.release("a")
            assert _held(writing, "b", 200) == {"e1"}, "the old token lets go of nothing"

    def test_what_is_released_or_void_is_due(self, ledger: Ledger) -> None:
        """At once."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            for by_worker in (False, True):
                assert writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=2) == ("e1", "e2")
                if by_worker:
                    writing.void(["worker of a", "nobody"])
                else:
                    writing.release("a")
                assert _held(writing, "a", 0) == frozenset()
                assert writing.next_due("story:s", EXTRACT) == 0
                assert writing.lease_holders("story:s", EXTRACT) == frozenset()

    def test_the_last_word_ends_a_lease(self, ledger: Ledger) -> None:
        """However the work ended and whoever said it."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=2)
            writing.put_work("story:s", EXTRACT, "e1", Work(fingerprint="print 1", outcome=Outcome.DONE))
            assert _held(writing, "a", 0) == {"e2"}

    def test_new_inputs_end_a_lease(self, ledger: Ledger) -> None:
        """The work on the old ones is in vain; the new ones need not wait."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=2)
            _want(writing, "story:s", "e1", "another print", GAP)
            assert _held(writing, "a", 0) == {"e2"}
            assert writing.claim("story:s", EXTRACT, _lease("b"), now=0, limit=9) == ("e1",)

    def test_what_is_shown_or_gone_is_not_due(self, ledger: Ledger) -> None:
        """Unless it is asked for by name, and even then a deleted episode is not."""
        with ledger.writing() as writing:
            fill(writing)
            assert writing.next_due("story:s", EXTRACT) is None
            assert writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=9) == ()
            writing.want("story:s", EXTRACT, {"e2": None})
            assert writing.claim(
                "story:s", EXTRACT, _lease("a"), now=0, limit=9, among=["e1", "e2", "e9"]
            ) == ("e1",)
            assert writing.claim("story:s", EXTRACT, _lease("b"), now=0, limit=9, among=["e1"]) == ()
            assert writing.claim("story:s", EXTRACT, _lease("b"), now=0, limit=9, among=[]) == ()
            assert writing.work("story:s", EXTRACT)["e1"].outcome is Outcome.DONE, (
                "a lease is not the last word"
            )

    def test_what_failed_is_due_later_or_never(self, ledger: Ledger) -> None:
        """As long as it failed with these inputs."""
        ends = (
            Work(fingerprint="print 1", outcome=Outcome.FAILED, attempts=1, due_at=50.0),
            Work(fingerprint="print 2", outcome=Outcome.DEAD, attempts=3),
            Work(fingerprint="print 3", outcome=Outcome.DROPPED),
        )
        with ledger.writing() as writing:
            _lagging(writing)
            for no, end in enumerate(ends, start=1):
                writing.put_work("story:s", EXTRACT, f"e{no}", end)
            assert writing.due("story:s", EXTRACT) == ("e1", "e4")
            assert writing.claim("story:s", EXTRACT, _lease("a"), now=49, limit=9) == ("e4",)
            assert writing.next_due("story:s", EXTRACT) == 50.0
            assert writing.claim("story:s", EXTRACT, _lease("b"), now=50, limit=9) == ("e1",)
            writing.release("b")
            for no in (1, 2, 3):
                _want(writing, "story:s", f"e{no}", "new", no * GAP)
            assert writing.claim("story:s", EXTRACT, _lease("c"), now=0, limit=9) == ("e1", "e2", "e3")

    def test_failures_are_forgotten_but_not_what_was_dropped(self, ledger: Ledger) -> None:
        """That is taken up by name; and who works on one that failed keeps the lease."""
        ends = (Outcome.FAILED, Outcome.DEAD, Outcome.DROPPED, Outcome.DROPPED)
        with ledger.writing() as writing:
            _lagging(writing)
            for no, outcome in enumerate(ends, start=1):
                writing.put_work(
                    "story:s", EXTRACT, f"e{no}", Work(fingerprint=f"print {no}", outcome=outcome, attempts=2)
                )
            writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=1)
            assert writing.clear_failures("story:s", EXTRACT) == 2
            assert writing.clear_failures("story:s", EXTRACT) == 0
            assert _held(writing, "a", 0) == {"e1"}
            assert writing.due("story:s", EXTRACT) == ("e1", "e2")
            assert writing.clear_failures("story:s", EXTRACT, "e4") == 1
            assert writing.due("story:s", EXTRACT) == ("e1", "e2", "e4")

    @pytest.mark.parametrize("kind", [EXTRACT, TURNS])
    @pytest.mark.parametrize("space", SPACES)
    def test_work_is_kept_by_space_kind_and_unit(self, ledger: Ledger, space: str, kind: WorkKind) -> None:
        """Every question and every word is of one kind in one space."""
        every = [(one, other) for one in SPACES for other in (EXTRACT, TURNS)]
        with ledger.writing() as writing:
            open_spaces(writing)
            for one, other in every:
                writing.want(one, other, {"a": Wanted(fingerprint="new", position=2)})
                writing.want(one, other, {"b": Wanted(fingerprint="new", position=1)})
            assert writing.claim(space, kind, _lease("t"), now=0, limit=9) == ("b", "a")
            assert writing.held("t", now=0) == {Unit(space, "a"), Unit(space, "b")}
            writing.put_work(space, kind, "a", Work(fingerprint="new", outcome=Outcome.DONE))
            writing.put_work(space, kind, "b", Work(fingerprint="new", outcome=Outcome.DEAD, attempts=3))
        with ledger.writing() as writing:
            for one, other in every:
                here = (one, other) == (space, kind)
                assert writing.due(one, other) == (() if here else ("b", "a"))
                assert writing.next_due(one, other) == (None if here else 0)
                assert writing.lease_holders(one, other) == frozenset()
            assert writing.work(space, kind, "a") == {"a": replace(_done("new"), wanted="new")}
            assert set(writing.work(space, kind)) == {"a", "b"}
            assert writing.work(space, kind, "never there") == {}
            assert writing.clear_failures(space, kind) == 1
            assert writing.due(space, kind) == ("b",)

    @pytest.mark.parametrize("space", SPACES)
    def test_what_was_asked_for_again_is_due_again(self, ledger: Ledger, space: str) -> None:
        """In order of position and then of name; what nobody wants any more is not due and is not claimed."""
        with ledger.writing() as writing:
            open_spaces(writing)
            units = {unit: Wanted(fingerprint="1", position=at) for at, unit in enumerate("cab")}
            writing.want(space, TURNS, {**units, "d": Wanted(fingerprint="1", position=1)})
            assert writing.due(space, TURNS) == ("c", "a", "d", "b")
            for unit in "abcd":
                writing.put_work(space, TURNS, unit, _done("1"))
            assert writing.due(space, TURNS) == ()
            writing.want(space, TURNS, {"a": Wanted(fingerprint="2", position=9)})
            writing.want(space, TURNS, {"b": Wanted(fingerprint="2", position=5), "c": None})
            assert writing.due(space, TURNS) == ("b", "a")
            writing.want(space, TURNS, {"b": Wanted(fingerprint="1", position=5)})
            assert writing.due(space, TURNS) == ("a",), "what is wanted was done once"
            writing.claim(space, TURNS, _lease("t"), now=0, limit=9)
            writing.want(space, TURNS, {"a": None})
            assert writing.held("t", now=0) == frozenset()
            assert writing.claim(space, TURNS, _lease("t"), now=0, limit=9, among=["a", "c"]) == ()
            assert writing.work(space, TURNS)["a"].lags is False

    def test_the_same_want_keeps_a_lease(self, ledger: Ledger) -> None:
        """Who works on it goes on; only its place in the line may change."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            writing.claim("story:s", EXTRACT, _lease("a"), now=0, limit=1)
            _want(writing, "story:s", "e1", "print 1", 9 * GAP)
            assert _held(writing, "a", 0) == {"e1"}
            assert writing.due("story:s", EXTRACT) == ("e2", "e1")

    def test_the_last_word_comes_back_as_sent(self, ledger: Ledger) -> None:
        """Whole; and it says nothing of what is wanted."""
        last = Work(
            fingerprint="f",
            outcome=Outcome.FAILED,
            attempts=2,
            error=ODD[0],
            lease="t",
            worker=ODD[2],
            leased_until=5.5,
            due_at=7.25,
        )
        with ledger.writing() as writing:
            _lagging(writing, 1)
            writing.put_work("story:s", EXTRACT, "e1", Work(fingerprint="g", outcome=Outcome.DEAD))
            writing.put_work("story:s", EXTRACT, "e1", last)
            writing.put_work("story:s", EXTRACT, "e9", last)
        with ledger.reading() as reading:
            assert reading.work("story:s", EXTRACT) == {"e1": replace(last, wanted="print 1"), "e9": last}
            assert reading.due("story:s", EXTRACT) == ("e1",)
