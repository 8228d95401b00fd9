"""OpenAI's Responses in terms of chat completions: requests, what comes back, and the events of it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any

from kataribe.surfaces.http.openai_words import Json
from kataribe.surfaces.http.problems import Problem, RefusedError, bad_request

_SAME = ("metadata", "model", "parallel_tool_calls", "session_id", "stream", "temperature", "top_p", "user")
"""What both call alike."""
_NOT_KEPT = ("background", "conversation", "previous_response_id", "prompt")
"""What rests on what a provider keeps: nothing is kept here but turns."""
NO_CHOICE = Problem(502, "model", "the upstream replied with nothing")
_PARTS = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "refusal": "refusal",
}


def as_chat(body: Mapping[str, Any]) -> Json:
    """Write a request for a response as one for a chat completion. Raises `RefusedError`."""
    for name in _NOT_KEPT:
        if body.get(name):
            raise bad_request(f"{name} is not taken here: send the whole input each time")
    made = {name: body[name] for name in _SAME if body.get(name) is not None}
    made["messages"] = [*_instructions(body.get("instructions")), *_messages(body.get("input"))]
    if body.get("max_output_tokens") is not None:
        made["max_completion_tokens"] = body["max_output_tokens"]
    if isinstance(body.get("reasoning"), Mapping) and body["reasoning"].get("effort"):
        made["reasoning_effort"] = body["reasoning"]["effort"]
    if body.get("tools"):
        made["tools"] = [_tool(one) for one in _listed(body["tools"], "tools")]
    if body.get("tool_choice") is not None:
        made["tool_choice"] = _choice(body["tool_choice"])
    told = body.get("text")
    if isinstance(told, Mapping) and isinstance(told.get("format"), Mapping):
        made |= _format(told["format"])
    if body.get("stream") is True:
        made["stream_options"] = {"include_usage": True}
    return made


def _instructions(told: object) -> list[Json]:
    if told is not None and not isinstance(told, str):
        raise bad_request("instructions must be a text")
    return [{"role": "system", "content": told}] if told else []


def _listed(given: object, name: str) -> list[Json]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise bad_request(f"{name} must be a list of objects")
    return given


def _messages(given: object) -> list[Json]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    made: list[Json] = []
    for at, item in enumerate(_listed(given, "input")):
        kind = item.get("type", "message")
        if kind == "message":
            role = "system" if item.get("role") == "developer" else item.get("role")
            made.append({"role": role, "content": _content(item.get("content"), at)})
        elif kind == "function_call":
            call = _call(item)
            if made and made[-1].get("tool_calls"):
                made[-1]["tool_calls"].append(call)
            else:
                made.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif kind == "function_call_output":
            output = item.get("output")
            content = output if isinstance(output, str) else _content(output, at)
            made.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
        elif kind != "reasoning":
            raise bad_request(f"input[{at}] is a {kind!r}; messages and calls of functions are taken")
    return made


def _call(item: Mapping[str, Any]) -> Json:
    told = {"name": item.get("name"), "arguments": item.get("arguments")}
    return {"id": item.get("call_id"), "type": "function", "function": told}


def _content(given: object, at: int) -> object:
    if given is None or isinstance(given, str):
        return given
    return [_part(one, at) for one in _listed(given, f"input[{at}].content")]


def _part(part: Json, at: int) -> Json:
    kind = part.get("type")
    if kind in _PARTS:
        name = _PARTS[kind]
        return {"type": "text", "text": part.get(name)}
    if kind == "input_image" and part.get("image_url"):
        detail = {} if part.get("detail") is None else {"detail": part["detail"]}
        return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}
    if kind == "input_file" and (part.get("file_data") or part.get("file_id")):
        names = ("file_data", "file_id", "filename")
        return {"type": "file", "file": {name: part[name] for name in names if part.get(name)}}
    if kind == "input_audio":
        return {"type": "input_audio", "input_audio": part.get("input_audio")}
    raise bad_request(f"input[{at}] holds a part of the type {kind!r}, which is not taken")


def _tool(tool: Mapping[str, Any]) -> Json:
    if tool.get("type") != "function":
        raise bad_request(
            "tools are functions here; others are run by a provider, which keeps what they find"
        )
    names = ("name", "description", "parameters", "strict")
    return {
        "type": "function",
        "function": {name: tool[name] for name in names if tool.get(name) is not None},
    }


def _choice(choice: object) -> object:
    if isinstance(choice, Mapping) and choice.get("type") == "function":
        return {"type": "function", "function": {"name": choice.get("name")}}
    if isinstance(choice, str):
        return choice
    raise bad_request("tool_choice names a function, or is auto, none or required")


def _format(told: Mapping[str, Any]) -> Json:
    if told.get("type") == "json_schema":
        names = ("name", "description", "schema", "strict")
        schema = {name: told[name] for name in names if told.get(name) is not None}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if told.get("type") == "json_object" else {}


class ResponseMaker:
    """Makes a response of a completion, or the events of one of its chunks."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body
        self._id = f"resp_{secrets.token_hex(16)}"
        self._created = int(time.time())
        self._output: list[Json] = []
        self._usage: Json | None = None
        self._finish = "stop"
        self._number = 0
        self._open: Json | None = None
        self._calls: dict[object, Json] = {}
        self._told: dict[str, list[str]] = {}

    def whole(self, completion: Mapping[str, Any]) -> Json:
        """Make a response of a whole completion. Raises `RefusedError` where it has no choice."""
        choices = completion.get("choices")
        if not choices:
            raise RefusedError(NO_CHOICE)
        message = choices[0].get("message") or {}
        self._finish = choices[0].get("finish_reason") or "stop"
        self._usage = completion.get("usage")
        text = _said(message)
        if text or not message.get("tool_calls"):
            self._output.append(
                {**self._message_item(), "status": "completed", "content": [_text_part(text)]}
            )
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            self._output.append(
                {
                    **_call_item(call.get("id"), function.get("name")),
                    "arguments": function.get("arguments") or "",
                    "status": "completed",
                }
            )
        return self._response(self._status)

    # -- events ----------------------------------------------------------------------------------

    def begin(self) -> Iterator[Json]:
        """Give the events that stand before all others."""
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=self._response("in_progress"))

    def chunk(self, chunk: Mapping[str, Any]) -> Iterator[Json]:
        """Give the events of a chunk."""
        if chunk.get("usage"):
            self._usage = chunk["usage"]
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta") or {}
            if text := _said(delta):
                yield from self._text(text)
            for call in delta.get("tool_calls") or ():
                yield from self._call(call)
            if choice.get("finish_reason"):
                self._finish = choice["finish_reason"]

    def end(self) -> Iterator[Json]:
        """Give the events at the end of a whole response."""
        if not self._output:
            yield from self._text("")
        yield from self._close()
        status = self._status
        yield self._event(f"response.{status}", response=self._response(status))

    def failed(self, message: str, code: str) -> Iterator[Json]:
        """Give the event of a response that broke off."""
        yield from self._close()
        told = {**self._response("failed"), "error": {"code": code, "message": message}}
        yield self._event("response.failed", response=told)

    def _text(self, piece: str) -> Iterator[Json]:
        item = self._open
        if item is None or item["type"] != "message":
            yield from self._close()
            item = self._message_item()
            yield from self._opened(item)
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield self._event("response.content_part.added", **self._place(item), content_index=0, part=part)
        if piece:
            self._told[item["id"]].append(piece)
            yield self._event(
                "response.output_text.delta", **self._place(item), content_index=0, delta=piece, logprobs=[]
            )

    def _call(self, call: Mapping[str, Any]) -> Iterator[Json]:
        function = call.get("function") or {}
        at = call.get("index", 0)
        if at not in self._calls:
            yield from self._close()
            self._calls[at] = _call_item(call.get("id"), function.get("name"))
            yield from self._opened(self._calls[at])
        if function.get("arguments"):
            item = self._calls[at]
            self._told[item["id"]].append(function["arguments"])
            yield self._event(
                "response.function_call_arguments.delta", **self._place(item), delta=function["arguments"]
            )

    def _opened(self, item: Json) -> Iterator[Json]:
        self._open = item
        self._output.append(item)
        self._told[item["id"]] = []
        yield self._event("response.output_item.added", output_index=len(self._output) - 1, item=dict(item))

    def _close(self) -> Iterator[Json]:
        item, self._open = self._open, None
        if item is None:
            return
        text = "".join(self._told[item["id"]])
        item["status"] = "completed"
        if item["type"] == "message":
            item["content"] = [_text_part(text)]
            at = {**self._place(item), "content_index": 0}
            yield self._event("response.output_text.done", **at, text=text, logprobs=[])
            yield self._event("response.content_part.done", **at, part=_text_part(text))
        else:
            item["arguments"] = text
            yield self._event(
                "response.function_call_arguments.done",
                **self._place(item),
                name=item["name"],
                arguments=text,
            )
        yield self._event("response.output_item.done", output_index=self._output.index(item), item=dict(item))

    def _place(self, item: Json) -> Json:
        return {"item_id": item["id"], "output_index": self._output.index(item)}

    def _event(self, kind: str, **told: object) -> Json:
        self._number += 1
        return {"type": kind, "sequence_number": self._number - 1, **told}

    # -- the response ----------------------------------------------------------------------------

    @property
    def _status(self) -> str:
        return "incomplete" if self._finish in ("length", "content_filter") else "completed"

    def _message_item(self) -> Json:
        return {
            "id": f"msg_{secrets.token_hex(16)}",
            "type": "message",
            "role": "assistant",
            "status": "in_progress",
            "content": [],
        }

    def _response(self, status: str) -> Json:
        asked = self._body
        why = {"length": "max_output_tokens"}.get(self._finish, self._finish)
        text = asked.get("text")
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": why} if status == "incomplete" else None,
            "instructions": asked.get("instructions"),
            "max_output_tokens": asked.get("max_output_tokens"),
            "model": asked.get("model"),
            "output": [dict(one) for one in self._output],
            "parallel_tool_calls": asked.get("parallel_tool_calls", True) is not False,
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None, **(asked.get("reasoning") or {})},
            "store": False,
            "temperature": asked.get("temperature"),
            "text": text if isinstance(text, Mapping) and "format" in text else {"format": {"type": "text"}},
            "tool_choice": asked.get("tool_choice") or "auto",
            "tools": asked.get("tools") or [],
            "top_p": asked.get("top_p"),
            "truncation": "disabled",
            "usage": None if status == "in_progress" else _usage(self._usage),
            "metadata": asked.get("metadata") or {},
        }


def _said(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content or ""


def _text_part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _call_item(call_id: object, name: object) -> Json:
    return {
        "id": f"fc_{secrets.token_hex(16)}",
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": "",
        "status": "in_progress",
    }


def _usage(told: Mapping[str, Any] | None) -> Json | None:
    if told is None:
        return None
    taken, given = told.get("prompt_tokens") or 0, told.get("completion_tokens") or 0
    cached = (told.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    thought = (told.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    return {
        "input_tokens": taken,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": given,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": told.get("total_tokens") or taken + given,
    }


def event_line(event: Mapping[str, Any]) -> bytes:
    """Write an event as it is sent."""
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
