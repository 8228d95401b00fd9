"""Talk under a story on the command line.

Brought in, listed, asked about beside the story, and looked after.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import kataribe
from cli.conftest import Cli, Row, jsonl
from kataribe.adapters.hashing import HashEmbedder
from kataribe.domain.work import WorkPolicy
from kataribe.errors import EmbedderError, withheld
from kataribe.worker import handler

EN: dict[str, Any] = {
    "language": "en",
    "who": "wren",
    "other": "odile",
    "cast": [{"id": "wren"}, {"id": "odile"}],
    "episode": "[[known-by: public]] The ferry crossed the sound for the {no}. time.",
    "secret": "I buried the copper whistle under the lighthouse stairs.",
    "outside": "You told me that your sister plays the copper whistle in Leeds.",
    "question": "Where is the copper whistle?",
    "word": "whistle",
}
JA: dict[str, Any] = {
    "language": "ja",
    "who": "澪",
    "other": "宗一",
    "cast": [{"id": "澪"}, {"id": "宗一"}],
    "episode": "【知る者：全員】連絡船は{no}度目に海峡を渡った。",
    "secret": "銅の笛は灯台の階段の下に埋めたの。",
    "outside": "あなたの妹さんは大阪で銅の笛を吹くと言っていたね。",
    "question": "銅の笛はどこにある？",
    "word": "笛",
}
AS_OF = ("--as-of", "2024-06-01T00:00Z")


@pytest.fixture(params=[EN, JA], ids=["en", "ja"])
def words(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


def line(name: str, text: str, speaker: str) -> Row:
    return {"id": name, "session": "1", "speaker": speaker, "text": text, "time": "2024-05-01T12:00:00Z"}


def story(cli: Cli, words: dict[str, Any]) -> None:
    episodes = [{"episode_no": no, "text": words["episode"].format(no=no)} for no in range(1, 5)]
    folder = cli.folder("told", episodes, cast=words["cast"])
    cli.take_in(folder, "s", "--language", words["language"])


def bring_in(cli: Cli, words: dict[str, Any], *options: object, code: int = 0) -> Any:
    file = cli.file("talk.jsonl", jsonl([line("secret", words["secret"], words["who"])]))
    given = ("--user", "u", "--persona", words["who"], "--embedder", "hash", *options)
    return cli("log", "import", file, *given, code=code)


@pytest.fixture
def told(cli: Cli, words: dict[str, Any]) -> Cli:
    """A story of four episodes, a secret that was told in talk at the third, and a line outside."""
    story(cli, words)
    bring_in(cli, words, "--story", "s", "--at", 3)
    said = cli.file("outside.jsonl", jsonl([line("outside", words["outside"], words["who"])]))
    cli("log", "import", said, "--user", "u", "--persona", words["who"])
    return cli


def viewer(words: dict[str, Any], at: int, who: str = "who") -> tuple[object, ...]:
    return ("--story", "s", "--as", words[who], "--at", at, "--user", "u", *AS_OF)


def test_a_log_is_put_there_listed_shown_and_deleted(cli: Cli, words: dict[str, Any]) -> None:
    story(cli, words)
    ran = bring_in(cli, words, "--story", "s", "--at", 3, "--json")
    assert (ran.object["turns"], ran.object["new"], ran.object["pages"]) == (1, 1, 1)
    again = bring_in(cli, words, "--story", "s", "--at", 3, "--json").object
    assert (again["new"], again["unchanged"], again["embedded"]) == (0, 1, 0)
    there = ("--user", "u", "--story", "s", "--at", 3)
    assert [row["text"] for row in cli("log", "list", *there, "--json").objects] == [words["secret"]]
    assert cli("log", "list", "--user", "u", "--json").objects == []
    assert cli("log", "show", *there, "--turn", "secret", "--json").object["id"] == "secret"
    assert "has no turn" in cli("log", "show", "--user", "u", "--turn", "secret", code=3).err
    assert "has no turn" in cli("log", "delete", "--user", "u", "--turn", "secret", code=3).err
    cli("log", "delete", *there, "--turn", "secret")
    assert cli("log", "list", *there, "--json").objects == []
    assert "--story and --at" in cli("log", "list", "--user", "u", "--story", "s", code=2).err


def test_talk_needs_who_was_there_and_an_episode(cli: Cli, words: dict[str, Any]) -> None:
    story(cli, words)
    file = cli.file("talk.jsonl", jsonl([line("secret", words["secret"], words["who"])]))
    given = ("log", "import", file, "--user", "u", "--embedder", "hash", "--story", "s")
    assert "--persona" in cli(*given, "--at", 3, code=2).err
    assert "--story and --at" in cli(*given, "--persona", words["who"], code=2).err
    assert "right after the last (5)" in cli(*given, "--persona", words["who"], "--at", 6, code=3).err
    assert cli("user", "list").table == []
    cli(*given, "--persona", words["who"], "--at", 5)


def test_recall_reads_the_story_the_talk_and_what_was_said_outside(told: Cli, words: dict[str, Any]) -> None:
    found = told("recall", words["question"], *viewer(words, 3), "--json").object
    assert found["viewer"] == {
        "story": "s",
        "character": words["who"],
        "at": 3,
        "in_cast": True,
        "user": "u",
        "persona": words["who"],
        "as_of": "2024-06-01T00:00:00+00:00",
    }
    assert (found["cutoff"], found["pending_episodes"], found["pending_turns"]) == (2, [], 0)
    spaces = {hit["space"] for hit in found["hits"]}
    assert spaces == {"story:s", "talk:s:u:ep-3", "user:u"}
    ran = told("recall", words["question"], *viewer(words, 3))
    head = ran.out.split("\n")[0].split("\t")
    assert head == ["score", "space", "episode", "session", "speaker", "time", "known to", "text"]
    rows = {row[1]: row for row in ran.table}
    assert rows["story:s"][2] in ("1", "2")
    assert rows["story:s"][3:6] == ["", "", ""]
    assert rows["talk:s:u:ep-3"][2:5] == ["", "1", words["who"]]
    explained = told("recall", words["question"], *viewer(words, 3), "--explain")
    assert "talk:s:u:ep-3 1 " in explained.out
    assert explained.out.split("\n")[0].split("\t")[1] == "from"


@pytest.mark.parametrize("command", ["recall", "known", "context", "answer", "log search"])
def test_what_is_told_later_is_in_no_command(told: Cli, words: dict[str, Any], command: str) -> None:
    asked = {
        "recall": ("recall", words["question"]),
        "known": ("known",),
        "context": ("context", words["question"]),
        "answer": ("answer", words["question"]),
        "log search": ("log", "search", words["word"]),
    }[command]
    for form in ((), ("--json",)):
        early, late = (told(*asked, *viewer(words, at), *form) for at in (2, 3))
        assert words["secret"] not in early.out + early.err
        assert words["secret"] in late.out
        assert words["outside"] in early.out


def test_a_use_is_of_what_the_viewer_remembers(told: Cli, words: dict[str, Any]) -> None:
    assert "remembers" in told("used", "secret", *viewer(words, 2), code=3).err
    assert told("used", "secret", *viewer(words, 3)).err == "1 noted as used\n"


def test_why_tells_of_a_turn(told: Cli, words: dict[str, Any]) -> None:
    found = told("why", "secret", *viewer(words, 2), "--json").object
    assert (found["knows"], found["space"], found["episode_no"]) == (False, "talk:s:u:ep-3", 3)
    assert [check["step"] for check in found["checks"] if not check["ok"]] == ["before"]
    assert told("why", "secret", *viewer(words, 3), "--json").object["knows"] is True
    other = told("why", "secret", *viewer(words, 3, "other"))
    assert words["other"] in "\t".join(next(row for row in other.table if row[0] == "held"))
    outside = told("why", "outside", "--user", "u", "--as", words["who"], *AS_OF, "--json").object
    assert (outside["knows"], outside["viewer"]["user"]) == (True, "u")
    assert "nothing is called" in told("why", "none", *viewer(words, 3), code=3).err
    assert words["secret"] in told("why", "secret", *viewer(words, 3), "--html").out


def test_a_search_that_cuts_says_how_all_of_it_is_read(cli: Cli, words: dict[str, Any]) -> None:
    story(cli, words)
    long = words["secret"] + words["outside"] * 30
    file = cli.file("talk.jsonl", jsonl([line("long", long, words["who"])]))
    there = ("--user", "u", "--story", "s", "--at", 5)
    cli("log", "import", file, "--persona", words["who"], "--embedder", "hash", *there)
    (hit,) = cli("log", "search", words["word"], *viewer(words, 5), "--json").object["hits"]
    command = hit["more"].partition("kataribe ")[2].split(" ")
    assert cli(*command, "--json").object["text"] == long


def test_a_trace_of_both_is_shown_for_each(told: Cli, words: dict[str, Any]) -> None:
    told("recall", words["question"], *viewer(words, 3))
    for of in (("--story", "s"), ("--user", "u")):
        (found,) = told("trace", *of, "--json").objects
        assert (found["story"], found["episode_no"], found["user"]) == ("s", 3, "u")
        assert found["as_of"] == "2024-06-01T00:00:00+00:00"
        ran = told("trace", *of)
        assert ran.table[0][3:5] == ["3", "2024-06-01T00:00:00+00:00"]


# -- looking after it ----------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An embedder that fails, and no wait before a work is tried again."""

    async def fail(*_: object) -> object:
        raise EmbedderError(withheld("", "the embedder is away"))

    with monkeypatch.context() as patch:
        patch.setattr(HashEmbedder, "embed_documents", fail)
        yield patch


