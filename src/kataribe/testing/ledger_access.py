"""What every ledger promises of access keys."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.access import AccessKey, AccessScope, digest_of
from kataribe.domain.space import parse_space, story_space, user_space
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import open_spaces

ADMIN = AccessKey(key_id="k2", scope=AccessScope.ADMIN, digest=digest_of("s"), made_at="2026")


def a_viewer_key(key_id: str, story_id: str) -> AccessKey:
    """Make a key of one character of a story."""
    of = parse_space(story_space(story_id))
    return replace(ADMIN, key_id=key_id, scope=AccessScope.VIEWER, of=of, persona="澪", upto=3)


def a_reader_key(key_id: str, story_id: str) -> AccessKey:
    """Make a key of somebody who has read a story up to an episode."""
    return replace(
        ADMIN, key_id=key_id, scope=AccessScope.READER, of=parse_space(story_space(story_id)), read=2
    )


def a_user_key(key_id: str, user_id: str) -> AccessKey:
    """Make a key of one user."""
    return replace(ADMIN, key_id=key_id, scope=AccessScope.USER, of=parse_space(user_space(user_id)))


class AccessContract:
    """Keys come back as they were put, and go with what they are bound to."""

    def _with_keys(self, ledger: Ledger) -> tuple[AccessKey, ...]:
        front = replace(ADMIN, key_id="k1", scope=AccessScope.FRONT, users_from="body:user", prefix="w-")
        keys = (front, ADMIN, a_viewer_key("k3", "s"), a_user_key("k4", "u"), a_reader_key("k5", "s"))
        with ledger.writing() as writing:
            open_spaces(writing)
            for key in keys:
                writing.put_access_key(key)
        return keys

    def test_keys_come_back_as_they_were_put(self, ledger: Ledger) -> None:
        """One by its id, and all in the order of their making."""
        keys = self._with_keys(ledger)
        with ledger.reading() as view:
            assert view.access_keys() == keys
            assert view.access_key("k3") == keys[2]
            assert view.access_key("k9") is None

    def test_what_is_revoked_is_there_no_more(self, ledger: Ledger) -> None:
        """And the others are."""
        keys = self._with_keys(ledger)
        with ledger.writing() as writing:
            writing.delete_access_key("k2")
        with ledger.reading() as view:
            assert view.access_keys() == (keys[0], *keys[2:])

    def test_a_key_goes_with_its_story_and_with_its_user(self, ledger: Ledger) -> None:
        """Whoever comes later under the same id is not opened by it."""
        keys = self._with_keys(ledger)
        with ledger.writing() as writing:
            writing.delete_user("u")
        with ledger.writing() as writing:
            writing.delete_story("s")
        with ledger.reading() as view:
            assert view.access_keys() == keys[:2]
