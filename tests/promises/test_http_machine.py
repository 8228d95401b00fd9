"""Whatever is asked of a server, by whom and in which order: no fault of ours, no word outside a key's gate.

Requests are made by Schemathesis out of the OpenAPI document: a route that is added is asked as well.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from kataribe.domain.recall.requests import ViewerKeys
from kataribe.testing.fakes import FrozenClock
from support import planted
from support.effort import EFFORT
from support.loopback import FREE, Listened, LoopThread
from support.planted import Held, mark

VIEWER = frozenset(ViewerKeys.__annotations__)
VIEWERS: Sequence[Mapping[str, object]] = (
    {"story": "harbour", "persona": "wren", "at": 3},
    {"story": "harbour", "persona": "澪", "at": 5},
    {"user": "nora", "persona": "akari"},
    {"story": "harbour", "reader": True, "read": 2},
)
CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OUTSIDE = frozenset({"planner", "reranker", "judge", "model", "embedder", "counter"})
"""What asks for a part that may be missing, or may fail: 502 and 503 are documented for that alone."""
KNOWN: Mapping[str, Sequence[object]] = {
    "story": ("harbour", "harbour", "none", f"other {mark('other')}"),
    "user": ("nora", "nora", "雪", "web-mia", "nobody"),
    "user_id": ("nora", "nora", "雪", "web-mia", "nobody"),
    "persona": ("wren", "akari", "akari", "odile", "kai", "澪"),
    "at": (1, 2, 3, 3, 4, 9, "now"),
    "no": (1, 2, 3, 5, 6, 9),
    "episode_no": (1, 2, 3, 9),
    "read": (1, 3, 9),
    "fact_id": ("f-one", "f-二", "f-odile", "none"),
    "turn_id": ("t-0", "t-1", "t-2", "t-3", "none"),
    "episode_id": ("ep-1", "ep-2", "none"),
    "version": ("1", "2", "x"),
    "character_id": ("wren", "odile", "澪"),
    "library": ("rules", "none"),
    "name": ("rules.txt", "none"),
    "question": (mark("odile"), mark("kai"), "Who stood there?", "誰が言った？"),
    "text": ("Who was told?", "I like the rain.", "雨が好きだ。"),
    "keywords": ([mark("kai")], ["said"], [mark("雪の話"), "言"]),
    "session": ("s-kai", "s-akari"),
    "session_id": ("s-kai", "s-akari"),
    "as_of": ("2001-02-03T04:05:06+00:00", "2030-01-01T00:00:00+09:00"),
    "model": (
        *["kataribe/akari", "kataribe/harbour@3/wren"] * 4,
        *("kataribe/kai", "kataribe/akari:plain", "kataribe/odile", "kataribe/harbour@9/wren"),
        *("kataribe/harbour@5/%E6%BE%AA", "kataribe/harbour@2", "kataribe/harbour@9", "kataribe/none@1/x"),
        *("kataribe/embedder:hash", "gpt-4o"),
    ),
    # What is said here is stored: a word of somebody else's would be the caller's own from then on.
    "messages": (
        [{"role": "user", "content": "What was said at the harbour?"}],
        [{"role": "user", "content": [{"type": "text", "text": "Who was told?"}]}],
        [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Who stood there?"},
            {"role": "assistant", "content": "Nobody."},
            {"role": "user", "content": "誰が言った？"},
        ],
    ),
    "input": ("Who was told?", "誰が言った？", ["Who stood there?", "I like the rain."]),
}
"""What stands in the stores, by the name of the option or the part of a path that says it."""


BOUND = ("viewer", "user", "front", "body")
"""Who sees a part of the store."""
STRANGERS = ("revoked", "made up", "broken", "other words", "nobody")
"""Who sees nothing."""
OWNERS = ("author", "admin")
RANDOM = re.compile(
    rb"(chatcmpl-|resp_|msg_|fc_|\"created\": ?|\"created_at\": ?|\"completed_at\": ?)[0-9a-f]+"
)
CHUNKS = 8
"""Into how many tests the operations are dealt."""


@dataclass
class World:
    """The two stores, ready to be copied, the keys of both, and what the server says of its routes."""

    folder: Path
    keys: Mapping[str, Held]
    thread: LoopThread
    told: Any = None

    @property
    def operations(self) -> list[Any]:
        """Every operation of the document."""
        return [one.ok() for one in self.told.get_all_operations()]

    @contextmanager
    def serving(self, *names: str) -> Iterator[list[Serving]]:
        """Serve copies of stores."""
        with tempfile.TemporaryDirectory() as folder, ExitStack() as held:
            found = []
            for name in names:
                found.append(Serving(self, name, Path(folder)))
                held.callback(found[-1].close)
            yield found


class Serving:
    """A copy of one of the stores that is served, and a caller of it."""

    def __init__(self, world: World, name: str, folder: Path) -> None:
        path = folder / f"{name}.db"
        shutil.copyfile(world.folder / f"{name}.db", path)
        self._clock = FrozenClock(planted.NOW)
        self._keys = world.keys
        self._session = requests.Session()
        self._session.trust_env = False
        self.server = Listened(world.thread, path, planted.frozen(self._clock), FREE)

    def request(self, who: str) -> dict[str, Any]:
        """Say how a request is sent as one caller or another; time goes on with each."""
        self._clock.advance()
        held = self._keys[who]
        head = {} if held.secret is None else {"Authorization": f"Bearer {held.secret}"}
        return {
            "base_url": self.server.url,
            "session": self._session,
            "headers": {**head, **held.head},
            "allow_redirects": False,
        }

    def close(self) -> None:
        """Stop it."""
        self._session.close()
        self.server.close()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    made = World(folder, planted.made(folder), LoopThread())
    with made.serving("share") as (one,):
        described = requests.get(f"{one.server.url}/openapi.json", timeout=60).json()
    made.told = schemathesis.openapi.from_dict(described)
    yield made
    made.thread.close()


def likely(case: Any, rng: Random, *, bound: bool) -> None:
    """Let most of what names something name what is there: else most answers are that there is nothing."""
    if rng.random() < 0.1:
        return
    for name in list(case.path_parameters or {}):
        if name in KNOWN and rng.random() < 0.85:
            case.path_parameters[name] = rng.choice(KNOWN[name])
    needed = _needed(case)
    for told in (case.body, case.query):
        if not isinstance(told, dict):
            continue
        for name in [one for one in told if one not in needed]:
            if rng.random() < (0.8 if bound and name in VIEWER else 0.5):
                # Of many options one is wrong nearly always; and a bound key need not say who it is.
                del told[name]
        for name in told.keys() & KNOWN.keys():
            if rng.random() < 0.85:
                told[name] = rng.choice(KNOWN[name])
    if not bound and isinstance(case.body, dict) and _takes(case) >= VIEWER and rng.random() < 0.7:
        for name in VIEWER & case.body.keys():
            del case.body[name]
        case.body.update(rng.choice(VIEWERS))


def _schema(case: Any) -> Mapping[str, Any]:
    """Give what a request may bring in its body."""
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    schema: Mapping[str, Any] = content.get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        found = case.operation.schema.raw_schema["components"]["schemas"]
        schema = found[schema["$ref"].rpartition("/")[2]]
    return schema


def _needed(case: Any) -> frozenset[str]:
    return frozenset(_schema(case).get("required", ()))


def _takes(case: Any) -> frozenset[str]:
    return frozenset(_schema(case).get("properties", ()))


def is_open(operation: Any) -> bool:
    """Whether a bound key may use an operation, as far as the document says."""
    told = str(operation.definition.raw.get("description", ""))
    scopes = told.partition("Scopes: ")[2].partition(".")[0].split(", ")
    return not told.startswith("Scopes: ") or not {"viewer", "user", "front"}.isdisjoint(scopes)


def names_outside(case: Any) -> bool:
    """Whether a request names a part that is asked outside, or that may not be installed here."""
    return any(isinstance(told, dict) and OUTSIDE & told.keys() for told in (case.body, case.query))


def check(case: Any, got: Any) -> None:
    """Hold an answer to the document, and to what a server may say of itself."""
    case.validate_response(got, checks=CHECKS)
    may_fail = (502, 503) if names_outside(case) else ()
    assert got.status_code < 500 or got.status_code in may_fail, (got.status_code, got.text)


def as_seen(got: Any) -> tuple[int, list[tuple[str, Any]], bytes]:
    """Give all that a caller can see of an answer, but for what is drawn anew each time: its id, and when."""
    content = got.content
    if "/v1/" in got.request.url:
        content = RANDOM.sub(rb"\1", content)
    return got.status_code, sorted(got.headers.items()), content


@st.composite
def cases(draw: st.DrawFn, operation: Any) -> Any:
    """Make a request that the document allows, or one that it does not."""
    modes = schemathesis.GenerationMode
    mode = modes.NEGATIVE if draw(st.integers(0, 5)) == 5 else modes.POSITIVE
    return draw(operation.as_strategy(generation_mode=mode))


def walked(examples: int) -> settings:
    """Settle for so many examples, the same ones each time; to prove, others and more of them."""
    return settings(
        max_examples=examples * EFFORT,
        derandomize=EFFORT == 1,
        database=None,
        deadline=None,
        # Servers are started for each example: to look for a smaller one would take hours.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_word_outside_a_keys_gate_changes_an_answer(world: World, chunk: int) -> None:
    """Two stores that differ only there are asked the same: nobody with a bound key can tell them apart."""

    @walked(1)
    @given(data=st.data(), seed=st.integers(0, 2**32))
    def asked(data: st.DataObject, seed: int) -> None:
        rng = Random(seed)
        with world.serving("whole", "share") as (whole, share):
            dealt = world.operations[chunk::CHUNKS]
            for operation in (*dealt, *[one for one in dealt for _ in range(5) if is_open(one)]):
                case = data.draw(cases(operation))
                likely(case, rng, bound=True)
                for who in (*BOUND, rng.choice(STRANGERS)):
                    got = case.call(**whole.request(who))
                    other = case.call(**share.request(who))
                    check(case, got)
                    assert as_seen(got) == as_seen(other), (who, operation.label, got.request.body)
                    assert outside(world.keys[who], got) == [], (
                        who,
                        operation.label,
                        got.request.body,
                        got.text,
                    )

    asked()


def outside(held: Held, got: Any) -> list[str]:
    """Name the places whose word stands in an answer, though its key may not see them and did not send it."""
    body = got.request.body or b""
    told = body.decode(errors="replace") if isinstance(body, bytes) else str(body)
    with suppress(ValueError):
        # What was sent with escapes may come back without.
        told += json.dumps(json.loads(told), ensure_ascii=False)
    sent = unquote(str(got.request.url)) + told
    seen = unquote(f"{got.headers}") + got.content.decode(errors="replace")
    places = [place for _, place, _ in (*planted.FACTS, *planted.TURNS)] + [*planted.NOBODYS]
    return [
        place
        for place in places
        if place not in held.marks and mark(place) in seen and mark(place) not in sent
    ]


# A quick run takes every other one: what an owner is told is nobody else's.
@pytest.mark.parametrize("chunk", range(0, CHUNKS, 2 if EFFORT == 1 else 1))
def test_whatever_an_owner_asks_is_answered_as_it_is_documented(world: World, chunk: int) -> None:
    @walked(1)
    @given(data=st.data(), seed=st.integers(0, 2**32))
    def asked(data: st.DataObject, seed: int) -> None:
        rng = Random(seed)
        with world.serving("whole") as (whole,):
            for operation in world.operations[chunk::CHUNKS] * 2:
                case = data.draw(cases(operation))
                likely(case, rng, bound=False)
                for who in OWNERS:
                    check(case, case.call(**whole.request(who)))

    asked()


def test_whatever_is_asked_one_after_the_other_is_answered_as_it_is_documented(world: World) -> None:
    """What one answer names is asked for next: made, read, changed, deleted and asked for again."""

    class Machine(world.told.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            self.held = ExitStack()
            (self.serving,) = self.held.enter_context(world.serving("whole"))
            self.rng = Random(0)

        def teardown(self) -> None:
            self.held.close()

        def before_call(self, case: Any) -> None:
            if self.rng.random() < 0.3:
                likely(case, self.rng, bound=False)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            who = self.rng.choice(BOUND + STRANGERS) if self.rng.random() < 0.2 else "admin"
            return self.serving.request(who)

        def validate_response(self, response: Any, case: Any, *given: Any, **named: Any) -> None:
            check(case, response)

    run_state_machine_as_test(Machine, settings=settings(walked(3), stateful_step_count=25))
