"""Uses: what a viewer used before comes a little sooner to it, and to nobody else (S2-39)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kataribe.domain.arrays import np
from kataribe.domain.filters import parse
from kataribe.domain.gate import Viewer
from kataribe.domain.recall.ranking import RecallPolicy
from kataribe.domain.recall.usage import uses_bonus
from kataribe.domain.records import Use
from kataribe.domain.similarity import DECIMALS
from kataribe.errors import NotFoundError
from kataribe.ports import View
from kataribe.ports.kinds import Home, Kinds, Reached
from kataribe.read.gate import open_gate
from kataribe.read.values import Candidates, Opened, Ranked, Scored


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """What is to be written of a use: under which name, of which facts, and how far the viewer had come."""

    space: str
    viewer: str
    upto: int
    fact_ids: tuple[str, ...]


def with_uses(
    view: View, opened: Opened, found: Sequence[Candidates], ranked: Ranked, policy: RecallPolicy
) -> Ranked:
    """Add to each score what this viewer's uses so far add, and put the best first again.

    Only uses made from this place in the story, or by this moment, count (P2).
    """
    if not ranked.scored or policy.uses_bonus <= 0:
        return ranked
    bonus: dict[int, float] = {}
    for one in found:
        for reach in one.home.reached:
            _add_uses(view, opened, one, reach, bonus, policy)
    if not bonus:
        return ranked
    used = np.zeros(len(ranked.scored))
    raised: list[Scored] = []
    for each in ranked.scored:
        used[each.row] = bonus.get(each.candidate.key, 0.0)
        raised.append(each._replace(score=round(each.score + float(used[each.row]), DECIMALS)))
    return replace(
        ranked, scored=tuple(sorted(raised, key=Scored.order)), columns={**ranked.columns, "used": used}
    )


def _add_uses(
    view: View,
    opened: Opened,
    found: Candidates,
    reach: Reached,
    bonus: dict[int, float],
    policy: RecallPolicy,
) -> None:
    """Note by key what the uses kept at one place are worth, the best of several."""
    by_turns = found.home.lending.by_turns
    # Ids of turns are of one space alone; a fact of a story is one fact in all its parts.
    theirs = [trait for trait in found.traits.values() if not by_turns or trait.space == reach.space]
    uses = view.uses(reach.space, reach.viewer, (trait.fact_id for trait in theirs), upto=reach.upto)
    for trait in theirs if uses else ():
        if (use := uses.get(trait.fact_id)) is not None:
            days = _days_since(use, opened.viewer) if found.home.lending.by_clock else 0.0
            earned = uses_bonus(use.times, days, policy)
            bonus[trait.key] = max(bonus.get(trait.key, 0.0), earned)


def _days_since(use: Use, viewer: Viewer) -> float:
    """Give the days from a use to the moment asked about."""
    if viewer.as_of is None:
        return 0.0
    return (viewer.as_of - datetime.fromisoformat(use.last)).total_seconds() / 86_400


def uses_of(kinds: Kinds, view: View, viewer: Viewer, ids: Sequence[str]) -> tuple[UseRow, ...]:
    """Find what these ids of facts, turns or hits name inside the viewer's gate, space by space.

    Raises `NotFoundError` when one names nothing there, without telling whether it names
    something elsewhere.
    """
    opened = open_gate(kinds, view, viewer)
    wanted = list(dict.fromkeys(ids))
    known: dict[str, tuple[Reached, str]] = {}
    for home in opened.read:
        for name, where in _known(view, home, wanted).items():
            known.setdefault(name, where)
    if unknown := [name for name in wanted if name not in known]:
        shown = ", ".join(repr(name[:80]) for name in unknown[:3])
        raise NotFoundError(
            f"{len(unknown)} of {len(wanted)} ids name nothing that this viewer remembers: {shown}; "
            f"give ids as recall and context give them"
        )
    rows: dict[Reached, list[str]] = {}
    for name in wanted:
        reach, fact_id = known[name]
        if fact_id not in rows.setdefault(reach, []):
            rows[reach].append(fact_id)
    return tuple(
        UseRow(space=reach.space, viewer=reach.viewer, upto=reach.upto, fact_ids=tuple(facts))
        for reach, facts in rows.items()
    )


def _known(view: View, home: Home, ids: Sequence[str]) -> dict[str, tuple[Reached, str]]:
    """Give for those of these ids that the gate admits where their uses are kept, and their fact ids."""
    known: dict[str, tuple[Reached, str]] = {}
    own = home.reached[-1]
    reach = {one.space: one for one in home.reached}
    if not home.lending.by_turns:
        known = {fact_id: (own, fact_id) for fact_id in view.admitted_facts(home.gate, ids)}
    rest = {name for name in ids if name not in known}
    for field, named in (("fact_id", rest | _turns(rest)), ("episode_id", _episodes(rest))):
        if not named:
            continue
        for memory in view.admitted(home.gate, where=parse({field: {"$in": sorted(named)}})):
            kept = (reach.get(memory.space, own), memory.fact_id)
            known |= {name: kept for name in (memory.fact_id, memory.memory_id) if name in rest}
    return known


def _episodes(ids: Iterable[str]) -> set[str]:
    """Give the episodes of vector ids, `vec:EPISODE:...` (S0-40)."""
    split = [name.split(":") for name in ids]
    return {parts[1] for parts in split if parts[0] == "vec" and len(parts) > 1}


def _turns(ids: Iterable[str]) -> set[str]:
    """Give the turns' own ids, which may hold colons, out of `turn:ID:HOLDER`."""
    return {name.removeprefix("turn:").rpartition(":")[0] for name in ids if name.startswith("turn:")}
