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
