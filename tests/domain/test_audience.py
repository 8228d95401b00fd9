from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.ids import exact_hash
from kataribe.domain.story.audience import (
    UNDECIDED,
    Verdict,
    decide,
    marked_ids,
    marks,
    narrator_marks,
    paragraph_hash,
    with_mark_renamed,
)
from kataribe.domain.story.inputs import Annotation, Annotations
from kataribe.domain.terms import NOBODY, PUBLIC, Audience, known_by
from kataribe.errors import InputError

A, B, AB = known_by("a"), known_by("b"), known_by("a", "b")


def row(audience: Audience, text: str | None = None) -> Annotation:
    if text is None:
        return Annotation(audience=audience)
    return Annotation(audience=audience, paragraph_id=f"p-{text}", paragraph_hash=paragraph_hash(text))


def given_for(base: str, *rows: Annotation) -> Annotations:
    return Annotations(rows=rows, base=tuple(paragraph_hash(text) for text in base.split()))


def audiences(texts: list[str], annotations: Annotations | None = None) -> list[Audience | None]:
    return [verdict.audience for verdict in decide(texts, annotations or Annotations())]


def test_a_hash_is_of_the_very_text() -> None:
    assert paragraph_hash("澪。") == exact_hash("澪。") != paragraph_hash("澪．")


def test_blanks_around_a_paragraph_are_no_part_of_it() -> None:
    assert paragraph_hash("　澪。\n") == paragraph_hash("澪。")


def test_nothing_said_is_nothing_decided() -> None:
    assert decide(["x", "***"], Annotations()) == (UNDECIDED, UNDECIDED)


def test_a_row_for_the_episode_holds_whatever_the_text() -> None:
    assert audiences(["x", "new"], given_for("x", row(A))) == [A, A]


def test_a_paragraphs_row_overrides_the_episodes() -> None:
    assert audiences(["x", "y"], given_for("x y", row(PUBLIC), row(A, "y"))) == [PUBLIC, A]


def test_a_paragraph_without_a_row_is_left_to_the_extractor() -> None:
    assert audiences(["x", "y"], given_for("x y", row(A, "x"))) == [A, None]


def test_the_same_text_twice_takes_its_rows_in_order() -> None:
    annotations = given_for("x y x", row(A, "x"), row(B, "x"))
    assert audiences(["x", "y", "x"], annotations) == [A, None, B]
    assert audiences(["x", "x", "x"], annotations) == [A, B, B]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (A, A, A),
        (AB, A, A),
        (A, B, NOBODY),
        (PUBLIC, A, A),
        (A, PUBLIC, A),
        (PUBLIC, PUBLIC, None),
    ],
)
def test_a_changed_paragraph_takes_the_narrowest_of_its_neighbours(
    left: Audience, right: Audience, expected: Audience | None
) -> None:
    verdicts = decide(["x", "new", "y"], given_for("x y", row(left, "x"), row(right, "y")))
    assert verdicts[1] == Verdict(audience=expected, changed=True)
    assert [verdict.changed for verdict in verdicts] == [False, True, False]


def test_a_changed_paragraph_at_the_end_takes_its_only_neighbour() -> None:
    assert audiences(["x", "new", "new2"], given_for("x", row(A, "x"))) == [A, A, A]
    assert audiences(["new"], given_for("x", row(A, "x"))) == [None]


def test_a_changed_paragraph_never_takes_the_episodes_row() -> None:
    verdicts = decide(["x", "new"], given_for("x y", row(PUBLIC), row(A, "y")))
    assert verdicts[1] == Verdict(audience=None, changed=True)


def test_a_scene_break_is_skipped() -> None:
    annotations = given_for("x y", row(A, "x"), row(AB, "y"))
    assert decide(["x", "◇", "new", "y"], annotations)[1:3] == (UNDECIDED, Verdict(audience=A, changed=True))


def test_a_mark_on_its_own_line_holds_until_the_next_or_a_scene_break() -> None:
    texts = ["x", "[[known-by: a, b]]", "y", "z", "[[known-by: public]]", "w", "***", "v"]
    assert audiences(texts) == [None, AB, AB, AB, PUBLIC, PUBLIC, None, None]


def test_a_mark_at_the_beginning_holds_for_its_paragraph() -> None:
    verdicts = decide(["[[known-by: a]] x", "y"], Annotations())
    assert verdicts == (Verdict(audience=A, skip=len("[[known-by: a]]")), UNDECIDED)


def test_a_mark_at_the_beginning_is_stronger_than_one_before() -> None:
    assert audiences(["【知る者：全員】", "【知る者：a、b】x", "y"]) == [PUBLIC, AB, PUBLIC]


def test_marks_decide_over_everything() -> None:
    annotations = given_for("x y", row(PUBLIC), row(B, "x"))
    assert audiences(["[[known-by: a]]", "x", "new"], annotations) == [A, A, A]


