"""Verbs about work that is not done: what waits, what failed and why, and what to do about it."""

from __future__ import annotations

from kataribe.conversation.store import spaces_of
from kataribe.domain.records import Outcome, Work
from kataribe.domain.space import episode_of, parse_space, story_space
from kataribe.domain.work import WorkItem, WorkKind, work_item
from kataribe.engine.base import Base
from kataribe.errors import ConflictError, InputError, NotFoundError
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import live_state
from kataribe.story.emptied import accept_empty as take_empty
from kataribe.story.extract_task import catch_up
from kataribe.story.fingerprints import story_of


class WorkVerbs(Base):
    """Listing, retrying and dropping work."""

    async def work(self, story_id: str | None = None, *, user: str | None = None) -> tuple[WorkItem, ...]:
        """Give what is not in memory and why, of a story, of a user, or of all (author).

        Stories come first, by id and number; then what was said with users, by space and day.
        Raises `NotFoundError`.
        """
        now = self._engines.clock.now().timestamp()
        return await self._read(
            lambda view: tuple(
                item for space in _spaces(view, story_id, user) for item in _items(view, space, now)
            )
        )

    async def retry_work(
        self,
        story_id: str | None = None,
        *,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
    ) -> int:
        """Make what failed due at once; returns how many pieces of work. Raises `NotFoundError`.

        Dead letters and what waits to be tried again are taken up; what was dropped only when
        `episode_no`, which needs a story, or `unit`, which needs a user, names it.
        """
        if episode_no is not None and story_id is None:
            raise InputError("a number needs the story it belongs to; name that too")
        if unit is not None and user is None:
            raise InputError("a unit needs the user it belongs to; name that too")

        def run(tx: Transaction) -> int:
            if episode_no is not None and story_id is not None:
                state = live_state(tx, story_id, episode_no)
                return tx.clear_failures(story_space(story_id), WorkKind.EXTRACT, state.episode_id)
            spaces = _spaces(tx, story_id, user)
            if unit is not None:
                spaces = (_space_of(tx, spaces, unit),)
            return sum(tx.clear_failures(space, _kind_of(space), unit) for space in spaces)

        return await self._write(run)

    async def accept_empty(self, story_id: str, *, episode_no: int) -> None:
        """Take a model's empty answer that was refused: the episode's extracted facts are forgotten.

        Raises `ConflictError` when none was refused, `NotFoundError`.
        """

        def run(tx: Transaction) -> None:
            episode_id = take_empty(tx, story_id, episode_no)
            # What is in memory is of the answer that is not kept any more.
            tx.show(story_space(story_id), {episode_id: False})
            tx.show_deltas(story_id, {episode_id: False})
            catch_up(tx, story_id, episode_id)

        await self._write(run)

    async def drop_work(
        self,
        story_id: str | None = None,
        *,
        episode_no: int | None = None,
        user: str | None = None,
        unit: str | None = None,
    ) -> None:
        """Leave an episode, or a unit of turns, out of memory until its inputs change.

        It stays pending. Whoever works on it now has the work refused. Raises `ConflictError`,
        `NotFoundError`, `InputError`.
        """

        def run(tx: Transaction) -> None:
            if story_id is not None and episode_no is not None:
                state = live_state(tx, story_id, episode_no)
                _drop(tx, story_space(story_id), state.episode_id, f"episode {episode_no}")
            elif user is not None and unit is not None:
                _drop(tx, _space_of(tx, _spaces(tx, None, user), unit), unit, f"unit {unit}")
            else:
                raise InputError("name a story with an episode's number, or a user with a unit")

        await self._write(run)


def _spaces(view: View, story_id: str | None, user: str | None) -> tuple[str, ...]:
    """Name the spaces of a story, of a user, or all."""
    if story_id is not None:
        return (story_space(story_of(view, story_id).story_id),)
    if user is not None:
        return spaces_of(view, user)
    stories = tuple(story_space(story.story_id) for story in view.stories())
    return stories + tuple(space for one in view.users() for space in spaces_of(view, one.user_id))


def _kind_of(space: str) -> WorkKind:
    return WorkKind.TURNS if parse_space(space).user is not None else WorkKind.EXTRACT


def _space_of(view: View, spaces: tuple[str, ...], unit: str) -> str:
    for space in spaces:
        if view.work(space, WorkKind.TURNS, unit):
            return space
    raise NotFoundError(f"there is no unit {unit!r}; `kataribe work list` shows them")


def _drop(tx: Transaction, space: str, unit: str, what: str) -> None:
    """Drop what lags of a unit and its shares."""
    kind = _kind_of(space)
    lagging = {name: held for name, held in tx.work(space, kind, unit).items() if held.lags}
    if not lagging:
        raise ConflictError(f"{what} is in memory as it stands; there is nothing to drop")
    for name, held in lagging.items():
        same = held.fingerprint == held.wanted
        dropped = Work(
            fingerprint=held.wanted,
            outcome=Outcome.DROPPED,
            attempts=held.attempts if same else 0,
            error=held.error if same else None,
        )
        tx.put_work(space, kind, name, dropped)


def _items(view: View, space: str, now: float) -> list[WorkItem]:
    said = parse_space(space)
    kind = _kind_of(space)
    lagging = {unit: work for unit, work in view.work(space, kind).items() if work.lags}
    if said.user is not None:
        return [
            work_item(work, space=space, kind=kind, unit=unit, user=said.user, story_id=said.story, now=now)
            for unit, work in sorted(lagging.items())
        ]
    assert said.story is not None
    of_episode: dict[str, list[str]] = {}
    for unit in sorted(lagging):
        of_episode.setdefault(episode_of(unit), []).append(unit)
    return [
        work_item(
            lagging[unit],
            space=space,
            kind=kind,
            unit=unit,
            story_id=state.story_id,
            episode_id=state.episode_id,
            episode_no=state.no,
            now=now,
        )
        for state in view.episode_states(said.story)
        if state.is_live
        for unit in of_episode.get(state.episode_id, ())
    ]
