"""The verbs behind the handles of the face; each one opens a transaction and calls a path."""

from __future__ import annotations

from kataribe.engine.access import AccessVerbs
from kataribe.engine.answer import AnswerVerbs
from kataribe.engine.associations import AssociationVerbs
from kataribe.engine.backups import BackupVerbs
from kataribe.engine.base import Services
from kataribe.engine.branches import BranchVerbs
from kataribe.engine.cards import CardVerbs
from kataribe.engine.checkpoints import CheckpointVerbs
from kataribe.engine.embedding import EmbedVerbs
from kataribe.engine.episodes import EpisodeVerbs
from kataribe.engine.exporting import ExportVerbs
from kataribe.engine.following import FollowVerbs
from kataribe.engine.impact import ImpactVerbs
from kataribe.engine.library import LibraryVerbs
from kataribe.engine.logs import LogVerbs
from kataribe.engine.privacy import PrivacyVerbs
from kataribe.engine.recall_many import RecallManyVerbs
from kataribe.engine.reembed import ReembedVerbs
from kataribe.engine.reply import ReplyVerbs
from kataribe.engine.review import ReviewVerbs
from kataribe.engine.sealing import SealVerbs
from kataribe.engine.stories import Only, StoryVerbs
from kataribe.engine.threads import ThreadVerbs
from kataribe.engine.tiers import TierVerbs
from kataribe.engine.upkeep import UpkeepVerbs
from kataribe.engine.views import ViewVerbs
from kataribe.engine.work import WorkVerbs


class Engine(
    StoryVerbs,
    BranchVerbs,
    EpisodeVerbs,
    CardVerbs,
    CheckpointVerbs,
    ReviewVerbs,
    UpkeepVerbs,
    ReembedVerbs,
    WorkVerbs,
    ViewVerbs,
    TierVerbs,
    FollowVerbs,
    LogVerbs,
    ThreadVerbs,
    AssociationVerbs,
    ImpactVerbs,
    ReplyVerbs,
    PrivacyVerbs,
    AnswerVerbs,
    RecallManyVerbs,
    LibraryVerbs,
    BackupVerbs,
    ExportVerbs,
    AccessVerbs,
    EmbedVerbs,
    SealVerbs,
):
    """All verbs on one store, flat; programs are given them by the handles of `kataribe.face`."""


__all__ = ["Engine", "Only", "Services"]
