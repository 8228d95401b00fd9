"""The verb for a reply within a conversation, heard while it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from kataribe.domain.conversation.buffer import fill_buffer
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import position_of
from kataribe.domain.privacy.hearing import TokenHearer
from kataribe.domain.privacy.sealed import tokens_in
from kataribe.domain.recall.context import ESTIMATE, Answer, Context
from kataribe.domain.recall.requests import AnswerKeys
from kataribe.engine.answer import AnswerVerbs, passages_of, without_question
from kataribe.engine.tracing import traced
from kataribe.errors import InputError, ModelError
from kataribe.ports import Heard, Speaking


class ReplyVerbs(AnswerVerbs):
    """Talking with somebody, out of what a viewer remembers."""

    async def reply(self, text: str, *, heard: Heard | None = None, **asked: Unpack[AnswerKeys]) -> Answer:
        """Let a model reply as the viewer to what was just said, out of its context (S2-38).

        `heard` is told the words as they come, from another thread; a model that cannot be heard while
        it speaks tells them all at once. What the reply used is noted as in `answer`. Raises
        `ModelError` when the model does not reply, or stops half-way: nothing is noted then.
        """
        model = asked.get("model")
        if model is None:
            raise InputError("a reply needs a model; without one `context` gives what it would be told")
        found = await self._replied(*await self._in_tokens(text, asked), model, heard or _nobody_hears)
        words, used = await self._given_back((found.text, found.used), found.context.viewer)
        return replace(found, text=words, used=used)

    @traced("reply")
    async def _replied(self, text: str, asked: AnswerKeys, model: str, heard: Heard) -> Answer:
        made, language = await self._context(text, asked)
        answerer = self._services.answerer(model)
        tell = TokenHearer(await self._words_of(made), heard)
        told, passages = without_question(made), passages_of(made)
        name = asked.get("speaks_as") or made.viewer.persona
        if isinstance(answerer, Speaking):
            said = await answerer.reply(
                text, context=told, passages=passages, speaks_as=name, language=language, heard=tell.hear
            )
        else:
            said = await answerer.answer(
                text, context=told, passages=passages, speaks_as=name, language=language
            )
            tell.hear(said.text)
        tell.finish()
        if not said.text.strip():
            raise ModelError(f"{answerer.answerer_id} replied without words; say it again")
        return await self._answered(made, said, answerer.answerer_id)

    async def _words_of(self, made: Context) -> dict[str, str]:
        """Give what each token of a context stands for, as far as its viewer may be told."""
        tokens = tuple(dict.fromkeys(tokens_in(made.text)))
        return dict(zip(tokens, await self._given_back(tokens, made.viewer), strict=True))

    def said_unrecorded(self, speaker: str, text: str) -> Turn:
        """Make what is said now a turn that is stored nowhere. Raises `InputError`."""
        now = self._services.clock.now()
        return Turn(turn_id="unrecorded", session="unrecorded", speaker=speaker, text=text, time=now)

    def still_at_hand(self, said: Sequence[Turn]) -> tuple[Turn, ...]:
        """Give what is at hand by now of turns that are stored nowhere, by the limits of the buffer."""
        kept, _, _ = fill_buffer(
            said,
            now=position_of(self._services.clock.now()),
            count=self._services.counter(ESTIMATE).count,
            policy=self._services.tuning.tiers.buffer.limits(),
        )
        return kept


def _nobody_hears(piece: str) -> None:
    """Let it pass."""
