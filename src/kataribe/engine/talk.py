"""Verbs for what is said with users."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from kataribe.conversation import import_log
from kataribe.conversation.homes import said_space, user_of
from kataribe.conversation.import_log import Begun
from kataribe.conversation.owner import UserOwner
from kataribe.conversation.store import (
    add_user,
    delete,
    find_said,
    open_said,
    rebuild,
    store,
    want_all_tiers,
)
from kataribe.domain.conversation.places import TalkEpisode
from kataribe.domain.conversation.turns import (
    LogImport,
    StoredTurns,
    TalkProgress,
    TalkReport,
    Turn,
    User,
    UserState,
)
from kataribe.domain.gate import position_of
from kataribe.domain.ids import WORLD, digest
from kataribe.domain.space import user_space
from kataribe.domain.terms import RULES, Language
from kataribe.engine.consents import ConsentVerbs
from kataribe.engine.giving_back import PersonalVerbs
from kataribe.engine.sealing import SealVerbs
from kataribe.engine.tracing import traced
from kataribe.errors import InputError
from kataribe.ports import Transaction, View
from kataribe.work.crew import Crew, work_through
from kataribe.work.task import SyncReport


class TalkVerbs(PersonalVerbs, ConsentVerbs, SealVerbs):
    """Users, their turns, and what is remembered of them."""

    async def add_user(
        self, user_id: str, *, language: Language, embedder: str | None = None, model: str | None = None
    ) -> User:
        """Make a user's space. Without `embedder` the language's default is taken and recorded.

        `model` sums up what is said, `rules` or a model (None: as set for all). Raises `ConflictError`
        when there is one of this id, `InputError` for a model that sums up nothing.
        """
        user = self._new_user(user_id, language, embedder, model)
        return await self._write(lambda tx: add_user(tx, user))

    def _new_user(
        self, user_id: str, language: Language, embedder: str | None, model: str | None = None
    ) -> User:
        name = embedder or self._services.default_embedder(language)
        chosen, model_id = self._model(model)
        return User(
            user_id=user_id,
            language=language,
            embedder=name,
            embedder_id=self._services.embedder(name).embedder_id,
            model=chosen,
            model_id=model_id,
        )

    def _model(self, named: str | None) -> tuple[str, str]:
        """Give who sums up what was said and its id. Raises `InputError` for a name that is none."""
        name = self._services.default_model if named is None else named
        if name == RULES:
            return RULES, RULES
        try:
            return name, self._services.summarizer(name).summarizer_id
        except InputError:
            if named is not None:
                raise
            # What reads stories need not be able to sum up talk.
            return RULES, RULES

    async def users(self) -> tuple[User, ...]:
        """Give all users, by id (author)."""
        return await self._read(lambda view: view.users())

    async def user(self, user_id: str) -> User:
        """Give one user (author). Raises `NotFoundError`."""
        return await self._read(lambda view: user_of(view, user_id))

    async def user_state(self, user_id: str) -> UserState:
        """Tell how a user's space stands (author). Raises `NotFoundError`."""

        def ask(view: View) -> UserState:
            user = user_of(view, user_id)
            turns = view.turns(user_space(user_id))
            holders = {holder for turn in turns for holder in turn.audience.holders()}
            last = max((turn.at for turn in turns), default=0)
            pending = view.pending_turns(user_space(user_id), holders=holders, upto=last)
            return UserState(
                user=user,
                turns=len(turns),
                sessions=len({turn.session for turn in turns}),
                personas=tuple(sorted(holders - {WORLD})),
                pending_turns=pending,
            )

        return await self._read(ask)

    async def put_turns(
        self, user_id: str, turns: Sequence[Turn], held: TalkEpisode | None = None
    ) -> StoredTurns:
        """Store turns; durable when this returns, in memory after a sync.

        With `held` they are talk at that episode of a story, else outside every story. Tells how
        many are new or changed, and which are dated later than the clock. Raises `NotFoundError`,
        `InputError`.
        """
        now = position_of(self._services.clock.now())

        def act(tx: Transaction) -> int:
            space = open_said(tx, user_id, held)
            changed = store(tx, space, turns).turns
            self._learn(tx, space, [turn for turn in turns if turn.turn_id in changed])
            return len(changed)

        changed = await self._write(act)
        return StoredTurns(changed=changed, ahead=tuple(turn.turn_id for turn in turns if turn.at > now))

    async def import_log(
        self,
        user_id: str,
        turns: Sequence[Turn],
        *,
        language: Language | None = None,
        guess: Language | None = None,
        embedder: str | None = None,
        held: TalkEpisode | None = None,
    ) -> LogImport:
        """Store the turns of a log, for a user that is made when it is missing; tells what is new.

        `language` and `embedder` are what the user is made with, and must not be others than it was
        made with; where no language is named `guess` is taken. All turns are durable when this
        returns, and in memory after a sync; with `held` they are talk, as in `put_turns`. Raises
        `ConflictError` when a turn's id is of another conversation, `NotFoundError`, `InputError`;
        nothing is stored then.
        """
        there = await self._read(lambda view: view.user(user_id))
        wanted = there or self._new_user(user_id, _one_language(language, guess), embedder)
        begun = await self._write(
            lambda tx: import_log.begin(
                tx,
                wanted,
                self._turns_as_kept(tx, user_id, turns),
                language=language,
                embedder=embedder,
                held=held,
            )
        )
        for batch in import_log.batches(turns):
            await self._write(partial(self._store_batch, begun=begun, turns=batch))
        kept = await self._read(lambda view: self._turns_as_kept(view, user_id, turns))
        return import_log.told(begun, kept, now=position_of(self._services.clock.now()))

    def _turns_as_kept(self, view: View, user_id: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Give turns as they are kept, to be laid beside those that are there."""
        return turns if self._protection is None else self._protection.turns(view, user_id, turns)

    def _store_batch(self, tx: Transaction, begun: Begun, turns: Sequence[Turn]) -> None:
        changed = import_log.store_batch(tx, begun, turns).turns
        self._learn(tx, begun.space, [turn for turn in turns if turn.turn_id in changed])

    async def delete_turns(
        self, user_id: str, turn_ids: Collection[str], held: TalkEpisode | None = None
    ) -> int:
        """Remove turns, and what is remembered of them at once; returns how many there were.

        Without `held` those said outside every story. Raises `NotFoundError`, `InputError`.
        """

        def act(tx: Transaction) -> int:
            space = find_said(tx, user_id, held)
            return 0 if space is None else len(delete(tx, space, turn_ids).turns)

        return await self._delete(act)

    async def turns(
        self, user_id: str, *, session: str | None = None, held: TalkEpisode | None = None
    ) -> tuple[Turn, ...]:
        """Give what was said, in order (author): outside every story, or at an episode of one.

        Raises `NotFoundError`, `InputError`.
        """

        protection = self._protection

        def ask(view: View) -> tuple[Turn, ...]:
            space = find_said(view, user_id, held)
            if space is None:
                return ()
            turns = view.turns(space, session=session)
            return turns if protection is None else protection.whole(view, space, turns)

        return await self._read(ask)

    @traced("sync")
    async def sync_user(
        self,
        user_id: str,
        *,
        retry: bool = False,
        waits: bool = True,
        progress: TalkProgress | None = None,
    ) -> TalkReport:
        """Bring what is remembered of a user up to what was said; may be stopped and resumed.

        What fails is tried again after a while, unless `waits` is False: then it is left to the
        next sync. `retry` tries dead letters again. Raises `NotFoundError`, `EmbedderMismatchError`.
        """
        # What was used is brought up with what was said.
        await self.flush()
        await self.seal_plain()
        return await self._remember(user_id, retry=retry, waits=waits, progress=progress)

    async def _remembered_anew(self, user_id: str) -> None:
        await self.sync_user(user_id, waits=False)

    async def rebuild_user(self, user_id: str, *, progress: TalkProgress | None = None) -> TalkReport:
        """Make what is remembered of a user again from what was said, with equal ids.

        It also moves the user to the release of its embedder that is installed now. Raises
        `NotFoundError`.
        """
        user = await self.user(user_id)
        current = replace(
            user,
            embedder_id=self._services.embedder(user.embedder).embedder_id,
            model_id=RULES if user.model == RULES else self._services.summarizer(user.model).summarizer_id,
        )
        await self._write(partial(rebuild, user=current))
        return await self._remember(user_id, anew=True, progress=progress)

    async def _remember(
        self,
        user_id: str,
        *,
        anew: bool = False,
        retry: bool = False,
        waits: bool = True,
        progress: TalkProgress | None = None,
    ) -> TalkReport:
        report = SyncReport()
        crew = Crew(processes=self._services.processes, waits=waits)
        tell = None if progress is None else lambda _, done, total: progress(done, total)
        owner = UserOwner(await self.user(user_id))
        if owner.asks_model:
            # Threads end by themselves: what is over by now is to be asked about.
            now = self._services.clock.now().isoformat()
            await self._write(lambda tx: want_all_tiers(tx, user_id, digest("sync", now)))
        works = await self._works(owner, report, crew, anew=anew, progress=tell)
        for work in works:
            await work.begin(retry=retry)
        await work_through(works, self._services.clock, report)
        return TalkReport(
            pages=report.pages,
            embedded=report.embedded,
            failed={f"{said_space(space)}{unit}": why for (space, unit), why in report.failed_turns.items()}
            | {f"{said_space(space)}{unit}": why for (space, unit), why in report.dead_turns.items()},
            outdated=report.outdated,
            usage=report.usage,
            unanswered={
                f"{said_space(space)}{unit}": why for (space, unit), why in report.failed_asks.items()
            },
            refused=tuple(report.refused_items),
        )


def _one_language(named: Language | None, guess: Language | None) -> Language:
    found = named or guess
    if found is None:
        raise InputError("a user that is made needs a language; name it")
    return found
