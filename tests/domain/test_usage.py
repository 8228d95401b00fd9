"""What a use adds to a score: little, growing, fading, and bounded."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from kataribe.conversation.kind import ConversationHome
from kataribe.domain.gate import DENY_ALL, Gate, Slice, Viewer, user_gate
from kataribe.domain.lineage import Part, StoryScope
from kataribe.domain.recall.ranking import DEFAULT_RECALL, RecallPolicy
from kataribe.domain.recall.usage import uses_bonus
from kataribe.ports.kinds import Reached
from kataribe.story.kind import StoryHome
from kataribe.testing.fakes import LONG_AGO
from kataribe.testing.ledger_world import a_story, a_user

times = st.integers(min_value=0, max_value=10**6)
days = st.floats(min_value=-10, max_value=1e6)


def test_the_numbers() -> None:
    assert DEFAULT_RECALL.uses_bonus == 0.02
    table = [(0, 0, 0.0), (1, 0, 0.006667), (2, 0, 0.01), (8, 0, 0.016), (2, 90, 0.003679), (2, -5, 0.01)]
    assert [(n, d, uses_bonus(n, d, DEFAULT_RECALL)) for n, d, _ in table] == table
    assert uses_bonus(5, 0, RecallPolicy(uses_bonus=0.0)) == 0.0


@given(times, days, times, days)
def test_it_is_bounded_and_grows_with_uses_and_fades_with_days(n: int, d: float, m: int, e: float) -> None:
    bonus = uses_bonus(n, d, DEFAULT_RECALL)
    assert 0 <= bonus <= DEFAULT_RECALL.uses_bonus
    if m >= n:
        assert uses_bonus(m, d, DEFAULT_RECALL) >= bonus
    if e >= d:
        assert uses_bonus(n, e, DEFAULT_RECALL) <= bonus


def reached(viewer: Viewer, gate: Gate) -> list[tuple[str, str, int]]:
    """Give where a viewer's uses in a story are kept."""
    assert viewer.story is not None
    scope = StoryScope(parts=(Part(viewer.story),), in_cast=True)
    home = StoryHome(viewer=viewer, story=a_story(viewer.story), scope=scope, gate=gate)
    return [(one.space, one.viewer, one.upto) for one in home.reached]


def test_a_branch_and_its_parent_are_reached_apart() -> None:
    viewer = Viewer(story="b", persona="ann", at=5)
    gate = Gate((Slice("story:p", "world", 30), Slice("story:p", "ann", 30), Slice("story:b", "ann", 4, 1)))
    assert reached(viewer, gate) == [("story:b", "story:p:ann", 30), ("story:b", ":ann", 4)]
    assert reached(viewer, Gate(gate.slices[:2])) == [("story:b", "story:p:ann", 30)]
    assert reached(viewer, DENY_ALL) == []
    # Not even an id made for it gets at another's uses.
    other = Viewer(story="p", persona="story:p:ann", at=5)
    assert reached(other, Gate(gate.slices[:2])) == [("story:p", ":story:p:ann", 30)]


def test_a_user_is_reached_under_the_persona() -> None:
    for persona, name in ((None, ":"), ("mio", ":mio")):
        viewer = Viewer(user="u", persona=persona, as_of=LONG_AGO)
        gate = user_gate(viewer, space="user:u", part=0)
        home = ConversationHome(viewer=viewer, user=a_user(), gate=gate, pending_turns=0, voices={})
        assert home.reached == (Reached("user:u", name, viewer.moment),)
