"""Comparing what is remembered of turns with what it should be, made anew and not stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from kataribe.conversation.associations_task import held_marks
from kataribe.conversation.consents import may_remember
from kataribe.conversation.homes import user_of
from kataribe.conversation.life_inputs import life_inputs
from kataribe.conversation.page_task import TurnsTask
from kataribe.conversation.store import spaces_of
from kataribe.domain.conversation.life.values import Life
from kataribe.domain.conversation.turns import Turn, User, is_system, turn_memories
from kataribe.domain.ids import text_hash
from kataribe.domain.memory import Memory
from kataribe.domain.records import MemoryState, Verification
from kataribe.domain.space import parse_space
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import term_hash, tokens
from kataribe.domain.work import WorkKind
from kataribe.errors import ArchiveError
from kataribe.ports import Embedder, View
from kataribe.work.compare import unlike, worn
from kataribe.work.embed import embed_texts
from kataribe.work.path import WorkTools
from kataribe.work.task import WordsIn, no_words


@dataclass(frozen=True, slots=True)
class _Unit:
    space: str
    name: str
    turns: tuple[Turn, ...]
    stored: tuple[Memory, ...]
    derived: Mapping[str, MemoryState]
    packed: Mapping[tuple[str, str], bool]
    lags: bool

    def wanted(self) -> dict[str, tuple[Turn, Memory]]:
        """Give what should be remembered, and the turn it is of, by memory id."""
        made = ((turn, one) for turn in self.turns for one in turn_memories(self.space, turn))
        return {memory.memory_id: (turn, memory) for turn, memory in made}


async def verify_user(tools: WorkTools, task: TurnsTask, user_id: str) -> Verification:
    """Derive, embed and cut into terms every turn again, and compare. Raises `NotFoundError`."""
    user, units = await tools.read(lambda view: (user_of(view, user_id), _units(view, user_id)))
    problems: list[str] = []
    if user.embedder_id != task.embedder.embedder_id:
        problems.append(
            f"user {user_id}: embedded by {user.embedder_id}, "
            f"installed is {task.embedder.embedder_id}; run `kataribe rebuild --user {user_id}`"
        )
    turns = memories = pending = 0
    for space, name in units:
        unit = await tools.read(partial(_gather, space=space, unit=name))
        turns += len(unit.turns)
        memories += len(unit.stored)
        pending += sum(not turn.is_system for turn in unit.turns) if unit.lags else 0
        where = f"user {user_id} {_place(space)}{name}"
        found = [*_odd(user, unit), *unlike(unit.stored, unit.packed, unit.derived)]
        if not unit.lags:
            found += [*_compare(unit), *await _worn(user, unit, task.embedder)]
        problems += [f"{where}: {problem}" for problem in found]
    problems += await tools.read(lambda view: tuple(_tier_problems(view, user_id)))
    problems += await tools.read(lambda view: tuple(_association_problems(view, user_id)))
    return Verification(
        stories=0,
        episodes=0,
        memories=memories,
        pending=0,
        problems=tuple(problems),
        users=1,
        turns=turns,
        pending_turns=pending,
    )


def _units(view: View, user_id: str) -> tuple[tuple[str, str], ...]:
    """Name all units that have turns, memories or work, space by space."""
    return tuple(
        (space, unit)
        for space in spaces_of(view, user_id)
        for unit in sorted({*view.turn_units(space), *view.units(space), *view.due(space, WorkKind.TURNS)})
    )


def _tier_problems(view: View, user_id: str) -> Iterator[str]:
    """Replay what each holder keeps in tiers, and compare."""
    for space in spaces_of(view, user_id):
        state = view.space(space)
        for holder, work in sorted(view.work(space, WorkKind.TIERS).items()):
            inputs = None if state is None or work.lags else life_inputs(view, state, user_id, holder)
            if inputs is not None and _life_or_none(view, space, holder) not in (None, inputs.life()):
                yield (
                    f"user {user_id} {_place(space)}what {holder} keeps in tiers is not what its turns make "
                    f"of it; run `kataribe rebuild --user {user_id}`"
                )


def _association_problems(view: View, user_id: str) -> Iterator[str]:
    """Read again what the turns of each unit name, and compare."""
    for space in spaces_of(view, user_id):
        state = view.space(space)
        turns = view.work(space, WorkKind.TURNS)
        for unit, work in sorted(view.work(space, WorkKind.ASSOCIATIONS).items()):
            # What is not in memory yet is read for it once it is.
            if state is None or work.lags or (unit in turns and turns[unit].lags):
                continue
            said = may_remember(view, space).turns(view.turns(space, unit=unit))
            made = held_marks(said, state.language)
            if view.marks(space, unit) != {(one.holder, one.turn_id): one for one in made}:
                yield (
                    f"user {user_id} {_place(space)}{unit}: what its turns name is not what is kept of it; "
                    f"run `kataribe rebuild --user {user_id}`"
                )


def _life_or_none(view: View, space: str, holder: str) -> Life | None:
    """Give what is kept; None where the archive cannot be read, which the look at its files has told."""
    try:
        return view.life(space, holder)
    except ArchiveError:
        return None


def _place(space: str) -> str:
    """Say under which story a space is, where it is under one."""
    said = parse_space(space)
    return "" if said.story is None else f"talk at {said.place} of {said.story} "


def _gather(view: View, space: str, unit: str) -> _Unit:
    held = view.work(space, WorkKind.TURNS, unit).get(unit)
    return _Unit(
        space,
        unit,
        may_remember(view, space).turns(view.turns(space, unit=unit)),
        view.memories(space, unit=unit),
        view.memory_states(space, unit),
        view.packed(space, unit),
        held is not None and held.lags,
    )


def _odd(user: User, unit: _Unit) -> Iterator[str]:
    """A unit that lags may lack memories; what it holds must be of its turns all the same."""
    wanted = unit.wanted()
    for memory in unit.stored:
        if memory.memory_id not in wanted:
            yield f"memory {memory.memory_id} {_odd_words(user, memory)}"


def _odd_words(user: User, memory: Memory) -> str:
    """Say what is wrong with a memory that no turn makes; older releases remembered the system's too."""
    if memory.said is not None and is_system(memory.said.speaker):
        return f"is of no person but of the system; run `kataribe rebuild --user {user.user_id}`"
    return "is of no turn"


