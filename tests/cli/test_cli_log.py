"""Conversations from the command line: brought in, looked at, searched, deleted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import kataribe as face
from cli.conftest import Cli, Row, jsonl
from kataribe.errors import StoreFullError

LONG = "x " * 300 + "the harbour" + " y" * 300
TALK: tuple[Row, ...] = (
    {"session": "1", "speaker": "Ann", "text": "I left the silver key at the harbour office, under the mat.",
     "time": "2024-01-01T10:00:00Z", "id": "a", "persona": ["rin"]},
    {"session": "1", "speaker": "Rin", "text": "The harbour office is closed on every Sunday, you know.",
     "time": "2024-01-01T10:01:00Z", "id": "b", "mood": "calm"},
    {"session": "2", "speaker": "Ann", "text": LONG, "time": "2024-01-02T10:00:00Z", "id": "c",
     "caption": "a boat", "arousal": 0.5},
    {"session": "2", "speaker": "system", "text": "Speak of the harbour in a friendly and patient way.",
     "time": "2024-01-02T10:01:00Z", "id": "d"},
)  # fmt: skip
USER = ("--user", "u")


def log_of(cli: Cli, rows: Sequence[Row] = TALK, name: str = "log.jsonl") -> Path:
    return cli.file(name, jsonl(rows))


def bring_in(cli: Cli, rows: Sequence[Row] = TALK, *options: object) -> Row:
    return cli("log", "import", log_of(cli, rows), *USER, "--embedder", "hash", "--json", *options).object


def turns(cli: Cli, *options: object) -> list[Row]:
    return cli("log", "list", *USER, "--json", *options).objects


def known(cli: Cli, *options: object) -> list[str]:
    found = cli("known", *USER, "--json", *options).object
    return [hit["fact_id"] for hit in found["hits"]]


def test_what_is_imported_is_there_as_written_and_remembered(cli: Cli) -> None:
    report = bring_in(cli)
    assert report == {
        "user": "u", "format": "turns", "conversation": None, "turns": 4, "new": 4, "changed": 0,
        "unchanged": 0, "pages": 2, "embedded": 3, "failed": {}, "ahead": [], "left_out": {},
    }  # fmt: skip
    first, second, third, _ = turns(cli)
    assert (first["text"], first["known_by"]) == (TALK[0]["text"], ["rin"])
    assert (second["known_by"], second["extra"]) == (["world"], {"mood": "calm"})
    assert (third["caption"], third["arousal"], third["time"]) == ("a boat", 0.5, "2024-01-02T10:00:00+00:00")
    assert known(cli) == ["b", "c"], "the system's turn is kept, and not remembered"
    assert known(cli, "--as", "rin") == ["a", "b", "c"]


def test_the_same_again_changes_nothing_and_a_line_one_turn(cli: Cli) -> None:
    bring_in(cli)
    assert {key: bring_in(cli)[key] for key in ("new", "changed", "unchanged", "pages", "embedded")} == {
        "new": 0, "changed": 0, "unchanged": 4, "pages": 0, "embedded": 0,
    }  # fmt: skip
    rows = [dict(row) for row in TALK]
    rows[1]["text"] = "The harbour office opens on Sunday now."
    report = bring_in(cli, [*rows, {**rows[0], "id": "e", "text": "One more thing I wanted to say."}])
    assert (report["new"], report["changed"], report["unchanged"]) == (1, 1, 3)
    assert rows[1]["text"] in [turn["text"] for turn in turns(cli)]
    assert cli("verify").out.startswith("sound")


def test_it_reads_standard_input_and_tells_the_language(cli: Cli) -> None:
    row = {"speaker": "アン", "text": "銀の鍵は石の下にある。", "time": "2024-01-01T10:00:00"}
    data = jsonl([row]).encode()
    options = ("--session", "s", "--persona", "himuro", "--persona", "rin", "--timezone", "Asia/Tokyo")
    ran = cli("log", "import", "-", *USER, "--embedder", "hash", *options, stdin=data)
    assert "created user u (ja, embedder hash-1, language told from the turns)" in ran.err
    assert "UTC" not in ran.err
    (turn,) = turns(cli)
    assert turn["time"] == "2024-01-01T10:00:00+09:00"
    assert (turn["session"], turn["known_by"]) == ("s", ["himuro", "rin"])
    ran = cli("log", "import", "-", *USER, "--session", "s", stdin=data)
    assert "1 time without a zone taken as UTC; name another with --timezone" in ran.err


def test_a_malformed_file_stores_nothing(cli: Cli) -> None:
    bad = log_of(cli, [TALK[0], {**TALK[1], "text": ""}, {**TALK[2], "time": "late"}])
    ran = cli("log", "import", bad, *USER, "--embedder", "hash", code=3)
    assert f"{bad}:2: text must not be empty" in ran.err
    assert "line 3: time 'late' is not ISO 8601" in ran.err
    assert cli("user", "list").table == []


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (
            ("--format", "csv"),
            2,
            "--format must be auto, turns, locomo, realpersonachat, openai, chatgpt, sillytavern, diary",
        ),
        (("--timezone", "Nowhere"), 3, "no timezone 'Nowhere'"),
        (("--conversation", "x"), 3, "holds no conversation 'x'"),
        (("--persona", "a:b"), 3, "not allowed in an id"),
        (("--format", "locomo"), 3, "'dia_id' is missing"),
    ],
)
def test_what_cannot_be_is_refused(cli: Cli, options: tuple[str, ...], code: int, words: str) -> None:
    ran = cli("log", "import", log_of(cli), *USER, "--embedder", "hash", *options, code=code)
    assert words in ran.err
    assert cli("user", "list").table == []


def test_a_users_choices_stand(cli: Cli) -> None:
    bring_in(cli)
    refused = cli("log", "import", log_of(cli), *USER, "--language", "ja", code=3)
    assert "the language of user 'u' is en, not ja" in refused.err
    refused = cli("log", "import", log_of(cli), *USER, "--embedder", "chive", code=3)
    assert "the embedder of user 'u' is hash" in refused.err


def test_two_conversations_are_not_mixed_up(cli: Cli) -> None:
    rows = [{**row, "conversation": name} for name in ("one", "two") for row in TALK]
    refused = cli("log", "import", log_of(cli, rows), *USER, "--embedder", "hash", code=3)
    assert "choose one with --conversation: one, two" in refused.err
    bring_in(cli, rows, "--conversation", "one")
    refused = cli("log", "import", log_of(cli, rows), *USER, "--conversation", "two", code=3)
    assert "has a turn 'a' of another conversation (one); import two for a user of its own" in refused.err


def test_times_that_turn_back_are_kept_and_said(cli: Cli) -> None:
    rows = [TALK[1], {**TALK[0], "time": "2023-01-01T00:00:00Z"}]
    ran = cli("log", "import", log_of(cli, rows), *USER, "--embedder", "hash")
    assert "warning: 1 turn earlier than the turn before in the same session; kept as written" in ran.err


def test_recall_and_known_take_a_user_and_a_moment(cli: Cli) -> None:
    bring_in(cli)
    found = cli("recall", "Where is the silver key?", *USER, "--as", "rin", "--json").object
    assert found["viewer"]["user"] == "u"
    assert found["hits"][0]["fact_id"] == "a"
    assert (found["hits"][0]["session"], found["hits"][0]["speaker"]) == ("1", "Ann")
    assert "episode_no" not in found["hits"][0]
    assert known(cli, "--as", "rin", "--as-of", "2024-01-01T10:00:00Z") == ["a"]
    assert known(cli, "--as", "rin", "--as-of", "2024-01-01T18:59:59+09:00") == []
    ran = cli("recall", "harbour", *USER)
    assert ran.out.startswith("score\tsession\tspeaker\ttime\tknown to\ttext")
    assert cli("known", *USER, "--as", "rin").table[0][:4] == [
        "1",
        "Ann",
        "2024-01-01T10:00:00+00:00",
        "rin *",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--story with --as and --at, or --user"),
        (("--user", "u", "--story", "s"), "give --as and --at too"),
        (("--user", "u", "--at", "3"), "name its story with --story too"),
        (
            ("--story", "s", "--as", "a", "--at", "3", "--as-of", "2024-01-01T00:00Z"),
            "--as-of goes with --user",
        ),
        (("--story", "s", "--as", "a"), "give --as and --at too"),
        (("--user", "u", "--as-of", "2024-01-01T00:00"), "has no zone"),
        (("--user", "u", "--as-of", "later"), "not ISO 8601"),
    ],
)
@pytest.mark.parametrize("command", [("recall", "key"), ("known",)])
def test_a_viewer_is_of_one_sort(
    cli: Cli, command: tuple[str, ...], options: tuple[str, ...], words: str
) -> None:
    assert words in cli(*command, *options, code=2).err


def test_past_logs_are_searched_behind_the_gate(cli: Cli) -> None:
    bring_in(cli)
    found = cli("log", "search", "harbour", *USER, "--json").object
    assert [hit["id"] for hit in found["hits"]] == ["c", "b"], "newest first, nothing of the system's"
    assert found["matched"] == 2
    cut = found["hits"][0]
    assert (len(cut["text"]), cut["characters"]) == (500, len(LONG))
    assert cut["more"] == (
        f"more available, {len(LONG)} characters in all: kataribe log show --user u --turn c"
    )
    mine = cli("log", "search", "harbour", *USER, "--as", "rin", "--json", "--exclude-last", 1).object
    assert [hit["id"] for hit in mine["hits"]] == ["b", "a"]
    early = ("--as-of", "2024-01-01T10:00:00Z")
    assert cli("log", "search", "harbour", *USER, *early, "--json").object["hits"] == []
    ran = cli("log", "search", "the", "HARBOUR", *USER)
    assert "warning: 'the' was not looked for: too common" in ran.err
    assert "more available" in ran.out
    assert "nothing is found" in cli("log", "search", "volcano", *USER).err
    assert "at most 3 keywords" in cli("log", "search", "a1", "b1", "c1", "d1", *USER, code=3).err
    assert [turn["id"] for turn in turns(cli)] == ["a", "b", "c", "d"], "searching writes nothing there"
    verbs = [row["verb"] for row in cli("trace", *USER, "--json").objects]
    assert verbs == ["search_log"] * 5


def test_the_whole_of_a_cut_turn_can_be_read(cli: Cli) -> None:
    bring_in(cli)
    assert f"\n{LONG}\n[a boat]\n" in cli("log", "show", *USER, "--turn", "c").out
    beside = cli("log", "show", *USER, "--turn", "c", "--around", 5, "--json").objects
    assert [turn["id"] for turn in beside] == ["c", "d"], "of its session only"
    assert "has no turn 'z'" in cli("log", "show", *USER, "--turn", "z", code=3).err


def test_turns_are_listed(cli: Cli) -> None:
    bring_in(cli)
    assert [turn["id"] for turn in turns(cli, "--session", "1")] == ["a", "b"]
    assert [turn["id"] for turn in turns(cli, "--last", 1)] == ["d"]
    assert cli("log", "list", *USER).table[0][3:5] == ["Ann", "rin"]
    assert "nothing was said" in cli("log", "list", *USER, "--session", "9").err
    assert "no user 'nobody'" in cli("log", "list", "--user", "nobody", code=3).err


def test_turns_are_deleted_from_log_and_memory(cli: Cli) -> None:
    bring_in(cli)
    ran = cli("log", "delete", *USER, "--turn", "b")
    assert "deleted 1 turn; what else was said on those days" in ran.err
    assert known(cli, "--as", "rin") == ["a", "c"], "what else was said on its day stays"
    assert "not in memory yet" not in cli("known", *USER, "--as", "rin").err
    cli("sync", *USER)
    assert known(cli, "--as", "rin") == ["a", "c"]
    cli("log", "delete", *USER, "--session", "2")
    cli("sync")
    assert known(cli, "--as", "rin") == ["a"]
    assert "nothing was deleted" in cli("log", "delete", *USER, "--turn", "a", "--turn", "b", code=3).err
    assert "no session '2'" in cli("log", "delete", *USER, "--session", "2", code=3).err
    assert "either --turn" in cli("log", "delete", *USER, code=2).err
    assert len(turns(cli)) == 1


def test_users_are_shown_and_deleted(cli: Cli) -> None:
    bring_in(cli)
    wanted = {
        "user": "u", "language": "en", "embedder": "hash", "embedder_id": "hash-1", "model": "rules",
        "turns": 4, "sessions": 2, "personas": ["rin"], "pending_turns": 0,
    }  # fmt: skip
    assert cli("user", "show", "u", "--json").object == wanted
    assert cli("user", "list", "--json").object == wanted
    assert cli("user", "list").table == [["u", "en", "hash", "4", "0"]]
    cli("log", "delete", *USER, "--turn", "b")
    assert dict(cli("user", "show", "u").table)["pending"] == "0"
    assert "privacy request --user u" in cli("user", "delete", "u", code=3).err
    token = cli("privacy", "request", "--user", "u", "--action", "delete").out.strip()
    cli("user", "delete", "u", "--token", token)
    assert "no user 'u'" in cli("user", "show", "u", code=3).err
    assert cli("user", "list").table == []


def test_verify_rebuild_and_backup_cover_users(cli: Cli) -> None:
    bring_in(cli)
    before = cli("recall", "harbour", *USER, "--as", "rin", "--as-of", "2024-02-01T00:00Z", "--json").object
    cli("rebuild")
    cli("rebuild", *USER)
    found = cli("verify", *USER, "--json").object
    assert (found["ok"], found["users"], found["turns"], found["pending_turns"]) == (True, 1, 4, 0)
    copy = cli.other("copy.db")
    cli("backup", "copy.backup")
    assert "is a backup in which what users said is sealed" in cli.other("copy.backup")("verify", code=3).err
    cli("restore", "copy.backup", "--to", copy.db, "--no-sync")
    assert copy("verify", "--json").object["pending_turns"] == 3
    assert "not in memory yet: 2 turns" in copy("known", *USER).err
    copy("sync")
    for store in (cli, copy):
        again = store("recall", "harbour", *USER, "--as", "rin", "--as-of", "2024-02-01T00:00Z", "--json")
        assert again.object == before
    assert "exclude each other" in cli("verify", *USER, "--story", "s", code=2).err


def test_a_trace_is_of_a_story_or_a_user(cli: Cli) -> None:
    bring_in(cli)
    cli("known", *USER, "--as", "rin", "--as-of", "2024-01-02T00:00Z")
    (found,) = cli("trace", *USER, "--json").objects
    assert (found["persona"], found["as_of"]) == ("rin", "2024-01-02T00:00:00+00:00")
    assert found["slices"] == [f"{who} as of 2024-01-02T00:00:00+00:00" for who in ("world", "rin")]
    assert cli("trace", *USER).out.startswith("at\tverb\tas\tas of")
    assert "either a story" in cli("trace", code=2).err


def test_json_of_a_turn_is_one_line(cli: Cli) -> None:
    rows: list[dict[str, Any]] = [{**TALK[1], "text": "one\r\ntwo\u2028three", "id": "x"}]
    bring_in(cli, rows)
    (turn,) = turns(cli)
    assert turn["text"] == rows[0]["text"]
    assert json.loads(cli("log", "show", *USER, "--turn", "x", "--json").out)["text"] == rows[0]["text"]


def test_turns_of_the_future_are_stored_with_a_warning(cli: Cli) -> None:
    said = [("now", "2024-01-01T10:00:00Z", "The harbour."), ("later", "2999-01-01T10:00:00Z", "港の未来。")]
    rows: list[Row] = [
        {"session": "1", "speaker": "Ann", "text": text, "time": time, "id": turn_id}
        for turn_id, time, text in said
    ]
    ran = cli("log", "import", log_of(cli, rows), *USER, "--embedder", "hash", "--json")
    assert ran.object["ahead"] == ["later"]
    assert ran.object["new"] == 2
    assert "warning: 1 turn dated later than now (later): stored, and remembered only" in ran.err
    assert [turn["id"] for turn in turns(cli)] == ["now", "later"]
    assert known(cli) == ["now"]
    assert known(cli, "--as-of", "2999-01-01T10:00:00Z") == ["now", "later"]


@pytest.mark.parametrize(
    ("texts", "kept"), [(["鍵 key"], "1 turn of this log is"), (["a", "は"], "2 turns of")]
)
def test_an_import_that_the_disk_ends_says_what_is_kept(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, texts: list[str], kept: str
) -> None:
    def full(*_: object, **__: object) -> face.TalkReport:
        raise StoreFullError("no room left to write k.db; free some disk space and try again")

    rows = [
        {"id": f"t{n}", "session": "1", "speaker": "ann", "text": text, "time": f"2024-01-0{n}T00:00Z"}
        for n, text in enumerate(texts, start=1)
    ]
    file = cli.file("log.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    with monkeypatch.context() as patch:
        patch.setattr(face.UserHandle, "sync", full)
        ran = cli.bare("--db", cli.db, "log", "import", file, "--user", "u", "--embedder", "hash")
    assert ran.code == 3
    assert "no room left" in ran.err
    assert kept in ran.err
    assert "nothing was changed" not in ran.err
    assert len(cli("log", "list", "--user", "u").table) == len(texts)
    cli("log", "import", file, "--user", "u")


def test_messages_exports_and_diaries_are_brought_in(cli: Cli, tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "Be kind."},
            {"role": "user", "content": "I left the key at the harbour."},
            {"role": "assistant", "content": "覚えておくね。"}]  # fmt: skip
    file = cli.file("chat.json", json.dumps(chat))
    options = ("--embedder", "hash", "--persona", "rin", "--start", "2024-01-01T10:00:00Z")
    report = cli("log", "import", file, *USER, *options, "--json").object
    assert (report["format"], report["new"], report["left_out"]) == ("openai", 2, {"system": 1})
    assert "left out as no words of a person: 1 system" in cli("log", "import", file, *USER, *options).err
    assert [turn["speaker"] for turn in turns(cli)] == ["u", "rin"]
    assert len(known(cli, "--as", "rin")) == 2
    diary = tmp_path / "diary"
    diary.mkdir()
    (diary / "2024-01-05.md").write_text("港まで歩いた。", "utf-8")
    report = cli("log", "import", diary, *USER, "--speaker", "Ann", "--json").object
    assert (report["format"], report["new"], report["unchanged"]) == ("diary", 1, 0)
    assert "--speaker" in cli("log", "import", diary, *USER, code=3).err
    assert turns(cli, "--session", "2024-01-05")[0]["time"] == "2024-01-05T00:00:00+00:00"


def test_who_of_the_speakers_is_the_user_is_told(cli: Cli) -> None:
    rows = [
        {"session": "1", "speaker": "Ann", "text": "Call me Annie.", "time": "2024-01-01T10:00:00Z"},
        {"session": "1", "speaker": "Rin", "text": "I will.", "role": "persona"},
        {"session": "1", "speaker": "Ben", "text": "Who?"},
    ]
    bring_in(cli, rows, "--user-speaker", "Ann", "--language", "en")
    assert [one["role"] for one in turns(cli)] == ["user", "persona", None]
    told = cli("remember", "I left.", *USER, "--speaker", "Ben", "--role", "other", "--json").object
    assert {one["id"]: one["role"] for one in turns(cli)}[told["id"]] == "other"
    wrong = cli.file("wrong.jsonl", jsonl([{**rows[0], "role": "robot"}]))
    refused = cli("log", "import", wrong, *USER, code=3)
    assert "role must be one of user, persona, system, other" in refused.err
