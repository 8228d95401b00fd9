"""Logs, errors, spans, dead letters and the audit record carry ids: no word of a user is in any of them.

Words are planted wherever a user's words go, in both scripts; then everything that can fail does, and
everything that was logged, raised, watched and written down is searched for them.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai.models import override_allow_model_requests

import kataribe
from kataribe.adapters.otel import OtelTelemetry
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.planning import Answered, Passage, SearchPlan
from kataribe.domain.terms import Audience, Language
from kataribe.domain.work import WorkPolicy
from kataribe.engine import Services
from kataribe.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    ExtractionError,
    FilterError,
    KataribeError,
    ModelError,
    withheld,
)
from kataribe.face.aio.kataribe import AsyncKataribe
from kataribe.face.sync.kataribe import Kataribe
from kataribe.surfaces.cli.app import run
from kataribe.testing.fakes import CountingEmbedder, FrozenClock
from kataribe.wiring.services import default_services
from support.model_server import Handler, ModelServer, completion, model_server
from support.noting import ScriptedSummarizer
from support.stores import empty_store
from support.stores import services as usual
from support.talk import DAY_ONE

LATER = DAY_ONE + timedelta(days=3)
PERSONA, USER = "rin", "u-1"


@dataclass(frozen=True)
class Planted:
    """What stands nowhere else, for each place that a user's words go to."""

    language: Language
    turn: str
    caption: str
    speaker: str
    session: str
    value: str
    question: str
    where: str
    answer: str

    @property
    def words(self) -> tuple[str, ...]:
        """Each word that is to be found nowhere."""
        every = " ".join(getattr(self, one.name) for one in fields(self) if one.name != "language")
        return tuple(every.replace("。", "").split())


EN = Planted(
    "en",
    turn="Bumbershoot kerfuffle gobbledygook.",
    caption="flibbertigibbet snollygoster",
    speaker="Quibblewick",
    session="widdershins",
    value="lollygagger",
    question="collywobbles taradiddle cattywampus",
    where="skedaddler",
    answer="brouhaha",
)
JA = Planted(
    "ja",
    turn="虹色傘 空騒動。",
    caption="銀狐写真 夜鳴鶯",
    speaker="雪之丞",
    session="極秘旅行",
    value="甘党宣言",
    question="腹鼓囃子 大法螺貝 斜交道",
    where="雲隠才蔵",
    answer="大騒動劇",
)


class Loud:
    """Everything that can be asked, and quotes all it is given when it fails."""

    planner_id = judge_id = answerer_id = reranker_id = "loud-1"

    def __init__(self, planted: Planted) -> None:
        self._planted = planted

    def _fail(self, *given: object) -> ModelError:
        try:
            raise ValueError(f"{given!r} {self._planted.answer}")
        except ValueError as error:
            made = ModelError(f"cannot stand {given!r}")
            made.__cause__ = error
            return made

    async def plan(self, question: str, *, language: Language, recent: Sequence[str] = ()) -> SearchPlan:
        raise self._fail(question, recent)

    async def keep(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        raise self._fail(question, passages)

    async def rerank(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        raise self._fail(question, texts)

    async def answer(self, question: str, **given: Any) -> Answered:
        raise self._fail(question, given)

    async def reply(self, text: str, **given: Any) -> Answered:
        raise self._fail(text, given)


class LoudEmbedder(CountingEmbedder):
    """Embeds until it is told to fail; says of what."""

    fails: type[EmbedderError] | None = None

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        self._check(texts)
        return await super().embed_documents(texts)

    async def embed_query(self, text: str) -> Any:
        self._check([text])
        return await super().embed_query(text)

    def _check(self, texts: Sequence[str]) -> None:
        if self.fails is not None:
            raise self.fails(f"no vector for {list(texts)!r}") from ValueError(texts)


class Scene:
    """A store with planted words, and what came out of it."""

    def __init__(self, folder: Path, planted: Planted, **more: Any) -> None:
        self.planted = planted
        self.folder = folder
        self.path = empty_store(folder / "k.db")
        self.spans = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.spans))
        self.embedder = LoudEmbedder(usual().embedder("hash"))
        loud = Loud(planted)
        self.summarizer = ScriptedSummarizer()
        self.services: Services = replace(
            usual(),
            embedder=lambda _: self.embedder,
            planner=lambda name: loud if name == "loud" else usual().planner(name),
            judge=lambda _: loud,
            reranker=lambda _: loud,
            answerer=lambda _: loud,
            summarizer=lambda _: self.summarizer,
            clock=FrozenClock(LATER),
            policy=WorkPolicy(backoff_seconds=0),
            telemetry=OtelTelemetry(provider=provider),
            **more,
        )
        self.said: list[str] = []

    def opened(self) -> Kataribe:
        return kataribe.open(str(self.path), services=self.services)

    def begin(self, store: Kataribe, model: str | None = None) -> None:
        user = store.user(USER)
        user.create(language=self.planted.language, embedder="hash", model=model)
        user.put_turns([self.turn("t1")])

    def turn(self, turn_id: str, **more: Any) -> Turn:
        told = {"text": self.planted.turn, "caption": self.planted.caption, **more}
        return Turn(
            turn_id=turn_id,
            session=self.planted.session,
            speaker=self.planted.speaker,
            time=DAY_ONE,
            audience=Audience(members=frozenset({PERSONA})),
            **told,
        )

    def refused(self, act: Callable[[], object], kind: type[BaseException] = KataribeError) -> str:
        """Do what is refused; what is told of it goes to what is searched."""
        with pytest.raises(kind) as caught:
            act()
        told = all_of(caught.value)
        self.said.append(told)
        return told

    def told(self, *said: object) -> None:
        self.said += [str(one) for one in said]

    def written(self) -> str:
        """Give the rows of the store that are no user's words: work, records, traces."""
        with closing(sqlite3.connect(self.path)) as connection:
            tables = ("work", "audit", "traces")
            return repr([connection.execute(f"SELECT * FROM {one}").fetchall() for one in tables])

    def watched(self) -> str:
        return repr([one.to_json() for one in self.spans.get_finished_spans()])


