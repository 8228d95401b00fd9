"""The pages of a bundle: Markdown for a person, line by line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from kataribe.domain.conversation.life.values import MemoryValue
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.gate import EPOCH
from kataribe.domain.ids import WORLD
from kataribe.domain.privacy.profile import ConsentEvidence, ConsentStep, ProfileItem
from kataribe.domain.privacy.records import MemoryRecord, SaidSession, SaidSpace, UserRecords
from kataribe.domain.space import parse_space
from kataribe.formats.bundle.words import PageWords, words_in

Wanted = Callable[[MemoryValue], bool]


@dataclass(frozen=True, slots=True)
class SessionPage:
    """The page of a session: its file, and what it is of."""

    file: str
    space: SaidSpace
    session: SaidSession


def session_pages(spaces: Iterable[SaidSpace]) -> tuple[SessionPage, ...]:
    """Name a page for each session, in the order in which the sessions began, space by space."""
    found = [
        (space, session)
        for space in spaces
        for session in sorted(space.sessions, key=lambda one: (one.first, one.session))
    ]
    return tuple(
        SessionPage(f"conversation/{number:05}-{_day(session.first)}.md", space, session)
        for number, (space, session) in enumerate(found, 1)
    )


def _day(position: int) -> str:
    return (EPOCH + timedelta(milliseconds=position)).date().isoformat()


def _moment(position: int) -> str:
    return (EPOCH + timedelta(milliseconds=position)).isoformat(sep=" ", timespec="seconds")


def quoted(text: str) -> Iterator[str]:
    """Give each line of a text behind the mark of a quotation, as it was said."""
    for line in text.split("\n"):
        yield f"> {line}"


def one_line(text: str) -> str:
    """Give a text on one line, for a heading or a row."""
    return " ".join(text.split())


class Pages:
    """Writes the pages of one user's records, in the user's language."""

    def __init__(self, records: UserRecords) -> None:
        self._records = records
        self.words: PageWords = words_in(records.user.language)
        self.sessions = session_pages(records.spaces)

    def conversations(self) -> Iterator[str]:
        """List the sessions."""
        words = self.words
        yield from (f"# {words.conversations}", "")
        if not self.sessions:
            yield words.nothing
            return
        yield f"| | {words.session} | {words.days} | {words.turns} | |"
        yield "|---|---|---|---|---|"
        for page in self.sessions:
            one = page.session
            days = " – ".join(dict.fromkeys((_day(one.first), _day(one.last))))
            name, place = _cell(one.session), _cell(self.place(page.space))
            file = page.file.removeprefix("conversation/")
            yield f"| [{file}]({file}) | {name} | {days} | {one.turns} | {place} |"

    def place(self, space: SaidSpace) -> str:
        """Say where something was said."""
        story = parse_space(space.space).story
        if story is None:
            return self.words.outside
        no = self.words.deleted_episode if space.episode_no is None else space.episode_no
        return self.words.under.format(story, no)

    def session(self, page: SessionPage) -> Iterator[str]:
        """Write what was said in a session."""
        words = self.words
        yield f"# {words.session} {one_line(page.session.session)}"
        yield ""
        yield self.place(page.space)
        for turn in self._records.turns(page.space.space, page.session):
            yield ""
            yield f"**{one_line(turn.speaker)}** · {_told(turn)} · {self._held(turn)} · `{turn.turn_id}`"
            if turn.turn_id in page.space.expired:
                yield f"({words.expired})"
            yield ""
            yield from quoted(turn.text)
            if turn.caption is not None:
                yield ">"
                yield from quoted(f"[{turn.caption}]")

    def _held(self, turn: Turn) -> str:
        return self.words.held_by.format(self._holders(turn.audience.holders()))

    def _holders(self, holders: Iterable[str]) -> str:
        return ", ".join(self.words.everybody if one == WORLD else one for one in holders)

    def memories(self) -> Iterator[str]:
        """Write what is remembered, by tier, with why; one tier after the other."""
        words = self.words
        yield f"# {words.memories}"
        for tier, title in words.tiers.items():
            yield from ("", f"## {title}")
            yield from self._kept(partial(_is_in, tier))
        yield from ("", f"## {words.ended}")
        yield from self._kept(lambda last: not last.is_live)

    def _kept(self, wanted: Wanted) -> Iterator[str]:
        is_empty = True
        for one in self._records.memories():
            if wanted(one.rows[-1]):
                is_empty = False
                yield from self._memory(one)
        if is_empty:
            yield from ("", self.words.nothing)

    def _memory(self, one: MemoryRecord) -> Iterator[str]:
        words, last = self.words, one.rows[-1]
        holder = words.held_by.format(self._holders([one.holder]))
        topic = f" · {words.about_topic.format(one_line(last.topic))}" if last.topic else ""
        yield ""
        yield from quoted(last.text)
        yield ""
        yield f"{holder} · {last.kind} · {last.state}{topic} · `{last.memory_id}`"
        yield ""
        yield words.because
        yield from _reasons(one.rows)
        yield ""
        yield f"{words.rests_on}: {', '.join(f'`{turn}`' for turn in last.sources)}"

    def profile(self) -> Iterator[str]:
        """Write the profile with its history, and the consents."""
        words = self.words
        yield from (f"# {words.profile}", "", f"## {words.values}", "")
        yield from _or((self._value(one) for one in self._records.profile()), words.nothing)
        yield from ("", f"## {words.consents}", "")
        yield from _or(
            (
                f"- {one.key}: {words.given if one.step is ConsentStep.GIVEN else words.withdrawn}, "
                f"{_moment(one.at)}, {self._evidence(one.evidence)}"
                for one in self._records.consents()
            ),
            words.nothing,
        )

    def _value(self, one: ProfileItem) -> str:
        value = one.value if isinstance(one.value, str) else json.dumps(one.value, ensure_ascii=False)
        until = "" if one.expires is None else f", {self.words.value_until.format(one.expires.isoformat())}"
        when = one.updated_at.isoformat(sep=" ", timespec="seconds")
        return f"- {one.key} {one.version}: {one_line(value)} ({when}, {self._evidence(one.evidence)}{until})"

    def _evidence(self, one: ConsentEvidence) -> str:
        return self.words.by_hand if one.turn_id is None else self.words.by_turn.format(f"`{one.turn_id}`")

    def threads(self) -> Iterator[str]:
        """List the threads."""
        yield from (f"# {self.words.threads}", "")
        yield from _or(
            (
                f"- {_moment(one.value.turns[0].at)} · {one_line(one.value.session)} · "
                f"{self._holders([one.holder])} · {one.value.began}: "
                f"{', '.join(f'`{turn.turn_id}`' for turn in one.value.turns)}"
                for one in self._records.threads()
            ),
            self.words.nothing,
        )

    def thoughts(self) -> Iterator[str]:
        """Write how memory came about: nights, decisions, questions, and what models made of it."""
        words, records = self.words, self._records
        yield f"# {words.thoughts}"
        parts: tuple[tuple[str, Iterable[str]], ...] = (
            (words.nights, (f"- {_moment(one.at)}" for one in records.nights())),
            (
                words.decisions,
                (
                    f"- {_moment(one.value.at)} · {one.value.what} `{one.value.memory_id}` "
                    f"{one_line(one.value.text)}".rstrip()
                    for one in records.decisions()
                ),
            ),
            (
                words.questions,
                (
                    f"- {_moment(one.value.position)} · {one.value.verb} "
                    f"`{one.value.turn_id}`: {one.value.why}"
                    for one in records.questions()
                ),
            ),
            (words.answers, self._answers()),
        )
        for title, lines in parts:
            yield from ("", f"## {title}", "")
            yield from _or(lines, words.nothing)

    def _answers(self) -> Iterator[str]:
        for one in self._records.answers():
            turns = ", ".join(f"`{turn}`" for turn in one.value.asked.turn_ids)
            answer = one.value.answer
            yield f"- {_moment(one.value.ready_at)} · {turns}" + (
                f": {self.words.unanswered}" if answer is None else ""
            )
            for item in () if answer is None else answer.items:
                yield f"  - {one_line(item.text)}"

    def audit(self) -> Iterator[str]:
        """List what was done, oldest first, chain by chain."""
        words = self.words
        yield from (f"# {words.audit}", "", words.audit_about, "")
        yield from _or(
            (
                f"- {event.at} · {event.act} · {event.reason or event.outcome} · `{event.event_id}`"
                for event in self._records.audit()
            ),
            words.audit_none,
        )


def _is_in(tier: str, last: MemoryValue) -> bool:
    return last.is_live and last.tier == tier


def _told(turn: Turn) -> str:
    return turn.time.isoformat(sep=" ", timespec="seconds")


def _reasons(rows: Sequence[MemoryValue]) -> Iterator[str]:
    for row in rows:
        yield f"- {_moment(row.position)}: {row.tier} {row.state}, {row.reason}"


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def _or(lines: Iterable[str], otherwise: str) -> Iterator[str]:
    """Give the lines, or something else where there are none."""
    is_empty = True
    for line in lines:
        is_empty = False
        yield line
    if is_empty:
        yield otherwise
