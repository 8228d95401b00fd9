"""`kataribe bench parts`: what each part of recall is worth, set by set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from kataribe.bench.ablation import PARTS, WHOLE, SetKind
from kataribe.bench.datasets import READERS
from kataribe.bench.evaluate import NO_PLANNER, EvaluatedSetting, Say, StoryFigures, conversations, stories
from kataribe.bench.qa_sets import Talk
from kataribe.errors import InputError
from kataribe.formats.wire.bench import FoundJson

EARNS = 0.005
"""A part earns on a set when one of its figures there is so much higher with it than without it."""

PLANNER = "planner"

_FILES: Mapping[str, str] = {"locomo": "turns.jsonl", "personachat": "utterances.jsonl"}
"""The file by which the folder of a set of conversations is known."""


LABELS: Mapping[SetKind, tuple[str, str, str]] = {
    "talk": ("recall_5", "recall_10", "mrr"),
    "stories": ("top_1", "top_5", "mrr"),
}
"""What the numbers of a figure are, by what the set is about."""


class Figure(NamedTuple):
    """How much is found and how near the top, 0 to 1 each; `LABELS` says what the first two are."""

    near: float
    found: float
    mrr: float

    def over(self, other: Figure) -> Figure:
        """Give how much more this is than the other."""
        return Figure(*(round(mine - theirs, 4) for mine, theirs in zip(self, other, strict=True)))

    def as_json(self, kind: SetKind) -> FoundJson:
        """Give it as a JSON object."""
        return cast(FoundJson, dict(zip(LABELS[kind], self, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was found on a set by each setting; `asked` are the questions that have an answer."""

    name: str
    kind: SetKind
    asked: int
    found: Mapping[str, Figure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What a part earns on each set: how much more is found with it than without it.

    `unasked` says what it is for that no set asks for, if that is so.
    """

    part: str
    is_on: bool
    more: Mapping[str, Figure]
    unasked: str = ""

    @property
    def earns(self) -> tuple[str, ...]:
        """The sets on which it earns."""
        return tuple(name for name, one in self.more.items() if max(one) >= EARNS)


def sets_in(data: Path) -> tuple[dict[str, tuple[Talk, ...]], tuple[Path, ...]]:
    """Read the sets of conversations that lie in a folder, and name the probed stories there.

    Raises `InputError` when there is none of either, `FormatError` for what cannot be read.
    """
    folders = sorted(path for path in data.iterdir() if path.is_dir()) if data.is_dir() else []
    talks = {
        name: READERS[name](folder)
        for name, file in _FILES.items()
        for folder in folders
        if (folder / file).exists() and (folder / "qa.jsonl").exists()
    }
    probed = tuple(folder for folder in folders if (folder / "gold.jsonl").exists())
    if not talks and not probed:
        raise InputError(
            f"there are no conversations with a qa.jsonl and no stories with a gold.jsonl in {data}"
        )
    return talks, probed


def measure(
    talks: Mapping[str, Sequence[Talk]], folders: Sequence[Path], choice: EvaluatedSetting, say: Say
) -> Iterator[Measured]:
    """Ask each set with each part the other way round; stories by their facts and by their texts."""
    for name, held in talks.items():
        figures = [one for one in conversations(held, choice, say) if one.category == "all"]
        found = {one.setting: Figure(one.recall_5, one.recall_10, one.mrr) for one in figures}
        yield Measured(name=name, kind="talk", asked=figures[0].asked, found=found)
    told = list(stories(folders, choice, say))
    for mode in dict.fromkeys(one.mode for one in told):
        yield _pooled(mode, [one for one in told if one.mode == mode])


def _pooled(mode: str, told: Sequence[StoryFigures]) -> Measured:
    """Put stories together, each probe counting as much as any other."""
    settings = dict.fromkeys(one.setting for one in told)
    asked = sum(one.wanted for one in told if one.setting == WHOLE)
    found = {name: _mean([one for one in told if one.setting == name], asked) for name in settings}
    return Measured(name=f"stories, {mode}", kind="stories", asked=asked, found=found)


def _mean(told: Iterable[StoryFigures], asked: int) -> Figure:
    rows = [(one.wanted, (one.top_1, one.top_5, one.mrr)) for one in told]
    return Figure(*(round(sum(many * row[at] for many, row in rows) / max(asked, 1), 4) for at in range(3)))


def worths(measured: Sequence[Measured], choice: EvaluatedSetting) -> tuple[Worth, ...]:
    """Tell what each part earns on the sets to which it makes a difference, the planner last."""
    made = []
    for part in PARTS:
        setting, _ = part.switched(choice.base)
        counts = [one for one in measured if one.kind in part.counts]
        is_on = part.is_on(choice.base)
        made.append(_worth(part.name, setting, counts, is_on=is_on, unasked=part.unasked))
    return (*made, _worth(PLANNER, NO_PLANNER, measured, is_on=True))


def _worth(name: str, setting: str, measured: Sequence[Measured], *, is_on: bool, unasked: str = "") -> Worth:
    more: dict[str, Figure] = {}
    for one in measured:
        whole, switched = one.found[WHOLE], one.found[setting]
        more[one.name] = whole.over(switched) if is_on else switched.over(whole)
    return Worth(part=name, is_on=is_on, more=more, unasked=unasked)
