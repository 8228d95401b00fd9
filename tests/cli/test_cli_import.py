"""`story import` and `story export`: what goes in comes out, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row, Shelf

NAMES = ("yoimachi", "lantern-isle", "ja-ginga-tetsudo", "en-jekyll-hyde", "ja-botchan")

AWKWARD = (
    "一行目\r\n二行目\r\n\r\n三行目",
    "\ufeff先頭に印",
    "trailing spaces   \n\n\t tab \n   ",
    "絵文字 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 と 𠮷 と e\u0301 と ｶﾞ",
    "old mac\rline ends\rhere",
    "\u2028 and \u2029 and \x0b and \x85 and \u3000",
    "null \x00 and \x1b[31m",
    "\n\n\n",
    " ",
    "",
    "no newline at the end",
    "ends with one\n",
)


def what(cli: Cli, story: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cli("story", "show", story).table}


def test_import_makes_the_story_and_tells_the_language(cli: Cli) -> None:
    ja = cli.folder("ja", [{"episode_no": 1, "text": "灯台がある。"}])
    ran = cli("story", "import", ja, "--story", "日 本", "--embedder", "hash")
    assert ran.out == ""
    assert "ja" in ran.err
    assert "told" in ran.err
    assert what(cli, "日 本")["language"].startswith("ja")
    assert "told" in what(cli, "日 本")["language"]
    en = cli.folder("en", [{"episode_no": 1, "text": "A lighthouse."}])
    cli("story", "import", en, "--story", "e", "--embedder", "hash")
    assert what(cli, "e")["language"].startswith("en")
    given = cli("story", "import", en, "--story", "given", "--language", "ja", "--embedder", "hash")
    assert "told" not in given.err
    assert what(cli, "given")["language"] == "ja"


def test_told_language_chooses_the_embedder(cli: Cli) -> None:
    ja = cli.folder("ja", [{"episode_no": 1, "text": "灯台がある。", "title": "一"}])
    cli("story", "import", ja, "--story", "j")
    assert "chive" in what(cli, "j")["embedder"]
    en = cli.folder("en", [{"episode_no": 1, "text": "A lighthouse."}])
    cli("story", "import", en, "--story", "e")
    assert "wordllama" in what(cli, "e")["embedder"]


def test_the_same_input_changes_nothing(cli: Cli) -> None:
    story = cli.sea()
    before = cli.known(story, "ミナ", 9)
    inputs = cli.inputs(story)
    ran = cli("story", "import", cli.sea_folder(), "--story", story)
    assert "0 new, 0 edited, 4 unchanged" in ran.err
    assert cli.known(story, "ミナ", 9) == before
    assert cli.inputs(story) == inputs
    assert "0 episodes brought up, 0 texts embedded" in cli("sync").err
    assert {row[2] for row in cli("episode", "list", "--story", story).table} == {"v1"}


@pytest.mark.parametrize("name", NAMES[:4])
def test_importing_a_real_story_twice_changes_nothing(cli: Cli, shelf: Shelf, name: str) -> None:
    folder = shelf[name]
    cli("story", "import", folder, "--story", name, "--embedder", "hash")
    inputs = cli.inputs(name)
    cli("sync", "--story", name)
    ran = cli("story", "import", folder, "--story", name, "--embedder", "hash")
    assert "0 new, 0 edited" in ran.err
    assert "wait" not in ran.err
    assert cli.inputs(name) == inputs


def test_a_differing_input_is_an_edit(cli: Cli) -> None:
    story = cli.sea()
    folder = cli.sea_folder()
    rows = [json.loads(line) for line in (folder / "episodes.jsonl").read_text("utf-8").splitlines()]
    rows[1]["text"] += "風が吹いた。"
    cli.folder("sea", rows)
    ran = cli("story", "import", folder, "--story", story)
    assert "0 new, 1 edited, 3 unchanged" in ran.err
    assert cli.states(story) == {
        "ep-1": "in memory", "ep-2": "pending", "ep-3": "in memory", "ep-4": "in memory"
    }  # fmt: skip
    assert cli("episode", "show", "--story", story, "--no", 2).out == rows[1]["text"]
    assert [row[2] for row in cli("episode", "list", "--story", story).table] == ["v1", "v2", "v1", "v1"]
    # Invisible from this instant, and back after sync.
    assert cli.known_ids(story, "ミナ", 5) == ["s1", "s2", "s5", "s6"]
    cli("sync")
    assert cli.known_ids(story, "ミナ", 5) == ["s1", "s2", "s3", "s5", "s6"]


def test_episodes_the_folder_does_not_name_stay(cli: Cli) -> None:
    story = cli.sea()
    part = cli.folder("part", [{"episode_no": 2, "text": "ハルトは眠った。"}], facts=[
        {"fact_id": "n1", "episode_no": 2, "visibility": "public", "text": "ハルトは眠った。"},
    ])  # fmt: skip
    ran = cli("story", "import", part, "--story", story)
    assert "0 new, 1 edited, 0 unchanged" in ran.err
    cli("sync")
    # Of the episodes it names its rows are the whole.
    assert cli.known_ids(story, "ミナ", 9) == ["s1", "s2", "n1", "s5", "s6"]
    more = cli.folder("more", [{"episode_no": 7, "text": "七。"}], facts=[
        {"fact_id": "n7", "episode_no": 7, "visibility": "public", "text": "七。"},
    ])  # fmt: skip
    assert "1 new, 0 edited, 0 unchanged" in cli("story", "import", more, "--story", story).err
    cli("sync")
    assert cli.known_ids(story, "ミナ", 9)[-1] == "n7"


def test_hand_made_facts_survive_import(cli: Cli) -> None:
    story = cli.sea()
    made = cli(
        "fact", "add", "--story", story, "--episode", 2, "--text", "手の事実。", "--known-by", "ミナ"
    ).out
    part = cli.folder("part", [{"episode_no": 2, "text": "別の文。"}], facts=[
        {"fact_id": "n1", "episode_no": 2, "visibility": "public", "text": "別の事実。"},
    ])  # fmt: skip
    cli("story", "import", part, "--story", story)
    cli("sync")
    assert set(cli.known_ids(story, "ミナ", 3)) == {"s1", "s2", "n1", made.strip()}
    cli("verify")


def test_only_facts_makes_every_episode_supplied(cli: Cli) -> None:
    episodes = [{"episode_no": 1, "text": "Anna ran. It rained."}, {"episode_no": 2, "text": "Boris slept."}]
    facts = [{"fact_id": "a", "episode_no": 1, "visibility": "public", "text": "It rained."}]
    folder = cli.folder("f", episodes, facts=facts)
    cli.take_in(folder, "mixed")
    assert [row[3] for row in cli("episode", "list", "--story", "mixed").table] == ["supplied", "extracted"]
    cli.take_in(folder, "facts", "--only", "facts")
    assert [row[3] for row in cli("episode", "list", "--story", "facts").table] == ["supplied", "supplied"]
    assert cli.known_ids("facts", "x", 9) == ["a"]
    cli.take_in(folder, "text", "--only", "text")
    assert [row[3] for row in cli("episode", "list", "--story", "text").table] == ["extracted", "extracted"]
    assert cli.known_texts("text", "x", 9) == ["Anna ran.", "It rained.", "Boris slept."]
    # A rebuild and an edit obey the source.
    cli("rebuild")
    assert cli.known_ids("facts", "x", 9) == ["a"]
    cli.put("facts", 2, "Boris woke. The sun shone.")
    cli.put("mixed", 2, "Boris woke. The sun shone.")
    cli("sync")
    assert cli.known_ids("facts", "x", 9) == ["a"]
    assert cli.known_texts("mixed", "x", 9) == ["It rained.", "Boris woke.", "The sun shone."]


@pytest.mark.parametrize("only", [(), ("--only", "facts"), ("--only", "text")])
def test_facts_may_be_missing(cli: Cli, only: tuple[str, ...]) -> None:
    folder = cli.folder("f", [{"episode_no": 1, "text": "It rained."}])
    cli.take_in(folder, "s", *only)
    assert cli.known_texts("s", "x", 2) == ([] if "facts" in only else ["It rained."])
    assert cli.states("s") == {"ep-1": "in memory"}


def test_only_text_leaves_bad_facts_unread(cli: Cli) -> None:
    folder = cli.folder("f", [{"episode_no": 1, "text": "It rained."}])
    (folder / "facts.jsonl").write_text("nonsense")
    cli("story", "import", folder, "--story", "s", "--embedder", "hash", code=3)
    cli.take_in(folder, "s", "--only", "text")


def test_visibility_is_obeyed_with_only_text(cli: Cli) -> None:
    episodes = [{"episode_no": 1, "text": "The king is dead.\nThe queen hides the crown."}]
    visibility: list[Row] = [
        {"episode_no": 1, "paragraph_id": None, "known_by": "public"},
        {"episode_no": 1, "paragraph_id": "1-2", "known_by": ["queen"]},
    ]
    facts = [{"episode_no": 1, "visibility": "public", "text": "The crown is lost."}]
    folder = cli.folder("f", episodes, facts=facts, visibility=visibility)
    cli.take_in(folder, "s", "--only", "text")
    assert cli.known_texts("s", "anyone", 2) == ["The king is dead."]
    assert cli.known_texts("s", "queen", 2) == ["The king is dead.", "The queen hides the crown."]


def test_a_story_without_cast_and_annotations_is_everybodys_and_says_so(cli: Cli) -> None:
    folder = cli.folder("f", [{"episode_no": 1, "text": "Anna ran. “Stop,” said Boris."}])
    ran = cli("story", "import", folder, "--story", "s", "--embedder", "hash")
    assert "warning" in ran.err
    assert "everybody" in ran.err
    assert "everybody" in cli("sync").err
    assert cli.known_texts("s", "x", 2) == ["Anna ran.", "“Stop,” said Boris."]


# -- byte for byte -------------------------------------------------------------------------


def test_texts_come_back_byte_for_byte(cli: Cli) -> None:
    episodes = [{"episode_no": no, "text": text} for no, text in enumerate(AWKWARD, start=1)]
    cli(
        "story", "import", cli.folder("f", episodes), "--story", "s", "--language", "en", "--embedder", "hash"
    )
    for no, text in enumerate(AWKWARD, start=1):
        assert cli("episode", "show", "--story", "s", "--no", no).raw == text.encode()
    out = cli.inputs("s")["episodes.jsonl"]
    assert [json.loads(line)["text"] for line in out.decode().split("\n") if line] == list(AWKWARD)
    cli("sync")
    for no, text in enumerate(AWKWARD, start=1):
        assert cli("episode", "show", "--story", "s", "--no", no).raw == text.encode()
    cli("verify")


@pytest.mark.parametrize("text", AWKWARD)
def test_texts_put_come_back_byte_for_byte(cli: Cli, text: str) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 1, text)
    assert cli("episode", "show", "--story", "s", "--no", 1).raw == text.encode()
    file = cli.file("text.txt", text)
    cli("episode", "put", "--story", "s", "--no", 2, file)
    assert cli("episode", "show", "--story", "s", "--no", 2).raw == text.encode()
    cli("sync")
    for fact in cli.facts("s"):
        assert fact["quote"] in text


def test_texts_in_json_with_a_mark_and_crlf(cli: Cli) -> None:
    line = json.dumps({"episode_no": 1, "text": "a\r\nb"}).encode()
    folder = cli.folder("f", [])
    (folder / "episodes.jsonl").write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n")
    cli("story", "import", folder, "--story", "s", "--embedder", "hash")
    assert cli("episode", "show", "--story", "s", "--no", 1).raw == b"a\r\nb"


def test_plain_files_one_per_episode(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    texts = {
        "ep1.txt": b"One.\r\nMore.  ",
        "ep2.md": b"# Two\n\nIt rains.\n",
        "ep10.txt": b"\xef\xbb\xbfTen.",
    }
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    cli("story", "import", folder, "--story", "p", "--embedder", "hash")
    assert [row[0] for row in cli("episode", "list", "--story", "p").table] == ["1", "2", "10"]
    for no, data in zip((1, 2, 10), texts.values(), strict=True):
        assert cli("episode", "show", "--story", "p", "--no", no).raw == data


def test_one_plain_file_is_cut_at_its_headings(cli: Cli) -> None:
    text = "第一章　灯台\r\n灯台がある。\r\n第二章　小舟\r\n小舟がある。\r\n"
    file = cli.file("本.txt", text)
    cli("story", "import", file, "--story", "本", "--embedder", "hash")
    pieces = [cli("episode", "show", "--story", "本", "--no", no).out for no in (1, 2)]
    assert "".join(pieces) == text
    assert pieces[1].startswith("第二章")
    md = cli.file("book.md", "# Book\n\n## One\nAnna ran.\n\n## Two\nBoris slept.\n")
    cli("story", "import", md, "--story", "book", "--embedder", "hash")
    assert len(cli("episode", "list", "--story", "book").table) == 2


# -- export --------------------------------------------------------------------------------


def check_round(cli: Cli, story: str) -> dict[str, bytes]:
    """Export, import into a fresh store, export: the same bytes; and memory is the same."""
    cli("sync", "--story", story)
    first = cli.inputs(story)
    folder = sorted(cli.db.parent.glob("export of *"))[-1]
    other = cli.other("other.db")
    other("story", "import", folder, "--story", story)
    second = other.inputs(story)
    assert second == first
    other("sync", "--story", story)
    assert other.inputs(story) == first
    again = other("story", "import", folder, "--story", story)
    assert "0 new, 0 edited" in again.err
    assert other.inputs(story) == first
    other("verify")
    return first


def check_same_memory(cli: Cli, story: str, at: int) -> None:
    other = cli.other("other.db")
    viewers = [row[0] for row in cli("cast", "list", "--story", story).table]
    assert [row[0] for row in other("cast", "list", "--story", story).table] == viewers
    for viewer in [*viewers, "a stranger"]:
        mine, theirs = cli.known(story, viewer, at), other.known(story, viewer, at)
        for each in (*mine["hits"], *theirs["hits"]):
            del each["id"]
        assert mine == theirs


@pytest.mark.parametrize("name", NAMES)
def test_export_import_export_of_real_stories(cli: Cli, shelf: Shelf, name: str) -> None:
    cli("story", "import", shelf[name], "--story", name, "--embedder", "hash")
    files = check_round(cli, name)
    given = shelf.rows(name, "episodes.jsonl")
    exported = [json.loads(line) for line in files["episodes.jsonl"].decode().split("\n") if line]
    assert [row["text"] for row in exported] == [row["text"] for row in given]
    # Unknown fields are kept.
    assert all(row.items() <= out.items() for row, out in zip(given, exported, strict=True))
    facts = [json.loads(line) for line in files.get("facts.jsonl", b"").decode().split("\n") if line]
    assert len(facts) == len(shelf.rows(name, "facts.jsonl"))
    for row, out in zip(shelf.rows(name, "facts.jsonl"), facts, strict=True):
        assert all(out.get(key, 3) == value for key, value in row.items() if key != "known_by")
        assert sorted(out["known_by"]) == sorted(row["known_by"])


@pytest.mark.parametrize("name", ["yoimachi", "lantern-isle"])
def test_export_of_text_alone(cli: Cli, shelf: Shelf, name: str) -> None:
    cli.take_in(shelf[name], name, "--only", "text")
    assert "facts.jsonl" not in check_round(cli, name)
    check_same_memory(cli, name, 99)


def test_export_after_many_edits(cli: Cli) -> None:
    story = cli.sea()
    cli(
        "fact",
        "add",
        "--story",
        story,
        "--episode",
        2,
        "--text",
        "手 1。",
        "--known-by",
        "新 人,ミナ",
        "--quote",
        "赤い小舟",
    )
    cli(
        "fact",
        "edit",
        "s3",
        "--story",
        story,
        "--text",
        "浜に青い小舟がある。",
        "--known-by",
        "world",
        "--keep-quote",
    )
    cli("fact", "pin", "s1", "--story", story)
    cli("fact", "delete", "s6", "--story", story)
    cli("episode", "delete", "--story", story, "--no", 1)
    cli("episode", "renumber", "--story", story, "--no", 4, "--to", 9)
    cli.put(story, 3, "灯台は取り壊された。")
    cli(
        "cast",
        "edit",
        "ミナ",
        "--story",
        story,
        "--alias",
        "夜の紳士@2:ミナ,Ольга",
        "--description",
        "説明 🌊",
    )
    check_round(cli, story)
    check_same_memory(cli, story, 99)


def test_export_of_decisions_on_extracted_facts(cli: Cli) -> None:
    story = cli.isle()
    facts = [fact["fact_id"] for fact in cli.facts(story)]
    cli("fact", "delete", facts[0], "--story", story)
    cli("fact", "edit", facts[1], "--story", story, "--text", "Boris dreamt.", "--known-by", "boris")
    cli("fact", "pin", facts[2], "--story", story)
    cli("fact", "add", "--story", story, "--episode", 3, "--text", "By hand.", "--known-by", "anna")
    cli("fact", "edit", facts[3], "--story", story, "--episode", 3)
    check_round(cli, story)
    check_same_memory(cli, story, 99)
    other = cli.other("other.db")
    assert other.facts(story) == cli.facts(story)


def test_export_of_annotations_whose_paragraphs_changed(cli: Cli, shelf: Shelf) -> None:
    folder = shelf["yoimachi"]
    cli.take_in(folder, "宵", "--only", "text")
    for no in (1, 3, 5):
        text = cli("episode", "show", "--story", "宵", "--no", no).out
        lines = text.split("\n")
        lines[2] = "澪は新しい手紙を読んだ。"
        lines.insert(5, "誰かが笑った。")
        cli.put("宵", no, "\n".join(lines))
    cli("sync")
    assert any(fact["reason"] == "changed" for fact in cli.review("宵"))
    check_round(cli, "宵")
    check_same_memory(cli, "宵", 99)
    assert cli.other("other.db").facts("宵") == cli.facts("宵")


def test_export_of_unknown_fields(cli: Cli) -> None:
    episodes = [{"episode_no": 1, "text": "One.", "part": "前 編", "x": {"deep": [1, None, 2.5]}}]
    facts = [
        {
            "fact_id": "a",
            "episode_no": 1,
            "visibility": "public",
            "known_by": [],
            "text": "A.",
            "mood": "calm",
        }
    ]
    visibility = [{"episode_no": 1, "paragraph_id": None, "known_by": ["z"], "note": "注"}]
    cast = [{"id": "z", "name": "Z", "age": 14}]
    story = {"title": "T", "language": "en", "embedder": "hash", "author": "me"}
    folder = cli.folder("f", episodes, facts=facts, visibility=visibility, cast=cast, story=story)
    cli("story", "import", folder, "--story", "s")
    files = check_round(cli, "s")
    assert json.loads(files["episodes.jsonl"]) == {**episodes[0], **json.loads(files["episodes.jsonl"])}
    assert json.loads(files["facts.jsonl"])["mood"] == "calm"
    assert json.loads(files["visibility.jsonl"])["note"] == "注"
    assert json.loads(files["cast.json"])["characters"][0]["age"] == 14
    assert json.loads(files["story.json"])["author"] == "me"


def test_supersedes_and_told_from_of_absent_facts_are_kept_without_effect(cli: Cli) -> None:
    facts = [{
        "fact_id": "a", "episode_no": 1, "visibility": "public", "known_by": [], "text": "A.",
        "supersedes": "no such", "told_from": "neither",
    }]  # fmt: skip
    cli.take_in(cli.folder("f", [{"episode_no": 1, "text": "A."}], facts=facts), "s")
    (hit,) = cli.known("s", "x", 2)["hits"]
    assert hit["superseded_by"] is None
    row = json.loads(check_round(cli, "s")["facts.jsonl"])
    assert row["supersedes"] == "no such"
    assert row["told_from"] == "neither"


def test_export_into_a_folder_of_old(cli: Cli, tmp_path: Path) -> None:
    story = cli.sea()
    out = tmp_path / "out"
    cli("story", "export", out, "--story", story)
    for fact in cli.facts(story):
        cli("fact", "delete", fact["fact_id"], "--story", story)
    cli("story", "export", out, "--story", story)
    assert not (out / "facts.jsonl").exists()
    file = cli.file("a file", "x")
    cli("story", "export", file, "--story", story, code=3)
