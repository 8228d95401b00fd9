"""`story checkpoint|checkpoints|rewind`: save slots from a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

STORIES = [("夜の 汽車", "ジョバンニは牛乳を待った。"), ("mill", "Ann waited for the milk.")]


@pytest.mark.parametrize(("story", "text"), STORIES)
def test_a_story_is_saved_and_rewound(cli: Cli, story: str, text: str) -> None:
    cli("story", "add", story, "--embedder", "hash")
    cli.put(story, 1, text)
    cli("sync")
    before = cli.known(story, "ann", 9)
    assert "kept" in cli("story", "checkpoint", "夜の前", "--story", story).err
    cli.put(story, 2, text * 2)
    told = cli("story", "checkpoint", "b", "--story", story, "--json").object
    assert (told["name"], told["episodes"], told["facts"]) == ("b", 2, 0)
    assert [row[0] for row in cli("story", "checkpoints", "--story", story).table] == ["b", "夜の前"]
    assert cli("story", "rewind", "夜の前", "--story", story).out.startswith(f"rewound {story}")
    assert cli.known(story, "ann", 9) == before
    forward = cli("story", "rewind", "b", "--story", story, "--json")
    assert forward.object["name"] == "b"
    assert "to remember anew: episode 2" in forward.err
    cli("story", "checkpoints", "--story", story, "--delete", "b")
    listed = cli("story", "checkpoints", "--story", story, "--json").objects
    assert [one["name"] for one in listed] == ["夜の前"]
    cli("story", "checkpoint", "夜の前", "--story", story, code=3)
    cli("story", "checkpoint", "夜の前", "--story", story, "--replace")
    cli("story", "rewind", "b", "--story", story, code=3)
    cli("verify")
