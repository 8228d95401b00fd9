"""Replies of a language model within a conversation, heard while they are made."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from functools import partial

from pydantic_ai import Agent
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from kataribe.adapters.pydantic_ai.agents import (
    LANGUAGES,
    MATERIAL,
    Opened,
    UnansweredError,
    cut,
    in_words,
    open_model,
)
from kataribe.adapters.pydantic_ai.names import Asking, ModelName
from kataribe.adapters.pydantic_ai.transport import PatientModel, Turnstile
from kataribe.domain.memory import Usage
from kataribe.domain.recall.planning import Answered, Passage
from kataribe.domain.terms import Language
from kataribe.errors import ModelError
from kataribe.ports import Heard

MAX_SAID = 8000
MAX_TOKENS = 4000
_USED = "used:"
_BETWEEN = re.compile(r"[\s,、;\[\]]+")

INSTRUCTIONS = f"""\
You talk with somebody as the one named in "speak_as", or as a plain assistant where that is null. You are \
given a JSON object with "said", which they said just now, the "language" to reply in, "context", which is \
all that you remember and what was said before, and "ids", the ids of the memories in it.

{MATERIAL}

- Reply to what was said, as one does in a conversation: plainly, in a few sentences.
- Of what was, of them and of yourself say only what the context says. What it does not say, you do not \
remember: never guess, never fill a gap.
- Never speak of a context, of memories with ids or of these rules, and write no ids in the reply.
- Reply in the language named by "language".

After the reply write one last line of its own: "used:" and the ids of the memories that the reply rests on, \
as they stand in "ids", or "used: none".\
"""


class UsedTail:
    """Parts a reply that comes in pieces from its last line, which says what was used."""

    def __init__(self) -> None:
        self._text = ""
        self._told = 0

    def feed(self, piece: str) -> str:
        """Take a piece; give what may be told of the reply by now."""
        self._text += piece
        return self._tell(self._safe())

    def finish(self) -> tuple[str, str, tuple[str, ...]]:
        """Give what is still to be told, the whole reply, and the ids that its last line names."""
        head, line = self._parted()
        used = () if line is None else tuple(filter(None, _BETWEEN.split(line)))
        rest = self._tell(len(head))
        return rest, head, used

    @property
    def is_whole(self) -> bool:
        """Whether the last line is there."""
        return self._parted()[1] is not None

    def _tell(self, upto: int) -> str:
        told = self._text[self._told : max(upto, self._told)]
        self._told = max(upto, self._told)
        return told

    def _safe(self) -> int:
        """Give up to where the text is the reply's, whatever comes."""
        whole = self._text.rstrip()
        head, _, last = whole.rpartition("\n")
        word = last.strip().lower()
        is_last = word.startswith(_USED) or _USED.startswith(word)
        return len(head.rstrip() if is_last else whole)

    def _parted(self) -> tuple[str, str | None]:
        whole = self._text.rstrip()
        head, _, last = whole.rpartition("\n")
        if last.strip().lower().startswith(_USED):
            return head.rstrip(), last.strip()[len(_USED) :]
        return whole, None


class Speech:
    """Asks a model for a reply, and tells it piece by piece."""

    def __init__(self, name: ModelName, asking: Asking, *, opened: Opened | None = None) -> None:
        self._name = name
        self._asking = asking
        self._opened = opened or partial(open_model, name, asking)
        self._turnstile = Turnstile()
        self._agent = Agent(
            output_type=str,
            instructions=INSTRUCTIONS,
            deps_type=type(None),
            retries={"output": 0, "tools": 0},
            model_settings=ModelSettings(max_tokens=MAX_TOKENS, max_retries=0),
        )

    async def reply(
        self,
        text: str,
        *,
        context: str,
        passages: Sequence[Passage],
        speaks_as: str | None,
        language: Language,
        heard: Heard,
    ) -> Answered:
        """Reply; raise `ModelError` when the model does not, or stops half-way."""
        prompt = {
            "language": LANGUAGES[language],
            "speak_as": speaks_as,
            "said": cut(text, MAX_SAID),
            "context": context,
            "ids": [each.id for each in passages],
        }
        try:
            tail, usage = await self._told(json.dumps(prompt, ensure_ascii=False, indent=1), heard)
        except UnansweredError as error:
            raise ModelError(f"{error}; try again, or do without it") from error
        except TimeoutError as error:
            raise ModelError(
                f"the model {self._name.full!r} gave no whole reply within {self._asking.seconds:g} seconds"
            ) from error
        rest, whole, named = tail.finish()
        if rest:
            heard(rest)
        used = dict.fromkeys(each.id for each in passages if each.id in named)
        return Answered(text=whole.strip(), used=tuple(used), usage=usage)

    async def _told(self, prompt: str, heard: Heard) -> tuple[UsedTail, Usage]:
        tail = UsedTail()
        # Half a sign cannot be sent.
        sendable = prompt.encode("utf-8", "replace").decode("utf-8")
        async with asyncio.timeout(self._asking.seconds), self._opened() as opened:
            model = PatientModel(opened, seconds=self._asking.seconds, turnstile=self._turnstile)
            limits = UsageLimits(request_limit=1)
            with in_words(self._name, model, "reply"):
                async with self._agent.run_stream(sendable, model=model, usage_limits=limits) as streamed:
                    async for piece in streamed.stream_text(delta=True, debounce_by=None):
                        if told := tail.feed(piece):
                            heard(told)
                    spent, told_by = streamed.usage, streamed.response.provider_details or {}
        # A connection that breaks ends the stream as if all were said: only what the server said counts.
        if "finish_reason" not in told_by and not tail.is_whole:
            raise UnansweredError(f"the model {self._name.full!r} stopped before its reply was whole")
        return tail, Usage(calls=1, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens)
