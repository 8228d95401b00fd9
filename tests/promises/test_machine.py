"""The property machine: random edits on a store, held against a plain model of the inputs.

After any sequence of edits, what every viewer is given equals what a fresh build gives (P3),
nothing outside the gate is in it (P1), and leaving out what is outside changes no byte (P2).
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import kataribe
from kataribe.domain.evidence import AudienceMode
from kataribe.domain.ids import fact_id_for, text_hash
from kataribe.domain.markup import plain, same_words
from kataribe.domain.story.folder import FactRow, VisibilityRow
from kataribe.domain.story.inputs import Address, Alias, Character, NameKind, Narration
from kataribe.domain.terms import PUBLIC, Audience, FactOrigin, FactSource
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.rows import write_fact
from support.effort import walks
from support.hits import fact_hits
from support.model import Model, ModelEpisode, all_read, everything
from support.remote import RemoteKataribe
from support.stores import empty_store, fresh, services

CAST = ("ann", "ben", "cleo")
VIEWERS = (*CAST, "stranger")
MAX_NO = 6

LINES = {
    "en": (
        "Ann went down to the mill before the rain.",
        "“The key is under the stone,” said Ben.",
        "Ben thought that the mill would burn.",
        "Cleo laughed, and Ann gave her *the lamp*.",
        "Nobody else was there.",
        "* * *",
        "Cleo wondered who had the key.",
        "“Who took the lamp?” asked Ann.",
    ),
    "ja": (
        "アンは雨の前に水車小屋へ行った。",
        "「鍵は石の下だ」とベンは言った。",
        "（水車小屋が燃えてしまう）とベンは思った。",
        "クレオは笑い、アンは彼女に｜洋灯《ランプ》を渡した。",
        "ほかには誰もいなかった。",
        "＊",
        "鍵は誰が持っているのだろう、とクレオは考えた。",
        "「｜洋灯《ランプ》を取ったのは誰？」とアンは尋ねた。",
    ),
}
FACTS = {
    "en": (
        "The key is under the stone.",
        "Ann owns the mill.",
        "Ben set the fire.",
        "Cleo is called the Fox.",
        "The lamp is broken.",
    ),
    "ja": (
        "鍵は石の下にある。",
        "アンは水車小屋の持ち主だ。",
        "火をつけたのはベンだ。",
        "クレオは狐と呼ばれている。",
        "ランプは壊れている。",
    ),
}
NAMES = {
    "en": {"ann": "Ann", "ben": "Ben", "cleo": "Cleo"},
    "ja": {"ann": "アン", "ben": "ベン", "cleo": "クレオ"},
}
QUESTIONS = {
    "en": ("Where is the key?", "What does the Fox know of Ann?"),
    "ja": ("鍵はどこ？", "狐はアンの何を知っている？"),
}
BETWEEN = {"en": " ", "ja": ""}
"""What stands between two sentences of a paragraph."""
NICKNAMES = {"en": ("the Fox", "the Miller"), "ja": ("狐", "粉屋")}

audiences = st.one_of(
    st.just(PUBLIC),
    st.frozensets(st.sampled_from(CAST), min_size=1, max_size=3).map(lambda m: Audience(members=m)),
)
numbers = st.integers(min_value=1, max_value=MAX_NO)
picks = st.integers(min_value=0, max_value=10_000)


P = ParamSpec("P")


def as_objects(rows: list[FactRow] | None) -> list[dict[str, object]] | None:
    """Give facts as a program may write them: without a number, and with tuples for lists."""
    if rows is None:
        return None
    found = []
    for row in rows:
        said = write_fact(row)
        said.pop("episode_no")
        found.append({**said, "known_by": tuple(sorted(row.audience.members))})
    return found


def step(rule: Callable[Concatenate[StoryMachine, P], None]) -> Callable[Concatenate[StoryMachine, P], None]:
    """Keep the model as it was before a rule, when the rule was a step."""

    @wraps(rule)
    def kept(machine: StoryMachine, /, *arguments: P.args, **named: P.kwargs) -> None:
        before = machine.model.copy()
        last = machine.last_step()
        rule(machine, *arguments, **named)
        if machine.last_step() != last:
            machine.past.append((machine.last_step(), before))

    return kept


class StoryMachine(RuleBasedStateMachine):
    """A store, a second handle on it, and the model of what was handed in."""

    embedder = "hash"
    language = "en"
    declares = True
    """Whether the story comes with a declared cast."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="kataribe-machine-")
        self.path = Path(self.folder.name)
        store = str(empty_store(self.path / "store.db"))
        self.handles = [kataribe.open(store, services=services()), self.other(store)]
        self.turn = 0
        self.model = Model(language=self.language, embedder=self.embedder)
        self.serial = 0
        self.is_in = False
        """Whether the story has come in."""
        self.past: list[tuple[int, Model]] = []
        """Steps that can be taken back, each with the model as it was before."""
        self.kept: dict[str, Model] = {}
        """Checkpoints, each with the model as it was."""

    def other(self, store: str) -> Kataribe:
        """Open the second handle on the same file."""
        return kataribe.open(store, services=services())

    @property
    def store(self) -> Kataribe:
        """Take turns between two handles on the same file."""
        self.turn += 1
        return self.handles[self.turn % 2]

    def teardown(self) -> None:
        try:
            self.compare()
        finally:
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()

    def last_step(self) -> int:
        """Give the number of the last step that can be taken back, 0 when there is none."""
        steps = self.handles[0].story("s").steps(last=1)
        return steps[0].number if steps else 0

    # -- making things up ------------------------------------------------------------------

    def text(self, pick: int) -> str:
        """Make a text of a few lines, or of one paragraph."""
        lines = LINES[self.language]
        between = "\n" if pick % 3 else BETWEEN[self.language]
        return between.join(lines[(pick // 7**i) % len(lines)] for i in range(1 + pick % 4))

    def named(self, character_id: str) -> Character:
        """Declare one of the cast by name."""
        name = Alias(text=NAMES[self.language][character_id], kind=NameKind.NAME)
        return Character(character_id=character_id, aliases=(name,))

    def next_id(self) -> str:
        self.serial += 1
        return f"x{self.serial}"

    def fact_row(self, episode: ModelEpisode, pick: int, audience: Audience) -> FactRow:
        """Make a supplied fact, some with quotes: own, lost, or of another episode."""
        told = FACTS[self.language]
        quote, quote_no = None, None
        if pick % 4 == 1:
            quote = episode.text.split("\n")[0]
        elif pick % 4 == 2:
            quote = LINES[self.language][pick % 5]
        elif pick % 4 == 3:
            quote, quote_no = LINES[self.language][0], 1 + pick % MAX_NO
        others = sorted(self.model.facts)
        return FactRow(
            fact_id=self.next_id(),
            episode_no=episode.no,
            audience=audience,
            text=told[pick % len(told)],
            quote=quote,
            quote_no=episode.no if quote is not None and quote_no is None else quote_no,
            importance=1 + pick % 5,
            supersedes=others[pick % len(others)] if others and pick % 3 == 0 else None,
            told_from=others[pick % len(others)] if others and pick % 5 == 0 else None,
        )

    # -- the story comes in ----------------------------------------------------------------

    @initialize(
        counts=st.lists(picks, min_size=1, max_size=4),
        told=st.lists(st.tuples(picks, audiences), max_size=8),
        noted=st.lists(audiences, max_size=2),
        secret=audiences,
        since=st.integers(min_value=0, max_value=4),
    )
    def come_in(
        self,
        counts: list[int],
        told: list[tuple[int, Audience]],
        noted: list[Audience],
        secret: Audience,
        since: int,
    ) -> None:
        """Import a story of a few episodes, some with supplied facts, some to be extracted."""
        model = self.model
        for no, pick in enumerate(counts, start=1):
            source = FactSource.SUPPLIED if pick % 2 else FactSource.EXTRACTED
            model.episodes[f"e{no}"] = ModelEpisode(f"e{no}", no, self.text(pick), source)
        for character_id in CAST if self.declares else ():
            model.cast[character_id] = self.named(character_id)
        if self.declares:
            fox = Alias(text=NICKNAMES[self.language][0], address=Address(since=since, audience=secret))
            model.cast["cleo"] = replace(model.cast["cleo"], aliases=(*model.cast["cleo"].aliases, fox))
        supplied = [e for e in model.live() if e.source is FactSource.SUPPLIED]
        for pick, audience in told:
            if supplied:
                episode = supplied[pick % len(supplied)]
                row = self.fact_row(episode, pick, audience)
                assert row.fact_id is not None
                model.facts[row.fact_id] = (episode.episode_id, row)
        for episode, audience in zip(model.live(), noted, strict=False):
            model.notes[episode.episode_id] = audience
        self.is_in = True
        self.store.story("s").import_folder(model.write(self.path / "story"))
        self.store.story("s").sync()

    # -- edits -----------------------------------------------------------------------------

    @rule(no=numbers, pick=picks)
    @step
    def put(self, no: int, pick: int) -> None:
        text = self.text(pick)
        done = self.store.story("s").episodes.put(no=no, text=text)
        held = self.model.at(no)
        if held is None:
            self.model.episodes[done.episode_id] = ModelEpisode(
                done.episode_id, no, text, FactSource.EXTRACTED
            )
        else:
            held.text = text

    @rule(no=numbers, pick=picks, told=audiences, noted=st.one_of(st.none(), st.just(()), audiences))
    @step
    def put_with_rows(self, no: int, pick: int, told: Audience, noted: Audience | tuple[()] | None) -> None:
        """Put an episode with facts, with none any more, or with those it has; its annotations likewise."""
        held = self.model.at(no)
        text = held.text if held is not None and pick % 5 == 0 else self.text(pick)
        described = ModelEpisode("", no, text, FactSource.SUPPLIED)
        rows = [self.fact_row(described, pick + at, told) for at in range(pick % 3)]
        facts = None if pick % 4 == 3 else rows
        done = self.store.story("s").episodes.put(
            no=no,
            text=text,
            facts=facts if pick % 2 else as_objects(facts),
            annotations=self.notes_of(no, noted),
        )
        if held is None:
            held = ModelEpisode(done.episode_id, no, text, FactSource.EXTRACTED)
            self.model.episodes[done.episode_id] = held
        held.text = text
        self.take_rows(held, facts, noted)

    @rule(pick=picks, told=audiences, noted=st.one_of(st.none(), audiences))
    @step
    def tell(self, pick: int, told: Audience, noted: Audience | None) -> None:
        """Append an episode, with facts or without; the same call again is harmless."""
        no = 1 + max(episode.no for episode in self.model.episodes.values())
        if no > MAX_NO + 4:
            return
        episode = ModelEpisode(self.next_id(), no, self.text(pick), FactSource.EXTRACTED)
        facts = [self.fact_row(episode, pick + at, told) for at in range(pick % 3)]
        for _ in range(2):
            notes = self.notes_of(no, noted)
            given = facts if pick % 2 else as_objects(facts)
            assert no == self.store.story("s").tell(
                episode.text, facts=given, annotations=notes, episode_id=episode.episode_id
            )
        self.model.episodes[episode.episode_id] = episode
        self.take_rows(episode, facts, noted)
        with pytest.raises(kataribe.ConflictError):
            self.store.story("s").tell(episode.text + "!", facts=facts, episode_id=episode.episode_id)

    @staticmethod
    def notes_of(no: int, noted: Audience | tuple[()] | None) -> list[VisibilityRow] | None:
        """Give the annotations that say who may remember a whole episode."""
        if noted is None:
            return None
        return [VisibilityRow(episode_no=no, audience=noted)] if isinstance(noted, Audience) else []

    def take_rows(
        self, episode: ModelEpisode, facts: list[FactRow] | None, noted: Audience | tuple[()] | None
    ) -> None:
        """Take over what an episode was given: None leaves what it has."""
        if facts is not None:
            self.model.drop_supplied(episode.episode_id)
            episode.source = FactSource.SUPPLIED if facts else FactSource.EXTRACTED
            self.model.facts |= {row.fact_id or "": (episode.episode_id, row) for row in facts}
        if isinstance(noted, Audience):
            self.model.notes[episode.episode_id] = noted
        elif noted is not None:
            self.model.notes.pop(episode.episode_id, None)
        if noted is not None:
            # Annotations that are given take the place of all there are.
            self.model.scenes.pop(episode.episode_id, None)

    @rule(pick=picks)
    @step
    def delete(self, pick: int) -> None:
        live = self.model.live()
        if live:
            chosen = live[pick % len(live)]
            self.store.story("s").episodes.delete(no=chosen.no)
            self.model.deletions += 1
            chosen.deleted = self.model.deletions

    @rule(pick=picks)
    @step
    def restore(self, pick: int) -> None:
        gone = [e for e in self.model.episodes.values() if e.deleted is not None]
        if not gone:
            return
        no = gone[pick % len(gone)].no
        if self.model.at(no) is not None:
            with pytest.raises(kataribe.ConflictError):
                self.store.story("s").episodes.restore(no=no)
            return
        back = self.store.story("s").episodes.restore(no=no)
        latest = max((e for e in gone if e.no == no), key=lambda e: e.deleted or 0)
        assert back == latest.episode_id
        latest.deleted = None

    @rule(no=numbers, pick=picks)
    @step
    def insert(self, no: int, pick: int) -> None:
        text = self.text(pick)
        done = self.store.story("s").episodes.insert(no=no, text=text)
        if any(e.no >= no for e in self.model.live()):
            for episode in self.model.episodes.values():
                episode.no += episode.no >= no
            self.follow(lambda number: number + 1 if number >= no else number)
        self.model.episodes[done.episode_id] = ModelEpisode(done.episode_id, no, text, FactSource.EXTRACTED)

    @rule(pick=picks, to=numbers)
    @step
    def renumber(self, pick: int, to: int) -> None:
        live = self.model.live()
        if not live:
            return
        chosen = live[pick % len(live)]
        if chosen.no != to and self.model.at(to) is not None:
            with pytest.raises(kataribe.ConflictError):
                self.store.story("s").episodes.renumber(no=chosen.no, to=to)
            return
        old = chosen.no
        self.store.story("s").episodes.renumber(no=old, to=to)
        chosen.no = to
        if old != to:
            self.follow(lambda number: to if number == old else number)

    def follow(self, move) -> None:  # type: ignore[no-untyped-def]
        """Let aliases and quotes follow the numbers they name; an episode's own number is its own."""
        for fact_id, (episode_id, row) in self.model.facts.items():
            if row.quote_no is not None:
                self.model.facts[fact_id] = (episode_id, replace(row, quote_no=move(row.quote_no)))
        for character_id, character in self.model.cast.items():
            self.model.cast[character_id] = replace(
                character,
                aliases=tuple(
                    replace(
                        a, address=replace(a.address, since=move(a.address.since) if a.address.since else 0)
                    )
                    for a in character.aliases
                ),
                narrates=self.store.story("s").cast.get(character_id).narrates,
            )

    @rule(pick=picks, audience=audiences, count=st.integers(1, 4))
    @step
    def add_facts_and_knowers(self, pick: int, audience: Audience, count: int) -> None:
        """Add facts to several episodes at once; who knows the same words already knows them still."""
        live = self.model.live()
        if not live:
            return
        rows: dict[str, FactRow] = {}
        for at in range(pick, pick + count):
            episode = live[at % len(live)]
            text = FACTS[self.language][at % len(FACTS[self.language])]
            fact_id = fact_id_for(episode.episode_id, text)
            held = self.model.facts.get(fact_id)
            if held is None and fact_id not in rows:
                self.model.facts[fact_id] = (
                    episode.episode_id,
                    FactRow(
                        fact_id=fact_id,
                        episode_no=episode.no,
                        audience=audience,
                        text=text,
                        origin=FactOrigin.HAND,
                    ),
                )
            elif held is not None:
                union = (
                    PUBLIC
                    if audience.world or held[1].audience.world
                    else Audience(members=audience.members | held[1].audience.members)
                )
                self.model.facts[fact_id] = (held[0], replace(held[1], audience=union))
            rows[fact_id] = FactRow(episode_no=episode.no, audience=audience, text=text)
        assert self.store.story("s").facts.add_many(list(rows.values()), widen=True) == tuple(rows)

    @rule(pick=picks, audience=audiences)
    @step
    def add_fact(self, pick: int, audience: Audience) -> None:
        live = self.model.live()
        if not live:
            return
        episode = live[pick % len(live)]
        text = self.told(episode, pick)
        fact_id = fact_id_for(episode.episode_id, text)
        if fact_id in self.model.facts:
            with pytest.raises(kataribe.ConflictError):
                self.store.story("s").facts.add(episode_no=episode.no, text=text, audience=audience)
            return
        assert self.store.story("s").facts.add(episode_no=episode.no, text=text, audience=audience) == fact_id
        row = FactRow(
            fact_id=fact_id, episode_no=episode.no, audience=audience, text=text, origin=FactOrigin.HAND
        )
        self.model.facts[fact_id] = (episode.episode_id, row)

    def told(self, episode: ModelEpisode, pick: int) -> str:
        """Give words for a fact: such as no text has, or such as this one may have one day."""
        words: tuple[str, ...] = FACTS[self.language]
        if episode.episode_id in self.visible():
            words = (*words, *(line for line in LINES[self.language] if line not in episode.text))
        return words[pick % len(words)]

    def visible(self) -> set[str]:
        """Give the ids of the episodes that are in memory as they stand."""
        return {e.episode_id for e in self.store.story("s").episodes.list() if e.visible}

    def there(self) -> list[str]:
        """Give the facts of live episodes that a file or a hand made and that count."""
        live = {e.episode_id: e for e in self.model.live()}
        return [
            fact_id for fact_id, (episode_id, row) in sorted(self.model.facts.items()) if episode_id in live
        ]

    @rule(pick=picks, audience=audiences, importance=st.integers(1, 5))
    @step
    def edit_fact(self, pick: int, audience: Audience, importance: int) -> None:
        facts = self.there()
        if facts:
            fact_id = facts[pick % len(facts)]
            edit = kataribe.FactEdit(audience=audience, importance=importance, keep_quote=True)
            episode_id, row = self.model.facts[fact_id]
            if row.origin is FactOrigin.HAND:
                # Whom it is taken from can be told of what is read alone, the shares of holders too.
                self.store.story("s").sync()
            self.store.story("s").facts.edit(fact_id, edit)
            self.take_strikes(episode_id)
            self.model.facts[fact_id] = (
                episode_id,
                replace(row, audience=audience, importance=importance),
            )

    def take_strikes(self, episode_id: str) -> None:
        """Take over what is struck out of an episode: the text said it to who lost the fact."""
        no = self.model.episodes[episode_id].no
        folder = self.path / f"struck-{len(list(self.path.iterdir()))}"
        self.store.story("s").export(folder)
        decisions = folder / "decisions.jsonl"
        for line in decisions.read_text(encoding="utf-8").splitlines() if decisions.exists() else ():
            row = json.loads(line)
            if row["episode_no"] == no and "suppress" in row:
                self.model.strike(episode_id, row["suppress"]["holder"], row["suppress"]["text_hash"])

    @rule(pick=picks)
    @step
    def delete_fact(self, pick: int) -> None:
        facts = self.there()
        if facts:
            fact_id = facts[pick % len(facts)]
            self.store.story("s").facts.delete(fact_id)
            del self.model.facts[fact_id]

    def extracted(self) -> list[tuple[str, str, list[str]]]:
        """Give (episode id, fact id, holders) of what was extracted and is in memory now."""
        visible = {e.episode_id for e in self.store.story("s").episodes.list() if e.visible}
        found: dict[tuple[str, str], list[str]] = {}
        for fact in self.store.story("s").facts.list():
            if fact.origin is FactOrigin.EXTRACTED and fact.episode_id in visible:
                found.setdefault((fact.episode_id, fact.fact_id), []).append(fact.holder)
        return [(episode, fact, holders) for (episode, fact), holders in sorted(found.items())]

    @rule(pick=picks, audience=audiences, drop=st.booleans())
    @step
    def decide_on_extracted(self, pick: int, audience: Audience, drop: bool) -> None:
        candidates = self.extracted()
        if not candidates:
            return
        episode_id, fact_id, holders = candidates[pick % len(candidates)]
        text = next(f.text for f in self.store.story("s").facts.list() if f.fact_id == fact_id)
        for holder in holders:
            self.model.strike(episode_id, holder, text_hash(text))
        if drop:
            self.store.story("s").facts.delete(fact_id)
            return
        new = FACTS[self.language][pick % len(FACTS[self.language])]
        pinned = (episode_id, fact_id) in self.model.pins
        edited = self.store.story("s").facts.edit(
            fact_id, kataribe.FactEdit(text=new, audience=audience, keep_quote=True)
        )
        episode = self.model.episodes[episode_id]
        # The words as they stand in the text, where there are marks among them.
        assert edited.quote is not None
        assert edited.quote in episode.text
        assert same_words(plain(text, emphasis=True).text, plain(edited.quote, emphasis=True).text)
        row = FactRow(
            fact_id=fact_id,
            episode_no=episode.no,
            audience=audience,
            text=new,
            quote=edited.quote,
            quote_no=episode.no,
            pinned=pinned,
            origin=FactOrigin.HAND,
        )
        self.model.facts[fact_id] = (episode_id, row)

    @rule(pick=picks, audience=audiences)
    @step
    def say_what_the_text_says(self, pick: int, audience: Audience) -> None:
        """Add a fact in the words of an extracted one: it takes that from nobody."""
        candidates = self.extracted()
        if not candidates:
            return
        episode_id, fact_id, holders = candidates[pick % len(candidates)]
        text = next(f.text for f in self.store.story("s").facts.list() if f.fact_id == fact_id)
        no = self.model.episodes[episode_id].no
        if not audience.world and {holder for holder in holders if holder} - audience.members:
            with pytest.raises(kataribe.ConflictError):
                self.store.story("s").facts.add(episode_no=no, text=text, audience=audience)
            return
        assert self.store.story("s").facts.add(episode_no=no, text=text, audience=audience) == fact_id
        row = FactRow(fact_id=fact_id, episode_no=no, audience=audience, text=text, origin=FactOrigin.HAND)
        self.model.facts[fact_id] = (episode_id, row)

    @rule(pick=picks, pinned=st.booleans())
    @step
    def pin(self, pick: int, pinned: bool) -> None:
        facts = self.there()
        candidates = self.extracted()
        if facts and pick % 2:
            fact_id = facts[pick % len(facts)]
            self.store.story("s").facts.pin(fact_id, pinned=pinned)
            episode_id, row = self.model.facts[fact_id]
            self.model.facts[fact_id] = (episode_id, replace(row, pinned=pinned))
        elif candidates:
            episode_id, fact_id, _ = candidates[pick % len(candidates)]
            self.store.story("s").facts.pin(fact_id, pinned=pinned)
            if pinned:
                self.model.pins.add((episode_id, fact_id))
            else:
                self.model.pins.discard((episode_id, fact_id))

    @precondition(lambda self: bool(self.model.cast))
    @rule(who=st.sampled_from(CAST), secret=audiences, since=st.integers(0, 5), add=st.booleans())
    @step
    def call(self, who: str, secret: Audience, since: int, add: bool) -> None:
        if who not in self.model.cast:
            return
        nickname = NICKNAMES[self.language][1]
        alias = Alias(text=nickname, address=Address(since=since, audience=secret))
        character = self.model.cast[who]
        has = any(a.text == nickname for a in character.aliases)
        if add and alias not in character.aliases:
            self.store.story("s").cast.edit(who, kataribe.CastEdit(add_aliases=(alias,)))
            self.model.cast[who] = replace(character, aliases=(*character.aliases, alias))
        elif not add and has:
            self.store.story("s").cast.edit(who, kataribe.CastEdit(remove_aliases=(nickname,)))
            kept = tuple(a for a in character.aliases if a.text != nickname)
            self.model.cast[who] = replace(character, aliases=kept)

    @precondition(lambda self: bool(self.model.cast))
    @rule(
        who=st.sampled_from(CAST),
        since=numbers,
        length=st.integers(0, 3),
        told=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(CAST), min_size=1, max_size=2)),
        add=st.booleans(),
    )
    @step
    def narrate(self, who: str, since: int, length: int, told: frozenset[str], add: bool) -> None:
        """Let somebody tell episodes, to somebody or to nobody in particular, or tell none any more."""
        if who not in self.model.cast:
            return
        narrates = (Narration(since=since, until=since + length, told_to=told),) if add else ()
        self.store.story("s").cast.edit(who, kataribe.CastEdit(narrates=narrates))
        self.model.cast[who] = replace(self.model.cast[who], narrates=narrates)

    @rule(mode=st.sampled_from(AudienceMode))
    @step
    def want_guesses_as_sure(self, mode: AudienceMode) -> None:
        """Choose how sure a guess must be."""
        self.store.story("s").set_audience(mode)
        self.model.mode = mode

    @precondition(lambda self: self.is_in)
    @rule(pick=picks, there=audiences)
    @step
    def say_who_was_there(self, pick: int, there: Audience) -> None:
        """Decide on a scene in which something waits."""
        self.store.story("s").sync()
        scenes = self.store.story("s").facts.scenes()
        if scenes:
            scene = scenes[pick % len(scenes)]
            self.store.story("s").facts.decide_scene(scene, there)
            places = self.model.scenes.get(scene.episode_id, {})
            self.model.scenes[scene.episode_id] = {**places, **dict.fromkeys(scene.places, there)}

    @rule(pick=picks, audience=audiences)
    def import_again(self, pick: int, audience: Audience) -> None:
        """Import a folder that names one supplied episode only, with other rows than before."""
        episodes = [e for e in self.model.live() if e.source is FactSource.SUPPLIED]
        if not episodes:
            return
        episode = episodes[pick % len(episodes)]
        episode.text = self.text(pick)
        self.model.drop_supplied(episode.episode_id)
        row = self.fact_row(episode, pick, audience)
        assert row.fact_id is not None
        self.model.facts[row.fact_id] = (episode.episode_id, row)
        part = self.model.copy()
        part.episodes = {episode.episode_id: episode}
        self.store.story("s").import_folder(part.write(self.path / f"again-{self.serial}"))

        # An import is no step: what was done before it may not be there any more to take back.
        self.past.clear()

    @rule()
    def sync(self) -> None:
        self.store.story("s").sync()

    @precondition(lambda self: bool(self.past))
    @rule()
    def undo(self) -> None:
        """Take the last step back: what it made is deleted, all else is as it was."""
        number, before = self.past.pop()
        assert self.store.story("s").undo().number == number
        for made in self.model.episodes.keys() - before.episodes.keys():
            self.model.deletions += 1
            before.episodes[made] = replace(self.model.episodes[made], deleted=self.model.deletions)
            # What came with it lies with it, and comes back with it.
            before.facts |= {key: one for key, one in self.model.facts.items() if one[0] == made}
            before.notes |= {key: one for key, one in self.model.notes.items() if key == made}
            before.scenes |= {key: one for key, one in self.model.scenes.items() if key == made}
        before.deletions = self.model.deletions
        self.model = before

    @precondition(lambda self: self.is_in)
    @rule(name=st.sampled_from(("first", "二つ目")))
    def keep(self, name: str) -> None:
        """Make a checkpoint; one of this name makes way."""
        self.store.story("s").checkpoint(name, replace=True)
        self.kept[name] = self.model.copy()

    @precondition(lambda self: bool(self.kept))
    @rule(pick=picks)
    @step
    def rewind(self, pick: int) -> None:
        """Go back to a checkpoint, or forward to a later one; what was made since is deleted."""
        name = sorted(self.kept)[pick % len(self.kept)]
        self.store.story("s").rewind(name)
        self.model = self.kept[name].rewound_from(self.model)

    # -- what must hold --------------------------------------------------------------------

    @invariant()
    @precondition(lambda self: self.is_in)
    def nothing_leaks_even_before_a_sync(self) -> None:
        """P1 and P9 at every instant, by the plain rule."""
        for no in (0, 1, MAX_NO + 2):
            read = fact_hits(self.store.known(story="s", reader=True, read=no).hits)
            assert all(hit.episode_no <= no for hit in read)
            assert len(read) == len({(hit.fact_id, hit.text) for hit in read})
        for viewer in VIEWERS:
            assert self.store.known(story="s", persona=viewer, at=1).hits == ()
            for at in (2, 4, MAX_NO + 3):
                told = self.store.known(story="s", persona=viewer, at=at)
                # What the text says under the same id to others too is made of the text.
                given = {hit.fact_id for hit in told.hits if self.is_ours(hit.fact_id, hit.id)}
                may = self.model.may_know(viewer if viewer in CAST else "", at)
                assert given <= may
                assert all(hit.episode_no < at for hit in fact_hits(told.hits))
                assert all(hit.character_id in ("world", viewer) for hit in told.hits)
                for hit in fact_hits(told.hits):
                    where = (hit.episode_id, hit.character_id, text_hash(hit.text))
                    assert self.is_ours(hit.fact_id, hit.id) or where not in self.model.struck

    @invariant()
    @precondition(lambda self: self.is_in)
    def nothing_else_is_around_a_sentence(self) -> None:
        """P1 of what stands around hits: other hits of the same gate, in the words of one place of a text."""
        for viewer in VIEWERS:
            for at in (2, MAX_NO + 3):
                known = self.sentences_known(viewer, at)
                question = QUESTIONS[self.language][0]
                found = fact_hits(
                    self.store.recall(question, story="s", persona=viewer, at=at, top_k=50).hits
                )
                # Others may bring in more between two reads.
                known |= self.sentences_known(viewer, at)
                for hit in found:
                    around = {
                        (one.space, one.holder, one.fact_id, (one.start, one.end), one.text)
                        for one in hit.sentences
                    }
                    assert around <= known
                    assert not around or hit.text in (hit.around or "")
                    assert {one.episode_id for one in hit.sentences} <= {hit.episode_id}

    def sentences_known(self, viewer: str, at: int) -> set[tuple[object, ...]]:
        """Give all that a viewer may know and that holds, each with its holder and its place in the text."""
        return {
            (hit.space, hit.character_id, hit.fact_id, hit.offsets, hit.text)
            for hit in fact_hits(self.store.known(story="s", persona=viewer, at=at).hits)
            if hit.superseded_by is None
        }

    def is_ours(self, fact_id: str, hit_id: str) -> bool:
        """Whether a hit is of a fact that a file or a hand gave, and not read from the text under its id."""
        held = self.model.facts.get(fact_id)
        return held is not None and (held[1].origin is not FactOrigin.HAND or ":v0:" in hit_id)

    @rule()
    def compare(self) -> None:
        """P3, P2, P8 once all work is synced."""
        if not self.is_in:
            return
        self.store.story("s").sync()
        viewers = [(v, at) for v in VIEWERS for at in (1, 2, 3, MAX_NO, MAX_NO + 9)]
        questions = QUESTIONS[self.language]
        mine = everything(self.store, "s", viewers, questions, ids=False)
        numbers = (0, 2, MAX_NO + 8)
        read = all_read(self.store, "s", numbers, questions, ids=False)
        problems = self.store.story("s").verify().problems
        assert problems == ()
        last = max((episode.no for episode in self.model.live()), default=0)
        for viewer in VIEWERS:
            now = self.store.known(story="s", persona=viewer, at="now")
            assert now == self.store.known(story="s", persona=viewer, at=last + 1)
        with fresh(self.model, self.path) as other:
            assert mine == everything(other, "s", viewers, questions, ids=False)
            assert read == all_read(other, "s", numbers, questions, ids=False)
            no = 1 + last % 2
            whole = {no: all_read(other, "s", [no], questions, ids=True)}
            exact = {
                pair: everything(other, "s", [pair], questions, ids=True)
                for pair in (("ann", 2), ("ben", 3), ("cleo", MAX_NO + 9))
            }
        for (viewer, at), all_of_it in exact.items():
            with fresh(self.model.seen_by(viewer, at), self.path) as less:
                assert all_of_it == everything(less, "s", [(viewer, at)], questions, ids=True)
            hits = all_of_it[0]["hits"]  # type: ignore[index]
            supplied = {hit["fact_id"] for hit in hits if self.is_ours(hit["fact_id"], hit["id"])}
            assert supplied == self.model.may_know(viewer, at)
        for no, all_of_it in whole.items():
            with fresh(self.model.read_up_to(no), self.path) as less:
                assert all_of_it == all_read(less, "s", [no], questions, ids=True)
            hits = all_of_it[0]["hits"]  # type: ignore[index]
            supplied = {hit["fact_id"] for hit in hits if self.is_ours(hit["fact_id"], hit["id"])}
            assert supplied == set().union(*(self.model.may_know(who, no + 1) for who in CAST))


class OpenMachine(StoryMachine):
    """The same in a story that nobody is declared in: its texts are everybody's, until somebody is."""

    declares = False

    @rule(who=st.sampled_from(CAST))
    @step  # type: ignore[arg-type]
    def declare(self, who: str) -> None:
        """Declare somebody, or take the declaration out again."""
        if who in self.model.cast:
            self.store.story("s").cast.delete(who)
            del self.model.cast[who]
        else:
            self.model.cast[who] = self.named(who)
            self.store.story("s").cast.add(self.model.cast[who])


class TwoProcessMachine(StoryMachine):
    """The same, with every other verb done by another process."""

    def other(self, store: str) -> Kataribe:
        """Open the second handle in a process of its own."""
        return RemoteKataribe(store)  # type: ignore[return-value]


class ManyWorkersMachine(StoryMachine):
    """The same, with three workers of a third handle at work under every edit and every read."""

    def __init__(self) -> None:
        super().__init__()
        self.third = kataribe.open(str(self.path / "store.db"), services=services())
        self.at_work: threading.Thread | None = None
        self.wrong: list[Exception] = []

    @property
    def store(self) -> Kataribe:
        """See to it that somebody is syncing while whatever comes next is done."""
        if self.is_in and (self.at_work is None or not self.at_work.is_alive()):
            self.at_work = threading.Thread(target=self._sync)
            self.at_work.start()
        return super().store

    def _sync(self) -> None:
        try:
            self.third.sync(workers=3)
        except Exception as error:
            self.wrong.append(error)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            if self.at_work is not None:
                self.at_work.join()
            self.third.close()
        assert self.wrong == []


class JapaneseMachine(StoryMachine):
    """The same in Japanese, with the default embedder."""

    embedder = "chive"
    language = "ja"


class EnglishMachine(StoryMachine):
    """The same in English, with the default embedder."""

    embedder = "wordllama"


TestMachine = StoryMachine.TestCase
TestMachine.settings = walks(8, 12)
TestOpenMachine = OpenMachine.TestCase
TestOpenMachine.settings = walks(4, 10)
TestTwoProcessMachine = TwoProcessMachine.TestCase
TestTwoProcessMachine.settings = walks(4, 10)
TestManyWorkersMachine = ManyWorkersMachine.TestCase
TestManyWorkersMachine.settings = walks(4, 10)
TestJapaneseMachine = JapaneseMachine.TestCase
TestJapaneseMachine.settings = walks(5, 10)
TestEnglishMachine = EnglishMachine.TestCase
TestEnglishMachine.settings = walks(5, 10)
