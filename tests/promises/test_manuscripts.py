"""A manuscript in a store: what is kept stays as written, what is read and found is the plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.ids import fact_id_for, text_hash
from kataribe.domain.memory import Draft, Memory, Reason
from kataribe.domain.story.derive import Inputs, derive
from kataribe.domain.story.inputs import Episode, Fact, Suppression
from kataribe.domain.terms import Audience, FactOrigin, known_by
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

JA = """雨の島

目次
第一話　雨
第二話　風

第一話　雨

　｜鏡花《きょうか》は澪《みお》に、《《銀の》》鍵《かぎ》を［＃「鍵」に傍点］渡した。

第二話　風

　澪《みお》は鏡花《きょうか》と海へ行った。
"""
EN = """Contents

1. The Key ... 3
2. The Sea ... 9

1. The Key

Kyoka gave Mio the *silver* key.

2. The Sea

Mio went to **the sea** with Kyoka.
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as opened:
        yield opened


def imported(store: Kataribe, tmp_path: Path, text: str, *, language: str) -> Kataribe:
    path = tmp_path / "novel.txt"
    path.write_bytes(text.encode())
    story = store.story("s")
    story.import_folder(path, embedder="hash")
    names = {"ja": ("鏡花", "澪"), "en": ("Kyoka", "Mio")}[language]
    for character_id, name in zip(("kyoka", "mio"), names, strict=True):
        alias = kataribe.Alias(text=name)
        story.cast.add(kataribe.Character(character_id=character_id, aliases=(alias,)))
    story.sync()
    return store


@pytest.mark.parametrize(
    ("text", "language", "question", "words", "quote"),
    [
        (
            JA, "ja", "銀の鍵", "鏡花は澪に、銀の鍵を渡した。",
            "｜鏡花《きょうか》は澪《みお》に、《《銀の》》鍵《かぎ》を［＃「鍵」に傍点］渡した。",
        ),
        (EN, "en", "silver key", "Kyoka gave Mio the silver key.", "Kyoka gave Mio the *silver* key."),
    ],
)  # fmt: skip
def test_a_hit_is_plain_and_its_quote_is_as_written(
    store: Kataribe, tmp_path: Path, text: str, language: str, question: str, words: str, quote: str
) -> None:
    imported(store, tmp_path, text, language=language)
    episode = store.story("s").episodes.get(1)
    assert episode.text in text
    hit = store.recall(question, story="s", persona="kyoka", at=2).hits[0]
    assert isinstance(hit, kataribe.FactHit)
    assert (hit.text, hit.quote) == (words, quote)
    assert hit.offsets is not None
    assert episode.text[slice(*hit.offsets)] == quote


@pytest.mark.parametrize(("text", "language"), [(JA, "ja"), (EN, "en")])
def test_no_title_and_no_contents_are_remembered(
    store: Kataribe, tmp_path: Path, text: str, language: str
) -> None:
    imported(store, tmp_path, text, language=language)
    assert [one.title for one in store.story("s").episodes.list()] == (
        ["第一話　雨", "第二話　風"] if language == "ja" else ["1. The Key", "2. The Sea"]
    )
    known = {hit.text for who in ("kyoka", "mio") for hit in store.known(story="s", persona=who, at=9).hits}
    assert known
    assert not any(word in text for text in known for word in ("目次", "第一話", "Contents", "1.", "2."))


@pytest.mark.parametrize(("text", "language"), [(JA, "ja"), (EN, "en")])
def test_a_dry_run_shows_what_would_come_in_and_changes_nothing(
    store: Kataribe, tmp_path: Path, text: str, language: str
) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes(text.encode())
    report = store.story("s").import_folder(path, embedder="hash", dry_run=True)
    assert report.preview is not None
    assert [(one.no, one.scenes, one.file) for one in report.preview.episodes] == [
        (1, 1, "novel.txt"),
        (2, 1, "novel.txt"),
    ]
    assert [one.what.value for one in report.left_out] == ["contents"]
    assert len(report.new) == 2
    assert store.admin.stories() == ()
    imported(store, tmp_path, text, language=language)
    before = [(e.no, e.is_pending) for e in store.story("s").episodes.list()]
    path.write_bytes(text.replace("海", "山").replace("sea", "hills").encode())
    again = store.story("s").import_folder(path, dry_run=True)
    assert (len(again.new), len(again.edited), len(again.unchanged)) == (0, 1, 1)
    assert again.preview is not None
    assert dict(again.preview.episodes[0].cast) == {"kyoka": 1, "mio": 1}
    assert [(e.no, e.is_pending) for e in store.story("s").episodes.list()] == before
    assert "海" in store.story("s").episodes.get(2).text or "sea" in store.story("s").episodes.get(2).text


def test_a_refused_import_is_refused_by_the_dry_run_too(store: Kataribe, tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes("[[known-by: ]] 雨。\n".encode())
    for dry_run in (True, False):
        with pytest.raises(kataribe.FormatError, match="known by nobody"):
            store.story("s").import_folder(path, embedder="hash", dry_run=dry_run)


# -- what a person decided before readings were left out ----------------------------------

WRITTEN = "澪《みお》は鍵を隠した。"
PLAIN = "澪は鍵を隠した。"


def read(
    *, facts: tuple[Fact, ...] = (), suppressions: tuple[Suppression, ...] = (), quote: str = WRITTEN
) -> tuple[Memory, ...]:
    draft = Draft(text=PLAIN, start=0, end=len(quote), audience=known_by("mio", "kyoka"), reason=Reason.SCENE)
    episode = Episode(episode_id="ep-1", no=1, text=quote)
    return derive(
        Inputs(
            story_id="s",
            episode=episode,
            order_key=1,
            facts=facts,
            suppressions=suppressions,
            drafts=(draft,),
        )
    )


@pytest.mark.parametrize("written", ["", " \n\n", "\u3000\r\n"])
def test_a_file_without_a_word_is_refused_and_makes_no_story(
    store: Kataribe, tmp_path: Path, written: str
) -> None:
    (tmp_path / "empty.txt").write_bytes(written.encode())
    with pytest.raises(kataribe.FormatError, match=r"empty\.txt: holds no text: write the story first"):
        store.story("nothing").import_folder(tmp_path / "empty.txt")
    assert "nothing" not in {one.story_id for one in store.admin.stories()}


def test_a_sentence_without_its_readings_is_still_a_sentence() -> None:
    assert {(one.text, one.quote, one.is_sentence) for one in read()} == {(PLAIN, WRITTEN, True)}
    other = read(quote="澪《みお》は鍵を隠したのだった。")
    assert not any(one.is_sentence for one in other)


def test_what_was_struck_out_with_its_readings_stays_out_without_them() -> None:
    kept = read(suppressions=(Suppression(holder="kyoka", text_hash=text_hash(WRITTEN)),))
    assert [one.holder for one in kept] == ["mio"]


def test_what_a_person_took_over_with_its_readings_is_not_given_to_others_again() -> None:
    taken = Fact(
        fact_id=fact_id_for("ep-1", WRITTEN),
        text=WRITTEN,
        audience=Audience(members=frozenset({"mio", "kyoka"})),
        origin=FactOrigin.HAND,
        ordinal=0,
    )
    assert {(one.origin, one.text) for one in read(facts=(taken,))} == {(FactOrigin.HAND, WRITTEN)}
