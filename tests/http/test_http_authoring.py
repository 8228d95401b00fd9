"""What a writer does over HTTP: views, branches, review, cards; by which key, and with what refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from kataribe.surfaces.http.options import ServerOptions
from support.serving import Client, Served, served

Row = dict[str, Any]
TEXTS = {
    "en": "[[known-by: ada]] Ada hid the silver key.\n\n[[known-by: public]] The ferry left at noon.",
    "ja": "【知る者：ada】アダは銀の鍵を隠した。\n\n【知る者：全員】船は正午に出た。",
}
SECRET = {"en": "Ada hid the silver key.", "ja": "アダは銀の鍵を隠した。"}
LANGUAGES = ("en", "ja")


def run(
    folder: Path,
    act: Callable[[Served, Client], Awaitable[None]],
    language: str = "en",
    options: ServerOptions | None = None,
) -> None:
    """Do something with a store in which a story is, as an author and its owner."""

    async def whole() -> None:
        async with served(folder, options) as here:
            tale: Any = here.memory.story("潮")
            await tale.create(language=language, embedder="hash", audience="wide")
            author = await here.key("author")
            cast = {"characters": [{"id": "ada", "name": "Ada"}, {"id": "bo", "name": "Bo"}]}
            await author("PUT", "/stories/潮/cast", cast, status=200)
            for no in (1, 2):
                await tale.episodes.put(no, TEXTS[language] if no == 1 else "…")
            await tale.sync()
            await act(here, author)

    asyncio.run(whole())


def seen(got: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    return got.status_code, sorted(got.headers.items()), got.content


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_author_is_told_who_knows_what_and_why(tmp_path: Path, language: str) -> None:
    async def act(_: Served, author: Client) -> None:
        ada, bo = {"persona": "ada", "at": 2}, {"persona": "bo", "at": 2}
        found = (await author("POST", "/stories/潮/diff", {"left": ada, "right": bo}, status=200)).json()
        assert [line["text"] for line in found["only_left"]] == [SECRET[language]]
        assert found["only_right"] == []
        (one,) = (
            await author("POST", "/stories/潮/why", {"viewer": bo, "text": SECRET[language], "top_k": 1})
        ).json()["items"]
        assert (one["text"], one["knows"]) == (SECRET[language], False)
        asked = {"viewer": {"persona": "ada", "at": "now"}, "fact_id": one["fact_id"]}
        (one,) = (await author("POST", "/stories/潮/why", asked, status=200)).json()["items"]
        assert one["knows"] is True
        matrix = (await author("GET", "/stories/潮/matrix?characters=[%22ada%22]", status=200)).json()
        assert SECRET[language] in json.dumps(matrix, ensure_ascii=False)
        assert '"bo"' not in json.dumps(matrix["rows"])

    run(tmp_path, act, language)


def test_an_authors_key_asks_why_of_no_user_and_cannot_tell_whether_there_is_one(tmp_path: Path) -> None:
    async def act(here: Served, author: Client) -> None:
        await here.memory.user("yuki").create(language="ja", embedder="hash")
        ada = {"persona": "ada", "at": 2}
        answers = set()
        for named in ({"user": "yuki"}, {"user": "nobody"}, {"as_of": "2026-05-01T00:00:00+00:00"}):
            viewer = {**ada, **named}
            asked: list[tuple[str, Row]] = [
                ("/stories/潮/why", {"viewer": viewer, "text": "key"}),
                ("/stories/潮/diff", {"left": viewer, "right": ada}),
                ("/stories/潮/diff", {"left": ada, "right": viewer}),
            ]
            for path, body in asked:
                answers.add(str(seen(await author("POST", path, body, status=404))))
        assert len(answers) == 1
        body = {"viewer": {**ada, "story": "other"}, "text": "key"}
        assert "'story'" in (await author("POST", "/stories/潮/why", body, status=400)).json()["detail"]

    run(tmp_path, act)


def test_only_the_owner_is_told_of_the_whole_store(tmp_path: Path) -> None:
    """Searches of users, changes of all spaces, and what a check of the file says of erasures."""

    async def act(here: Served, author: Client) -> None:
        admin = await here.key("admin")
        for path in (
            "/stories/潮/verify",
            "/verify",
            "/changes?story=潮",
            "/traces?story=潮",
            "/branches",
            "/estimate",
            "/backups",
            "/users/yuki/nights",
            "/users/yuki/consents",
        ):
            await author("GET", path, status=403)
        for path in ("/verify", "/stories/潮/verify"):
            assert (await admin("GET", path, status=200)).json()["ok"] is True
        before = (await admin("GET", "/changes?story=潮", status=200)).json()["cursor"]
        await author("PUT", "/stories/潮/episodes/3", {"text": TEXTS["en"]})
        await author("POST", "/stories/潮/sync", {}, status=200)
        found = (await admin("GET", f"/changes?since={before}", status=200)).json()
        assert {(one["space"], one["unit"]) for one in found["changes"]} == {("story:潮", "ep-3")}
        assert (await admin("GET", f"/changes?since={found['cursor']}")).json()["changes"] == []

    run(tmp_path, act)


def test_an_uncertain_scene_is_decided_and_the_step_taken_back(tmp_path: Path) -> None:
    async def act(_: Served, author: Client) -> None:
        text = "Somebody whispered that the lamp is broken."
        await author("PUT", "/stories/潮/episodes/4", {"text": text})
        await author("POST", "/stories/潮/sync", {}, status=200)
        (scene,) = (await author("GET", "/stories/潮/scenes", status=200)).json()["items"]
        waits = {"episode_no": scene["episode_no"], "scene": scene["scene"]}
        step = await author("POST", "/stories/潮/scenes/decide", {**waits, "audience": ["bo"]}, status=200)
        await author("POST", "/stories/潮/sync", {}, status=200)
        known = {"story": "潮", "persona": "bo", "at": 5}
        assert text in (await author("POST", "/known", known, status=200)).text
        gone = await author("POST", "/stories/潮/scenes/decide", {**waits, "audience": ["bo"]}, status=404)
        assert "no scene" in gone.json()["detail"]
        (last, *_) = (await author("GET", "/stories/潮/steps", status=200)).json()["items"]
        assert last == step.json()
        assert (await author("POST", "/stories/潮/undo", {}, status=200)).json()["number"] == last["number"]
        await author("POST", "/stories/潮/sync", {}, status=200)
        assert text not in (await author("POST", "/known", known, status=200)).text

    run(tmp_path, act)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fact_in_review_is_decided(tmp_path: Path, language: str) -> None:
    async def act(_: Served, author: Client) -> None:
        listed = (await author("GET", "/stories/潮/facts", status=200)).json()["items"]
        fact = next(one for one in listed if one["text"] == SECRET[language])
        path = f"/stories/潮/facts/{fact['fact_id']}/decide"
        wide = {"verb": "widen", "audience": ["ada", "bo"]}
        await author("POST", path, {"decision": wide}, status=200)
        await author("POST", "/stories/潮/sync", {}, status=200)
        known = await author("POST", "/known", {"story": "潮", "persona": "bo", "at": 2}, status=200)
        assert SECRET[language] in known.text
        for wrong, said in (
            ({"verb": "burn"}, "decision.verb must be one of"),
            ({"audience": ["bo"]}, "decision.verb is missing"),
            ({"verb": "keep", "who": "bo"}, "has no 'who'"),
            ("keep", "must be an object"),
        ):
            got = await author("POST", path, {"decision": wrong}, status=400)
            assert said in got.json()["detail"]

    run(tmp_path, act, language)


def test_many_episodes_are_put_all_or_none(tmp_path: Path) -> None:
    async def act(_: Served, author: Client) -> None:
        rows = [{"no": no, "text": f"Bo counted {no} boats."} for no in range(10, 60)]
        got = await author("POST", "/stories/潮/episodes", {"episodes": rows}, status=202)
        assert [one["no"] for one in got.json()["episodes"]] == list(range(10, 60))
        again = await author("POST", "/stories/潮/episodes", {"episodes": rows})
        assert {one["change"] for one in again.json()["episodes"]} == {"unchanged"}
        wrong = [{"no": 70, "text": "x"}, {"no": 71, "text": "y", "facts": [{}]}]
        await author("POST", "/stories/潮/episodes", {"episodes": wrong}, status=400)
        await author("GET", "/stories/潮/episodes/70", status=404)

    run(tmp_path, act)


def card(name: str, says: str) -> bytes:
    book = {"entries": [{"keys": ["鍵"], "content": says, "extensions": {}, "enabled": True}]}
    data = {"name": name, "description": says, "character_book": book, "their own": {"kept": [1, "二"]}}
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()


@pytest.mark.parametrize(
    ("name", "says"), [("テス", "テスは鍵を預かっている。"), ("Tess", "Tess keeps the key.")]
)
@pytest.mark.parametrize(
    ("form", "media"), [("json", "application/json"), ("png", "image/png"), ("charx", "application/zip")]
)
def test_a_card_that_is_sent_comes_back_in_every_form(
    tmp_path: Path, form: str, media: str, name: str, says: str
) -> None:
    async def act(here: Served, author: Client) -> None:
        sent = card(name, says)
        path = "/stories/潮/cards?character_id=tess"
        done = (await author("POST", path, data=sent, status=200)).json()
        assert (done["story"], done["character"], done["change"]) == ("潮", "tess", "new")
        got = await author("GET", f"/stories/潮/cards/tess?form={form}", status=200)
        assert got.headers["content-type"] == media
        other: Any = here.memory.story("other")
        await other.create(language="ja", embedder="hash")
        back = "/stories/other/cards?character_id=tess"
        await author("POST", back, data=got.content, status=200)
        again = await author("GET", "/stories/other/cards/tess", status=200)
        assert again.json()["data"]["their own"] == {"kept": [1, "二"]}
        assert says in again.text
        assert (await author("POST", path, data=sent, status=200)).json()["change"] == "unchanged"

    run(tmp_path, act)


def test_a_card_is_the_body_and_never_a_file_of_the_server(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(card("Mole", "The vault opens at nine."))

    async def act(_: Served, author: Client) -> None:
        for query in (f"card={secret}", f"path={secret}", f"book={secret}"):
            for to in ("cards", "lorebook"):
                await author("POST", f"/stories/潮/{to}?{query}", data=b"{}", status=400)
        for data, said in (
            (str(secret).encode(), "JSON"),
            (b"\x89PNG\r\n\x1a\n", "the card"),
            (b'{"spec": "chara_card_v2", "data": {}}', "name"),
            (b"", "the card"),
        ):
            got = await author("POST", "/stories/潮/cards", data=data, status=400)
            assert said in got.json()["detail"]
        assert "Mole" not in (await author("GET", "/stories/潮/cast", status=200)).text
        await author("GET", "/stories/潮/cards/ada?form=exe", status=400)

    run(tmp_path, act)


def test_a_lorebook_goes_in_and_out_with_who_knows_an_entry(tmp_path: Path) -> None:
    async def act(_: Served, author: Client) -> None:
        entries = {
            "0": {"key": ["bell"], "content": "The bell cracked."},
            "1": {
                "key": ["鍵"],
                "content": "鍵は二つある。",
                "extensions": {"kataribe": {"audience": ["ada"]}},
            },
        }
        data = json.dumps({"entries": entries}).encode()
        done = (await author("POST", "/stories/潮/lorebook?name=harbour", data=data, status=200)).json()
        assert (done["character"], done["facts"]) == (None, 2)
        await author("POST", "/stories/潮/sync", {}, status=200)
        for who, texts in (("ada", {"The bell cracked.", "鍵は二つある。"}), ("bo", {"The bell cracked."})):
            known = {"story": "潮", "persona": who, "at": "now"}
            hits = (await author("POST", "/known", known, status=200)).json()["hits"]
            assert {"The bell cracked.", "鍵は二つある。"} & {hit["text"] for hit in hits} == texts
        back = (await author("GET", "/stories/潮/lorebook", status=200)).json()
        told = {one["content"]: one["extensions"].get("kataribe", {}) for one in back["data"]["entries"]}
        assert told["鍵は二つある。"]["audience"] == ["ada"]
        assert told.keys() >= {"The bell cracked."}

    run(tmp_path, act)


def test_what_is_sent_is_limited_and_one_idempotency_key_is_of_one_file(tmp_path: Path) -> None:
    async def act(_: Served, author: Client) -> None:
        path = "/stories/潮/cards?character_id=tess"
        await author("POST", path, data=b"x" * 5000, status=413)
        one, other = card("Tess", "Tess keeps the key."), card("Tess", "Tess lost the key.")
        first = await author("POST", path, data=one, idempotency_key="k", status=200)
        again = await author("POST", path, data=one, idempotency_key="k", status=200)
        assert seen(first) == seen(again)
        await author("POST", path, data=other, idempotency_key="k", status=422)

    run(tmp_path, act, options=ServerOptions(body_bytes=4000))


def test_a_branch_goes_its_own_way(tmp_path: Path) -> None:
    async def act(_: Served, author: Client) -> None:
        await author("PUT", "/stories/潮/branches/潮-if", {"after": 1}, status=201)
        (one,) = (await author("GET", "/stories/潮/branches", status=200)).json()["items"]
        assert (await author("GET", "/stories/潮-if/origin", status=200)).json() == one
        await author("GET", "/stories/潮/origin", status=409)
        await author("PUT", "/stories/潮-if/episodes/2", {"text": TEXTS["ja"]})
        await author("POST", "/stories/潮-if/sync", {}, status=200)
        found = (await author("GET", "/stories/潮/compare/潮-if", status=200)).json()
        assert SECRET["ja"] in json.dumps(found, ensure_ascii=False)
        await author("DELETE", "/stories/潮", status=409)
        await author("POST", "/stories/潮-if/detach", {}, status=204)
        await author("DELETE", "/stories/潮", status=204)

    run(tmp_path, act)
