"""Write a store with the code of an earlier version, and dump it as SQL: see README.md beside this file.

Nothing here is run by the tests. What a version does not know yet is left out of its store.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BEGUN = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
REFUSED = "封印札"
"""The embedder refuses a text with this word in it."""
PORT, HARBOUR, IF = "港町", "harbour", "harbour-if"

CAST_JA = [
    {
        "id": "潮",
        "name": "汐見潮",
        "aliases": [
            "潮さん",
            {"text": "夜の灯", "kind": "nickname", "from": 2, "known_by": ["潮", "凪"]},
            {"text": "俺", "kind": "first_person"},
        ],
        "voice": "低い声",
    },
    {"id": "凪", "name": "浜野凪", "description": {"text": "灯台守の娘。", "from": 3, "known_by": ["潮"]}},
    {"id": "伊作", "name": "伊作", "description": "渡し船の船頭。"},
]
EPISODES_JA = [
    {
        "episode_no": 1,
        "episode_id": "初め",
        "title": "霧の朝",
        "text": "港に古い鐘がある。\n\n潮は鐘の舌を井戸に隠した。",
        "weather": "霧",
    },
    {
        "episode_no": 2,
        "title": "井戸",
        "text": (
            "凪は井戸のそばで濡れた縄を見つけた。\n\n凪は潮に縄のことを聞いた。\n\n"
            "町では祭りの支度が始まった。"
        ),
        "paragraphs": [
            {"id": "p1", "text": "凪は井戸のそばで濡れた縄を見つけた。"},
            {"id": "p2", "text": "凪は潮に縄のことを聞いた。"},
            {"id": "p3", "text": "町では祭りの支度が始まった。"},
        ],
    },
    {
        "episode_no": 3,
        "text": ("鐘は船で隣の島へ運ばれた。\n\n潮は凪に井戸のことを打ち明けた。\n\n伊作は赤い旗を見た。"),
    },
    {
        "episode_no": 4,
        "text": (
            "伊作と浜野凪が渡し場にいた。\n\n「明日の船は出ない」と伊作は言った。\n\n"
            "（嘘だ）と浜野凪は思った。\n\n＊\n\n誰かの足音が遠ざかった。\n\n犬が吠えた。"
        ),
    },
    {"episode_no": 5, "text": "【知る者：潮】潮は夢で鐘の音を聞いた。"},
]
FACTS_JA = [
    {
        "fact_id": "f1",
        "episode_no": 1,
        "visibility": "public",
        "text": "港に古い鐘がある。",
        "quote": "古い鐘がある",
        "mood": "静か",
    },
    {
        "fact_id": "f2",
        "episode_no": 1,
        "known_by": ["潮"],
        "text": "潮は鐘の舌を井戸に隠した。",
        "importance": 5,
        "pinned": True,
    },
    {
        "fact_id": "f3",
        "episode_no": 3,
        "known_by": "public",
        "text": "鐘は隣の島にある。",
        "supersedes": "f1",
    },
    {
        "fact_id": "f4",
        "episode_no": 3,
        "known_by": ["凪"],
        "text": "凪は潮から鐘の舌のありかを聞いた。",
        "quote": "鐘の舌を井戸に隠した",
        "quote_episode": 1,
        "told_from": "f2",
    },
    {
        "fact_id": "f5",
        "episode_no": 3,
        "known_by": ["伊作", "凪"],
        "text": "伊作は赤い旗を見た。",
        "quote": "赤い旗を見た",
    },
    {"fact_id": "f6", "episode_no": 3, "known_by": "public", "text": "旗は赤い。", "quote": "赤い旗"},
]
VISIBILITY_JA = [
    {"episode_no": 2, "paragraph_id": None, "known_by": ["潮", "凪"], "by": "作者"},
    {"episode_no": 2, "paragraph_id": "p3", "known_by": "public"},
]

TEXTS_EN = (
    "The old ferry lies in the harbour.\n\n[[known-by: mara]] Mara sold its anchor to the smith.",
    "[[known-by: mara, finn]] Finn found the bill of the smith in a boot.\n\nThe market opened in the rain.",
    "Finn asked Mara about the anchor.\n\n“I sold it,” said Mara. “Tell nobody.”\n\nWho had seen the smith?",
)


class Refusing:
    """Another embedder that refuses texts with a word in them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def embed_documents(self, texts: Any) -> Any:
        if any(REFUSED in text for text in texts):
            raise import_module("kataribe").EmbedderError(f"told to refuse {REFUSED}")
        return await self._inner.embed_documents(texts)


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """Somebody stops a sync on its way."""


