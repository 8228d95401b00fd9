"""What a command or a correction plainly points to, among what was said before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kataribe.domain.conversation.life.events import Place
from kataribe.domain.conversation.life.held import ItemLife, TurnLife
from kataribe.domain.conversation.life.state import LifeState
from kataribe.domain.conversation.life.words import content_words, folded, holds, is_denied

NOTHING_FOUND = "nothing_found"
NOTHING_BEFORE = "nothing_before"
SEVERAL = "several"
UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Pointed:
    """The items that are meant, or why that is not plain."""

    items: tuple[ItemLife, ...] = ()
    why: str | None = None


def spoken_of(state: LifeState, said: TurnLife, place: Place) -> Pointed:
    """Give the earlier items in force that have all content words of a span, if they are of one topic."""
    words = _words(state, said, place)
    found = tuple(one for one in _earlier(state, said, words) if one.is_in_force)
    return _of_one_topic(found)


def _of_one_topic(found: tuple[ItemLife, ...]) -> Pointed:
    if not found:
        return Pointed(why=NOTHING_FOUND)
    # Topics are compared as rules give them; what a model made goes with the turns it rests on.
    found = tuple(one for one in found if not one.rests_on) or found
    return Pointed(found) if len({one.item.subject for one in found}) == 1 else Pointed(why=SEVERAL)


def echoes(state: LifeState, said: TurnLife, place: Place, found: Iterable[ItemLife]) -> Iterator[TurnLife]:
    """Give the earlier turns, in the sessions of these items, whose text has all the words too."""
    words = _words(state, said, place)
    for session in sorted({one.item.turn.session for one in found}):
        for other in state.sessions[session]:
            had = said.turn.turn_id in other.turn.echoes
            if other.number < said.number and (had or _has_all(state, state.folded_turn(other), words)):
                yield other


def echoes_of_old(
    state: LifeState, said: TurnLife, found: Iterable[ItemLife]
) -> Iterator[tuple[TurnLife, tuple[ItemLife, ...]]]:
    """Give the turns in which others said an old value again, each with its items that have it.

    They are turns of the same session as a corrected statement, after it, that have all content words
    of the old value.
    """
    words = _over_words(state, said)
    if not words:
        return
    first: dict[str, int] = {}
    for one in found:
        session = one.item.turn.session
        first[session] = min(one.said.number, first.get(session, one.said.number))
    for session, number in sorted(first.items()):
        for other in state.sessions[session]:
            is_between = number < other.number < said.number
            if is_between and other.turn.speaker != said.turn.speaker and other.is_open:
                items = tuple(one for one in other.items if one.is_in_force and _tells(state, one, words))
                if items or _has_all(state, state.folded_turn(other), words):
                    yield other, items


def says_the_old(state: LifeState, said: TurnLife, text: str) -> bool:
    """Whether a text has all content words of what a correction says is over."""
    words = _over_words(state, said)
    return bool(words) and _has_all(state, folded(text, state.language), words)


def _over_words(state: LifeState, said: TurnLife) -> tuple[str, ...]:
    """Give the content words of what a correction says is over: the old value, or what it denies."""
    correction = said.turn.correction
    if correction is None:
        return ()
    if correction.old is not None:
        return _words(state, said, correction.old)
    new = correction.new
    is_denial = new is not None and is_denied(_text(said, new), state.language)
    return () if new is None or not is_denial else _words(state, said, new)


def _tells(state: LifeState, one: ItemLife, words: Sequence[str]) -> bool:
    return all(state.words.has(one.item.number, word) for word in words)


def just_before(state: LifeState, said: TurnLife) -> Pointed:
    """Give the user's own items in force of this turn, or else of the last turn of its session with any."""
    for other in [said, *_before(state, said)]:
        found = tuple(one for one in other.items if one.is_in_force)
        if other.turn.is_users and found:
            return Pointed(found)
    return Pointed(why=NOTHING_BEFORE)


def last_turn(state: LifeState, said: TurnLife) -> TurnLife | None:
    """Give the user's last turn before this one in its session, whatever it says."""
    return next((one for one in _before(state, said) if one.turn.is_users), None)


