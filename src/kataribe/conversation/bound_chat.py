"""What a chat is bound to, and how far it has come: the same for its async and its sync side."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TypedDict

from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import TurnReceipt
from kataribe.domain.ids import check_id
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language
from kataribe.errors import InputError

RECENT_MESSAGES = 12
"""How many of its last messages a chat keeps, so that they are not searched for again (S2-31)."""


class TurnKeys(TypedDict):
    """What every turn of a chat is stored with."""

    persona: str | None
    session: str | None
    held: TalkEpisode | None
    language: Language | None
    embedder: str | None
    goes_on: str | None


class BoundChat:
    """One conversation with a user: its viewer, its session and its last messages.

    Raises `InputError` for talk under a story without a persona, and for ids that are none.
    """

    def __init__(
        self,
        user: str,
        *,
        persona: str | None = None,
        held: TalkEpisode | None = None,
        session: str | None = None,
        language: Language | None = None,
        embedder: str | None = None,
    ) -> None:
        self.user = check_id(user, "user id")
        self.persona = None if persona is None else check_id(persona, "persona id")
        self.session = session
        self._held = held
        self._language, self._embedder = language, embedder
        self._recent: deque[str] = deque(maxlen=RECENT_MESSAGES)
        self.begun_in: str | None = None
        """The token of the user's space, once something was said."""
        if held is not None and persona is None:
            raise InputError("talk under a story is held by the personas who were there; name one")

    @property
    def recent(self) -> Sequence[str]:
        """The last messages of this chat, the oldest first."""
        return tuple(self._recent)

    @property
    def replier(self) -> str:
        """Who replies. Raises `InputError` where no persona is bound."""
        if self.persona is None:
            raise InputError("nobody is bound who could reply; name the speaker")
        return self.persona

    def turn(self) -> TurnKeys:
        """Give what a turn is stored with."""
        return TurnKeys(
            persona=self.persona,
            session=self.session,
            held=self._held,
            language=self._language,
            embedder=self._embedder,
            goes_on=self.begun_in,
        )

    def viewer(self) -> ViewerKeys:
        """Give who asks: the persona, with this user, as of now."""
        keys = ViewerKeys(user=self.user, persona=self.persona)
        return keys if self._held is None else {**keys, "story": self._held.story_id, "at": self._held.no}

    def note(self, told: TurnReceipt, text: str) -> None:
        """Keep what was said, and the session it was said in."""
        self.session = told.session
        self._recent.append(text)
