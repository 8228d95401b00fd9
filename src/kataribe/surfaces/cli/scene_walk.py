"""Walking through the scenes in which something is held by nobody yet: one key says who was there."""

from __future__ import annotations

from collections.abc import Sequence

import kataribe as face
from kataribe.domain.terms import Audience
from kataribe.errors import KataribeError
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.keyboard import END, PressedKeys
from kataribe.surfaces.cli.review_card import called, say

MENU = "k these were there  1-9 in or out  p everybody  s skip  u undo  q quit  ?"
HELP = """\
k  keep it so: those with a star were there, and hold what waits
1  and other numbers: let one of the cast in or out
p  everybody may know what waits
s  skip the scene for now
u  undo the last decision of this walk
q  quit; what was decided stays"""
LAST = "that was the last one:  u undo  q quit"
_SHOWN = 6
"""Waiting sentences of a scene that are shown; the rest is counted."""


def listing(items: Sequence[face.SceneItem]) -> None:
    """Print scenes as a table."""
    rows = [
        (item.episode_no, item.scene, len(item.waiting), ", ".join(map(_found, item.found)), item.begins)
        for item in items
    ]
    output.table("", ("episode", "scene", "waiting", "found", "begins"), rows)


def _found(held: face.Holding) -> str:
    return f"{held.holder} ({output.guess(held.evidence, held.confidence) or held.evidence})"


def say_narrators(items: Sequence[face.NarratorItem], story_id: str) -> None:
    """Ask for the narrators that nobody names."""
    for item in items:
        output.note(
            f"{_episodes(item)} told in the first person by nobody named; "
            f"say who: `kataribe cast edit ID --story {story_id} --narrates {item.first}-{item.last}`"
        )


def _episodes(item: face.NarratorItem) -> str:
    if item.first == item.last:
        return f"episode {item.first} is"
    return f"episodes {item.first} to {item.last} are"


class NarratorWalk:
    """A walk through what a first person tells whom nobody names: a number says who it is."""

    def __init__(
        self, kataribe: face.Kataribe, story_id: str, items: Sequence[face.NarratorItem], keys: PressedKeys
    ) -> None:
        self._cast = kataribe.story(story_id).cast
        self._items = items
        self._keys = keys

    def go(self) -> None:
        """Ask for each narrator once; what is skipped is asked for the next time."""
        for item in self._items:
            say("")
            say(f"{_episodes(item)} told in the first person. Who tells it?")
            say(f"  {item.begins}", "bold yellow")
            for number, one in enumerate(item.candidates, start=1):
                say(f"  {number}  {called(one.character_id, one.name)}")
            say("1-9 tells it  s skip", "dim")
            if not self._ask(item):
                return

    def _ask(self, item: face.NarratorItem) -> bool:
        """Take one answer; False when the walk is left."""
        while True:
            output.flush()
            key = self._keys.key().lower()
            if key in (END, "q"):
                return False
            if key == "s":
                return True
            if key.isdecimal() and 1 <= int(key) <= len(item.candidates):
                return self._name(item, item.candidates[int(key) - 1].character_id)

    def _name(self, item: face.NarratorItem, who: str) -> bool:
        try:
            held = self._cast.get(who)
            if not held.declared:
                held = self._cast.add(face.Character(character_id=who))
            told = (*held.narrates, face.Narration(since=item.first, until=item.last))
            self._cast.edit(who, face.CastEdit(narrates=told))
        except KataribeError as error:
            say(str(error), "red")
            return True
        say(f"  {who} tells it", "green")
        return True


class SceneWalk:
    """One walk through scenes."""

    def __init__(
        self, kataribe: face.Kataribe, story_id: str, items: Sequence[face.SceneItem], keys: PressedKeys
    ) -> None:
        self._facts = kataribe.story(story_id).facts
        self._undo_step = kataribe.story(story_id).undo
        self._items = items
        self._keys = keys
        self._at = 0
        self._steps: list[tuple[int, face.Step]] = []

    def go(self) -> None:
        """Walk to the end, or until it is left; the summary comes whatever happens."""
        try:
            while self._visit(self._items[self._at]) if self._at < len(self._items) else self._end():
                pass
        finally:
            decided = len(self._steps)
            output.note(f"{output.count(len(self._items), 'scene')} to review: {decided} decided")

    def _end(self) -> bool:
        """Wait behind the last scene for who wants to go back; False when the walk is over."""
        say(LAST, "dim")
        while True:
            output.flush()
            key = self._keys.key().lower()
            if key in (END, "q"):
                return False
            if key == "u" and self._undo():
                return True

    def _visit(self, item: face.SceneItem) -> bool:
        """Show a scene and do what is asked; False when the walk is over."""
        chosen = set(item.likely)
        self._card(item)
        self._cast(item, chosen)
        while True:
            output.flush()
            key = self._keys.key().lower()
            if key in (END, "q"):
                return False
            if key == "?":
                say(HELP)
            elif key == "s":
                self._at += 1
                return True
            elif key == "u":
                if self._undo():
                    return True
            elif key.isdecimal() and 1 <= int(key) <= len(item.candidates):
                chosen ^= {item.candidates[int(key) - 1].character_id}
                self._cast(item, chosen)
            elif key in "kp" and self._decide(item, None if key == "p" else chosen):
                return True

    def _card(self, item: face.SceneItem) -> None:
        say("")
        where = f"{self._at + 1} of {len(self._items)} · episode {item.episode_no}, scene {item.scene}"
        say(where, "dim")
        say(f"{item.begins} … {item.ends}" if item.ends != item.begins else item.begins)
        for text in item.waiting[:_SHOWN]:
            say(f"  {text}", "bold yellow")
        if len(item.waiting) > _SHOWN:
            say(f"  and {len(item.waiting) - _SHOWN} more", "dim")

    def _cast(self, item: face.SceneItem, chosen: set[str]) -> None:
        guesses = {held.holder: output.guess(held.evidence, held.confidence) for held in item.found}
        for number, one in enumerate(item.candidates, start=1):
            star = "*" if one.character_id in chosen else " "
            guess = guesses.get(one.character_id)
            said = f"  {number} {star} {called(one.character_id, one.name)}"
            say(f"{said} (guessed: {guess})" if guess else said, "green" if star == "*" else "")
        say(MENU, "dim")

    def _decide(self, item: face.SceneItem, chosen: set[str] | None) -> bool:
        if chosen is not None and not chosen:
            say("nobody is chosen; numbers let somebody in, s skips the scene", "dim")
            return False
        audience = face.PUBLIC if chosen is None else Audience(members=frozenset(chosen))
        try:
            step = self._facts.decide_scene(item, audience)
        except KataribeError as error:
            say(str(error), "red")
            return False
        if step is not None:
            self._steps.append((self._at, step))
        say(f"  {'everybody' if chosen is None else ', '.join(sorted(chosen))}", "green")
        self._at += 1
        return True

    def _undo(self) -> bool:
        if not self._steps:
            say("nothing to undo in this walk", "dim")
            return False
        at, step = self._steps[-1]
        try:
            done = self._undo_step(number=step.number)
        except KataribeError as error:
            say(str(error), "red")
            return False
        self._steps.pop()
        say(f"  taken back: {done.summary}", "green")
        self._at = at
        return True
