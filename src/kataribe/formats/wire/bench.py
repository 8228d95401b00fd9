"""What programs are shown of measurements: how well recall finds, what its parts earn, how fast it is."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class TalkFigureJson(TypedDict):
    """What one setting found in one category of questions; shares from 0 to 1, milliseconds a question."""

    setting: str
    category: str
    asked: int
    recall_5: float
    recall_10: float
    recall_25: float
    mrr: float
    ms: float
    context_tokens: float | None
    """How many tokens a context took; null where none was put together, as the next two."""
    context_evidence: float | None
    evidence_per_1000: float | None
    """The share of the evidence that contexts hold, by 1,000 of their tokens."""


class StoryFigureJson(TypedDict):
    """What one setting found in one story; shares of the `wanted` probes, milliseconds a probe."""

    setting: str
    story: str
    mode: str
    probes: int
    leaks: int
    wanted: int
    top_1: float
    top_5: float
    by_words: float
    around: float
    mrr: float
    ms: float


class TalkBenchJson(TypedDict):
    """The one object of `bench locomo --json` and `bench personachat --json`."""

    bench: str
    embedder: str
    figures: list[TalkFigureJson]


class StoryBenchJson(TypedDict):
    """The one object of `bench stories --json`."""

    bench: str
    embedder: str
    figures: list[StoryFigureJson]


class HolderFigureJson(TypedDict):
    """How right guesses of who was there were, for one mode of audience, kind of evidence or episode.

    `guessed`, `right` and `noted` count pairs of a sentence and a holder, `waiting` the sentences
    that nobody is given, `missed` those of them that the notes give somebody.
    """

    work: str
    mode: str
    evidence: str
    episode: int | None
    sentences: int
    guessed: int
    right: int
    noted: int
    waiting: int
    missed: int
    to_world: int
    precision: float
    recall: float


class HoldersBenchJson(TypedDict):
    """The one object of `bench holders --json`."""

    bench: str
    extractor: str
    figures: list[HolderFigureJson]


class FoundJson(TypedDict):
    """How much is found of a set, or how much more: of conversations recalls, of stories shares on top."""

    recall_5: NotRequired[float]
    recall_10: NotRequired[float]
    top_1: NotRequired[float]
    top_5: NotRequired[float]
    mrr: float


class MeasuredSetJson(TypedDict):
    """A set with all parts on; `asked` are its questions that have an answer."""

    set: str
    asked: int
    recall_5: NotRequired[float]
    recall_10: NotRequired[float]
    top_1: NotRequired[float]
    top_5: NotRequired[float]
    mrr: float


class PartWorthJson(TypedDict):
    """What a part of recall earns: how much more is found with it, by set, and on which sets it does."""

    part: str
    on: bool
    more: dict[str, FoundJson]
    earns: list[str]
    unasked: str | None


class PartsBenchJson(TypedDict):
    """The one object of `bench parts --json`."""

    bench: str
    embedder: str
    as_of: str
    sets: list[MeasuredSetJson]
    parts: list[PartWorthJson]


class BenchRowJson(TypedDict):
    """One figure of `python -m kataribe.bench --json`, beside its floor and its target."""

    bench: str
    what: str
    value: float
    unit: str
    p95: float | None
    cpu: float | None
    floor: float | None
    target: str
    met: bool | None
    calls: int


class FellJson(TypedDict):
    """A figure that fell: how many times the floor of its run it takes, and how many are accepted."""

    name: str
    ratio: float
    accepted: float


class MachineJson(TypedDict):
    """What the figures depend on."""

    cpus: int | None
    load: float | None
    system: str
    python: str
    numpy: str
    sqlite: str
    durability: str


class MeasurementsJson(TypedDict):
    """The one object of `python -m kataribe.bench --json`."""

    machine: MachineJson
    rows: list[BenchRowJson]
    not_measured: list[str]
    fell: list[FellJson]


class PrivacyFigureJson(TypedDict):
    """How much of the marked personal data of one language was found, of one kind or `all`.

    Counts are of spans; `right` were found with their kind from the first character to the last.
    """

    language: str
    kind: str
    marked: int
    found: int
    right: int
    recall: float
    precision: float


class PrivacyLinesJson(TypedDict):
    """What was found in lines of a file where nothing is marked; milliseconds for 1,000 characters."""

    file: str
    lines: int
    characters: int
    found: dict[str, int]
    ms: float


class PrivacyBenchJson(TypedDict):
    """The one object of `bench privacy --json`."""

    bench: str
    figures: list[PrivacyFigureJson]
    lines: list[PrivacyLinesJson]
