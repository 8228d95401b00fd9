"""`fact`: by hand, supplied and extracted; edits outlive every re-reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row


def add(cli: Cli, story: str, no: int, text: str, who: str, *options: object) -> str:
    ran = cli("fact", "add", "--story", story, "--episode", no, "--text", text, "--known-by", who, *options)
    (fact_id,) = ran.out.splitlines()
    return fact_id


def hit(cli: Cli, story: str, who: str, at: int, fact_id: str) -> Row:
    found: Row
    (found,) = (h for h in cli.known(story, who, at)["hits"] if h["fact_id"] == fact_id)
    return found


def of_text(cli: Cli, story: str, text: str) -> Row:
    (found,) = (fact for fact in cli.facts(story) if fact["text"] == text)
    return found


# -- by hand -------------------------------------------------------------------------------


def test_a_fact_by_hand_is_there_at_once(cli: Cli) -> None:
    story = cli.sea()
    fact_id = add(
        cli, story, 2, "小舟はミナの父のものだ。", "ミナ,ハル ト", "--quote", "赤い小舟", "--importance", 5,
        "--told-from", "s2", "--supersedes", "s3",
    )  # fmt: skip
    assert cli.fact(story, fact_id) == {
        "fact_id": fact_id, "story": story, "episode_no": 2, "episode_id": "ep-2",
        "known_by": ["ハル ト", "ミナ"],
        "in_review": False, "flagged": False, "origin": "hand", "reason": "supplied",
        "text": "小舟はミナの父のものだ。", "quote": "赤い小舟", "importance": 5, "pinned": False,
        "supersedes": "s3", "told_from": "s2", "arousal": None,
        "holdings": [
            {"character_id": "ハル ト", "evidence": "annotated", "confidence": 1.0},
            {"character_id": "ミナ", "evidence": "annotated", "confidence": 1.0},
        ],
    }  # fmt: skip
    found = hit(cli, story, "ミナ", 3, fact_id)
    assert found["id"].startswith("vec:ep-2:v0:character:ミナ:")
    start, end = found["offsets"]
    assert cli.SEA_TEXTS[1][start:end] == "赤い小舟"
    assert fact_id not in cli.known_ids(story, "ミナ", 2)
    assert fact_id not in cli.known_ids(story, "Ольга", 9)
    assert cli.recall("小舟", story, "ミナ", 3)["hits"][0]["fact_id"] == fact_id
    assert "0 episodes" in cli("sync").err
    cli("verify")


def test_fact_ids_are_made_of_episode_and_text(cli: Cli) -> None:
    story = cli.sea()
    other = cli.other("other.db")
    other.sea()
    fact_id = add(cli, story, 2, "秘密。", "ミナ")
    assert add(other, story, 2, "秘密。", "Ольга,ハル ト") == fact_id
    assert add(cli, story, 3, "秘密。", "ミナ") != fact_id
    assert add(cli, story, 2, "秘密！", "ミナ") != fact_id
    cli("fact", "add", "--story", story, "--episode", 2, "--text", "秘密。", "--known-by", "world", code=3)
    cli("fact", "delete", fact_id, "--story", story)
    assert add(cli, story, 2, "秘密。", "world") == fact_id
    # The id stays through edits, insertions and renumberings.
    cli("fact", "edit", fact_id, "--story", story, "--text", "もう秘密ではない。")
    cli("episode", "insert", "--story", story, "--no", 1, "-", stdin=b"0")
    cli("episode", "renumber", "--story", story, "--no", 3, "--to", 99)
    assert cli.fact(story, fact_id)["text"] == "もう秘密ではない。"
    assert cli.fact(story, fact_id)["episode_no"] == 99


def test_edit_changes_what_is_given(cli: Cli) -> None:
    story = cli.sea()
    fact_id = add(cli, story, 2, "甲。", "ミナ", "--quote", "赤い小舟", "--importance", 4)
    for option, value, field, want in (
        ("--text", "乙。", "text", "乙。"),
        ("--known-by", "world", "known_by", ["world"]),
        ("--known-by", "Ольга", "known_by", ["Ольга"]),
        ("--importance", 1, "importance", 1),
        ("--quote", "夜の浜", "quote", "夜の浜"),
        ("--told-from", "s2", "told_from", "s2"),
        ("--supersedes", "s1", "supersedes", "s1"),
    ):
        before = cli.fact(story, fact_id)
        asked = ["--keep-quote"] if option == "--known-by" else []
        cli("fact", "edit", fact_id, "--story", story, option, value, *asked)
        after = cli.fact(story, fact_id)
        assert {**after, "holdings": before["holdings"]} == {**before, field: want}
        assert [one["character_id"] for one in after["holdings"]] == after["known_by"]
    cli("verify")


def test_a_fact_moves_to_another_episode(cli: Cli) -> None:
    story = cli.sea()
    fact_id = add(cli, story, 2, "甲。", "ミナ", "--quote", "赤い小舟")
    cli("fact", "edit", fact_id, "--story", story, "--episode", 4)
    cli("sync")
    assert cli.fact(story, fact_id)["episode_no"] == 4
    assert fact_id not in cli.known_ids(story, "ミナ", 4)
    assert fact_id in cli.known_ids(story, "ミナ", 5)
    cli("fact", "edit", fact_id, "--story", story, "--episode", 77, code=3)
    cli("verify")


def test_a_fact_that_moved_is_listed_once_and_where_it_is(cli: Cli) -> None:
    story = cli.sea()
    fact_id = add(cli, story, 2, "甲。", "ミナ")
    cli("fact", "edit", fact_id, "--story", story, "--episode", 3)
    assert cli.fact(story, fact_id)["episode_no"] == 3
    assert cli.fact(story, fact_id)["known_by"] == ["ミナ"]


def test_a_supplied_fact_can_be_edited_and_deleted(cli: Cli) -> None:
    story = cli.sea()
    cli(
        "fact",
        "edit",
        "s2",
        "--story",
        story,
        "--text",
        "鍵は海の底だ。",
        "--known-by",
        "ミナ,Ольга",
        "--no-quote",
    )
    assert hit(cli, story, "Ольга", 2, "s2")["text"] == "鍵は海の底だ。"
    assert hit(cli, story, "ミナ", 2, "s2")["text"] == "鍵は海の底だ。"
    cli("fact", "delete", "s2", "--story", story)
    assert cli.known_ids(story, "ミナ", 2) == ["s1"]
    cli("fact", "delete", "s2", "--story", story, code=3)
    cli("fact", "edit", "s2", "--story", story, "--text", "x", code=3)
    cli("fact", "pin", "s2", "--story", story, code=3)
    cli("sync")
    assert cli.known_ids(story, "ミナ", 2) == ["s1"]
    cli("verify")


def test_pin(cli: Cli) -> None:
    facts = [
        {"fact_id": name, "episode_no": 1, "visibility": "public", "text": "灯台がある。"} for name in "abc"
    ]
    cli.take_in(cli.folder("f", [{"episode_no": 1, "text": "灯台がある。"}], facts=facts), "s")
    assert [h["fact_id"] for h in cli.recall("灯台", "s", "x", 2)["hits"]] == ["a", "b", "c"]
    cli("fact", "pin", "c", "--story", "s")
    assert [h["fact_id"] for h in cli.recall("灯台", "s", "x", 2)["hits"]] == ["c", "a", "b"]
    assert cli.fact("s", "c")["pinned"] is True
    cli("fact", "pin", "c", "--off", "--story", "s")
    assert [h["fact_id"] for h in cli.recall("灯台", "s", "x", 2)["hits"]] == ["a", "b", "c"]
    cli("verify")


def test_hand_made_facts_survive_edits_of_the_text(cli: Cli) -> None:
    story = cli.isle()
    plain = add(cli, story, 1, "Anna is afraid.", "anna")
    quoted = add(cli, story, 1, "The key was silver.", "anna", "--quote", "silver key")
    cli.put(story, 1, "Nothing is left.")
    cli("sync")
    assert plain in cli.known_ids(story, "anna", 2)
    # Its quote is its own episode's and stands there no more.
    assert quoted not in cli.known_ids(story, "anna", 2)
    assert quoted in [fact["fact_id"] for fact in cli.review(story)]
    cli("rebuild")
    assert plain in cli.known_ids(story, "anna", 2)
    cli("verify")


def test_facts_of_an_episode_go_and_come_with_it(cli: Cli) -> None:
    story = cli.isle()
    fact_id = add(cli, story, 1, "Anna is afraid.", "anna")
    cli("episode", "delete", "--story", story, "--no", 1)
    assert fact_id not in cli.known_ids(story, "anna", 9)
    cli("fact", "add", "--story", story, "--episode", 1, "--text", "x", "--known-by", "anna", code=3)
    cli("episode", "restore", "--story", story, "--no", 1)
    cli("sync")
    assert fact_id in cli.known_ids(story, "anna", 9)


def test_list_of_one_episode(cli: Cli) -> None:
    story = cli.sea()
    assert [fact["fact_id"] for fact in cli.facts(story, "--episode", 1)] == ["s1", "s2"]
    assert [row[0] for row in cli("fact", "list", "--story", story).table] == [f"s{n}" for n in range(1, 7)]
    cli("fact", "list", "--story", story, "--episode", 77, code=3)


# -- extracted -----------------------------------------------------------------------------


def again(cli: Cli, story: str) -> None:
    """Do all that reads the texts again."""
    cli("story", "import", cli.isle_folder(), "--story", story)
    cli("sync")
    cli.put(story, 1, cli.ISLE_TEXTS[0] + " The wind blew.")
    cli("sync")
    cli("rebuild")
    cli("story", "import", cli.isle_folder(), "--story", story)
    cli("sync")


def test_an_edited_extracted_fact_is_neither_revived_nor_doubled(cli: Cli) -> None:
    story = cli.isle()
    cli("story", "audience", story, "wide")
    cli("sync")
    old = of_text(cli, story, "Anna found a silver key in the garden.")
    cli(
        "fact",
        "edit",
        old["fact_id"],
        "--story",
        story,
        "--text",
        "Anna found the key.",
        "--known-by",
        "anna",
    )
    edited = cli.fact(story, old["fact_id"])
    assert edited["origin"] == "hand"
    assert edited["text"] == "Anna found the key."
    assert cli.known_texts(story, "anna", 2) == ["Boris was asleep in the house.", "Anna found the key."]
    assert cli.known_texts(story, "boris", 2) == ["Boris was asleep in the house."]
    again(cli, story)
    assert cli.fact(story, old["fact_id"]) == edited
    assert sorted(cli.known_texts(story, "anna", 2)) == [
        "Anna found the key.",
        "Boris was asleep in the house.",
    ]
    assert cli.known_texts(story, "boris", 2) == ["Boris was asleep in the house."]
    cli("verify")


def test_a_deleted_extracted_fact_stays_out(cli: Cli) -> None:
    story = cli.isle()
    old = of_text(cli, story, "Anna found a silver key in the garden.")
    cli("fact", "delete", old["fact_id"], "--story", story)
    assert cli.known_texts(story, "anna", 2) == ["Boris was asleep in the house."]
    again(cli, story)
    assert cli.known_texts(story, "anna", 2) == ["Boris was asleep in the house."]
    assert old["fact_id"] not in [fact["fact_id"] for fact in cli.facts(story)]
    # A suppression is of the episode: the same words elsewhere are another fact.
    cli.put(story, 2, "Anna found a silver key in the garden.")
    cli("sync")
    assert "Anna found a silver key in the garden." in cli.known_texts(story, "anna", 3)
    cli("verify")


def test_an_edited_fact_that_is_deleted_stays_out(cli: Cli) -> None:
    story = cli.isle()
    old = of_text(cli, story, "Boris was asleep in the house.")
    cli("fact", "edit", old["fact_id"], "--story", story, "--text", "Boris dreamt.")
    cli("fact", "delete", old["fact_id"], "--story", story)
    again(cli, story)
    assert cli.known_texts(story, "anna", 2) == ["Anna found a silver key in the garden."]


def test_an_extracted_fact_moved_to_another_episode(cli: Cli) -> None:
    story = cli.isle()
    old = of_text(cli, story, "Boris was asleep in the house.")
    cli("fact", "edit", old["fact_id"], "--story", story, "--episode", 2)
    again(cli, story)
    assert [f["episode_no"] for f in cli.facts(story) if f["text"] == old["text"]] == [2]
    cli("verify")


def test_a_pin_on_an_extracted_fact_outlives_re_reading(cli: Cli) -> None:
    story = cli.isle()
    old = of_text(cli, story, "Boris was asleep in the house.")
    cli("fact", "pin", old["fact_id"], "--story", story)
    again(cli, story)
    assert of_text(cli, story, old["text"])["pinned"] is True
    cli("fact", "pin", old["fact_id"], "--off", "--story", story)
    assert of_text(cli, story, old["text"])["pinned"] is False
    cli("verify")


def test_extracted_ids_are_the_same_in_every_store(cli: Cli) -> None:
    story = cli.isle()
    other = cli.other("other.db")
    other.take_in(cli.isle_folder(), "isle", "--audience", "wide")
    assert other.facts("isle") == cli.facts(story)
    ids = {fact["text"]: fact["fact_id"] for fact in cli.facts(story)}
    assert add(cli, story, 2, "Made by hand.", "anna").startswith("f-")
    cli.put(story, 1, "It snowed. " + cli.ISLE_TEXTS[0])
    cli("sync")
    for text, fact_id in ids.items():
        assert of_text(cli, story, text)["fact_id"] == fact_id


# -- quotes --------------------------------------------------------------------------------


def test_a_supplied_fact_whose_quote_is_gone_waits_in_review(cli: Cli) -> None:
    story = cli.sea()
    cli.put(story, 1, "海辺の町には古い灯台がある。ミナは笑った。")
    ran = cli("sync")
    assert "review" in ran.err
    assert cli.known_ids(story, "ミナ", 9) == ["s1", "s3", "s5", "s6"]
    assert "s2" not in [h["fact_id"] for h in cli.recall("灯台の鍵", story, "ミナ", 9)["hits"]]
    (waiting,) = cli.review(story)
    assert waiting["fact_id"] == "s2"
    assert waiting["known_by"] == []
    assert waiting["reason"] == "lost_quote"
    cli("verify")
    # Mended by its quote ...
    cli("fact", "edit", "s2", "--story", story, "--quote", "ミナは笑った")
    cli("sync")
    assert cli.review(story) == []
    assert "s2" in cli.known_ids(story, "ミナ", 9)
    # ... and by the text.
    cli.put(story, 1, cli.SEA_TEXTS[0])
    cli("sync")
    assert [fact["fact_id"] for fact in cli.review(story)] == ["s2"]
    cli("fact", "edit", "s2", "--story", story, "--quote", "鍵を砂の下に隠した")
    cli("sync")
    assert cli.review(story) == []


def test_a_quote_that_stands_is_not_said_to_be_missing(cli: Cli) -> None:
    story = cli.sea()
    cli.put(story, 1, "海辺の町には古い灯台がある。ミナは笑った。")
    cli("sync")
    assert "does not stand" in cli("fact", "edit", "s2", "--story", story, "--quote", "ミナは泣いた").err
    assert "does not stand" not in cli("fact", "edit", "s2", "--story", story, "--quote", "ミナは笑った").err


def test_the_text_that_comes_back_brings_the_fact_back(cli: Cli) -> None:
    story = cli.sea()
    before = cli.known(story, "ミナ", 9)
    cli.put(story, 1, "何も無い。")
    cli("sync")
    assert {fact["fact_id"] for fact in cli.review(story)} == {"s1", "s2"}
    cli.put(story, 1, cli.SEA_TEXTS[0])
    cli("sync")
    after = cli.known(story, "ミナ", 9)
    for each in (*before["hits"], *after["hits"]):
        del each["id"]
    assert after == before


@pytest.mark.parametrize("only", [(), ("--only", "facts")])
def test_a_quote_that_does_not_stand_is_seen_at_import(cli: Cli, only: tuple[str, ...]) -> None:
    episodes = [{"episode_no": 1, "text": "Anna ran."}, {"episode_no": 2, "text": "Boris slept."}]
    row: Row = {"episode_no": 1, "visibility": "public", "known_by": []}
    facts: list[dict[str, Any]] = [
        {**row, "fact_id": "stands", "text": "A.", "quote": "Anna ran", "quote_episode": 1},
        {**row, "fact_id": "implied", "text": "B.", "quote": "Anna ran"},
        {**row, "fact_id": "lost", "text": "C.", "quote": "Anna walked", "quote_episode": 1},
        {**row, "fact_id": "lost too", "text": "D.", "quote": "anna ran"},
        {**row, "fact_id": "another's", "text": "E.", "quote": "Boris slept", "quote_episode": 2},
        {**row, "fact_id": "nobody's", "text": "F.", "quote": "whatever", "quote_episode": 9},
        {**row, "fact_id": "none", "text": "G."},
        {**row, "fact_id": "second", "episode_no": 2, "text": "H."},
    ]
    cli.take_in(cli.folder("f", episodes, facts=facts), "s", *only)
    assert cli.known_ids("s", "x", 9) == ["stands", "implied", "another's", "nobody's", "none", "second"]
    assert {fact["fact_id"] for fact in cli.review("s")} == {"lost", "lost too"}
    cli("verify")


def test_a_quote_of_another_episode_is_shown_while_it_is_live_and_within_the_cutoff(cli: Cli) -> None:
    episodes = [{"episode_no": no, "text": f"Text number {no} is here."} for no in (1, 2, 3)]
    row: Row = {"visibility": "public", "known_by": []}
    facts = [
        {**row, "fact_id": "back", "episode_no": 2, "text": "A.", "quote": "number 1", "quote_episode": 1},
        {**row, "fact_id": "ahead", "episode_no": 1, "text": "B.", "quote": "number 3", "quote_episode": 3},
    ]
    cli.take_in(cli.folder("f", episodes, facts=facts), "s", "--only", "facts")

    def quotes(at: int) -> dict[str, tuple[str | None, list[int] | None]]:
        return {h["fact_id"]: (h["quote"], h["offsets"]) for h in cli.known("s", "x", at)["hits"]}

    assert quotes(2) == {"ahead": (None, None)}
    assert quotes(3) == {"ahead": (None, None), "back": ("number 1", [5, 13])}
    assert quotes(4) == {"ahead": ("number 3", [5, 13]), "back": ("number 1", [5, 13])}
    found = {h["fact_id"]: h["quote"] for h in cli.recall("number", "s", "x", 3)["hits"]}
    assert found == {"ahead": None, "back": "number 1"}
    cli("episode", "delete", "--story", "s", "--no", 3)
    assert quotes(4)["ahead"] == (None, None)
    cli("episode", "restore", "--story", "s", "--no", 3)
    cli("sync")
    assert quotes(4)["ahead"] == ("number 3", [5, 13])
    # It moves nothing: an edit of the quoted text leaves the fact where it is.
    cli.put("s", 1, "Other words.")
    cli("sync")
    assert "back" in quotes(3)
    assert cli.review("s") == []


# -- links ---------------------------------------------------------------------------------


def test_the_newer_replaces_the_older_only_for_those_who_hold_both(cli: Cli) -> None:
    episodes = [{"episode_no": no, "text": f"T{no}."} for no in (1, 2, 3)]
    facts = [
        {"fact_id": "old", "episode_no": 1, "visibility": "public", "text": "The ferry goes on Sunday."},
        {"fact_id": "new", "episode_no": 2, "visibility": "secret", "known_by": ["mia", "leo"],
         "text": "The ferry goes on Monday.", "supersedes": "old"},
    ]  # fmt: skip
    cli.take_in(cli.folder("f", episodes, facts=facts), "s")

    def recalled(who: str, at: int) -> list[str]:
        return sorted(h["fact_id"] for h in cli.recall("ferry", "s", who, at)["hits"])

    def marks(who: str, at: int) -> dict[str, str | None]:
        return {h["fact_id"]: h["superseded_by"] for h in cli.known("s", who, at)["hits"]}

    cli("cast", "add", "ann", "--story", "s")
    cli("sync")
    assert recalled("mia", 2) == ["old"]
    assert recalled("mia", 3) == recalled("leo", 3) == ["new"]
    assert recalled("ann", 3) == recalled("stranger", 9) == ["old"]
    assert marks("mia", 2) == {"old": None}
    assert marks("mia", 3) == {"old": "new", "new": None}
    assert marks("ann", 9) == {"old": None}
    cli("fact", "edit", "new", "--story", "s", "--known-by", "mia,ann")
    assert recalled("ann", 3) == ["new"]
    assert recalled("leo", 3) == ["old"]
    cli("episode", "delete", "--story", "s", "--no", 2)
    assert recalled("mia", 3) == ["old"]
    assert marks("mia", 3) == {"old": None}
    cli("episode", "restore", "--story", "s", "--no", 2)
    cli("sync")
    assert recalled("mia", 3) == ["new"]
    cli("fact", "delete", "new", "--story", "s")
    assert recalled("mia", 3) == ["old"]


def test_top_k_is_filled_though_much_is_superseded(cli: Cli) -> None:
    episodes = [{"episode_no": no, "text": f"T{no}."} for no in (1, 2)]
    facts: list[dict[str, Any]] = []
    for k in range(60):
        facts.append(
            {"fact_id": f"old{k}", "episode_no": 1, "visibility": "public", "text": f"Ferry ferry {k}."}
        )
        facts.append({
            "fact_id": f"new{k}", "episode_no": 2, "visibility": "public", "text": f"Boat {k}.",
            "supersedes": f"old{k}",
        })  # fmt: skip
    cli.take_in(cli.folder("f", episodes, facts=facts), "s")
    for top_k in (10, 50):
        hits = cli.recall("ferry", "s", "x", 3, "--top-k", top_k)["hits"]
        assert len(hits) == top_k
        assert all(each["fact_id"].startswith("new") for each in hits)


def test_a_secret_told_later_is_known_from_then_on(cli: Cli) -> None:
    story = cli.sea()
    told = add(cli, story, 3, "ハルトも鍵のことを聞いた。", "ハル ト", "--told-from", "s2")
    assert told not in cli.known_ids(story, "ハル ト", 3)
    assert told in cli.known_ids(story, "ハル ト", 4)
    # The hearer holds the new fact, not the old one; the old one's id is no news to them.
    assert "s2" not in cli.known_ids(story, "ハル ト", 9)
    assert hit(cli, story, "ハル ト", 4, told).get("told_from") is None


@pytest.mark.parametrize("option", ["--told-from", "--supersedes"])
def test_what_can_be_said_by_hand_can_be_exported_and_imported(cli: Cli, option: str) -> None:
    story = cli.sea()
    ran = cli(
        "fact",
        "add",
        "--story",
        story,
        "--episode",
        1,
        "--text",
        "T。",
        "--known-by",
        "ミナ",
        option,
        "まだ 無い",
    )
    assert ran.out.strip()
    cli.inputs(story)
    folder = next(cli.db.parent.glob("export of *"))
    cli.other("other.db")("story", "import", folder, "--story", story)


# -- review --------------------------------------------------------------------------------


def test_where_nobody_is_recognised_it_waits_in_review(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli("cast", "add", "anna", "--story", "s", "--name", "Anna")
    cli.put("s", 1, "The sea was grey and cold.")
    ran = cli("sync")
    assert "review" in ran.err
    assert cli.known("s", "anna", 2)["hits"] == []
    assert cli.recall("sea", "s", "x", 2)["hits"] == []
    (waiting,) = cli.review("s")
    assert waiting["in_review"] is True
    assert waiting["known_by"] == []
    cli("fact", "edit", waiting["fact_id"], "--story", "s", "--text", "Grey sea.", code=3)
    cli("fact", "edit", waiting["fact_id"], "--story", "s", "--known-by", "anna")
    cli("sync")
    assert cli.known_texts("s", "anna", 2) == ["The sea was grey and cold."]
    assert cli.review("s") == []
    cli("rebuild")
    assert cli.known_texts("s", "anna", 2) == ["The sea was grey and cold."]
    assert cli.review("s") == []
    cli("verify")


def test_saying_who_knows_a_fact_in_review_gives_no_warning_of_its_quote(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli("cast", "add", "anna", "--story", "s", "--name", "Anna")
    cli.put("s", 1, "The sea was grey and cold.")
    cli("sync")
    (waiting,) = cli.review("s")
    ran = cli("fact", "edit", waiting["fact_id"], "--story", "s", "--known-by", "anna")
    assert "quote does not stand" not in ran.err


def test_a_fact_waiting_in_review_can_be_struck_out(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli("cast", "add", "anna", "--story", "s", "--name", "Anna")
    cli.put("s", 1, "The sea was grey and cold.")
    cli("sync")
    (waiting,) = cli.review("s")
    cli("fact", "delete", waiting["fact_id"], "--story", "s")
    cli("rebuild")
    assert cli.review("s") == cli.facts("s") == []
