"""The functions of an assistant's memory by the names of its specification: each does what it says."""

from __future__ import annotations

import hashlib
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.tokens.estimate import EstimateCounter
from kataribe.domain.conversation.buffer import BufferPolicy
from kataribe.domain.conversation.life.policy import policy_from
from kataribe.domain.terms import Language
from kataribe.ports import Payload
from support.talk import turn

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.parametrize("text", ["My sister lives in Osaka.", "妹は大阪に住んでいます。", ""])
def test_token_count_is_that_of_the_counter(text: str) -> None:
    assert kataribe.token_count(text, EstimateCounter()) == EstimateCounter().count(text)


def test_stm_tail_is_what_is_at_hand() -> None:
    said = [turn(no, f"Number {no}.", session="a") for no in range(1, 20)]
    last = max(one.time for one in said)
    tail = kataribe.stm_tail(said, now=last, counter=EstimateCounter())
    assert tail == tuple(said[-12:])
    two = kataribe.stm_tail(said, now=last, counter=EstimateCounter(), policy=BufferPolicy(messages=2))
    assert two == tuple(said[-2:])
    assert kataribe.stm_tail(said, now=last + timedelta(hours=3), counter=EstimateCounter()) == ()


def test_count_mentions_counts_distinct_turns_of_ninety_days() -> None:
    mentions = [("a", ago(1)), ("a", ago(1)), ("b", ago(90)), ("c", ago(91)), ("d", ago(-1))]
    assert kataribe.count_mentions(mentions, now=NOW) == 2
    short = policy_from({"promotion": {"mentions_days": 10}})
    assert kataribe.count_mentions(mentions, now=NOW, policy=short) == 1


@pytest.mark.parametrize(
    ("likenesses", "score"), [([], 1.0), ([0.2, 0.62], 0.38), ([1.0], 0.0), ([-0.5], 1.0)]
)
def test_novelty_score_is_one_less_the_best_cosine(likenesses: list[float], score: float) -> None:
    assert kataribe.novelty_score(likenesses) == score


def test_recent_usefulness_counts_moments_of_thirty_days() -> None:
    assert kataribe.recent_usefulness([], now=NOW) == 0
    assert kataribe.recent_usefulness([ago(1), ago(1)], now=NOW) == 0.2
    assert kataribe.recent_usefulness([ago(1), ago(2), ago(3), ago(4), ago(30)], now=NOW) == 0.5


def test_decay_ltm_scores_lowers_what_nobody_used() -> None:
    last = {name: ago(days) for name, days in (("a", 1), ("b", 30), ("c", 90), ("d", 180), ("e", 400))}
    scores = dict.fromkeys(last, 0.8)
    assert kataribe.decay_ltm_scores(scores, last, now=NOW) == {"a": 0.8, "b": 0.64, "c": 0.4}
    with pytest.raises(KeyError):
        kataribe.decay_ltm_scores({"x": 1.0}, last, now=NOW)


def test_archive_to_object_store_writes_a_file_that_is_read_again(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the extra archive is not installed")
    from kataribe.adapters.parquet import ParquetArchive

    archive = ParquetArchive(tmp_path)
    given = [Payload("k1", "My sister lives in Osaka.", "sister"), Payload("k2", "妹は大阪にいる。", "妹")]
    sha = kataribe.archive_to_object_store(archive, "f", "one", given)
    assert archive.read("f", {"one": sha}) == tuple(given)


@pytest.mark.parametrize(
    ("language", "text"), [("en", "The harbour is closed."), ("ja", "港は閉まっている。")]
)
def test_export_user_bundle_writes_what_a_program_hands_in(
    tmp_path: Path, language: Language, text: str
) -> None:
    user = kataribe.User(user_id="u", language=language, embedder="hash", embedder_id="hash-1")
    said = turn(1, text, to=("rin",))
    session = kataribe.SaidSession(space="user:u", session="s1", turns=1, first=said.at, last=said.at)
    records = kataribe.UserRecords(
        user=user,
        at=NOW,
        spaces=(kataribe.SaidSpace(space="user:u", sessions=(session,), holders=("rin",)),),
        turns=lambda space, _: iter([said] if space == "user:u" else []),
    )
    path = tmp_path / "u.zip"
    done = kataribe.export_user_bundle(records, kataribe.ZipBundle(), path)
    assert (done.path, done.size, done.counts["turns"]) == (path, path.stat().st_size, 1)
    assert done.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    with zipfile.ZipFile(path) as bundle:
        assert text in bundle.read("conversation/00001-2023-05-08.md").decode()
        assert text in bundle.read("data/turns.jsonl").decode()
    with pytest.raises(kataribe.ConflictError):
        kataribe.export_user_bundle(records, kataribe.ZipBundle(), path)
