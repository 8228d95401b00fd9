"""What goes from step to step of a write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kataribe.domain.derive import Inputs, derive
from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.story import Episode, Story
from kataribe.ports import Source
from kataribe.read.prints import Fingerprints


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One episode to bring into memory, and the fingerprint it is done for.

    `source` is None when nothing is to be extracted; `attempts` counts earlier failures.
    `memories` and, when something was extracted, `extraction` are filled by the extract step.
    """

    story: Story
    inputs: Inputs
    prints: Fingerprints
    source: Source | None
    attempts: int = 0
    memories: tuple[Memory, ...] = ()
    extraction: Extraction | None = None

    @property
    def episode(self) -> Episode:
        """The episode with its text."""
        return self.inputs.episode

    def derived(self, extraction: Extraction | None = None) -> Job:
        """Give the job with its memories, made of what was extracted now or before."""
        inputs = self.inputs if extraction is None else replace(self.inputs, drafts=extraction.drafts)
        return replace(self, inputs=inputs, memories=derive(inputs), extraction=extraction)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors by text hash (float32, little endian), and the texts that failed with the reason."""

    vectors: Mapping[str, bytes]
    failures: Mapping[str, str]
    embedder_id: str
    """Who made them: they are of no use to a story that was given another embedder since."""


def texts_of(memories: Sequence[Memory]) -> dict[str, str]:
    """Give the texts that need a vector by hash; what waits in review needs none."""
    return {memory.text_hash: memory.text for memory in memories if not memory.in_review}
