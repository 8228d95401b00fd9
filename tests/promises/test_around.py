"""A sentence comes with what stands around it, as far as the same gate admits it, and nothing else shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest

import kataribe
from kataribe import FactEdit, FactHit
from kataribe.domain.story.groups import Group, Membership, Newcomers
from kataribe.domain.terms import PUBLIC, Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import recollection_json
from support.hits import fact_hits
from support.stores import empty_store, services

Made = Callable[[Language, str], Kataribe]

RAIN = {
    "en": ("Ann went down to the mill.", "She hid the key under the stone.", "It rained all night."),
    "ja": ("アンは水車小屋へ下りた。", "鍵を石の下に隠した。", "雨は一晩中降っていた。"),
}
ASKED = {
    "en": ("“Where is the key?” asked Ben.", "Ann looked at the rain.", "“Under the stone,” she said."),
    "ja": ("「鍵はどこですか」とベンは尋ねた。", "アンは雨を見ていた。", "「石の下」と彼女は言った。"),
}
BETWEEN = {"en": " ", "ja": ""}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


@contextmanager
def story(path: Path, language: Language, text: str) -> Iterator[Kataribe]:
    """Open a store with a story of one episode in which three are declared."""
    with kataribe.open(str(empty_store(path)), services=services()) as store:
        tale = store.story("s")
        tale.create(language=language, embedder="hash", audience="wide")
        for who in ("ann", "ben"):
            tale.cast.add(kataribe.Character(character_id=who))
        tale.episodes.put(no=1, text=f"[[known-by: public]]\n{text}" if text else "")
        tale.sync()
        yield store


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Made]:
    """Open stories, as many as a test needs."""
    with ExitStack() as opened:
        names = (tmp_path / f"{number}.db" for number in count())
        yield lambda language, text: opened.enter_context(story(next(names), language, text))


def public(*paragraphs: str) -> str:
    """Give a text of these paragraphs, each known to everybody."""
    return "\n\n".join(f"[[known-by: public]] {one}" for one in paragraphs)


def hit_of(store: Kataribe, text: str, who: str = "ben", at: int = 2) -> FactHit:
    """Recall the hit with these words."""
    found = fact_hits(store.recall(text, story="s", persona=who, at=at, top_k=50, planner="none").hits)
    return next(hit for hit in found if hit.text == text)


def around(store: Kataribe, text: str, who: str = "ben") -> str | None:
    """Give what stands around a sentence."""
    return hit_of(store, text, who).around


def told_to(store: Kataribe, text: str, *who: str, no: int = 1) -> None:
    """Let some alone know a sentence from now on."""
    tale = store.story("s")
    fact_id = next(one.fact_id for one in tale.facts.list() if one.text == text and one.episode_no == no)
    tale.facts.edit(fact_id, FactEdit(audience=known_by(*who), keep_quote=True))
    tale.sync()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_comes_with_those_of_its_paragraph(told: Made, language: Language) -> None:
    first, second, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}", third))
    assert around(store, second) == around(store, first) == f"{first}{between}{second}"
    assert around(store, third) == third


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_known_leaves_no_trace_around_a_sentence(told: Made, language: Language) -> None:
    first, secret, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{secret}{between}{third}"))
    told_to(store, secret, "ann")
    less = told(language, public(f"{first}{between}{third}"))
    assert around(store, third) == around(less, third) == f"{first}{between}{third}"
    assert around(store, third, "ann") == f"{first}{between}{secret}{between}{third}"
    assert around(store, secret, "ann") == around(store, third, "ann")


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_words_outside_the_gate_change_nothing_around_a_sentence(
    told: Made, language: Language
) -> None:
    first, secret, third = RAIN[language]
    between = BETWEEN[language]
    shown = []
    for words, blanks in ((secret, between), (ASKED[language][2], "  "), (ASKED[language][1], "\u3000")):
        store = told(language, public(f"{first}{between}{words}{blanks}{third}"))
        told_to(store, words, "ann")
        assert around(store, first, "ann") == f"{first}{between}{words}{between}{third}"
        shown.append(around(store, first))
    assert shown == [f"{first}{between}{third}"] * 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_comes_with_its_answer(told: Made, language: Language) -> None:
    asked, looked, answer = ASKED[language]
    between = BETWEEN[language]
    rain = RAIN[language][2]
    assert around(told(language, public(asked, answer, rain)), asked) == f"{asked}{between}{answer}"
    assert around(told(language, public(asked, looked, answer)), asked) == f"{asked}{between}{answer}"
    assert around(told(language, public(asked, f"{looked}{between}{answer}")), asked) == (
        f"{asked}{between}{answer}"
    )
    assert around(told(language, public(asked, rain, looked, answer)), asked) == asked, "too far"
    store = told(language, public(looked, answer))
    assert around(store, looked) == looked, "nobody asks"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_is_not_looked_for_behind_what_is_not_known(told: Made, language: Language) -> None:
    asked, _, answer = ASKED[language]
    rain, between = RAIN[language][2], BETWEEN[language]
    store = told(language, f"{public(asked)}\n\n[[known-by: ann]] {answer}\n\n{public(f'「{rain}」')}")
    assert around(store, asked) == asked
    assert around(store, asked, "ann") == f"{asked}{between}{answer}"
    assert around(told(language, f"{public(asked)}\n\n* * *\n\n{public(answer)}"), asked) == asked


@pytest.mark.parametrize(
    ("language", "written", "shown"),
    [
        (
            "ja",
            "アンは｜洋灯《ランプ》を置いた。鍵《かぎ》は石の下だ。",
            "アンは洋灯を置いた。鍵は石の下だ。",
        ),
        ("en", "Ann put *the lamp* down. The key was there.", "Ann put the lamp down. The key was there."),
    ],
)
def test_readings_and_emphasis_are_not_around_a_sentence(
    told: Made, language: Language, written: str, shown: str
) -> None:
    store = told(language, public(written))
    for hit in fact_hits(store.recall("lamp 洋灯", story="s", persona="ben", at=2).hits):
        assert hit.around == shown
        assert hit.text in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_in_other_words_has_nothing_around_it_and_stands_around_nothing(
    told: Made, language: Language
) -> None:
    first, second, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}{between}{third}"))
    tale = store.story("s")
    words = {"en": "The key lies below.", "ja": "鍵は下にある。"}[language]
    fact_id = next(one.fact_id for one in tale.facts.list() if one.text == second)
    tale.facts.edit(fact_id, FactEdit(text=words, keep_quote=True))
    tale.facts.add(episode_no=1, text=ASKED[language][1], audience=PUBLIC)
    tale.sync()
    assert around(store, words) is None
    assert around(store, ASKED[language][1]) is None
    assert around(store, first) == f"{first}{between}{third}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_struck_out_or_replaced_is_not_around_a_sentence(told: Made, language: Language) -> None:
    first, second, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}{between}{third}"))
    tale = store.story("s")
    ids = {one.text: one.fact_id for one in tale.facts.list()}
    tale.episodes.put(no=2, text=public(ASKED[language][1]))
    tale.sync()
    newer = {"en": "The key was sold.", "ja": "鍵は売られた。"}[language]
    tale.facts.add(episode_no=2, text=newer, audience=known_by("ann"), supersedes=ids[second])
    assert hit_of(store, third, "ann", at=3).around == f"{first}{between}{third}"
    assert hit_of(store, third, "ben", at=3).around == f"{first}{between}{second}{between}{third}"
    assert hit_of(store, third, "ann", at=2).around == f"{first}{between}{second}{between}{third}"
    tale.facts.delete(ids[first])
    assert around(store, third) == f"{second}{between}{third}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_filter_narrows_what_is_around_as_well(told: Made, language: Language) -> None:
    first, secret, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{secret}{between}{third}"))
    told_to(store, secret, "ann")
    found = store.recall(third, story="s", persona="ann", at=2, where={"scope": "world"}, planner="none")
    assert {hit.around for hit in fact_hits(found.hits)} == {f"{first}{between}{third}"}


def test_a_newcomer_holds_single_facts_and_no_paragraph(told: Made) -> None:
    first, second, third = RAIN["en"]
    with_group = told("en", "")
    tale = with_group.story("s")
    members = (Membership(character_id="ann"), Membership(character_id="ben", since=2))
    tale.cast.groups.add(Group(group_id="ring", members=members, newcomers=Newcomers.TOLD))
    tale.episodes.put(no=1, text=f"[[known-by: @ring]] {first} {second}")
    tale.episodes.put(no=2, text=f"[[known-by: public]] {third}")
    tale.sync()
    assert hit_of(with_group, first, "ann", at=3).around == f"{first} {second}"
    copy = hit_of(with_group, first, "ben", at=3)
    assert (copy.episode_no, copy.around) == (2, None)
    assert hit_of(with_group, third, "ben", at=3).around == third


def test_a_branch_reads_around_in_its_parent_and_in_its_own_episodes(told: Made) -> None:
    first, second, third = RAIN["en"]
    store = told("en", public(f"{first} {second}"))
    store.story("s").branches.add("if", after=1)
    store.story("if").episodes.put(no=2, text=public(f"{third} {ASKED['en'][1]}"))
    store.sync()
    found = fact_hits(store.recall(third, story="if", persona="ben", at=3, top_k=9).hits)
    assert {hit.text: hit.around for hit in found} == {
        first: f"{first} {second}",
        second: f"{first} {second}",
        third: f"{third} {ASKED['en'][1]}",
        ASKED["en"][1]: f"{third} {ASKED['en'][1]}",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_around_follows_an_edit_and_the_authors_own_paragraphs(told: Made, language: Language) -> None:
    first, second, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}"))
    assert around(store, first) == f"{first}{between}{second}"
    store.story("s").episodes.put(no=1, text=public(first, f"{second}{between}{third}"))
    store.sync()
    assert around(store, first) == first
    assert around(store, second) == f"{second}{between}{third}"


def test_json_has_around_of_what_was_ranked_and_known_has_none(told: Made) -> None:
    first, second, _ = RAIN["en"]
    store = told("en", public(f"{first} {second}"))
    found = store.recall(first, story="s", persona="ben", at=2)
    (shown, *_) = recollection_json(found)["hits"]
    assert shown.get("around") == f"{first} {second}"
    assert list(shown)[4:6] == ["text", "around"]
    everything = store.known(story="s", persona="ben", at=2)
    assert all(hit.around is None for hit in fact_hits(everything.hits))
    assert "around" not in recollection_json(everything, ranked=False)["hits"][0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_context_each_sentence_stands_once(told: Made, language: Language) -> None:
    first, second, third = RAIN[language]
    asked, looked, answer = ASKED[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}", third, asked, f"{looked}{between}{answer}"))
    made = store.context(second, story="s", persona="ben", at=2, planner="none", min_relevance=0.0)
    shown = "\n".join(item.text for item in made.items)
    for sentence in (first, second, third, asked, looked, answer):
        assert made.text.replace(made.question, "", 1).count(sentence) + (sentence == made.question) >= 1
        assert shown.count(sentence) == 1
    assert f"{first}{between}{second}" in shown
    handles = {item.handle for item in made.items}
    left = {one.handle: (one.why, one.detail.split()[-1]) for one in made.dropped}
    assert len(handles) + len(left) == made.hits == 6
    assert {why for why, _ in left.values()} == {kataribe.DropReason.DUPLICATE}
    assert {within for _, within in left.values()} <= handles
    said = store.answer(second, story="s", persona="ben", at=2, planner="none", min_relevance=0.0)
    assert all(said.text.count(sentence) == 1 for sentence in (first, second, third, asked, looked, answer))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_just_said_is_not_said_again_around_a_memory(told: Made, language: Language) -> None:
    first, second, third = RAIN[language]
    between = BETWEEN[language]
    store = told(language, public(f"{first}{between}{second}{between}{third}"))
    made = store.context(
        third, story="s", persona="ben", at=2, recent=[second], planner="none", min_relevance=0.0
    )
    assert [item.text for item in made.items] == [f"{first}{between}{third}"]


def test_an_agent_is_handed_each_sentence_around_one_hit_alone(told: Made) -> None:
    first, second, third = RAIN["en"]
    store = told("en", public(f"{first} {second}", third))
    tool = store.viewer(story="s", persona="ben", at=2).recall_tool()
    rows = {row["text"]: row.get("around") for row in tool(query=first)}
    assert rows == {first: f"{first} {second}", second: None, third: None}
