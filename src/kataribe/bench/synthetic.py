"""Stores of any size, put straight into the ledger: half of each lies outside the viewer's gate."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kataribe.adapters.sql import SqlLedger
from kataribe.arena.arena import DEFAULT_BYTES
from kataribe.bench.sentences import Teller
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import WORLD, text_hash, vector_id
from kataribe.domain.memory import Memory, Reason
from kataribe.domain.space import story_space
from kataribe.domain.story.inputs import Character, Episode, Story
from kataribe.domain.terms import FactOrigin, FactSource
from kataribe.domain.text.tokens import tokens
from kataribe.ports import Embedder, Matrix, Transaction
from kataribe.settings import from_environment
from kataribe.wiring import SystemClock, default_extractor

STORY = "made"
VIEWER = "mio"
HOLDERS = (WORLD, "ren", VIEWER, WORLD, "sayo", WORLD)
"""Who holds the memories of an episode in turn: of six the viewer may have four."""
_KEYS_APART = 1024
_TOGETHER = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A store, and from where the viewer sees exactly `visible` of its `total` memories."""

    path: Path
    episodes: int
    an_episode: int

    @property
    def at(self) -> int:
        """The episode the viewer stands at: the last quarter lies ahead."""
        return self.episodes * 3 // 4 + 1

    @property
    def total(self) -> int:
        """How many memories are in the space."""
        return self.episodes * self.an_episode

    @property
    def visible(self) -> int:
        """How many the viewer may recall."""
        return self.total // 2

    @property
    def gate(self) -> Gate:
        """The viewer's gate."""
        upto = (self.at - 1) * _KEYS_APART
        space = story_space(STORY)
        return Gate((Slice(space, WORLD, upto), Slice(space, VIEWER, upto)))


def open_ledger(path: Path, *, arena_bytes: int = DEFAULT_BYTES) -> SqlLedger:
    """Open the ledger as the engine does: the one place of the benchmarks that makes it."""
    settings = from_environment(str(path))
    return SqlLedger(
        settings.path,
        SystemClock(),
        busy_seconds=settings.busy_seconds,
        full=settings.durability == "full",
        arena_bytes=arena_bytes,
    )


def build(path: Path, visible: int, *, name: str, embedder: Embedder) -> Made:
    """Make a store with about `visible` memories inside the gate and as many outside."""
    made = layout(path, visible)
    ledger = open_ledger(path)
    teller = Teller()
    try:
        with ledger.writing() as writing:
            put_story(writing, name, embedder)
        for numbers in _batches(made.episodes):
            with ledger.writing() as writing:
                for no in numbers:
                    put_memories(writing, made, no, teller, embedder)
    finally:
        ledger.close()
    return made


def layout(path: Path, visible: int) -> Made:
    """Say how many episodes and memories a store with about `visible` visible memories has."""
    an_episode = 24 if visible < 5_000 else 96 if visible < 50_000 else 192
    return Made(path=path, episodes=max(4, round(visible * 2 / an_episode / 4) * 4), an_episode=an_episode)


def put_story(writing: Transaction, name: str, embedder: Embedder) -> None:
    """Begin the story, with its cast."""
    writing.put_story(_story(name, embedder))
    for character in (VIEWER, "ren", "sayo"):
        writing.put_character(STORY, Character(character_id=character))


def put_memories(writing: Transaction, made: Made, no: int, teller: Teller, embedder: Embedder) -> None:
    """Give an episode new made-up memories, shown at once."""
    texts = [teller.fact() for _ in range(made.an_episode)]
    matrix = asyncio.run(embedder.embed_documents(texts))
    put_rows(writing, no, texts, matrix, embedder.embedder_id)


def put_rows(writing: Transaction, no: int, texts: Sequence[str], matrix: Matrix, embedder_id: str) -> None:
    """Give an episode memories of these texts and vectors, shown at once."""
    if writing.episode_state(STORY, f"ep-{no}") is None:
        writing.put_episode(STORY, _episode(no), order_key=no * _KEYS_APART)
    hashes = [text_hash(text) for text in texts]
    memories = _memories(no, texts, hashes)
    writing.replace_memories(
        story_space(STORY),
        f"ep-{no}",
        memories,
        terms={memory.fact_id: tokens(memory.text, "en") for memory in memories},
        vectors={hashed: _bytes(matrix, at) for at, hashed in enumerate(hashes)},
        embedder_id=embedder_id,
        shown=True,
    )
    writing.put_deltas(STORY, f"ep-{no}", memories)


def _bytes(matrix: Matrix, at: int) -> bytes:
    return np.asarray(matrix[at], dtype="<f4").tobytes()


def _batches(episodes: int) -> Iterator[range]:
    for first in range(1, episodes + 1, _TOGETHER):
        yield range(first, min(first + _TOGETHER, episodes + 1))


def _story(name: str, embedder: Embedder) -> Story:
    return Story(
        story_id=STORY,
        language="en",
        embedder=name,
        embedder_id=embedder.embedder_id,
        extractor_id=default_extractor().extractor_id,
    )


def _episode(no: int) -> Episode:
    return Episode(
        episode_id=f"ep-{no}", no=no, text=f"What happened in {no}.", fact_source=FactSource.SUPPLIED
    )


def _memories(no: int, texts: Sequence[str], hashes: Sequence[str]) -> list[Memory]:
    counts = dict.fromkeys(HOLDERS, 0)
    memories: list[Memory] = []
    for place, (text, hashed) in enumerate(zip(texts, hashes, strict=True)):
        holder = HOLDERS[place % len(HOLDERS)]
        memories.append(_memory(no, place, holder, counts[holder], text, hashed))
        counts[holder] += 1
    return memories


def _memory(no: int, place: int, holder: str, index: int, text: str, hashed: str) -> Memory:
    scope = WORLD if holder == WORLD else "character"
    return Memory(
        memory_id=vector_id(episode_id=f"ep-{no}", version=1, scope=scope, character_id=holder, index=index),
        space=story_space(STORY),
        holder=holder,
        position=no * _KEYS_APART,
        episode_id=f"ep-{no}",
        episode_no=no,
        fact_id=f"f-{no}-{place}",
        version=1,
        fact_index=index,
        text=text,
        text_hash=hashed,
        origin=FactOrigin.SUPPLIED,
        place=place,
        reason=Reason.SUPPLIED,
    )
