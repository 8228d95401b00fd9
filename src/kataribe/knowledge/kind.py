"""Libraries as a kind of space: searched by themselves, and in the gate of no viewer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from kataribe.domain.around import StorySentence
from kataribe.domain.gate import Gate, Slice, Viewer, library_gate
from kataribe.domain.knowledge.documents import Library, LibraryViewer
from kataribe.domain.lineage import StoryScope
from kataribe.domain.memory import Memory
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.space import SpaceType, library_space
from kataribe.domain.terms import RULES, Language
from kataribe.knowledge.homes import library_of
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

_LENDING = Lending(by_turns=False, by_clock=False, ages=False)


class LibraryKind:
    """Libraries: one slice, the world's, for who searches the library and for no other viewer."""

    name = SpaceType.LIBRARY.value

    def fields(self, keys: ViewerKeys, *, now: datetime) -> ViewerFields:  # noqa: ARG002
        """Nothing: no word of a viewer's read leads into a library (S4-66)."""
        return {}

    def open(
        self,
        view: View,
        viewer: Viewer,
        *,
        scope: StoryScope | None,  # noqa: ARG002 - a library is searched beside no story
        part: int,
    ) -> LibraryHome | None:
        """Give what a search in the library may find. Raises `NotFoundError`."""
        if not isinstance(viewer, LibraryViewer):
            return None
        library = library_of(view, viewer.library)
        return LibraryHome(library=library, gate=library_gate(library_space(library.library_id), part=part))

    def erase(self, tx: Transaction, user_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """Nothing: it holds no word of a user."""
        return {}

    def left(self, view: View, user_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """Nothing: it holds no word of a user."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryHome:
    """What a search in a library may find."""

    library: Library
    gate: Gate
    pending_turns: int = 0
    pending_episodes: tuple[int, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    scope: StoryScope | None = None
    width: int = 1
    reached: tuple[Reached, ...] = ()
    """Nowhere: what was found before is found no sooner."""

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return f"library {self.library.library_id!r}"

    @property
    def language(self) -> Language:
        """The library's language."""
        return self.library.language

    @property
    def built_with(self) -> BuiltWith:
        """The library's embedder; no model reads documents."""
        return BuiltWith(self.library.embedder, self.library.embedder_id, RULES)

    @property
    def lending(self) -> Lending:
        """Passages stand for themselves, and do not age."""
        return _LENDING

    @property
    def voices(self) -> dict[str, int]:
        """Nobody: documents are written."""
        return {}

    def fading(self, view: View) -> Fading:  # noqa: ARG002 - nothing of it fades
        """Nothing that is written is forgotten or fades."""
        return NOTHING_FADED

    def evidence(
        self,
        view: View,  # noqa: ARG002 - nothing is looked up
        memories: Collection[Memory],  # noqa: ARG002
        *,
        around: AroundRequest | None = None,  # noqa: ARG002
    ) -> NoEvidence:
        """Passages lead to nothing else, and nothing stands around them."""
        return NoEvidence()

    def describe(self, part: Slice, *, briefly: bool = False) -> str:
        """Say what a slice holds, `briefly` as a trace keeps it."""
        told = f"{part.holder} in the last versions"
        return told if briefly else f"{part.space} {told}"


@dataclass(frozen=True, slots=True)
class NoEvidence:
    """What passages lead to."""

    told: frozenset[str] = frozenset()

    def quoted(self, memory: Memory) -> str | None:  # noqa: ARG002 - of no passage
        """Passages quote no episode."""
        return None

    def around(self, memory: Memory) -> tuple[StorySentence, ...]:  # noqa: ARG002 - of no passage
        """Nothing stands around a passage."""
        return ()