def at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WorkPolicy, "due_again", lambda _, now, __: now)


def test_an_import_waits_for_nothing_and_what_fails_stays_due(
    cli: Cli, words: dict[str, Any], broken: pytest.MonkeyPatch
) -> None:
    ran = bring_in(cli, words, "--language", words["language"], "--json", code=1)
    assert list(ran.object["failed"].values()) == ["the embedder is away"]
    assert "run `kataribe sync --user u --retry`" in ran.err
    (item,) = cli("work", "list", "--user", "u", "--json").objects
    assert (item["state"], item["attempts"], item["user"]) == ("waiting", 1, "u")
    broken.undo()
    cli("work", "retry", "--user", "u")
    cli("sync", "--user", "u")
    assert cli("work", "list", "--json").objects == []


def test_dead_turns_are_listed_retried_dropped_and_told_by_the_worker(
    cli: Cli, words: dict[str, Any], broken: pytest.MonkeyPatch
) -> None:
    at_once(broken)
    bring_in(cli, words, "--language", words["language"], code=1)
    ran = cli("sync", "--user", "u", "--workers", 2, code=1)
    assert "error: user:u 2024-05-01" in ran.err
    assert "these turns are not in memory" in ran.err
    (row,) = cli("work", "list", "--dead").table
    assert row[3:6] == ["u", "2024-05-01", "dead"]
    unit = ("--user", "u", "--unit", "2024-05-01")
    assert "1 unit of turns to be tried again" in cli("work", "retry", *unit).err
    broken.setenv("KATARIBE_DB", str(cli.db))
    answer = handler({"user": "u"})
    assert answer["dead"] == [
        {"user": "u", "space": "user:u", "unit": "2024-05-01", "reason": "the embedder is away"}
    ]
    json.dumps(answer)
    cli("sync", "--user", "u", "--retry", code=1)
    cli("work", "retry", *unit)
    cli("work", "drop", *unit)
    (item,) = cli("work", "list", "--user", "u", "--json").objects
    assert (item["state"], item["unit"]) == ("dropped", "2024-05-01")
    for wrong in (("drop", "--user", "u"), ("drop", "--story", "s"), ("retry", "--unit", "x")):
        cli("work", *wrong, code=2)
    cli("work", "list", "--user", "u", "--story", "s", code=2)


