"""Character cards, lorebooks and chats of role-play programs: read, refused with the place, written again."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from kataribe.domain.conversation.turns import Role
from kataribe.domain.terms import PUBLIC, known_by
from kataribe.errors import FormatError, InputError
from kataribe.formats.cards.card import CardForm, CardSpec, card_bytes, form_of, parse_card, read_card
from kataribe.formats.cards.lorebook import lorebook_bytes, parse_lorebook, read_lorebook
from kataribe.formats.cards.png import plain_picture, with_texts
from kataribe.formats.logs import LogFormat, LogOptions, parse_log

CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "kept": 1,
    "data": {
        "name": "澪",
        "nickname": "みお",
        "description": "灯台守の娘。",
        "extensions": {"other/app": {"a": [1, 2]}},
        "unknown": {"b": None},
        "character_book": {
            "name": "島",
            "scan_depth": 3,
            "entries": [
                {"keys": ["灯台"], "content": "灯台は東の岬にある。", "id": 7, "position": "after_char"},
                {"keys": ["鍵"], "content": "鍵は井戸の中。", "enabled": False},
                {
                    "keys": ["船"],
                    "content": "船は夜に出る。",
                    "extensions": {"kataribe": {"audience": ["rin"], "episode": 2}, "x": 1},
                },
            ],
        },
    },
}


def dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def in_zip(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return made.getvalue()


@pytest.mark.parametrize("form", CardForm)
def test_a_card_comes_out_as_it_went_in(form: CardForm) -> None:
    """Unknown fields too, in every form."""
    card = parse_card(dumped(CARD), "c.json")
    again = parse_card(card_bytes(card, form), "c")
    assert (again.name, again.data, again.rest["kept"]) == ("澪", card.data, 1)
    assert again.data["unknown"] == {"b": None}
    assert card_bytes(again, form) == card_bytes(parse_card(card_bytes(again, form), "c"), form)
    assert again.book is not None
    for came, goes in zip(CARD["data"]["character_book"]["entries"], again.book.entries, strict=True):
        assert came.items() <= goes.raw.items()
    assert again.book.rest["scan_depth"] == 3


def test_an_entry_says_who_knows_it_and_when() -> None:
    book = parse_card(dumped(CARD), "c.json").book
    assert book is not None
    assert [one.enabled for one in book.entries] == [True, False, True]
    assert [one.audience for one in book.entries] == [None, None, known_by("rin")]
    assert [one.episode for one in book.entries] == [None, None, 2]


def test_of_a_picture_with_both_cards_the_newer_counts() -> None:
    old = dumped({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Old"}})
    texts = {"chara": base64.b64encode(old), "ccv3": base64.b64encode(dumped(CARD))}
    both = with_texts(plain_picture(), "p", texts)
    assert parse_card(both, "p.png").name == "澪"
    only = with_texts(plain_picture(), "p", {"chara": texts["chara"]})
    assert parse_card(only, "p.png").spec is CardSpec.V2
    assert parse_card(with_texts(only, "p", texts), "p.png").name == "澪"


def test_a_card_of_version_one_is_read_and_written_as_two() -> None:
    card = parse_card(dumped({"name": "Ann", "description": "A baker.", "more": 1}), "c.json")
    assert (card.spec, card.text("description"), card.data["more"]) == (CardSpec.V1, "A baker.", 1)
    assert parse_card(card_bytes(card, CardForm.JSON), "c").spec is CardSpec.V2


def test_another_cards_picture_and_assets_are_taken_over() -> None:
    card = parse_card(dumped(CARD), "c.json")
    like = in_zip(card__json=dumped(CARD), **{"assets/icon.bin": b"\x00\x01"})
    with zipfile.ZipFile(io.BytesIO(card_bytes(card, CardForm.CHARX, like=like))) as made:
        assert made.read("assets/icon.bin") == b"\x00\x01"
    with_asset = {**CARD, "data": {**CARD["data"], "assets": [{"uri": "embeded://a"}, {"uri": "https://b"}]}}
    bare = parse_card(card_bytes(parse_card(dumped(with_asset), "c"), CardForm.CHARX), "c")
    assert bare.data["assets"] == [{"uri": "https://b"}], "what would have to lie beside it is left out"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "JSON"),
        (b"[]", "must be an object"),
        (dumped({"spec": "chara_card_v9", "data": {}}), "spec must be"),
        (dumped({"spec": "chara_card_v2"}), "data: must be an object"),
        (dumped({"spec": "chara_card_v2", "data": {"description": "x"}}), "'name' is missing"),
        (dumped({"spec": "chara_card_v2", "data": {"name": " "}}), "name must not be empty"),
        (dumped({"spec": "chara_card_v2", "data": {"name": "A", "scenario": 3}}), "scenario must be"),
        (dumped({"name": "A", "character_book": {"entries": 3}}), "character_book: entries must be"),
        (
            dumped({"name": "A", "character_book": {"entries": [{"keys": ["a"]}]}}),
            "character_book: entries[0]: the field 'content' is missing",
        ),
        (
            dumped({"name": "A", "character_book": {"entries": [{"keys": [1], "content": "x"}]}}),
            "entries[0]: keys must be a list of texts",
        ),
        (plain_picture(), "no character card"),
        (plain_picture()[:-6], "cut off"),
        (plain_picture()[:40] + b"\xff" + plain_picture()[41:], "damaged"),
        (with_texts(plain_picture(), "p", {"chara": b"!!"}), "no base64"),
        (in_zip(other=b""), "no charx"),
        (in_zip(card__json=dumped(CARD))[:-30], "broken"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_refused_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as refused:
        parse_card(data, "card.bin")
    assert said in str(refused.value)
    assert "card.bin" in str(refused.value)


def test_a_card_that_unpacks_to_too_much_is_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", b" " * (17 * 2**20))
    with pytest.raises(FormatError, match="larger than"):
        parse_card(made.getvalue(), "bomb.charx")


def test_a_card_is_written_to_a_file_of_a_known_ending() -> None:
    assert form_of(Path("a.PNG")) is CardForm.PNG
    with pytest.raises(InputError, match=r"\.?json, png, charx"):
        form_of(Path("a.jpg"))


def test_world_info_is_read_and_comes_out_as_a_lorebook() -> None:
    world = {
        "entries": {
            "0": {"uid": 0, "key": ["dragon"], "keysecondary": ["red"], "comment": "Dragons",
                  "content": "Dragons sleep.", "order": 5, "disable": False, "constant": True},
            "1": {"uid": 1, "key": "elf, elves", "content": "Elves sing.", "disable": True},
        }
    }  # fmt: skip
    book = parse_lorebook(dumped(world), "w.json")
    assert [(one.keys, one.enabled) for one in book.entries] == [
        (("dragon",), True),
        (("elf", "elves"), False),
    ]
    written = json.loads(lorebook_bytes(book))
    first = written["data"]["entries"][0]
    assert (first["keys"], first["secondary_keys"], first["insertion_order"]) == (["dragon"], ["red"], 5)
    assert (first["constant"], first["enabled"], first["id"]) == (True, True, 0)
    again = parse_lorebook(lorebook_bytes(book), "w.json")
    assert [one.content for one in again.entries] == ["Dragons sleep.", "Elves sing."]
    assert lorebook_bytes(again) == lorebook_bytes(parse_lorebook(lorebook_bytes(again), "w.json"))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"entries": {"a": {"key": ["x"]}}}, "entries.a: the field 'content' is missing"),
        ({"spec": "chara_card_v2", "data": {"name": "A"}}, "card import"),
        ({"name": "x"}, "entries must be a list"),
        (
            {"entries": [{"keys": [], "content": "x", "extensions": {"kataribe": {"audience": "Rin"}}}]},
            "extensions.kataribe: audience must be",
        ),
    ],
)
def test_a_malformed_lorebook_is_refused_with_its_place(value: object, said: str) -> None:
    with pytest.raises(FormatError) as refused:
        parse_lorebook(dumped(value), "book.json")
    assert said in str(refused.value)


HEAD = {"user_name": "Ken", "character_name": "澪", "create_date": "2024-7-12@01h31m37s", "chat_metadata": {}}


@pytest.mark.parametrize(
    ("sent", "time"),
    [
        ("July 12, 2024 1:31am", "2024-07-12T01:31:00+00:00"),
        ("July 12, 2024 12:05pm", "2024-07-12T12:05:00+00:00"),
        ("2024-7-12 @01h 33m 01s 120ms", "2024-07-12T01:33:01.120000+00:00"),
        ("2024-7-12@01h33m", "2024-07-12T01:33:00+00:00"),
        ("2024-07-12T01:33:01Z", "2024-07-12T01:33:01+00:00"),
        (1720748000000, "2024-07-12T01:33:20+00:00"),
        ("1720748000000", "2024-07-12T01:33:20+00:00"),
    ],
)
def test_a_chat_is_a_log(sent: object, time: str) -> None:
    lines = [
        HEAD,
        {"name": "Ken", "is_user": True, "mes": "猫を飼い始めた。", "send_date": sent},
        {"name": "澪", "is_user": False, "mes": "名前は？", "swipes": ["a"]},
        {"name": "System", "is_user": False, "is_system": True, "mes": "hidden"},
    ]
    log = parse_log(b"\n".join(map(dumped, lines)), "chat.jsonl", LogOptions())
    assert log.form is LogFormat.SILLYTAVERN
    assert [turn.role for turn in log.turns] == [Role.USER, Role.PERSONA, Role.SYSTEM]
    assert {turn.session for turn in log.turns} == {"澪 2024-7-12@01h31m37s"}
    assert log.turns[0].time.isoformat() == time
    assert log.turns[0].audience == PUBLIC


@pytest.mark.parametrize(
    "sent", ["yesterday", "Juney 12, 2024 1:31am", "2024-13-12@01h33m", "July 40, 2024 1:31am"]
)
def test_a_chat_without_a_readable_time_is_refused_with_its_line(sent: str) -> None:
    lines = [HEAD, {"name": "Ken", "is_user": True, "mes": "Hi there.", "send_date": sent}]
    with pytest.raises(FormatError, match=r"chat\.jsonl:2"):
        parse_log(b"\n".join(map(dumped, lines)), "chat.jsonl")


def test_real_cards_are_read_and_written_again(cards: Path) -> None:
    for file in sorted(cards.glob("tk_*")):
        if "invalid" in file.name:
            with pytest.raises(FormatError):
                read_card(file)
        elif "world" in file.name:
            assert read_lorebook(file).entries
        else:
            card = read_card(file)
            for form in CardForm:
                again = parse_card(card_bytes(card, form), file.name)
                assert again.data.keys() == card.data.keys()
