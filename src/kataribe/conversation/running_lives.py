"""Lives that go on from one sync of an open store to the next; none of it is the truth."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from kataribe.conversation.life_inputs import LifeReader
from kataribe.domain.conversation.life.replay import Happened, LifeStep, RunningLife
from kataribe.domain.records import SpaceState
from kataribe.ports import View

_TURNS = 250_000
"""How many turns are kept at most, of all lives together: some hundred megabytes."""


@dataclass(slots=True)
class KeptLife:
    """What one holder in one space was replayed from, how far, and for which fingerprint it is stored."""

    reader: LifeReader
    running: RunningLife
    stored: str | None = None

    @classmethod
    def of(cls, state: SpaceState, user_id: str, holder: str) -> KeptLife:
        """Begin with nothing."""
        running = RunningLife(space=state.space, holder=holder, language=state.language)
        return cls(LifeReader(state, user_id, holder), running)

    def later(self, view: View) -> Happened | None:
        """Read what came since; None where it cannot be gone on with."""
        found = self.reader.read_later(view, self.running.upto)
        return found if found is not None and self.running.follows(found) else None

    def step(self, happened: Happened) -> LifeStep:
        """Replay what was read."""
        return self.running.begin(happened) if self.stored is None else self.running.go_on(happened)


class RunningLives:
    """The lives of those holders that were replayed last, each in one pair of hands at a time."""

    def __init__(self, turns: int = _TURNS) -> None:
        self._most = turns
        self._kept: OrderedDict[tuple[str, str], KeptLife] = OrderedDict()
        self._lock = Lock()

    def take(self, space: str, holder: str) -> KeptLife | None:
        """Give the life of a holder out of hand."""
        with self._lock:
            return self._kept.pop((space, holder), None)

    def put(self, space: str, holder: str, life: KeptLife) -> None:
        """Keep a life that is stored; the ones that were kept longest make way."""
        with self._lock:
            self._kept[space, holder] = life
            self._kept.move_to_end((space, holder))
            turns = _counted(self._kept.values())
            while turns > self._most:
                _, gone = self._kept.popitem(last=False)
                turns -= gone.reader.turns


def _counted(lives: Iterable[KeptLife]) -> int:
    return sum(one.reader.turns for one in lives)
