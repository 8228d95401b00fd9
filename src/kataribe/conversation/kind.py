"""What was said as two kinds of spaces: with a user outside every story, and as talk under one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from kataribe.conversation.associations import turns_in_mind
from kataribe.conversation.at_hand import at_hand
from kataribe.conversation.fading import fading
from kataribe.conversation.homes import user_of
from kataribe.conversation.threads import shares_of
from kataribe.domain.around import StorySentence
from kataribe.domain.conversation.turns import User
from kataribe.domain.gate import Gate, Slice, Viewer, talk_gate, user_gate
from kataribe.domain.lineage import StoryScope
from kataribe.domain.memory import Memory
from kataribe.domain.recall.at_hand import AtHand
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.space import SpaceType, parse_space, user_space
from kataribe.domain.terms import RULES, Language
from kataribe.errors import InputError
from kataribe.ports import Transaction, View
from kataribe.ports.kinds import (
    AroundRequest,
    AtHandRequest,
    BuiltWith,
    Fading,
    Lending,
    Reached,
    ViewerFields,
)

_LENDING = Lending(by_turns=True, by_clock=True)


class UserKind:
    """What was said with a user outside every story, up to the viewer's moment."""

    name = SpaceType.USER.value

    def fields(self, keys: ViewerKeys, *, now: datetime) -> ViewerFields:
        """Give the user and the moment, `now` where none is named. Raises `InputError` for one without."""
        user, as_of = keys.get("user"), keys.get("as_of")
        if user is None:
            if as_of is not None:
                raise InputError("as_of is for what was said with a user; name the user too")
            return {}
        return {"user": user, "as_of": as_of or now}

    def open(
        self,
        view: View,
        viewer: Viewer,
        *,
        scope: StoryScope | None,  # noqa: ARG002 - what was said outside stories heeds none
        part: int,
    ) -> ConversationHome | None:
        """Give what a viewer may be given of what was said with its user. Raises `NotFoundError`."""
        if viewer.user is None:
            return None
        user = user_of(view, viewer.user)
        gate = user_gate(viewer, space=user_space(user.user_id), part=part)
        return _home(view, viewer, user, gate)

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Remove the user with its own space."""
        counts = self.left(tx, user_id)
        tx.delete_user(user_id)
        return counts

    def left(self, view: View, user_id: str) -> Mapping[str, int]:
        """Count what is there of it."""
        return view.rows_of_user(user_id, SpaceType.USER)


class TalkKind:
    """What was said with a user under a story, at or before the viewer's episode."""

    name = SpaceType.TALK.value

    def fields(self, keys: ViewerKeys, *, now: datetime) -> ViewerFields:  # noqa: ARG002
        """Nothing of its own: it is the talk of a story and a user that are named."""
        return {}

    def open(
        self, view: View, viewer: Viewer, *, scope: StoryScope | None, part: int
    ) -> ConversationHome | None:
        """Give what a viewer may be given of talk under its story. Raises `NotFoundError`."""
        if viewer.user is None or scope is None:
            return None
        user = user_of(view, viewer.user)
        spaces = talk_spaces(view, scope, viewer)
        gate = talk_gate(viewer, spaces=spaces, in_cast=scope.in_cast, part=part)
        return _home(view, viewer, user, gate)

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:
        """Remove what was said with the user under any story."""
        counts = self.left(tx, user_id)
        for state in tx.spaces(user=user_id):
            if parse_space(state.space).type is SpaceType.TALK:
                tx.delete_talk(state.space)
        return counts

    def left(self, view: View, user_id: str) -> Mapping[str, int]:
        """Count what is there of it."""
        return view.rows_of_user(user_id, SpaceType.TALK)


def talk_spaces(view: View, scope: StoryScope, viewer: Viewer) -> tuple[str, ...]:
    """Name the spaces of talk with a viewer held at its episode or before that its story reads.

    A branch reads its parent's up to the fork. Where only others talked there is nothing to name (P2).
    """
    at, user_id = viewer.at or 0, viewer.user or ""
    return tuple(
        talk.space
        for part in scope.parts
        for talk in view.talks(part.story_id, user_id, holder=viewer.character, upto=viewer.moment)
        if talk.no <= at
        and part.holds_no(talk.no)
        and (talk.order_key is None or part.holds_key(talk.order_key))
    )


def _home(view: View, viewer: Viewer, user: User, gate: Gate) -> ConversationHome:
    pending = sum(
        view.pending_turns(space, holders={one.holder for one in gate.slices}, upto=viewer.moment)
        for space in dict.fromkeys(one.space for one in gate.slices)
    )
    return ConversationHome(
        viewer=viewer, user=user, gate=gate, pending_turns=pending, voices=dict(view.voices(gate))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationHome:
    """What a viewer may be given of what was said."""

    viewer: Viewer
    user: User
    gate: Gate
    pending_turns: int
    voices: dict[str, int]
    pending_episodes: tuple[int, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    scope: StoryScope | None = None
    width: int = 1

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return f"user {self.user.user_id!r}"

    @property
    def language(self) -> Language:
        """The user's language."""
        return self.user.language

    @property
    def built_with(self) -> BuiltWith:
        """The user's embedder; no model reads turns."""
        return BuiltWith(self.user.embedder, self.user.embedder_id, RULES)

    @property
    def lending(self) -> Lending:
        """Turns lend to each other, and age by the clock."""
        return _LENDING

    @property
    def reached(self) -> tuple[Reached, ...]:
        """Uses are kept under each space, by the persona."""
        who = f":{self.viewer.persona or ''}"
        spaces = dict.fromkeys(one.space for one in self.gate.slices)
        return tuple(Reached(space, who, self.viewer.moment) for space in spaces)

    def fading(self, view: View) -> Fading:
        """Say what was forgotten, superseded or not to be remembered, and what fades with time."""
        return fading(view, self.user.user_id, self.gate)

    def at_hand(self, view: View, asked: AtHandRequest) -> AtHand:
        """Give what was just said, and what is kept of the rest."""
        return at_hand(view, shares_of(self.gate, self.viewer.moment), self.fading(view), asked)

    def evidence(
        self,
        view: View,
        memories: Collection[Memory],
        *,
        around: AroundRequest | None = None,  # noqa: ARG002 - nothing stands around a turn
    ) -> ConversationEvidence:
        """Look up the turns that others were told from, inside the gate."""
        linked = {memory.told_from for memory in memories if memory.told_from is not None}
        return ConversationEvidence(told=frozenset(view.admitted_facts(self.gate, linked)))

    def in_mind(self, view: View, text: str, fading: Fading) -> Mapping[int, float]:
        """Give the turns that a text brings to mind, space by space."""
        return turns_in_mind(view, self.gate, text, self.language, frozenset(fading.unsearched))

    def describe(self, part: Slice, *, briefly: bool = False) -> str:
        """Say what a slice holds, `briefly` as a trace keeps it."""
        moment = self.viewer.as_of
        told = f"{part.holder} as of {'' if moment is None else moment.isoformat()}"
        return told if briefly else f"{part.space} {told}"


@dataclass(frozen=True, slots=True)
class ConversationEvidence:
    """What turns lead to: they quote nothing."""

    told: frozenset[str]

    def quoted(self, memory: Memory) -> str | None:  # noqa: ARG002 - of no turn
        """Turns quote no episode."""
        return None

    def around(self, memory: Memory) -> tuple[StorySentence, ...]:  # noqa: ARG002 - of no turn
        """Turns are no sentences of a text."""
        return ()
