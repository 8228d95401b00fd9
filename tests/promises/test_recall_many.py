"""Several viewers in one read view: each is given what it would be given alone, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import kataribe
from kataribe import Kataribe, Turn, Viewer, known_by
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.engine.recall import RecallVerbs
from kataribe.formats.wire.recall import recollection_json
from support.stores import services, sql_ledger
from support.talk import FakePlanner, FakeReranker

BEGUN = datetime(2024, 5, 1, 9, tzinfo=UTC)
TEXTS = {
    "en": """\
[[known-by: public]] The mill stands by the river.

[[known-by: ann]] Ann hid the key in the mill.""",
    "ja": """\
[[known-by: public]] 水車小屋は川のそばに立つ。

[[known-by: ben]] ベンは水車小屋の鍵を持っている。""",
}
SAID = {"en": "The key of the mill is with me.", "ja": "水車小屋の鍵は私が持っている。"}
QUESTIONS = ("Where is the key of the mill?", "水車小屋の鍵はどこ？", "hello")


class CountingEmbedder:
    """The embedder it wraps, and every question it was asked to embed."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.asked = inner, list[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def embed_query(self, text: str) -> Any:
        """Embed a question."""
        self.asked.append(text)
        return await self.inner.embed_query(text)


HASH = CountingEmbedder(services().embedder("hash"))
PLANNER, RERANKER = FakePlanner(SearchPlan(terms=("mill",), made_by="fake")), FakeReranker()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kataribe]:
    made_by = replace(
        services(), embedder=lambda _: HASH, planner=lambda _: PLANNER, reranker=lambda _: RERANKER
    )
    path: Path = tmp_path_factory.mktemp("many") / "k.db"
    with kataribe.open(str(path), services=made_by) as opened:
        for language in ("en", "ja"):
            opened.story(language).create(language=language, embedder="hash")
            opened.user(f"u-{language}").create(language=language, embedder="hash")
            for no in (1, 2):
                opened.story(language).episodes.put(no=no, text=TEXTS[language] + f" {no}")
            for place, at in (("out", None), ("in", 2)):
                held: Any = {} if at is None else {"story": language, "at": at}
                turn = Turn(
                    turn_id=f"{place}-1",
                    session=place,
                    speaker="Ann",
                    text=SAID[language],
                    time=BEGUN,
                    audience=known_by("ann"),
                )
                opened.user(f"u-{language}").put_turns([turn], **held)
        opened.sync()
        yield opened


languages = st.sampled_from(("en", "ja"))
moments = st.sampled_from((BEGUN - timedelta(days=1), BEGUN, BEGUN + timedelta(days=1)))
names = st.sampled_from(("ann", "ben", "stranger"))


def of_story(language: str, name: str, at: int) -> ViewerKeys:
    return {"story": language, "persona": name, "at": at}


def of_user(language: str, name: str | None, moment: datetime) -> ViewerKeys:
    return {"user": f"u-{language}", "persona": name, "as_of": moment}


def mixed(story: ViewerKeys, user: ViewerKeys) -> ViewerKeys:
    return {**story, "user": user["user"], "as_of": user["as_of"]}


stories = st.builds(of_story, languages, names, st.integers(1, 4))
users = st.builds(of_user, languages, st.one_of(st.none(), names), moments)
viewers = st.one_of(stories, users, st.builds(mixed, stories, users))
options = st.fixed_dictionaries(
    {"top_k": st.integers(1, 12), "explain": st.booleans()},
    optional={
        "planner": st.sampled_from(("none", "rules", "fake")),
        "reranker": st.just("fake"),
        "min_similarity": st.sampled_from((0.0, 0.3)),
        "where": st.just({"importance": {"$gte": 3}}),
        "intent": st.just("recent"),
        "recent": st.just((SAID["en"], SAID["ja"])),
    },
)


def words(found: object) -> str:
    return json.dumps(found, ensure_ascii=False)


