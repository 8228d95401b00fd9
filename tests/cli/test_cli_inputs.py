"""How the command line takes a story's inputs: what closes it, and what is asked before it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.conftest import Cli


def test_a_secret_of_somebody_undeclared_leaves_what_everybody_knows(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    cli.put("s", 1, "The mill burned down. Nobody came.")
    ran = cli("fact", "add", "--story", "s", "--episode", 1, "--text", "Bo did it.", "--known-by", "bo")
    assert "now in the cast: bo" in ran.err
    assert "everybody's" in cli("sync").err
    assert cli.known_texts("s", "ada", 2) == ["The mill burned down.", "Nobody came."]
    assert cli.known_texts("s", "bo", 2) == ["The mill burned down.", "Nobody came.", "Bo did it."]
    assert cli.review("s") == []
    cli("verify")


def test_a_fact_by_hand_takes_what_the_text_says_from_nobody(cli: Cli) -> None:
    story = cli.isle()
    text = "Boris met Anna at the old mill."
    (found,) = (fact for fact in cli.facts(story) if fact["text"] == text)
    assert found["known_by"] == ["anna", "boris"]
    add = ("fact", "add", "--story", story, "--episode", 2, "--text", text, "--known-by")
    refused = cli(*add, "anna,clara", code=3)
    assert "from boris" in refused.err
    assert f"`kataribe fact widen {found['fact_id']} --known-by`" in refused.err
    assert cli.fact(story, found["fact_id"]) == found
    ran = cli(*add, "anna,boris,clara")
    assert "the text says the same" in ran.err
    assert cli.fact(story, ran.out.strip())["known_by"] == ["anna", "boris", "clara"]
    cli("verify")


def test_a_deleted_text_follows_a_rename(cli: Cli) -> None:
    story = cli.isle()
    cli.put(story, 4, "[[known-by: anna]] Anna buried the key.")
    assert "edit the text first" in cli("cast", "rename", "anna", "anne", "--story", story, code=3).err
    cli("episode", "delete", "--story", story, "--no", 4)
    cli("cast", "rename", "anna", "anne", "--story", story)
    cli("episode", "restore", "--story", story, "--no", 4)
    cli("sync")
    shown = cli("episode", "show", "--story", story, "--no", 4).out
    assert shown == "[[known-by: anne]] Anna buried the key."
    assert "Anna buried the key." in cli.known_texts(story, "anne", 5)
    assert [row[0] for row in cli("cast", "list", "--story", story).table] == ["anne", "boris", "clara"]
    cli("verify")
