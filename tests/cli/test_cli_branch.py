"""`story branch add|list|show|detach`: an IF story is a `--story` like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli

STORY, BRANCH = "夜の 汽車", "もしも"


@pytest.fixture
def forked(cli: Cli) -> Cli:
    """A Japanese story of three episodes, and a branch after the second with one of its own."""
    cli("story", "add", STORY, "--language", "ja", "--embedder", "hash", "--audience", "wide")
    cli("cast", "add", "カムパネルラ", "--story", STORY)
    for no, text in enumerate(("川で泳いだ。", "汽車に乗った。", "帰らなかった。"), start=1):
        cli.put(STORY, no, f"カムパネルラは{text}")
    cli("story", "branch", "add", BRANCH, "--of", STORY, "--after", 2, "--title", "帰ってきた夜")
    cli.put(BRANCH, 3, "カムパネルラは家に帰った。")
    cli("sync")
    return cli


def texts(cli: Cli, story: str, at: int = 9) -> list[str]:
    hits = cli("known", "--story", story, "--as", "カムパネルラ", "--at", at, "--json").object["hits"]
    return [hit["text"].removeprefix("カムパネルラは") for hit in hits]


def test_a_branch_is_a_story_like_any_other(forked: Cli) -> None:
    assert texts(forked, BRANCH) == ["川で泳いだ。", "汽車に乗った。", "家に帰った。"]
    assert texts(forked, STORY) == ["川で泳いだ。", "汽車に乗った。", "帰らなかった。"]
    assert forked.recall("家に帰った", BRANCH, "カムパネルラ", 9)["hits"][0]["episode_no"] == 3
    assert forked("episode", "show", "--story", BRANCH, "--no", 1).out == "カムパネルラは川で泳いだ。"


def test_list_and_show(forked: Cli) -> None:
    forked("story", "branch", "add", "また", "--of", BRANCH, "--after", 3)
    assert forked("story", "branch", "list").table == [
        ["また", BRANCH, "3", "3", "0", "0", ""],
        [BRANCH, STORY, "2", "2", "1", "0", "帰ってきた夜"],
    ]
    assert [row[0] for row in forked("story", "branch", "list", "--of", BRANCH).table] == ["また"]
    shown = {row[0]: row[1] for row in forked("story", "branch", "show", "また").table}
    assert shown["lineage"] == f"{STORY} > {BRANCH} > また"
    assert shown["branch of"] == f"{BRANCH} after 3"
    told = forked("story", "branch", "show", BRANCH, "--json").object
    assert (told["parent"], told["after"], told["inherited"], told["own"]) == (STORY, 2, 2, [3])
    listed = {row[0]: row[4] for row in forked("story", "list").table}
    assert listed == {STORY: "", BRANCH: f"branch of {STORY} after 2", "また": f"branch of {BRANCH} after 3"}
    assert {row[0]: row[1] for row in forked("story", "show", BRANCH).table}[
        "branch of"
    ] == f"{STORY} after 2"


def test_what_is_inherited_is_marked(forked: Cli) -> None:
    states = [(row[0], row[5]) for row in forked("episode", "list", "--story", BRANCH).table]
    assert states == [("1", f"in memory, of {STORY}"), ("2", f"in memory, of {STORY}"), ("3", "in memory")]
    facts = forked("fact", "list", "--story", BRANCH)
    assert [row[1] for row in facts.table] == [f"1 of {STORY}", f"2 of {STORY}", "3"]
    owners = [row["story"] for row in forked("fact", "list", "--story", BRANCH, "--json").objects]
    assert owners == [STORY, STORY, BRANCH]


def test_a_branch_of_an_inherited_episode_says_whose_it_is(forked: Cli) -> None:
    said = forked("story", "branch", "add", "別", "--of", BRANCH, "--after", 1).err
    assert f"episode 1 of {BRANCH} belongs to {STORY}" in said
    assert f"a branch of {STORY} after 1" in said
    assert "its own episodes begin at 2" in said


def test_refusals_say_where_to_go(forked: Cli) -> None:
    refused = [
        ("episode", "delete", "--story", BRANCH, "--no", 1),
        ("fact", "add", "--story", BRANCH, "--episode", 2, "--text", "秘密", "--known-by", "world"),
        ("cast", "rename", "カムパネルラ", "C", "--story", BRANCH),
        ("story", "delete", STORY),
        ("story", "branch", "add", BRANCH, "--of", STORY, "--after", 1),
        ("story", "branch", "add", "x", "--of", STORY, "--after", 8),
        ("story", "branch", "show", STORY),
        ("story", "branch", "detach", STORY),
    ]
    for line in refused:
        ran = forked(*line, code=3)
        assert ran.out == ""
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1
    assert f"--story {STORY}" in forked("episode", "delete", "--story", BRANCH, "--no", 1, code=3).err
    assert BRANCH in forked("story", "delete", STORY, code=3).err
    forked("story", "branch", "add", "x", "--of", STORY, "--after", 0, code=2)


def test_edits_of_the_parent_show_up_to_the_fork(forked: Cli) -> None:
    forked.put(STORY, 3, "カムパネルラは遠くへ行った。")
    forked.put(STORY, 1, "カムパネルラは川を渡った。")
    pending = [row[0] for row in forked("episode", "list", "--story", BRANCH).table if "pending" in row[5]]
    assert pending == ["1"]
    forked("sync", "--story", STORY)
    assert texts(forked, BRANCH) == ["川を渡った。", "汽車に乗った。", "家に帰った。"]


def test_detach(forked: Cli) -> None:
    before = texts(forked, BRANCH)
    assert "story of its own" in forked("story", "branch", "detach", BRANCH).err
    assert texts(forked, BRANCH) == before
    assert forked("story", "branch", "list").table == []
    forked("story", "delete", STORY)
    assert texts(forked, BRANCH) == before
    assert "0 problems" in forked("verify").out
