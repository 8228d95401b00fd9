"""P4 and P5 of conversations: kill -9 while turns are brought in loses none that was acknowledged."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import kataribe
from support.effort import EFFORT
from support.stores import empty_store, services

KILLS = 12 * EFFORT
BATCH = 5

WRITER = """
import itertools, sys
from datetime import UTC, datetime, timedelta
import kataribe

path, log, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
begin = datetime(2024, 1, 1, tzinfo=UTC)
with kataribe.open(path) as store, open(log, "a", buffering=1) as said:
    for batch in itertools.count(start):
        turns = [
            kataribe.Turn(
                turn_id=f"{batch}-{at}", session=str(batch // 4), speaker="Ann",
                text=f"Batch {batch} turn {at}.", time=begin + timedelta(hours=batch, minutes=at),
            )
            for at in range(5)
        ]
        said.write(f'["begin", {batch}]\\n')
        store.user("u").put_turns(turns)
        said.write(f'["put", {batch}]\\n')
        if batch % 3 == 0:
            store.user("u").sync()
"""


def test_no_acknowledged_turn_is_lost(tmp_path: Path) -> None:
    path, log = empty_store(tmp_path / "k.db"), tmp_path / "log"
    log.touch()
    with kataribe.open(str(path), services=services()) as store:
        store.user("u").create(language="en", embedder="hash")
    rng = random.Random(11)
    batch = 0
    for _ in range(KILLS):
        before = log.stat().st_size
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(log), str(batch)], stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while log.stat().st_size == before and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.08))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert writer.stderr is not None
        assert writer.stderr.read() == b""
        writer.stderr.close()
        assert log.stat().st_size > before, "it was killed at work"
        batch = _check_after(path, log)


def _check_after(path: Path, log: Path) -> int:
    said = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("]")]
    begun: set[int] = {batch for verb, batch in said if verb == "begin"}
    acknowledged = {batch for verb, batch in said if verb == "put"}
    with kataribe.open(str(path), services=services()) as store:
        there: dict[int, set[str]] = {}
        for turn in store.user("u").turns():
            batch, _, at = turn.turn_id.partition("-")
            assert turn.text == f"Batch {batch} turn {at}."
            there.setdefault(int(batch), set()).add(at)
        assert acknowledged <= there.keys() <= begun, "what was acknowledged is there, and nothing else"
        assert all(len(found) == BATCH for found in there.values()), "a batch is there whole or not at all"
        # What is shown already is of turns that are there, each once.
        shown = store.known(user="u").hits
        assert len({hit.fact_id for hit in shown}) == len(shown)
        assert {hit.fact_id for hit in shown} <= {f"{b}-{at}" for b, ats in there.items() for at in ats}
        assert store.verify().problems == ()
        store.user("u").sync()
        told = store.known(user="u")
        assert told.pending_turns == 0
        assert [hit.fact_id for hit in told.hits] == [turn.turn_id for turn in store.user("u").turns()]
        assert store.verify().problems == ()
    return max(begun) + 1


def test_a_killed_import_is_taken_up_by_calling_it_again(tmp_path: Path) -> None:
    path = empty_store(tmp_path / "k.db")
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    rows = [
        {
            "session": str(n // 20),
            "speaker": "Ann",
            "text": f"What was said as number {n}.",
            "time": (begin + timedelta(hours=n)).isoformat(),
        }
        for n in range(1500)
    ]
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "kataribe", "--db", str(path)]
    command += ["log", "import", str(file), "--user", "u", "--embedder", "hash"]
    rng = random.Random(5)
    for _ in range(5):
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.5, 1.2))
        worker.send_signal(rng.choice([signal.SIGKILL, signal.SIGINT]))
        worker.wait()
        with kataribe.open(str(path), services=services()) as store:
            assert store.verify().problems == ()
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr
    with kataribe.open(str(path), services=services()) as store:
        told = store.known(user="u")
        assert [hit.text for hit in told.hits] == [row["text"] for row in rows]
        assert store.verify().ok


SPEAKER = """
import itertools, sys
import kataribe

path, log, start = sys.argv[1], sys.argv[2], int(sys.argv[3])
with kataribe.open(path) as store, open(log, "a", buffering=1) as said:
    chat = store.user("u").chat(persona="rin", session="s")
    for number in itertools.count(start):
        said.write(f'["begin", {number}]\\n')
        chat.said(f"Turn w{number}.")
        said.write(f'["said", {number}]\\n')
"""


def test_a_turn_that_was_said_is_there_and_remembered_after_a_kill(tmp_path: Path) -> None:
    path, log = empty_store(tmp_path / "k.db"), tmp_path / "log"
    log.touch()
    with kataribe.open(str(path), services=services()) as store:
        store.user("u").create(language="en", embedder="hash")
    rng = random.Random(7)
    number = 0
    for _ in range(KILLS // 2):
        before = log.stat().st_size
        speaker = subprocess.Popen(
            [sys.executable, "-c", SPEAKER, str(path), str(log), str(number)], stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 60
        while log.stat().st_size == before and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.08))
        speaker.send_signal(signal.SIGKILL)
        speaker.wait()
        assert speaker.stderr is not None
        assert speaker.stderr.read() == b""
        speaker.stderr.close()
        lines = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("]")]
        begun = [f"Turn w{one}." for verb, one in lines if verb == "begin"]
        acknowledged = {f"Turn w{one}." for verb, one in lines if verb == "said"}
        with kataribe.open(str(path), services=services()) as store:
            turns = store.user("u").turns()
            assert [turn.text for turn in turns] == [
                text for text in begun if text in {t.text for t in turns}
            ]
            assert len({turn.at for turn in turns}) == len(turns), "each behind the one before"
            assert acknowledged <= {turn.text for turn in turns} <= set(begun)
            # The last may have been stored and not remembered yet; all that were told of are both.
            known = {hit.text for hit in store.known(user="u", persona="rin").hits}
            assert acknowledged <= known <= set(begun)
            assert store.verify().problems == ()
            store.user("u").sync()
            assert store.verify().ok
        number = max(one for verb, one in lines if verb == "begin") + 1
