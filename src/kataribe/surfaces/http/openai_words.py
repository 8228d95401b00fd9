"""Texts of a chat on their way to a model and back: tokens go out, words come in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kataribe.domain.privacy.hearing import TokenHearer
from kataribe.domain.privacy.sealed import with_words

Json = dict[str, Any]
Change = Callable[[str], str]

_SAID = ("content", "refusal", "reasoning", "reasoning_content")
_NAMES = frozenset({"role", "id", "type", "name", "call_id", "finish_reason"})
"""Fields of a reply that say nothing."""
_ARGUMENTS = "arguments"
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u003([ceCE])")
"""A bracket as some servers write it inside of JSON."""
_ESCAPE_BEGUN = re.compile(r"\\+(?:u0{0,2}3?)?$")


def changed_texts(messages: Sequence[Json], change: Change) -> list[Json]:
    """Change all that is said in messages; names, ids and pictures stay as they are."""
    return [_changed(message, change) for message in messages]


def texts_in(messages: Sequence[Json]) -> list[str]:
    """Give all that is said in messages, in order, each text once."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        found[text] = None
        return text

    changed_texts(messages, note)
    return list(found)


def _changed(message: Json, change: Change) -> Json:
    made = dict(message)
    for name in _SAID:
        if name in made:
            made[name] = _content(made[name], change)
    if isinstance(made.get("tool_calls"), list):
        made["tool_calls"] = [_call(one, change) for one in made["tool_calls"]]
    if isinstance(made.get("function_call"), dict):
        made["function_call"] = _texts_of(made["function_call"], change, (_ARGUMENTS,))
    named = made.get("name")
    if isinstance(named, str) and change(named) != named:
        # A token is no name that a server takes.
        del made["name"]
    return made


def _content(content: object, change: Change) -> object:
    if isinstance(content, str):
        return change(content)
    if isinstance(content, list):
        return [
            _texts_of(part, change, ("text", "refusal")) if isinstance(part, dict) else part
            for part in content
        ]
    return content


def _call(call: object, change: Change) -> object:
    if not isinstance(call, dict):
        return call
    inside = {"function": (_ARGUMENTS,), "custom": ("input",)}
    return {
        name: _texts_of(one, change, inside[name]) if name in inside and isinstance(one, dict) else one
        for name, one in call.items()
    }


def _texts_of(given: Json, change: Change, names: Sequence[str]) -> Json:
    return {
        name: change(one) if name in names and isinstance(one, str) else one for name, one in given.items()
    }


