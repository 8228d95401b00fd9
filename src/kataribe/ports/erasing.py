"""The ledger's part for erasing a user: what is there of one, and what is noted to be removed elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.space import SpaceType


class ErasingView(Protocol):
    """What is read for it within one view; all of it is the author's."""

    def rows_of_user(self, user_id: str, of: SpaceType) -> Mapping[str, int]:
        """Count by table what is there of a user in its own space, or in those of talk with it.

        Tables that have nothing are left out. It is asked of the rows, whether or not there is such a user.
        """

    def archive_folders(self, user_id: str) -> tuple[str, ...]:
        """Name the folders of a user's spaces in the archive."""

    def fed_of_user(self, user_id: str) -> Mapping[str, int]:
        """Count by collection the entries that indexes outside the store were given of a user's spaces."""

    def fed_to_gone(self) -> Mapping[tuple[str, str], int]:
        """Count by index and collection the entries that it may hold of spaces that are gone."""

    def exports(self, user_id: str) -> tuple[WrittenExport, ...]:
        """Give the files that were written of a user, by path."""

    def exports_gone(self) -> Mapping[int, WrittenExport]:
        """Give by number the files that were written of users who are gone, and that are not removed yet."""


class ErasingTransaction(ErasingView, Protocol):
    """What is written for it within one transaction."""

    def delete_talk(self, space: str) -> None:
        """Remove a space of talk with all that is in it."""

    def put_export(self, space: str, export: WrittenExport) -> None:
        """Note that a file was written of the user whose space this is; it is removed when the user goes."""

    def forget_exports(self, numbers: Collection[int]) -> None:
        """Forget files of users who are gone: they are removed."""
