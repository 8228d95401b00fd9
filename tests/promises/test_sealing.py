"""Personal data are kept as tokens and sealed as they were said: whoever talked is given the words back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.sealing.store import FileKeys
from kataribe.conversation.sealing import seal_unit
from kataribe.domain.privacy.hearing import TokenHearer
from kataribe.domain.privacy.page import TOKEN
from kataribe.domain.terms import Language
from kataribe.errors import ConflictError, KeyStoreError, StoreError
from kataribe.face.sync.kataribe import Kataribe
from kataribe.ports import Transaction
from kataribe.wiring import default_services
from kataribe.wiring.keys import seal
from support.erasing import erase
from support.stores import empty_store

SAID: dict[Language, tuple[str, str, str]] = {
    "en": (
        "My mail is ann.lee@example.com, write there.",
        "ann.lee@example.com",
        "What is the mail address?",
    ),
    "ja": ("メールはann.lee@example.comです。", "ann.lee@example.com", "メールは何ですか？"),
}
PHONES: dict[Language, tuple[str, str]] = {
    "en": ("Call me at 415-555-2671 tonight.", "415-555-2671"),
    "ja": ("電話は０９０－１２３４－５６７８です。", "０９０－１２３４－５６７８"),
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    return empty_store(tmp_path / "db" / "k.db")


@pytest.fixture
def k(path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(path)) as made:
        yield made


def made(k: Kataribe, language: Language, user: str = "u") -> None:
    k.user(user).create(language=language, embedder="hash")


def bytes_of(path: Path) -> bytes:
    """Give all that stands in the store's files."""
    return b"".join(one.read_bytes() for one in sorted(path.parent.iterdir()))