def all_of(error: BaseException) -> str:
    """Give all that anybody could print of an error: its chain, its parts, its notes."""
    told, seen = ["".join(traceback.format_exception(error))], set()
    one: BaseException | None = error
    waiting = [one]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        told += [str(one), repr(one), repr(one.args), repr(vars(one))]
        waiting += [one.__cause__, one.__context__]
    return "\n".join(told)


def spellings(word: str) -> tuple[str, ...]:
    return word, word.casefold(), json.dumps(word).strip('"'), word.encode("unicode_escape").decode()


@pytest.fixture(params=[EN, JA], ids=["en", "ja"])
def scene(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Scene]:
    """Give a scene; afterwards nothing that came out of it may hold a planted word."""
    caplog.set_level(logging.DEBUG)
    made = Scene(tmp_path, request.param)
    yield made
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert any(one.name == "asyncio" for one in records), "what is logged is seen"
    logs = "\n".join(f"{one.name} {one.getMessage()} {one.exc_text} {one.args!r}" for one in records)
    ran = capfd.readouterr()
    places = {
        "errors": "\n".join(made.said),
        "logs": logs,
        "standard output": ran.out,
        "standard error": ran.err,
        "spans": made.watched(),
        "rows": made.written(),
    }
    for place, text in places.items():
        clear = text.casefold()
        found = [word for word in made.planted.words for said in spellings(word) if said.casefold() in clear]
        assert not found, (place, found)


# -- what is asked of a user's words ----------------------------------------------------------


def test_an_embedder_that_quotes_what_it_cannot_embed(scene: Scene) -> None:
    scene.embedder.fails = EmbedderError
    with scene.opened() as store:
        scene.begin(store)
        said = store.user(USER).said(scene.planted.turn, speaker=scene.planted.speaker, persona=PERSONA)
        assert said.pending is not None
        report = store.user(USER).sync()
        scene.told(said.pending, report, store.admin.work(user=USER))
        assert "EmbedderError" in str(store.admin.work(user=USER))
        scene.embedder.fails = EmbedderUnavailableError
        scene.told(store.user(USER).sync(), store.sync())
        why = scene.refused(lambda: store.recall(scene.planted.question, user=USER, persona=PERSONA))
        assert "EmbedderUnavailableError" in why
        scene.refused(lambda: store.admin.reembed(embedder="other", user=USER))
        scene.told(store.user(USER).verify().problems)


