"""Who answers, as the name of a model says it, and who of them a caller may be answered by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from kataribe.domain.access import BODY_USER, AccessScope
from kataribe.domain.ids import check_id
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.errors import InputError
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.surfaces.http.callers import Caller
from kataribe.surfaces.http.problems import NOT_YOURS, RefusedError, bad_request

PREFIX = "kataribe/"
PLAIN = ":plain"
"""Stands behind the name of a model with which nothing is stored."""
_TALKS = frozenset({AccessScope.ADMIN, AccessScope.USER, AccessScope.FRONT})
"""Who may talk with a persona outside stories."""
_OF_USERS = frozenset({AccessScope.USER, AccessScope.FRONT})
_LONGEST_NUMBER = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who answers: a persona; a character of a story at an episode; or, without one, a story to a reader.

    `is_plain` says that nothing is to be stored.
    """

    persona: str | None = None
    story: str | None = None
    at: int | None = None
    is_plain: bool = False

    @property
    def name(self) -> str:
        """The name of the model; ids are percent-encoded."""
        plain = PLAIN if self.is_plain else ""
        persona = "" if self.persona is None else quote(self.persona, safe="")
        if self.story is None:
            return f"{PREFIX}{persona}{plain}"
        of = f"{PREFIX}{quote(self.story, safe='')}@{self.at}"
        return f"{of}/{persona}{plain}" if persona else f"{of}{plain}"

    @property
    def title(self) -> str:
        """What a person reads in a list."""
        if self.story is None:
            return self.persona or ""
        told = f"{self.story} {self.at}"
        return told if self.persona is None else f"{self.persona} ({told})"

    @property
    def asked(self) -> ViewerKeys:
        """The viewer that is asked for, without a user."""
        if self.story is None:
            return {"persona": self.persona}
        if self.persona is None:
            return {"story": self.story, "reader": True, "read": self.at}
        return {"story": self.story, "persona": self.persona, "at": self.at}


def read_speaker(name: str) -> Speaker | None:
    """Read the name of a model; None for what names nobody."""
    is_plain = name.endswith(PLAIN)
    if not name.startswith(PREFIX):
        return None
    told = name.removesuffix(PLAIN).removeprefix(PREFIX)
    of, slash, persona = told.partition("/")
    story, mark, number = of.rpartition("@")
    if not mark:
        return None if slash else _speaker(of, is_plain=is_plain)
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        return None
    if slash and not persona:
        return None
    return _speaker(persona or None, story=story, at=int(number), is_plain=is_plain)


def _speaker(
    persona: str | None, *, is_plain: bool, story: str | None = None, at: int | None = None
) -> Speaker | None:
    try:
        return Speaker(
            persona=None if persona is None else check_id(unquote(persona), "persona"),
            story=None if story is None else check_id(unquote(story), "story"),
            at=at,
            is_plain=is_plain,
        )
    except InputError:
        return None


def viewer_for(
    caller: Caller, headers: Mapping[str, str], speaker: Speaker | None, named: str | None
) -> ViewerKeys:
    """Give the viewer that a caller is answered by. `named` is the user its request names.

    A key that is bound to a user names none, whatever a client sends. Raises `RefusedError`, the same for
    a name that says nothing, what is another's, and what is not there.
    """
    caller = with_user(caller, headers, named)
    if speaker is None:
        raise RefusedError(NOT_YOURS)
    asked: dict[str, Any] = dict(speaker.asked)
    if speaker.story is None and caller.scope not in _TALKS:
        raise RefusedError(NOT_YOURS)
    if caller.scope is AccessScope.ADMIN and speaker.persona is not None:
        if named is not None:
            asked["user"] = check_id(named, "user id")
        elif speaker.story is None:
            raise bad_request("say who talks: send the id of the user as `user`")
    return caller.viewer(asked)  # type: ignore[arg-type]


def with_user(caller: Caller, headers: Mapping[str, str], named: str | None) -> Caller:
    """Bind a caller to its user: the key's own, or the one that a key for many users names."""
    if caller.scope not in _OF_USERS:
        return caller
    by_body = caller.key is not None and caller.key.users_from == BODY_USER
    return caller.speaking_for(headers, named if by_body else None)


async def speakers_for(
    memory: AsyncKataribe, caller: Caller, headers: Mapping[str, str]
) -> tuple[Speaker, ...]:
    """List who a caller may be answered by: what its key is bound to, and nothing else."""
    key = caller.key
    if caller.scope is AccessScope.VIEWER and key is not None and key.of is not None:
        return (Speaker(persona=key.persona, story=key.of.story, at=key.upto),)
    if caller.scope is AccessScope.READER and key is not None and key.of is not None:
        return (Speaker(story=key.of.story, at=key.read),)
    if caller.scope in _OF_USERS and key is not None:
        if key.persona is not None:
            return (Speaker(persona=key.persona),)
        user = with_user(caller, headers, None).user
        # A key without a persona is given what was told to all: nobody answers.
        there = key.users_from is not None and user is not None
        found = await memory.admin.access.personas(user=user) if there else ()
        return tuple(Speaker(persona=one) for one in found)
    told = [*await _of_stories(memory)]
    if caller.scope is AccessScope.ADMIN:
        bound = {one.persona for one in await memory.admin.access.list() if one.of is None or one.of.user}
        talked = {*await memory.admin.access.personas(), *bound} - {None}
        told = [*(Speaker(persona=one) for one in sorted(filter(None, talked))), *told]
    return tuple(told)


async def _of_stories(memory: AsyncKataribe) -> list[Speaker]:
    """List the characters of each story as they are now, and the story as told up to now."""
    found: list[Speaker] = []
    for story in await memory.admin.stories():
        handle = memory.story(story.story_id)
        last = max([one.no for one in await handle.episodes.list() if one.is_live], default=0)
        cast = await handle.cast.list()
        found += [
            Speaker(persona=one.character_id, story=story.story_id, at=last + 1)
            for one in sorted(cast, key=lambda one: one.character_id)
        ]
        found.append(Speaker(story=story.story_id, at=last))
    return found
