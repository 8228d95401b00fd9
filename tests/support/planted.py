"""A store in which each word stands in one place, and keys that may see some of those places and no other."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import kataribe
from kataribe.engine import Services
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services

UPTO = 3
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Held:
    """Who a key belongs to, and the marks of the places that it may see."""

    secret: str | None
    head: Mapping[str, str] = field(default_factory=dict)
    """What stands in the head of its requests besides."""
    marks: frozenset[str] = frozenset()


def frozen(clock: FrozenClock) -> Services:
    """Give engines with a clock that stands where it is put."""
    return replace(services(), clock=clock)


def mark(place: str) -> str:
    """Give the word that stands at a place and nowhere else; in Japanese where the place is."""
    return f"xq{place}zk" if place.isascii() else f"匿{place}秘"


FACTS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (1, "one", ("wren",)),
    (2, "二", ("wren", "odile")),
    (1, "odile", ("odile",)),
    (2, "澪の一", ("澪",)),
    (3, "third", ("wren",)),
    (5, "五", ("wren",)),
    (4, "later", ()),
)
"""By episode: the place of each fact, and who holds it (nobody named: all)."""
TURNS: tuple[tuple[str, str, str | None], ...] = (
    ("nora", "told", "akari"),
    ("nora", "皆に", None),
    ("nora", "kai", "kai"),
    ("雪", "雪の話", "akari"),
    ("雪", "world", None),
    ("web-mia", "front", "akari"),
)
"""By user: the place of each turn, and the persona it was said to."""
NOBODYS = ("title", "題", "library", "other", "profile", "label")
STORY = frozenset({"one", "二"})


def is_inside(place: str) -> bool:
    """Whether a key that is not an owner's may see a place; what none may is in one of two stores only."""
    return place in STORY or place in {"told", "皆に", "front"}


async def make(folder: Path) -> dict[str, Held]:
    """Make `whole.db`, with a word at every place, and `share.db`, with those that keys may see."""
    base = empty_store(folder / "base.db")
    async with await kataribe.open_async(str(base), services=frozen(FrozenClock(NOW))) as memory:
        keys = await _keys(memory)
    for name in ("whole", "share"):
        path = folder / f"{name}.db"
        shutil.copyfile(base, path)
        async with await kataribe.open_async(str(path), services=frozen(FrozenClock(NOW))) as memory:
            await _fill(memory, is_whole=name == "whole")
    return keys


def made(folder: Path) -> dict[str, Held]:
    """Make both stores."""
    return asyncio.run(make(folder))


async def _keys(memory: kataribe.AsyncKataribe) -> dict[str, Held]:
    await memory.story("harbour").create(language="en", embedder="hash")
    for character_id in ("wren", "odile", "澪"):
        await memory.story("harbour").cast.add(kataribe.Character(character_id=character_id))
    await memory.story("harbour").episodes.put(1, "Wren.", facts=[])
    await memory.story("harbour").sync()
    for user in ("nora", "雪", "web-mia"):
        await memory.user(user).create(language="ja" if user == "雪" else "en", embedder="hash")
    add = memory.admin.access.add

    async def key(scope: str, *places: str, **bound: Any) -> Held:
        return Held((await add(scope, **bound)).secret, {}, frozenset(places))

    gone = await add("user", user="nora", persona="akari")
    await memory.admin.access.revoke(gone.key.key_id)
    front = await key("front", "front", users_from="header:X-User", prefix="web-", persona="akari")
    return {
        "viewer": await key("viewer", *STORY, story="harbour", persona="wren", upto=UPTO),
        "user": await key("user", "told", "皆に", user="nora", persona="akari"),
        "front": replace(front, head={"X-User": "mia"}),
        "body": await key("front", "front", users_from="body:user", prefix="web-"),
        "revoked": Held(gone.secret),
        "made up": Held("ktr_none_none"),
        "broken": Held(None, {"Authorization": "Bearer"}),
        "other words": Held(None, {"Authorization": "Basic b3duZXI6"}),
        "nobody": Held(None),
        "admin": await key("admin"),
        "author": await key("author"),
    }


def _fact(place: str, who: tuple[str, ...]) -> Mapping[str, Any]:
    known_by: object = list(who) or "public"
    return {"fact_id": f"f-{place}", "text": f"{mark(place)} stood there.", "known_by": known_by}


async def _fill(memory: kataribe.AsyncKataribe, *, is_whole: bool) -> None:
    """Put words where they belong; the share has those of `is_inside` alone."""
    tale = memory.story("harbour")
    for no in range(1, 6 if is_whole else UPTO):
        facts = [_fact(place, who) for at, place, who in FACTS if at == no and (is_whole or is_inside(place))]
        title = mark("title") if no >= UPTO else "t"
        await tale.episodes.put(no, f"第{no}話", title=title, facts=facts)
    await tale.sync()
    for number, (user, place, persona) in enumerate(TURNS):
        if is_whole or is_inside(place):
            await memory.user(user).said(
                f"{mark(place)} was said.",
                speaker=user,
                persona=persona,
                session=f"s-{persona}",
                time=NOW - timedelta(hours=len(TURNS) - number),
                turn_id=f"t-{number}",
            )
    if not is_whole:
        return
    await memory.user("雪").profile.set("style", mark("profile"), by_hand=True)
    other = memory.story(f"other {mark('other')}")
    await other.create(language="ja", embedder="hash", title=mark("題"))
    await memory.library("rules").create(language="en", embedder="hash")
    await memory.library("rules").put("rules.txt", f"{mark('library')} closes at nine.")