def test_a_mark_line_within_a_given_paragraph_holds_for_the_next_too() -> None:
    assert audiences(["[[known-by: a]]\nx", "y"]) == [A, A]


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("[[known-by: a, b]]", AB),
        ("[[known-by：a，b]]", AB),
        ("[[ Known-By : a ]]", A),
        ("[[known-by: PUBLIC]]", PUBLIC),
        ("【知る者：a、b】", AB),
        ("【知る者:a,b】", AB),
        ("【知る者：全員】", PUBLIC),
        ("【知る者：綾瀬 澪】", known_by("綾瀬 澪")),
    ],
)
def test_ways_to_write_a_mark(mark: str, expected: Audience) -> None:
    (found,) = marks(f"x\n　{mark}\ny")
    assert (found.audience, found.own_line, found.start) == (expected, True, 3)


@pytest.mark.parametrize(
    "text",
    [
        "[[known-by: ]]",
        "[[known-by:]]",
        "[[known-by a]]",
        "[[known-by]]",
        "[[known-by: a",
        "[[known-by: a]",
        "[[known-by: a,]]",
        "[[known-by: a\nb]]",
        "【知る者：】",
        "【知る者】",
        "【知る者：a、、b】",
    ],
)
def test_a_malformed_mark_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"line 2: .*known by nobody"):
        marks(f"x\n{text}")
    with pytest.raises(InputError):
        decide([text], Annotations())


@pytest.mark.parametrize("text", ["[[known-by: public, a]]", "[[known-by: world]]", "x [[known-by: a]]"])
def test_a_mark_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        marks(text)


def test_the_ids_named_in_marks() -> None:
    text = "[[known-by: a, b]]\nx\n【知る者：全員】y\n[[known-by: c]] z"
    assert marked_ids(text) == frozenset("abc")


@given(st.lists(st.sampled_from(["x", "y", "z", "new", "***"]), max_size=8), st.data())
@settings(deadline=None)
def test_the_world_is_never_reached_by_a_change(texts: list[str], data: st.DataObject) -> None:
    some = st.sampled_from([PUBLIC, A, B, AB])
    rows = [row(data.draw(some), text) for text in ("x", "y")]
    for verdict in decide(texts, given_for("x y z", *rows, row(PUBLIC))):
        assert not (verdict.changed and verdict.audience is not None and verdict.audience.world)


class TestNarratorMarks:
    @pytest.mark.parametrize(
        "mark", ["[[narrator: a]]", "[[ Narrator : a ]]", "【語り手：a】", "【 語り手 : a 】"]
    )
    def test_name_one_who_tells(self, mark: str) -> None:
        text = f"　{mark}雨。"
        (found,) = narrator_marks(text)
        assert (found.narrator, found.told_to, text[found.start : found.end]) == ("a", frozenset(), mark)

    @pytest.mark.parametrize(
        "mark", ["[[narrator: a > b, c]]", "【語り手：a→b、c】", "[[narrator: a＞b，c]]"]
    )
    def test_may_say_whom_it_is_told_to(self, mark: str) -> None:
        (found,) = narrator_marks(mark)
        assert (found.narrator, sorted(found.told_to)) == ("a", ["b", "c"])

    @pytest.mark.parametrize(
        "mark",
        [
            "[[narrator]]",
            "[[narrator: ]]",
            "[[narrator: a",
            "【語り手：】",
            "[[narrator: a, b]]",
            "[[narrator: a > ]]",
        ],
    )
    def test_that_name_nobody_or_several_are_refused(self, mark: str) -> None:
        with pytest.raises(InputError, match="narrator"):
            narrator_marks(f"雨。\n{mark}")

    @pytest.mark.parametrize("text", ["雨。[[narrator: a]]", "It rained. 【語り手：a】"])
    def test_inside_a_line_are_refused(self, text: str) -> None:
        with pytest.raises(InputError, match="inside a line"):
            narrator_marks(text)

    def test_the_public_tells_nothing(self) -> None:
        with pytest.raises(InputError, match="public"):
            narrator_marks("[[narrator: public]]")

    def test_are_no_part_of_a_fact_and_decide_no_audience(self) -> None:
        assert decide(["[[narrator: a]] 雨。", "風。"], Annotations()) == (Verdict(skip=15), UNDECIDED)

    def test_stand_beside_marks_of_who_knows(self) -> None:
        first, second = decide(["[[narrator: a]]", "[[known-by: b]] 雨。"], Annotations())
        assert (first.skip, second.audience) == (15, B)

    def test_name_characters_and_are_renamed_with_them(self) -> None:
        text = "[[narrator: a > b]]\n雨。\n\n[[known-by: a]] 風。"
        assert marked_ids(text) == {"a", "b"}
        assert (
            with_mark_renamed(text, "a", "nora") == "[[narrator: nora > b]]\n雨。\n\n[[known-by: nora]] 風。"
        )
        assert with_mark_renamed(text, "b", "bo") == "[[narrator: a > bo]]\n雨。\n\n[[known-by: a]] 風。"
        with pytest.raises(InputError, match="cannot name"):
            with_mark_renamed(text, "a", "x > y")
