"""A Model Context Protocol server: the tools, resources and prompts of one viewer, bound when it is made.

Whatever a client sends, the viewer stays the one of the connection; the log is standard error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from kataribe.agents.toolset import tools_of
from kataribe.domain.memory import FactHit
from kataribe.domain.recall.context import Component
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import KataribeError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.aio.viewer import AsyncViewerHandle
from kataribe.formats.wire.recall import slim_hits_json
from kataribe.tools import AsyncTool

_EPISODES = "kataribe://episodes/"
_EPISODE = re.compile(re.escape(_EPISODES) + "([1-9][0-9]{0,8})")
_PROFILE = "kataribe://profile"
_JSON = "application/json"
_CONTEXT = "context"
_WRITES = frozenset({"remember"})
_Context = ServerRequestContext[Any, Any]
_Listed = types.PaginatedRequestParams | None


def server_for(
    memory: AsyncKataribe, viewer: ViewerKeys, *, library: str | None = None, version: str = ""
) -> Server[Any]:
    """Make a server for one viewer, and one library where it is named.

    `memory` stays the caller's to close. Raises `InputError` when these words make no viewer.
    """
    door = _Door(memory.viewer(**viewer), tools_of(memory, viewer, library=library))
    return Server(
        "kataribe",
        version=version,
        title="kataribe",
        instructions="What you remember. Look here before you say that you do not know something.",
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_templates,
        on_read_resource=door.read_resource,
        on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
    )


@dataclass(frozen=True, slots=True)
class _Door:
    """What a client may ask of one viewer."""

    viewer: AsyncViewerHandle
    tools: Sequence[AsyncTool]

    async def list_tools(self, _: _Context, __: _Listed) -> types.ListToolsResult:
        """List the tools, with the schemas that their arguments are checked by."""
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=dict(tool.parameters),
                    annotations=types.ToolAnnotations(read_only_hint=tool.name not in _WRITES),
                )
                for tool in self.tools
            ]
        )

    async def call_tool(self, _: _Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """Call a tool; what is wrong with its arguments is told to the model, which may mend them."""
        tool = next((one for one in self.tools if one.name == asked.name), None)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {asked.name[:80]!r} here")
        try:
            rows = await tool(**(asked.arguments or {}))
        except KataribeError as error:
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        return types.CallToolResult(content=[_text(_written(rows))])

    async def list_resources(self, _: _Context, __: _Listed) -> types.ListResourcesResult:
        """List the episodes of which the viewer knows anything, and the profile of its user."""
        with _refusing():
            numbers = await self._episodes()
        found = [_resource(f"{_EPISODES}{no}", f"episode {no}", _KNOWN_OF) for no in numbers]
        if self._has_user:
            found.append(_resource(_PROFILE, "profile", _WISHES))
        return types.ListResourcesResult(resources=found)

    async def list_templates(self, _: _Context, __: _Listed) -> types.ListResourceTemplatesResult:
        """Say how the resource of an episode is named."""
        named = types.ResourceTemplate(
            name="episode", uri_template=_EPISODES + "{no}", description=_KNOWN_OF, mime_type=_JSON
        )
        return types.ListResourceTemplatesResult(resource_templates=[named] if self._has_story else [])

    async def read_resource(
        self, _: _Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Give a resource; one that the viewer knows nothing of is as if there were none (P2)."""
        uri = str(asked.uri)
        with _refusing():
            text, kind = await self._read(uri)
        if text is None:
            raise MCPError(types.INVALID_PARAMS, f"nothing is known of {uri[:200]!r}")
        contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: _Context, __: _Listed) -> types.ListPromptsResult:
        """List the one prompt: the context in which a question is answered."""
        question = types.PromptArgument(name="question", description="What is asked.", required=True)
        named = types.Prompt(
            name=_CONTEXT,
            description="What should be told to a model so that it can answer a question as this viewer.",
            arguments=[question],
        )
        return types.ListPromptsResult(prompts=[named])

    async def get_prompt(self, _: _Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Put the context of a question together."""
        given = asked.arguments or {}
        if asked.name != _CONTEXT:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {asked.name[:80]!r} here")
        if given.keys() != {"question"}:
            raise MCPError(types.INVALID_PARAMS, "the prompt takes a question, and nothing else")
        with _refusing():
            made = await self.viewer.context(given["question"])
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=_text(made.text))])

    @property
    def _has_story(self) -> bool:
        return self.viewer.viewer.get("story") is not None

    @property
    def _has_user(self) -> bool:
        return self.viewer.viewer.get("user") is not None

    async def _episodes(self) -> list[int]:
        if not self._has_story:
            return []
        hits = (await self.viewer.known()).hits
        return sorted({hit.episode_no for hit in hits if isinstance(hit, FactHit)})

    async def _read(self, uri: str) -> tuple[str | None, str]:
        if uri == _PROFILE and self._has_user:
            # What a context tells of the user, behind the same gate: never who the user is.
            made = await self.viewer.context("?", parts=["style", "question"], planner="none")
            told = (part.text for part in made.parts if part.name is Component.STYLE)
            return "\n".join(told), "text/plain"
        found = _EPISODE.fullmatch(uri)
        if found is None or not self._has_story:
            return None, _JSON
        hits = (await self.viewer.known(where={"episode_no": int(found[1])})).hits
        return (_written(slim_hits_json(hits)) if hits else None), _JSON


_KNOWN_OF = "What you know of this episode, in order."
_WISHES = "How the user wants to be spoken to."


@contextmanager
def _refusing() -> Iterator[None]:
    """Tell a client what is refused in our words."""
    try:
        yield
    except KataribeError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _written(rows: Sequence[Mapping[str, object]]) -> str:
    return json.dumps(rows, ensure_ascii=False)


def _resource(uri: str, name: str, description: str) -> types.Resource:
    kind = "text/plain" if uri == _PROFILE else _JSON
    return types.Resource(uri=uri, name=name, description=description, mime_type=kind)
