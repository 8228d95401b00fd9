"""Many clients of several servers on one store: readers and writers, and what became of what they wrote."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from kataribe.bench.clients import HttpAnswer, HttpClient
from kataribe.bench.sentences import Teller
from kataribe.bench.sizes import SEED
from kataribe.bench.stand_ins import services
from kataribe.face.sync.kataribe import Kataribe
from kataribe.wiring import Embedders
from kataribe.wiring import open as open_store

EMBEDDER = "hash"
"""What a server and this process find by the same name."""
_EPISODES = 20
_FACTS = 10
_STORY = "s"
_READER = "ada"
_PERSONA = "pip"
_KINDS = ("reader", "user", "reader", "reader", "user", "reader", "reader", "user", "reader", "author")
_REFUSED = (429, 503)
"""What a server may say to who asks too much: it is no fault, and nothing was acknowledged."""


@dataclass(slots=True)
class Soaked:
    """What happened: the seconds of each answer by its route, and what was acknowledged."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    took: float = 0.0
    """Seconds that the clients asked for, all in all."""
    refused: int = 0
    turns: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """By user: the ids of its turns, in the order in which they were acknowledged."""
    episodes: dict[int, str] = field(default_factory=dict)
    """By number: the last text that was acknowledged; each has one writer."""
    tried: dict[int, str] = field(default_factory=dict)
    """By number: the last text that was sent."""

    @property
    def answers(self) -> int:
        """How many were given."""
        return sum(map(len, self.seconds.values()))

    @property
    def written(self) -> int:
        """How many writes were acknowledged: turns, and texts of episodes that were not written over."""
        return sum(map(len, self.turns.values())) + len(self.episodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientKeys:
    """The secrets that the clients ask with."""

    reader: Sequence[str]
    user: Sequence[str]
    author: Sequence[str]


def prepared(path: Path, clients: int) -> ClientKeys:
    """Fill a store and make keys for so many clients: of ten, six read a story, three talk, one writes."""
    kinds = [_KINDS[one % len(_KINDS)] for one in range(clients)]
    with open_store(str(path), services=services(Embedders().get(EMBEDDER))) as store:
        _fill(store, max(_EPISODES, kinds.count("author")))
        add = store.admin.access.add
        users = [f"user-{at}" for at in range(kinds.count("user"))]
        for user in users:
            store.user(user).create(language="en", embedder=EMBEDDER)
        return ClientKeys(
            reader=[
                add("viewer", story=_STORY, persona=_READER, upto=_EPISODES).secret
                for _ in range(kinds.count("reader"))
            ],
            user=[add("user", user=user, persona=_PERSONA).secret for user in users],
            author=[add("author").secret for _ in range(kinds.count("author"))],
        )


def _fill(store: Kataribe, episodes: int) -> None:
    teller, tale = Teller(), store.story(_STORY)
    tale.create(language="en", embedder=EMBEDDER)
    for no in range(1, episodes + 1):
        facts = [{"text": teller.fact(), "known_by": [_READER]} for _ in range(_FACTS)]
        tale.episodes.put(no, f"Episode {no}.", facts=facts)
    tale.sync()


async def soak(
    ports: Sequence[int], keys: ClientKeys, *, seconds: float, rounds: int | None = None, done: Soaked
) -> None:
    """Let all clients ask until the time is over, or for so many rounds; each asks at least once.

    The client at each place of a kind asks the server at that place, and so on around; what happens is noted
    in `done`. Raises, in a group, `RuntimeError` for an answer that is neither what was asked for nor a
    refusal of who asks too much, and `OSError` where a server is no more.
    """
    begun = perf_counter()
    until = begun + seconds
    async with asyncio.TaskGroup() as group:
        for kind, secrets in (
            (_ReadingClient, keys.reader),
            (_TalkingClient, keys.user),
            (_WritingClient, keys.author),
        ):
            for number, secret in enumerate(secrets):
                client = kind(done, HttpClient(ports[number % len(ports)], secret), number)
                group.create_task(client.repeat(until, rounds))
    done.took += perf_counter() - begun


def lost(store: Kataribe, done: Soaked) -> int:
    """Count what was acknowledged and is not there."""
    missing = 0
    for user, ids in done.turns.items():
        there = {turn.turn_id for turn in store.user(user).turns()}
        missing += sum(one not in there for one in ids)
    for no, text in done.episodes.items():
        missing += store.story(_STORY).episodes.get(no).text not in (text, done.tried[no])
    return missing


class _AskingClient(ABC):
    """Asks one thing after the other over one connection."""

    def __init__(self, done: Soaked, http: HttpClient, number: int) -> None:
        self._done = done
        self._http = http
        self._number = number
        self._teller = Teller(seed=SEED + 1000 + number)

    async def repeat(self, until: float, rounds: int | None) -> None:
        """Do rounds until it is enough."""
        done = 0
        try:
            while done == 0 or ((rounds is None or done < rounds) and perf_counter() < until):
                await self._round(done)
                done += 1
        finally:
            await self._http.close()

    @abstractmethod
    async def _round(self, step: int) -> None:
        """Ask what is asked in one go."""

    async def _ask(
        self, method: str, path: str, body: object = None, *, route: str = ""
    ) -> HttpAnswer | None:
        """Ask, and note how long it took; None for a refusal of who asks too much."""
        begun = perf_counter()
        answer = await self._http.ask(method, path, body)
        if answer.status in _REFUSED:
            self._done.refused += 1
            return None
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.body[:500]!r}")
        self._done.seconds[f"{method} {route or path}"].append(perf_counter() - begun)
        return answer


class _ReadingClient(_AskingClient):
    """Reads a story as one of its characters."""

    async def _round(self, step: int) -> None:
        path = "/context" if step % 4 == 3 else "/recall"
        await self._ask("POST", path, {"question": self._teller.question()})


class _TalkingClient(_AskingClient):
    """Says something, and asks what is remembered of what was said."""

    async def _round(self, step: int) -> None:
        text = self._teller.fact()
        said = await self._ask("POST", "/ingest", {"session_id": str(step // 20), "text": text})
        if said is not None:
            self._done.turns[said.json["user"]].append(said.json["id"])
        question = self._teller.question()
        if step % 5 == 4:
            await self._ask("POST", "/log/search", {"keywords": question.split()[-2:]})
        else:
            await self._ask("POST", "/recall", {"question": question})


class _WritingClient(_AskingClient):
    """Rewrites an episode of its own, and reads it now and then."""

    async def _round(self, step: int) -> None:
        no = self._number + 1
        path, route = f"/stories/{_STORY}/episodes/{no}", "/stories/{story}/episodes/{no}"
        text = f"[[known-by: {_READER}]] {self._teller.fact()}"
        self._done.tried[no] = text
        if await self._ask("PUT", path, {"text": text}, route=route) is not None:
            self._done.episodes[no] = text
        if step % 2 == 0:
            await self._ask("GET", path, route=route)
