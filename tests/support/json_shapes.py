"""Whether what a command prints with `--json` is what the shipped schema says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

SHAPES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("recall",): ("Recollection", "Unanswered"),
    ("known",): ("Recollection",),
    ("context",): ("Context",),
    ("answer",): ("Answer",),
    ("verify",): ("Verification",),
    ("upgrade",): ("Upgrade",),
    ("sync",): ("SyncReport", "Estimate"),
    ("rebuild",): ("SyncReport",),
    ("doctor",): ("Diagnosis", "DeploymentCheck"),
    ("tell",): ("EpisodePut",),
    ("story", "add"): ("Story",),
    ("story", "list"): ("Story",),
    ("story", "show"): ("StoryState",),
    ("story", "model"): ("Story",),
    ("story", "audience"): ("Story",),
    ("story", "branch", "detach"): ("Story",),
    ("cast", "add"): ("Character",),
    ("cast", "edit"): ("Character",),
    ("cast", "rename"): ("Character",),
    ("cast", "import"): ("CastImport",),
    ("cast", "group", "add"): ("Group",),
    ("cast", "group", "edit"): ("Group",),
    ("episode", "delete"): ("EpisodeState",),
    ("episode", "restore"): ("EpisodeState",),
    ("episode", "renumber"): ("EpisodeState",),
    ("fact", "edit"): ("Fact",),
    ("fact", "pin"): ("Fact",),
    ("work", "retry"): ("Retried",),
    ("bench", "holders"): ("HoldersBench",),
    ("bench", "privacy"): ("PrivacyBench",),
    ("privacy", "scan"): ("PersonalFinding",),
    ("privacy", "show"): ("UserOverview",),
    ("privacy", "delete"): ("Erasure",),
    ("user", "delete"): ("Erasure",),
    ("story", "import"): ("StoryImport", "ImportPreview"),
    ("story", "branch", "add"): ("Branch",),
    ("story", "branch", "list"): ("Branch",),
    ("cast", "list"): ("Character",),
    ("cast", "show"): ("Character",),
    ("episode", "put"): ("EpisodePut",),
    ("episode", "insert"): ("EpisodePut",),
    ("episode", "show"): ("Episode",),
    ("episode", "list"): ("EpisodeState",),
    ("fact", "add"): ("FactId",),
    ("reembed",): ("Reembedded",),
    ("calibrate",): ("Calibration",),
    ("work", "list"): ("WorkItem",),
    ("trace",): ("Trace",),
    ("profile", "show"): ("ProfileItem",),
    ("profile", "history"): ("ProfileItem",),
    ("profile", "set"): ("ProfileItem",),
    ("profile", "consent", "list"): ("Consent",),
    ("access", "add"): ("AccessKey",),
    ("access", "list"): ("AccessKey",),
    ("access", "revoke"): ("AccessKey",),
    ("audit", "list"): ("AuditEvent",),
    ("audit", "verify"): ("AuditCheck",),
    ("keys", "init"): ("KeyStatus",),
    ("keys", "rotate"): ("KeyStatus",),
    ("keys", "status"): ("KeyStatus",),
    ("undo",): ("Step",),
    ("matrix",): ("Matrix", "Summary"),
    ("impact",): ("Impact",),
    ("diff",): ("Difference", "StoryDifference"),
    ("why",): ("Why",),
    ("timeline",): ("Timeline",),
    ("check",): ("Inspection",),
    ("episode", "history"): ("Version",),
    ("fact", "list"): ("Fact",),
    ("fact", "review"): ("ReviewItem", "Scene", "Narrator"),
    ("cast", "group", "list"): ("Group",),
    ("cast", "suggest"): ("CastSuggestion",),
    ("story", "checkpoint"): ("Checkpoint",),
    ("story", "checkpoints"): ("Checkpoint",),
    ("story", "rewind"): ("Checkpoint",),
    ("story", "branch", "show"): ("Branch",),
    ("story", "branch", "diff"): ("StoryDifference",),
    ("card", "import"): ("CardImport",),
    ("lorebook", "import"): ("CardImport",),
    ("kb", "create"): ("Library",),
    ("kb", "list"): ("LibraryState",),
    ("kb", "add"): ("DocumentReceipt",),
    ("kb", "show"): ("Document",),
    ("kb", "search"): ("LibrarySearch",),
    ("log", "import"): ("LogImport",),
    ("remember",): ("TurnReceipt",),
    ("thread", "list"): ("Thread",),
    ("thread", "show"): ("ThreadText",),
    ("buffer",): ("Buffer",),
    ("log", "pairs"): ("VoiceExample",),
    ("memory", "list"): ("KeptMemory",),
    ("memory", "show"): ("KeptMemory",),
    ("memory", "why-kept"): ("MemoryHistory",),
    ("memory", "forget"): ("KeptMemory",),
    ("associate",): ("Idea",),
    ("nightly",): ("Night",),
    ("schedule",): ("Night", "KeptBackup"),
    ("backup",): ("WrittenBackup",),
    ("restore",): ("Restored",),
    ("log", "list"): ("Turn",),
    ("log", "show"): ("Turn",),
    ("log", "search"): ("LogSearch",),
    ("user", "list"): ("UserState",),
    ("user", "show"): ("UserState",),
    ("bench", "locomo"): ("TalkBench",),
    ("bench", "personachat"): ("TalkBench",),
    ("bench", "stories"): ("StoryBench",),
    ("bench", "parts"): ("PartsBench",),
}
"""Which shapes stand on the lines of each command."""


@cache
def shipped() -> dict[str, Any]:
    """Read the schema as it is shipped."""
    found: dict[str, Any] = json.loads((files("kataribe.formats.wire") / "schema.json").read_text("utf-8"))
    return found


def check_lines(arguments: Sequence[str], out: str) -> None:
    """Hold what was printed with `--json` to the schema."""
    if "--json" not in arguments:
        return
    # Options of the whole program, and their values, may stand before the command.
    words = list(arguments)
    while words and words[0].startswith("-"):
        del words[:2]
    command = next((one for one in SHAPES if tuple(words[: len(one)]) == one), None)
    assert command is not None, f"no shape is named for {words[:3]}"
    for line in out.split("\n"):
        if line:
            value = json.loads(line)
            found = [problem(value, {"$ref": f"#/$defs/{shape}"}) for shape in SHAPES[command]]
            assert None in found, (command, found, line)


def problem(value: Any, schema: Mapping[str, Any], where: str = "$") -> str | None:
    """Give what of a value is not as the schema says, None when all is; of JSON Schema what ours uses."""
    if "$ref" in schema:
        return problem(value, shipped()["$defs"][schema["$ref"].rpartition("/")[2]], where)
    if "anyOf" in schema:
        found = [problem(value, one, where) for one in schema["anyOf"]]
        return None if None in found else found[0]
    match schema.get("type"):
        case None:
            return None
        case "object":
            return _object(value, schema, where)
        case "array":
            if not isinstance(value, list):
                return f"{where} is no array"
            found = [problem(one, schema["items"], f"{where}[{place}]") for place, one in enumerate(value)]
            return next((one for one in found if one is not None), None)
        case kind:
            return None if _is(value, str(kind)) else f"{where} is no {kind}: {value!r}"


def _object(value: Any, schema: Mapping[str, Any], where: str) -> str | None:
    if not isinstance(value, dict):
        return f"{where} is no object"
    properties, more = schema.get("properties", {}), schema["additionalProperties"]
    missing = set(schema.get("required", ())) - value.keys()
    if missing:
        return f"{where} lacks {sorted(missing)}"
    for name, one in value.items():
        if name not in properties and more is False:
            return f"{where} has {name!r}"
        found = problem(one, properties.get(name, more), f"{where}.{name}")
        if found is not None:
            return found
    return None


def _is(value: Any, kind: str) -> bool:
    kinds: Mapping[str, tuple[type, ...]] = {
        "string": (str,),
        "boolean": (bool,),
        "integer": (int,),
        "number": (int, float),
        "null": (type(None),),
    }
    return isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool))
