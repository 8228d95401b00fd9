"""What every ledger promises of tokens that permit an act on a user."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.privacy.requests import PrivacyAction, PrivacyRequest
from kataribe.domain.space import user_space
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import open_spaces

_OWN = user_space("u")
_EXPORT = PrivacyRequest(PrivacyAction.EXPORT, salt="00", digest="a1", until=9)
_DELETE = replace(_EXPORT, action=PrivacyAction.DELETE, digest="b2")


class RequestsContract:
    """Requests come back as they were put, and go by digest or with their space."""

    def test_requests_come_back_and_are_forgotten_one_by_one(self, ledger: Ledger) -> None:
        """Those of one space only."""
        with ledger.writing() as writing:
            open_spaces(writing)
            for request in (_DELETE, _EXPORT):
                writing.put_privacy_request(_OWN, request)
            assert writing.privacy_requests(_OWN) == (_EXPORT, _DELETE)
            writing.drop_privacy_requests(_OWN, ["a1", "nothing"])
        with ledger.reading() as view:
            assert view.privacy_requests(_OWN) == (_DELETE,)
            assert view.privacy_requests(user_space("v")) == ()

    def test_requests_go_with_their_user(self, ledger: Ledger) -> None:
        """An id that comes again has none."""
        with ledger.writing() as writing:
            open_spaces(writing)
            writing.put_privacy_request(_OWN, _DELETE)
        with ledger.writing() as writing:
            writing.delete_user("u")
            open_spaces(writing)
        with ledger.reading() as view:
            assert view.privacy_requests(_OWN) == ()
