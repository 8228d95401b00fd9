"""What a person installed to tune recall: numbers of their own, the same for every viewer (P2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy
from kataribe.domain.memory import Kind
from kataribe.domain.recall.calibration import Calibration
from kataribe.domain.recall.context import DEFAULT_CONTEXT, ContextPolicy
from kataribe.domain.recall.profiles import profile_named
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.errors import InputError

Setting = bool | int | float | str
"""A number, switch or name of `RecallPolicy`."""

_MOST = 1_000_000
_FIXED = frozenset({"max_top_k"})
"""What a file cannot change: the limit of what a caller may ask for."""


_NAMED: Mapping[str, Callable[[str], object]] = {"profile": profile_named}
"""What refuses an unknown name, by the setting that holds one; a name nothing checks cannot be set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """What holds for memories of one embedder.

    `minimums` are cosines, -1 to 1, by kind; `recall` are numbers of `RecallPolicy` by name.
    `made` says when it was measured (ISO 8601) and `data` on how much, by kind: counts and
    shares only.
    """

    minimums: Mapping[Kind, float] = field(default_factory=dict)
    recall: Mapping[str, Setting] = field(default_factory=dict)
    made: str | None = None
    data: Mapping[Kind, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """An installed policy: numbers of recall for all and by the id of an embedder, of tiers, of contexts."""

    recall: Mapping[str, Setting] = field(default_factory=dict)
    embedders: Mapping[str, Tuned] = field(default_factory=dict)
    tiers: TierPolicy = DEFAULT_TIERS
    context: ContextPolicy = DEFAULT_CONTEXT

    def policy(self, embedder_id: str, base: RecallPolicy) -> RecallPolicy:
        """Give `base` with what is installed for all, then for this embedder, put into it."""
        tuned = self.embedders.get(embedder_id)
        return tuned_policy(base, {**self.recall, **(tuned.recall if tuned else {})})

    def minimum(self, embedder_id: str, kind: Kind) -> float | None:
        """Give the minimum similarity installed for memories of this embedder and kind, if any."""
        tuned = self.embedders.get(embedder_id)
        return None if tuned is None else tuned.minimums.get(kind)


NO_TUNING = Tuning()


def tuned_policy(base: RecallPolicy, recall: Mapping[str, Setting]) -> RecallPolicy:
    """Put numbers into a policy by their names; nothing to put gives `base` itself.

    A profile that is named is taken whole, in place of `base`; numbers named beside it are put
    into it.
    """
    if not recall:
        return base
    name = recall.get("profile")
    whole = base if name is None else replace(profile_named(str(name)).recall, max_top_k=base.max_top_k)
    return replace(whole, **recall)  # type: ignore[arg-type]


def settable() -> Mapping[str, Setting]:
    """Give the names of `RecallPolicy` that can be set, with what they are when nobody sets them."""
    found = {one.name: getattr(DEFAULT_RECALL, one.name) for one in fields(RecallPolicy)}
    return {
        name: value
        for name, value in found.items()
        if name not in _FIXED and (isinstance(value, bool | int | float) or name in _NAMED)
    }


def check_setting(name: str, value: object) -> Setting:
    """Give `value` back when recall's number `name` may be that.

    Weights and shares are 0 to 1, counts whole numbers from 1 to 1,000,000, switches true or
    false. Raises `InputError`.
    """
    known = settable()
    if name not in known:
        raise InputError(f"there is no number of recall {name!r}; there are {', '.join(sorted(known))}")
    default = known[name]
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise InputError(f"must be true or false, not {value!r}")
    if isinstance(default, str):
        if isinstance(value, str):
            _NAMED[name](value)
            return value
        raise InputError(f"must be a text, not {value!r}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"must be a number, not {value!r}")
    if isinstance(default, int):
        if isinstance(value, int) and 1 <= value <= _MOST:
            return value
        raise InputError(f"must be a whole number from 1 to {_MOST}, not {value!r}")
    if not 0 <= value <= 1:
        raise InputError(f"must be from 0 to 1, not {value!r}")
    return float(value)


def check_recall(recall: Mapping[str, Setting]) -> None:
    """Raise `InputError` when numbers that are fine by themselves are not so together."""
    try:
        tuned_policy(DEFAULT_RECALL, recall)
    except ValueError as error:
        raise InputError(str(error)) from error


def tuning_of(found: Calibration) -> Tuning:
    """Make a policy of what was measured; it holds only once a person installs it."""
    weights: dict[str, Setting] = {}
    if found.weights is not None and found.weights.chosen is not None:
        weights["keyword_weight"] = found.weights.chosen
    tuned = Tuned(
        minimums={one.kind: one.minimum for one in found.separations},
        recall=weights,
        made=found.made,
        data={
            one.kind: {
                "questions": found.questions,
                "answered": found.answered,
                "evidence": one.evidence,
                "others": one.others,
                "kept": one.kept,
                "removed": one.removed,
            }
            for one in found.separations
        },
    )
    return Tuning(embedders={found.embedder_id: tuned})
