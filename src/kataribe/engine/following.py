"""The verbs of a conversation whose history is sent whole each time, and whose model is asked elsewhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kataribe.conversation.following import FollowedHistory, SentHistory, follow
from kataribe.conversation.live import Where, audience_of
from kataribe.domain.conversation.histories import FollowReport, HistoryLine
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import Message, Role, User
from kataribe.domain.privacy.sealed import TokenWriter
from kataribe.domain.privacy.tokens import KEY_LENGTH
from kataribe.domain.recall.context_words import is_evidence
from kataribe.domain.space import space_asked
from kataribe.domain.terms import Language
from kataribe.engine.chat import ChatVerbs, whole
from kataribe.errors import InputError
from kataribe.formats.detect import told_language
from kataribe.formats.messages import Voices, read_messages
from kataribe.ports import Transaction, View

EVIDENCE = "evidence"
"""Why a message is left out that is what is remembered, and was said by nobody."""
RAW = "upstream.raw"
"""What the audit record says where texts of a user go out as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTexts:
    """Texts with tokens in place of personal data, and the words that each of these tokens stands for."""

    texts: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


class FollowVerbs(ChatVerbs):
    """Following the histories that chat clients send."""

    async def follow(
        self,
        messages: Sequence[object],
        *,
        user: str,
        persona: str,
        session: str | None = None,
        beginning: str = "",
        held: TalkEpisode | None = None,
        language: Language | None = None,
        embedder: str | None = None,
        goes_on: str | None = None,
    ) -> FollowReport:
        """Bring a conversation up to the whole of its messages as a client holds them; all of it or nothing.

        A message is as in `remember`; names are not looked at. What is new becomes turns, durable and in
        memory when this returns. What the client says no more is removed: a last reply that it asks for
        again, and what followed on a message that it changed. Of a client that leaves out the oldest
        messages these stay. Without `session` it is the conversation that begins as this one does and was
        begun under the same `beginning`. A user that is missing is made. Raises `InputError`,
        `NotFoundError`, `FormatError`.
        """
        audience = audience_of(persona, held)
        told, left_out = read_messages(messages, Voices(user=user, assistant=persona))
        spoken = [message for message in told if not is_evidence(message.text)]
        if len(spoken) < len(told):
            left_out = {**left_out, EVIDENCE: len(told) - len(spoken)}
        if not spoken:
            raise InputError("nobody says anything in these messages; send one of the user's")
        sent = SentHistory(
            lines=[_line(message) for message in spoken],
            audience=audience,
            session=session,
            beginning=beginning,
            user=user,
            persona=persona,
            now=whole(self._services.clock.now()),
        )
        where = Where(user_id=user, held=held, language=language, embedder=embedder, goes_on=goes_on)

        def act(tx: Transaction, made: User | None) -> FollowedHistory | None:
            done = follow(tx, where, sent, made, writer=lambda: self._writer_of(tx, user))
            if done is not None and done.placed.turns:
                self._learn(tx, done.placed.space, done.placed.turns)
            return done

        texts = [message.text for message in spoken]
        done = await self._placed(where, texts, act, guess=told_language("\n".join(texts)))
        if done.gone:
            await asyncio.to_thread(self._ledger.clear_archive)
        placed = done.placed
        return FollowReport(
            user=placed.user,
            made=placed.made,
            session=done.session,
            new=len(placed.turns),
            unchanged=done.unchanged,
            removed=len(done.gone),
            left_out=left_out,
            pending=await self._take_in(await self._as_stored(placed)) if placed.turns else None,
        )

    async def in_tokens(self, texts: Sequence[str], *, user: str, raw: bool = False) -> TokenTexts:
        """Write tokens in place of personal data in texts that go to a model elsewhere.

        The tokens are those that stand for this user's words in the store; for a user that is not there,
        and where no key is at hand, they are good for this process alone. With `raw` the texts stay as they
        are, and the audit record says so.
        """
        if raw:
            self.note_act(space_asked(story=None, user=user), RAW)
            return TokenTexts(texts=tuple(texts))
        language = await self._language(user) or told_language("\n".join(texts))
        protection = self._protection

        def write(view: View) -> TokenTexts:
            writer = None if protection is None else protection.writer(view, user)
            if writer is None:
                writer = TokenWriter(language, lambda: _NOBODYS)
            return TokenTexts(texts=tuple(writer.text(text) for text in texts), values=writer.values)

        return await self._read(write)


_NOBODYS = os.urandom(KEY_LENGTH)


def _line(message: Message) -> HistoryLine:
    role = Role.PERSONA if message.role is Role.PERSONA else Role.USER
    return HistoryLine(role=role, text=message.text)