def _before(state: LifeState, said: TurnLife) -> Iterator[TurnLife]:
    session = state.sessions[said.turn.session]
    return reversed(session[: session.index(said)])


def contradicted(state: LifeState, said: TurnLife) -> Pointed:
    """Give the earlier items of the same speaker that a correction does away with.

    - It names the old value: items that have all its words, and beside them the topic or a further
      content word of the newer statement; where none has, all of them if they are of one topic.
    - It names what holds now alone, and that denies something: items that have all its content words and
      do not deny them ("I do not live there any more").
    - It names the new value alone: items that lack it, and have at least half of the other content
      words of the newer statement and its topic, or all of them and at least two.
    """
    correction = said.turn.correction
    if correction is None:
        return Pointed()
    new = () if correction.new is None else _words(state, said, correction.new)
    old = () if correction.old is None else _words(state, said, correction.old)
    if old:
        return _named(state, said, old, new)
    if correction.new is not None and is_denied(_text(said, correction.new), state.language):
        return Pointed(tuple(_denied(state, said, new)))
    return Pointed(tuple(_framed(state, said, new))) if new else Pointed()


def _denied(state: LifeState, said: TurnLife, new: Sequence[str]) -> Iterator[ItemLife]:
    for one in _earlier(state, said, new):
        if _is_older(one, said) and not is_denied(one.item.text, state.language):
            yield one


def _named(state: LifeState, said: TurnLife, old: Sequence[str], new: Sequence[str]) -> Pointed:
    found = tuple(one for one in _earlier(state, said, old) if _is_older(one, said))
    if not found:
        return Pointed()
    topics = {one.item.topic_key for one in said.items} - {""}
    said_of_it = " ".join(one.item.text for one in said.items) or said.turn.text
    frame = [one for one in content_words(said_of_it, state.language) if one not in (*old, *new)]
    near = tuple(
        one
        for one in found
        if one.item.topic_key in topics or any(state.words.has(one.item.number, word) for word in frame)
    )
    return Pointed(near) if near else _of_one_topic(found)


def _framed(state: LifeState, said: TurnLife, new: Sequence[str]) -> Iterator[ItemLife]:
    given: set[int] = set()
    for newer in said.items:
        frame = [one for one in content_words(newer.item.text, state.language) if one not in new]
        for older in _sharing_any(state, said, frame):
            number = older.item.number
            if number not in given and _is_contradicted(state, older, newer, frame, new):
                given.add(number)
                yield older


def _sharing_any(state: LifeState, said: TurnLife, frame: Sequence[str]) -> list[ItemLife]:
    numbers = {one.item.number for word in frame for one in _earlier(state, said, (word,))}
    found = [state.items[one] for one in sorted(numbers)]
    return [one for one in found if _is_older(one, said)]


def _is_contradicted(
    state: LifeState, older: ItemLife, newer: ItemLife, frame: Sequence[str], new: Sequence[str]
) -> bool:
    number = older.item.number
    if all(state.words.has(number, word) for word in new):
        return False
    shared = sum(state.words.has(number, word) for word in frame)
    is_same_topic = bool(older.item.topic_key) and older.item.topic_key == newer.item.topic_key
    return (is_same_topic and 2 * shared >= len(frame)) or (shared == len(frame) and shared >= 2)


def _is_older(one: ItemLife, said: TurnLife) -> bool:
    return one.item.turn.speaker == said.turn.speaker and one.is_in_force and not one.rests_on


def _earlier(state: LifeState, said: TurnLife, words: Sequence[str]) -> list[ItemLife]:
    return [state.items[one] for one in state.words.holding(words, state.first_item(said))]


def _words(state: LifeState, said: TurnLife, place: Place) -> tuple[str, ...]:
    return content_words(_text(said, place), state.language)


def _text(said: TurnLife, place: Place) -> str:
    return said.turn.text[place[0] : place[1]]


def _has_all(state: LifeState, text: str, words: Sequence[str]) -> bool:
    return all(holds(text, one, state.language) for one in words)
