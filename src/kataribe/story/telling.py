"""How a webhook is told of facts."""

from __future__ import annotations

from kataribe.domain.hooks import ChangedKind, Telling
from kataribe.domain.space import SpaceType
from kataribe.domain.work import WorkKind

FACTS_TOLD = Telling(space=SpaceType.STORY, kind=ChangedKind.FACT, made_by=WorkKind.EXTRACT, by_episode=True)
