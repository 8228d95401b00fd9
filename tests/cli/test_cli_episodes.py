"""`episode`: put, edit, delete, restore, insert, renumber; what is stale is invisible at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row


def numbers(cli: Cli, story: str) -> dict[str, int]:
    """Give the numbers of the live episodes by id, in order."""
    rows = cli("episode", "list", "--story", story).table
    return {row[1]: int(row[0]) for row in rows if row[5] != "deleted"}


def history(cli: Cli, story: str, no: int) -> list[Row]:
    return cli("episode", "history", "--story", story, "--no", no, "--json").objects


def test_put_is_durable_at_once_and_invisible_until_sync(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    ran = cli.put("s", 1, "It rained.", "--title", "題 one")
    assert ran.out == ""
    assert "ep-1" in ran.err
    assert cli("episode", "show", "--story", "s", "--no", 1).raw == b"It rained."
    assert cli.states("s") == {"ep-1": "pending"}
    found = cli("recall", "rain", "--story", "s", "--as", "x", "--at", 2, "--json")
    assert found.object["hits"] == []
    assert found.object["pending_episodes"] == [1]
    assert "1" in found.err
    assert cli.known("s", "x", 2)["pending_episodes"] == [1]
    cli("sync")
    found = cli("recall", "rain", "--story", "s", "--as", "x", "--at", 2, "--json")
    assert [hit["text"] for hit in found.object["hits"]] == ["It rained."]
    assert found.object["pending_episodes"] == []
    assert cli("episode", "list", "--story", "s").table[0][-1] == "題 one"


def test_an_edit_hides_the_old_at_once(cli: Cli) -> None:
    story = cli.isle()
    cli.put(story, 1, cli.ISLE_TEXTS[0].replace("silver", "golden"))
    assert cli.states(story) == {"ep-1": "pending", "ep-2": "in memory", "ep-3": "in memory"}
    assert cli.recall("silver key", story, "anna", 2)["hits"] == []
    assert not any("silver" in text for text in cli.known_texts(story, "anna", 9))
    ran = cli("sync", "--story", story)
    # Unchanged facts are not embedded again.
    assert re.search("1 episodes? brought up, 1 texts? embedded", ran.err)
    assert any("golden" in text for text in cli.known_texts(story, "anna", 9))
    assert not any("silver" in text for text in cli.known_texts(story, "anna", 9))


def test_the_same_text_again_changes_nothing(cli: Cli) -> None:
    story = cli.isle()
    assert "unchanged" in cli.put(story, 1, cli.ISLE_TEXTS[0]).err
    assert set(cli.states(story).values()) == {"in memory"}
    assert len(history(cli, story, 1)) == 1
    # A new title is no new text.
    cli.put(story, 1, cli.ISLE_TEXTS[0], "--title", "T")
    assert set(cli.states(story).values()) == {"in memory"}


def test_ids(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 3, "three")
    cli.put("s", 5, "five", "--id", "第五 話")
    assert numbers(cli, "s") == {"ep-3": 3, "第五 話": 5}
    cli("episode", "renumber", "--story", "s", "--no", 3, "--to", 1)
    cli.put("s", 3, "another three")
    assert numbers(cli, "s") == {"ep-3": 1, "ep-3-2": 3, "第五 話": 5}
    cli("episode", "delete", "--story", "s", "--no", 3)
    cli.put("s", 3, "a third three")
    assert numbers(cli, "s") == {"ep-3": 1, "ep-3-3": 3, "第五 話": 5}
    # The id belongs to another number; the number to another id.
    cli("episode", "put", "--story", "s", "--no", 9, "--id", "第五 話", "-", code=3, stdin=b"x")
    cli("episode", "put", "--story", "s", "--no", 5, "--id", "other", "-", code=3, stdin=b"x")
    cli("episode", "put", "--story", "s", "--no", 9, "--id", "ep-3-2", "-", code=3, stdin=b"x")
    cli.put("s", 5, "five again", "--id", "第五 話")
    assert numbers(cli, "s")["第五 話"] == 5


def test_insert_with_ids(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    for no in (1, 2):
        cli.put("s", no, f"text {no}")
    cli("episode", "insert", "--story", "s", "--no", 1, "-", stdin=b"new")
    assert numbers(cli, "s") == {"ep-1-2": 1, "ep-1": 2, "ep-2": 3}
    cli("episode", "insert", "--story", "s", "--no", 2, "--id", "mid", "--title", "M", "-", stdin=b"mid")
    assert numbers(cli, "s") == {"ep-1-2": 1, "mid": 2, "ep-1": 3, "ep-2": 4}
    assert cli("episode", "show", "--story", "s", "--no", 4).out == "text 2"
    cli("episode", "insert", "--story", "s", "--no", 1, "--id", "mid", "-", code=3, stdin=b"x")


def test_delete_leaves_a_gap(cli: Cli) -> None:
    story = cli.sea()
    cli("episode", "delete", "--story", story, "--no", 2)
    assert numbers(cli, story) == {"ep-1": 1, "ep-3": 3, "ep-4": 4}
    assert cli.states(story)["ep-2"] == "deleted"
    assert cli.known_ids(story, "ミナ", 9) == ["s1", "s2", "s5", "s6"]
    assert "s3" not in [hit["fact_id"] for hit in cli.recall("赤い小舟", story, "ミナ", 9)["hits"]]
    assert cli.recall("灯台", story, "ミナ", 9)["pending_episodes"] == []
    for command in ("show", "history", "delete"):
        cli("episode", command, "--story", story, "--no", 2, code=3)
    cli("verify")


def test_restore(cli: Cli) -> None:
    story = cli.sea()
    before = cli.known(story, "ミナ", 9)
    cli("episode", "delete", "--story", story, "--no", 2)
    cli("episode", "restore", "--story", story, "--no", 2)
    cli("sync")
    assert cli.known(story, "ミナ", 9) == before
    cli("episode", "restore", "--story", story, "--no", 2, code=3)
    cli("episode", "restore", "--story", story, "--no", 9, code=3)
    cli("episode", "delete", "--story", story, "--no", 2)
    cli.put(story, 2, "新しい二。")
    cli("episode", "restore", "--story", story, "--no", 2, code=3)
    cli("episode", "renumber", "--story", story, "--no", 2, "--to", 8)
    cli("episode", "restore", "--story", story, "--no", 2)
    cli("sync")
    assert numbers(cli, story) == {"ep-1": 1, "ep-2": 2, "ep-3": 3, "ep-4": 4, "ep-2-2": 8}
    assert cli("episode", "show", "--story", story, "--no", 2).out == cli.SEA_TEXTS[1]
    cli("verify")


def test_restore_takes_the_one_last_deleted(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    for text in ("first", "second"):
        cli.put("s", 1, text)
        cli("episode", "delete", "--story", "s", "--no", 1)
    cli("episode", "restore", "--story", "s", "--no", 1)
    assert cli("episode", "show", "--story", "s", "--no", 1).out == "second"


def test_insert_shifts_later_numbers_and_what_names_them(cli: Cli) -> None:
    story = cli.sea()
    for alias in ("一から@1", "二から@2", "三から@3", "初めから"):
        cli("cast", "edit", "Ольга", "--story", story, "--alias", alias)
    cli("sync")
    cli("episode", "insert", "--story", story, "--no", 2, "-", stdin="間の話。".encode())
    assert numbers(cli, story) == {"ep-1": 1, "ep-2-2": 2, "ep-2": 3, "ep-3": 4, "ep-4": 5}
    shown = {row[1]: row[2] for row in cli("cast", "show", "Ольга", "--story", story).table}
    assert shown["一から"] == "episode 1"
    assert shown["二から"] == "episode 3"
    assert shown["三から"] == "episode 4"
    assert shown["初めから"] == "the start"
    # Texts have not changed: only the new one is to be read.
    assert [no for no, state in cli.states(story).items() if state == "pending"] == ["ep-2-2"]
    found = cli.known(story, "ミナ", 9)
    assert [(hit["fact_id"], hit["episode_no"]) for hit in found["hits"]] == [
        ("s1", 1), ("s2", 1), ("s3", 3), ("s5", 4), ("s6", 5)
    ]  # fmt: skip
    assert found["pending_episodes"] == [2]
    assert cli.known_ids(story, "ミナ", 3) == ["s1", "s2"]
    assert cli.known_ids(story, "ミナ", 4) == ["s1", "s2", "s3"]
    cli("sync")
    cli("verify")


def test_insert_at_the_end_and_beyond(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 1, "one")
    cli("episode", "insert", "--story", "s", "--no", 2, "-", stdin=b"two")
    cli("episode", "insert", "--story", "s", "--no", 9, "-", stdin=b"nine")
    assert list(numbers(cli, "s").values()) == [1, 2, 9]


def test_a_quote_of_another_episode_follows_an_insertion(cli: Cli) -> None:
    story = cli.sea()
    (before,) = (h for h in cli.known(story, "Ольга", 9)["hits"] if h["fact_id"] == "s4")
    assert before["quote"] == "鍵を砂の下に隠した"
    cli("episode", "insert", "--story", story, "--no", 1, "-", stdin="前の話。".encode())
    cli("sync")
    (after,) = (h for h in cli.known(story, "Ольга", 9)["hits"] if h["fact_id"] == "s4")
    assert after["quote"] == before["quote"]
    assert after["offsets"] == before["offsets"]


def test_renumber(cli: Cli) -> None:
    story = cli.sea()
    cli("episode", "renumber", "--story", story, "--no", 2, "--to", 3, code=3)
    assert list(numbers(cli, story).values()) == [1, 2, 3, 4]
    cli("episode", "renumber", "--story", story, "--no", 2, "--to", 7)
    assert numbers(cli, story) == {"ep-1": 1, "ep-3": 3, "ep-4": 4, "ep-2": 7}
    # Nothing is read or embedded again.
    assert set(cli.states(story).values()) == {"in memory"}
    assert cli.known_ids(story, "ミナ", 9) == ["s1", "s2", "s5", "s6", "s3"]
    assert cli.known_ids(story, "ミナ", 7) == ["s1", "s2", "s5", "s6"]
    assert cli.known_ids(story, "ミナ", 8)[-1] == "s3"
    cli("episode", "renumber", "--story", story, "--no", 2, "--to", 9, code=3)
    cli("verify")


def test_renumber_moves_the_successor_before_its_predecessor(cli: Cli) -> None:
    story = cli.sea()
    cli("episode", "renumber", "--story", story, "--no", 1, "--to", 9)
    # The older is told after the newer now, which replaces it no more.
    assert {hit["fact_id"]: hit["superseded_by"] for hit in cli.known(story, "ミナ", 10)["hits"]}[
        "s1"
    ] is None


def test_history_tells_what_was_gained_and_lost(cli: Cli) -> None:
    story = cli.isle()
    cli.put(story, 3, "Clara wrote a long letter to Anna. The sun shone.")
    cli("sync")
    cli.put(story, 3, "Clara slept.", "--title", "終")
    first, second, third = history(cli, story, 3)
    assert [first["version"], second["version"], third["version"]] == [1, 2, 3]
    assert [each["text"] for each in (first, second, third)] == [
        cli.ISLE_TEXTS[2], "Clara wrote a long letter to Anna. The sun shone.", "Clara slept."
    ]  # fmt: skip
    assert {text for _, _, text in first["gained"]} == {
        "Clara wrote a long letter to Anna.",
        "It rained all day.",
    }
    assert first["lost"] == []
    assert [[holder, text] for holder, _, text in second["gained"]] == [["clara", "The sun shone."]]
    assert [[holder, text] for holder, _, text in second["lost"]] == [["clara", "It rained all day."]]
    assert third["synced"] is False
    assert third["gained"] == third["lost"] == []
    shown = cli("episode", "history", "--story", story, "--no", 3).out
    assert "+ [clara] The sun shone." in shown
    assert "- [clara] It rained all day." in shown
    cli("sync")
    third = history(cli, story, 3)[2]
    assert third["synced"] is True
    assert [text for _, _, text in third["gained"]] == ["Clara slept."]
    assert len(third["lost"]) == 2


def test_every_version_is_kept_byte_for_byte(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    texts = ["one\r\n", "\ufefftwo  ", "三 👩‍👧\n", "one\r\n"]
    for text in texts:
        cli.put("s", 1, text)
    assert [entry["text"] for entry in history(cli, "s", 1)] == texts


@pytest.mark.parametrize("text", ["", " \n", "。", "…", "「", "(", '"', "a" * 50_000])
def test_odd_texts(cli: Cli, text: str) -> None:
    cli("story", "add", "s", "--embedder", "hash", "--language", "ja")
    cli.put("s", 1, text)
    cli("sync")
    assert cli.states("s") == {"ep-1": "in memory"}
    assert cli("episode", "show", "--story", "s", "--no", 1).out == text
    cli("verify")
    assert "0 episodes" in cli("sync").err


def test_episode_numbers_have_room(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli.put("s", 2_000_000_000, "Far. Away.")
    cli.put("s", 1, "Near.")
    cli("sync")
    assert cli.known_texts("s", "x", 2_000_000_001) == ["Near.", "Far.", "Away."]
