"""Commands to memory in English.

A command stands at the beginning of a clause, in the imperative or as a request to `you`. So
what somebody else says, does or is told, and what the speaker remembers, is no match at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from kataribe.domain.conversation.commands import english_words as wording
from kataribe.domain.conversation.commands.values import CommandKind, MemoryCommand
from kataribe.domain.conversation.folded import (
    FoldedText,
    SentenceSpan,
    folded,
    mentions,
    sentence_spans,
    trimmed,
    without_quotations,
)
from kataribe.domain.text.paragraphs import Span


def read_english(text: str) -> tuple[MemoryCommand, ...]:
    """Read the commands of an English turn."""
    plain = folded(text)
    if not _may_command(plain.text):
        return ()
    return tuple(_EnglishTurn(plain).commands())


@dataclass(frozen=True, slots=True, kw_only=True)
class _CommandClause:
    """A clause that begins like a command, in a sentence that begins at `sentence`."""

    sentence: int
    start: int
    match: re.Match[str]
    held: Span
    words: str
    """What the verb is said of."""

    @property
    def request(self) -> str:
        """How the listener is asked, as in `could you`."""
        return self.match["request"] or ""

    @property
    def is_polite(self) -> bool:
        """Whether it can be nothing but a request."""
        return bool(self.request) or "please" in self.match[0]

    @property
    def is_refused(self) -> bool:
        """Whether the listener is asked not to do it."""
        return self.match["refusal"] is not None or self.request.rstrip().endswith(" not")

    @property
    def is_idle(self) -> bool:
        """Whether it is `forget it`, which is hardly ever meant."""
        return wording.IDLE.match(self.words) is not None


_REACH = 60
"""How far back what a clause depends on may stand, in characters."""


class _EnglishTurn:
    """One turn while it is read."""

    def __init__(self, source: FoldedText) -> None:
        self.source = source
        self.text = without_quotations(source.text)
        self.before: Span | None = None
        """What was said in this turn before the sentence that is read."""

    def commands(self) -> Iterator[MemoryCommand]:
        for sentence in sentence_spans(self.text):
            words = self.text[sentence.start : sentence.end]
            found = tuple(self._of_sentence(sentence, words)) if _may_command(words) else ()
            yield from found
            if not found and not sentence.is_question and not _is_lead(words):
                self.before = (sentence.start, sentence.end)

    def _of_sentence(self, sentence: SentenceSpan, words: str) -> Iterator[MemoryCommand]:
        tail = wording.TAIL.search(words)
        if (off := self._off_the_record(words[: tail.start()] if tail else words, sentence)) is not None:
            yield off
            return
        asks = sentence.is_question and (tail is None or wording.TAIL_ASKS.search(tail[0]) is None)
        end = sentence.start + tail.start() if tail is not None else sentence.end
        found = tuple(self._verbs(sentence.start, end, asks))
        yield from found or self._from_now_on(sentence)

    def _off_the_record(self, words: str, sentence: SentenceSpan) -> MemoryCommand | None:
        found = wording.OFF.search(words) if "off the record" in words else None
        if found is None or (sentence.is_question and not found["held"]):
            return None
        if wording.TOLD_OFF.search(words[: words.index("off the record")]):
            return None
        span = self._said_off(found, words, sentence.start)
        return self._command(CommandKind.DO_NOT_REMEMBER, span)

    def _said_off(self, found: re.Match[str], words: str, start: int) -> Span:
        """Give what is off the record: the words after it, its subject, or the words before it."""
        if found["after"]:
            return start + found.start("after"), start + len(words)
        named = "held" if found["held"] else "what"
        span = found.span(named) if found[named] else trimmed(words, 0, found.start(), ",")
        is_this = span[0] == span[1] or wording.THIS.fullmatch(words[slice(*span)])
        return self._this(start, start) if is_this else (start + span[0], start + span[1])

    def _verbs(self, start: int, end: int, asks: bool) -> Iterator[MemoryCommand]:
        matches = self._matches(start, end)
        stops = [place for place, _ in matches[1:]]
        for (place, match), stop in zip_longest(matches, stops):
            held = self._object(match, self._before_next(match.end(), stop) if stop else end)
            clause = _CommandClause(
                sentence=start, start=place, match=match, held=held, words=self.text[slice(*held)]
            )
            if (asks and not wording.POLITE.match(clause.request)) or self._is_supposed(clause):
                continue
            if (command := self._read(clause)) is not None:
                yield command

    def _matches(self, start: int, end: int) -> list[tuple[int, re.Match[str]]]:
        """Find where clauses begin like a command; after a mere `and` only where one came before."""
        found: list[tuple[int, re.Match[str]]] = []
        at = start
        for place in (start, *(one.end() for one in wording.BOUNDARY.finditer(self.text, start, end))):
            match = wording.CLAUSE.match(self.text, place, end) if place >= at else None
            if match is not None and self._may_begin(self.text[start:place], match, bool(found)):
                found.append((place, match))
                at = match.end()
        return found

    def _may_begin(self, before: str, match: re.Match[str], is_chained: bool) -> bool:
        if wording.REPORTED.search(before[-_REACH:]):
            return False
        is_asked = "please" in match["lead"] or bool(match["request"])
        return is_chained or is_asked or wording.JOINED.search(before[-_REACH:]) is None

    def _before_next(self, start: int, stop: int) -> int:
        """Give where a clause ends that another follows at `stop`."""
        return self._without_join(start, trimmed(self.text, start, stop, ",:-—–(")[1])

    def _without_join(self, start: int, end: int) -> int:
        joined = wording.JOINED.search(self.text[start:end] + " ")
        return start + joined.start() if joined else end

    def _object(self, match: re.Match[str], stop: int) -> Span:
        """Give the words that the verb is said of."""
        for group in ("kept", "down", "stored", "committed", "dropped"):
            if match[group] is not None:
                ahead = wording.AHEAD.match(self.text, match.end(), stop)
                return (ahead.end(), stop) if ahead else match.span(group)
        return trimmed(self.text, match.end(), max(stop, match.end()), "")

    def _is_supposed(self, clause: _CommandClause) -> bool:
        return wording.SUPPOSED.search(self.text, clause.match.end(), clause.held[1]) is not None

    def _read(self, clause: _CommandClause) -> MemoryCommand | None:
        if clause.match["drop"] and not clause.is_refused:
            return self._forget(clause)
        if clause.match["keep"] and clause.is_refused:
            is_told = not clause.is_polite and wording.ELIDED.match(clause.words)
            is_asked = bool(clause.words) and not is_told
            return self._done(CommandKind.DO_NOT_REMEMBER, clause) if is_asked else None
        is_asked = clause.match["kept_back"] is None and _is_to_remember(clause)
        return self._done(CommandKind.REMEMBER, clause) if is_asked else None

    def _forget(self, clause: _CommandClause) -> MemoryCommand | None:
        if not clause.words or (clause.is_idle and not clause.is_polite):
            return None
        if any(one.match(clause.words) for one in (wording.WHO, wording.FOR_GERUND, wording.DISMISSED)):
            return None
        this = self._this(clause.start, clause.sentence)
        is_vague = clause.is_idle and this[0] == this[1]
        is_clear = not (is_vague or clause.request.startswith("let") or _is_sweeping(clause.words))
        return self._done(CommandKind.FORGET, _first_part(clause), is_clear)

    def _done(self, kind: CommandKind, clause: _CommandClause, is_clear: bool = True) -> MemoryCommand:
        """Give the command with the words that it means, without what only leads to them."""
        start, words = clause.held[0], clause.words
        if kind is not CommandKind.REMEMBER or wording.THIS.match(words):
            words = wording.TOO.sub("", words)
        if (ahead := wording.AHEAD.match(words)) is not None and words[ahead.end() :].strip():
            return self._command(kind, (start + ahead.end(), clause.held[1]), is_clear)
        if not words or wording.THIS.fullmatch(words.removeprefix("about ")):
            return self._command(kind, self._this(clause.start, clause.sentence), is_clear)
        topic = wording.TOPIC.match(words) if kind is not CommandKind.REMEMBER else None
        lead = topic or wording.LEADS_TO.match(words)
        begins = start + (lead.end() if lead else 0)
        return self._command(kind, (begins, start + len(words)), is_clear)

    def _this(self, clause: int, sentence: int) -> Span:
        """Give what was said just before: the clause before, or the sentence before, or nothing."""
        start, end = trimmed(self.text, sentence, clause, ",:-—–(")
        end = self._without_join(start, end)
        if start < end and not _is_lead(self.text[start:end]):
            return start, end
        return self.before or (clause, clause)

    def _from_now_on(self, sentence: SentenceSpan) -> Iterator[MemoryCommand]:
        words = self.text[sentence.start : sentence.end]
        if first := wording.MARKED_FIRST.match(words):
            marker, rule, start = first[0], words[first.end() :], sentence.start + first.end()
        elif last := wording.MARKED_LAST.search(words):
            marker, rule, start = last[0], words[: last.start()], sentence.start
        else:
            return
        if _is_rule(rule, marker, sentence.is_question):
            yield self._command(CommandKind.FROM_NOW_ON, (start, start + len(rule)))

    def _command(self, kind: CommandKind, span: Span, is_clear: bool = True) -> MemoryCommand:
        span = trimmed(self.text, *span, ",:-—–( ")
        return MemoryCommand(kind=kind, span=self.source.span(*span), is_clear=is_clear)


def _may_command(words: str) -> bool:
    return mentions(words, wording.TRIGGERS)


def _first_part(clause: _CommandClause) -> _CommandClause:
    """Leave out what follows a comma: why it is to be forgotten."""
    words = clause.words.partition(",")[0] or clause.words
    return replace(clause, words=words, held=(clause.held[0], clause.held[0] + len(words)))


def _is_to_remember(clause: _CommandClause) -> bool:
    """Whether something of the speaker is to be remembered, and not how to live or what was."""
    verb, words = clause.match[0], clause.words
    if not words and not clause.is_polite:
        return False
    if words.startswith("to ") and wording.ADVICE.match(words[3:].lstrip()):
        return False
    fact = words.removeprefix("that ").lstrip(", :")
    if "remember" not in verb and "forget" not in verb:
        return "mind" not in verb or not _is_advice(fact, is_parted=False)
    if wording.REMINISCENCE.match(words) or wording.OF_ME.match(words):
        return False
    if clause.request and wording.RECALL.match(words):
        return False
    return not _is_advice(fact, is_parted=words.startswith(","))


def _is_rule(rule: str, marker: str, is_question: bool) -> bool:
    """Whether the words lay down a rule for the listener, or a state of the speaker."""
    lead = wording.LEAD_WORDS.match(rule)
    asked = rule if wording.RULE.match(rule) or lead is None else rule[lead.end() :]
    if wording.RULE.match(asked) is None or wording.NO_RULE.search(rule):
        return False
    if wording.BEGINS_LATER.search(marker) and wording.A_STATE.match(asked):
        return False
    return not is_question or wording.POLITE.match(asked) is not None


def _is_advice(words: str, is_parted: bool) -> bool:
    """Whether it tells the listener how to live, and nothing of the speaker."""
    if "here for you" in words:
        return True
    if wording.MINE.search(words):
        return False
    if wording.CALLED.match(words):
        return True
    return bool(wording.YOU.search(words) or wording.GENERAL.search(words)) or (
        is_parted and not wording.CONCRETE.search(words)
    )


def _is_sweeping(words: str) -> bool:
    return wording.SWEEPING.match(words) is not None and wording.TOPIC.match(words) is None


def _is_lead(words: str) -> bool:
    """Whether a sentence is only a word or two that lead to the next."""
    return wording.LEAD_WORDS.fullmatch(words) is not None
