"""An episode with its facts and annotations, put or told in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from kataribe.domain.records import EpisodeState
from kataribe.domain.story.folder import NewEpisode
from kataribe.domain.story.inputs import Episode
from kataribe.domain.story.tags import ANY_EPISODE, NO_EPISODE, episode_tag
from kataribe.domain.terms import FactSource
from kataribe.errors import ConflictError, StaleError
from kataribe.ports import Transaction, View
from kataribe.story.desk.episodes import PutResult, default_id, edited, place_episode
from kataribe.story.desk.importing import (
    ImportShare,
    annotations_of,
    check_fact_ids,
    differs,
    facts_of,
    fill,
    source_of,
)
from kataribe.story.desk.numbers import check_id_free, is_taken
from kataribe.story.desk.undo import Recording
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.lineage import fork_no
from kataribe.story.staleness import refresh_after

Record = Callable[[NewEpisode], AbstractContextManager[Recording]]
"""Opens the recording of an episode that is put, so that it can be taken back."""


def put_with_rows(
    tx: Transaction, story_id: str, given: Sequence[NewEpisode], record: Record
) -> list[PutResult]:
    """Add episodes or give them new texts, with what their rows say; an unchanged one is not written.

    Raises what the importer does for rows, and what `place_episode` does.
    """
    done = [_put(tx, story_id, one, record) for one in given]
    changed = [one.episode_id for one in done if one.change != "unchanged"]
    if changed:
        refresh_after(tx, story_id, *changed)
    return done


def check_expected(view: View, story_id: str, no: int, expected: str) -> None:
    """Raise `StaleError` unless the episode numbered `no` has the tag that its editor has read."""
    state = view.live_at(story_id, no)
    held = None if state is None else view.episode(story_id, state.episode_id)
    found = NO_EPISODE if held is None else episode_tag(held)
    if found != expected and not (found and expected == ANY_EPISODE):
        now = "is there already" if found and not expected else "has changed" if found else "is not there"
        raise StaleError(f"episode {no} {now}; read it again, and put what is to stand there then")


def _put(tx: Transaction, story_id: str, given: NewEpisode, record: Record) -> PutResult:
    held = _unchanged(tx, story_id, given)
    if held is not None:
        return PutResult(episode_id=held.episode_id, no=held.no, version=held.version, change="unchanged")
    row = given.row
    with record(given) as step:
        done = place_episode(
            tx,
            story_id,
            no=row.no,
            text=row.text,
            episode_id=row.episode_id,
            title=row.title,
            source=_source(given),
            extra=row.extra or None,
        )
        share = _share_of(tx, story_id, given, done.episode_id)
        check_fact_ids(tx, story_id, [share])
        if fill(tx, story_id, share) and done.change == "unchanged":
            done = replace(done, change="edited")
        step.made = (done.episode_id, done.no) if done.change == "new" else None
        step.summary = f"{'added' if done.change == 'new' else 'edited'} episode {done.no}"
    return done


def _source(given: NewEpisode) -> FactSource | None:
    """Tell where the facts come from from now on; None: from where they did."""
    return None if given.facts is None else source_of(given.row, given.facts)


def _share_of(view: View, story_id: str, given: NewEpisode, episode_id: str) -> ImportShare:
    """Give the rows as the importer takes them, under the episode as it stands now."""
    episode = view.episode(story_id, episode_id)
    assert episode is not None
    return _share(given, episode)


def _share(given: NewEpisode, episode: Episode) -> ImportShare:
    return ImportShare(
        replace(given.row, paragraphs=episode.paragraph_ids),
        episode.episode_id,
        given.facts,
        given.annotations,
        (),
        episode.fact_source,
    )


def _unchanged(view: View, story_id: str, given: NewEpisode) -> Episode | None:
    """Give the episode that is there when it says all that is given already."""
    state = view.live_at(story_id, given.row.no)
    if state is None or given.row.episode_id not in (None, state.episode_id):
        return None
    held = view.episode(story_id, state.episode_id)
    assert held is not None
    after = replace(
        edited(held, given.row.text, given.row.title),
        fact_source=_source(given) or held.fact_source,
        extra=given.row.extra or held.extra,
    )
    return held if held == after and _says(view, story_id, held, given) else None


def _says(view: View, story_id: str, held: Episode, given: NewEpisode) -> bool:
    """Whether an episode's rows are those that are given, as far as any are."""
    share = _share(given, held)
    if given.facts is not None:
        present = {fact.fact_id: fact for _, fact in view.facts(story_id, held.episode_id)}
        if differs(present, facts_of(share)):
            return False
    return given.annotations is None or annotations_of(share) == view.annotations(story_id, held.episode_id)


# -- telling -------------------------------------------------------------------------------


def next_no(view: View, story_id: str) -> int:
    """Give the number after the highest of a story, those of deleted episodes among them.

    In a branch it is after the fork too.
    """
    parts = parts_of(view, story_id)
    return 1 + max(view.last_no(story_id, deleted=True) or 0, fork_no(parts))


def tell(tx: Transaction, story_id: str, given: NewEpisode, record: Record) -> PutResult:
    """Append an episode, or give the one of its id when it was told before with the same content.

    Raises `ConflictError` when the id is that of an episode that says something else.
    """
    story = story_of(tx, story_id)
    episode_id = given.row.episode_id
    if episode_id is not None:
        check_id_free(tx, story, episode_id)
        told = tx.episode_state(story_id, episode_id)
        if told is not None:
            return _told_before(tx, story_id, told, given)
    no = next_no(tx, story_id)
    named = episode_id or default_id(no, lambda made: is_taken(tx, story, made))
    bound = given.at(no)
    return put_with_rows(tx, story_id, [replace(bound, row=replace(bound.row, episode_id=named))], record)[0]


def _told_before(view: View, story_id: str, told: EpisodeState, given: NewEpisode) -> PutResult:
    if not told.is_live:
        raise ConflictError(
            f"episode {told.episode_id!r} was told and is deleted; restore it first, or choose another id"
        )
    held = view.episode(story_id, told.episode_id)
    assert held is not None
    bound = given.at(told.no)
    whole = replace(bound, facts=bound.facts or (), annotations=bound.annotations or ())
    is_same = (
        held.text == given.row.text
        and held.title == given.row.title
        and held.fact_source is (_source(whole) or FactSource.EXTRACTED)
        and _says(view, story_id, held, whole)
    )
    if not is_same:
        raise ConflictError(
            f"episode {told.episode_id!r} was told as number {told.no} and says something else; "
            f"choose another id, or put the new text to number {told.no}"
        )
    return PutResult(episode_id=told.episode_id, no=told.no, version=held.version, change="unchanged")
