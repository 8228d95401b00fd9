"""Commands to memory in Japanese.

A command is a predicate that ends its sentence or clause in the form of a request. What goes on
after it (と言われた, ってば, くれてありがとう, ...) quotes it, thanks for it or tells of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kataribe.domain.conversation.commands import japanese_words as wording
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


def read_japanese(text: str) -> tuple[MemoryCommand, ...]:
    """Read the commands of a Japanese turn."""
    plain = folded(text)
    if not _may_command(plain.text):
        return ()
    return tuple(_JapaneseTurn(plain).commands())


@dataclass(frozen=True, slots=True, kw_only=True)
class _CommandPredicate:
    """A predicate in the form of a command, and what stands around it in its sentence."""

    kind: CommandKind
    match: re.Match[str]
    groups: dict[str, str | None]
    held: Span
    words: str
    """What it is said of, without particles."""
    before: str
    rest: str
    sentence: SentenceSpan
    is_last: bool
    """Whether no other predicate follows in the sentence."""

    @property
    def asks(self) -> bool:
        """Whether its form is that of a request and of nothing else."""
        return bool(
            self.groups.get("req") or self.groups.get("asked") or wording.POLITE.search(self.match[0])
        )


_REACH = 300
"""How far back what a predicate is said of may begin, in characters."""


class _JapaneseTurn:
    """One turn while it is read."""

    def __init__(self, source: FoldedText) -> None:
        self.source = source
        self.text = without_quotations(source.text)
        self.sentences = sentence_spans(self.text)
        self.before: Span | None = None
        """What was said in this turn before the sentence that is read."""

    def commands(self) -> Iterator[MemoryCommand]:
        for sentence in self.sentences:
            words = self.text[sentence.start : sentence.end]
            found = tuple(self._of_sentence(sentence)) if _may_command(words) else ()
            yield from found
            if not found and not sentence.is_question and not wording.ONLY_LEAD.fullmatch(words):
                self.before = (sentence.start, sentence.end)

    def _of_sentence(self, sentence: SentenceSpan) -> Iterator[MemoryCommand]:
        found = tuple(self._predicates(sentence))
        yield from found or self._from_now_on(sentence)

    def _predicates(self, sentence: SentenceSpan) -> Iterator[MemoryCommand]:
        at = sentence.start
        matches = sorted(self._matches(sentence), key=lambda one: (one[1].start(), -one[1].end()))
        for number, (kind, match) in enumerate(matches):
            if match.start() < at:
                continue
            is_last = number + 1 == len(matches)
            at = max(at, match.start() - _REACH)
            command = self._read(self._predicate(kind, match, at, sentence, is_last))
            if command is not None:
                yield command
                at = match.end()

    def _matches(self, sentence: SentenceSpan) -> Iterator[tuple[CommandKind, re.Match[str]]]:
        for kind, pattern in _PATTERNS:
            for match in pattern.finditer(self.text, sentence.start, sentence.end):
                yield kind, match

    def _predicate(
        self, kind: CommandKind, match: re.Match[str], at: int, sentence: SentenceSpan, is_last: bool
    ) -> _CommandPredicate:
        held = self._object(at, match.start())
        return _CommandPredicate(
            kind=kind,
            match=match,
            groups=match.groupdict(),
            held=held,
            words=self.text[slice(*held)],
            before=self.text[at : match.start()],
            rest=self.text[match.end() : sentence.end],
            sentence=sentence,
            is_last=is_last,
        )

    def _read(self, said: _CommandPredicate) -> MemoryCommand | None:
        if _is_mere_question(said) or _is_of_others(said) or not _is_request(said):
            return None
        if said.kind is CommandKind.FORGET:
            return self._forget(said)
        return self._done(said)

    def _forget(self, said: _CommandPredicate) -> MemoryCommand:
        start = said.match.start() - len(said.before)
        whole = trimmed(self.text, start, said.match.start(), "、 はを")
        if said.groups.get("cohort"):
            return self._done(said, is_clear=False)
        if wording.SWEEPING.fullmatch(self.text[slice(*whole)]):
            return self._command(said.kind, whole, is_clear=False)
        return self._done(said)

    def _object(self, start: int, end: int) -> Span:
        """Give the words before a predicate that it is said of, without adverbs, particles and marks."""
        start, end = trimmed(self.text, start, end, "、,:")
        while lead := wording.LEAD.match(self.text, start, end) or wording.ASIDE.match(self.text, start, end):
            start = lead.end()
        marker = wording.MARKER.match(self.text, start, end)
        if marker is not None and marker["topic"] is not None:
            start = marker.end()
        while adverb := wording.ADVERB.search(self.text[start:end]):
            start, end = trimmed(self.text, start, start + adverb.start(), "、,")
        words = self.text[start:end]
        if quoting := wording.QUOTING.search(words):
            end = start + quoting.start()
        elif particle := wording.PARTICLES.search(words):
            end = start + particle.start()
        if reason := wording.REASON.search(self.text[start:end]):
            end = start + reason.start()
        start, end = trimmed(self.text, start, end, '、,:「」『』"')
        if naming := wording.NAMING.search(self.text[start:end]):
            end = start + naming.start()
        return start, end

    def _done(self, said: _CommandPredicate, is_clear: bool = True) -> MemoryCommand:
        """Give the command with the words that it means: before it, after it, or said just before."""
        held, words = said.held, said.words
        is_this = not words or _is_this(words)
        if is_this and said.kind in _SAID_AFTER:
            after = trimmed(self.text, said.match.end(), said.sentence.end, "、,: ~〜ー笑w()")
            if after[0] < after[1] and not re.match("から|ので|けど", said.rest):
                return self._command(said.kind, after, is_clear)
        if is_this or wording.WEIGHTY.match(words):
            return self._command(said.kind, self.before or (held[0], held[0]), is_clear)
        topic = wording.TOPIC.search(words) if said.kind is CommandKind.FORGET else None
        if topic is not None and topic.start() > 0:
            held = (held[0], held[0] + topic.start())
        return self._command(said.kind, held, is_clear)

    def _from_now_on(self, sentence: SentenceSpan) -> Iterator[MemoryCommand]:
        marker = wording.MARKER.match(self.text, self._past_leads(sentence), sentence.end)
        if marker is None:
            return
        start, end = trimmed(self.text, marker.end(), sentence.end, "、, ~〜ー笑w")
        rule = self.text[start:end]
        if wording.WELL_MEANT.search(rule) or sentence.trails_off:
            return
        if self._is_rule(rule, marker, sentence):
            yield self._command(CommandKind.FROM_NOW_ON, (start, end))

    def _is_rule(self, rule: str, marker: re.Match[str], sentence: SentenceSpan) -> bool:
        is_topic = marker["topic"] is not None or marker["mark"] in ("今後", "以後", "以降", "これ以降")
        if asked := wording.ASKS_OF_YOU.search(rule):
            asks = not sentence.is_question or wording.ASKS_POLITELY.search(rule) is not None
            if wording.TOWARDS_YOU.search(rule):
                return asks
            return (
                asks
                and (is_topic or wording.BUSY.search(rule) is None)
                and (asked["bare"] is None or is_topic or "ないで" in asked[0])
            )
        if sentence.is_question:
            return wording.ASKS_POLITELY.search(rule) is not None
        lasts = is_topic and marker["mark"] in ("今後", "これから", "これからは", "以後", "以降")
        return lasts and wording.STATE.fullmatch(rule) is not None and wording.NO_STATE.search(rule) is None

    def _past_leads(self, sentence: SentenceSpan) -> int:
        lead = wording.ONLY_LEAD.match(self.text, sentence.start, sentence.end)
        return lead.end() if lead else sentence.start

    def _command(self, kind: CommandKind, span: Span, is_clear: bool = True) -> MemoryCommand:
        return MemoryCommand(kind=kind, span=self.source.span(*span), is_clear=is_clear)


_PATTERNS = (
    (CommandKind.DO_NOT_REMEMBER, wording.REFUSE),
    (CommandKind.DO_NOT_REMEMBER, wording.OFF),
    (CommandKind.REMEMBER, wording.HOLD),
    (CommandKind.REMEMBER, wording.NOTE),
    (CommandKind.REMEMBER, wording.KEEP),
    (CommandKind.FORGET, wording.UNDO),
    (CommandKind.FORGET, wording.NOTHING),
    (CommandKind.FORGET, wording.DROP),
)
_SAID_AFTER = (CommandKind.REMEMBER, CommandKind.DO_NOT_REMEMBER)


def _is_mere_question(said: _CommandPredicate) -> bool:
    if said.sentence.is_question and said.is_last:
        return wording.MAY_ASK.search(said.match[0]) is None
    return bool(said.groups.get("asked")) and not said.sentence.is_question


def _is_of_others(said: _CommandPredicate) -> bool:
    """Whether somebody else said it or ought to do it, or it is only supposed."""
    if wording.SUPPOSED.search(said.before) or wording.OTHER_TELLS.search(said.before):
        return True
    is_wish = "ほし" in said.match[0] or "もらい" in said.match[0]
    return is_wish and wording.OTHER_PERSON.search(said.before) is not None


def _is_request(said: _CommandPredicate) -> bool:
    """Whether the form is a request where it stands, and not a link in a tale."""
    if said.groups.get("firm"):
        return bool(said.words) and not said.rest
    if said.match.re is wording.NOTHING:
        return _is_this(said.words)
    if said.match.re is wording.UNDO and said.groups.get("erase"):
        return "から" in said.match[0] or _refers(said)
    if said.before.endswith("ても"):
        return False
    if said.match.re is wording.DROP:
        return _is_request_to_forget(said)
    return _is_request_to_keep(said)


def _is_request_to_forget(said: _CommandPredicate) -> bool:
    if _is_this(said.rest.strip("、, ")):
        return True
    if wording.WAVED_ASIDE.search(said.before) and not said.groups.get("req"):
        return False
    if said.asks or said.groups.get("cohort"):
        return True
    if said.rest:
        return not said.is_last or (bool(said.words) and _refers(said) and not said.before.endswith("を"))
    is_topic = wording.TOPICAL.search(said.before) is not None
    return (not said.words or _refers(said) or is_topic) and not said.sentence.trails_off


def _is_request_to_keep(said: _CommandPredicate) -> bool:
    if said.match.re is not wording.KEEP:
        return True
    if wording.STORES.match(said.match[0]) and wording.THINGS.search(said.before):
        return False
    te = said.groups.get("te")
    if te in ("て", "てて") and not said.asks and said.match[0].endswith(te):
        return (not said.rest or said.rest.startswith(":")) and not said.sentence.trails_off
    return True


def _refers(said: _CommandPredicate) -> bool:
    """Whether its object is something that was said."""
    return wording.REFERS.search(said.before.rstrip("、 ")) is not None or _is_this(said.words)


def _is_this(words: str) -> bool:
    return wording.THIS.fullmatch(words) is not None


def _may_command(words: str) -> bool:
    return mentions(words, wording.TRIGGERS)
