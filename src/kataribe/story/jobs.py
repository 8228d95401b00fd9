"""An episode on its way into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.space import Unit, episode_unit, story_space
from kataribe.domain.story.derive import Inputs, derive
from kataribe.domain.story.inputs import Episode, Story
from kataribe.ports import Source
from kataribe.story.fingerprints import Fingerprints


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeJob:
    """One episode to bring into memory, and the fingerprint it is done for.

    With `holder` it is the share of that holder alone, else that of all but `others`, who have
    shares of their own. `kept` are the fingerprints of all extractions that are wanted.
    `source` is None when nothing is to be extracted; `attempts` counts earlier failures.
    `memories` and, when something was extracted, `extraction` are filled by the extract step.
    """

    story: Story
    inputs: Inputs
    prints: Fingerprints
    source: Source | None
    holder: str | None = None
    others: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    attempts: int = 0
    vector_spaces: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()
    extraction: Extraction | None = None

    @property
    def unit(self) -> Unit:
        """The unit the episode's memory is."""
        return Unit(story_space(self.story.story_id), episode_unit(self.episode.episode_id, self.holder))

    @property
    def fingerprint(self) -> str:
        """What its memory is made from."""
        return self.prints.memory

    @property
    def embedder_id(self) -> str:
        """By whom the story is embedded."""
        return self.story.embedder_id

    @property
    def texts(self) -> dict[str, str]:
        """The texts that need a vector, by hash."""
        return texts_of(self.memories)

    @property
    def episode(self) -> Episode:
        """The episode with its text."""
        return self.inputs.episode

    def derived(self, extraction: Extraction | None = None) -> EpisodeJob:
        """Give the job with its memories, made of what was extracted now or before."""
        inputs = self.inputs if extraction is None else replace(self.inputs, drafts=extraction.drafts)
        made = tuple(memory for memory in derive(inputs) if self.is_of(memory))
        return replace(self, inputs=inputs, memories=made, extraction=extraction)

    def is_of(self, memory: Memory) -> bool:
        """Whether a memory of the episode belongs to this share of it."""
        return memory.holder not in self.others if self.holder is None else memory.holder == self.holder


def texts_of(memories: Sequence[Memory]) -> dict[str, str]:
    """Give the texts that need a vector by hash; what waits in review needs none."""
    return {memory.text_hash: memory.text for memory in memories if not memory.in_review}
