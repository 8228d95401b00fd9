"""`cast`: names and who knows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli


def names(cli: Cli, story: str, who: str) -> list[list[str]]:
    return cli("cast", "show", who, "--story", story).table


def cast(cli: Cli, story: str) -> dict[str, str]:
    return {row[0]: row[3] for row in cli("cast", "list", "--story", story).table}


def explained(cli: Cli, question: str, story: str, who: str, at: int) -> tuple[set[str], set[str]]:
    told = cli.recall(question, story, who, at, "--explain")["explain"]
    return set(told["expansions"]), set(told["terms"])


def test_add_show_edit(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash", "--language", "ja")
    cli(
        "cast", "add", "ミナ 一", "--story", "s", "--name", "潮田ミナ", "--alias", "みな",
        "--alias", "灯守@3",
        "--alias", "鍵の番人@2:ミナ 一,ハルト", "--description", "灯台の子",
    )  # fmt: skip
    assert names(cli, "s", "ミナ 一") == [
        ["name", "潮田ミナ", "the start", "world"],
        ["other", "みな", "the start", "world"],
        ["other", "灯守", "episode 3", "world"],
        ["other", "鍵の番人", "episode 2", "ハルト, ミナ 一"],
        ["description", "灯台の子", "the start", "world"],
    ]
    cli("cast", "edit", "ミナ 一", "--story", "s", "--name", "浜田ミナ", "--alias", "ミー")
    shown = names(cli, "s", "ミナ 一")
    assert ["name", "浜田ミナ", "the start", "world"] in shown
    assert "潮田ミナ" not in [row[1] for row in shown]
    assert {"みな", "灯守", "鍵の番人", "ミー", "灯台の子"} <= {row[1] for row in shown}
    cli("cast", "edit", "ミナ 一", "--story", "s", "--remove-alias", "みな", "--remove-alias", "灯守")
    assert {row[1] for row in names(cli, "s", "ミナ 一")} == {"浜田ミナ", "鍵の番人", "ミー", "灯台の子"}
    cli("cast", "edit", "ミナ 一", "--story", "s", "--description", "漁師")
    assert [row[1] for row in names(cli, "s", "ミナ 一") if row[0] == "description"] == ["漁師"]
    cli("cast", "edit", "ミナ 一", "--story", "s", "--remove-alias", "いない", code=3)
    cli("cast", "edit", "nobody", "--story", "s", "--name", "X", code=3)
    cli("cast", "add", "ミナ 一", "--story", "s", code=3)
    cli("cast", "show", "nobody", "--story", "s", code=3)


def test_an_alias_with_signs_in_it(cli: Cli) -> None:
    cli("story", "add", "s", "--embedder", "hash")
    cli(
        "cast",
        "add",
        "a",
        "--story",
        "s",
        "--alias",
        "mail@home",
        "--alias",
        "x: y",
        "--alias",
        "k@v@2:world",
    )
    assert [row[1:] for row in names(cli, "s", "a")] == [
        ["mail@home", "the start", "world"],
        ["x: y", "the start", "world"],
        ["k@v", "episode 2", "world"],
    ]


def test_a_secret_alias_is_expanded_only_for_those_who_know_it(cli: Cli) -> None:
    story = cli.sea()
    cli("cast", "edit", "ハル ト", "--story", story, "--alias", "夜の紳士@2:ミナ,ハル ト")
    cli("sync")
    for who, at, knows in (
        ("ミナ", 3, True), ("ミナ", 9, True), ("ミナ", 2, False), ("ハル ト", 3, True),
        ("Ольга", 9, False), ("stranger", 9, False), ("ミナ", 1, False),
    ):  # fmt: skip
        added, terms = explained(cli, "夜の紳士はどこ？", story, who, at) if at > 1 else (set(), set())
        assert ("浜野ハルト" in added) == knows, (who, at)
        assert ("浜野" in terms) == knows, (who, at)
        if at > 1:
            # And back: from the name to the alias.
            added, terms = explained(cli, "浜野ハルトはどこ？", story, who, at)
            assert ("夜の紳士" in added) == knows, (who, at)
            assert ("紳士" in terms) == knows, (who, at)


def test_a_public_alias_is_expanded_from_its_episode_on(cli: Cli) -> None:
    story = cli.sea()
    cli("cast", "edit", "ハル ト", "--story", story, "--alias", "船長@3")
    for at, knows in ((2, False), (3, False), (4, True), (99, True)):
        assert ("浜野ハルト" in explained(cli, "船長？", story, "stranger", at)[0]) == knows


def test_a_removed_alias_is_expanded_for_nobody(cli: Cli) -> None:
    story = cli.sea()
    cli("cast", "edit", "ハル ト", "--story", story, "--alias", "船長")
    assert "浜野ハルト" in explained(cli, "船長？", story, "ミナ", 4)[0]
    cli("cast", "edit", "ハル ト", "--story", story, "--remove-alias", "船長")
    assert explained(cli, "船長？", story, "ミナ", 4)[0] == set()


def test_a_secret_alias_moves_no_score_of_those_who_do_not_know_it(cli: Cli) -> None:
    story = cli.sea()
    before = cli.recall("夜の紳士と小舟", story, "Ольга", 9)
    cli("cast", "edit", "ハル ト", "--story", story, "--alias", "夜の紳士@2:ミナ")
    assert cli.recall("夜の紳士と小舟", story, "Ольга", 9) == before


def test_those_named_only_in_facts_join_and_leave(cli: Cli) -> None:
    episodes = [{"episode_no": no, "text": f"T{no}."} for no in (1, 2, 3)]
    facts = [
        {"fact_id": "a", "episode_no": 2, "visibility": "secret", "known_by": ["名無し 一"], "text": "A."},
        {
            "fact_id": "b",
            "episode_no": 3,
            "visibility": "secret",
            "known_by": ["名無し 一", "eve"],
            "text": "B.",
        },
    ]
    folder = cli.folder("f", episodes, facts=facts)
    ran = cli("story", "import", folder, "--story", "s", "--embedder", "hash")
    assert any(
        line.startswith("warning: ") and "名無し 一" in line and "eve" in line
        for line in ran.err.splitlines()
    )
    cli("sync")
    assert cast(cli, "s") == {
        "名無し 一": "named in facts from episode 2", "eve": "named in facts from episode 3"
    }  # fmt: skip
    # From the earliest live row on.
    assert cli.known("s", "名無し 一", 2)["viewer"]["in_cast"] is False
    assert cli.known("s", "名無し 一", 3)["viewer"]["in_cast"] is True
    cli("episode", "delete", "--story", "s", "--no", 2)
    assert cast(cli, "s")["名無し 一"] == "named in facts from episode 3"
    assert cli.known("s", "名無し 一", 3)["viewer"]["in_cast"] is False
    assert cli.known("s", "名無し 一", 4)["viewer"]["in_cast"] is True
    cli("fact", "edit", "b", "--story", "s", "--known-by", "eve")
    assert set(cast(cli, "s")) == {"eve"}
    cli("episode", "restore", "--story", "s", "--no", 2)
    assert cast(cli, "s")["名無し 一"] == "named in facts from episode 2"
    cli("cast", "add", "名無し 一", "--story", "s")
    cli("fact", "delete", "a", "--story", "s")
    cli("fact", "delete", "b", "--story", "s")
    assert cast(cli, "s") == {"名無し 一": "cast"}
    assert cli.known("s", "名無し 一", 2)["viewer"]["in_cast"] is True


def test_those_named_by_hand_or_in_annotations_join_with_a_warning(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("fact", "add", "--story", story, "--episode", 2, "--text", "T。", "--known-by", "新 人")
    assert any("新 人" in line for line in ran.err.splitlines() if line.startswith("warning: "))
    assert "新 人" in cast(cli, story)
    cli("fact", "delete", ran.out.strip(), "--story", story)
    assert "新 人" not in cast(cli, story)
    folder = cli.folder(
        "v", [{"episode_no": 8, "text": "八。"}], visibility=[{"episode_no": 8, "known_by": ["注の人"]}]
    )
    ran = cli("story", "import", folder, "--story", story)
    assert any("注の人" in line for line in ran.err.splitlines() if line.startswith("warning: "))
    assert "注の人" in cast(cli, story)
    cli("episode", "delete", "--story", story, "--no", 8)
    assert "注の人" not in cast(cli, story)


def test_rename_follows_everywhere(cli: Cli) -> None:
    story = cli.sea()
    before = cli.known(story, "ミナ", 9)["hits"]
    cli("cast", "rename", "ミナ", "美 奈", "--story", story)
    cli("sync")
    after = cli.known(story, "美 奈", 9)["hits"]
    assert [hit["fact_id"] for hit in after] == [hit["fact_id"] for hit in before]
    assert {hit["character_id"] for hit in after} == {"world", "美 奈"}
    assert cli.known(story, "ミナ", 9)["viewer"]["in_cast"] is False
    assert b'\xe3\x83\x9f\xe3\x83\x8a"]' not in cli.inputs(story)["facts.jsonl"]
    cli("cast", "rename", "美 奈", "Ольга", "--story", story, code=3)
    cli("cast", "rename", "nobody", "x", "--story", story, code=3)
    cli("verify")


def test_delete(cli: Cli) -> None:
    story = cli.sea()
    ran = cli("cast", "delete", "ミナ", "--story", story)
    assert "ミナ" in ran.err
    assert cast(cli, story)["ミナ"].startswith("named in facts")
    cli("cast", "add", "空", "--story", story)
    assert "warning" not in cli("cast", "delete", "空", "--story", story).err
    assert "空" not in cast(cli, story)
    cli("cast", "delete", "空", "--story", story, code=3)


def test_import_adds_and_replaces_and_leaves_the_others(cli: Cli) -> None:
    story = cli.sea()
    given = {"characters": [
        {"id": "ミナ", "name": "新名", "aliases": [{"text": "鍵守", "from": 2, "known_by": ["ミナ"]}]},
        {"id": "new one", "name": "N"},
    ]}  # fmt: skip
    file = cli.file("cast.json", json.dumps(given))
    assert cli("cast", "import", file, "--story", story).out == ""
    assert [row[1:] for row in names(cli, story, "ミナ")] == [
        ["新名", "the start", "world"], ["鍵守", "episode 2", "ミナ"]
    ]  # fmt: skip
    assert set(cast(cli, story)) == {"ミナ", "ハル ト", "Ольга", "new one"}
    assert "0 changed" in cli("cast", "import", file, "--story", story).err


def test_a_later_arrival_stales_nothing_earlier(cli: Cli) -> None:
    story = cli.isle()
    cli("fact", "add", "--story", story, "--episode", 3, "--text", "Dora came.", "--known-by", "dora")
    assert [cli.states(story)[each] for each in ("ep-1", "ep-2")] == ["in memory"] * 2
    cli("sync")
    cli("cast", "edit", "clara", "--story", story, "--alias", "the writer@3")
    assert [cli.states(story)[each] for each in ("ep-1", "ep-2")] == ["in memory"] * 2
    cli("sync")
    cli("verify")


SUGGESTING = {
    "ja": ("少佐は笑った。少佐が来た。澪は泣いた。", "少佐"),
    "en": ("The detective smiled. “No,” said the detective. Mio wept.", "detective"),
}


@pytest.mark.parametrize("language", SUGGESTING)
def test_whom_the_text_names_is_proposed_and_accepted(cli: Cli, language: str) -> None:
    text, who = SUGGESTING[language]
    cli("story", "add", "s", "--language", language, "--embedder", "hash")
    cli("episode", "put", cli.file("1.txt", text), "--story", "s", "--no", 1)
    (row,) = [json.loads(line) for line in cli("cast", "suggest", "--story", "s", "--json").out.splitlines()]
    assert (row["id"], row["count"], row["episode_no"], row["scene"]) == (who, 2, 1, 1)
    assert who in cli("cast", "suggest", "--story", "s").out
    assert cast(cli, "s") == {}, "nothing is accepted by itself"
    cli("cast", "suggest", "--story", "s", "--accept", "nobody", code=3)
    assert "added" in cli("cast", "suggest", "--story", "s", "--accept", who).err
    assert cast(cli, "s") == {who: "cast"}
    assert cli("cast", "suggest", "--story", "s", "--json").out == ""


def test_a_part_of_a_name_two_share_is_told(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    assert "Hawkins" not in cli("cast", "add", "jim", "--name", "Jim Hawkins", "--story", "s").err
    told = cli("cast", "add", "mother", "--name", "Mrs. Hawkins", "--story", "s").err
    assert "Hawkins names jim, mother" in told
    assert "shared-name" in cli("check", "--story", "s", "--json").out
    cli("cast", "edit", "jim", "--alias", "Hawkins", "--story", "s")
    assert "shared-name" not in cli("check", "--story", "s", "--json").out


def test_groups_are_added_listed_edited_and_deleted(cli: Cli) -> None:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    for who in ("a", "b", "c"):
        cli("cast", "add", who, "--story", "s")
    group = ("cast", "group")
    cli(*group, "add", "inner-circle", "--member", "a", "--member", "b@2", "--story", "s")
    cli(*group, "add", "inner-circle", "--story", "s", code=3)
    cli(*group, "add", "g", "--member", "@inner-circle", "--story", "s", code=3)
    cli(*group, "add", "g", "--member", "nobody", "--story", "s", code=3)
    for no in (1, 2, 3):
        cli(
            "episode",
            "put",
            cli.file(f"{no}.txt", f"[[known-by: @inner-circle]]\nTold {no}."),
            "--story",
            "s",
            "--no",
            no,
        )
    cli("fact", "add", "--story", "s", "--episode", 1, "--text", "By hand.", "--known-by", "@inner-circle")
    cli("fact", "add", "--story", "s", "--episode", 1, "--text", "No.", "--known-by", "@other", code=3)
    cli("sync")
    assert cli.known_texts("s", "b", 9) == ["Told 2.", "Told 3."]
    told = cli(*group, "edit", "inner-circle", "--newcomers", "told", "--leave", "b@2", "--story", "s").err
    assert "to remember anew: episode 2" in told
    cli("sync")
    assert sorted(cli.known_texts("s", "b", 9)) == ["By hand.", "Told 1.", "Told 2."]
    cli(*group, "edit", "inner-circle", "--member", "c@3-3", "--remove", "b", "--story", "s")
    (row,) = [json.loads(line) for line in cli(*group, "list", "--story", "s", "--json").out.splitlines()]
    assert row == {
        "id": "inner-circle",
        "members": [{"id": "a", "from": 0, "to": None}, {"id": "c", "from": 3, "to": 3}],
        "newcomers": "told",
    }
    assert "c (3 to 3)" in cli(*group, "list", "--story", "s").out
    cli(*group, "delete", "inner-circle", "--story", "s", code=3)
    cli(*group, "add", "g", "--story", "s")
    cli(*group, "delete", "g", "--story", "s")
    cli("verify")
