"""No personal datum reaches a prompt, an embedder, an index, a trace, a span, a log or an export."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.planning import SearchPlan
from kataribe.domain.terms import Language, known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports.telemetry import Attribute
from kataribe.testing.fakes import CountingEmbedder
from support.answering import FakeAnswerer, FakeJudge, FakePlanner, with_fakes
from support.effort import EFFORT
from support.stores import empty_store, services

PLANTED: dict[Language, dict[str, str]] = {
    "en": {
        "My mail is {}, write there.": "ann.lee@example.com",
        "Call me at {} tonight.": "415-555-2671",
        "The card is {}.": "4111 1111 1111 1111",
        "My password is {}": "hunter2!Xq9z",
        "I was born on {}.": "12 March 1987",
    },
    "ja": {
        "メールは{}です。": "ann.lee@example.com",
        "電話は{}です。": "０９０－１２３４－５６７８",
        "カードは{}です。": "4111-1111-1111-1111",
        "住所は{}です。": "東京都千代田区丸の内1-9-1",
        "生年月日は{}です。": "1987年3月12日",
    },
}
PLAIN: dict[Language, tuple[str, ...]] = {
    "en": ("I like the harbour in spring.", "Where did we meet?"),
    "ja": ("春の港が好きです。", "どこで会いましたか？"),
}
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Watcher:
    """A telemetry that is told every text, and keeps it."""

    is_on: bool = True
    tells_texts: bool = True
    noted: list[str] = field(default_factory=list)

    @contextmanager
    def span(self, name: str) -> Iterator[Watcher]:
        self.noted.append(name)
        yield self

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        self.noted.append(str(dict(attributes)))


@dataclass
class Outside:
    """A store, and everything that something outside it was told."""

    k: Kataribe
    path: Path
    embedder: CountingEmbedder
    planner: FakePlanner
    judge: FakeJudge
    answerer: FakeAnswerer
    watcher: Watcher

    def told(self) -> str:
        given = [self.embedder.documents, self.embedder.queries, self.planner.asked, self.judge.asked]
        return "\n".join(map(str, [*given, self.answerer.asked, self.watcher.noted]))

    def files(self) -> bytes:
        return b"".join(one.read_bytes() for one in sorted(self.path.parent.iterdir()))


@contextmanager
def outside() -> Iterator[Outside]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "db").mkdir()
        path = empty_store(Path(folder) / "db" / "k.db")
        embedder = CountingEmbedder(services().embedder("hash"))
        planner, judge, answerer = FakePlanner(SearchPlan()), FakeJudge(), FakeAnswerer()
        watcher = Watcher()
        parts = with_fakes(services(), planner=planner, judge=judge, answerer=answerer)
        parts = replace(parts, embedder=lambda _: embedder, telemetry=watcher)
        with kataribe.open(str(path), services=parts) as k:
            yield Outside(k, path, embedder, planner, judge, answerer, watcher)


def say(k: Kataribe, language: Language, how: int, at: int, text: str) -> None:
    """Store a text by one of the ways in."""
    user, time = k.user("u"), BEGIN + timedelta(hours=at)
    if how == 0:
        user.said(text, speaker="u", persona="himuro", time=time)
    elif how == 1:
        user.remember([{"role": "user", "content": text}], persona="himuro")
    else:
        turn = Turn(
            turn_id=f"t{at}",
            session="s",
            speaker="u",
            text=PLAIN[language][0],
            caption=text,
            time=time,
            audience=known_by("himuro"),
            extra={"note": text},
        )
        if how == 2:
            user.put_turns([turn])
        else:
            user.import_log([turn])


def ask(k: Kataribe, text: str, datum: str) -> None:
    """Ask for a text by every way that reads."""
    viewer = k.viewer(user="u", persona="himuro")
    viewer.recall(text, planner="fake", explain=True)
    viewer.recall(text, where={"speaker": datum})
    k.recall_many(text, [{"user": "u", "persona": "himuro"}])
    viewer.known(where={"speaker": datum})
    viewer.context(text, planner="fake", judge="fake", recent=[text], persona_text=text, style=text)
    viewer.answer(text, model="fake")
    viewer.search_log([datum])
    viewer.memories()
    viewer.threads()
    viewer.buffer()
    k.user("u").memory.pairs("himuro")


lives = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()), min_size=1, max_size=4)


@pytest.mark.parametrize("language", ["en", "ja"])
@settings(max_examples=4 * EFFORT, deadline=None)
@given(life=lives)
def test_no_personal_datum_is_told_to_anybody_outside(
    language: Language, life: list[tuple[int, int, bool]]
) -> None:
    lines = list(PLANTED[language].items())
    with outside() as one:
        one.k.user("u").create(language=language, embedder="hash")
        planted = set()
        for at, (how, which, is_asked) in enumerate(life):
            line, datum = lines[which]
            planted.add(datum)
            say(one.k, language, how, at, line.format(datum))
            one.k.user("u").said("ok", speaker="himuro", persona="himuro", time=BEGIN + timedelta(hours=at))
            if is_asked:
                ask(one.k, line.format(datum), datum)
        one.k.user("u").memory.nightly()
        one.k.user("u").sync()
        for line, datum in lines:
            ask(one.k, line.format(datum), datum)
        pairs = str(one.k.user("u").memory.pairs("himuro"))
        told, files = one.told(), one.files()
        for datum in {*planted, *PLANTED[language].values()}:
            assert datum not in told
            assert datum not in pairs
            for form in (datum.encode(), datum.encode("utf-16-le"), datum.encode("unicode_escape")):
                assert form not in files


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_personal_datum_is_logged(language: Language, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with outside() as one:
        one.k.user("u").create(language=language, embedder="hash")
        for at, (line, datum) in enumerate(PLANTED[language].items()):
            say(one.k, language, 0, at, line.format(datum))
            ask(one.k, line.format(datum), datum)
    assert not [datum for datum in PLANTED[language].values() if datum in caplog.text]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_tools_of_an_agent_are_given_tokens_and_an_answer_has_the_words(language: Language) -> None:
    line, datum = next(iter(PLANTED[language].items()))
    with outside() as one:
        one.k.user("u").create(language=language, embedder="hash")
        say(one.k, language, 0, 0, line.format(datum))
        viewer = one.k.viewer(user="u", persona="himuro")
        assert datum not in str(viewer.recall_tool()(query=line.format(datum)))
        assert datum not in str(viewer.search_tool()(keywords=[datum]))
        assert datum not in viewer.context(line.format(datum)).text
        answer = viewer.answer(line.format(datum), model="fake")
        assert answer.text == line.format(datum)
        assert [item.text for item in answer.used] == [line.format(datum)]
