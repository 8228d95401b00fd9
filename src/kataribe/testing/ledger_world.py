"""Values and helpers of the ledger's contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from kataribe.domain.conversation.turns import Turn, User, turn_memories
from kataribe.domain.evidence import EvidenceKind
from kataribe.domain.gate import Gate, Slice
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import NO_USAGE, Draft, Extraction, Kind, Memory, Reason, Refusal, Said, Usage
from kataribe.domain.records import Outcome, SpaceState, Trace, Wanted, Work
from kataribe.domain.space import SpaceType, parse_space, story_space, talk_space, user_space
from kataribe.domain.story.groups import Group, Membership, Newcomers
from kataribe.domain.story.inputs import (
    Alias,
    Annotation,
    Annotations,
    Character,
    Episode,
    Fact,
    Narration,
    Story,
    Suppression,
)
from kataribe.domain.terms import PUBLIC, Audience, FactOrigin
from kataribe.domain.work import WorkKind
from kataribe.ports import Transaction, View

ODD = (
    "first\r\nsecond\rthird\n\n",
    "  blanks around, tabs\t\tand \u3000 wide ones  ",
    "「ジョバンニ、らっこの上着が来るよ。」とザネリが叫びました。\u3000髙﨑 神\ufe00",
    "👩‍👩‍👧‍👦 🇯🇵 e\u0301 é ﬁ Å Å ｶﾞ \u202eright to left\u202c \ufeff\u200b\x7f\x1b[31m",
    "' \" \\ \\u0000 %s %% {} $1 :name ? ; -- /* */ <|im_end|> \\n",
    "x",
)
"""Texts that a store may be tempted to change."""

LONG = "銀河鉄道の夜。A long night on the railway.\r\n" * 25_000
"""About a million characters."""

EXTRA: dict[str, object] = {
    "天気": "雪 ❄️",
    "z": [1, 2.5, None, True, {"deep": ["\r\n", ""]}],
    "a": {"y": 1, "b": 2},
    "big": 2**60,
    "none": None,
}
GAP = 2**32
PRINT = "print"
"""The fingerprint of whatever is done."""
EXTRACT, TURNS = WorkKind.EXTRACT, WorkKind.TURNS
SPACES = (story_space("s"), user_space("u"), talk_space("s", "u", "e2"))
"""A space of every kind, as `open_spaces` makes them."""
DAY = datetime(2024, 3, 1, 12, tzinfo=UTC)
ALWAYS = 2**60


def a_story(story_id: str = "s", **more: object) -> Story:
    """Make a story."""
    made = Story(story_id=story_id, language="ja", embedder="any", embedder_id="any-1", extractor_id="fake-1")
    return replace(made, **more)  # type: ignore[arg-type]


def an_episode(no: int, text: str | None = None, **more: object) -> Episode:
    """Make the episode of this number."""
    made = Episode(episode_id=f"e{no}", no=no, text=f"text of {no}" if text is None else text)
    return replace(made, **more)  # type: ignore[arg-type]


def a_memory(story_id: str, episode: Episode, index: int = 0, **more: object) -> Memory:
    """Make a memory of an episode that stands at its number times `GAP`."""
    text = f"fact {index} of {story_id} {episode.no}"
    made = Memory(
        memory_id=f"{episode.episode_id}/{episode.version}/{index}",
        space=story_space(story_id),
        holder="world",
        position=episode.no * GAP,
        episode_id=episode.episode_id,
        episode_no=episode.no,
        fact_id=f"f{episode.no}-{index}",
        version=episode.version,
        fact_index=index,
        text=text,
        text_hash=text_hash(text),
        origin=FactOrigin.SUPPLIED,
        place=index,
        reason=Reason.SUPPLIED,
        evidence=EvidenceKind.ANNOTATED,
        confidence=1.0,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def a_vector(memory: Memory) -> bytes:
    """Make the vector of a memory, unlike that of any other text."""
    seed = int(memory.text_hash[:8], 16)
    vector = np.random.default_rng(seed).standard_normal(8)
    return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def remember(
    writing: Transaction, story_id: str, episode: Episode, memories: Sequence[Memory], *, show: bool = True
) -> None:
    """Put memories in place and show them, as what is wanted of their episode."""
    space, unit = story_space(story_id), episode.episode_id
    wanted = Wanted(fingerprint=PRINT, position=episode.no * GAP)
    writing.want(space, EXTRACT, {unit: wanted})
    put_memories(writing, space, unit, memories, shown=show)
    writing.put_deltas(story_id, unit, memories)
    if show:
        writing.put_work(space, EXTRACT, unit, Work(fingerprint=PRINT, outcome=Outcome.DONE))


def put_memories(
    writing: Transaction, space: str, unit: str, memories: Sequence[Memory], *, shown: bool = True
) -> None:
    """Put memories in the place of a unit's; each is found by `word`, its own id and the words it says."""
    writing.replace_memories(
        space,
        unit,
        memories,
        terms={memory.fact_id: ("word", memory.fact_id, *memory.text.split()) for memory in memories},
        vectors={memory.text_hash: a_vector(memory) for memory in memories},
        embedder_id="any-1",
        shown=shown,
    )


