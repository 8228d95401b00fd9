"""Policy files and labelled questions: strict in, the same out, and every refusal names file and key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.domain.memory import Kind
from kataribe.domain.recall.calibration import Calibration, Separation, WeightTrial
from kataribe.domain.recall.policy_file import Tuned, Tuning, check_setting, settable, tuning_of
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.errors import FormatError
from kataribe.formats.labels import read_gold, read_qa
from kataribe.formats.policy import parse_policy, policy_text, read_policy, save_policy

SHARES = st.floats(0, 1)
RECALL = st.fixed_dictionaries({}, optional={"keyword_weight": SHARES, "pool": st.integers(1, 1000)})
KINDS = st.sampled_from(list(Kind))
IDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(
    lambda text: text.isprintable() and bool(text.strip())
)
TUNED = st.builds(
    Tuned,
    minimums=st.dictionaries(KINDS, st.floats(-1, 1)),
    recall=RECALL,
    made=st.none() | st.text(st.characters(codec="utf-8"), max_size=30),
    data=st.dictionaries(KINDS, st.dictionaries(st.just("questions"), st.integers(0, 10**6), min_size=1)),
)
TUNINGS = st.builds(Tuning, recall=RECALL, embedders=st.dictionaries(IDS, TUNED, max_size=3))


@given(TUNINGS)
def test_what_is_written_is_read_back(tuning: Tuning) -> None:
    assert parse_policy(policy_text(tuning), "p.toml") == tuning


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "format: must be 1"),
        ("format = 2", "format: must be 1"),
        ("format = true", "format: must be 1"),
        ("format = [", "not TOML"),
        ("format = 1\nweights = 1", "weights: nothing of this name"),
        ("format = 1\nrecall = 3", "recall: must be a table"),
        ("format = 1\n[recall]\nkeyword_wait = 0.5", "recall.keyword_wait: there is no number"),
        ("format = 1\n[recall]\nkeyword_weight = 1.5", "recall.keyword_weight: must be from 0 to 1"),
        ("format = 1\n[recall]\nkeyword_weight = nan", "recall.keyword_weight: must be from 0 to 1"),
        ("format = 1\n[recall]\nkeyword_weight = true", "recall.keyword_weight: must be a number"),
        ("format = 1\n[recall]\npool = 0", "recall.pool: must be a whole number from 1"),
        ("format = 1\n[recall]\npool = 1.5", "recall.pool: must be a whole number"),
        ("format = 1\n[recall]\nmax_top_k = 5000", "recall.max_top_k: there is no number"),
        ('format = 1\n[embedders." "]', 'embedders." ": this is no embedder'),
        ("format = 1\n[embedders.x]\nmade = 3", "embedders.x.made: must be a text"),
        ("format = 1\n[embedders.x]\nfact = 3", "embedders.x.fact: nothing of this name"),
        (
            'format = 1\n[embedders."a b".minimum_similarity]\ndream = 0.1',
            'embedders."a b".minimum_similarity.dream: there is no such kind',
        ),
        (
            "format = 1\n[embedders.x.minimum_similarity]\nfact = 1.1",
            "embedders.x.minimum_similarity.fact: must be from -1 to 1",
        ),
        ("format = 1\n[embedders.x.minimum_similarity]\nfact = nan", "fact: must be from -1 to 1"),
        ("format = 1\n[embedders.x.data.fact]\nquestions = -1", "questions: must be 0 or more"),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_key(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kataribe.FormatError) as caught:
        read_policy(file)
    assert caught.value.file == str(file)
    assert says in str(caught.value)


def test_a_missing_file_and_another_encoding_are_refused(tmp_path: Path) -> None:
    with pytest.raises(kataribe.InputError, match="cannot read"):
        read_policy(tmp_path / "none.toml")
    file = tmp_path / "p.toml"
    file.write_bytes("format = 1".encode("utf-16"))
    with pytest.raises(kataribe.FormatError, match="UTF-8"):
        read_policy(file)


def test_every_number_of_recall_can_be_set_to_what_it_is() -> None:
    assert "max_top_k" not in settable()
    assert "keyword_weight" in settable()
    for name, value in settable().items():
        assert check_setting(name, value) == value
        tuning = Tuning(recall={name: value})
        assert tuning.policy("any", DEFAULT_RECALL) == DEFAULT_RECALL
        assert parse_policy(policy_text(tuning), "p").recall == {name: value}


def test_an_embedders_numbers_go_before_those_for_all() -> None:
    mine = Tuned(recall={"keyword_weight": 0.75}, minimums={Kind.FACT: 0.4})
    tuning = Tuning(recall={"keyword_weight": 0.25, "pool": 99}, embedders={"mine": mine})
    assert tuning.policy("mine", DEFAULT_RECALL).keyword_weight == 0.75
    assert tuning.policy("mine", DEFAULT_RECALL).pool == 99
    assert tuning.policy("other", DEFAULT_RECALL).keyword_weight == 0.25
    assert tuning.minimum("mine", Kind.FACT) == 0.4
    assert tuning.minimum("mine", Kind.TURN) is None
    assert tuning.minimum("other", Kind.FACT) is None


def calibration(chosen: float | None) -> Calibration:
    one = Separation(
        kind=Kind.TURN,
        minimum=0.31,
        evidence=35,
        others=295,
        kept=0.971429,
        removed=0.376,
        spread=(0.3, 0.5, 0.7),
        other_spread=(0.1, 0.3, 0.5),
    )
    return Calibration(
        embedder_id='odd "id"\\1',
        made="2026-01-31T12:00:00+00:00",
        questions=38,
        answered=33,
        separations=(one,),
        weights=WeightTrial(found={0.5: 0.8}, held_out=0.8, current=0.8, chosen=chosen),
    )


@pytest.mark.parametrize("chosen", [None, 0.7])
def test_what_was_measured_is_saved_once(chosen: float | None, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    save_policy(calibration(chosen), file)
    read = read_policy(file)
    assert read == tuning_of(calibration(chosen))
    tuned = read.embedders['odd "id"\\1']
    assert tuned.minimums == {Kind.TURN: 0.31}
    assert tuned.recall == ({} if chosen is None else {"keyword_weight": chosen})
    assert tuned.data[Kind.TURN]["questions"] == 38
    before = file.read_bytes()
    with pytest.raises(kataribe.InputError, match="already"):
        save_policy(calibration(chosen), file)
    assert file.read_bytes() == before
    with pytest.raises(kataribe.InputError, match="cannot write"):
        save_policy(calibration(chosen), tmp_path / "no folder" / "p.toml")


def lines(file: Path, *rows: object) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def test_probes_and_questions_are_read(tmp_path: Path) -> None:
    gold = lines(
        tmp_path / "gold.jsonl",
        {
            "qid": "q1",
            "question": "鍵は？",
            "character": "ミナ",
            "episode_no": 3,
            "must_include_any": [2, "鍵"],
            "must_not_include": [],
            "supporting_facts": ["f1"],
        },
    )
    (probe,) = read_gold(gold)
    assert (probe.character, probe.at, probe.keys) == ("ミナ", 3, ("鍵",))
    assert (probe.evidence, probe.episodes) == (frozenset({"f1"}), frozenset({2}))
    qa = lines(
        tmp_path / "qa.jsonl",
        {"conv": "a", "question": "Who?", "evidence": ["D1:1"]},
        {"conv": "b", "question": "What?", "evidence": []},
    )
    with pytest.raises(kataribe.InputError, match="several conversations; name one: a, b"):
        read_qa(qa)
    with pytest.raises(kataribe.InputError, match="nothing about 'c'"):
        read_qa(qa, conversation="c")
    (one,) = read_qa(qa, conversation="a", persona="mio")
    assert (one.question, one.evidence, one.persona) == ("Who?", frozenset({"D1:1"}), "mio")


@pytest.mark.parametrize(
    "row",
    [
        {"question": "?", "evidence": "D1"},
        {"question": " ", "evidence": []},
        {"evidence": []},
    ],
)
def test_a_malformed_question_is_refused_with_its_line(row: object, tmp_path: Path) -> None:
    qa = lines(tmp_path / "qa.jsonl", {"question": "fine", "evidence": ["x"]}, row)
    with pytest.raises(kataribe.FormatError) as caught:
        read_qa(qa)
    assert caught.value.line == 2


def test_the_numbers_of_the_tiers_stand_in_the_same_file(tmp_path: Path) -> None:
    text = "format = 1\n[tiers.promotion]\nmentions = 4\n[tiers.decay]\nwarm_days = 20\n"
    found = parse_policy(text, "p.toml")
    assert (found.tiers.promotion.mentions, found.tiers.decay.warm_days, found.tiers.mid.kept_days) == (
        4,
        20,
        30,
    )
    assert parse_policy(policy_text(found), "p.toml") == found
    for wrong, words in (
        ("[tiers.promotion]\nmention = 4", "tiers.promotion.mention: there is no such number"),
        ("[tiers.night]\nhour = 3", "tiers.night: there is no such section"),
        ("[tiers.mid]\nkept_days = 99", "tiers.mid.kept_days: must be from 7 to 30"),
        ("tiers = 3", "tiers: must be a table"),
    ):
        with pytest.raises(FormatError, match=words):
            parse_policy(f"format = 1\n{wrong}", "p.toml")
    file = tmp_path / "p.toml"
    file.write_text(text, encoding="utf-8")
    assert read_policy(file) == found
