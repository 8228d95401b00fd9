"""Leases: who may work on what, and until when."""

from __future__ import annotations

import pytest

from kataribe.domain.records import Outcome, Work
from kataribe.domain.work import Lease
from kataribe.errors import NotFoundError
from kataribe.ports import Ledger, Transaction
from kataribe.testing.ledger_world import GAP, a_story, an_episode, everything, fill


def _lagging(writing: Transaction, count: int = 4, story_id: str = "s") -> None:
    """Put episodes whose memory is not there."""
    writing.put_story(a_story(story_id))
    for no in range(1, count + 1):
        writing.put_episode(story_id, an_episode(no), order_key=no * GAP)
    writing.set_wanted(story_id, {f"e{no}": f"print {no}" for no in range(1, count + 1)}, {})


def _lease(token: str, until: float = 100.0) -> Lease:
    return Lease(token=token, worker=f"worker of {token}", until=until)


class LedgerLeases:
    """Leases: who may work on what, and until when."""

    def test_what_is_claimed_is_not_claimed_again(self, ledger: Ledger) -> None:
        """By number, as many as asked for, of this story alone."""
        with ledger.writing() as writing:
            _lagging(writing)
            _lagging(writing, story_id="other")
            assert writing.claim("s", _lease("a"), now=0, limit=3) == ("e1", "e2", "e3")
            assert writing.claim("s", _lease("b"), now=0, limit=3) == ("e4",)
            assert writing.claim("s", _lease("c"), now=0, limit=3) == ()
            assert writing.claim("other", _lease("c"), now=0, limit=1) == ("e1",)
            assert writing.held("a", now=0) == {"e1", "e2", "e3"}
            assert writing.held("unknown", now=0) == frozenset()
            assert writing.lease_holders("s") == {"worker of a", "worker of b"}
            held = writing.work("s")["e1"]
            assert (held.lease, held.worker, held.leased_until) == ("a", "worker of a", 100.0)

    def test_a_lease_that_ran_out_is_another_s(self, ledger: Ledger) -> None:
        """And can be renewed no more."""
        with ledger.writing() as writing:
            _lagging(writing, 1)
            writing.claim("s", _lease("a"), now=0, limit=1)
            assert writing.next_due("s") == 100.0
            assert writing.renew("a", now=99, until=200) == 1
            assert writing.claim("s", _lease("b", 300), now=199, limit=1) == ()
            assert writing.held("a", now=200) == frozenset()
            assert writing.renew("a", now=200, until=900) == 0
            assert writing.claim("s", _lease("b", 300), now=200, limit=1) == ("e1",)
            assert writing.held("a", now=200) == frozenset()
            writing.release("a")
            assert writing.held("b", now=200) == {"e1"}, "the old token lets go of nothing"

    def test_what_is_released_or_void_is_due(self, ledger: Ledger) -> None:
        """At once."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            for by_worker in (False, True):
                assert writing.claim("s", _lease("a"), now=0, limit=2) == ("e1", "e2")
                if by_worker:
                    writing.void(["worker of a", "nobody"])
                else:
                    writing.release("a")
                assert writing.held("a", now=0) == frozenset()
                assert writing.next_due("s") == 0
                assert writing.lease_holders("s") == frozenset()

    def test_the_last_word_ends_a_lease(self, ledger: Ledger) -> None:
        """However the work ended and whoever said it."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            writing.claim("s", _lease("a"), now=0, limit=2)
            writing.put_work("s", "e1", Work(fingerprint="print 1", outcome=Outcome.DONE))
            assert writing.held("a", now=0) == {"e2"}

    def test_new_inputs_end_a_lease(self, ledger: Ledger) -> None:
        """The work on the old ones is in vain; the new ones need not wait."""
        with ledger.writing() as writing:
            _lagging(writing, 2)
            writing.claim("s", _lease("a"), now=0, limit=2)
            writing.set_wanted("s", {"e1": "another print"}, {})
            assert writing.held("a", now=0) == {"e2"}
            assert writing.claim("s", _lease("b"), now=0, limit=9) == ("e1",)

    def test_what_is_shown_or_gone_is_not_due(self, ledger: Ledger) -> None:
        """Unless it is asked for by name, and even then a deleted episode is not."""
        with ledger.writing() as writing:
            fill(writing)
            assert writing.next_due("s") is None
            assert writing.claim("s", _lease("a"), now=0, limit=9) == ()
            writing.set_deleted("s", "e2", "2001-02-03")
            assert writing.claim("s", _lease("a"), now=0, limit=9, among=["e1", "e2", "e9"]) == ("e1",)
            assert writing.claim("s", _lease("b"), now=0, limit=9, among=["e1"]) == ()
            assert writing.claim("s", _lease("b"), now=0, limit=9, among=[]) == ()
            assert writing.work("s")["e1"].outcome is Outcome.DONE, "a lease is not the last word"

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
                writing.put_work("s", f"e{no}", end)
            assert writing.lagging("s") == ("e1", "e4")
            assert writing.claim("s", _lease("a"), now=49, limit=9) == ("e4",)
            assert writing.next_due("s") == 50.0
            assert writing.claim("s", _lease("b"), now=50, limit=9) == ("e1",)
            writing.release("b")
            writing.set_wanted("s", {f"e{no}": "new" for no in (1, 2, 3)}, {})
            assert writing.claim("s", _lease("c"), now=0, limit=9) == ("e1", "e2", "e3")

    def test_failures_are_forgotten_but_not_what_was_dropped(self, ledger: Ledger) -> None:
        """That is taken up by name; and who works on one that failed keeps the lease."""
        ends = (Outcome.FAILED, Outcome.DEAD, Outcome.DROPPED, Outcome.DROPPED)
        with ledger.writing() as writing:
            _lagging(writing)
            for no, outcome in enumerate(ends, start=1):
                writing.put_work("s", f"e{no}", Work(fingerprint=f"print {no}", outcome=outcome, attempts=2))
            writing.claim("s", _lease("a"), now=0, limit=1)
            assert writing.clear_failures("s") == 2
            assert writing.clear_failures("s") == 0
            assert writing.held("a", now=0) == {"e1"}
            assert writing.lagging("s") == ("e1", "e2")
            assert writing.clear_failures("s", "e4") == 1
            assert writing.lagging("s") == ("e1", "e2", "e4")

    def test_a_part_is_undone_by_itself(self, ledger: Ledger) -> None:
        """What came before and after it stays."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
            with pytest.raises(NotFoundError), writing.part():  # noqa: PT012
                writing.delete_story("s")
                raise NotFoundError("no")
            assert everything(writing, "s") == before
            with writing.part():
                writing.put_story(a_story("kept"))
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert reading.story("kept") is not None
