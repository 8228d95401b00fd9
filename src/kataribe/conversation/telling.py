"""How a webhook is told of what was said."""

from __future__ import annotations

from kataribe.domain.hooks import ChangedKind, Telling
from kataribe.domain.space import SpaceType
from kataribe.domain.work import WorkKind

TURNS_TOLD = tuple(
    Telling(space=space, kind=ChangedKind.TURN, made_by=WorkKind.TURNS)
    for space in (SpaceType.TALK, SpaceType.USER)
)
