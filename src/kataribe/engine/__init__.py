"""The verbs of the face, asynchronous; each one opens a transaction and calls a path."""

from __future__ import annotations

from kataribe.engine.answer import AnswerVerbs
from kataribe.engine.base import Engines
from kataribe.engine.branches import BranchVerbs
from kataribe.engine.calibrate import CalibrateVerbs
from kataribe.engine.checkpoints import CheckpointVerbs
from kataribe.engine.episodes import EpisodeVerbs
from kataribe.engine.logs import LogVerbs
from kataribe.engine.recall_many import RecallManyVerbs
from kataribe.engine.reembed import ReembedVerbs
from kataribe.engine.review import ReviewVerbs
from kataribe.engine.stories import Only, StoryVerbs
from kataribe.engine.talk import TalkVerbs
from kataribe.engine.upkeep import UpkeepVerbs
from kataribe.engine.views import ViewVerbs
from kataribe.engine.work import WorkVerbs


class AsyncKataribe(
    StoryVerbs,
    BranchVerbs,
    EpisodeVerbs,
    CheckpointVerbs,
    ReviewVerbs,
    UpkeepVerbs,
    ReembedVerbs,
    WorkVerbs,
    ViewVerbs,
    TalkVerbs,
    LogVerbs,
    CalibrateVerbs,
    AnswerVerbs,
    RecallManyVerbs,
):
    """A memory engine on one store. Every verb is a coroutine; `Kataribe` is the same without.

    Verbs that take a `character` and `at` are viewer reads: they give what that character may
    remember at that episode and nothing else. All other reads are the author's.
    """


__all__ = ["AsyncKataribe", "Engines", "Only"]
