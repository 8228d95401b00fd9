"""From outside: what a character is told at N is what a store without the future tells, byte for byte.

Only the command line is used. A store of the whole story is asked as X at N; another one is given
the same cast and only the rows of episodes before N, and asked the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Row, Shelf

NAMES = ("yoimachi", "lantern-isle", "ja-ginga-tetsudo", "en-jekyll-hyde")
LANGUAGE = {"yoimachi": "ja", "lantern-isle": "en", "ja-ginga-tetsudo": "ja", "en-jekyll-hyde": "en"}
FILES = ("episodes", "facts", "visibility")


def questions(shelf: Shelf, name: str) -> list[str]:
    return list(dict.fromkeys(row["question"] for row in shelf.rows(name, "gold.jsonl")))[:8]


def viewers(shelf: Shelf, name: str) -> list[str]:
    """Give all who know a secret, and one whom nobody knows."""
    found: set[str] = set()
    for row in (*shelf.rows(name, "facts.jsonl"), *shelf.rows(name, "visibility.jsonl")):
        if isinstance(row["known_by"], list):
            found |= set(row["known_by"])
    return [*sorted(found), "a stranger"]


def last_of(shelf: Shelf, name: str) -> int:
    return max(int(row["episode_no"]) for row in shelf.rows(name, "episodes.jsonl"))


def asked(who: Sequence[str], numbers: Sequence[int], what: Sequence[str]) -> list[Row]:
    return [
        {"qid": f"{at}/{character}/{k}", "question": question, "character": character, "episode_no": at}
        for at in numbers
        for character in who
        for k, question in enumerate(what)
    ]


def told(cli: Cli, story: str, rows: Sequence[Row], top_k: int = 10) -> list[str]:
    """Ask many questions; give the lines as they were printed."""
    lines = cli.batch(story, rows, "--top-k", top_k).out.split("\n")
    assert lines.pop() == ""
    return lines


def before(shelf: Shelf, name: str, at: int, out: Path) -> Path:
    """Write the story's folder with the rows of episodes before `at` only."""
    out.mkdir()
    for file in FILES:
        rows = [row for row in shelf.rows(name, f"{file}.jsonl") if row["episode_no"] < at]
        (out / f"{file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for file in ("cast.json", "story.json"):
        if (shelf[name] / file).exists():
            (out / file).write_bytes((shelf[name] / file).read_bytes())
    return out


def check_no_future(
    cli: Cli, shelf: Shelf, name: str, numbers: Sequence[int], *options: str, embedder: str, few: bool = False
) -> None:
    given = ("--language", LANGUAGE[name], "--embedder", embedder, *options)
    cli("story", "import", shelf[name], "--story", name, *given)
    cli("sync")
    who, what = viewers(shelf, name), questions(shelf, name)
    if few:
        who, what = [*who[:2], who[-1]], what[:4]
    some = 0
    for at in numbers:
        rows = asked(who, [at], what)
        early = cli.other(f"before-{at}.db")
        folder = before(shelf, name, at, cli.db.parent / f"before-{at}")
        early("story", "import", folder, "--story", name, *given)
        early("sync")
        whole = told(cli, name, rows)
        assert whole == told(early, name, rows)
        for character in who:
            assert cli.known(name, character, at) == early.known(name, character, at)
        some += sum(len(json.loads(line)["hits"]) for line in whole)
    assert some


@pytest.mark.parametrize("name", NAMES)
def test_the_future_makes_no_difference_to_facts(cli: Cli, shelf: Shelf, name: str) -> None:
    last = last_of(shelf, name)
    check_no_future(cli, shelf, name, [1, 2, 4, last + 1], embedder="hash")


@pytest.mark.parametrize("name", NAMES)
def test_the_future_makes_no_difference_to_texts(cli: Cli, shelf: Shelf, name: str) -> None:
    numbers = [2, last_of(shelf, name) // 2]
    check_no_future(cli, shelf, name, numbers, "--only", "text", embedder="hash", few=True)


@pytest.mark.parametrize("name", ["yoimachi", "lantern-isle"])
def test_the_future_makes_no_difference_with_the_default_embedders(cli: Cli, shelf: Shelf, name: str) -> None:
    embedder = {"ja": "chive", "en": "wordllama"}[LANGUAGE[name]]
    check_no_future(cli, shelf, name, [6], embedder=embedder, few=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ja-ginga-tetsudo", "en-jekyll-hyde"])
def test_the_future_makes_no_difference_to_texts_with_the_default_embedders(
    cli: Cli, shelf: Shelf, name: str
) -> None:
    embedder = {"ja": "chive", "en": "wordllama"}[LANGUAGE[name]]
    check_no_future(cli, shelf, name, [4], "--only", "text", embedder=embedder, few=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_secrets_of_others_make_no_difference(cli: Cli, shelf: Shelf, name: str) -> None:
    """Leave out what neither the world nor the viewer knows: nothing changes but the index in an id."""
    cli("story", "import", shelf[name], "--story", name, "--language", LANGUAGE[name], "--embedder", "hash")
    cli("sync")
    at = last_of(shelf, name) + 1
    for character in viewers(shelf, name)[:2]:
        out = before(shelf, name, at, cli.db.parent / character)
        rows = [
            {**row, "known_by": row["known_by"] and [character]}
            for row in shelf.rows(name, "facts.jsonl")
            if not row["known_by"] or character in row["known_by"]
        ]
        (out / "facts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        alone = cli.other(f"{character}.db")
        alone(
            "story", "import", out, "--story", name, "--language", LANGUAGE[name], "--embedder", "hash",
            "--only", "facts",
        )  # fmt: skip
        alone("sync")
        full = cli.other("full.db")
        if not full.db.exists():
            full(
                "story", "import", shelf[name], "--story", name, "--language", LANGUAGE[name],
                "--embedder", "hash", "--only", "facts",
            )  # fmt: skip
            full("sync")
        asks = asked([character], [2, at // 2 + 1, at], questions(shelf, name))
        assert told(full, name, asks) == told(alone, name, asks)


# -- after edits ---------------------------------------------------------------------------


def without_ids(lines: Sequence[str]) -> list[Any]:
    found = [json.loads(line) for line in lines]
    for each in found:
        for hit in each["hits"]:
            del hit["id"], hit["space"]
    return found


def moved(no: int, by: dict[int, int]) -> int:
    return by.get(no, no)


NEW_TEXT = {
    "ja": "あとから書いた話だ。小舟が港に着いた。「だれもいない」と声がした。",
    "en": "A tale written later. A boat came into the harbour. “Nobody is here,” said a voice.",
}


class Edits:
    """The same series of edits, done to a store and to the rows that it was made from."""

    def __init__(self, cli: Cli, shelf: Shelf, name: str, *, only: str | None) -> None:
        self.cli = cli
        self.name = name
        self.language = LANGUAGE[name]
        self.options = (
            "--language", self.language, "--embedder", "hash", *(("--only", only) if only else ())
        )  # fmt: skip
        self.only = only
        self.rows = {file: shelf.rows(name, f"{file}.jsonl") for file in FILES}
        for row in self.rows["episodes"]:
            row.setdefault("episode_id", f"ep-{row['episode_no']}")
        self.cast = None
        if (shelf[name] / "cast.json").exists():
            self.cast = json.loads((shelf[name] / "cast.json").read_text("utf-8"))["characters"]
        self.hand: list[tuple[str, str, str]] = []
        cli("story", "import", shelf[name], "--story", name, *self.options)
        cli("sync")

    def renumbered(self, by: dict[int, int], *, aliases: bool) -> None:
        for file in FILES:
            for row in self.rows[file]:
                new = moved(row["episode_no"], by)
                if row.get("paragraph_id") and "paragraphs" not in self.rows["episodes"][0]:
                    row["paragraph_id"] = f"{new}-{row['paragraph_id'].split('-')[1]}"
                row["episode_no"] = new
                if row.get("quote_episode"):
                    row["quote_episode"] = moved(row["quote_episode"], by)
        for character in self.cast or () if aliases else ():
            for alias in character.get("aliases", ()):
                if isinstance(alias, dict) and alias.get("from"):
                    alias["from"] = moved(alias["from"], by)

    def drop(self, no: int) -> None:
        self.cli("episode", "delete", "--story", self.name, "--no", no)
        for file in FILES:
            self.rows[file] = [row for row in self.rows[file] if row["episode_no"] != no]

    def renumber(self, no: int, to: int) -> None:
        self.cli("episode", "renumber", "--story", self.name, "--no", no, "--to", to)
        self.renumbered({no: to}, aliases=False)

    def insert(self, no: int, episode_id: str) -> None:
        text = NEW_TEXT[self.language]
        self.cli(
            "episode",
            "insert",
            "--story",
            self.name,
            "--no",
            no,
            "--id",
            episode_id,
            "-",
            stdin=text.encode(),
        )
        self.renumbered({later: later + 1 for later in range(no, 200)}, aliases=True)
        self.rows["episodes"].append({"episode_no": no, "episode_id": episode_id, "text": text})

    def append(self, no: int) -> None:
        (row,) = (row for row in self.rows["episodes"] if row["episode_no"] == no)
        row["text"] += "\n" + NEW_TEXT[self.language]
        # The author's cut is of the old text. No text is read here: who is named is all that counts.
        row.pop("paragraphs", None)
        theirs = [note["known_by"] for note in self.rows["visibility"] if note["episode_no"] == no]
        self.rows["visibility"] = [note for note in self.rows["visibility"] if note["episode_no"] != no]
        named = sorted({who for each in theirs if each != "public" for who in each})
        self.rows["visibility"].append({"episode_no": no, "known_by": named or "public"})
        self.cli.put(self.name, no, row["text"])

    def passing(self, no: int) -> None:
        """Do what leaves nothing behind."""
        self.cli.put(self.name, no, NEW_TEXT[self.language], "--id", f"passing {no}")
        self.cli("sync")
        self.cli("episode", "delete", "--story", self.name, "--no", no)

    def edit_fact(self, fact_id: str, text: str) -> None:
        self.cli("fact", "edit", fact_id, "--story", self.name, "--text", text)
        (row,) = (row for row in self.rows["facts"] if row["fact_id"] == fact_id)
        row["text"] = text

    def delete_fact(self, fact_id: str) -> None:
        self.cli("fact", "delete", fact_id, "--story", self.name)
        self.rows["facts"] = [row for row in self.rows["facts"] if row["fact_id"] != fact_id]

    def add_fact(self, episode_id: str, text: str, who: str) -> None:
        self.hand.append((episode_id, text, who))
        self._add(self.cli, episode_id, text, who)

    def _add(self, cli: Cli, episode_id: str, text: str, who: str) -> None:
        (no,) = (row["episode_no"] for row in self.rows["episodes"] if row["episode_id"] == episode_id)
        cli("fact", "add", "--story", self.name, "--episode", no, "--text", text, "--known-by", who)

    def fresh(self) -> Cli:
        """Give a store that was given the final inputs only."""
        cli = self.cli.other("fresh.db")
        rows = {file: sorted(self.rows[file], key=lambda row: row["episode_no"]) for file in FILES}
        folder = self.cli.folder(
            "final", rows["episodes"], facts=rows["facts"], visibility=rows["visibility"], cast=self.cast
        )
        cli("story", "import", folder, "--story", self.name, *self.options)
        for each in self.hand:
            self._add(cli, *each)
        cli("sync")
        return cli


@pytest.mark.parametrize("only", [None, "text"])
@pytest.mark.parametrize("name", NAMES)
def test_after_edits_all_is_as_if_made_from_the_final_inputs(
    cli: Cli, shelf: Shelf, name: str, only: str | None
) -> None:
    edits = Edits(cli, shelf, name, only=only)
    last = last_of(shelf, name)
    edits.passing(40)
    edits.drop(3)
    if only is None:
        # An episode stays supplied only while it has rows, so one of several goes.
        counts = Counter(row["episode_no"] for row in edits.rows["facts"])
        facts = [row["fact_id"] for row in edits.rows["facts"] if counts[row["episode_no"]] > 1]
        edits.append(4)
        edits.edit_fact(facts[-1], NEW_TEXT[edits.language])
        edits.delete_fact(facts[0])
        edits.add_fact("ep-2", "手で書いた秘密。A secret by hand.", viewers(shelf, name)[0])
        edits.add_fact("ep-6", "手で書いた事実。A fact by hand.", "world")
    cli("sync")
    edits.insert(5, "間 の話")
    edits.renumber(2, 3)
    edits.insert(1, "the first")
    edits.passing(50)
    edits.drop(7)
    cli("sync")
    fresh = edits.fresh()
    who = viewers(shelf, name)
    who, what = ([*who[:2], who[-1]], questions(shelf, name)[:4]) if only else (who, questions(shelf, name))
    numbers = [3, 6, last + 9]
    rows = asked(who, numbers, what)
    mine = without_ids(told(cli, name, rows))
    theirs = without_ids(told(fresh, name, rows))
    for one, other in zip(mine, theirs, strict=True):
        assert one == other
    for character in who:
        lists = [json.dumps(each.known(name, character, last + 9)) for each in (cli, fresh)]
        assert without_ids(lists[:1]) == without_ids(lists[1:])
    assert any(each["hits"] for each in mine)
    cli("verify")
    fresh("verify")


# -- a branch ------------------------------------------------------------------------------


def own_rows(shelf: Shelf, name: str, file: str, fork: int) -> list[Row]:
    """Give the rows of the two episodes after the fork, as episodes of a branch: under other ids."""
    rows = [row for row in shelf.rows(name, f"{file}.jsonl") if fork < row["episode_no"] <= fork + 2]
    for row in rows:
        if file == "episodes":
            row["episode_id"] = f"if-{row['episode_no']}"
        for link in ("fact_id", "supersedes", "told_from"):
            if row.get(link) and (link == "fact_id" or row[link] in {other["fact_id"] for other in rows}):
                row[link] = f"if-{row[link]}".replace("if-if-", "if-")
        if row.get("quote_episode") and row["quote_episode"] > fork + 2:
            del row["quote_episode"], row["quote"]
    return rows


def _since(alias: Any) -> int:
    return int(alias.get("from") or 0) if isinstance(alias, dict) else 0


@pytest.mark.parametrize("only", [None, "text"])
@pytest.mark.parametrize("name", NAMES)
def test_a_branch_tells_what_a_story_of_its_lines_alone_would_tell(
    cli: Cli, shelf: Shelf, name: str, only: str | None
) -> None:
    """Edits of canon before the fork show, later ones do not; nobody hears of the other line."""
    given = ("--language", LANGUAGE[name], "--embedder", "hash", *(("--only", only) if only else ()))
    last = last_of(shelf, name)
    fork = last // 2
    cli("story", "import", shelf[name], "--story", name, *given)
    cli("sync")
    cli("story", "branch", "add", "if", "--of", name, "--after", fork)
    own = {file: own_rows(shelf, name, file, fork) for file in FILES}
    folder = cli.folder("own", own["episodes"], facts=own["facts"], visibility=own["visibility"])
    cli("story", "import", folder, "--story", "if", *(("--only", only) if only else ()))
    alone = {
        file: [r for r in shelf.rows(name, f"{file}.jsonl") if r["episode_no"] <= fork] for file in FILES
    }
    if only is None:
        first = alone["facts"][0]["fact_id"]
        cli("fact", "edit", first, "--story", name, "--text", NEW_TEXT[LANGUAGE[name]])
        alone["facts"][0]["text"] = NEW_TEXT[LANGUAGE[name]]
    cli("fact", "add", "--story", name, "--episode", fork + 1, "--text", "canon", "--known-by", "world")
    cli("episode", "delete", "--story", name, "--no", last)
    cli("sync")
    cast = None
    if (shelf[name] / "cast.json").exists():
        cast = json.loads((shelf[name] / "cast.json").read_text("utf-8"))["characters"]
        for character in cast:
            # A name that canon reveals later is canon's future.
            told_by_then = [a for a in character.get("aliases", ()) if _since(a) <= fork]
            character["aliases"] = told_by_then
    whole = {file: alone[file] + own[file] for file in FILES}
    fresh = cli.other("fresh.db")
    folder = cli.folder(
        "whole", whole["episodes"], facts=whole["facts"], visibility=whole["visibility"], cast=cast
    )
    fresh("story", "import", folder, "--story", "if", *given)
    fresh("sync")
    who = viewers(shelf, name)
    who, what = ([*who[:2], who[-1]], questions(shelf, name)[:4]) if only else (who, questions(shelf, name))
    rows = asked(who, [1, fork, fork + 1, fork + 2, last + 9], what)
    mine, theirs = (without_ids(told(each, "if", rows)) for each in (cli, fresh))
    for one, other in zip(mine, theirs, strict=True):
        assert one == other
    late = 0
    for character in viewers(shelf, name):
        lists = [json.dumps(each.known("if", character, last + 9)) for each in (cli, fresh)]
        assert without_ids(lists[:1]) == without_ids(lists[1:])
        late += sum(hit["episode_no"] > fork for hit in json.loads(lists[0])["hits"])
    assert late
    cli("verify")
