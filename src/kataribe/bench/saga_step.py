"""One step of the benchmark `saga`, in a process of its own: its times and the most memory it held."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from kataribe.bench.processes import peak_megabytes
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import RandomEmbedder, services
from kataribe.bench.workspace import NAME
from kataribe.errors import KataribeError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import open as open_store

STORY = "saga"
EARLY = 11
"""The episode an early viewer stands at, in a story of any length."""
_Times = tuple[float, float]
_EDITS = 7
_QUESTIONS = 30
_SENTENCES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SagaScene:
    """What a step is done with: an open store, the story's folder, its length, and who asks."""

    store: Kataribe
    folder: Path
    episodes: int
    character: str


def main() -> None:
    """Print the wall and CPU seconds of each round of a step, and this process's peak in megabytes."""
    step, path, folder, episodes, character = sys.argv[1:]
    with open_store(path, services=services(RandomEmbedder())) as store:
        scene = SagaScene(store=store, folder=Path(folder), episodes=int(episodes), character=character)
        seconds = STEPS[step](scene)
    wall, cpu = [one[0] for one in seconds], [one[1] for one in seconds]
    sys.stdout.write(json.dumps({"seconds": wall, "cpu": cpu, "peak": peak_megabytes()}))


def _idle(_: SagaScene) -> list[_Times]:
    return []


def _import(scene: SagaScene) -> list[_Times]:
    return [
        _timed(lambda: scene.store.story(STORY).import_folder(scene.folder, language="en", embedder=NAME))
    ]


def _sync(scene: SagaScene) -> list[_Times]:
    return [_timed(lambda: scene.store.story(STORY).sync())]


def _edit(scene: SagaScene) -> list[_Times]:
    """Give the episode in the middle another text, again and again."""
    teller = Teller(seed=SEED + 6)
    texts = [teller.text(_SENTENCES) for _ in range(_EDITS)]

    def edit(text: str) -> None:
        scene.store.story(STORY).episodes.put(no=scene.episodes // 2, text=text)
        if scene.store.story(STORY).sync().done != 1:
            raise KataribeError("an edit of one episode must bring up one episode")

    return [_timed(lambda text=text: edit(text)) for text in texts]  # type: ignore[misc]


def _late(scene: SagaScene) -> list[_Times]:
    return _recalls(scene, scene.episodes)


def _early(scene: SagaScene) -> list[_Times]:
    return _recalls(scene, min(EARLY, scene.episodes))


def _recalls(scene: SagaScene, at: int) -> list[_Times]:
    teller = Teller(seed=SEED + 7)
    questions = [teller.question() for _ in range(_QUESTIONS)]

    def recall(question: str) -> None:
        scene.store.recall(question, story=STORY, persona=scene.character, at=at)

    return [_timed(lambda asked=asked: recall(asked)) for asked in questions]  # type: ignore[misc]


def _counts(scene: SagaScene) -> list[_Times]:
    return [_timed(lambda: scene.store.story(STORY).views.matrix(lines=False))]


def _matrix(scene: SagaScene) -> list[_Times]:
    return [_timed(lambda: scene.store.story(STORY).views.matrix())]


def _verify(scene: SagaScene) -> list[_Times]:
    def verify() -> None:
        if problems := scene.store.story(STORY).verify().problems:
            raise KataribeError(f"the store is not sound: {problems[0]}")

    return [_timed(verify)]


def _timed(act: Callable[[], object]) -> _Times:
    begun, used = perf_counter(), process_time()
    act()
    return perf_counter() - begun, process_time() - used


STEPS: dict[str, Callable[[SagaScene], list[_Times]]] = {
    "import": _import,
    "idle": _idle,
    "sync": _sync,
    "edit": _edit,
    "late": _late,
    "early": _early,
    "counts": _counts,
    "matrix": _matrix,
    "verify": _verify,
}

if __name__ == "__main__":
    main()