def test_the_worker_brings_up_users(
    told: Cli, words: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATARIBE_DB", str(told.db))
    with kataribe.open(str(told.db)) as store:
        for at in (2, 4):
            more = store.user("u").turns(story="s", at=3)
            store.user("u").put_turns(more, story="s", at=at)
        store.story("s").episodes.put(no=5, text=words["episode"].format(no=5))
    body = [json.dumps({"user": "u"}), json.dumps({"user": "none"}), json.dumps({"user": 3})]
    answer = handler({"Records": [{"messageId": f"m{no}", "body": one} for no, one in enumerate(body)]})
    assert (answer["done"], answer["left"], answer["dead"]) == (2, 0, [])
    assert [one["messageId"] for one in answer["poison"]] == ["m2", "m1"]  # type: ignore[attr-defined]
    assert handler({})["done"] == 1, "the episode"


def test_sync_rebuild_and_verify_cover_talk(told: Cli, words: dict[str, Any]) -> None:
    before = told("recall", words["question"], *viewer(words, 4), "--json").object
    told("rebuild")
    assert told("recall", words["question"], *viewer(words, 4), "--json").object == before
    told("rebuild", "--user", "u")
    assert told("recall", words["question"], *viewer(words, 4), "--json").object == before
    found = told("verify", "--user", "u", "--json").object
    assert (found["ok"], found["turns"], found["memories"]) == (True, 2, 2)
    assert told("verify", "--json").object["turns"] == 2
    assert "0 units of turns remembered" in told("sync", "--user", "u").err
    assert "0 episodes brought up, 0 texts embedded" in told("sync", "--story", "s").err
