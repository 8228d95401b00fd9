"""A reader: whoever has read up to an episode is given what is told up to there, and nothing later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

import kataribe
from kataribe.domain.story.inputs import Address, Alias, NameKind
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.context import context_json
from kataribe.formats.wire.recall import recollection_json
from support.stores import services

TEXTS = {
    "en": (
        """\
[[known-by: public]] The silver key of the well is lost.

[[known-by: ada, bo]] Ada and Bo saw a fox at the well.
""",
        """\
[[known-by: ada]] Ada buried the silver key under the pear tree.

[[known-by: bo]] Bo dreams of the sea.
""",
        "[[known-by: cleo]] Cleo dug the silver key out again and sold it.",
    ),
    "ja": (
        """\
【知る者：全員】井戸の銀の鍵がなくなった。

【知る者：ada、bo】アダとボーは井戸で狐を見た。
""",
        """\
【知る者：ada】アダは銀の鍵を梨の木の下に埋めた。

【知る者：bo】ボーは海の夢を見る。
""",
        "【知る者：cleo】クレオは銀の鍵を掘り出して売った。",
    ),
}
QUESTION = {"en": "Where is the silver key?", "ja": "銀の鍵はどこ？"}
FOX = {"en": "Ada and Bo saw a fox at the well.", "ja": "アダとボーは井戸で狐を見た。"}
SECRET = {
    "en": "Ada buried the silver key under the pear tree.",
    "ja": "アダは銀の鍵を梨の木の下に埋めた。",
}
LATER = {"en": "Cleo", "ja": "クレオ"}
NICKNAME = {"en": "the Raven", "ja": "大鴉"}
LANGUAGES = ("en", "ja")


@contextmanager
def told(path: Any, language: Any, *, upto: int = 3) -> Iterator[Kataribe]:
    """Open a story of some episodes."""
    with kataribe.open(str(path), services=services()) as memory:
        story = memory.story("s")
        story.create(language=language, embedder="hash", audience="wide")
        for who in ("ada", "bo", "cleo")[: 2 if upto < 3 else 3]:
            story.cast.add(kataribe.Character(character_id=who))
        for no, text in enumerate(TEXTS[language][:upto], start=1):
            story.episodes.put(no, text)
        memory.sync()
        yield memory


def read(memory: Kataribe, no: int) -> Any:
    return memory.viewer(story="s", reader=True, read=no)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reader_knows_what_was_told_to_anybody_up_to_where_it_has_read(
    tmp_path: Any, language: str
) -> None:
    with told(tmp_path / "s.db", language) as memory:
        assert SECRET[language] not in [hit.text for hit in read(memory, 1).known().hits]
        hits = read(memory, 2).known().hits
        assert SECRET[language] in [hit.text for hit in hits]
        assert {hit.character_id for hit in hits} == {"world", "ada", "bo"}
        assert SECRET[language] in [hit.text for hit in read(memory, 2).recall(QUESTION[language]).hits[:2]]
        assert all(LATER[language] not in hit.text for hit in hits)
        assert any(LATER[language] in hit.text for hit in read(memory, 3).known().hits)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_several_hold_a_reader_is_given_once(tmp_path: Any, language: str) -> None:
    with told(tmp_path / "s.db", language) as memory:
        reader = read(memory, 3)
        for found in (reader.known(), reader.recall(QUESTION[language], top_k=50, explain=True)):
            texts = [hit.text for hit in found.hits]
            assert sorted(texts) == sorted(set(texts))
            assert FOX[language] in texts
        assert found.explanation is not None
        assert found.explanation.admissible == len(reader.known().hits) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_later_changes_a_byte_of_what_a_reader_is_given(tmp_path: Any, language: str) -> None:
    given = []
    for upto in (2, 3):
        with told(tmp_path / f"{upto}.db", language, upto=upto) as memory:
            reader, question = read(memory, 2), QUESTION[language]
            given.append(
                (
                    recollection_json(reader.known(), ranked=False),
                    recollection_json(reader.recall(question, explain=True)),
                    context_json(reader.context(question)),
                    reader.answer(question).text,
                    reader.recall_tool(detail=True)(query=question),
                )
            )
    assert given[0] == given[1]


def test_an_unsaid_number_a_character_or_a_user_makes_no_reader(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        wrong: list[dict[str, Any]] = [
            {"story": "s", "reader": True},
            {"reader": True, "read": 2},
            {"story": "s", "read": 2},
            {"story": "s", "reader": False, "read": 2},
            {"story": "s", "reader": "yes", "read": 2},
            {"story": "s", "reader": True, "read": -1},
            {"story": "s", "reader": True, "read": True},
            {"story": "s", "reader": True, "read": "now"},
            {"story": "s", "reader": True, "read": 2, "persona": "ada"},
            {"story": "s", "reader": True, "read": 2, "at": 3},
            {"story": "s", "reader": True, "read": 2, "user": "u"},
            {"story": "s", "reader": True, "read": 2, "user": "u", "as_of": datetime.now(UTC)},
            {"story": "s", "persona": "ada", "at": 3, "read": 2},
        ]
        for keys in wrong:
            with pytest.raises(kataribe.InputError):
                memory.viewer(**keys)


def test_who_is_bound_to_a_character_cannot_become_a_reader(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        bound: Any = memory.viewer(story="s", persona="bo", at=3)
        for verb in (bound.recall, bound.context, bound.answer):
            with pytest.raises(TypeError):
                verb("Where is the key?", reader=True, read=3)
        with pytest.raises(kataribe.InputError):
            bound.recall_tool()(query="Where is the key?", reader=True)
        assert SECRET["en"] not in [hit.text for hit in bound.known().hits]


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_has_read_nothing_is_given_nothing(tmp_path: Any, language: str) -> None:
    with told(tmp_path / "s.db", language) as memory:
        reader = read(memory, 0)
        assert reader.known().hits == ()
        assert reader.recall(QUESTION[language]).slices == ()
        assert reader.context(QUESTION[language]).items == ()


@pytest.mark.parametrize(("language", "says"), [("en", "read up to episode 2"), ("ja", "第2話まで読んだ人")])
def test_a_context_says_how_far_the_reader_has_come(tmp_path: Any, language: str, says: str) -> None:
    with told(tmp_path / "s.db", language) as memory:
        made = read(memory, 2).context(QUESTION[language])
        assert says in made.text
        assert SECRET[language] in made.text
        assert context_json(made)["viewer"] == {"story": "s", "reader": True, "read": 2}


def test_a_reader_knows_a_name_from_where_anybody_learns_it(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        told_to = kataribe.Audience(members=frozenset({"ada"}))
        alias = Alias(text=NICKNAME["en"], kind=NameKind.OTHER, address=Address(since=2, audience=told_to))
        name = Alias(text="Bo", kind=NameKind.NAME)
        memory.story("s").cast.edit("bo", kataribe.CastEdit(add_aliases=(name, alias)))
        memory.sync()
        asked = "What does the Raven dream of?"
        plans = [read(memory, no).recall(asked, explain=True).explanation for no in (1, 2)]
        assert ["Bo" in plan.expansions for plan in plans] == [False, True]


def test_what_a_reader_uses_moves_nobody_and_is_refused_in_words(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        reader = read(memory, 2)
        ids = [hit.fact_id for hit in reader.known().hits]
        with pytest.raises(kataribe.InputError, match="reader"):
            reader.report_use(ids)


def test_a_reader_is_given_no_talk(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        memory.user("u").create(language="en", embedder="hash")
        talk = memory.viewer(story="s", persona="ada", at=2, user="u")
        memory.user("u").chat(story="s", persona="ada", at=2).said("I hid the silver key in my hat.")
        memory.sync()
        assert any("hat" in hit.text for hit in talk.known().hits)
        assert not any("hat" in hit.text for hit in read(memory, 3).known().hits)
        assert all("user" not in asdict(hit) for hit in read(memory, 3).known().hits)


def test_many_readers_are_asked_at_once(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        asked = QUESTION["en"]
        viewers: Any = [{"story": "s", "reader": True, "read": no} for no in (0, 1, 2, 3)]
        assert list(memory.recall_many(asked, viewers)) == [memory.recall(asked, **one) for one in viewers]


def test_a_trace_of_a_reader_says_so(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        read(memory, 2).recall(QUESTION["en"])
        (trace,) = memory.admin.traces(story="s", last=1)
        assert (trace.is_reader, trace.episode_no) == (True, 3)


def test_a_branch_is_read_past_its_fork(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        memory.story("s").branches.add("if", after=2)
        memory.story("if").episodes.put(3, "[[known-by: bo]] Bo found the silver key and said nothing.")
        memory.sync()
        given = [hit.text for hit in memory.viewer(story="if", reader=True, read=3).known().hits]
        assert SECRET["en"] in given
        assert "Bo found the silver key and said nothing." in given
        assert not any("Cleo" in text for text in given)


def test_why_is_asked_of_characters_and_a_difference_of_readers_too(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        views = memory.story("s").views
        reader = kataribe.Viewer(story="s", at=3, is_reader=True)
        with pytest.raises(kataribe.InputError, match="reader"):
            views.why(reader, text="key")
        found = views.diff(reader, kataribe.Viewer(story="s", persona="bo", at=3))
        assert [line.text for line in found.only_left] == [SECRET["en"]]


def test_what_is_of_conversations_is_not_a_readers(tmp_path: Any) -> None:
    with told(tmp_path / "s.db", "en") as memory:
        reader = read(memory, 2)
        asked = (lambda: reader.search_log(["key"]), reader.threads, reader.buffer, reader.memories)
        for ask in (*asked, lambda: reader.associate("key"), lambda: reader.read_turn("t")):
            with pytest.raises(kataribe.InputError, match="user"):
                ask()
