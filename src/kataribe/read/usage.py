"""Uses: what a viewer used before comes a little sooner to it, and to nobody else (S2-39)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from kataribe.domain.filters import parse
from kataribe.domain.gate import AnyViewer, UserViewer
from kataribe.domain.ranking import DECIMALS, RecallPolicy
from kataribe.domain.records import Use
from kataribe.domain.usage import reached, uses_bonus
from kataribe.errors import NotFoundError
from kataribe.ports import Reading
from kataribe.read.gate import open_gate
from kataribe.read.values import Opened, Ranked, Scored


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """What is to be written of a use: under which name, of which facts, and how far the viewer had come."""

    space: str
    viewer: str
    upto: int
    fact_ids: tuple[str, ...]


def with_uses(ledger: Reading, opened: Opened, ranked: Ranked, policy: RecallPolicy) -> Ranked:
    """Add to each score what this viewer's uses so far add, and put the best first again.

    Only uses made from this place in the story or an earlier one count (P2).
    """
    if not ranked.scored or policy.uses_bonus <= 0:
        return ranked
    facts = {one.candidate.fact_id for one in ranked.scored}
    bonus: dict[str, float] = {}
    for name, upto in reached(opened.viewer, opened.gate):
        for fact_id, use in ledger.uses(_owner(opened), name, facts, upto=upto).items():
            earned = uses_bonus(use.times, _days_since(use, opened.viewer), policy)
            bonus[fact_id] = max(bonus.get(fact_id, 0.0), earned)
    if not bonus:
        return ranked
    used = np.zeros(len(ranked.scored))
    raised: list[Scored] = []
    for one in ranked.scored:
        used[one.row] = bonus.get(one.candidate.fact_id, 0.0)
        raised.append(one._replace(score=round(one.score + float(used[one.row]), DECIMALS)))
    return Ranked(tuple(sorted(raised, key=Scored.order)), {**ranked.columns, "used": used})


def _owner(opened: Opened) -> str:
    """Name the space under which uses are kept: the story's that is asked, a branch's its own."""
    viewer = opened.viewer
    return f"user:{viewer.user}" if isinstance(viewer, UserViewer) else f"story:{viewer.story}"


def _days_since(use: Use, viewer: AnyViewer) -> float:
    """Give the days from a use to the moment asked about; a story's time is not the clock's: 0."""
    if not isinstance(viewer, UserViewer):
        return 0.0
    return (viewer.as_of - datetime.fromisoformat(use.last)).total_seconds() / 86_400


def use_of(ledger: Reading, viewer: AnyViewer, ids: Sequence[str]) -> UseRow | None:
    """Find what these ids of facts, turns or hits name inside the viewer's gate; None for no ids.

    Raises `NotFoundError` when one names nothing there, without telling whether it names
    something elsewhere.
    """
    opened = open_gate(ledger, viewer)
    wanted = list(dict.fromkeys(ids))
    known = {} if opened.gate.is_closed else _known(ledger, opened, wanted)
    if unknown := [name for name in wanted if name not in known]:
        shown = ", ".join(repr(name[:80]) for name in unknown[:3])
        raise NotFoundError(
            f"{len(unknown)} of {len(wanted)} ids name nothing that this viewer remembers: {shown}; "
            f"give ids as recall and context give them"
        )
    if not wanted:
        return None
    name, upto = reached(viewer, opened.gate)[-1]
    facts = tuple(dict.fromkeys(known[one] for one in wanted))
    return UseRow(space=_owner(opened), viewer=name, upto=upto, fact_ids=facts)


def _known(ledger: Reading, opened: Opened, ids: Sequence[str]) -> dict[str, str]:
    """Give the fact ids of those of these ids that the gate admits."""
    known = {fact_id: fact_id for fact_id in ledger.admitted_facts(opened.gate, ids)}
    rest = {name for name in ids if name not in known}
    for field, named in (("fact_id", rest | _turns(rest)), ("episode_id", _episodes(rest))):
        if not named:
            continue
        for memory in ledger.admitted(opened.gate, where=parse({field: {"$in": sorted(named)}})):
            known |= {name: memory.fact_id for name in (memory.fact_id, memory.memory_id) if name in rest}
    return known


def _episodes(ids: Iterable[str]) -> set[str]:
    """Give the episodes of vector ids, `vec:EPISODE:...` (S0-40)."""
    split = [name.split(":") for name in ids]
    return {parts[1] for parts in split if parts[0] == "vec" and len(parts) > 1}


def _turns(ids: Iterable[str]) -> set[str]:
    """Give the turns' own ids, which may hold colons, out of `turn:ID:HOLDER`."""
    return {name.removeprefix("turn:").rpartition(":")[0] for name in ids if name.startswith("turn:")}
