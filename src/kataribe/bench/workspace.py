"""What the benchmarks of one run share: a folder, sizes, and big stores made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kataribe.bench import floor
from kataribe.bench.sizes import Sizes
from kataribe.bench.stand_ins import RandomEmbedder
from kataribe.bench.synthetic import Made, build
from kataribe.domain.terms import RULES
from kataribe.ports import Embedder, Extractor
from kataribe.settings import from_environment
from kataribe.wiring import ByName, Models

NAME = "bench"


class Stage:
    """A place to measure in; `folder` is removed afterwards.

    `model` is what reads texts where that is measured: `rules`, or `provider:model`. `left_out`
    is where a benchmark says what it could not measure here.
    """

    def __init__(
        self,
        folder: Path,
        sizes: Sizes,
        *,
        model: str = RULES,
        extractor: Callable[[str], Extractor] | None = None,
    ) -> None:
        self.model = model
        self.extractor = extractor or ByName(Models(from_environment()).extractor).get
        self.folder = folder
        self.sizes = sizes
        self.left_out: list[str] = []
        self.embedder = RandomEmbedder()
        self._made: dict[tuple[int, str], Made] = {}
        self._scans: dict[int, float] = {}
        self._paths = 0

    def path(self, suffix: str = ".db") -> Path:
        """Give a path nobody has used."""
        self._paths += 1
        return self.folder / f"{self._paths}{suffix}"

    def scan(self, rows: int) -> float:
        """Give the floor of a search over this many rows, in milliseconds."""
        if rows not in self._scans:
            self._scans[rows] = floor.scan(rows, self.sizes)
        return self._scans[rows]

    def made(self, visible: int, *, name: str = NAME, embedder: Embedder | None = None) -> Made:
        """Give a store of this size; it is made when it is asked for first, and must not be changed."""
        if (visible, name) not in self._made:
            self._made[visible, name] = build(
                self.path(), visible, name=name, embedder=embedder or self.embedder
            )
        return self._made[visible, name]
