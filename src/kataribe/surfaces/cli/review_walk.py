"""Walking through what needs a person's eye, one keystroke a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import kataribe as face
from kataribe.domain.terms import Audience
from kataribe.errors import KataribeError
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.keyboard import END, ESCAPE, PressedKeys
from kataribe.surfaces.cli.review_card import called, card, say

MENU = "k keep  e edit  n narrow  w widen  d drop  s skip  u undo  b back  q quit  ?"
HELP = """\
k  keep it: the audience it has is right (a lost quote is let go)
e  edit its text or its quote
n  narrow: fewer may know it
w  widen: more may know it, or everybody
d  drop it: struck out for good, whatever is read again
s  skip it for now
u  undo the last decision of this walk
b  back to the one before
q  quit; what was decided stays"""
LAST = "that was the last one:  u undo  b back  q quit"
ONE_KEY = 9
"""So many characters can be chosen with one key each; more are chosen by a line."""


class Walk:
    """One walk: where it is, and what was decided on the way."""

    def __init__(
        self, kataribe: face.Kataribe, story_id: str, items: Sequence[face.ReviewItem], keys: PressedKeys
    ) -> None:
        self._kataribe = kataribe
        self._story_id = story_id
        self._items = list(items)
        self._keys = keys
        self._at = 0
        self._outcomes: dict[int, str] = {}
        self._steps: list[tuple[int, face.Step, face.ReviewItem]] = []

    def go(self) -> None:
        """Walk to the end, or until it is left; the summary comes whatever happens."""
        try:
            while self._visit():
                pass
        finally:
            self._sum_up()

    def _visit(self) -> bool:
        """Show what is next and do what is asked; False when the walk is over."""
        if self._at >= len(self._items):
            say(LAST, "dim")
        else:
            card(self._items[self._at], f"{self._at + 1} of {len(self._items)}")
            if self._at in self._outcomes:
                say(f"  {self._outcomes[self._at]} already; u undoes the last decision", "magenta")
            say(MENU, "dim")
        while True:
            key = self._key().lower()
            if key in (END, "q"):
                return False
            if self._do(key):
                return True

    def _key(self) -> str:
        output.flush()
        return self._keys.key()

    def _do(self, key: str) -> bool:
        """Do what a key asks for; False when it asks for nothing, and the next one is waited for."""
        if key == "?":
            for line in HELP.splitlines():
                say(line)
            return False
        if key == "u":
            return self._undo()
        if key == "b":
            moved = self._at > 0
            self._at -= moved
            return moved
        if self._at >= len(self._items):
            return False
        if key == "s":
            self._outcomes.setdefault(self._at, "skipped")
            self._at += 1
            return True
        return key in "kenwd" and self._decide(key)

    def _decide(self, key: str) -> bool:
        item = self._items[self._at]
        try:
            decision = self._decision(item, key)
            if decision is None:
                say("nothing changed", "dim")
                return False
            step = self._carry_out(item, decision)
        except KataribeError as error:
            say(error.in_shell, "red")
            return False
        if step is not None:
            self._steps.append((self._at, step, item))
            # For whoever comes back to it.
            self._items[self._at] = _decided(item, decision)
        self._outcomes[self._at] = decision.verb.done
        say(f"  {decision.verb.done}", "green")
        if decision.verb is face.Verb.EDIT and self._waits_still(item.fact_id):
            return True
        self._at += 1
        return True

    def _carry_out(self, item: face.ReviewItem, decision: face.Decision) -> face.Step | None:
        """Decide; where a quote would be shown to more, ask whether it is to be."""
        try:
            return self._kataribe.story(self._story_id).facts.decide(item.fact_id, decision)
        except face.UnconfirmedError as error:
            say(error.in_shell, "red")
            say("k keeps the quote, n takes it away, any other key changes nothing", "dim")
            key = self._key().lower()
            if key not in ("k", "n"):
                raise face.UnconfirmedError("nothing changed") from error
            said = replace(decision, keep_quote=key == "k", without_quote=key == "n")
            return self._kataribe.story(self._story_id).facts.decide(item.fact_id, said)

    def _waits_still(self, fact_id: str) -> bool:
        """Whether an edited fact is in review as before; then it is shown again as it is now."""
        for item in self._kataribe.story(self._story_id).facts.review():
            if item.fact_id == fact_id and item.in_review:
                self._items[self._at] = item
                say("  its quote does not stand in the episode's text: it waits still", "red")
                return True
        return False

    def _undo(self) -> bool:
        if not self._steps:
            say(f"nothing to undo in this walk; `kataribe undo --story {self._story_id}` goes further", "dim")
            return False
        at, step, item = self._steps[-1]
        try:
            done = self._kataribe.story(self._story_id).undo(number=step.number)
        except KataribeError as error:
            say(error.in_shell, "red")
            return False
        self._steps.pop()
        self._outcomes.pop(at, None)
        self._items[at] = item
        say(f"  taken back: {done.summary}", "green")
        self._at = at
        return True

    # -- asking for more -------------------------------------------------------------------

    def _decision(self, item: face.ReviewItem, key: str) -> face.Decision | None:
        if key == "d":
            return face.Decision(verb=face.Verb.DROP)
        if key == "e":
            return self._edit(item)
        if key == "k" and not item.audience.is_empty:
            return face.Decision(verb=face.Verb.KEEP)
        if key == "n":
            return self._narrow(item)
        audience = self._wider(item)
        if audience is None:
            return None
        return face.Decision(verb=face.Verb.KEEP if key == "k" else face.Verb.WIDEN, audience=audience)

    def _edit(self, item: face.ReviewItem) -> face.Decision | None:
        say("text; an empty line leaves it as it is:", "dim")
        text = self._keys.line("text: ", item.text)
        if text is None:
            return None
        say("quote, words of the episode; an empty line leaves it as it is:", "dim")
        quote = self._keys.line("quote: ", item.quote or "") or ""
        text, quote = text.strip(), quote.strip()
        new_text = text if text and text != item.text else None
        new_quote = quote if quote and quote != item.quote else None
        if new_text is None and new_quote is None:
            return None
        audience = None
        if item.audience.is_empty:
            audience = self._wider(item)
            if audience is None:
                return None
        return face.Decision(verb=face.Verb.EDIT, text=new_text, quote=new_quote, audience=audience)

    def _narrow(self, item: face.ReviewItem) -> face.Decision | None:
        if item.audience.is_empty:
            say("nobody holds it yet: there is nothing to narrow; w says who knows it", "dim")
            return None
        among = [
            one
            for one in self._cast(item)
            if item.audience.world or one.character_id in item.audience.members
        ]
        chosen = self._choose("who may know it still?", among)
        if not chosen:
            return None
        return face.Decision(verb=face.Verb.NARROW, audience=Audience(members=frozenset(chosen)))

    def _wider(self, item: face.ReviewItem) -> Audience | None:
        among = [one for one in self._cast(item) if one.character_id not in item.audience.members]
        chosen = self._choose("who knows it too?" if item.holders else "who knows it?", among, public=True)
        if chosen is None:
            return face.PUBLIC
        return Audience(members=item.audience.members | set(chosen)) if chosen else None

    def _cast(self, item: face.ReviewItem) -> list[face.CastMember]:
        """Give who can be chosen: the cast by then, and whoever holds it now."""
        known = {one.character_id for one in item.candidates}
        others = sorted(item.audience.members - known)
        return [*item.candidates, *(face.CastMember(character_id=one, name=one) for one in others)]

    def _choose(
        self, question: str, among: Sequence[face.CastMember], *, public: bool = False
    ) -> list[str] | None:
        """Let characters be chosen: their ids, none when it is called off, None for everybody."""
        say(question, "bold")
        for number, one in enumerate(among, start=1):
            say(f"  {number}  {called(one.character_id, one.name)}")
        if public:
            say("  p  everybody")
        if len(among) > ONE_KEY:
            return self._by_line(among, public=public)
        say("numbers, then Enter; q calls it off", "dim")
        chosen: list[str] = []
        while True:
            key = self._key().lower()
            if key in (END, ESCAPE, "q"):
                return []
            if key == "p" and public:
                return None
            if key in "\r\n":
                return chosen
            if key.isdecimal() and 1 <= int(key) <= len(among):
                this = among[int(key) - 1].character_id
                chosen = [one for one in chosen if one != this] + [this] * (this not in chosen)
                say(f"  {', '.join(chosen) or 'nobody'}", "green")

    def _by_line(self, among: Sequence[face.CastMember], *, public: bool) -> list[str] | None:
        line = self._keys.line("numbers or ids, with commas between: ")
        words = [word.strip() for word in (line or "").split(",") if word.strip()]
        if public and words and set(words) <= {"p", "world", "public"}:
            return None
        ids = {one.character_id for one in among}
        chosen: list[str] = []
        for word in words:
            if word.isdecimal() and 1 <= int(word) <= len(among):
                chosen.append(among[int(word) - 1].character_id)
            elif word in ids:
                chosen.append(word)
            else:
                say(f"{word!r} is neither a number nor an id of these", "red")
                return []
        return chosen

    # -- the end ---------------------------------------------------------------------------

    def _sum_up(self) -> None:
        counts = Counter(self._outcomes.values())
        done = [f"{count} {outcome}" for outcome, count in sorted(counts.items())]
        left = len(self._items) - sum(counts.values())
        parts = [*done, f"{left} not looked at"] if left else done
        output.note(f"{output.count(len(self._items), 'fact')} to review: {', '.join(parts)}")
        if self._steps:
            output.note(f"`kataribe undo --story {self._story_id}` takes decisions back, the last one first")


def _decided(item: face.ReviewItem, decision: face.Decision) -> face.ReviewItem:
    """Give an item as it is after a decision."""
    if decision.verb is face.Verb.DROP:
        return replace(item, holders=())
    audience = decision.audience or item.audience
    text = item.text if decision.text is None else decision.text
    return replace(item, audience=audience, holders=audience.holders(), text=text)
