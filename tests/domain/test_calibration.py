"""S2-23, S4-97: from which cosine on a memory is worth using, by a stated rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kataribe.adapters.minilm import MiniLmEmbedder
from kataribe.bench.calibration import HELD_BACK, Asked, parted
from kataribe.domain.memory import FactHit, Kind
from kataribe.domain.recall.calibration import (
    KEEP,
    Labelled,
    Seen,
    is_enough,
    minimum_similarity,
    seen_of,
    separate,
    try_weights,
)
from kataribe.wiring import default_services, embedder_names

COSINES = st.floats(-1, 1).map(lambda value: round(value, 6))
PARTS = st.sampled_from([{}, {"verbatim": 0.05}, {"pinned": 0.1}, {"keyword": 2.0}, {"verbatim": 0.0}])
SEEN = st.builds(Seen, similarity=COSINES, parts=PARTS, is_evidence=st.booleans())


def hit(fact_id: str, text: str = "", *, no: int = 1, **parts: float) -> FactHit:
    return FactHit(
        id=f"vec:{fact_id}",
        fact_id=fact_id,
        text=text,
        episode_no=no,
        episode_id=f"e{no}",
        scope="world",
        character_id="world",
        importance=3,
        parts=parts,
    )


@pytest.mark.parametrize(
    ("similarity", "parts", "minimum", "enough"),
    [
        (0.3, {}, 0.3, True),
        (0.299999, {}, 0.3, False),
        (-0.5, {}, None, True),
        (0.1, {"verbatim": 0.05}, 0.3, True),
        (0.1, {"verbatim": 0.0}, 0.3, False),
        (0.1, {"pinned": 0.1}, 0.3, True),
        (0.1, {"keyword": 9.0}, 0.3, False),
        (0.0, {"keyword": 9.0}, 0.3, True),
        (0.0, {"keyword": 0.0}, 0.3, False),
        (0.0, {}, -1.0, True),
    ],
)
def test_a_hit_is_enough(
    similarity: float, parts: dict[str, float], minimum: float | None, enough: bool
) -> None:
    assert is_enough(similarity, parts, minimum) is enough


@given(st.lists(SEEN, max_size=60), st.floats(0.5, 1))
def test_the_minimum_is_the_highest_that_keeps_the_share(seen: list[Seen], keep: float) -> None:
    found = separate(Kind.FACT, seen, keep=keep)
    evidence = [one for one in seen if one.is_evidence]
    assert -1 <= found.minimum <= 1

    def kept(minimum: float) -> int:
        return sum(is_enough(one.similarity, one.parts, minimum) for one in evidence)

    need = keep * len(evidence)
    assert kept(found.minimum) >= need - 1e-6
    assert found.evidence + found.others == len(seen)
    bare = [one for one in evidence if not is_enough(-2.0, one.parts, 2.0)]
    higher = round(found.minimum + 0.02, 2)
    if bare and not any(one.similarity == 0.0 for one in evidence) and kept(1.000001) < need - 1e-6:
        assert kept(higher) < need, "a step more would lose too much"


def test_shares_and_spreads_are_those_of_the_hits() -> None:
    seen = [Seen(similarity=at / 100, parts={}, is_evidence=True) for at in range(1, 101)]
    seen += [Seen(similarity=at / 100, parts={}, is_evidence=False) for at in range(-50, 50)]
    found = separate(Kind.TURN, seen, keep=0.9)
    assert found.minimum == 0.11
    assert found.kept == 0.9
    assert found.removed == 0.61
    assert found.spread == (0.06, 0.51, 0.95)
    assert (found.evidence, found.others, found.kind) == (100, 100, Kind.TURN)


def test_without_evidence_nothing_is_left_out() -> None:
    assert separate(Kind.FACT, []).minimum == -1.0
    words = [Seen(similarity=0.1, parts={"verbatim": 0.1}, is_evidence=True)]
    assert separate(Kind.FACT, words).minimum == -1.0


# A search in a library gives the nearest passages, whatever they are like.
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.PASSAGE])
def test_every_shipped_embedder_has_a_minimum_for_each_kind(kind: Kind) -> None:
    """All that installs from packages; what takes a model by its name is as many as there are models."""
    services = default_services()
    by_model = {"sentence-transformers", "pydantic-ai"}
    for name in set(embedder_names()) - by_model:
        # Its id is that of the package's weights, whether or not they are here.
        embedder = MiniLmEmbedder() if name == "minilm" else services.embedder(name)
        minimum = minimum_similarity(embedder.embedder_id, kind)
        assert minimum is not None, name
        assert -1 < minimum < 0.6, "no cosine of these is like those of S2-23's model"


def test_what_a_minimum_is_tried_on_is_not_what_it_is_chosen_on() -> None:
    def asked(*names: str) -> Asked:
        return [[Seen(similarity=0.5, parts={"name": ord(name)}, is_evidence=True)] for name in names]

    samples = {
        "conv-26": asked("a", "b"),
        "conv-41": asked("c"),
        "AA-AI": asked("d", "e", "f", "g", "h", "i", "j"),
        "en-jekyll-hyde": asked("k"),
        "yoimachi": asked("l"),
    }
    chosen, held = parted(samples)
    assert chosen == asked("a", "b", "d", "e", "g", "h", "j", "l")
    assert held == asked("c", "f", "i", "k")
    assert {"conv-41", "en-jekyll-hyde", "ja-ginga-tetsudo"} == HELD_BACK


def test_nobody_measured_another_embedder() -> None:
    assert minimum_similarity("somebody-else-1", Kind.FACT) is None
    assert minimum_similarity("hash-10", Kind.TURN) is None
    assert minimum_similarity("wordllama-0.4-another-pooling", Kind.FACT) is None


def test_evidence_is_known_by_id_then_by_words_then_by_episode() -> None:
    both = Labelled(question="?", evidence=frozenset({"f1"}), keys=("鍵",), episodes=frozenset({2}))
    assert both.is_met_by(hit("f1"))
    assert both.is_met_by(hit("f9", "灯台の鍵"))
    assert not both.is_met_by(hit("f9", no=2)), "a number alone says little where words are given"
    assert Labelled(question="?", episodes=frozenset({2})).is_met_by(hit("f9", no=2))
    two = Labelled(question="?", evidence=frozenset({"a", "b"}))
    assert two.found([hit("a"), hit("c")]) == 0.5
    assert both.found([hit("f9", "灯台の鍵")]) == 1.0


def test_a_question_that_found_nothing_is_not_counted() -> None:
    asked = Labelled(question="?", evidence=frozenset({"f1"}))
    assert seen_of(asked, [hit("f2", similarity=0.5)]) == []
    (one, other) = seen_of(asked, [hit("f2", similarity=0.5), hit("f1", similarity=0.4)])
    assert (one.is_evidence, other.is_evidence, other.similarity) == (False, True, 0.4)


def test_a_weight_is_chosen_when_unseen_questions_gain() -> None:
    better = try_weights({0.5: [0.0, 1.0] * 20, 0.7: [1.0] * 40}, current=0.5)
    assert better.chosen == 0.7
    assert (better.current, better.held_out) == (0.5, 1.0)
    assert better.found == {0.5: 0.5, 0.7: 1.0}


def test_a_weight_that_gains_nothing_on_unseen_questions_is_not_chosen() -> None:
    alike = try_weights({0.3: [1.0] * 30, 0.5: [1.0] * 30}, current=0.5)
    assert alike.chosen is None
    # Each weight is good where it is judged only, never where it is chosen.
    folds = {at / 10: [1.0 if i % 5 == at else 0.9 for i in range(50)] for at in range(5)}
    assert try_weights({**folds, 0.5: [0.92] * 50}, current=0.5).chosen is None


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=40))
def test_what_is_chosen_was_tried(rows: list[list[float]]) -> None:
    found = {weight: [row[at] for row in rows] for at, weight in enumerate((0.2, 0.5, 0.8))}
    trial = try_weights(found, current=0.5)
    assert trial.chosen in (None, 0.2, 0.8)
    assert trial == try_weights(dict(reversed(found.items())), current=0.5), "the order of trying is nothing"


def test_the_rule_is_what_it_says() -> None:
    assert KEEP == 0.97
