"""Stories as a kind of space: what a character may remember of episodes, and how it is ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial

from kataribe.domain.around import StorySentence
from kataribe.domain.gate import DENY_ALL, Gate, Slice, Viewer, reader_gate, story_gate
from kataribe.domain.ids import normalise
from kataribe.domain.lineage import Parts, StoryScope
from kataribe.domain.memory import Memory
from kataribe.domain.recall.requests import NOW, ViewerKeys
from kataribe.domain.space import SpaceType, story_space
from kataribe.domain.story.derive import told_secret_names
from kataribe.domain.story.inputs import Address, Character, NameKind, Story
from kataribe.domain.terms import Language
from kataribe.domain.text.name_parts import Guard
from kataribe.errors import InputError
from kataribe.ports import Transaction, View
from kataribe.ports.kinds import (
    NOTHING_FADED,
    AroundRequest,
    BuiltWith,
    Fading,
    Lending,
    Reached,
    ViewerFields,
)
from kataribe.story.around import sentences_around
from kataribe.story.fingerprints import story_of
from kataribe.story.lineage import lineage, seen_cast, seen_mentions, seen_pending, seen_texts, uptos

_LENDING = Lending(by_turns=False, by_clock=False)
_LENDING_ONCE = Lending(by_turns=False, by_clock=False, once=True)
"""To a reader several holders' copies of a fact are one fact."""


