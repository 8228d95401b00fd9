"""An episode on its way into memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kataribe.domain.derive import Inputs, derive
from kataribe.domain.memory import Extraction, Memory
from kataribe.domain.space import Unit, episode_unit, story_space
from kataribe.domain.story import Episode, Story
from kataribe.ports import Source
from kataribe.story.fingerprints import Fingerprints


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeJob:
    """One episode to bring into memory, and the fingerprint it is done for.

    `source` is None when nothing is to be extracted; `attempts` counts earlier failures.
    `memories` and, when something was extracted, `extraction` are filled by the extract step.
    """

    story: Story
    inputs: Inputs
    prints: Fingerprints
    source: Source | None
    attempts: int = 0
    vector_spaces: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()
    extraction: Extraction | None = None

    @property
    def unit(self) -> Unit:
        """The unit the episode's memory is."""
        return Unit(story_space(self.story.story_id), episode_unit(self.episode.episode_id))

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
        return replace(self, inputs=inputs, memories=derive(inputs), extraction=extraction)


def texts_of(memories: Sequence[Memory]) -> dict[str, str]:
    """Give the texts that need a vector by hash; what waits in review needs none."""
    return {memory.text_hash: memory.text for memory in memories if not memory.in_review}
