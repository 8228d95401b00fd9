"""What goes with what in conversations, in the ledger: a row for each turn and holder."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kataribe.adapters.sql import queries
from kataribe.adapters.sql import rows as r
from kataribe.adapters.sql.base import SqlPart, SqlWritingPart
from kataribe.domain.conversation.associations.graph import MarkedTurn
from kataribe.domain.conversation.associations.marks import TurnMarks
from kataribe.domain.gate import Gate, Slice
from kataribe.ports.associations import HeldMarks

_MARKED = """
FROM turn_marks a JOIN memories m
  ON m.space = a.space AND m.fact_id = a.turn_id AND m.holder = a.holder AND m.live = 1
WHERE a.space = ? AND a.holder = ? AND a.position <= ?
"""
_LAST = "SELECT max(position) FROM turn_marks WHERE space = ? AND holder = ? AND position <= ?"
_TURNS = f"SELECT a.turn_id, m.key, m.session, m.position, m.place, a.marks {_MARKED} ORDER BY a.position"
_OF_UNIT = "SELECT holder, turn_id, position, marks FROM turn_marks WHERE space = ? AND unit = ?"
_OF_TURNS = "(SELECT value FROM json_each(?))"


class SqlAssociationsView(SqlPart):
    """What is read of it."""

    def marked_upto(self, gate: Gate) -> Gate:
        """Cut each slice back to the last marked turn in it."""
        cut: list[Slice] = []
        for part in gate.slices:
            last = queries.tuples(self._driver, _LAST, (part.space, part.holder, part.upto))[0][0]
            if last is not None:
                cut.append(Slice(part.space, part.holder, last, part.part))
        return Gate(tuple(cut))

    def marked_turns(self, gate: Gate) -> tuple[MarkedTurn, ...]:
        """Give the marked turns a gate admits."""
        found: dict[tuple[str, str], MarkedTurn] = {}
        for part in gate.slices:
            rows = queries.tuples(self._driver, _TURNS, (part.space, part.holder, part.upto))
            for turn_id, key, session, position, place, marks in rows:
                found.setdefault(
                    (part.space, turn_id),
                    MarkedTurn(
                        space=part.space,
                        turn_id=turn_id,
                        key=key,
                        session=session or "",
                        order=(position, place, turn_id),
                        marks=_marks_in(marks),
                    ),
                )
        return tuple(sorted(found.values(), key=lambda one: (one.order[0], one.space, one.order)))

    def marks(self, space: str, unit: str) -> Mapping[tuple[str, str], HeldMarks]:
        """Give what is kept of a unit."""
        rows = queries.tuples(self._driver, _OF_UNIT, (space, unit))
        return {
            (holder, turn_id): HeldMarks(holder, turn_id, position, _marks_in(marks))
            for holder, turn_id, position, marks in rows
        }


class SqlAssociationsTransaction(SqlWritingPart, SqlAssociationsView):
    """What is written of it."""

    def put_marks(self, space: str, unit: str, held: Sequence[HeldMarks]) -> None:
        """Put this in the place of all that is kept of a unit."""
        self._driver.execute("DELETE FROM turn_marks WHERE space = ? AND unit = ?", (space, unit))
        self.add_marks(space, unit, held)

    def add_marks(self, space: str, unit: str, held: Sequence[HeldMarks]) -> None:
        """Add this to what is kept of a unit."""
        rows = [
            {
                "space": space,
                "holder": one.holder,
                "turn_id": one.turn_id,
                "unit": unit,
                "position": one.position,
                "marks": _marks_out(one.marks),
            }
            for one in held
        ]
        queries.insert(self._driver, "turn_marks", rows, replace=True)

    def forget_marks(self, space: str, turn_ids: Collection[str]) -> None:
        """Remove what these turns name."""
        named = r.dump(sorted(turn_ids))
        sql = f"DELETE FROM turn_marks WHERE space = ? AND turn_id IN {_OF_TURNS}"
        self._driver.execute(sql, (space, named))


def _marks_out(marks: TurnMarks) -> str:
    """Write marks as four short lists; what is written as its key is left empty."""
    written = ["" if one == key else one for key, one in zip(marks.concepts, marks.written, strict=True)]
    return r.dump([marks.concepts, written, list(zip(marks.people, marks.called, strict=True)), marks.causes])


def _marks_in(text: str) -> TurnMarks:
    concepts, written, people, causes = r.load(text)
    return TurnMarks(
        concepts=tuple(concepts),
        written=tuple(one or key for key, one in zip(concepts, written, strict=True)),
        people=tuple(key for key, _ in people),
        called=tuple(name for _, name in people),
        causes=tuple((tuple(reasons), tuple(effects)) for reasons, effects in causes),
    )