class StoryKind:
    """Stories: slices are the parts a story is told in, up to the episode before the viewer's."""

    name = SpaceType.STORY.value

    def fields(self, keys: ViewerKeys, *, now: datetime) -> ViewerFields:  # noqa: ARG002 - no clock is looked at
        """Give the story and the episode the viewer is at. Raises `InputError` unless all is named."""
        if keys.get("reader") or keys.get("read") is not None:
            return _reader_fields(keys)
        story, at = keys.get("story"), keys.get("at")
        if story is None and at is None and keys.get("user") is not None:
            return {}
        given = {"story": story, "persona": keys.get("persona"), "at": at}
        missing = ", ".join(name for name, value in given.items() if value is None)
        if missing:
            raise InputError(f"a viewer of a story needs story, persona and at; {missing} is missing")
        return {"story": story, "at": 1 if at == NOW else at, "is_now": at == NOW}

    def open(
        self,
        view: View,
        viewer: Viewer,
        *,
        scope: StoryScope | None,  # noqa: ARG002 - a story is the first to be opened
        part: int,  # noqa: ARG002 - and begins the order
    ) -> StoryHome | None:
        """Give what a viewer may be given of its story. Raises `NotFoundError`.

        A character known only from facts is in the cast from the first fact on that the viewer's
        cutoff covers, so that what comes later makes no difference.
        """
        if viewer.story is None:
            return None
        return view.once(("story home", viewer), partial(_opened, view, viewer, viewer.story))

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """Nothing: it holds no word of a user."""
        return {}

    def left(self, view: View, user_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """Nothing: it holds no word of a user."""
        return {}


def _reader_fields(keys: ViewerKeys) -> ViewerFields:
    """Give the story a reader reads and the episode after the last it has read. Raises `InputError`."""
    story, read = keys.get("story"), keys.get("read")
    if keys.get("reader") is not True:
        raise InputError("read is how far a reader has come; say reader=True with it")
    if further := [name for name in ("persona", "at", "user", "as_of") if keys.get(name) is not None]:
        raise InputError(f"a reader is a story's alone, with read and nothing else; leave out {further[0]}")
    if story is None or read is None:
        raise InputError(f"a reader needs story and read; {'story' if story is None else 'read'} is missing")
    if isinstance(read, bool) or not isinstance(read, int) or read < 0:
        raise InputError(f"read must be the number of the last episode read, 0 for none, not {read!r}")
    return {"story": story, "at": read + 1, "is_reader": True}


def _opened(view: View, viewer: Viewer, story_id: str) -> StoryHome:
    story = story_of(view, story_id)
    parts = lineage(view, story)
    cast = seen_cast(view, parts)
    if viewer.is_reader:
        return _opened_to_reader(view, viewer, story, parts, cast)
    named = seen_mentions(view, parts, cast).get(viewer.character)
    declared = any(character.character_id == viewer.character for character in cast)
    in_cast = declared or (named is not None and named <= viewer.cutoff)
    own = StoryScope(parts=parts, in_cast=in_cast)
    if viewer.cutoff < 1:
        return StoryHome(viewer=viewer, story=story, scope=own, gate=DENY_ALL)
    last = uptos(view, parts, viewer.cutoff)
    read = [(story_space(one.story_id), upto) for one, upto in zip(parts, last, strict=True)]
    gate = story_gate(viewer, uptos=read, in_cast=in_cast)
    holders = {one.holder for one in gate.slices}
    return StoryHome(
        viewer=viewer,
        story=story,
        scope=own,
        gate=gate,
        cast=cast,
        pending_episodes=seen_pending(view, parts, viewer.cutoff, holders=holders),
    )


def _opened_to_reader(
    view: View, viewer: Viewer, story: Story, parts: Parts, cast: tuple[Character, ...]
) -> StoryHome:
    """Open a story to somebody who has read it up to the cutoff, whoever holds what is told there."""
    own = StoryScope(parts=parts, in_cast=True)
    last = zip(parts, uptos(view, parts, viewer.cutoff), strict=True)
    gate = reader_gate([_read_of(view, story_space(one.story_id), upto) for one, upto in last])
    holders = {one.holder for one in gate.slices} | told_secret_names(cast, viewer.cutoff)
    return StoryHome(
        viewer=viewer,
        story=story,
        scope=own,
        gate=gate,
        cast=cast,
        pending_episodes=seen_pending(view, parts, viewer.cutoff, holders=holders),
    )


def _read_of(view: View, space: str, upto: int | None) -> tuple[str, int | None, tuple[str, ...]]:
    """Name who holds anything of a space up to a position; who comes later is not among them (P2)."""
    if upto is None:
        return space, None, ()
    held = {holder for holder, position, _ in view.gains(space) if holder and position <= upto}
    return space, upto, tuple(sorted(held))


@dataclass(frozen=True, kw_only=True)
class StoryHome:
    """What a viewer may be given of a story.

    It is kept as long as nobody writes, and so is what it is asked again and again.
    """

    viewer: Viewer
    story: Story
    scope: StoryScope
    gate: Gate
    cast: tuple[Character, ...] = ()
    pending_episodes: tuple[int, ...] = ()
    pending_turns: int = 0

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return f"story {self.story.story_id!r}"

    @property
    def width(self) -> int:
        """A part of the order for each part the story is told in."""
        return len(self.scope.parts)

    @property
    def language(self) -> Language:
        """The story's language."""
        return self.story.language

    @cached_property
    def built_with(self) -> BuiltWith:
        """The story's embedder, and what its texts were read by."""
        return BuiltWith(self.story.embedder, self.story.embedder_id, self.story.extractor_id)

    @property
    def lending(self) -> Lending:
        """Sentences of a text lend to each other; a memory ages by what was told after it."""
        return _LENDING_ONCE if self.viewer.is_reader else _LENDING

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Other names, as far as the viewer knows that they are one's, and the parts of them."""
        who = self.viewer.character if self.scope.in_cast else None

        def knows(address: Address) -> bool:
            if self.viewer.is_reader:
                return address.since <= self.viewer.cutoff
            return address.is_known(viewer=who, cutoff=self.viewer.cutoff)

        called = {
            one.character_id: tuple(
                normalise(alias.text)
                for alias in one.called()
                if alias.kind is not NameKind.FIRST_PERSON and knows(alias.address)
            )
            for one in self.cast
        }
        parts = {one.character_id: _plain_parts(one, called[one.character_id], knows) for one in self.cast}
        owners = Counter(text for id_, names in called.items() for text in {*names, *parts[id_]})
        known = (
            (*names, *(part for part in parts[character_id] if owners[part] == 1))
            for character_id, names in called.items()
        )
        return tuple(names for names in known if names)

    @property
    def voices(self) -> dict[str, int]:
        """Nobody: who speaks in a story is not recorded."""
        return {}

    @cached_property
    def reached(self) -> tuple[Reached, ...]:
        """Uses are kept under the story that is asked, by names of their own for each part.

        Positions of a branch and of its parent do not compare: what is used at one episode
        shows at that one and at later ones only (P2). A reader is nobody in particular and keeps none.
        """
        if self.viewer.is_reader:
            return ()
        own = story_space(self.story.story_id)
        upto = {one.part: (one.space, one.upto) for one in self.gate.slices}
        return tuple(
            Reached(
                own, f":{self.viewer.character}" if space == own else f"{space}:{self.viewer.character}", last
            )
            for _, (space, last) in sorted(upto.items())
        )

    def fading(self, view: View) -> Fading:  # noqa: ARG002 - nothing of it fades
        """Nothing that happens in a story is forgotten or fades."""
        return NOTHING_FADED

    def evidence(
        self, view: View, memories: Collection[Memory], *, around: AroundRequest | None = None
    ) -> StoryEvidence:
        """Look up quotes of other episodes and the facts told from, inside the gate.

        What a branch reads of its parent may quote the parent up to the fork: a later number is
        another episode's in the branch.
        """
        cutoff = self.viewer.cutoff
        last = {
            story_space(part.story_id): cutoff if part.cap_no is None else min(cutoff, part.cap_no)
            for part in self.scope.parts
        }
        numbers = {m.quote_no for m in memories if m.quote_no is not None and m.quote_no <= last[m.space]}
        linked = {m.told_from for m in memories if m.told_from is not None}
        return StoryEvidence(
            texts=seen_texts(view, self.scope.parts, numbers),
            told=frozenset(view.admitted_facts(self.gate, linked)),
            last=last,
            sentences={} if around is None else sentences_around(view, self.gate, memories, around.where),
        )

    def describe(self, part: Slice, *, briefly: bool = False) -> str:
        """Say what a slice holds, `briefly` as a trace keeps it."""
        if briefly:
            return f"{part.holder} up to {self.viewer.cutoff}"
        return f"{part.space} {part.holder} up to episode {self.read_to(self.scope.parts, part)}"

    def read_to(self, parts: Parts, part: Slice) -> int:
        """Give the number up to which a slice is read."""
        cap = parts[part.part].cap_no
        return self.viewer.cutoff if cap is None else min(self.viewer.cutoff, cap)


def _plain_parts(
    character: Character, called: Collection[str], knows: Callable[[Address], bool]
) -> tuple[str, ...]:
    """Give the parts of the names somebody is called, as they stand in them, but for common words."""
    found = {
        normalise(one.part.text)
        for one in character.implied()
        if one.part.guard is Guard.NONE and knows(one.address)
    }
    return tuple(sorted(part for part in found.difference(called) if any(part in name for name in called)))


@dataclass(frozen=True, slots=True)
class StoryEvidence:
    """Quotes of other episodes, as far as they are live and within the cutoff."""

    texts: Mapping[int, str]
    told: frozenset[str]
    last: Mapping[str, int]
    """By space: the last number its memories may quote."""
    sentences: Mapping[int, tuple[StorySentence, ...]] = field(default_factory=dict)
    """By key: what stands around a memory that is a sentence of its text."""

    def quoted(self, memory: Memory) -> str | None:
        """Give the text of the other episode a memory quotes; None when it may not be shown."""
        if memory.quote_no is None or memory.quote_no > self.last[memory.space]:
            return None
        return self.texts.get(memory.quote_no)

    def around(self, memory: Memory) -> tuple[StorySentence, ...]:
        """Give what stands around a sentence; nothing of any other memory, and where nobody asked."""
        return self.sentences.get(memory.key, ())


def open_story(view: View, viewer: Viewer) -> StoryHome:
    """Give what a viewer may be given of its story, for views that look at a story alone.

    Raises `NotFoundError` for an unknown story, `InputError` for a viewer without one.
    """
    home = StoryKind().open(view, viewer, scope=None, part=0)
    if home is None:
        raise InputError("this looks at a story; name one")
    return home
