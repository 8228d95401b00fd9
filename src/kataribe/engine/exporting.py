"""Verbs that give out all that is kept of a user: as one file, and on one page."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from heapq import nlargest
from pathlib import Path
from typing import TypeVar, cast

from kataribe.conversation.confirming import check_request, spend_request
from kataribe.conversation.homes import user_of
from kataribe.conversation.profile import item, standing
from kataribe.conversation.records import RecordSources, survey, user_records
from kataribe.domain.audit import Act, AuditEvent, AuditNote, is_chain_under
from kataribe.domain.conversation.life.values import MemoryValue
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import position_of
from kataribe.domain.keys import SecretKey
from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.privacy.profile import ProfileItem, newest
from kataribe.domain.privacy.records import ExportedBundle, HeldRecord, SaidSpace, UserOverview
from kataribe.domain.privacy.requests import PrivacyAction
from kataribe.domain.privacy.sealed import given_back, with_words
from kataribe.domain.space import parse_space, user_space
from kataribe.domain.work import WorkKind
from kataribe.engine.backups import backups_written
from kataribe.engine.giving_back import walked
from kataribe.engine.noting import Noting
from kataribe.engine.profile import ProfileVerbs
from kataribe.engine.protection import Protection
from kataribe.errors import KeyLostError, KeyStoreError, option
from kataribe.formats.bundle.zip_bundle import ZipBundle
from kataribe.ports import Keys, View
from kataribe.ports.bundles import BundleDraft

T = TypeVar("T")

EXPORT = "export"
"""What the event of an export is called in the audit record."""
_NEWEST = 8
"""Memories that an overview shows."""
_TOGETHER = 1000
"""Events that are read at once."""


class ExportVerbs(Noting, ProfileVerbs):
    """Giving out all that is kept of a user."""

    async def export_user(self, user_id: str, path: str | Path, *, token: str | None) -> ExportedBundle:
        """Write all that is kept of a user into a new zip, for its owner alone, in the words that were said.

        `token` is one that `privacy_request` gave for `export`; it is spent when the file is there. Raises
        `NotFoundError`, `NotPermittedError`; `KeyStoreError` where something is sealed and the user's key is
        not at hand; `ConflictError` where a file is there, `InputError` where none can be made,
        `StoreFullError`. No file is there then, and the token is not spent.
        """
        self._check_open()
        target, bundle = Path(path), ZipBundle(self._services.tables)
        bundle.check(target)
        await self.flush()
        done = await asyncio.to_thread(self._export, user_id, target, token, bundle)
        self._deliver_soon()
        return done

    def _export(self, user_id: str, target: Path, token: str | None, bundle: ZipBundle) -> ExportedBundle:
        at = self._services.clock.now()
        now = position_of(at)
        with ExitStack() as kept:
            with self._ledger.reading() as view:
                check_request(view, user_id, PrivacyAction.EXPORT, token, now)
                records = user_records(view, user_id, at, self._sources(view, user_id))
                draft = kept.enter_context(bundle.draft(records, target))
            # Noted before it is there, so that an erasure finds it whenever this is killed.
            noted = WrittenExport(str(target.resolve()), draft.bundle.sha256)
            with self._ledger.writing() as tx:
                check_request(tx, user_id, PrivacyAction.EXPORT, token, now)
                tx.put_export(user_space(user_id), noted)
            return self._published(user_id, draft, token, at)

    def _published(self, user_id: str, draft: BundleDraft, token: str | None, at: datetime) -> ExportedBundle:
        """Give a draft its name where the token permits it still: of a user who was erased there is none."""
        done, of = None, parse_space(user_space(user_id))
        try:
            with self._ledger.writing() as tx:
                spend_request(tx, user_id, PrivacyAction.EXPORT, token, position_of(at))
                done = draft.publish()
                if self._auditor is not None:
                    act = Act(at=at.isoformat(), act=EXPORT, detail={"rows": dict(done.counts)})
                    self._auditor.put(tx, [AuditNote(of=of, act=act)])
        except BaseException:
            if done is not None:
                done.path.unlink(missing_ok=True)
            raise
        return done

    def _sources(self, view: View, user_id: str) -> RecordSources:
        keys = self._key_store(view)
        key = None if keys is None else keys.of(user_id)
        said = WordsUnderKey(view, self._protection, key, is_strict=True)
        called = None if keys is None else keys.pseudonym(user_id)
        return RecordSources(
            said=said,
            profile=lambda: self._opened_profile(view, user_id),
            audit=lambda: _events(view, called),
        )

    def _key_store(self, view: View) -> Keys | None:
        return None if self._auditor is None else self._auditor.keyring.reading(view)

    def _opened_profile(self, view: View, user_id: str) -> Iterator[ProfileItem]:
        rows = view.profile(user_space(user_id))
        seal = self._opening(view, user_id) if rows else None
        for row in rows:
            if seal is not None:
                seal.open(row)
            yield item(row, seal)

    async def user_overview(self, user_id: str) -> UserOverview:
        """Tell on one page what is kept of a user, and where it stands (author). Raises `NotFoundError`.

        Without the user's key tokens stand for personal data, and values of the profile are locked.
        """
        await self.flush()
        return await self._read(lambda view: self._overview(view, user_id))

    def _overview(self, view: View, user_id: str) -> UserOverview:
        user, at = user_of(view, user_id), self._services.clock.now()
        key, place, called = self._key_and_place(view, user_id)
        said = WordsUnderKey(view, self._protection, key, is_strict=False)
        spaces = tuple(survey(view, user, said))
        memories, last = _memories(view, spaces)
        rows = view.profile(user_space(user_id))
        seal = self._key_at_hand(view, user_id) if rows else None
        profile = tuple(item(row, seal) for row in newest(rows, at=position_of(at)))
        is_locked = any(one.is_locked for one in profile) or any(one.sealed for one in spaces)
        return UserOverview(
            user=user,
            at=at,
            spaces=spaces,
            profile=profile,
            consents=standing(view, user_id),
            memories=memories,
            newest=said.words(last),
            nights=len(view.nights(user_id)),
            events=sum(head.length for chain, head in view.audit_heads().items() if _is_of(chain, called)),
            is_open=key is not None or not is_locked,
            key_place=place,
            backups=backups_written(view),
        )

    def _key_and_place(self, view: View, user_id: str) -> tuple[SecretKey | None, str | None, str | None]:
        """Give a user's key, where the key store is, and the user's pseudonym, as far as they are known."""
        try:
            keys = self._key_store(view)
            if keys is None:
                return None, None, None
            return keys.of(user_id), keys.status().place, keys.pseudonym(user_id)
        except KeyStoreError:
            return None, None, None


class WordsUnderKey:
    """Gives back what was sealed under one user's key, and what tokens stand for in turns given so far."""

    def __init__(
        self, view: View, protection: Protection | None, key: SecretKey | None, *, is_strict: bool
    ) -> None:
        self._view = view
        self._protection = protection
        self._key = key
        self._is_strict = is_strict
        self._values: dict[str, str] = {}
        self._sealed: Counter[str] = Counter()

    def turns(self, space: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Give turns as they were said. Raises `KeyStoreError` where they cannot be, if that is strict."""
        rows = self._view.sealed_turns(space, turn_ids=[one.turn_id for one in turns])
        self._sealed[space] += len(rows)
        if not rows:
            return turns
        if self._key is None or self._protection is None:
            if self._is_strict:
                raise _no_key(parse_space(space).whose or "")
            return turns
        open_one = self._protection.said if self._is_strict else self._protection.opened
        said = {one.turn.turn_id: open_one(self._key, space, one) for one in rows}
        for words in said.values():
            for token, value in () if words is None else words.values.items():
                self._values.setdefault(token, value)
        return [
            turn if (words := said.get(turn.turn_id)) is None else given_back(turn, words) for turn in turns
        ]

    def sealed(self, space: str) -> int:
        """How many of the turns given so far hold something sealed."""
        return self._sealed[space]

    def words(self, found: T) -> T:
        """Give anything with words in place of tokens that stand in the turns given so far."""
        if not self._values:
            return found
        return cast(T, walked(found, lambda text, _: with_words(text, self._values)))


def _no_key(user_id: str) -> KeyLostError:
    return KeyLostError(
        f"what {user_id!r} said is sealed, and its key is not at hand: an export would hold tokens in the "
        f"place of words; put back the key store, or name it with {option('keys')} (no file was written)"
    )


def _memories(
    view: View, spaces: Sequence[SaidSpace]
) -> tuple[Counter[tuple[str, str]], tuple[HeldRecord[MemoryValue], ...]]:
    """Count memories by tier and state, and give the newest that are given to anybody."""
    counts: Counter[tuple[str, str]] = Counter()
    found: list[HeldRecord[MemoryValue]] = []
    for one in _last_rows(view, spaces):
        counts[one.value.tier.value, one.value.state.value] += 1
        if one.value.is_live:
            found.append(one)
        if len(found) > _TOGETHER:
            found = _newest_of(found)
    return counts, tuple(_newest_of(found))


def _newest_of(found: Sequence[HeldRecord[MemoryValue]]) -> list[HeldRecord[MemoryValue]]:
    return nlargest(_NEWEST, found, key=lambda one: (one.value.created_at, one.value.memory_id, one.holder))


def _last_rows(view: View, spaces: Sequence[SaidSpace]) -> Iterator[HeldRecord[MemoryValue]]:
    for one in spaces:
        for holder in sorted({*one.holders, *view.work(one.space, WorkKind.TIERS)}):
            for life in view.life_parts(one.space, holder):
                last = {row.memory_id: row for row in life.values}
                yield from (HeldRecord(one.space, holder, row) for row in last.values())


def _events(view: View, pseudonym: str | None) -> Iterator[AuditEvent]:
    """Give the events of a user's chains, by chain, oldest first."""
    for chain in sorted(view.audit_heads()):
        if _is_of(chain, pseudonym):
            yield from _events_of(view, chain)


def _is_of(chain: str, pseudonym: str | None) -> bool:
    return pseudonym is not None and is_chain_under(chain, pseudonym)


def _events_of(view: View, chain: str) -> Iterator[AuditEvent]:
    after = 0
    while found := view.audit_events(chain, after=after, limit=_TOGETHER):
        yield from found
        after = found[-1].n
