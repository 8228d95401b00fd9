"""The demo's meeting of both: a persona at two episodes of a story talks with one user."""

from __future__ import annotations

from datetime import UTC, datetime

import kataribe as face
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.space import SpaceType, parse_space
from kataribe.surfaces.cli import output

STORY, WHO, USER = "lantern-isle", "wren", "nora"
_TOLD = (
    (3, "I bake an extra bun for the Lamplighter every Friday, and I have no idea who eats it."),
    (
        8,
        "It was the smell of lamp oil on Odile's gloves that gave her away. Promise me you will tell nobody.",
    ),
)
_QUESTION = "Whose gloves smell of lamp oil?"


def show_both(kataribe: face.Kataribe) -> None:
    """Let a persona tell a user something at two episodes, and ask at each what it may recall."""
    output.heading(f"{WHO} of {STORY} talks with {USER}, at episode 3 and at episode 8")
    for no, (at, text) in enumerate(_TOLD, start=1):
        said = face.Turn(
            turn_id=f"isle-{no}",
            session=f"isle {at}",
            speaker=WHO,
            text=text,
            time=datetime(2024, 6, no, 19, 0, tzinfo=UTC),
            audience=face.known_by(WHO),
        )
        kataribe.user(USER).put_turns([said], story=STORY, at=at)
    kataribe.sync(user=USER)
    for at, _ in _TOLD:
        _ask(kataribe, at)
    viewer = face.Viewer(story=STORY, persona=WHO, at=3, user=USER, as_of=datetime(2024, 7, 1, tzinfo=UTC))
    for why in kataribe.story(STORY).views.why(viewer, fact_id="isle-2"):
        for check in why.checks:
            if not check.ok:
                output.result(f"  why not at episode 3: {check.says}")


def _ask(kataribe: face.Kataribe, at: int) -> None:
    viewer = ViewerKeys(story=STORY, persona=WHO, at=at, user=USER)
    known = [hit for hit in kataribe.known(**viewer).hits if parse_space(hit.space).type is SpaceType.TALK]
    output.result(f"  at episode {at} it remembers {output.count(len(known), 'thing')} said under the story")
    output.result(f"    {_QUESTION}")
    for hit in kataribe.recall(_QUESTION, top_k=1, **viewer).hits:
        place = f"ep {hit.episode_no}" if isinstance(hit, face.FactHit) else f"said to {USER}"
        output.result(f"      [{place}] {hit.text}")
