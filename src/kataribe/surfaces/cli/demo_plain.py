"""The demo's plain text: who was there is guessed, with the evidence; a group is told something."""

from __future__ import annotations

import kataribe as face
from kataribe.surfaces.cli import output

STORY = "the-key"
_TEXTS = (
    (
        "Ann hid the key under the well stone.\n\n"
        "“Nobody must know,” Ann said to Ben. Ben nodded.\n\n"
        "* * *\n\n"
        "Cleo baked bread and thought of Ann."
    ),
    "Ben told Cleo in the garden that the key was under the well stone.",
)


def show_plain(kataribe: face.Kataribe) -> None:
    """Read two short episodes with a cast of names alone, and show who holds what and why."""
    output.heading("plain text and three names: who was there is guessed, and says how surely")
    story = kataribe.story(STORY)
    story.create(language="en")
    for name in ("Ann", "Ben", "Cleo"):
        story.cast.add(face.Character(character_id=name.lower(), aliases=(face.Alias(text=name),)))
    for no, text in enumerate(_TEXTS, start=1):
        story.episodes.put(no, text)
    story.sync()
    for who in ("ann", "ben", "cleo"):
        output.result(f"  {who} after episode 2:")
        for hit in kataribe.known(story=STORY, persona=who, at=3).hits:
            if isinstance(hit, face.FactHit) and hit.evidence is not None:
                output.result(f"    [{hit.evidence} {hit.confidence:.2f}] {hit.text}")
    for mode in ("strict", "evident"):
        story.set_audience(mode)
        waiting = story.sync().in_review
        output.result(f"  audience {mode}: {output.count(waiting, 'sentence')} in review")
    _tell_a_group(kataribe)
    _stay_silent(kataribe)


def _tell_a_group(kataribe: face.Kataribe) -> None:
    story = kataribe.story(STORY)
    members = tuple(face.Membership(character_id=who) for who in ("ann", "ben"))
    story.cast.groups.add(face.Group(group_id="keepers", members=members))
    story.facts.add(episode_no=1, text="The key opens the mill.", audience=face.known_by("@keepers"))
    story.sync()
    output.result("  the group @keepers (ann, ben) is told that the key opens the mill:")
    for who in ("ben", "cleo"):
        found = kataribe.recall("What does the key open?", story=STORY, persona=who, at=3, top_k=1).hits
        output.result(f"    {who}: {found[0].text if found else '(remembers nothing)'}")


def _stay_silent(kataribe: face.Kataribe) -> None:
    question = "What is the capital of France?"
    made = kataribe.context(question, story=STORY, persona="ben", at=3)
    output.result(f"  {question} {len(made.items)} of {made.hits} memories are relevant enough to be used")
