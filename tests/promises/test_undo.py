"""Undo puts back: taking every step back leaves what was there before the first (P3)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

import kataribe
from kataribe.domain.story.folder import FactRow
from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.terms import PUBLIC, Audience, FactSource
from kataribe.face.sync.kataribe import Kataribe
from support.model import Model, ModelEpisode, everything
from support.stores import empty_store, services

TEXTS = {
    "en": (
        "Ann went down to the mill before the rain.\n“The key is under the stone,” said Ben.",
        "Ben thought that the mill would burn.\nNobody else was there.\nCleo laughed at Ann.",
        "Cleo wondered who had the key.\nAnn gave Ben the lamp.",
    ),
    "ja": (
        "アンは雨の前に水車小屋へ行った。\n「鍵は石の下だ」とベンは言った。",
        "（水車小屋が燃えてしまう）とベンは思った。\nほかには誰もいなかった。\nクレオは笑った。",
        "鍵は誰が持っているのだろう、とクレオは考えた。\nアンはベンにランプを渡した。",
    ),
}
NAMES = {
    "en": {"ann": "Ann", "ben": "Ben", "cleo": "Cleo"},
    "ja": {"ann": "アン", "ben": "ベン", "cleo": "クレオ"},
}
WORDS = {"en": ("The lamp is broken.", "Ann owns it."), "ja": ("ランプは壊れている。", "アンのものだ。")}
QUESTIONS = {"en": ("Where is the key?",), "ja": ("鍵はどこ？",)}
VIEWERS = [(who, at) for who in ("ann", "ben", "cleo", "stranger") for at in (2, 3, 9)]
MEMBERS = tuple(Audience(members=frozenset(m)) for m in (("ann",), ("ben",), ("ann", "cleo")))

audiences = st.sampled_from((PUBLIC, *MEMBERS))
moves = st.lists(st.tuples(st.integers(0, 13), st.integers(0, 10_000), audiences), min_size=1, max_size=16)


def model(language: str) -> Model:
    """Two episodes to be read, one with supplied facts, one of them with a lost quote."""
    made = Model(language=language, embedder="hash")
    for no, text in enumerate(TEXTS[language], start=1):
        source = FactSource.SUPPLIED if no == 3 else FactSource.EXTRACTED
        made.episodes[f"e{no}"] = ModelEpisode(f"e{no}", no, text, source)
    for who, name in NAMES[language].items():
        made.cast[who] = Character(character_id=who, aliases=(Alias(text=name, kind=NameKind.NAME),))
    line = TEXTS[language][2].split("\n")[0]
    for fact_id, audience, quote, quote_no in (
        ("p1", PUBLIC, line, 3),
        ("p2", MEMBERS[0], "lost", 3),
        ("p3", MEMBERS[2], TEXTS[language][0][:5], 1),
    ):
        row = FactRow(
            fact_id=fact_id,
            episode_no=3,
            audience=audience,
            text=f"{fact_id} {line}",
            quote=quote,
            quote_no=quote_no,
        )
        made.facts[fact_id] = ("e3", row)
    return made


@contextmanager
def a_story(language: str) -> Iterator[tuple[Kataribe, Path]]:
    with tempfile.TemporaryDirectory(prefix="kataribe-undo-") as folder:
        path = Path(folder)
        with kataribe.open(str(empty_store(path / "store.db")), services=services()) as store:
            store.story("s").import_folder(model(language).write(path / "story"))
            store.story("s").sync()
            yield store, path


def exported(store: Kataribe, path: Path) -> dict[str, bytes]:
    out = Path(tempfile.mkdtemp(dir=path)) / "out"
    store.story("s").export(out)
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


def told(store: Kataribe, language: str) -> list[object]:
    return everything(store, "s", VIEWERS, QUESTIONS[language], ids=False)


def listed(store: Kataribe) -> list[object]:
    return [
        (m.fact_id, m.holder, m.text, m.quote, m.quote_no, m.quote_span, m.pinned, m.reason, m.flagged)
        for m in store.story("s").facts.list()
    ]


def pick(options: list[str], number: int) -> str | None:
    return options[number % len(options)] if options else None


def facts_move(store: Kataribe, language: str, kind: int, number: int, who: Audience) -> None:
    """One verb on facts; what does not fit is refused, and a refusal is no step."""
    ids = sorted({fact.fact_id for fact in store.story("s").facts.list()})
    chosen = pick(ids, number)
    words = WORDS[language][number % 2]
    if kind == 0 or chosen is None:
        live = [e.no for e in store.story("s").episodes.list() if e.is_live]
        store.story("s").facts.add(episode_no=live[number % len(live)], text=words, audience=who)
        return
    verbs: list[Callable[[], object]] = [
        lambda: store.story("s").facts.edit(chosen, kataribe.FactEdit(text=words, audience=who)),
        lambda: store.story("s").facts.edit(
            chosen, kataribe.FactEdit(audience=who, episode_no=1 + number % 3)
        ),
        lambda: store.story("s").facts.pin(chosen, pinned=bool(number % 3)),
        lambda: store.story("s").facts.delete(chosen),
    ]
    for verb in kataribe.Verb:
        takes = verb in (kataribe.Verb.NARROW, kataribe.Verb.WIDEN)
        text = words if verb is kataribe.Verb.EDIT else None
        decision = kataribe.Decision(verb=verb, audience=who if takes else None, text=text)
        verbs.append(lambda it=decision: store.story("s").facts.decide(chosen, it))  # type: ignore[misc]
    verbs[kind % len(verbs)]()


def other_move(store: Kataribe, language: str, kind: int, number: int, who: Audience) -> None:
    """One verb on casts and episodes."""
    no, other = 1 + number % 4, 1 + number // 4 % 4
    text = TEXTS[language][number % 3]
    verbs: list[Callable[[], object]] = [
        lambda: store.story("s").episodes.put(no=no, text=text, title=f"t{number % 5}"),
        lambda: store.story("s").episodes.insert(no=no, text=text),
        lambda: store.story("s").episodes.delete(no=no),
        lambda: store.story("s").episodes.restore(no=no),
        lambda: store.story("s").episodes.renumber(no=no, to=other),
        lambda: store.story("s").cast.rename("ann", f"ann{number % 3}"),
        lambda: store.story("s").cast.delete("ben"),
        lambda: store.story("s").cast.add(Character(character_id=f"new{number % 2}")),
        lambda: store.story("s").cast.edit("cleo", kataribe.CastEdit(name=f"C{number % 5}")),
        lambda: store.story("s").cast.put((Character(character_id="ben"), Character(character_id="dan"))),
    ]
    verbs[kind % len(verbs)]()


def play(store: Kataribe, move: Callable[[], None]) -> None:
    with suppress(kataribe.KataribeError):
        move()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_taking_every_step_on_facts_back_is_the_beginning(language: str) -> None:
    @settings(max_examples=25)
    @given(moves, st.booleans())
    def run(given_moves: list[tuple[int, int, Audience]], synced: bool) -> None:
        with a_story(language) as (store, path):
            start = exported(store, path), told(store, language), listed(store)
            for kind, number, who in given_moves:
                play(store, lambda k=kind, n=number, w=who: facts_move(store, language, k, n, w))  # type: ignore[misc]
                if synced:
                    store.story("s").sync()
                    assert not store.story("s").verify().problems
            while store.story("s").steps(last=1):
                store.story("s").undo()
            # No text must be read for this: memory is back without a sync.
            assert all(episode.visible for episode in store.story("s").episodes.list())
            assert (exported(store, path), told(store, language), listed(store)) == start
            assert store.story("s").verify().problems == ()

    run()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_taking_every_step_back_is_the_beginning(language: str) -> None:
    @settings(max_examples=40)
    @given(moves, st.booleans())
    # A fact edited by hand, and the text says it as it was to who came into the cast since.
    @example([(5, 27, PUBLIC), (9, 1, PUBLIC)], True)
    def run(given_moves: list[tuple[int, int, Audience]], synced: bool) -> None:
        with a_story(language) as (store, path):
            start = exported(store, path), told(store, language), listed(store)
            for kind, number, who in given_moves:
                verb = facts_move if number % 3 == 0 else other_move
                play(store, lambda v=verb, k=kind, n=number, w=who: v(store, language, k, n, w))  # type: ignore[misc]
                if synced:
                    store.story("s").sync()
            while store.story("s").steps(last=1):
                store.story("s").undo()
                assert not store.story("s").verify().problems
            store.story("s").sync()
            assert exported(store, path) == start[0]
            assert told(store, language) == start[1]
            live = {episode.episode_id for episode in store.story("s").episodes.list() if episode.is_live}
            assert live == {"e1", "e2", "e3"}
            assert store.story("s").verify().problems == ()

    run()
