"""What every ledger promises of erasing a user."""

from __future__ import annotations

from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.space import SpaceType, talk_space, user_space
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import a_turn, open_spaces, say

_OWN, _TALK = user_space("u"), talk_space("s", "u", "e2")
_BOTH = (SpaceType.USER, SpaceType.TALK)


class ErasingContract:
    """Rows are told by the user they are of, and what lies elsewhere outlives them until it is removed."""

    def test_rows_are_counted_by_the_user_they_are_of(self, ledger: Ledger) -> None:
        """Its own apart from talk; of another, whose id is part of this one's, nothing."""
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, _OWN, [a_turn(1)])
            say(writing, _TALK, [a_turn(1), a_turn(2)])
            own, talk = (writing.rows_of_user("u", one) for one in _BOTH)
            assert (own["turns"], own["users"], talk["turns"]) == (1, 1, 2)
            assert "users" not in talk
            for other in ("", "e2", "s", "uu"):
                assert [dict(writing.rows_of_user(other, one)) for one in _BOTH] == [{}, {}]

    def test_talk_goes_by_itself_and_with_the_user_nothing_is_left(self, ledger: Ledger) -> None:
        """A space of another kind is no talk."""
        with ledger.writing() as writing:
            open_spaces(writing)
            say(writing, _OWN, [a_turn(1)])
            say(writing, _TALK, [a_turn(1)])
            writing.delete_talk(_OWN)
            writing.delete_talk(_TALK)
            assert writing.rows_of_user("u", SpaceType.USER)["turns"] == 1
            assert not writing.rows_of_user("u", SpaceType.TALK)
            writing.delete_user("u")
            assert not writing.rows_of_user("u", SpaceType.USER)

    def test_a_space_that_is_made_again_is_another_one(self, ledger: Ledger) -> None:
        """Though it is called the same."""
        with ledger.writing() as writing:
            open_spaces(writing)
            before = writing.space_token(_OWN)
            assert before == writing.space_token(_OWN) is not None
            writing.delete_user("u")
            assert writing.space_token(_OWN) is None
            open_spaces(writing)
            assert writing.space_token(_OWN) not in (None, before)

    def test_files_that_were_written_outlive_their_user_until_they_are_forgotten(
        self, ledger: Ledger
    ) -> None:
        """Each as it was written last."""
        first, again = WrittenExport("ゆき.zip", "a1"), WrittenExport("ゆき.zip", "b2")
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_export(_OWN, first)
            writing.put_export(_OWN, again)
            assert writing.exports("u") == (again,)
            assert not writing.exports_gone()
        with ledger.writing() as writing:
            writing.delete_user("u")
        with ledger.reading() as view:
            gone = view.exports_gone()
            assert (view.exports("u"), [*gone.values()]) == ((), [again])
        with ledger.writing() as writing:
            writing.forget_exports(gone)
            assert not writing.exports_gone()

    def test_who_reads_nothing_keeps_nobody_from_cutting_the_log_off(self, ledger: Ledger) -> None:
        """And there are no copies, and no archive."""
        with ledger.writing() as writing:
            open_spaces(writing)
        assert ledger.scrub() == ()
        assert (ledger.copies(), ledger.archived(["folder"])) == ((), ())
