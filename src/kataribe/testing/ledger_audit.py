"""What every ledger promises of the audit record, and of what ties it to its key store."""

from __future__ import annotations

from kataribe.domain.audit import Act, Head, follow
from kataribe.domain.keys import Tombstone
from kataribe.ports import Ledger

AT = "2026-05-01T00:00:00+00:00"


class AuditContract:
    """The record grows at its end, chain by chain, and goes by whole chains."""

    def test_events_come_back_as_they_were_written(self, ledger: Ledger) -> None:
        """In order, and as they were: what is said in them and the hash of it."""
        acts = [Act(at=AT, act=f"act.{n}", detail={"語": n}) for n in range(5)]
        events = tuple(follow("user:~a", Head(), acts))
        with ledger.writing() as writing:
            writing.append_audit(events[:2])
        with ledger.writing() as writing:
            writing.append_audit(events[2:])
            assert writing.audit_head("user:~a") == events[-1].after
        with ledger.reading() as view:
            assert view.audit_events("user:~a") == events
            assert view.audit_events("user:~a", after=2, limit=2) == events[2:4]
            assert view.last_audit_events(["user:~a"], last=2) == events[:-3:-1]
            assert view.audit_chains() == ("user:~a",)
            assert view.audit_heads() == {"user:~a": events[-1].after}
            assert view.audit_events("user:~a")[3].detail == {"語": 3}
            assert view.audit_head("user:~b") == Head()

    def test_a_chain_goes_as_a_whole_and_alone(self, ledger: Ledger) -> None:
        """Others stay, those too whose name begins alike."""
        with ledger.writing() as writing:
            for chain in ("user:~a", "user:~ab", "talk:s:~a:e1"):
                writing.append_audit(tuple(follow(chain, Head(), [Act(at=AT, act="store")])))
        with ledger.writing() as writing:
            writing.erase_audit(["user:~a", "talk:s:~a:e1"])
        with ledger.reading() as view:
            assert view.audit_chains() == tuple(view.audit_heads()) == ("user:~ab",)

    def test_what_is_undone_was_not_written(self, ledger: Ledger) -> None:
        """The record is part of the transaction whose acts it tells."""
        try:
            with ledger.writing() as writing:
                writing.append_audit(tuple(follow("store", Head(), [Act(at=AT, act="store")])))
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        with ledger.reading() as view:
            assert view.audit_chains() == ()
            assert view.audit_heads() == {}

    def test_marks_and_keys_to_be_destroyed_stay_until_they_are_taken_back(self, ledger: Ledger) -> None:
        """Over the life of a process."""
        stone = Tombstone(salt="00", digest="ab", at=AT, counts={"audit": 3})
        with ledger.writing() as writing:
            assert writing.mark("store") is None
            writing.put_mark("store", "a")
            writing.put_mark("store", "b")
            writing.put_shred("k1", stone)
            writing.put_shred("k1", stone)
        with ledger.writing() as writing:
            assert writing.mark("store") == "b"
            assert writing.shreds() == {"k1": stone}
            writing.delete_shred("k1")
        with ledger.reading() as view:
            assert view.shreds() == {}