def _compare(unit: _Unit) -> Iterator[str]:
    should = {memory_id: memory for memory_id, (_, memory) in unit.wanted().items()}
    have = {memory.memory_id: replace(memory, key=0) for memory in unit.stored}
    for gone in sorted(should.keys() - have.keys()):
        yield f"memory {gone} is missing"
    for shared in sorted(should.keys() & have.keys()):
        if should[shared] != have[shared]:
            yield f"memory {shared} is not what its turn makes of it"


async def _worn(user: User, unit: _Unit, embedder: Embedder) -> list[str]:
    """Compare terms and vectors with what the turns give now."""
    wanted = unit.wanted()
    held = [(wanted[memory.memory_id][0], memory) for memory in unit.stored if memory.memory_id in wanted]
    anew = await embed_texts(sorted({turn.words for turn, _ in held}), embedder)
    problems: list[str] = []
    for turn, memory in held:
        problems += worn(
            memory.memory_id,
            unit.derived[memory.memory_id],
            terms=terms_of(turn, user.language, anew.words),
            vector=anew.vectors.get(text_hash(turn.words)),
            embedder_id=embedder.embedder_id,
            source="turn",
        )
    return problems


def terms_of(turn: Turn, language: Language, words: WordsIn = no_words) -> tuple[int, ...]:
    """Give the hashes of the terms a turn is found by, in order, repeats kept."""
    terms = (*tokens(turn.told(language), language), *words(turn.words))
    return tuple(sorted(map(term_hash, terms)))