def forms(words: str) -> list[bytes]:
    """Give the ways in which words may stand in a file."""
    return [words.encode(), words.encode("utf-16-le"), words.encode("unicode_escape")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_said_comes_back_as_it_was_said_and_does_not_stand_in_the_file(
    k: Kataribe, path: Path, language: Language
) -> None:
    made(k, language)
    text, datum, question = SAID[language]
    number, digits = PHONES[language]
    told = k.user("u").said(text, speaker="u", persona="himuro")
    k.user("u").said(number, speaker="u", persona="himuro")
    assert told.pending is None
    found = k.recall(question, user="u", persona="himuro")
    assert {text, number} == {hit.text for hit in found.hits}
    assert {text, number} == {hit.text for hit in k.known(user="u", persona="himuro").hits}
    assert [turn.text for turn in k.user("u").turns()] == [text, number]
    for planted in (datum, digits):
        assert not any(form in bytes_of(path) for form in forms(planted))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_log_is_searched_for_personal_data_and_gives_them(k: Kataribe, language: Language) -> None:
    made(k, language)
    text, datum, _ = SAID[language]
    k.user("u").said(text, speaker="u", persona="himuro")
    found = k.viewer(user="u", persona="himuro").search_log([datum])
    assert [hit.text for hit in found.hits] == [text]
    read = k.viewer(user="u", persona="himuro").read_turn(found.hits[0].turn_id)
    assert [hit.text for hit in read.hits] == [text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_the_key_tokens_are_given_and_nothing_is_overwritten(path: Path, language: Language) -> None:
    text, datum, question = SAID[language]
    with kataribe.open(str(path)) as k:
        made(k, language)
        k.user("u").said(text, speaker="u", persona="himuro")
        place = Path(k.admin.keys.status().place)
    away = place.with_suffix(".away")
    os.replace(place, away)
    with kataribe.open(str(path)) as k:
        shown = k.recall(question, user="u", persona="himuro").hits[0].text
        assert datum not in shown
        assert TOKEN.search(shown)
        before = k.user("u").turns()
        with pytest.raises(KeyStoreError):
            k.user("u").said(PHONES[language][0], speaker="u", persona="himuro")
        assert k.user("u").turns() == before
    os.replace(away, place)
    with kataribe.open(str(path)) as k:
        assert k.recall(question, user="u", persona="himuro").hits[0].text == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_that_is_sent_again_is_the_same_in_its_own_words(k: Kataribe, language: Language) -> None:
    made(k, language)
    messages = [{"role": "user", "content": SAID[language][0]}, {"role": "assistant", "content": "ok"}]
    k.user("u").remember(messages, persona="himuro")
    again = k.user("u").remember(
        [*messages, {"role": "user", "content": PHONES[language][0]}], persona="himuro"
    )
    assert (again.new, again.changed, again.unchanged) == (1, 0, 2)
    other = [{"role": "user", "content": SAID[language][0].replace("ann", "bob")}]
    with pytest.raises(ConflictError):
        k.user("u").remember(other, persona="himuro", session=again.sessions[0])


def test_a_store_without_personal_data_has_no_key_of_its_own_for_them(k: Kataribe, path: Path) -> None:
    made(k, "en")
    k.user("u").said("I like the harbour in spring.", speaker="u", persona="himuro")
    assert k.recall("Where do I like it?", user="u", persona="himuro").hits[0].text.startswith("I like")


def test_other_words_for_the_same_datum_are_kept_as_they_were_said(k: Kataribe) -> None:
    made(k, "en")
    turn = k.user("u")
    turn.said("My mail is Ann.Lee@Example.com.", speaker="u", persona="himuro")
    one = turn.turns()[0]
    turn.put_turns([replace(one, text="My mail is ann.lee@example.com.")])
    assert turn.turns()[0].text == "My mail is ann.lee@example.com."


def kept_in_the_open(path: Path) -> None:
    """Store turns as a release before sealing did, by hand."""
    parts = replace(default_services(), keys=lambda store, known: FileKeys(":memory:", store, seal=seal))
    with kataribe.open(str(path), services=parts) as k:
        for language in LANGUAGES:
            made(k, language, language)
            user = k.user(language)
            user.said(SAID[language][0], speaker=language, persona="himuro")
            user.said(PHONES[language][0], speaker=language, persona="himuro")
            user.said("Nothing else. / ほかにない。", speaker=language, persona="himuro")
            user.memory.nightly()
    with closing(sqlite3.connect(path)) as driver:
        driver.execute("INSERT INTO plain_units SELECT DISTINCT space, unit FROM turns")
        driver.execute("DELETE FROM marks")
        driver.execute("DELETE FROM audit")
        driver.execute("DELETE FROM audit_heads")
        driver.commit()


def test_what_stood_in_the_open_is_sealed_and_leaves_no_byte(path: Path) -> None:
    kept_in_the_open(path)
    assert SAID["en"][1].encode() in bytes_of(path)
    with kataribe.open(str(path)) as k:
        for language in LANGUAGES:
            k.user(language).sync()
            assert k.user(language).verify().ok
            found = {hit.text for hit in k.known(user=language, persona="himuro").hits}
            assert {SAID[language][0], PHONES[language][0], "Nothing else. / ほかにない。"} <= found
            assert k.user(language).turns()[0].text == SAID[language][0]
    for language in LANGUAGES:
        for planted in (SAID[language][1], PHONES[language][1]):
            assert not any(form in bytes_of(path) for form in forms(planted))


def test_sealing_what_stood_in_the_open_goes_on_where_it_was_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_in_the_open(path)
    asked: list[str] = []

    def stopped(tx: Transaction, space: str, unit: str) -> int:
        asked.append(space)
        if len(asked) > 1:
            raise StoreError("stopped")
        return seal_unit(tx, space, unit)

    with monkeypatch.context() as patched:
        patched.setattr("kataribe.engine.sealing.seal_unit", stopped)
        kataribe.open(str(path)).close()
    assert len(asked) == 2
    kataribe.open(str(path)).close()
    for language in LANGUAGES:
        for planted in (SAID[language][1], PHONES[language][1]):
            assert not any(form in bytes_of(path) for form in forms(planted))


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_a_reply_that_comes_in_pieces_is_heard_in_words(size: int) -> None:
    heard: list[str] = []
    hearer = TokenHearer({"<email:abcdefghij>": "ann@example.com"}, heard.append)
    text = "a < b <email:abcdefghij> <email:xbcdefghij> <em"
    for at in range(0, len(text), size):
        hearer.hear(text[at : at + size])
    hearer.finish()
    assert "".join(heard) == text.replace("<email:abcdefghij>", "ann@example.com")


def test_talk_under_a_story_that_is_renamed_comes_back_as_it_was_said(k: Kataribe) -> None:
    k.story("s").create(language="en", embedder="hash")
    made(k, "en")
    text = SAID["en"][0]
    k.user("u").said(text, speaker="u", persona="himuro", story="s", at=1)
    k.story("s").rename("t")
    assert [turn.text for turn in k.user("u").turns(story="t", at=1)] == [text]


def test_who_is_deleted_leaves_nothing_that_opens(path: Path) -> None:
    with kataribe.open(str(path)) as k:
        made(k, "en")
        k.user("u").said(SAID["en"][0], speaker="u", persona="himuro")
        assert k.admin.keys.status().users == 1
        erase(k, "u")
        assert k.admin.keys.status().users == 0
        made(k, "en")
        k.user("u").said(SAID["en"][0], speaker="u", persona="himuro")
        assert k.user("u").turns()[0].text == SAID["en"][0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_system_said_gives_nobody_words_back(k: Kataribe, language: Language) -> None:
    made(k, language)
    text, datum, _ = SAID[language]
    k.user("u").said("It is warm today.", speaker="u", persona="himuro")
    k.user("u").said(text, speaker="system", persona="himuro")
    (keyword,) = k.viewer(user="u", persona="himuro").search_log([datum]).keywords
    assert TOKEN.fullmatch(keyword)
