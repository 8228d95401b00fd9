"""What a user says is kept with tokens for personal data, and sealed as it was said.

It is done by what hands out transactions, as the audit record is kept: no write can be made around it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from kataribe.domain.audit import AuditNote
from kataribe.domain.conversation.life.events import HandDecision
from kataribe.domain.conversation.life.stubs import TurnStub
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.keys import SecretKey
from kataribe.domain.privacy.sealed import (
    GuardedTurn,
    SaidWords,
    SealedTurn,
    TokenWriter,
    given_back,
    guarded,
    left_of,
)
from kataribe.domain.privacy.tokens import KEY_LENGTH
from kataribe.domain.records import TurnChanges
from kataribe.domain.space import parse_space
from kataribe.domain.terms import Language
from kataribe.engine.keyring import KeyRing
from kataribe.engine.wrapping import WrappedLedger
from kataribe.errors import ConflictError, KeyStoreError
from kataribe.ports import Ledger, Seal, Transaction, View

_TOKENS = "tokens"
NoteKey = Callable[[Transaction, Iterable[AuditNote]], None]


class Protection:
    """Writes tokens and seals words under the key of the user whose words they are.

    `seal` is asked for when something is sealed or opened first.
    """

    def __init__(self, keyring: KeyRing, seal: Callable[[], Seal]) -> None:
        self._keyring = keyring
        self._seal = seal
        self._nobody = os.urandom(KEY_LENGTH)

    # What is asked, and compared: nothing is made.

    def writer(self, view: View, whose: str) -> TokenWriter | None:
        """Give what writes tokens for a user as they are kept; None: there is no such user.

        Where a user has no key, or it cannot be had, tokens are written that are nobody's.
        """
        there = view.user(whose)
        if there is None:
            return None
        return TokenWriter(there.language, lambda: self._tokens(self.key(view, whose)))

    def key(self, view: View, whose: str) -> SecretKey | None:
        """Give the key of a user; None where there is none, or it cannot be had."""
        try:
            keys = self._keyring.reading(view)
            return None if keys is None else keys.of(whose)
        except KeyStoreError:
            return None

    def turns(self, view: View, whose: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Give turns as they are kept."""
        there = view.user(whose)
        if there is None:
            return tuple(turns)
        found = self._guarded(whose, there.language, turns, lambda: self._tokens(self.key(view, whose)))
        return tuple(one.turn for one in found)

    def _tokens(self, key: SecretKey | None) -> bytes:
        return self._nobody if key is None else key.derived(_TOKENS)

    @staticmethod
    def _guarded(
        whose: str, language: Language, turns: Sequence[Turn], key: Callable[[], bytes]
    ) -> list[GuardedTurn]:
        return [guarded(turn, whose, language, key) for turn in turns]

    # What is written: the key is made when it is first needed, and refused where it cannot be had.

    def guarded(
        self, tx: Transaction, whose: str, language: Language, turns: Sequence[Turn]
    ) -> list[GuardedTurn]:
        """Write tokens in turns that are to be kept. Raises `KeyStoreError`, `ConflictError`."""
        return self._guarded(whose, language, turns, lambda: self._keyring.making(tx, whose).derived(_TOKENS))

    def said(self, key: SecretKey, space: str, one: SealedTurn) -> SaidWords:
        """Open what is sealed of a turn. Raises `KeyStoreError`."""
        return SaidWords.read(self._seal().open(key, space, one.turn.turn_id, one.sealed))

    def opened(self, key: SecretKey, space: str, one: SealedTurn) -> SaidWords | None:
        """Open what is sealed of a turn; None where this key does not."""
        try:
            return self.said(key, space, one)
        except KeyStoreError:
            return None

    def sealed(
        self, tx: Transaction, space: str, whose: str, said: Mapping[str, SaidWords]
    ) -> dict[str, bytes]:
        """Seal what was said, by the ids of its turns."""
        key, seal = self._keyring.making(tx, whose), self._seal()
        return {turn_id: seal.seal(key, space, turn_id, one.written()) for turn_id, one in said.items()}

    def whole(self, view: View, space: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Give turns of a space as they were said; without the key, as they are kept."""
        whose = parse_space(space).whose
        rows = () if whose is None else view.sealed_turns(space, turn_ids=[one.turn_id for one in turns])
        key = self.key(view, whose) if rows and whose is not None else None
        if key is None:
            return tuple(turns)
        said = {one.turn.turn_id: self.opened(key, space, one) for one in rows}
        return tuple(
            turn if (words := said.get(turn.turn_id)) is None else given_back(turn, words) for turn in turns
        )


class ProtectedLedger(WrappedLedger):
    """A ledger in which nothing of a user's personal data is written in the open."""

    def __init__(self, ledger: Ledger, protection: Protection) -> None:
        super().__init__(ledger)
        self._protection = protection

    @contextmanager
    def writing(self, *, patience: float | None = None) -> Iterator[Transaction]:
        """Open a transaction."""
        with self._ledger.writing(patience=patience) as tx:
            yield cast(Transaction, ProtectedTransaction(tx, self._protection))


class ProtectedTransaction:
    """A transaction that writes tokens, and seals what they stand for."""

    def __init__(self, tx: Transaction, protection: Protection) -> None:
        self._tx = tx
        self._protection = protection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def put_turns(self, space: str, turns: Sequence[Turn]) -> TurnChanges:
        """Add turns or replace those of the same id."""
        state, whose = self._tx.space(space), parse_space(space).whose
        if state is None or whose is None:
            return self._tx.put_turns(space, turns)
        made = self._protection.guarded(self._tx, whose, state.language, turns)
        changes = self._tx.put_turns(space, [one.turn for one in made])
        fresh = frozenset(changes.turns)
        last = {one.turn.turn_id: one for one in made}
        said = {
            turn_id: one.said
            for turn_id, one in last.items()
            if one.said is not None and (turn_id in fresh or self._stands(space, one.turn))
        }
        if said:
            wanted = self._unsealed(space, whose, said, fresh)
            self._tx.seal_turns(space, self._protection.sealed(self._tx, space, whose, wanted))
        return changes

    def _stands(self, space: str, turn: Turn) -> bool:
        """Whether all of a turn is there: of one whose text has expired it is not."""
        there = self._tx.turn(space, turn.turn_id)
        return there is not None and there.text == turn.text

    def _unsealed(
        self, space: str, whose: str, said: Mapping[str, SaidWords], fresh: frozenset[str]
    ) -> dict[str, SaidWords]:
        """Leave out what is sealed already, word for word."""
        key = self._protection.key(self._tx, whose)
        rows = self._tx.sealed_turns(space, turn_ids=said.keys() - fresh) if said.keys() - fresh else ()
        there = {
            one.turn.turn_id: self._protection.opened(key, space, one) for one in rows if key is not None
        }
        return {turn_id: words for turn_id, words in said.items() if there.get(turn_id) != words}

    def put_stubs(self, space: str, left: Sequence[tuple[Turn, TurnStub]]) -> TurnChanges:
        """Put what is left of turns in their place; of what is sealed no more is left than that."""
        whose = parse_space(space).whose
        rows = (
            () if whose is None else self._tx.sealed_turns(space, turn_ids=[one.turn_id for one, _ in left])
        )
        changes = self._tx.put_stubs(space, left)
        key = self._protection.key(self._tx, whose) if rows and whose is not None else None
        if whose is not None and key is not None:
            said = {one.turn.turn_id: self._protection.opened(key, space, one) for one in rows}
            kept = {
                turn.turn_id: left_of(turn, words)
                for turn, _ in left
                if (words := said.get(turn.turn_id)) is not None
            }
            self._tx.seal_turns(space, self._protection.sealed(self._tx, space, whose, kept))
        return changes

    def put_hand_decision(self, space: str, holder: str, decision: HandDecision) -> None:
        """Record what a person decided; what it says is a user's too."""
        state, whose = self._tx.space(space), parse_space(space).whose
        if decision.text and state is not None and whose is not None:
            writer = self._protection.writer(self._tx, whose)
            decision = decision if writer is None else replace(decision, text=writer.text(decision.text))
        self._tx.put_hand_decision(space, holder, decision)

    def rename_story(self, story_id: str, new_id: str) -> None:
        """Give a story another id; what is sealed of talk under it is bound to its new name."""
        before = self._sealed_under(story_id)
        self._tx.rename_story(story_id, new_id)
        for of, (whose, said) in before.items():
            space = replace(parse_space(of), story=new_id).name
            self._tx.seal_turns(space, self._protection.sealed(self._tx, space, whose, said))

    def _sealed_under(self, story_id: str) -> dict[str, tuple[str, dict[str, SaidWords]]]:
        found: dict[str, tuple[str, dict[str, SaidWords]]] = {}
        for state in self._tx.spaces(story=story_id):
            rows, whose = self._tx.sealed_turns(state.space), parse_space(state.space).whose
            if not rows or whose is None:
                continue
            key = self._protection.key(self._tx, whose)
            if key is None:
                raise ConflictError(
                    f"what user {whose!r} said under {story_id!r} is sealed, and its key is not at hand; "
                    f"put back the key store (nothing was changed)"
                )
            found[state.space] = (
                whose,
                {one.turn.turn_id: self._protection.said(key, state.space, one) for one in rows},
            )
        return found

    def rename_user(self, user_id: str, new_id: str) -> None:
        """Give a user another id. Raises `ConflictError` where something is sealed: the key is its."""
        if any(self._tx.sealed_turns(state.space) for state in self._tx.spaces(user=user_id)):
            raise ConflictError(f"what user {user_id!r} said is sealed under that id; it keeps its name")
        self._tx.rename_user(user_id, new_id)
