"""kataribe: who remembers what, as of when, and why.

The face: `open` gives a `Kataribe`; the rest are the values it takes and gives, and the
errors it raises. Names are loaded on first use, so that `import kataribe` costs nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "kataribe.doctor": ("examine",),
    "kataribe.domain.recall.calibration": ("Calibration", "Labelled"),
    "kataribe.domain.recall.context": (
        "Answer",
        "AnswerKind",
        "Component",
        "Context",
        "ContextItem",
        "ContextOrder",
        "ContextPart",
        "DropReason",
        "Dropped",
    ),
    "kataribe.formats.wire.context": ("answer_json", "context_json"),
    "kataribe.domain.conversation.turns": (
        "LogImport",
        "RememberReport",
        "StoredTurns",
        "TalkReport",
        "Turn",
        "TurnReceipt",
        "User",
        "UserState",
    ),
    "kataribe.domain.gate": ("DENY_ALL", "Gate", "Slice", "Viewer"),
    "kataribe.domain.space": ("MemoryAddress",),
    "kataribe.domain.recall.log_search": (
        "AUTOMATIC",
        "SEARCH_TOOL",
        "LogHit",
        "LogSearch",
        "LogSearchPolicy",
    ),
    "kataribe.domain.memory": (
        "Backend",
        "Explanation",
        "FactHit",
        "Hit",
        "Mark",
        "Memory",
        "Recollection",
        "Refusal",
        "TurnHit",
        "Usage",
    ),
    "kataribe.domain.recall.planning": ("Intent", "SearchPlan"),
    "kataribe.domain.records": (
        "Branch",
        "ChangeLog",
        "EpisodeState",
        "HistoryEntry",
        "Reembedded",
        "Trace",
        "UnitChange",
        "Verification",
    ),
    "kataribe.domain.text.naming": ("look_alikes",),
    "kataribe.domain.story.review": ("CastMember", "Decision", "ReviewItem", "ReviewKind", "Verb"),
    "kataribe.formats.wire.recall": ("hit_json", "recollection_json"),
    "kataribe.domain.story.undo": ("Step",),
    "kataribe.domain.story.checkpoint": ("Checkpoint",),
    "kataribe.domain.story.folder": ("BookText", "FactRow", "LeftOut", "Matter", "Uncut", "VisibilityRow"),
    "kataribe.domain.story.inputs": (
        "Address",
        "Alias",
        "Annotation",
        "Character",
        "Description",
        "Episode",
        "Fact",
        "NameKind",
        "Story",
    ),
    "kataribe.domain.terms": ("PUBLIC", "Audience", "FactOrigin", "FactSource", "known_by"),
    "kataribe.domain.work": ("WorkItem", "WorkKind", "WorkPolicy", "WorkState"),
    "kataribe.domain.upgrade": ("Upgrade",),
    "kataribe.domain.story.views": (
        "Check",
        "Difference",
        "EpisodeMark",
        "EpisodePair",
        "Event",
        "Evidence",
        "Finding",
        "Inspection",
        "Learned",
        "Line",
        "Matrix",
        "Row",
        "StoryDifference",
        "Timeline",
        "Why",
    ),
    "kataribe.domain.feeding": ("FeedLag",),
    "kataribe.engine": ("Engines",),
    "kataribe.errors": (
        "ConflictError",
        "EmbedderError",
        "EmbedderMismatchError",
        "EmbedderUnavailableError",
        "ExtractionError",
        "FilterError",
        "ForeignStoreError",
        "FormatError",
        "InputError",
        "KataribeError",
        "MissingExtraError",
        "ModelError",
        "NewerStoreError",
        "NotFoundError",
        "StoreBusyError",
        "StoreError",
        "StoreFullError",
        "UnconfirmedError",
        "VectorIndexError",
    ),
    "kataribe.face.aio.admin": ("AsyncAdminHandle", "AsyncIndexHandle"),
    "kataribe.face.aio.kataribe": ("AsyncKataribe",),
    "kataribe.face.aio.story": (
        "AsyncBranchesHandle",
        "AsyncCastHandle",
        "AsyncCheckpointsHandle",
        "AsyncEpisodesHandle",
        "AsyncFactsHandle",
        "AsyncStoryHandle",
        "AsyncViewsHandle",
    ),
    "kataribe.face.aio.user": ("AsyncUserHandle",),
    "kataribe.face.aio.viewer": ("AsyncViewerHandle",),
    "kataribe.face.sync.admin": ("AdminHandle", "IndexHandle"),
    "kataribe.face.sync.kataribe": ("Kataribe",),
    "kataribe.face.sync.story": (
        "BranchesHandle",
        "CastHandle",
        "CheckpointsHandle",
        "EpisodesHandle",
        "FactsHandle",
        "StoryHandle",
        "ViewsHandle",
    ),
    "kataribe.face.sync.user": ("UserHandle",),
    "kataribe.face.sync.viewer": ("ViewerHandle",),
    "kataribe.face.aio.chat": ("AsyncChat",),
    "kataribe.face.sync.chat": ("Chat",),
    "kataribe.formats.given": ("EpisodeInput",),
    "kataribe.formats.castfile": ("read_cast",),
    "kataribe.formats.logs": ("Log", "LogFormat", "LogOptions", "read_log"),
    "kataribe.formats.labels": ("read_gold", "read_qa"),
    "kataribe.formats.policy": ("save_policy",),
    "kataribe.settings": ("Settings",),
    "kataribe.tools": (
        "AsyncReadTool",
        "AsyncRecallTool",
        "AsyncSearchTool",
        "ReadTool",
        "RecallTool",
        "SearchTool",
    ),
    "kataribe.wiring": ("default_engines", "open", "open_async", "upgrade"),
    "kataribe.story.desk.estimate": ("Estimate",),
    "kataribe.story.desk.cast": ("CastEdit",),
    "kataribe.story.desk.episodes": ("PutResult",),
    "kataribe.story.desk.facts": ("FactEdit",),
    "kataribe.story.desk.importing": ("ImportReport",),
    "kataribe.story.desk.preview": ("EpisodePreview", "ImportPreview"),
    "kataribe.work.task": ("SyncReport",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'kataribe' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