class Maker:
    """A store in the making, by whichever version is on the path."""

    def __init__(self, folder: Path) -> None:
        self.k: Any = import_module("kataribe")
        fakes: Any = import_module("kataribe.testing.fakes")
        self.folder = folder
        self.clock = fakes.FrozenClock(BEGUN)
        self.head: str = import_module("kataribe.adapters.sql.schema").HEAD
        parts = self.k.default_services(self.clock)
        embedders: dict[str, Any] = {"hash": Refusing(parts.embedder("hash"))}
        self.parts = replace(parts, embedder=embedders.__getitem__)
        if self.head > "0001":
            # Both are at home in a module that the first version could not import.
            self.given: Any = import_module("support.old_stores")
            given = self.given
            rules, reader = parts.extractor("rules"), given.Reader()
            self.model: str = given.MODEL
            embedders["small"] = given.Small(refuses=lambda text: "kettle" in text)
            self.parts = replace(self.parts, extractor=lambda name: reader if name == given.MODEL else rules)

    def make(self, path: Path) -> None:
        with self.k.open(str(path), services=self.parts) as store:
            self.port(store)
            self.harbour(store)
            if self.head > "0001":
                self.branch(store)
            if self.head > "0002":
                self.users(store)
                self.used(store)
            self.lagging(store)
            self.asked(store)
            store.flush()

    def later(self) -> None:
        self.clock.advance(timedelta(minutes=10))

    def port(self, store: Any) -> None:
        """The Japanese story: a folder brought in, then edited in every way."""
        folder = self.folder / "port"
        folder.mkdir()
        for name, rows in (("episodes", EPISODES_JA), ("facts", FACTS_JA), ("visibility", VISIBILITY_JA)):
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        (folder / "cast.json").write_text(json.dumps({"characters": CAST_JA}, ensure_ascii=False), "utf-8")
        told = {"title": "港町の鐘", "language": "ja", "embedder": "hash", "author": "誰か"}
        (folder / "story.json").write_text(json.dumps(told, ensure_ascii=False), "utf-8")
        store.import_story(folder, story_id=PORT)
        self.later()
        store.sync(PORT)
        self.later()
        store.delete_episode(PORT, no=5)
        # A quote that is gone waits in review; a text has three versions.
        text = EPISODES_JA[2]["text"]
        assert isinstance(text, str)
        store.put_episode(PORT, no=3, text=text.replace("赤い旗", "白い旗"))
        self.later()
        store.sync(PORT)
        store.put_episode(PORT, no=3, text=text.replace("赤い旗", "青い旗"), title="船")
        self.later()
        store.sync(PORT)
        self.by_hand(store)

    def by_hand(self, store: Any) -> None:
        """Facts made, changed, pinned and struck out by a person."""
        known_by, edit = self.k.known_by, self.k.FactEdit
        told = store.facts(PORT, episode_no=4)
        ids = sorted({fact.fact_id for fact in told if not fact.in_review})
        waiting = sorted({fact.fact_id for fact in told if fact.in_review})
        told_by = {"audience": known_by("伊作"), "importance": 2, "told_from": "f1"}
        store.add_fact(PORT, episode_no=1, text="伊作は鐘の音が嫌いだ。", **told_by)
        self.later()
        store.pin_fact(PORT, ids[0])
        store.edit_fact(PORT, ids[1], edit(text="伊作は船が出ないと嘘をついた。", importance=4))
        store.delete_fact(PORT, sorted({fact.fact_id for fact in store.facts(PORT, episode_no=2)})[0])
        store.delete_fact(PORT, waiting[0])
        self.later()
        store.edit_character(PORT, "伊作", self.k.CastEdit(description="渡し船の船頭で、鐘が嫌い。"))
        if self.head > "0001":
            verb, decision = self.k.Verb, self.k.Decision
            store.decide(PORT, "f5", decision(verb=verb.KEEP))
            store.decide(PORT, "f4", decision(verb=verb.WIDEN, audience=known_by("凪", "伊作")))
            store.undo(PORT)
        store.sync(PORT)

    def harbour(self, store: Any) -> None:
        """The English story, made verb by verb; a model reads it where there is one."""
        alias, address, known_by = self.k.Alias, self.k.Address, self.k.known_by
        chosen = {"model": self.model} if self.head > "0001" else {}
        store.add_story(HARBOUR, language="en", title="The Anchor", embedder="hash", **chosen)
        name, secret = self.k.NameKind.NAME, address(since=2, audience=known_by("mara"))
        mara = (alias(text="Mara Quill", kind=name), alias(text="the Widow", address=secret))
        store.put_cast(
            HARBOUR,
            (
                self.k.Character(character_id="mara", aliases=mara),
                self.k.Character(character_id="finn", aliases=(alias(text="Finn", kind=name),)),
            ),
        )
        for no, text in enumerate(TEXTS_EN, start=1):
            store.put_episode(HARBOUR, no=no, text=text, title=f"Part {no}")
            self.later()
        store.sync(HARBOUR)
        if self.head > "0001":
            # What both of them found is kept.
            store.set_model(HARBOUR, "rules")
            store.sync(HARBOUR)
            store.set_model(HARBOUR, self.model)
            store.sync(HARBOUR)
        store.insert_episode(HARBOUR, no=3, text="A gull stole a fish.\n\nMara laughed.", episode_id="gull")
        store.renumber_episode(HARBOUR, no=4, to=6)
        self.later()
        store.sync(HARBOUR)
        arousal = {"arousal": 0.75} if self.head > "0002" else {}
        fact = store.add_fact(
            HARBOUR, episode_no=2, text="Finn fears the smith.", audience=known_by("finn"), **arousal
        )
        store.pin_fact(HARBOUR, fact)
        store.sync(HARBOUR)

    def branch(self, store: Any) -> None:
        """An IF story with texts, facts and somebody of its own."""
        store.add_branch(IF, of=HARBOUR, after=2, title="What if")
        store.put_episode(
            IF, no=3, text="Finn bought the anchor back.\n\n[[known-by: finn]] He paid in silver."
        )
        store.add_character(IF, self.k.Character(character_id="smith", aliases=(self.k.Alias(text="Odo"),)))
        self.later()
        store.add_fact(IF, episode_no=3, text="The smith is called Odo.", audience=self.k.known_by("mara"))
        store.sync(IF)

    def users(self, store: Any) -> None:
        """Two users, each with personas; one has a day that is not remembered yet."""
        turn, known_by, day = self.k.Turn, self.k.known_by, datetime(2025, 2, 3, 18, 30, tzinfo=UTC)
        pip, both = known_by("pip"), known_by("pip", "ann")
        said = (
            ("I bought a copper kettle today.", "nora", pip, None),
            ("What will you call the boat?", "pip", pip, None),
            ("The boat is called Second Rise.", "nora", both, 0.5),
            ("Nora waters the fern on Mondays.", "nora", self.k.PUBLIC, None),
        )
        store.add_user("nora", language="en", embedder="hash")
        turns = [
            turn(
                turn_id=f"D1:{place}",
                session="1",
                speaker=speaker,
                text=text,
                time=day + timedelta(days=place // 2, minutes=place),
                ordinal=place,
                caption="a kettle on a shelf" if place == 0 else None,
                audience=audience,
                arousal=arousal,
                extra={"room": "kitchen"} if place == 1 else {},
            )
            for place, (text, speaker, audience, arousal) in enumerate(said)
        ]
        store.put_turns("nora", turns)
        store.add_user("灯里", language="ja", embedder="hash")
        ja = ("天窓を直したよ。", "雨漏りは止まった？", "猫の小鉄は腎臓が悪い。", "望遠鏡は屋根裏に置く。")
        speakers = ("灯里", "柚", "灯里", "灯里")
        turns = [
            turn(
                turn_id=f"a{place}",
                session=str(1 + place // 2),
                speaker=speaker,
                text=text,
                time=day + timedelta(days=3 * (place // 2), minutes=place),
                audience=known_by("柚") if place < 3 else self.k.PUBLIC,
            )
            for place, (text, speaker) in enumerate(zip(ja, speakers, strict=True))
        ]
        store.put_turns("灯里", turns)
        self.later()
        store.sync_user()
        # A change of embedder that stopped: what it had embedded by then is kept.
        with suppress(self.k.EmbedderError):
            store.reembed(embedder="small", user="nora")
        last = turn(
            turn_id="D9:1",
            session="2",
            speaker="nora",
            text="The lamp of the boat is green.",
            time=day + timedelta(days=40),
            audience=pip,
        )
        store.put_turns("nora", [last])

    def used(self, store: Any) -> None:
        """Two viewers of stories and a persona used what they remember."""
        self.clock.set(self.given.USED_AT)
        for who, ids in self.given.USES:
            store.report_use(ids, **who)
        store.flush()

    def lagging(self, store: Any) -> None:
        """What is not in memory: texts that failed too often and once, and one that nobody took up."""

        def stop(*told: Any) -> None:
            raise Stopped

        store.put_episode(PORT, no=7, text=f"【知る者：潮】{REFUSED}の話。\n\n鐘は鳴らない。")
        store.sync(PORT)
        store.put_episode(PORT, no=8, text=f"【知る者：凪】{REFUSED}が井戸にあった。")
        if self.head > "0001":
            store.sync(PORT, within=1.0)
        else:
            with suppress(Stopped):
                store.sync(PORT, progress=stop)
        store.put_episode(PORT, no=9, text="【知る者：全員】浜野凪は新しい鐘を注文した。\n\n汐見潮も喜んだ。")
        self.later()

    def asked(self, store: Any) -> None:
        """Searches leave traces."""
        self.clock.set(datetime(2025, 3, 2, 8, tzinfo=UTC))
        store.recall("鐘の舌はどこ？", story_id=PORT, character="潮", at=4)
        store.recall("鐘", story_id=PORT, character="凪", at=4, where={"importance": {"$gte": 2}})
        store.known(story_id=HARBOUR, character="mara", at=3)
        if self.head > "0001":
            store.recall("Who has the anchor?", story_id=IF, character="finn", at=4)
        if self.head > "0002":
            store.recall("What is the boat called?", user="nora", persona="pip")
            store.known(user="灯里", persona="柚", as_of=datetime(2025, 2, 4, tzinfo=UTC))


def dump(path: Path) -> str:
    """Write a store as SQL, with what SQLite's own dump leaves out in front."""
    with closing(sqlite3.connect(path)) as connection:
        pragmas = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
            for name in ("page_size", "application_id", "user_version")
        ]
        return "\n".join([*pragmas, *connection.iterdump(), ""])


def main(version: str, out: Path) -> None:
    """Make the store of the version on the path, which must be the one that is named."""
    with TemporaryDirectory() as folder:
        maker = Maker(Path(folder))
        if maker.head != version:
            raise SystemExit(f"the version on the path has the schema {maker.head}, not {version}")
        path = Path(folder) / "store.db"
        maker.make(path)
        out.write_text(dump(path), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