def hide(writing: Transaction, story_id: str, *episode_ids: str) -> None:
    """Hide the memory of episodes, of which something else is wanted now."""
    _set_shown(writing, story_id, episode_ids, "another print", shown=False)


def reveal(writing: Transaction, story_id: str, *episode_ids: str) -> None:
    """Show the memory of episodes again: what is wanted is what was done."""
    _set_shown(writing, story_id, episode_ids, PRINT, shown=True)


def _set_shown(
    writing: Transaction, story_id: str, episode_ids: Sequence[str], wanted: str, *, shown: bool
) -> None:
    units = dict.fromkeys(episode_ids, shown)
    writing.show(story_space(story_id), units)
    writing.show_deltas(story_id, units)
    for unit in episode_ids:
        state = writing.episode_state(story_id, unit)
        assert state is not None
        one = Wanted(fingerprint=wanted, position=state.order_key)
        writing.want(story_space(story_id), EXTRACT, {unit: one})


def a_user(user_id: str = "u", **more: object) -> User:
    """Make a user."""
    made = User(user_id=user_id, language="ja", embedder="any", embedder_id="any-1", extra=EXTRA)
    return replace(made, **more)  # type: ignore[arg-type]


def a_turn(number: int, *, hours: float | None = None, held: Audience = PUBLIC, **more: object) -> Turn:
    """Make the turn of this number, said that many hours after noon of a day (else its number)."""
    made = Turn(
        turn_id=f"D1:{number}",
        session="1",
        speaker="アン" if number % 2 else "Ben",
        text=f"turn {number}",
        time=DAY + timedelta(hours=number if hours is None else hours),
        audience=held,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def say(writing: Transaction, space: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Store turns, have their units made again, and give the units."""
    changes = writing.put_turns(space, turns)
    remember_units(writing, space, changes.units)
    return changes.units


def remember_units(writing: Transaction, space: str, units: Sequence[str]) -> None:
    """Make the memory of these units of turns, and note that it is done."""
    for unit in units:
        said = writing.turns(space, unit=unit)
        put_memories(writing, space, unit, [one for turn in said for one in turn_memories(space, turn)])
        wanted = Wanted(fingerprint=PRINT, position=said[0].at) if said else None
        writing.want(space, TURNS, {unit: wanted})
        writing.put_work(space, TURNS, unit, Work(fingerprint=PRINT, outcome=Outcome.DONE))


def a_space(space: str, **more: object) -> SpaceState:
    """Make what is recorded of a space."""
    made = SpaceState(space=space, language="ja", embedder="any", embedder_id="any-1")
    return replace(made, **more)  # type: ignore[arg-type]


def open_spaces(writing: Transaction) -> None:
    """Make the spaces named by `SPACES`, the story with three episodes and no memories."""
    writing.put_story(a_story())
    for no in (1, 2, 3):
        writing.put_episode("s", an_episode(no), order_key=no * GAP)
    writing.put_user(a_user())
    for space in SPACES:
        if parse_space(space).type is SpaceType.TALK:
            writing.put_space(a_space(space))


def a_thing(space: str, no: int, index: int = 0, **more: object) -> Memory:
    """Make what is remembered in a space at its unit's number times `GAP`: a fact, or a turn."""
    made = a_memory("s", an_episode(no), index)
    if parse_space(space).type is not SpaceType.STORY:
        time = (DAY + timedelta(days=no)).isoformat()
        made = replace(
            made,
            space=space,
            kind=Kind.TURN,
            episode_id="",
            episode_no=0,
            reason=Reason.SAID,
            said=Said(session="1", speaker="アン", time=time),
        )
    if "text" in more:
        made = replace(made, text_hash=text_hash(str(more["text"])))
    return replace(made, **more)  # type: ignore[arg-type]


def put_things(writing: Transaction, memories: Sequence[Memory], *, shown: bool = True) -> None:
    """Put what `a_thing` made in the place of what their units held."""
    for space in dict.fromkeys(memory.space for memory in memories):
        for no in dict.fromkeys(memory.position // GAP for memory in memories if memory.space == space):
            theirs = [one for one in memories if (one.space, one.position // GAP) == (space, no)]
            put_memories(writing, space, unit_of(no), theirs, shown=shown)


def unit_of(no: int) -> str:
    """Name the unit in which `put_things` puts what has this number."""
    return f"e{no}"


def gate_of(space: str, *holders: str, upto: int = ALWAYS) -> Gate:
    """Make a gate on one space."""
    return Gate(tuple(Slice(space, holder, upto) for holder in holders))


def shown(reading: View, gate: Gate) -> list[str]:
    """Give the ids of what a gate admits, in order."""
    return [memory.fact_id for memory in reading.admitted(gate)]


def plain(memories: Sequence[Memory]) -> list[Memory]:
    """Give memories without the store's own keys."""
    return [replace(memory, key=0) for memory in memories]


def everything(reading: View, story_id: str) -> dict[str, object]:
    """Read all there is of a story, keys of the store's own aside."""
    space, states = story_space(story_id), reading.episode_states(story_id)
    every = [state.episode_id for state in states]
    gate = gate_of(space, "world", "ann")
    question = np.ones(8, dtype=np.float32) / np.sqrt(np.float32(8))
    return {
        "story": reading.story(story_id),
        "characters": reading.characters(story_id),
        "groups": reading.groups(story_id),
        "said_groups": dict(reading.said_groups(story_id)),
        "said_cast": dict(reading.said_cast(story_id)),
        "mentioned": dict(reading.mentioned(story_id)),
        "states": states,
        "episodes": [reading.episode(story_id, one) for one in every],
        "versions": [reading.versions(story_id, one) for one in every],
        "annotations": [reading.annotations(story_id, one) for one in every],
        "facts": reading.facts(story_id),
        "suppressions": [reading.suppressions(story_id, one) for one in every],
        "pins": [reading.pins(story_id, one) for one in every],
        "extractions": [reading.extraction(story_id, one, PRINT) for one in every],
        "deltas": [reading.deltas(story_id, one) for one in every],
        "memories": plain(reading.memories(space)),
        "memory_states": [dict(reading.memory_states(space, one)) for one in every],
        "admitted": plain(reading.admitted(gate)),
        "gains": reading.gains(space),
        "shares": list(reading.shares(space)),
        "successions": reading.successions(gate),
        "near": [(c.fact_id, c.score) for c in reading.vectors.nearest(question, gate=gate, top_k=99)],
        "wordy": [(c.fact_id, c.score) for c in reading.keywords.matching(("word",), gate=gate, top_k=99)],
        "work": dict(reading.work(space, EXTRACT)),
        "traces": reading.traces(space, last=99),
    }


def fill(writing: Transaction, story_id: str = "s") -> None:
    """Put two episodes and one or more of everything else into a story."""
    first, second = an_episode(1), an_episode(2)
    writing.put_story(a_story(story_id, title="題", extra=EXTRA))
    told = (Narration(since=1, until=9), Narration(since=2, until=2, told_to=frozenset({"ben", "ann"})))
    writing.put_character(
        story_id, Character(character_id="ann", aliases=(Alias(text="アン"),), narrates=told)
    )
    group = Group(group_id="輪", members=(Membership(character_id="ann", since=2, until=3),), extra=EXTRA)
    writing.put_group(story_id, group)
    writing.put_said_groups(story_id, [group, Group(group_id="gone", newcomers=Newcomers.TOLD)])
    writing.put_said_cast(
        story_id, [Character(character_id="ann", aliases=(Alias(text="アン", extra=EXTRA),))]
    )
    for episode in (first, second):
        episode_id = episode.episode_id
        writing.put_episode(story_id, episode, order_key=episode.no * GAP)
        writing.put_annotations(story_id, episode_id, Annotations(rows=(Annotation(audience=PUBLIC),)))
        writing.put_facts(story_id, episode_id, [Fact(fact_id=f"f{episode.no}-0", text="x", audience=PUBLIC)])
        writing.put_suppressions(story_id, episode_id, [Suppression(holder="ann", text_hash="h")])
        writing.set_pin(story_id, episode_id, f"p{episode.no}", pinned=True)
        writing.put_mentions(story_id, episode_id, ["ann"])
        writing.set_inputs(story_id, episode_id, notes_hash="n", rows_hash="r", annotated=True)
        writing.put_extraction(
            story_id, episode_id, PRINT, an_extraction(a_draft(episode.text, 0, 4)), text=episode.text
        )
        remember(
            writing,
            story_id,
            episode,
            [a_memory(story_id, episode, 0), a_memory(story_id, episode, 1, holder="ann", supersedes="f1-0")],
        )
    writing.put_traces([a_trace(story_id)])


def a_branch(writing: Transaction, story_id: str, parent: str, after: int) -> None:
    """Put a branch with one episode, remembered by the world, at the lowest place there is."""
    writing.put_story(a_story(story_id, parent=parent, fork_episode_id=f"e{after}"))
    episode = an_episode(after + 1, episode_id="own")
    writing.put_episode(story_id, episode, order_key=1)
    memory = a_memory(story_id, episode, position=1, fact_id="own", supersedes="f1-0")
    remember(writing, story_id, episode, [memory])


def a_draft(text: str, start: int, end: int, audience: Audience = PUBLIC) -> Draft:
    """Make a draft of a span of a text."""
    return Draft(text=text[start:end], start=start, end=end, audience=audience, reason=Reason.SCENE)


def an_extraction(*drafts: Draft, calls: int = 0) -> Extraction:
    """Make an extraction that a model was asked for `calls` times."""
    usage = Usage(calls=calls, input_tokens=7 * calls, output_tokens=3 * calls, cost=None, seconds=0.5)
    return Extraction(
        drafts=drafts,
        refused=(Refusal(text="x", quote="「y」", reason="z"),),
        usage=usage if calls else NO_USAGE,
        unnamed=((0, 2), (2, 4)) if calls else (),
    )


def a_trace(story_id: str, verb: str = "recall") -> Trace:
    """Make a trace."""
    return Trace(
        at="2001-02-03T04:05:06+00:00",
        story=story_id,
        character="ann",
        episode_no=3,
        verb=verb,
        filter={"天気": {"$in": ["雪", 1, None]}},
        slices=(f"story:{story_id} world 2",),
        ids=("vec:e1:v1:world:world:0",),
    )


@contextmanager
def beside() -> Iterator[Callable[[Callable[[], object]], Future[object]]]:
    """Run functions in other threads, and wait for them at the end."""
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


class Undone(Exception):  # noqa: N818 - not an error of anybody's
    """Raised inside a transaction to undo it."""