@given(pairs=st.lists(st.tuples(st.sampled_from(QUESTIONS), viewers), max_size=6), how=options)
def test_each_answer_is_that_of_recall_byte_for_byte(
    store: Kataribe, pairs: Sequence[tuple[str, ViewerKeys]], how: dict[str, Any]
) -> None:
    """Stories, users and viewers of both, in one call: P1 and P2 are those of `recall`."""
    if how.get("intent"):
        how["intent"] = next(iter(kataribe.Intent)).value
    alone = [store.recall(question, **viewer, **how) for question, viewer in pairs]
    together = store.recall_many(pairs, **how)
    assert list(together) == alone
    assert [words(recollection_json(one)) for one in together] == [
        words(recollection_json(one)) for one in alone
    ]
    if len({question for question, _ in pairs}) == 1:
        again = store.recall_many(pairs[0][0], [viewer for _, viewer in pairs], **how)
        assert again == together


@pytest.mark.parametrize("question", QUESTIONS[:2])
def test_a_question_is_embedded_and_planned_once(store: Kataribe, question: str) -> None:
    asked = [of_story(language, name, at) for language in TEXTS for name in ("ann", "ben") for at in (2, 3)]
    # Nobody has asked it like this before.
    question = f"{question} 1"
    HASH.asked.clear()
    PLANNER.asked.clear()
    found = store.recall_many(question, asked, planner="fake")
    assert len(found) == 8
    assert all(one.hits for one in found)
    assert HASH.asked == [question]
    # Who asks the same again is given what was kept of it.
    again = store.recall_many(question, asked[:1], planner="none")
    assert HASH.asked == [question]
    assert again[0].hits
    assert sorted(language for _, language, _ in PLANNER.asked) == ["en", "ja"]


def test_a_write_between_two_viewers_is_seen_by_all_or_none(
    store: Kataribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One view: what is written while the second is searched for is in no answer."""
    real, answered = RecallVerbs._answer, list[Viewer]()

    def writes_first(view: Any, *, viewer: Viewer, asked: Any) -> Any:
        if len(answered) == 1:
            with kataribe.open(store_path(store), services=services()) as other:
                other.story("en").episodes.delete(no=1)
        answered.append(viewer)
        return real(view, viewer=viewer, asked=asked)

    monkeypatch.setattr(RecallVerbs, "_answer", staticmethod(writes_first))
    first, second = store.recall_many(QUESTIONS[0], [of_story("en", "ann", 2)] * 2)
    assert first == second
    assert first.hits
    monkeypatch.undo()
    assert store.recall(QUESTIONS[0], **of_story("en", "ann", 2)).hits == ()
    store.story("en").episodes.restore(no=1)


def store_path(store: Kataribe) -> str:
    return str(sql_ledger(store).path)


def test_one_viewer_that_is_refused_leaves_no_answer(store: Kataribe) -> None:
    good = of_story("en", "ann", 2)
    traces = len(store.admin.traces(story="en", last=1000))
    wrong: tuple[tuple[Any, type[Exception], str], ...] = (
        ({"story": "nobody's", "persona": "ann", "at": 2}, kataribe.NotFoundError, "nobody's"),
        ({"story": "en", "persona": "ann"}, kataribe.InputError, "at is missing"),
        ({"story": "en", "persna": "ann", "at": 2}, kataribe.InputError, "did you mean persona"),
        ({}, kataribe.InputError, "story, persona, at"),
    )
    for bad, error, said in wrong:
        with pytest.raises(error, match=said):
            store.recall_many("Where?", [good, bad])
    for nothing in (("", [good]), ("Where?", None), ([("Where?", good)], [good])):
        with pytest.raises(kataribe.InputError):
            store.recall_many(*nothing)
    with pytest.raises(kataribe.InputError, match="top_k"):
        store.recall_many("Where?", [good], top_k=0)
    assert len(store.admin.traces(story="en", last=1000)) == traces


def test_each_viewer_leaves_the_trace_of_a_recall(store: Kataribe) -> None:
    before = len(store.admin.traces(story="ja", last=1000))
    asked = [of_story("ja", name, 3) for name in ("ann", "ben")]
    found = store.recall_many(QUESTIONS[1], [asked[0], Viewer(story="ja", persona="ben", at=3)])
    traces = store.admin.traces(story="ja", last=1000)
    assert len(traces) == before + 2
    assert [(one.verb, one.character) for one in traces[:2]] == [("recall", "ben"), ("recall", "ann")]
    assert found[1] == store.recall(QUESTIONS[1], **asked[1])
    assert store.recall_many(QUESTIONS[1], []) == ()
    assert store.recall_many([]) == ()