def test_parts_that_quote_what_they_were_asked(scene: Scene) -> None:
    asked: dict[str, Any] = {"user": USER, "persona": PERSONA}
    with scene.opened() as store:
        scene.begin(store)
        store.user(USER).sync()
        question = scene.planted.turn
        scene.refused(lambda: store.recall(question, **asked, reranker="loud"), ModelError)
        told = store.context(question, **asked, judge="loud")
        assert any("judged nothing" in note for note in told.notes)
        scene.told(told.notes)
        scene.refused(lambda: store.context(question, **asked, planner="loud"), ModelError)
        scene.refused(lambda: store.answer(question, **asked, model="loud"), ModelError)
        chat = store.user(USER).chat(persona=PERSONA)
        scene.refused(lambda: chat.reply(question, model="loud"), ModelError)
        scene.refused(lambda: chat.off_the_record().reply(question, model="loud"), ModelError)


def test_what_does_not_fit_a_context_is_not_logged_by_its_words(scene: Scene) -> None:
    with scene.opened() as store:
        scene.begin(store)
        store.user(USER).sync()
        recent = [scene.planted.question * 40]
        made = store.context(
            scene.planted.question, user=USER, persona=PERSONA, recent=recent, budgets={"recent": 1}
        )
        assert made.dropped


def test_a_summarizer_that_quotes_a_conversation(scene: Scene) -> None:
    with scene.opened() as store:
        scene.begin(store, model="openai:scripted")
        for down in (
            ExtractionError(f"cannot sum up {scene.planted.turn}"),
            ModelError(f"cannot be asked: {withheld(scene.planted.turn)}"),
        ):
            scene.summarizer.down = down
            for _ in range(9):
                scene.told(store.user(USER).sync())
        dead = store.admin.work(user=USER)
        assert any(one.error for one in dead)
        scene.told(dead)


# -- servers ----------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with override_allow_model_requests(True), model_server(lambda _: []) as made:
        yield made


def repeats(status: int) -> Callable[[Handler, Any], None]:
    """Answer with an error that repeats all that was sent."""

    def step(handler: Handler, body: Any) -> None:
        told = {"error": {"message": f"refused: {json.dumps(body, ensure_ascii=False)}", "type": "bad"}}
        handler.say(status, json.dumps(told, ensure_ascii=False).encode())

    return step


def babbles(planted: Planted) -> Callable[[Handler, Any], None]:
    """Answer in a shape that nobody asked for, with words in it."""
    told = json.dumps({"wrong": planted.answer, "scores": planted.answer}, ensure_ascii=False)
    return lambda handler, _: handler.say(200, completion(told))


@pytest.mark.parametrize("status", [400, 401, 0])
def test_a_server_that_repeats_what_it_was_sent(scene: Scene, server: ModelServer, status: int) -> None:
    settings = kataribe.Settings(
        path=str(scene.path), base_url=server.url, keys={"OPENAI_API_KEY": "sk-none"}, model_seconds=5
    )
    made = default_services(settings=settings)
    asked: dict[str, Any] = {"user": USER, "persona": PERSONA}
    scene.services = replace(
        scene.services,
        planner=made.planner,
        judge=made.judge,
        reranker=made.reranker,
        answerer=made.answerer,
        summarizer=made.summarizer,
    )
    server.steps = [repeats(status) if status else babbles(scene.planted)] * 99
    with scene.opened() as store:
        scene.begin(store, model="openai:stub")
        scene.told(store.user(USER).sync())
        scene.told(store.admin.work(user=USER))
        question = scene.planted.turn
        told = scene.refused(lambda: store.recall(question, **asked, reranker="openai:stub"), ModelError)
        assert "openai:stub" in told
        assert not status or str(status) in told, "what it answered with is told, and not what it said"
        scene.refused(lambda: store.answer(question, **asked, model="openai:stub"), ModelError)
        noted = store.context(question, **asked, judge="openai:stub", planner="openai:stub")
        scene.told(noted.notes, noted.plan and noted.plan.note)
    assert server.calls > 3


@pytest.mark.parametrize("status", [400, 401, 0])
def test_a_server_of_vectors_that_repeats_what_it_was_sent(
    scene: Scene, server: ModelServer, status: int
) -> None:
    settings = kataribe.Settings(
        path=str(scene.path), base_url=server.url, keys={"OPENAI_API_KEY": "sk-none"}, model_seconds=5
    )
    server.steps = [repeats(status) if status else babbles(scene.planted)] * 99
    with scene.opened() as store:
        scene.begin(store)
        store.user(USER).sync()
        remote = replace(scene.services, embedder=default_services(settings=settings).embedder)
    with kataribe.open(str(scene.path), services=remote) as store:
        scene.refused(lambda: store.admin.reembed(embedder="openai:stub", user=USER), EmbedderError)
    assert server.calls


