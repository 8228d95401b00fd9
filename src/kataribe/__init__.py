"""kataribe: who remembers what, as of when, and why.

The face: `open` gives a `Kataribe`; the rest are the values it takes and gives, and the
errors it raises. Names are loaded on first use, so that `import kataribe` costs nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "kataribe.conversation.import_log": ("LogImport",),
    "kataribe.doctor": ("examine",),
    "kataribe.domain.calibration": ("Calibration", "Labelled"),
    "kataribe.domain.context": (
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
    "kataribe.domain.context_shown": ("answer_json", "context_json"),
    "kataribe.domain.conversation": ("StoredTurns", "TalkReport", "Turn", "User", "UserState"),
    "kataribe.domain.gate": ("DENY_ALL", "Gate", "Slice", "Viewer"),
    "kataribe.domain.logsearch": ("AUTOMATIC", "SEARCH_TOOL", "LogHit", "LogSearch", "LogSearchPolicy"),
    "kataribe.domain.memory": (
        "Backend",
        "Explanation",
        "Hit",
        "Mark",
        "Memory",
        "Recollection",
        "Refusal",
        "Usage",
    ),
    "kataribe.domain.planning": ("Intent", "SearchPlan"),
    "kataribe.domain.records": ("Branch", "EpisodeState", "HistoryEntry", "Trace", "Verification"),
    "kataribe.domain.naming": ("look_alikes",),
    "kataribe.domain.review": ("CastMember", "Decision", "ReviewItem", "ReviewKind", "Verb"),
    "kataribe.domain.shown": ("hit_json", "recollection_json"),
    "kataribe.domain.steps": ("Step",),
    "kataribe.domain.story": (
        "PUBLIC",
        "Address",
        "Alias",
        "Audience",
        "Character",
        "Description",
        "Episode",
        "Fact",
        "FactOrigin",
        "FactSource",
        "NameKind",
        "Story",
        "known_by",
    ),
    "kataribe.domain.work": ("WorkItem", "WorkKind", "WorkPolicy", "WorkState"),
    "kataribe.domain.upgrade": ("Upgrade",),
    "kataribe.domain.views": (
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
    "kataribe.engine": ("AsyncKataribe", "Engines"),
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
    ),
    "kataribe.face": ("Kataribe",),
    "kataribe.formats.castfile": ("read_cast",),
    "kataribe.formats.logs": ("Log", "LogFormat", "LogOptions", "read_log"),
    "kataribe.formats.labels": ("read_gold", "read_qa"),
    "kataribe.formats.policy": ("save_policy",),
    "kataribe.settings": ("Settings",),
    "kataribe.tools": ("ReadTool", "RecallTool", "SearchTool"),
    "kataribe.wiring": ("default_engines", "open", "open_async", "upgrade"),
    "kataribe.write.asking": ("Estimate",),
    "kataribe.write.cast": ("CastEdit",),
    "kataribe.write.episodes": ("PutResult",),
    "kataribe.write.facts": ("FactEdit",),
    "kataribe.write.importing": ("ImportReport",),
    "kataribe.work.task": ("SyncReport",),
    "kataribe.write.reembed": ("Reembedded",),
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