class ReplyWords:
    """Writes words back into a completion, or into the chunks of one as they come."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        # Inside of JSON a word is written as JSON writes it.
        self._escaped = {name: json.dumps(one, ensure_ascii=False)[1:-1] for name, one in values.items()}
        self._hearers: dict[tuple[object, ...], _FieldHearer] = {}
        self._said: list[str] = []
        self.calls_tools = False

    @property
    def said(self) -> str:
        """What the first of the replies says, as far as it came; nothing where it calls tools."""
        return "" if self.calls_tools else "".join(self._said)

    def whole(self, completion: Json) -> Json:
        """Write the words back in a whole completion."""
        choices = [one for one in completion.get("choices", ()) if isinstance(one, dict)]
        made = [{**one, "message": self._restored(one.get("message"), "")} for one in choices]
        if made and isinstance(made[0]["message"], dict):
            self._note(made[0]["message"])
        return {**completion, "choices": made}

    def _restored(self, value: object, name: str) -> Any:
        if isinstance(value, str):
            if name in _NAMES:
                return value
            if name == _ARGUMENTS:
                return with_words(_unescaped(value), self._escaped)
            return with_words(value, self._values)
        if isinstance(value, dict):
            return {key: self._restored(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self._restored(one, name) for one in value]
        return value

    def _note(self, message: Json) -> None:
        self.calls_tools = self.calls_tools or bool(message.get("tool_calls") or message.get("function_call"))
        content = message.get("content")
        if isinstance(content, str):
            self._said.append(content)
        elif isinstance(content, list):
            self._said += [str(part["text"]) for part in content if isinstance(part, dict) and "text" in part]

    def chunk(self, chunk: Mapping[str, Any]) -> list[Json]:
        """Write the words back in a chunk; what may be half a token waits, and comes before the end."""
        choices: list[Json] = []
        waited: list[Json] = []
        for one in chunk.get("choices") or ():
            if not isinstance(one, dict):
                continue
            at = one.get("index", 0)
            delta = self._heard(one.get("delta"), (at,), "")
            if at == 0 and isinstance(delta, dict):
                self._note(delta)
            if one.get("finish_reason"):
                waited += self._rest_of(at)
            choices.append({**one, "delta": delta} if "delta" in one else one)
        if not waited:
            return [{**chunk, "choices": choices}]
        # What waited comes without an end; the chunk with the end follows.
        before = [{**one, "finish_reason": None} for one in choices if one.get("delta")]
        last = [{**one, "delta": {}} for one in choices if one.get("finish_reason")]
        told = [{**_bare(chunk), "choices": before}] if before else []
        return [*told, {**_bare(chunk), "choices": waited}, {**chunk, "choices": last}]

    def rest(self, chunk: Mapping[str, Any]) -> list[Json]:
        """Give what still waits where a stream ends, in chunks like the last one."""
        waited = [one for at in dict.fromkeys(path[0] for path in self._hearers) for one in self._rest_of(at)]
        return [{**_bare(chunk), "choices": waited}] if waited else []

    def _rest_of(self, choice: object) -> list[Json]:
        found: list[Json] = []
        for path in [one for one in self._hearers if one[0] == choice]:
            text = self._hearers[path].rest()
            if text:
                delta = _at_path(path[1:], text)
                if choice == 0:
                    self._note(delta)
                found.append({"index": choice, "delta": delta, "finish_reason": None})
        return found

    def _heard(self, value: object, path: tuple[object, ...], name: str) -> Any:
        if isinstance(value, str):
            if name in _NAMES:
                return value
            if path not in self._hearers:
                is_json = name == _ARGUMENTS
                self._hearers[path] = _FieldHearer(
                    self._escaped if is_json else self._values, is_json=is_json
                )
            return self._hearers[path].hear(value)
        if isinstance(value, dict):
            return {key: self._heard(one, (*path, key), key) for key, one in value.items()}
        if isinstance(value, list):
            return [
                self._heard(one, (*path, one.get("index", at) if isinstance(one, dict) else at), name)
                for at, one in enumerate(value)
            ]
        return value


class _FieldHearer:
    """One text that comes in pieces."""

    def __init__(self, values: Mapping[str, str], *, is_json: bool) -> None:
        self._is_json = is_json
        self._waiting = ""
        self._told: list[str] = []
        self._hearer = TokenHearer(values, self._told.append)

    def hear(self, piece: str) -> str:
        if self._is_json:
            whole = self._waiting + piece
            begun = _ESCAPE_BEGUN.search(whole)
            cut = len(whole) if begun is None else begun.start()
            piece, self._waiting = _unescaped(whole[:cut]), whole[cut:]
        self._hearer.hear(piece)
        return self._taken()

    def rest(self) -> str:
        left, self._waiting = self._waiting, ""
        self._hearer.hear(left)
        self._hearer.finish()
        return self._taken()

    def _taken(self) -> str:
        told = "".join(self._told)
        self._told.clear()
        return told


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1] + ("<" if found[2] in "cC" else ">"), text)


def _bare(chunk: Mapping[str, Any]) -> Json:
    return {name: one for name, one in chunk.items() if name != "usage"}


def _at_path(path: tuple[object, ...], text: str) -> Json:
    """Make a delta of one text at its place."""
    made: Any = text
    for step in reversed(path):
        made = {step: made} if isinstance(step, str) else [{"index": step, **made}]
    found: Json = made
    return found
