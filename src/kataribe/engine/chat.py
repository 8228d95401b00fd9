"""A live conversation: a turn is stored before anything else happens, and remembered at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from kataribe.conversation.live import Placed, Utterance, Where, audience_of, open_space, place, take_in
from kataribe.conversation.resent import merged
from kataribe.conversation.store import store
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import Message, RememberReport, Role, Turn, TurnReceipt, User
from kataribe.domain.gate import position_of
from kataribe.domain.ids import text_hash
from kataribe.domain.space import user_space
from kataribe.domain.terms import Audience, Language
from kataribe.engine.answer import AnswerVerbs
from kataribe.engine.base import check_installed
from kataribe.errors import ConflictError, InputError, KataribeError, option
from kataribe.formats.detect import plain_language
from kataribe.formats.messages import Voices, read_messages
from kataribe.ports import Embedder, Remote, Transaction
from kataribe.work.embed import embed_texts
from kataribe.work.task import Embedded

T = TypeVar("T")

_LOOKS = 8
"""How often a unit is looked at that others change at the same time; then it is found by words."""
_WAITED_OUT = 50
"""Milliseconds a turn may stand ahead of the clock for its caller to wait until it can be recalled."""


class ChatVerbs(AnswerVerbs):
    """Storing turns as they are said, and lists of messages as chat programs hold them."""

    async def said(
        self,
        user_id: str,
        text: str,
        *,
        speaker: str,
        persona: str | Sequence[str] | None = None,
        session: str | None = None,
        time: datetime | None = None,
        caption: str | None = None,
        arousal: float | None = None,
        role: Role | None = None,
        turn_id: str | None = None,
        held: TalkEpisode | None = None,
        language: Language | None = None,
        embedder: str | None = None,
        goes_on: str | None = None,
    ) -> TurnReceipt:
        """Store one turn; durable before anything else happens, and in memory when this returns.

        `persona` names who was there and may remember, one or several; without it `world` holds
        the turn. With `held` it is talk at that episode, which needs a persona.
        Without `session` it is of that of its day (UTC), without `time` it is said now; a turn not
        later than the last of its session is set a millisecond after it. `turn_id` is the id it is to
        have (None: one is made); where there is a turn of this id that is given, and nothing stored:
        `ConflictError` when it says something else. A missing user is made,
        in `language` or, where the text is long enough to tell, in the text's own. What `goes_on` in
        the space of this token is refused where the user was erased since.

        With an embedder that asks another machine nothing is waited for: the turn is found by words,
        and by likeness once a sync has embedded it. `pending` says so, and why, when it cannot be
        embedded here either. Raises `InputError`, `NotFoundError`, `ConflictError`; nothing is
        stored then.
        """
        said = Utterance(
            speaker=speaker,
            text=text,
            time=whole(time or self._services.clock.now()),
            audience=audience_of(persona, held),
            session=session,
            caption=caption,
            arousal=arousal,
            role=role,
            turn_id=turn_id,
        )
        where = Where(user_id=user_id, held=held, language=language, embedder=embedder, goes_on=goes_on)

        def act(tx: Transaction, made: User | None) -> Placed | None:
            return self._learnt(tx, place(tx, where, said, made))

        placed = await self._placed(where, (text,), act)
        turn, pending = placed.turns[0], await self._take_in(await self._as_stored(placed))
        return TurnReceipt(
            user=placed.user,
            made=placed.made,
            turn_id=turn.turn_id,
            session=turn.session,
            time=turn.time,
            holders=turn.audience.holders(),
            ahead=await self._is_ahead(turn),
            pending=pending,
        )

    async def token_of(self, user_id: str) -> str | None:
        """Give the token of a user's space, for a conversation that goes on there."""
        return await self._read(lambda view: view.space_token(user_space(user_id)))

    async def _is_ahead(self, turn: Turn) -> bool:
        """Wait out the few milliseconds a turn was set behind another; tell whether it is later still."""
        ahead = turn.at - position_of(self._services.clock.now())
        if 0 < ahead <= _WAITED_OUT:
            await self._services.clock.sleep(ahead / 1000)
        return turn.at > position_of(self._services.clock.now())

    async def remember(
        self,
        messages: Sequence[object],
        *,
        user: str,
        persona: str | Sequence[str] | None = None,
        speaker: str | None = None,
        session: str | None = None,
        held: TalkEpisode | None = None,
        language: Language | None = None,
        embedder: str | None = None,
        replace: bool = False,
    ) -> RememberReport:
        """Store what is new of a list of messages, and bring it into memory; all of it or nothing.

        A message is an object with `role` and `content` (and `name`), one of our own form
        (`speaker`, `text` and, if you like, `session`, `time`, `id`, `caption`, `arousal`,
        `persona`), or a text that the user said. `speaker` is who the user is called (else its
        id). `persona` holds what names nobody, several or one; an assistant speaks as the first.
        What is of a system or a tool, or no text, is left out and counted.

        Without `session` the list is a session called after its first message. Within a session
        a list that is sent again adds only what has come to it, and what is there keeps its time;
        a message that says something else than it did is refused with `ConflictError`, unless
        `replace` is True. Memory and users are as in `said`. Raises `InputError`, `NotFoundError`.
        """
        audience = audience_of(persona, held)
        names = (persona,) if isinstance(persona, str) else tuple(persona or ())
        if isinstance(messages, str):
            raise InputError("messages must be a list; for one text there is `said`")
        voices = Voices(user=speaker or user, assistant=names[0] if names else None)
        told, left_out = read_messages(messages, voices, session=session)
        where = Where(user_id=user, held=held, language=language, embedder=embedder)
        now = whole(self._services.clock.now())

        def act(tx: Transaction, made: User | None) -> _Remembered | None:
            kept = _keep(
                tx,
                where,
                told,
                made,
                audience=audience,
                now=now,
                replaces=replace,
                as_kept=self._writer_of(tx, user),
            )
            self._learnt(tx, None if kept is None else kept.placed)
            return kept

        kept = await self._placed(where, [message.text for message in told], act)
        placed, turns = kept.placed, kept.placed.turns
        return RememberReport(
            user=placed.user,
            made=placed.made,
            sessions=tuple(dict.fromkeys(message.session or "" for message in told)),
            new=kept.new,
            changed=len(turns) - kept.new,
            unchanged=kept.unchanged,
            holders=tuple(sorted({one for turn in turns for one in turn.audience.holders()})),
            left_out=left_out,
            ahead=tuple(turn.turn_id for turn in turns if turn.at > position_of(self._services.clock.now())),
            pending=await self._take_in(await self._as_stored(placed)) if turns else None,
        )

    def _learnt(self, tx: Transaction, placed: Placed | None) -> Placed | None:
        """Keep what the user asks for in what was just stored."""
        if placed is not None and placed.is_new:
            self._learn(tx, placed.space, placed.turns)
        return placed

    async def _placed(
        self,
        where: Where,
        texts: Sequence[str],
        act: Callable[[Transaction, User | None], T | None],
        guess: Language | None = None,
    ) -> T:
        """Store turns; a user that is missing is made first, and then they are stored again.

        `guess` is the language it is made with where the texts are too short to tell.
        """
        placed = await self._write(lambda tx: act(tx, None))
        if placed is not None:
            return placed
        language = where.language or plain_language("\n".join(texts)) or guess
        if language is None:
            raise InputError(
                f"there is no user {where.user_id!r}, and too few words to tell a language by; "
                f"name one with {option('language')}"
            )
        name = where.embedder or self._services.default_embedder(language)
        embedder_id = self._services.embedder(name).embedder_id
        user = User(user_id=where.user_id, language=language, embedder=name, embedder_id=embedder_id)
        placed = await self._write(lambda tx: act(tx, user))
        assert placed is not None
        return placed

    def _writer_of(self, tx: Transaction, user_id: str) -> Callable[[str], str]:
        """Give what writes a text as it is kept."""
        writer = None if self._protection is None else self._protection.writer(tx, user_id)
        return str if writer is None else writer.text

    async def _as_stored(self, placed: Placed) -> Placed:
        """Give what was stored with its turns as they are kept: these are embedded."""
        protection, user = self._protection, placed.user
        texts = [text for turn in placed.turns for text in (turn.text, turn.caption) if text]
        if protection is None or self._is_harmless(texts, user.language):
            return placed
        kept = await self._read(lambda view: protection.turns(view, user.user_id, placed.turns))
        return replace(placed, turns=kept)

    # -- memory -------------------------------------------------------------------------------

    async def _take_in(self, placed: Placed) -> str | None:
        """Bring what was stored into memory; says why some of it is found by words only, or not at all.

        It is stored already: whatever fails now is left to the next sync.
        """
        embedder, why = self._embedder_here(placed.user)
        wanted = {text_hash(t.words): t.words for t in placed.turns if not t.is_system}
        try:
            embedded = await self._embedded_here(wanted, embedder)
            told = [await self._take_in_unit(placed.space, unit, embedder, embedded) for unit in placed.units]
        except KataribeError as error:
            return self._reason_of(error)
        return next((why or each for each in told if each is not None), None)

    def _embedder_here(self, user: User) -> tuple[Embedder | None, str]:
        """Give the embedder of a user where it runs here, else the reason why none does."""
        try:
            embedder = self._services.embedder(user.embedder)
            check_installed(f"user {user.user_id!r}", user.embedder_id, embedder)
        except KataribeError as error:
            return None, self._reason_of(error)
        if isinstance(embedder, Remote) and embedder.is_remote:
            return None, f"{user.embedder} embeds it when a sync asks it; until then it is found by words"
        return embedder, ""

    async def _embedded_here(self, texts: Mapping[str, str], embedder: Embedder | None) -> Embedded:
        if embedder is None:
            return Embedded({}, {}, "")
        return await embed_texts(list(texts.values()), embedder, told=self._reason_of)

    async def _take_in_unit(
        self, space: str, unit: str, embedder: Embedder | None, embedded: Embedded
    ) -> str | None:
        """Bring a unit into memory with whatever else of it lags; says why some is not embedded."""
        for look in range(_LOOKS):
            by_words = embedder is None or bool(embedded.failures) or look + 1 == _LOOKS
            act = partial(take_in, space=space, unit=unit, embedded=embedded, by_words=by_words)
            missing = await self._write(act)
            if not missing:
                return None
            if by_words:
                break
            embedded = _both(embedded, await self._embedded_here(missing, embedder))
        return next(iter(embedded.failures.values()), "others speak faster than it is embedded; run a sync")


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What was stored of a list of messages."""

    placed: Placed
    new: int
    unchanged: int


def _keep(
    tx: Transaction,
    where: Where,
    messages: Sequence[Message],
    made: User | None,
    *,
    audience: Audience,
    now: datetime,
    replaces: bool,
    as_kept: Callable[[str], str],
) -> _Remembered | None:
    """Store what is new of a list, session by session; None when a user must be made for it."""
    opened = open_space(tx, where, made)
    if opened is None:
        return None
    user, is_new, space = opened
    found = [
        merged(
            [message for message in messages if message.session == session],
            tx.turns(space, session=session),
            session=session or "",
            audience=audience,
            now=now,
            replaces=replaces,
            as_kept=as_kept,
            stubs=tx.stubs(space),
        )
        for session in dict.fromkeys(message.session for message in messages)
    ]
    new = [turn for one in found for turn in one.new]
    _check_free(tx, space, new)
    turns = (*new, *(turn for one in found for turn in one.changed))
    units = store(tx, space, turns).units if turns else ()
    placed = Placed(user=user, made=is_new, space=space, turns=turns, units=units)
    return _Remembered(placed, len(new), sum(one.unchanged for one in found))


def _check_free(tx: Transaction, space: str, turns: Sequence[Turn]) -> None:
    """Raise `ConflictError` for a new turn with the id of one in another session, or of another new one."""
    seen: set[str] = set()
    for turn in turns:
        if turn.turn_id in seen or tx.turn(space, turn.turn_id) is not None:
            raise ConflictError(f"the id {turn.turn_id!r} is that of another turn; give each its own")
        seen.add(turn.turn_id)


def whole(time: datetime) -> datetime:
    """Leave out what is less than a millisecond, which tells no turns apart."""
    if time.tzinfo is None:
        raise InputError(f"the time {time.isoformat()} has no zone; name one")
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def _both(one: Embedded, other: Embedded) -> Embedded:
    vectors, failures = {**one.vectors, **other.vectors}, {**one.failures, **other.failures}
    return Embedded(vectors, failures, other.embedder_id, other.words)