# -- the store --------------------------------------------------------------------------------


def test_a_store_that_another_process_holds(scene: Scene) -> None:
    with scene.opened() as store:
        scene.begin(store)
    settings = replace(usual(), clock=FrozenClock(LATER))
    with (
        closing(sqlite3.connect(scene.path, isolation_level=None)) as other,
        kataribe.open(
            settings=kataribe.Settings(path=str(scene.path), busy_seconds=0), services=settings
        ) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        scene.refused(
            lambda: store.user(USER).said(scene.planted.turn, speaker=scene.planted.speaker),
            kataribe.StoreBusyError,
        )
        other.execute("ROLLBACK")


@pytest.mark.parametrize("column", ["held_by", "time", "text", "extra"])
def test_a_row_that_cannot_be_read(scene: Scene, column: str) -> None:
    with scene.opened() as store:
        scene.begin(store)
        store.user(USER).sync()
    with closing(sqlite3.connect(scene.path)) as connection, connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(turns)")}
        if column not in columns:
            pytest.fail(f"turns have no {column}: {sorted(columns)}")
        broken = scene.planted.turn.encode() + b"\xff"
        connection.execute(f"UPDATE turns SET {column} = CAST(? AS TEXT)", (broken,))
    with scene.opened() as store:
        for act in (store.user(USER).turns, store.user(USER).sync, store.sync):
            try:
                act()
            except KataribeError as error:
                scene.told(all_of(error))
        scene.told(store.verify().problems)


def test_a_key_that_is_another(scene: Scene, tmp_path: Path) -> None:
    with scene.opened() as store:
        scene.begin(store)
        place = Path(store.admin.keys.status().place)
    other = tmp_path / "other"
    other.mkdir()
    second = Scene(other, scene.planted)
    with second.opened() as store:
        second.begin(store)
        shutil.copyfile(store.admin.keys.status().place, place)
    with scene.opened() as store:
        words = scene.planted
        scene.refused(lambda: store.user(USER).said(words.turn, speaker=words.speaker, session=words.session))
        scene.refused(lambda: store.user(USER).profile.set("nickname", words.value, by_hand=True))


# -- what was handed in -----------------------------------------------------------------------


def test_what_is_handed_in_is_not_repeated_at_length(scene: Scene) -> None:
    words = scene.planted
    asked: dict[str, Any] = {"user": USER, "persona": PERSONA}
    with scene.opened() as store:
        scene.begin(store)
        half = words.turn + "\ud800"
        scene.refused(lambda: store.user(USER).said(half, speaker=words.speaker, persona=PERSONA))
        scene.refused(lambda: store.recall(half, **asked))
        scene.refused(lambda: store.recall(words.question, **asked, top_k=0))
        filters: list[dict[str, Any]] = [
            {"session": {"$regex": words.where}},
            {"session": {"$in": words.where}},
            {"session": {"$exists": words.where}},
            {"$and": words.where},
        ]
        for wrong in filters:
            scene.refused(partial(store.recall, words.question, **asked, where=wrong), FilterError)
        scene.refused(lambda: store.recall(words.question, **asked, where={"session": half}))
        scene.refused(lambda: store.recall(words.question, **asked, where={"session": [words.where]}))
        scene.refused(lambda: store.user(USER).memory.about("。"))
        profile = store.user(USER).profile
        scene.refused(lambda: profile.set("nickname", words.value, evidence="t1"))
        scene.refused(lambda: profile.set("nickname", object(), by_hand=True))
        scene.refused(lambda: profile.set("", words.value, by_hand=True))


def test_a_line_that_cannot_be_imported(scene: Scene, tmp_path: Path) -> None:
    words = scene.planted
    with scene.opened() as store:
        scene.begin(store)
    file = tmp_path / "log.jsonl"
    good = {"id": "a1", "speaker": words.speaker, "text": words.turn, "time": "2026-01-01T00:00:00Z"}
    for broken in (
        {**good, "text": 5, "speaker": words.speaker},
        {**good, "time": "yesterday"},
        {**good, "speaker": ""},
        {**good, "text": words.turn, "arousal": "much"},
    ):
        lines = json.dumps(good, ensure_ascii=False) + "\n" + json.dumps(broken, ensure_ascii=False) + "\n"
        file.write_text(lines, encoding="utf-8")
        assert run(["--db", str(scene.path), "log", "import", str(file), "--user", "u2"]) != 0
    file.write_text(f'{{"id": "a1", "text": "{words.turn}', encoding="utf-8")
    assert run(["--db", str(scene.path), "log", "import", str(file), "--user", "u2"]) != 0


# -- what is ours, what is not, and the switch ------------------------------------------------


@pytest.mark.parametrize("words", [EN.turn, JA.turn])
def test_a_switch_lets_the_words_out_by_name(tmp_path: Path, words: str) -> None:
    scene = Scene(tmp_path, EN)
    scene.services = replace(scene.services, telemetry=OtelTelemetry(tells_texts=True))
    with scene.opened() as store:
        scene.begin(store)
        store.user(USER).sync()
        with pytest.raises(ModelError) as caught:
            store.recall(words, user=USER, persona=PERSONA, reranker="loud")
        assert words in str(caught.value)
        assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("words", [EN.turn, JA.turn])
def test_what_is_about_a_story_alone_is_told_whole(tmp_path: Path, words: str) -> None:
    scene = Scene(tmp_path, EN)
    with scene.opened() as store:
        store.story("s").create(language="en", embedder="hash", audience="wide")
        store.story("s").episodes.put(no=1, text=words)
        store.story("s").sync()
        with pytest.raises(ModelError) as caught:
            store.recall(words, story="s", persona=PERSONA, at=2, reranker="loud")
        assert words in str(caught.value)


def ours(message: str, kind: type[KataribeError] = ModelError) -> KataribeError:
    """Make an error as a module of ours does."""
    code = (lambda kind, message: kind(message)).__code__
    made: KataribeError = FunctionType(code, {"__name__": "kataribe.adapters.some"})(kind, message)
    return made


def test_a_hushed_error_says_by_what_it_was_caused_and_where() -> None:
    def stops() -> None:
        try:
            int(EN.turn)
        except ValueError as error:
            raise ours(f"the model stopped: {withheld(error, 'ValueError')}; try again") from error

    with pytest.raises(ModelError, match="the model stopped") as caught:
        stops()
    error = caught.value
    assert EN.turn in str(error)
    error.hush()
    error.hush()
    assert str(error) == error.in_shell == "the model stopped: ValueError; try again"
    assert (error.__cause__, error.__context__) == (None, None)
    (note,) = error.__notes__
    assert note.startswith(f"caused by builtins.ValueError in {__name__}, line ")
    assert EN.turn not in all_of(error)


def test_what_an_error_quotes_of_another_is_known_to_be_quoted() -> None:
    first = ours(f"no answer: {withheld(JA.turn)}", ExtractionError)
    again = ours(f"{first.retold}; try again")
    assert (str(again), again.wordless) == (f"no answer: {JA.turn}; try again", "no answer: ...; try again")
    strange = ours(f"{ModelError(EN.turn).retold}; try again")
    assert str(strange) == f"{EN.turn}; try again"
    assert strange.wordless.startswith(f"ModelError of {__name__} (")
    long = ours(f"{withheld(EN.turn * 999)}; try again")
    assert len(str(long)) < 2100
    assert long.wordless == "...; try again"


def test_a_command_that_breaks_says_where_and_not_what(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError(scene.planted.turn)

    with scene.opened() as store:
        scene.begin(store)
    monkeypatch.setattr(AsyncKataribe, "recall", breaks)
    assert run(["--db", str(scene.path), "recall", "it", "--user", USER, "--as", PERSONA]) == 70
    told = capfd.readouterr().err
    assert "kataribe broke: builtins.RuntimeError" in told
    assert "in breaks" in told
    scene.told(told)
    monkeypatch.setenv("KATARIBE_TRACE_TEXT", "1")
    with pytest.raises(RuntimeError):
        run(["--db", str(scene.path), "recall", "it", "--user", USER, "--as", PERSONA])


def test_no_value_prints_a_secret_that_it_holds(tmp_path: Path) -> None:
    settings = kataribe.Settings(
        path="postgresql://me:planted-1@host/x",
        index="qdrant://me:planted-2@host/x",
        base_url="https://me:planted-3@host/v1",
        archive="s3://me:planted-6@bucket/x",
        keys={"OPENAI_API_KEY": "planted-4"},
        kek={"KATARIBE_KEK": "planted-5"},
    )
    assert "planted" not in repr(settings)
    assert "planted" not in str(settings)
    assert "host/x" in repr(settings)
