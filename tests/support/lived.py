"""A store in which somebody has lived, with words planted in all that holds any; and the search for them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import kataribe
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.story.inputs import Character
from kataribe.face.sync.kataribe import Kataribe
from kataribe.settings import Settings
from kataribe.testing.fakes import FrozenClock
from support.stores import empty_store, services
from support.talk import DAY_ONE

LATER = DAY_ONE + timedelta(days=300)
NIGHT = DAY_ONE + timedelta(days=3)
GONE, STAYS = "ゆきのしん-Wvyqk", "jonathan"
PERSONAS = ("himuro", "akari")

SAID = (
    "妹のザナルカンド花子は大阪に住んでいて、薔薇の温室を持っています。",
    "ﾍﾟﾄﾘｺｰﾙの匂いが大好きです。覚えておいて。",
    "My uncle Quetzalcoatlus keeps a Bumbershoot in Antwerp; remember that.",
    "Ｘｙｌｏｐｈｏｎｉｓｔ lessons are on Monday, and I love them.",
    "電話は０９０－１２３４－５６７８、メールはhanako.wvyqk@example.jpです。",
    "Call me at 415-555-2671 or write to zweihander@example.com tonight.",
    "これからは敬語で話して。",
)
EDITED, VALUE = "曼珠沙華の写真を撮る", "Zwieselbach"
SESSION, SPEAKER, TURN_ID = "薔薇の面会-rosemeet", "雪之進-Yukinoshin", "turn-Gqzjx"
PLANTED = (
    *("ザナルカンド", "薔薇の温室", "ﾍﾟﾄﾘｺｰﾙ", "ペトリコール", "Quetzalcoatlus", "Bumbershoot"),
    *("Ｘｙｌｏｐｈｏｎｉｓｔ", "Xylophonist", "０９０－１２３４－５６７８", "090-1234-5678"),
    *("hanako.wvyqk", "415-555-2671", "zweihander@", "曼珠沙華", VALUE),
    *(GONE, SESSION, SPEAKER, TURN_ID),
)
"""What must be found nowhere afterwards: in both scripts, both widths, and as it was said."""
OTHERS = (
    "I keep a grey cat called Basil.",
    "大きな犬を飼っています。名前はポチです。",
    "Chess bores me; remember that.",
)
QUESTIONS = ("Who keeps a cat?", "何を飼っていますか？", "chess")


@contextmanager
def opened(folder: Path, *, now: datetime = LATER, **parts: Any) -> Iterator[Kataribe]:
    """Open the store of a folder: its file, its archive, its keys and its record are all below it."""
    chosen = replace(services(), **{"clock": FrozenClock(now), **parts})
    with kataribe.open(settings=settings_of(folder), services=chosen) as store:
        yield store


def settings_of(folder: Path) -> Settings:
    """Say where everything of a store is kept."""
    return Settings(
        path=str(folder / "db" / "k.db"),
        archive=str(folder / "archive"),
        key_store=str(folder / "keys" / "k.keys"),
        audit_sink=str(folder / "audit.jsonl"),
    )


def laid(folder: Path) -> Path:
    """Make an empty store in a folder."""
    (folder / "db").mkdir(parents=True)
    (folder / "keys").mkdir(mode=0o700)
    empty_store(folder / "db" / "k.db")
    return folder


def _turns(lines: Iterable[str], *, speaker: str, persona: str, session: str, prefix: str) -> list[Turn]:
    return [
        Turn(
            turn_id=f"{prefix}{no}",
            session=session,
            speaker=speaker,
            text=line,
            time=DAY_ONE + timedelta(minutes=no),
            audience=kataribe.known_by(persona),
        )
        for no, line in enumerate(lines, 1)
    ]


def live(store: Kataribe) -> None:
    """Live two lives side by side, in every tier and store: one that will be erased, and one that stays."""
    store.story("s").create(language="en", embedder="hash", audience="wide")
    for persona in PERSONAS:
        store.story("s").cast.add(Character(character_id=persona))
    store.story("s").episodes.put(1, "Himuro meets Akari at the harbour.")
    store.story("s").sync()
    _live_one(store, GONE, SAID, speaker=SPEAKER, session=SESSION, prefix=TURN_ID)
    _live_one(store, STAYS, OTHERS, speaker="Jon", session="s1", prefix="t")
    handle = store.user(GONE)
    (first, *_) = handle.memory.list().memories
    handle.memory.edit(first.value.memory_id, EDITED)
    handle.profile.set("nickname", VALUE, by_hand=True)
    handle.privacy.request("export")
    store.admin.flush()


def _live_one(
    store: Kataribe, user: str, lines: tuple[str, ...], *, speaker: str, session: str, prefix: str
) -> None:
    handle = store.user(user)
    handle.create(language="ja", embedder="hash")
    for persona in PERSONAS:
        told = _turns(lines, speaker=speaker, persona=persona, session=session, prefix=f"{prefix}{persona}")
        handle.put_turns(told)
    handle.put_turns(
        _turns(lines, speaker=speaker, persona="himuro", session=session, prefix=f"{prefix}talk"),
        story="s",
        at=1,
    )
    handle.sync()
    handle.memory.nightly(at=NIGHT)
    handle.said(lines[0], speaker=speaker, persona="himuro", session=session)
    viewer = store.viewer(user=user, persona="himuro", story="s", at=1)
    for line in lines:
        hits = viewer.recall(line).hits
        viewer.report_use([hit.fact_id for hit in hits[:1]])
        viewer.associate(line)


def answers(store: Kataribe) -> str:
    """Give all that is read of the one who stays, to the byte."""
    found: list[object] = []
    for persona in PERSONAS:
        for keys in ({"user": STAYS}, {"user": STAYS, "story": "s", "at": 1}):
            viewer = store.viewer(persona=persona, **keys)
            for question in QUESTIONS:
                hits = viewer.recall(question).hits
                found.append([(hit.fact_id, hit.score, hit.text) for hit in hits])
            found.append([hit.text for hit in viewer.known().hits])
    kept = store.user(STAYS).memory.list().memories
    found.append(sorted((one.holder, one.value.memory_id, one.value.text) for one in kept))
    found.append([turn.text for turn in store.user(STAYS).turns()])
    return repr(found)


def forms(words: str) -> Mapping[str, bytes]:
    """Give the ways in which words may stand in a file."""
    plain = words.encode()
    named = {
        "UTF-8": plain,
        "UTF-16 LE": words.encode("utf-16-le"),
        "UTF-16 BE": words.encode("utf-16-be"),
        "hex": plain.hex().encode(),
        "HEX": plain.hex().upper().encode(),
        "JSON": json.dumps(words)[1:-1].encode(),
        "escaped": words.encode("unicode_escape"),
    }
    for shift in range(3):
        # Wherever they begin, the same signs stand in the middle.
        coded = base64.b64encode(b"\0" * shift + plain)
        named[f"base64 {shift}"] = coded[4 if shift else 0 : -4]
    return named


def found_in(folder: Path, planted: Iterable[str] = PLANTED) -> list[tuple[str, str, str]]:
    """Name the files below a folder in which a word stands, in whatever form; Parquet files are opened."""
    held: dict[str, bytes] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            held[str(file.relative_to(folder))] = file.read_bytes()
            if file.suffix == ".parquet":
                held[f"{file.name} opened"] = _opened(file)
    return [
        (name, words, how)
        for words in planted
        for how, form in forms(words).items()
        for name, data in held.items()
        if form in data
    ]


def _opened(file: Path) -> bytes:
    duckdb: Any = __import__("duckdb")
    rows = duckdb.sql(f"SELECT * FROM read_parquet('{file}')").fetchall()
    return repr(rows).encode()
