"""Review and undo from the command line: by keys of a pipe, in a real terminal, and as plain commands."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.conftest import Cli, Ran, Row


pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

TEXTS = {
    "en": (
        "Anna found a silver key in the garden. Boris slept.\n\n“I sold the horse,” said Boris to Anna.",
        "A stranger came up the lane.\n\n* * *\n\nClara wrote a long letter to Anna.",
    ),
    "ja": (
        "潮田ミナは灯台の鍵を隠した。浜野ハルトもそれを見ていた。\n\n「行こう」と浜野ハルトは言った。",
        "知らない男が浜に来た。\n\n＊\n\nオリガは長い手紙を書いた。",
    ),
}
IDS = {"en": ("anna", "boris", "clara"), "ja": ("ミナ", "ハル ト", "Ольга")}
STRANGER = {"en": "A stranger came up the lane.", "ja": "知らない男が浜に来た。"}


@pytest.fixture(params=["en", "ja"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def story(cli: Cli, language: str) -> str:
    """A story whose second episode has a sentence nobody is recognised in, and a fact with a quote."""
    episodes = [{"episode_no": no, "text": text} for no, text in enumerate(TEXTS[language], start=1)]
    cast = {"en": cli.ISLE_CAST, "ja": cli.SEA_CAST}[language]
    folder = cli.folder("tale", episodes, cast=cast, story={"language": language, "audience": "wide"})
    cli.take_in(folder, "tale")
    return "tale"


def stranger(cli: Cli, language: str) -> str:
    (item,) = (item for item in cli.review("tale") if item["text"] == STRANGER[language])
    return str(item["fact_id"])


def walk(cli: Cli, keys: str, *options: object, code: int = 0) -> Ran:
    return cli("fact", "review", "--story", "tale", "--walk", *options, stdin=keys.encode(), code=code)


def guesses(cli: Cli) -> list[Row]:
    return cli("fact", "review", "--story", "tale", "--all", "--json").objects


def undo(cli: Cli, code: int = 0) -> Ran:
    return cli("undo", "--story", "tale", code=code)


def steps(cli: Cli) -> list[str]:
    return [row[2] for row in cli("undo", "--story", "tale", "--list").table]


# -- what is to be looked at ---------------------------------------------------------------


def test_by_default_only_what_needs_an_eye(cli: Cli, story: str, language: str) -> None:
    assert [item["text"] for item in cli.review(story) if item["kind"] == "unrecognised"]
    assert all(item["in_review"] or item["flagged"] for item in cli.review(story))
    listed = guesses(cli)
    assert {item["kind"] for item in listed} == {"guessed", "unrecognised"}
    assert len(listed) > len(cli.review(story))
    for item in listed:
        assert item["passage"] == item["quote"] == item["text"]
        shown = item["before"] + item["passage"] + item["after"]
        assert shown in TEXTS[language][item["episode_no"] - 1]
        assert item["candidates"] == list(IDS[language])
        assert item["audience"] == item["known_by"]


def test_a_listing_takes_no_keys(cli: Cli, story: str) -> None:
    before = cli.facts(story)
    ran = cli("fact", "review", "--story", story, stdin=b"dddd")
    assert len(ran.table) == len(cli.review(story))
    assert cli.facts(story) == before
    assert steps(cli) == []


def test_a_name_given_later_is_no_candidate_before(cli: Cli, story: str, language: str) -> None:
    cli("fact", "add", "--story", story, "--episode", 2, "--text", "x", "--known-by", "late")
    cli("sync")
    by_episode = {item["episode_no"]: item["candidates"] for item in guesses(cli)}
    assert by_episode[1] == list(IDS[language])
    assert by_episode[2] == [*IDS[language], "late"]


# -- decisions as plain commands -----------------------------------------------------------


def test_keep_confirms_a_guess_and_leaves_its_audience(cli: Cli, story: str, language: str) -> None:
    first, *rest = guesses(cli)
    cli("fact", "keep", first["fact_id"], "--story", story)
    kept = cli.fact(story, first["fact_id"])
    assert kept["origin"] == "hand"
    assert kept["known_by"] == first["known_by"]
    assert kept["quote"] == first["quote"]
    assert [item["fact_id"] for item in guesses(cli)] == [item["fact_id"] for item in rest]
    assert "nothing to change" in cli("fact", "keep", first["fact_id"], "--story", story).err
    cli("verify")


def test_what_nobody_is_recognised_in_is_kept_for_somebody_named(cli: Cli, story: str, language: str) -> None:
    fact_id, who = stranger(cli, language), IDS[language][2]
    assert "--known-by" in cli("fact", "keep", fact_id, "--story", story, code=3).err
    cli("fact", "narrow", fact_id, "--story", story, "--known-by", who, code=3)
    cli("fact", "keep", fact_id, "--story", story, "--known-by", who)
    assert cli.fact(story, fact_id)["known_by"] == [who]
    assert STRANGER[language] in cli.known_texts(story, who, 3)
    assert STRANGER[language] not in cli.known_texts(story, IDS[language][0], 3)
    cli("verify")


def test_narrow_only_narrows_and_widen_only_widens(cli: Cli, story: str, language: str) -> None:
    one, two, three = IDS[language]
    fact_id = next(item["fact_id"] for item in guesses(cli) if set(item["known_by"]) == {one, two})
    for verb, given in (
        ("narrow", f"{one},{two}"),
        ("narrow", f"{one},{three}"),
        ("narrow", "world"),
        ("widen", f"{one},{two}"),
        ("widen", one),
        ("widen", f"{one},{three}"),
    ):
        cli("fact", verb, fact_id, "--story", story, "--known-by", given, code=3)
    assert steps(cli) == []
    for verb, given, want in (
        ("narrow", one, [one]),
        ("widen", f"{one},{three}", sorted([one, three])),
        ("widen", "world", ["world"]),
        ("narrow", f"{two},{three}", sorted([two, three])),
    ):
        cli("fact", verb, fact_id, "--story", story, "--known-by", given)
        assert cli.fact(story, fact_id)["known_by"] == want
    cli("fact", "widen", fact_id, "--story", story, "--known-by", "world")
    cli("fact", "widen", fact_id, "--story", story, "--known-by", one, code=3)
    cli("verify")


def test_what_is_dropped_stays_out(cli: Cli, story: str, language: str) -> None:
    fact_id = stranger(cli, language)
    cli("fact", "drop", fact_id, "--story", story)
    cli("rebuild")
    assert fact_id not in [fact["fact_id"] for fact in cli.facts(story)]
    cli("fact", "drop", fact_id, "--story", story, code=3)


def lose_a_quote(cli: Cli, story: str, language: str) -> str:
    """Add a fact by hand whose quote an edit of the text takes away; give its id."""
    text, who = TEXTS[language][1], IDS[language][0]
    last = text.split("\n")[-1]
    given = ("--text", "S", "--known-by", who, "--quote", last)
    fact_id = cli("fact", "add", "--story", story, "--episode", 2, *given).out.strip()
    cli.put(story, 2, text.replace(last, f"{last[:-1]} ..."))
    cli("sync")
    return fact_id


def test_a_lost_quote_is_let_go_by_keep_and_mended_by_edit(cli: Cli, story: str, language: str) -> None:
    who = IDS[language][0]
    fact_id = lose_a_quote(cli, story, language)
    (item,) = (item for item in cli.review(story) if item["fact_id"] == fact_id)
    assert (item["kind"], item["known_by"], item["audience"]) == ("lost_quote", [], [who])
    assert item["passage"] == ""
    cli("fact", "keep", fact_id, "--story", story)
    kept = cli.fact(story, fact_id)
    assert (kept["known_by"], kept["quote"], kept["in_review"]) == ([who], None, False)
    undo(cli)
    assert cli.fact(story, fact_id)["in_review"] is True
    cli("fact", "edit", fact_id, "--story", story, "--no-quote")
    assert cli.fact(story, fact_id) == kept
    undo(cli)
    cli("fact", "edit", fact_id, "--story", story, "--quote", STRANGER[language])
    assert cli.fact(story, fact_id)["in_review"] is False
    cli("fact", "edit", fact_id, "--story", story, "--quote", "x", "--no-quote", code=3)
    cli("verify")


# -- the walk by keys of a pipe ------------------------------------------------------------


def test_one_key_a_decision(cli: Cli, story: str, language: str) -> None:
    one, two = IDS[language][:2]
    found = guesses(cli)
    first, second, third, fourth = (item["fact_id"] for item in found[:4])
    members = [item["known_by"] for item in found]
    assert set(members[1]) == {one, two}, "the keys below need two holders"
    ran = walk(cli, "kn1\nsd", "--all")
    assert f"1 of {len(found)}" in ran.out
    assert "1 dropped, 1 kept, 1 narrowed, 1 skipped" in ran.err
    assert cli.fact(story, first)["origin"] == "hand"
    assert cli.fact(story, second)["known_by"] == [one]
    assert cli.fact(story, third)["origin"] == "extracted"
    assert fourth not in [fact["fact_id"] for fact in cli.facts(story)]
    assert len(steps(cli)) == 3
    cli("verify")


def test_widen_takes_numbers_or_everybody(cli: Cli, story: str, language: str) -> None:
    one, two, three = IDS[language]
    found = guesses(cli)
    walk(cli, "w1\nwp", "--all")
    assert cli.fact(story, found[0]["fact_id"])["known_by"] == sorted([one, two, three])
    assert cli.fact(story, found[1]["fact_id"])["known_by"] == ["world"]


def test_keep_of_what_nobody_is_recognised_in_asks_who(cli: Cli, story: str, language: str) -> None:
    fact_id = stranger(cli, language)
    at = [item["fact_id"] for item in cli.review(story)].index(fact_id)
    # Chosen, taken back by the same key, chosen again; q calls it off and asks again.
    walk(cli, "s" * at + "kq" + "k1313\n")
    assert cli.fact(story, fact_id)["in_review"] is True
    walk(cli, "s" * at + "k133" + "\n")
    assert cli.fact(story, fact_id)["known_by"] == [IDS[language][0]]


def test_undo_and_back_in_the_walk(cli: Cli, story: str, language: str) -> None:
    before = cli.inputs(story), cli.facts(story)
    ran = walk(cli, "kduuu", "--all")
    assert "taken back" in ran.out
    assert "nothing to undo in this walk" in ran.out
    assert (cli.inputs(story), cli.facts(story)) == before
    ran = walk(cli, "ksbb?q", "--all")
    assert "kept already" in ran.out
    assert "strike" not in ran.out
    assert "skip it for now" in ran.out
    assert len(steps(cli)) == 1


def test_the_walk_never_undoes_what_was_done_before_it(cli: Cli, story: str) -> None:
    cli("fact", "pin", guesses(cli)[0]["fact_id"], "--story", story)
    walk(cli, "uuu", "--all")
    assert len(steps(cli)) == 1


def test_edit_in_the_walk(cli: Cli, story: str, language: str) -> None:
    first = guesses(cli)[0]
    walk(cli, "e甲 said so.\n\nq", "--all")
    edited = cli.fact(story, first["fact_id"])
    assert (edited["text"], edited["quote"]) == ("甲 said so.", first["quote"])
    assert edited["known_by"] == first["known_by"]
    # Nothing typed, nothing changed.
    walk(cli, "e\n\nq", "--all")
    assert len(steps(cli)) == 1


def test_an_edit_that_leaves_the_quote_lost_is_shown_again(cli: Cli, story: str, language: str) -> None:
    fact_id = lose_a_quote(cli, story, language)
    at = [item["fact_id"] for item in cli.review(story)].index(fact_id)
    ran = walk(cli, "s" * at + "eT\n\n" + f"e\n{STRANGER[language]}\n")
    assert "it waits still" in ran.out
    assert (cli.fact(story, fact_id)["text"], cli.fact(story, fact_id)["in_review"]) == ("T", False)


def test_a_refusal_leaves_the_walk_where_it_is(cli: Cli, story: str, language: str) -> None:
    found = guesses(cli)
    # All of them chosen: that narrows nothing.
    ran = walk(cli, "n12\nk", "--all")
    assert "is not less than" in " ".join(ran.out.split())
    assert cli.fact(story, found[0]["fact_id"])["origin"] == "hand"
    assert len(steps(cli)) == 1


def test_many_are_chosen_by_a_line(cli: Cli, story: str, language: str) -> None:
    for number in range(12):
        cli("cast", "add", f"extra{number}", "--story", story, "--name", f"Extra {number}")
    cli("sync")
    found = guesses(cli)
    before = len(steps(cli))
    ran = walk(cli, "w1,extra3, 4\nwnobody\nwp\n", "--all")
    assert "neither a number nor an id" in " ".join(ran.out.split())
    one, two, three = IDS[language]
    assert cli.fact(story, found[0]["fact_id"])["known_by"] == sorted([one, two, three, "extra2", "extra3"])
    assert cli.fact(story, found[1]["fact_id"])["known_by"] == ["world"]
    assert len(steps(cli)) == before + 2


def test_nothing_to_review(cli: Cli, story: str, language: str) -> None:
    for item in cli.review(story):
        cli("fact", "drop", item["fact_id"], "--story", story)
    assert "nothing to review" in walk(cli, "kkk").err


# -- undo ----------------------------------------------------------------------------------


def test_undo_goes_back_step_by_step(cli: Cli, story: str, language: str) -> None:
    start = cli.inputs(story), cli.facts(story)
    first, second = (item["fact_id"] for item in guesses(cli)[:2])
    cli("fact", "drop", first, "--story", story)
    middle = cli.inputs(story), cli.facts(story)
    cli("fact", "pin", second, "--story", story)
    assert [line.split()[0] for line in steps(cli)] == ["pinned", "dropped"]
    assert "pinned" in undo(cli).out
    assert (cli.inputs(story), cli.facts(story)) == middle
    assert "dropped" in undo(cli).out
    assert (cli.inputs(story), cli.facts(story)) == start
    assert "nothing to undo" in undo(cli, code=3).err
    cli("verify")


def test_undo_of_texts_and_places(cli: Cli, story: str, language: str) -> None:
    def live() -> list[str]:
        return [row[0] for row in cli("episode", "list", "--story", story).table if "deleted" not in row[5]]

    start, numbers = cli.inputs(story), live()
    cli.put(story, 1, "Other.", "--title", "T")
    cli("episode", "insert", "--story", story, "--no", 1, "-", stdin=b"New.")
    cli("episode", "renumber", "--story", story, "--no", 3, "--to", 9)
    cli("episode", "delete", "--story", story, "--no", 2)
    cli("cast", "rename", IDS[language][0], "renamed", "--story", story)
    assert cli.inputs(story) != start
    for _ in range(5):
        undo(cli)
    cli("sync")
    assert cli.inputs(story) == start
    assert live() == numbers
    # What was added is deleted, not destroyed.
    cli("episode", "restore", "--story", story, "--no", 1, code=3)
    cli("episode", "renumber", "--story", story, "--no", 1, "--to", 5)
    cli("episode", "restore", "--story", story, "--no", 1)
    assert cli("episode", "show", "--story", story, "--no", 1).out == "New."
    cli("verify")


def test_undo_refuses_what_an_import_has_changed(cli: Cli) -> None:
    story = cli.sea()
    cli("fact", "edit", "s2", "--story", story, "--importance", 1)
    cli("fact", "pin", "s3", "--story", story)
    cli("story", "import", cli.sea_folder(), "--story", story)
    before = cli.inputs(story), cli.facts(story)
    for _ in range(2):
        assert "changed since" in cli("undo", "--story", story, code=3).err
    assert (cli.inputs(story), cli.facts(story)) == before
    assert len(cli("undo", "--story", story, "--list").table) == 2


def test_undo_refuses_to_bring_back_a_number_that_is_taken(cli: Cli) -> None:
    story = cli.sea()
    cli("episode", "delete", "--story", story, "--no", 4)
    row: Row = {"episode_no": 4, "episode_id": "new-4", "text": "別の話。"}
    cli("story", "import", cli.folder("other", [row]), "--story", story)
    assert "number 4 is taken" in cli("undo", "--story", story, code=3).err
    cli("verify")


def test_undo_as_json_and_of_an_unknown_story(cli: Cli, story: str) -> None:
    cli("fact", "drop", guesses(cli)[0]["fact_id"], "--story", story)
    (listed,) = cli("undo", "--story", story, "--list", "--json").objects
    assert cli("undo", "--story", story, "--json").object == listed
    assert set(listed) == {"number", "at", "summary"}
    cli("undo", "--story", "nowhere", code=3)
    cli("undo", "--story", "nowhere", "--list", code=3)


def test_steps_go_with_their_story_and_into_backups(cli: Cli, story: str) -> None:
    fact_id = guesses(cli)[0]["fact_id"]
    cli("fact", "drop", fact_id, "--story", story)
    cli("backup", "copy.db")
    copy = cli.other("copy.db")
    cli("story", "rename", story, "moved")
    assert len(cli("undo", "--story", "moved", "--list").table) == 1
    cli("story", "delete", "moved")
    cli("story", "add", "moved", "--language", "en", "--embedder", "hash")
    assert cli("undo", "--story", "moved", "--list").table == []
    copy("undo", "--story", story)
    copy("sync")
    assert fact_id in [fact["fact_id"] for fact in copy.facts(story)]


# -- in a terminal -------------------------------------------------------------------------


class Terminal:
    """A program in a pseudo-terminal of 80 columns: keys go in, and what is shown comes out."""

    def __init__(self, *arguments: str, folder: Path) -> None:
        import fcntl
        import struct
        import termios

        self._end, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self._theirs = theirs
        self.mode = termios.tcgetattr(theirs)
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kataribe", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.shown = ""

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until this is shown, after what was waited for before."""
        deadline = time.monotonic() + 30
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} is not in {self.shown!r}"
            if select.select([self._end], [], [], 0.2)[0]:
                try:
                    data = os.read(self._end, 65536)
                except OSError:
                    # The other end is closed: the program has ended.
                    data = b""
                assert data, f"it ended without {text!r}: {self.shown!r}"
                self.shown += data.decode("utf-8", "replace")
        self.shown = self.shown.partition(text)[2]

    def code(self) -> int:
        return self.process.wait(timeout=60)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._end)
        os.close(self._theirs)

    def is_as_before(self) -> bool:
        import termios

        return bool(termios.tcgetattr(self._theirs) == self.mode)


@contextmanager
def terminal(cli: Cli, *arguments: str) -> Iterator[Terminal]:
    made = Terminal("--db", str(cli.db), *arguments, folder=cli.db.parent)
    try:
        yield made
    finally:
        made.close()


def test_a_walk_in_a_terminal(cli: Cli, story: str, language: str) -> None:
    two = IDS[language][1]
    found = guesses(cli)
    with terminal(cli, "fact", "review", "--story", story, "--all") as screen:
        screen.wait_for(f"1 of {len(found)}")
        # The passage stands out in its place.
        screen.wait_for(f"\x1b[1;33m{found[0]['passage'][:10]}")
        screen.wait_for("q quit")
        screen.type("k")
        screen.wait_for("kept")
        screen.wait_for("q quit")
        # Typed ahead: no key is lost.
        screen.type("n2\rw1\rsu")
        screen.wait_for("narrowed")
        screen.wait_for("widened")
        screen.wait_for("taken back: widened")
        screen.wait_for("q quit")
        screen.type("e")
        screen.wait_for("text: ")
        # The text stands there to be edited: Ctrl-U takes it away.
        screen.type("\x15新しい text\r")
        screen.wait_for("quote: ")
        screen.type("\r")
        screen.wait_for("edited")
        screen.wait_for("q quit")
        screen.type("\x1b[Aq")
        screen.wait_for("1 edited, 1 kept, 1 narrowed")
        assert screen.code() == 0
        assert screen.is_as_before()
    assert cli.fact(story, found[0]["fact_id"])["origin"] == "hand"
    assert cli.fact(story, found[1]["fact_id"])["known_by"] == [two]
    assert cli.fact(story, found[2]["fact_id"])["text"] == "新しい text"
    cli("verify")


def test_ctrl_c_leaves_what_was_decided(cli: Cli, story: str, language: str) -> None:
    found = guesses(cli)
    with terminal(cli, "fact", "review", "--story", story, "--all") as screen:
        screen.wait_for("q quit")
        screen.type("d")
        screen.wait_for("dropped")
        screen.wait_for("q quit")
        screen.type("\x03")
        screen.wait_for("1 dropped")
        assert screen.code() == 130
        assert screen.is_as_before()
    assert found[0]["fact_id"] not in [fact["fact_id"] for fact in cli.facts(story)]


def test_ctrl_d_ends_and_list_asks_nothing(cli: Cli, story: str) -> None:
    with terminal(cli, "fact", "review", "--story", story) as screen:
        screen.wait_for("q quit")
        screen.type("\x04")
        screen.wait_for("not looked at")
        assert screen.code() == 0
    with terminal(cli, "fact", "review", "--story", story, "--list") as screen:
        screen.wait_for("unrecognised")
        assert screen.code() == 0
    assert steps(cli) == []
