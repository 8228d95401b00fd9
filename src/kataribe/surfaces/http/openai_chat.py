"""A reply in a conversation: what was said is stored, the model behind the server is asked, and heard."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from typing import Any

from kataribe.domain.privacy.sealed import tokens_in
from kataribe.domain.recall.context import Component, Context
from kataribe.domain.recall.requests import ContextOptions
from kataribe.domain.recall.taken_up import taken_up
from kataribe.engine.off_record import off_the_record
from kataribe.errors import KataribeError, NotFoundError
from kataribe.face.aio.chat import AsyncChat
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.formats.detect import told_language
from kataribe.ports.upstream import ChatJson, Upstream, UpstreamStream
from kataribe.surfaces.http.openai_asking import ChatAsked
from kataribe.surfaces.http.openai_words import Json, ReplyWords, changed_texts, texts_in
from kataribe.surfaces.http.options import ServerOptions

_RECENT = 64
"""So many of the last messages a context does not say again."""
_NOT_TOLD = (Component.QUESTION, Component.RECENT)
"""Parts of a context that stand in the messages themselves."""

log = logging.getLogger("kataribe.server")


class ChatReply:
    """One reply, from what was asked for to what is stored of it."""

    def __init__(self, memory: AsyncKataribe, asked: ChatAsked, options: ServerOptions) -> None:
        self._memory = memory
        self._asked = asked
        self._options = options
        self._viewer = memory.viewer(**asked.viewer)
        self._chat = self._chat_of(asked)
        self._made: Context | None = None
        self._words = ReplyWords({})
        self._is_stored = False

    def _chat_of(self, asked: ChatAsked) -> AsyncChat | None:
        if asked.user is None:
            return None
        return self._memory.user(asked.user).chat(
            persona=asked.speaker.persona,
            story=asked.speaker.story,
            at=asked.speaker.at,
            session=asked.session,
        )

    # -- before the model is asked -----------------------------------------------------------------

    async def hear(self) -> None:
        """Store what is new of what was said: durable, whatever becomes of the reply."""
        if self._chat is not None and not self._asked.is_plain:
            await self._chat.follow(self._asked.lines, beginning=self._asked.beginning)

    async def evidence(self) -> Json:
        """Answer without a model: what is remembered."""
        question = self._asked.question
        text = ""
        if question:
            with self._record():
                try:
                    found = await self._viewer.answer(
                        question,
                        recent=[question],
                        # What was just said is remembered too: nobody else is told it here.
                        budgets={"recent": 0, "short": 0},
                        budget=self._options.context_tokens,
                    )
                    text = found.text
                except NotFoundError:
                    if not self._may_be_new:
                        raise
        return self._completion(text)

    async def body(self) -> Json:
        """Make what the upstream is sent: the context first, then what was said, in tokens."""
        told = await self._context()
        texts = texts_in(self._asked.messages)
        changed = dict(zip(texts, texts, strict=True))
        if self._chat is not None:
            raw = self._options.upstream_raw
            done = await self._chat.in_tokens(texts, raw=raw)
            changed = dict(zip(texts, done.texts, strict=True))
            values = {**await self._values(told), **done.values}
            if raw:
                told = await self._chat.with_words(told)
            else:
                self._words = ReplyWords(values)
        messages = changed_texts(self._asked.messages, lambda text: changed[text])
        first = [{"role": "system", "content": told}] if told else []
        return {**self._asked.options, "messages": [*first, *messages]}

    async def _context(self) -> str:
        question = self._asked.question
        if not question:
            return ""
        with self._record():
            try:
                keys: ContextOptions = {
                    "recent": self._recent,
                    "budgets": {"recent": 0},
                    "budget": self._options.context_tokens,
                }
                if self._session is not None:
                    keys["session"] = self._session
                self._made = await self._viewer.context(question, **keys)
            except NotFoundError:
                if not self._may_be_new:
                    raise
                return ""
        parts = [part.text for part in self._made.parts if part.text and part.name not in _NOT_TOLD]
        return "\n\n".join(parts)

    @property
    def _may_be_new(self) -> bool:
        """Whether there need be no such user yet: nobody has made it where nothing is stored."""
        return self._asked.is_plain and self._asked.user is not None and self._asked.speaker.story is None

    def _record(self) -> Any:
        return off_the_record() if self._asked.is_plain else nullcontext()

    @property
    def _session(self) -> str | None:
        return None if self._chat is None else self._chat.session

    @property
    def _recent(self) -> list[str]:
        return self._asked.texts[-_RECENT:]

    async def _values(self, told: str) -> dict[str, str]:
        """Give the words of the tokens of a context, as far as this user may be given them."""
        assert self._chat is not None
        found = {token: await self._chat.with_words(token) for token in dict.fromkeys(tokens_in(told))}
        return {token: words for token, words in found.items() if words != token}

    # -- the reply -------------------------------------------------------------------------------

    async def completed(self, upstream: Upstream, body: ChatJson) -> Json:
        """Ask for a whole reply, and store it. Raises `ModelError`."""
        found = self._words.whole(await upstream.complete(body))
        await self.store()
        return {**found, "model": self._asked.name}

    async def chunks(self, stream: UpstreamStream) -> AsyncIterator[Json]:
        """Give the chunks of a reply as they come, and store it at its end. Raises `ModelError`."""
        last: Mapping[str, Any] = {}
        broken: KataribeError | None = None
        try:
            async for chunk in stream:
                last = chunk
                for one in self._words.chunk(chunk):
                    yield {**one, "model": self._asked.name}
        except KataribeError as error:
            broken = error
        for one in self._words.rest(last):
            yield {**one, "model": self._asked.name}
        await self.store()
        if broken is not None:
            raise broken

    async def store(self) -> None:
        """Store what was replied up to now, once, and note what of memory it took up."""
        said = self._words.said.strip()
        if self._is_stored or self._asked.is_plain or not said:
            return
        self._is_stored = True
        if self._chat is not None:
            await self._chat.replied(said)
        if self._made is None or self._made.viewer.is_reader:
            return
        items = (*self._made.items, *self._made.kept)
        used = taken_up(said, items, told_language(said))
        if used:
            try:
                await self._viewer.report_use([item.id for item in used])
            except KataribeError as error:
                log.info("use not noted: %s", type(error).__name__)

    # -- a reply of nobody -----------------------------------------------------------------------

    def _completion(self, text: str) -> Json:
        return {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self._asked.name,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }


async def in_chunks(completion: Json) -> AsyncIterator[Json]:
    """Give a whole completion as the chunks of one."""
    shared = {name: completion[name] for name in ("id", "created", "model")}
    told = {"object": "chat.completion.chunk", **shared}
    content = completion["choices"][0]["message"]["content"]
    for delta, finish in (({"role": "assistant", "content": content}, None), ({}, "stop")):
        yield {
            **told,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }
