"""Kill -9 between the steps of archiving and of deleting from the archive: nothing is lost, nothing stays."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from kataribe import ArchiveError
from kataribe.adapters.parquet import ParquetArchive
from kataribe.conversation import tiers
from kataribe.face.sync.kataribe import Kataribe
from support.archived import NIGHT, archived, files, in_archive, in_ledger, opened, says

LINES = (
    """My sister lives in Osaka.|I keep a grey cat.|Peter cycles to Antwerp.|Violins are expensive.
Grandmother bakes almond bread.|We painted the garage yellow.|Monday was a holiday.|Chess bores Anna.
The harbour froze over.|Uncle Leo sells carpets.|Elections come in June.|Basil dislikes shade.
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
TURNS = [says(no, line) for no, line in enumerate(LINES, 1)]
WORKER = """
import os, pathlib, signal, sys
from datetime import datetime
from kataribe.adapters.parquet import ParquetArchive
import kataribe
from kataribe.conversation import tiers
from kataribe.settings import Settings

db, archive, act, step, at = sys.argv[1:]
left = int(at)
tiers.ARCHIVED_TOGETHER = 8

def kill(real, before):
    def killed(self, *given):
        global left
        left -= 1
        done = None if before and not left else real(self, *given)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    return killed

where = {"rename": (pathlib.Path, "rename", True), "written": (ParquetArchive, "write", False),
         "remove": (ParquetArchive, "remove", True), "removed": (ParquetArchive, "remove", False)}
owner, name, before = where[step]
setattr(owner, name, kill(getattr(owner, name), before))
with kataribe.open(settings=Settings(path=db, archive=archive)) as store:
    if act == "night":
        store.user("u").memory.nightly(at=datetime.fromisoformat("2023-05-11T09:00:00+00:00"))
    elif act == "turn":
        store.user("u").delete_turns(["t3"])
    else:
        store.user("u").delete(store.user("u").privacy.request("delete"))
"""


def killed(folder: Path, act: str, step: str, at: int = 1) -> None:
    command = [
        sys.executable,
        "-c",
        WORKER,
        str(folder / "t.db"),
        str(folder / "archive"),
        act,
        step,
        str(at),
    ]
    worker = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert worker.returncode == -signal.SIGKILL, worker.stderr.decode()


def kept(store: Kataribe) -> list[str]:
    return sorted(one.value.text for one in store.user("u").memory.list().memories)


@pytest.fixture(autouse=True)
def _few_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "ARCHIVED_TOGETHER", 8)


# Twelve memories: a file of eight and one of four.
@pytest.mark.parametrize(("step", "at"), [("rename", 1), ("written", 1), ("rename", 2), ("written", 2)])
def test_a_night_that_is_killed_while_it_archives_loses_nothing(tmp_path: Path, step: str, at: int) -> None:
    folder = tmp_path / "x"
    with archived(folder, TURNS, night=None) as store:
        before = kept(store)
    killed(folder, "night", step, at)
    with opened(folder / "t.db", folder / "archive") as store:
        assert kept(store) == before == sorted(turn.text for turn in TURNS)
        assert store.verify().problems == ()
        assert len(files(folder)) == at, "it left a file behind"
        store.user("u").memory.nightly(at=NIGHT + timedelta(days=1))
        assert kept(store) == before
        assert in_archive(folder) == before
        assert not any(line in in_ledger(folder) for line in LINES)
        assert len(files(folder)) == 2


@pytest.mark.parametrize("step", ["rename", "written", "remove", "removed"])
def test_a_deletion_that_is_killed_is_done_or_not(tmp_path: Path, step: str) -> None:
    folder = tmp_path / "x"
    with archived(folder, TURNS) as store:
        before = kept(store)
    killed(folder, "turn", step)
    is_done = step.startswith("remove")
    after = [text for text in before if not (is_done and "Antwerp" in text)]
    with opened(folder / "t.db", folder / "archive") as store:
        assert kept(store) == after
        assert store.verify().problems == ()
        # The next night, or whatever is written next, removes what it left.
        store.user("u").memory.nightly(at=NIGHT + timedelta(days=1))
        assert kept(store) == after
        assert in_archive(folder) == after
        assert len(files(folder)) == 2


def test_a_user_whose_deletion_is_killed_leaves_nothing_after_the_next_write(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    with archived(folder, TURNS):
        pass
    killed(folder, "user", "remove")
    assert files(folder) != []
    with opened(folder / "t.db", folder / "archive") as store:
        assert store.admin.users() == ()
        store.user("v").create(language="en", embedder="hash")
        assert files(folder) == []


def test_what_could_not_be_removed_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x"
    with archived(folder, TURNS) as store:
        with monkeypatch.context() as patch:

            def refuse(*_: object) -> None:
                raise ArchiveError("the folder is read-only")

            patch.setattr(ParquetArchive, "remove", refuse)
            with pytest.raises(ArchiveError, match="deleted in the store, but not yet in the archive"):
                store.user("u").delete_turns(["t3"])
            assert any("Antwerp" in text for text in in_archive(folder))
        assert not any("Antwerp" in text for text in kept(store))
        store.user("u").put_turns([says(99, "I keep a grey cat.", day=5)])
        assert not any("Antwerp" in text for text in in_archive(folder))
