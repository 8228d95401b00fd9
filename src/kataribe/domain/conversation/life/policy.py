"""The numbers of conversation memory in tiers, checked; every one of them can be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeVar

from kataribe.domain.conversation.buffer import BufferPolicy
from kataribe.domain.conversation.threads import ThreadPolicy
from kataribe.errors import InputError

SECOND = 1000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
"""Lengths of time in milliseconds, the unit of positions in a conversation."""

Retained = int | Literal["decay", "permanent"]
"""For how many days without use a memory is kept; as `Decay.delete_days` says; or for ever."""


def _count(default: int, least: int = 1, most: int = 1_000_000) -> int:
    return field(default=default, metadata={"is_whole": True, "least": least, "most": most})


def _share(default: float) -> float:
    return field(default=default, metadata={"is_whole": False, "least": 0, "most": 1})


def _retained(default: Retained = "decay") -> Retained:
    return field(default=default, metadata={"words": ("decay", "permanent"), "least": 1})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """A part of the policy; its fields are checked by what stands beside them."""

    NAME: ClassVar[str]

    def __post_init__(self) -> None:
        for one in fields(self):
            _check(f"{self.NAME}.{one.name}", getattr(self, one.name), one)


def _check(path: str, value: object, one: Field[Any]) -> None:
    rule = one.metadata
    if value in rule.get("words", ()):
        return
    words = "".join(f" or {word!r}" for word in rule.get("words", ()))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{path}: must be a number{words}, not {value!r}")
    if rule.get("is_whole", True) and not isinstance(value, int):
        raise InputError(f"{path}: must be a whole number{words}, not {value!r}")
    least, most = rule["least"], rule.get("most", 1_000_000)
    # Written so that nan is refused too.
    if not least <= value <= most:
        raise InputError(f"{path}: must be from {least:,} to {most:,}{words}, not {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferLimits(_Section):
    """What the buffer holds of a conversation; each limit by itself (U-9)."""

    NAME: ClassVar[str] = "buffer"
    messages: int = _count(12)
    tokens: int = _count(6000)
    idle_seconds: int = _count(600)
    ttl_seconds: int = _count(7200)

    def limits(self) -> BufferPolicy:
        """Give them as the buffer takes them."""
        return BufferPolicy(
            messages=self.messages,
            tokens=self.tokens,
            idle_seconds=self.idle_seconds,
            ttl_seconds=self.ttl_seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLimits(_Section):
    """When a thread ends (S3-13, S3-14)."""

    NAME: ClassVar[str] = "thread"
    turns: int = _count(12)
    idle_seconds: int = _count(600)

    def limits(self, likeness: float | None) -> ThreadPolicy:
        """Give them as threads are cut by, with the least likeness of the embedder at hand."""
        return ThreadPolicy(turns=self.turns, idle_seconds=self.idle_seconds, likeness=likeness)


@dataclass(frozen=True, slots=True, kw_only=True)
class MidTerm(_Section):
    """How long the mid term keeps what left the buffer (S3-5, S3-20), and how long its items are (S2-27)."""

    NAME: ClassVar[str] = "mid"
    recent_hours: int = _count(24)
    kept_days: int = _count(30, 7, 30)
    item_characters: int = _count(200, 20, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion(_Section):
    """What a mid-term memory must be to become a long-term one (S2-5 to S2-8, S2-35, S2-36).

    `novelty` is a cosine: what is nearer than that to a long-term memory is not new (U-5).
    `usefulness_half` is after how many uses in answers usefulness is one half.
    """

    NAME: ClassVar[str] = "promotion"
    mentions: int = _count(3)
    mentions_days: int = _count(90)
    novelty: float = _share(0.62)
    usefulness: float = _share(0.15)
    usefulness_days: int = _count(30)
    usefulness_half: int = _count(4)
    salience: float = _share(0.8)
    confidence: float = _share(0.7)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceWeights(_Section):
    """The numbers of importance, of graded novelty and of relatedness (S3-27, S3-29, S3-30)."""

    NAME: ClassVar[str] = "importance"
    valence: float = _share(0.4)
    novelty: float = _share(0.3)
    relatedness: float = _share(0.2)
    mentions: float = _share(0.1)
    full_mentions: int = _count(10)
    alike: float = _share(0.8)
    nearest: int = _count(5)
    linked: float = _share(0.6)
    full_links: int = _count(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation(_Section):
    """Which share of what one night approves is promoted (S3-31)."""

    NAME: ClassVar[str] = "consolidation"
    keep: float = _share(0.7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay(_Section):
    """The life-cycle by days since the last use (S2-22), and what each state's scores are multiplied by."""

    NAME: ClassVar[str] = "decay"
    warm_days: int = _count(30)
    cool_days: int = _count(90)
    archive_days: int = _count(180)
    delete_days: int = _count(365)
    hot_factor: float = _share(1.0)
    warm_factor: float = _share(0.8)
    cool_factor: float = _share(0.5)

    def __post_init__(self) -> None:
        # `super()` without arguments does not work in a dataclass with slots.
        _Section.__post_init__(self)
        days = (self.warm_days, self.cool_days, self.archive_days, self.delete_days)
        if list(days) != sorted(set(days)):
            raise InputError(
                f"decay: warm_days, cool_days, archive_days and delete_days must grow, not {days}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting(_Section):
    """For how many days what was forgotten can be restored."""

    NAME: ClassVar[str] = "forgetting"
    restore_days: int = _count(30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention(_Section):
    """For how long each kind is kept without use (S3-6 against S2-42): days, `decay`, or `permanent`."""

    NAME: ClassVar[str] = "retention"
    decision: Retained = _retained()  # noqa: RUF009
    request: Retained = _retained()  # noqa: RUF009
    fact: Retained = _retained()  # noqa: RUF009
    policy: Retained = _retained()  # noqa: RUF009
    turn: Retained = _retained()  # noqa: RUF009


@dataclass(frozen=True, slots=True, kw_only=True)
class LogText(_Section):
    """For how many days the log keeps what was said word for word (S3-32); then its memory stays alone."""

    NAME: ClassVar[str] = "log"
    text_days: int | Literal["permanent"] = field(
        default="permanent", metadata={"words": ("permanent",), "least": 1}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPolicy:
    """All the numbers of conversation memory in tiers."""

    buffer: BufferLimits = BufferLimits()
    thread: ThreadLimits = ThreadLimits()
    mid: MidTerm = MidTerm()
    promotion: Promotion = Promotion()
    importance: ImportanceWeights = ImportanceWeights()
    consolidation: Consolidation = Consolidation()
    decay: Decay = Decay()
    forgetting: Forgetting = Forgetting()
    retention: Retention = Retention()
    log: LogText = LogText()

    def delete_days(self, kind: str) -> int | None:
        """Give after how many days without use a memory of this kind is deleted; None: never."""
        days: Retained = getattr(self.retention, kind)
        if days == "permanent":
            return None
        return self.decay.delete_days if days == "decay" else days


DEFAULT_TIERS = TierPolicy()

_S = TypeVar("_S", bound=_Section)
_SECTIONS: Mapping[str, type[_Section]] = {
    one.NAME: one
    for one in (
        BufferLimits,
        ThreadLimits,
        MidTerm,
        Promotion,
        ImportanceWeights,
        Consolidation,
        Decay,
        Forgetting,
        Retention,
        LogText,
    )
}


def policy_from(values: Mapping[str, object]) -> TierPolicy:
    """Make a policy of sections of numbers by name; what is left out has its default.

    Raises `InputError` that begins with the path of the key: `promotion.mentions: must be ...`.
    """
    return TierPolicy(**{name: _section_from(name, given) for name, given in values.items()})  # type: ignore[arg-type]


def _section_from(name: str, given: object) -> _Section:
    if name not in _SECTIONS:
        raise InputError(f"{name}: there is no such section of the policy; there are {', '.join(_SECTIONS)}")
    if not isinstance(given, Mapping):
        raise InputError(f"{name}: must be a table of numbers, not {given!r}")
    return _filled(_SECTIONS[name], given)


def _filled(section: type[_S], given: Mapping[str, object]) -> _S:
    known = [one.name for one in fields(section)]
    for key in given:
        if key not in known:
            raise InputError(f"{section.NAME}.{key}: there is no such number; there are {', '.join(known)}")
    return section(**given)


def policy_to(policy: TierPolicy) -> dict[str, dict[str, int | float | str]]:
    """Give all numbers of a policy, by section and name; `policy_from` reads the same back."""
    return {
        name: {one.name: getattr(getattr(policy, name), one.name) for one in fields(section)}
        for name, section in _SECTIONS.items()
    }
