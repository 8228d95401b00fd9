"""`recall`, `recall --batch` and `known`: shapes, streams and exit codes, as people rely on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kataribe

if TYPE_CHECKING:
    from cli.conftest import Cli, Row

HIT = {
    "id", "fact_id", "score", "text", "episode_no", "episode_id", "scope", "character_id",
    "importance", "kind", "quote", "offsets", "superseded_by", "parts",
}  # fmt: skip
TOP = {"viewer", "cutoff", "hits", "pending_episodes", "backend"}


def check_object(found: Row, *, ranked: bool = True) -> None:
    assert found.keys() >= TOP
    assert set(found["viewer"]) == {"story", "character", "at", "in_cast"}
    assert found["cutoff"] == found["viewer"]["at"] - 1
    assert set(found["backend"]) >= {"embedder", "model", "reranker"}
    assert isinstance(found["pending_episodes"], list)
    for hit in found["hits"]:
        assert hit.keys() >= (HIT if ranked else HIT - {"score", "parts"})
        assert ranked == ("score" in hit) == ("parts" in hit)
        assert (hit["offsets"] is None) == (hit["quote"] is None)
        assert hit["episode_no"] <= found["cutoff"]
        assert 1 <= hit["importance"] <= 5
        world = hit["scope"] == "world"
        assert hit["character_id"] == ("world" if world else found["viewer"]["character"])


def test_recall_prints_one_object(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("recall", "灯台の鍵はどこ？", "--story", story, "--as", "ミナ", "--at", 3, "--json")
    found = ran.object
    check_object(found)
    assert ran.err == ""
    assert list(found)[:5] == ["viewer", "cutoff", "hits", "pending_episodes", "backend"]
    assert found["viewer"] == {"story": story, "character": "ミナ", "at": 3, "in_cast": True}
    assert found["cutoff"] == 2
    assert found["pending_episodes"] == []
    assert found["backend"]["embedder"].startswith("hash")
    assert found["backend"]["reranker"] is None
    assert {hit["fact_id"] for hit in found["hits"]} == {"s1", "s2", "s3"}
    best = found["hits"][0]
    assert best["fact_id"] == "s2"
    assert best["id"] == "vec:ep-1:v1:character:ミナ:0"
    assert best["episode_id"] == "ep-1"
    assert best["importance"] == 5
    assert best["kind"] == "fact"
    assert best["quote"] == "鍵を砂の下に隠した"
    start, end = best["offsets"]
    assert cli.SEA_TEXTS[0][start:end] == best["quote"]
    assert isinstance(best["score"], float)
    assert best["parts"]
    assert [hit["score"] for hit in found["hits"]] == sorted(
        (h["score"] for h in found["hits"]), reverse=True
    )
    # Unescaped, so that people can read it.
    assert "灯台" in ran.out


def test_recall_of_a_fact_without_quote_has_neither_quote_nor_offsets(cli: Cli) -> None:
    story = cli.sea()
    (hit,) = (h for h in cli.recall("赤い小舟", story, "ミナ", 5)["hits"] if h["fact_id"] == "s6")
    assert hit["quote"] is None
    assert hit["offsets"] is None
    assert hit["importance"] == 3


def test_known_has_no_score_and_keeps_story_order(cli: Cli) -> None:
    story = cli.sea()
    found = cli.known(story, "ミナ", 5)
    check_object(found, ranked=False)
    assert [hit["fact_id"] for hit in found["hits"]] == ["s1", "s2", "s3", "s5", "s6"]
    assert [hit["superseded_by"] for hit in found["hits"]] == ["s5", None, None, None, None]
    assert cli.known_ids(story, "Ольга", 5) == ["s1", "s4", "s5", "s6"]
    assert cli.known_ids(story, "ハル ト", 3) == ["s1", "s3"]


def test_known_in_the_middle_does_not_see_the_successor(cli: Cli) -> None:
    story = cli.sea()
    assert [hit["superseded_by"] for hit in cli.known(story, "Ольга", 3)["hits"]] == [None]


def test_known_is_exhaustive_and_in_story_order(cli: Cli) -> None:
    facts = [
        {"episode_no": no, "visibility": "public", "text": f"Fact {k} of episode {no}."}
        for no in (1, 2)
        for k in range(120)
    ]
    episodes = [{"episode_no": no, "text": f"Text {no}."} for no in (1, 2)]
    cli.take_in(cli.folder("many", episodes, facts=facts), "many")
    assert cli.known_texts("many", "anyone", 3) == [fact["text"] for fact in facts]


def test_top_k(cli: Cli) -> None:
    story = cli.sea()
    assert len(cli.recall("灯台", story, "ミナ", 5, "--top-k", 2)["hits"]) == 2
    facts = [{"episode_no": 1, "visibility": "public", "text": f"石{n}が灯台にある。"} for n in range(30)]
    cli.take_in(cli.folder("many", [{"episode_no": 1, "text": "石。"}], facts=facts), "many")
    assert len(cli.recall("灯台", "many", "ミナ", 2)["hits"]) == 10
    assert len(cli.recall("灯台", "many", "ミナ", 2, "--top-k", 30)["hits"]) == 30
    assert len(cli.recall("灯台", "many", "ミナ", 2, "--top-k", 1000)["hits"]) == 30


def test_episode_one_knows_nothing(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 1, "--json")
    assert ran.object["hits"] == []
    assert ran.object["cutoff"] == 0
    assert cli.known(story, "ミナ", 1)["hits"] == []
    said = cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 1)
    assert said.out == ""
    assert said.err.strip()


def test_far_beyond_the_last_episode(cli: Cli) -> None:
    story = cli.sea()
    assert cli.recall("灯台", story, "ミナ", 999)["hits"] == cli.recall("灯台", story, "ミナ", 5)["hits"]
    assert cli.known(story, "ミナ", 999)["hits"] == cli.known(story, "ミナ", 5)["hits"]


@pytest.mark.parametrize("at", [2**31 - 1, 2**31, 10**12, 2**63, 10**30])
def test_any_number_from_one_on_is_legal(cli: Cli, at: int) -> None:
    story = cli.sea()
    found = cli.recall("灯台", story, "ミナ", at)
    assert found["hits"] == cli.recall("灯台", story, "ミナ", 5)["hits"]
    assert found["cutoff"] == at - 1


@pytest.mark.parametrize("at", ["0", "-1", "x", "1.5", ""])
def test_less_than_one_is_bad_usage(cli: Cli, at: str) -> None:
    story = cli.sea()
    cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", at, code=2)
    cli("known", "--story", story, "--as", "ミナ", "--at", at, code=2)


def test_stranger_gets_what_everybody_knows_with_a_warning(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("recall", "灯台の鍵", "--story", story, "--as", "誰 か", "--at", 5, "--json")
    assert ran.object["viewer"]["in_cast"] is False
    assert {hit["fact_id"] for hit in ran.object["hits"]} == {"s5", "s6"}
    assert "誰 か" in ran.err
    known = cli("known", "--story", story, "--as", "誰 か", "--at", 5, "--json")
    assert [hit["fact_id"] for hit in known.object["hits"]] == ["s1", "s5", "s6"]
    assert known.err.strip()


@pytest.mark.parametrize("alias", ["みなちゃん", "潮田ミナ", "みな", "ミナ２"])
def test_an_alias_is_no_id(cli: Cli, alias: str) -> None:
    story = cli.sea()
    ran = cli("recall", "灯台の鍵", "--story", story, "--as", alias, "--at", 5, "--json")
    assert ran.object["viewer"] == {"story": story, "character": alias, "at": 5, "in_cast": False}
    assert all(hit["scope"] == "world" for hit in ran.object["hits"])
    assert alias in ran.err


def test_one_named_only_later_is_not_in_the_cast_yet(cli: Cli) -> None:
    episodes = [{"episode_no": 1, "text": "One."}, {"episode_no": 2, "text": "Two."}]
    facts = [
        {"episode_no": 1, "visibility": "public", "text": "It rains."},
        {"episode_no": 2, "visibility": "secret", "known_by": ["zoë"], "text": "Zoë has the map."},
    ]
    cli.take_in(cli.folder("later", episodes, facts=facts), "later")
    assert cli.recall("map", "later", "zoë", 2)["viewer"]["in_cast"] is False
    assert cli.recall("map", "later", "zoë", 3)["viewer"]["in_cast"] is True
    assert cli.known_texts("later", "zoë", 3) == ["It rains.", "Zoë has the map."]


def test_plain_output_has_results_only(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("recall", "灯台の鍵はどこ？", "--story", story, "--as", "ミナ", "--at", 3)
    assert "ミナは灯台の鍵を砂の下に隠した。" in ran.out
    assert ran.err == ""
    known = cli("known", "--story", story, "--as", "ミナ", "--at", 3)
    assert len(known.table) == 3
    assert known.err == ""


def test_explain(cli: Cli) -> None:
    story = cli.sea()
    found = cli.recall("灯台", story, "ミナ", 5, "--explain")
    check_object(found)
    assert found["explain"]["admissible"] == 5
    assert found["explain"]["dropped"] == [{"fact_id": "s1", "reason": "superseded by s5"}]
    assert found["hits"] == cli.recall("灯台", story, "ミナ", 5)["hits"]
    shown = cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 5, "--explain").out
    assert "hash" in shown


def test_filter_is_anded(cli: Cli) -> None:
    story = cli.sea()
    found = cli.recall("灯台", story, "ミナ", 5, "--filter", '{"importance": {"$gte": 4}}')
    assert [hit["fact_id"] for hit in found["hits"]] == ["s2"]
    cli(
        "recall",
        "灯台",
        "--story",
        story,
        "--as",
        "ミナ",
        "--at",
        5,
        "--filter",
        '{"a": {"$near": 1}}',
        code=3,
    )
    cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 5, "--filter", "{", code=2)


def test_pending_is_told_within_the_cutoff_only(cli: Cli) -> None:
    story = cli.sea()
    cli.put(story, 3, "灯台は無い。")
    early = cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 3, "--json")
    assert early.object["pending_episodes"] == []
    assert early.err == ""
    late = cli("recall", "灯台", "--story", story, "--as", "ミナ", "--at", 4, "--json")
    assert late.object["pending_episodes"] == [3]
    assert "3" in late.err
    assert {hit["episode_no"] for hit in late.object["hits"]} == {1, 2}


# -- batch ---------------------------------------------------------------------------------


def test_batch_prints_an_object_a_line_with_qid_first(cli: Cli) -> None:
    story = cli.sea()
    asked = [
        {
            "qid": "q1",
            "question": "灯台の鍵",
            "character": "ミナ",
            "episode_no": 3,
            "kind": "recall",
            "x": [1],
        },
        {"qid": "質問 2", "question": "赤い小舟", "character": "ハル ト", "episode_no": 999},
        {"qid": "q3", "question": "灯台", "character": "Ольга", "episode_no": 1},
    ]
    ran = cli.batch(story, asked)
    assert ran.err == ""
    assert [next(iter(found)) for found in ran.objects] == ["qid"] * 3
    assert [found["qid"] for found in ran.objects] == ["q1", "質問 2", "q3"]
    for found, row in zip(ran.objects, asked, strict=True):
        check_object(found)
        alone = cli.recall(str(row["question"]), story, str(row["character"]), int(str(row["episode_no"])))
        assert found == {"qid": row["qid"], **alone}
    assert ran.objects[2]["hits"] == []


def test_batch_without_json_is_the_same(cli: Cli) -> None:
    story = cli.sea()
    asked = [{"qid": "q1", "question": "灯台", "character": "ミナ", "episode_no": 3}]
    file = cli.file("q.jsonl", json.dumps(asked[0]))
    assert cli("recall", "--batch", file, "--story", story).object == cli.batch(story, asked).object


def test_batch_top_k(cli: Cli) -> None:
    story = cli.sea()
    asked = [{"qid": "q1", "question": "灯台", "character": "ミナ", "episode_no": 5}]
    assert len(cli.batch(story, asked, "--top-k", 1).object["hits"]) == 1


def test_bad_lines_are_answers_too(cli: Cli) -> None:
    story = cli.sea()
    lines: list[Any] = [
        {"qid": "good", "question": "灯台", "character": "ミナ", "episode_no": 2},
        "not json",
        {"qid": "zero", "question": "灯台", "character": "ミナ", "episode_no": 0},
        {"qid": "no character", "question": "灯台", "episode_no": 2},
        {"qid": "no question", "character": "ミナ", "episode_no": 2},
        {"qid": "a word", "question": "灯台", "character": "ミナ", "episode_no": "two"},
        {"question": "灯台", "character": "ミナ", "episode_no": 2},
        {"qid": "empty", "question": " ", "character": "ミナ", "episode_no": 2},
        [1, 2],
        {"qid": "good 2", "question": "灯台", "character": "ミナ", "episode_no": 2},
    ]
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    file = cli.file("q.jsonl", text)
    ran = cli("recall", "--batch", file, "--story", story, "--json", code=1)
    found = ran.objects
    assert len(found) == len(lines)
    failed = [each for each in found if "error" in each]
    assert len(failed) == 8
    assert all(set(each) == {"qid", "error"} for each in failed)
    assert all(each["error"] and "\n" not in each["error"] for each in failed)
    assert [each["qid"] for each in found if "error" not in each] == ["good", "good 2"]
    assert found[0]["hits"] == found[-1]["hits"]
    assert found[0]["hits"]
    assert [each["qid"] for each in failed] == [
        None, "zero", "no character", "no question", "a word", None, "empty", None
    ]  # fmt: skip


def test_bytes_that_are_no_text_in_a_batch(cli: Cli) -> None:
    story = cli.sea()
    good = json.dumps({"qid": "q", "question": "灯台", "character": "ミナ", "episode_no": 2}).encode()
    file = cli.file("q.jsonl", b'{"qid": "\xff"}\n' + good + b"\n")
    ran = cli("recall", "--batch", file, "--story", story, "--json", code=1)
    assert ["error" in found for found in ran.objects] == [True, False]


def test_stranger_in_a_batch_is_no_error(cli: Cli) -> None:
    story = cli.sea()
    ran = cli.batch(story, [{"qid": "q", "question": "灯台の鍵", "character": "誰か", "episode_no": 4}])
    assert "error" not in ran.object
    assert ran.object["viewer"]["in_cast"] is False
    assert {hit["scope"] for hit in ran.object["hits"]} == {"world"}
    assert "誰か" in ran.err


def test_batch_opens_the_store_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    story = cli.sea()
    opened: list[object] = []
    real = kataribe.open

    def counting(*args: Any, **kwargs: Any) -> kataribe.Kataribe:
        opened.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(kataribe, "open", counting)
    asked = [
        {"qid": str(no), "question": "灯台", "character": "ミナ", "episode_no": no} for no in range(1, 8)
    ]
    assert len(cli.batch(story, asked).objects) == 7
    assert len(opened) == 1


def test_empty_batch(cli: Cli) -> None:
    story = cli.sea()
    assert cli("recall", "--batch", cli.file("q.jsonl", "\n\n"), "--story", story, "--json").out == ""


def test_bad_batches(cli: Cli, tmp_path: Path) -> None:
    story = cli.sea()
    file = cli.file("q.jsonl", "")
    cli("recall", "--batch", tmp_path / "none.jsonl", "--story", story, "--json", code=3)
    cli("recall", "--batch", tmp_path, "--story", story, "--json", code=3)
    cli("recall", "--batch", file, "--story", "no such", "--json", code=3)
    cli("recall", "--batch", file, "--story", story, "--as", "ミナ", "--json", code=2)
    cli("recall", "灯台", "--batch", file, "--story", story, code=2)


# -- bad usage -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall",),
        ("recall", "q", "--story", "s"),
        ("recall", "q", "--story", "s", "--as", "a"),
        ("recall", "q", "--as", "a", "--at", "2"),
        ("recall", "q", "--story", "s", "--as", "a", "--at", "2", "--top-k", "0"),
        ("recall", "q", "--story", "s", "--as", "a", "--at", "2", "--nonsense"),
        ("recall", "q", "too many", "--story", "s", "--as", "a", "--at", "2"),
        ("known", "--story", "s", "--at", "2"),
        ("known", "--story", "s", "--as", "a"),
        ("known", "--story", "s", "--as", "a", "--at", "2", "--bogus"),
        ("nonsense",),
        ("--nonsense",),
        ("story", "nonsense"),
        ("story", "add"),
        ("story", "add", "x", "--language", "fr"),
        ("story", "import", "d"),
        ("story", "import", "d", "--story", "s", "--only", "names"),
        ("story", "export", "d"),
        ("cast", "add", "x"),
        ("episode", "put", "--story", "s", "-"),
        ("episode", "put", "--story", "s", "--no", "0", "-"),
        ("episode", "put", "--story", "s", "--no", "1"),
        ("episode", "renumber", "--story", "s", "--no", "1"),
        ("episode", "renumber", "--story", "s", "--no", "1", "--to", "0"),
        ("fact", "add", "--story", "s", "--episode", "1", "--text", "t"),
        ("fact", "add", "--story", "s", "--text", "t", "--known-by", "world"),
        (
            "fact",
            "add",
            "--story",
            "s",
            "--episode",
            "1",
            "--text",
            "t",
            "--known-by",
            "a",
            "--importance",
            "6",
        ),
        (
            "fact",
            "add",
            "--story",
            "s",
            "--episode",
            "1",
            "--text",
            "t",
            "--known-by",
            "a",
            "--importance",
            "0",
        ),
        ("sync", "--bogus"),
        ("backup",),
        ("verify", "extra"),
    ],
)
def test_bad_usage(cli: Cli, arguments: tuple[str, ...]) -> None:
    cli(*arguments, code=2)
    assert not cli.db.exists()


@pytest.mark.parametrize("group", [(), ("story",), ("cast",), ("episode",), ("fact",)])
def test_a_command_left_out_is_told_readably(cli: Cli, group: tuple[str, ...]) -> None:
    ran = cli(*group, code=2)
    assert len(ran.err) < 200, "one readable line, not a whole help text pressed into one"


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "q", "--story", "無い", "--as", "a", "--at", "2", "--json"),
        ("known", "--story", "無い", "--as", "a", "--at", "2"),
        ("story", "show", "無い"),
        ("story", "rename", "無い", "b"),
        ("story", "delete", "無い"),
        ("story", "export", "out", "--story", "無い"),
        ("cast", "list", "--story", "無い"),
        ("cast", "show", "a", "--story", "無い"),
        ("cast", "add", "a", "--story", "無い"),
        ("cast", "edit", "a", "--story", "無い"),
        ("cast", "rename", "a", "b", "--story", "無い"),
        ("cast", "delete", "a", "--story", "無い"),
        ("episode", "put", "--story", "無い", "--no", "1", "-"),
        ("episode", "insert", "--story", "無い", "--no", "1", "-"),
        ("episode", "list", "--story", "無い"),
        ("episode", "show", "--story", "無い", "--no", "1"),
        ("episode", "history", "--story", "無い", "--no", "1"),
        ("episode", "delete", "--story", "無い", "--no", "1"),
        ("episode", "restore", "--story", "無い", "--no", "1"),
        ("episode", "renumber", "--story", "無い", "--no", "1", "--to", "2"),
        ("fact", "list", "--story", "無い"),
        ("fact", "review", "--story", "無い"),
        ("fact", "add", "--story", "無い", "--episode", "1", "--text", "t", "--known-by", "a"),
        ("fact", "edit", "f", "--story", "無い", "--text", "t"),
        ("fact", "pin", "f", "--story", "無い"),
        ("fact", "delete", "f", "--story", "無い"),
        ("sync", "--story", "無い"),
        ("rebuild", "--story", "無い"),
        ("verify", "--story", "無い"),
        ("trace", "--story", "無い"),
    ],
)
def test_unknown_story_is_refused(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert "無い" in cli(*arguments, code=3).err


def test_an_empty_question_is_refused(cli: Cli) -> None:
    story = cli.sea()
    cli("recall", "  ", "--story", story, "--as", "ミナ", "--at", 3, "--json", code=3)


def test_what_is_not_searched_for_says_why_and_how(cli: Cli) -> None:
    row = {"session": "1", "speaker": "Ann", "text": "Hello, it is me!", "time": "2024-01-01T10:00:00Z"}
    cli("log", "import", cli.file("log.jsonl", json.dumps(row)), "--user", "u", "--embedder", "hash")
    why = "small talk: nothing is looked for"
    ran = cli("recall", "Hello", "--user", "u")
    assert ran.err == f"nothing to recall: {why}; --planner none searches all the same\n"
    assert cli("recall", "Hello", "--user", "u", "--json").object["note"] == why
    found = cli("recall", "Hello", "--user", "u", "--planner", "none", "--json").object
    assert (len(found["hits"]), found["note"]) == (1, None)


@pytest.mark.parametrize(
    ("language", "first", "second", "between"),
    [
        ("en", "The gate stood open.", "Rain filled the yard.", " "),
        ("ja", "門が開いた。", "雨が降った。", ""),
    ],
)
def test_recall_shows_what_stands_around_a_sentence_when_asked(
    cli: Cli, tmp_path: Path, language: str, first: str, second: str, between: str
) -> None:
    """In the table with `--around`, as JSON always, and in `known` never."""
    text = tmp_path / "1.txt"
    text.write_text(f"{first}{between}{second}", encoding="utf-8")
    cli("story", "add", "g", "--language", language, "--embedder", "hash")
    cli("episode", "put", text, "--story", "g", "--no", 1)
    cli("sync")
    asked = ("recall", first, "--story", "g", "--as", "x", "--at", 2, "--top-k", 1)
    assert second not in cli(*asked).out
    assert f"{first}{between}{second}" in " ".join(cli(*asked, "--around").out.split()).replace(" │ ", "")
    (hit,) = cli(*asked, "--json").object["hits"]
    assert hit["around"] == f"{first}{between}{second}"
    known = cli("known", "--story", "g", "--as", "x", "--at", 2, "--json").object["hits"]
    assert [hit["text"] for hit in known] == [first, second]
    assert not [hit for hit in known if "around" in hit]


def test_a_reader_is_told_what_anybody_knows_up_to_where_it_has_read(cli: Cli) -> None:
    story = cli.sea()
    asked = ("recall", "灯台の鍵はどこ？", "--story", story, "--reader", "--read")
    found = cli(*asked, 2, "--json").object
    assert found["viewer"] == {"story": story, "reader": True, "read": 2}
    assert found["cutoff"] == 2
    mina = cli("recall", "灯台の鍵はどこ？", "--story", story, "--as", "ミナ", "--at", 3, "--json").object
    assert {hit["fact_id"] for hit in mina["hits"]} <= {hit["fact_id"] for hit in found["hits"]}
    assert cli("known", "--story", story, "--reader", "--read", 0, "--json").object["hits"] == []
    assert "第2話まで読んだ人" in cli("context", "鍵は？", "--story", story, "--reader", "--read", 2).out
    cli("answer", "灯台の鍵はどこ？", "--story", story, "--reader", "--read", 2)


@pytest.mark.parametrize(
    "options",
    [
        ("--reader",),
        ("--read", 2),
        ("--reader", "--read", 2, "--as", "ミナ"),
        ("--reader", "--read", 2, "--at", 3),
        ("--reader", "--read", 2, "--user", "u"),
        ("--reader", "--read", -1),
    ],
)
def test_a_reader_is_named_in_full_and_by_nothing_else(cli: Cli, options: tuple[object, ...]) -> None:
    story = cli.sea()
    ran = cli("recall", "鍵は？", "--story", story, *options, code=2)
    assert "--read" in ran.err or "read" in ran.err
