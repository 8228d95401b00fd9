"""`kataribe bench`: what was found is judged rightly, on small data of our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path

import pytest

from kataribe.__main__ import app
from kataribe.bench.ablation import PARTS, WHOLE, SetKind, policies, talk_policies
from kataribe.bench.evaluate import NO_PLANNER, EvaluatedSetting
from kataribe.bench.evaluate import stories as tell_stories
from kataribe.bench.evidence import DEPTHS, FoundEvidence, together
from kataribe.bench.qa_sets import questions
from kataribe.bench.worth import PLANNER, Figure, Measured, measure, worths
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.errors import FormatError
from kataribe.surfaces.cli.app import run
from support.json_shapes import check_lines

assert app is not None

SAID = [
    ("Ann", "Good morning! How was the weekend?"),
    ("Ben", "I repaired the old lighthouse lamp with my brother."),
    ("Ann", "That sounds like hard work."),
    ("Ben", "We had pancakes afterwards, with blueberries."),
    ("Ann", "My sister moved to Lisbon last month."),
    ("Ben", "I have never been to Portugal."),
]
ASKED = [
    ("What did Ben repair?", ["D1:2"], "single-hop"),
    ("Where did Ann's sister move to?", ["D1:5"], "single-hop"),
    ("What did they eat, and what did they repair?", ["D1:2", "D1:4"], "multi-hop"),
    ("What did Ann repair?", ["D1:2"], "adversarial"),
    ("What is nowhere told?", [], "single-hop"),
]
話 = [
    ("ミナ", "おはよう、週末はどうだった？"),
    ("トオル", "兄と古い灯台のランプを直したよ。"),
    ("ミナ", "妹が先月リスボンに引っ越したの。"),
    ("トオル", "ポルトガルには行ったことがないな。"),
]


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    folder.mkdir()
    _write(
        folder / "turns.jsonl",
        [
            {
                "conv": "c1",
                "session": 1,
                "date_time": "1:56 pm on 8 May, 2023",
                "dia_id": f"D1:{at}",
                "turn": at - 1,
                "speaker": who,
                "text": text,
            }
            for at, (who, text) in enumerate(SAID, start=1)
        ],
    )
    _write(
        folder / "qa.jsonl",
        [
            {
                "conv": "c1",
                "qid": f"q{at}",
                "question": question,
                "evidence": evidence,
                "category": 1,
                "category_name": category,
            }
            for at, (question, evidence, category) in enumerate(ASKED)
        ],
    )
    return folder


@pytest.fixture
def personachat(tmp_path: Path) -> Path:
    folder = tmp_path / "会話"
    folder.mkdir()
    _write(
        folder / "utterances.jsonl",
        [
            {
                "pair": "A-B",
                "session": 1,
                "utt_id": f"D1:{at}",
                "speaker": who,
                "timestamp": f"2022-08-04T22:58:{at:02}",
                "text": text,
            }
            for at, (who, text) in enumerate(話, start=1)
        ],
    )
    asked = [{"pair": "A-B", "qid": "1", "question": "トオルは何を直しましたか。", "evidence": ["D1:2"]}]
    _write(folder / "qa.jsonl", asked)
    return folder


Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str]) -> Ran:
    def ran(*arguments: str) -> tuple[int, str, str]:
        code = run(["bench", *arguments])
        said = capsys.readouterr()
        check_lines(["bench", *arguments], said.out)
        return code, said.out, said.err

    return ran


def test_recall_is_the_share_of_the_evidence_among_the_first_hits() -> None:
    found = FoundEvidence()
    found.add(["a", "b", "c", "d", "e", "f"], frozenset({"b", "f"}), 2.0)
    found.add([], frozenset({"x"}), 4.0)
    assert found.recall(5) == pytest.approx((1 / 2 + 0) / 2)
    assert found.recall(10) == pytest.approx((2 / 2 + 0) / 2)
    assert found.mrr == pytest.approx((1 / 2 + 0) / 2)
    assert found.median_ms == 4.0
    twice = together([found, found])
    assert (twice.asked, twice.mrr) == (4, found.mrr)
    assert all(twice.recall(depth) == found.recall(depth) for depth in DEPTHS)
    assert (FoundEvidence().mrr, FoundEvidence().recall(5)) == (0.0, 0.0)


def test_each_setting_but_the_whole_is_another_policy() -> None:
    made = policies()
    assert made[WHOLE] is DEFAULT_RECALL
    # What is off by default anyway would measure nothing.
    assert all(policy != DEFAULT_RECALL for name, policy in made.items() if name != WHOLE)
    assert len({repr(policy) for policy in made.values()}) == len(made)


def test_locomo_is_asked_and_told_by_category(locomo: Path, bench: Ran) -> None:
    code, out, err = bench("locomo", "--data", str(locomo), "--embedder", "hash", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["bench"] == "locomo"
    whole = {row["category"]: row for row in told["figures"] if row["setting"] == WHOLE}
    assert {name: row["asked"] for name, row in whole.items()} == {
        "all": 3,
        "single-hop": 2,
        "multi-hop": 1,
        "adversarial": 1,
    }
    # Six turns are all among the first ten.
    assert whole["all"]["recall_10"] == 1.0
    assert whole["single-hop"]["mrr"] == 1.0
    assert {row["setting"] for row in told["figures"]} >= {*talk_policies(), "without the planner"}
    assert "remembering c1: 6 turns" in err


def test_personachat_is_asked_in_japanese(personachat: Path, bench: Ran) -> None:
    code, out, _ = bench("personachat", "--data", str(personachat), "--embedder", "hash", "--whole")
    assert code == 0
    head, row = out.splitlines()
    assert head.split()[:3] == ["setting", "questions", "asked"]
    assert row.split()[2:7] == ["all", "1", "1.000", "1.000", "1.000"]


def test_stories_are_probed_without_a_leak(bench: Ran) -> None:
    code, out, _ = bench("stories", "--embedder", "hash", "--whole", "--json")
    assert code == 0
    told = json.loads(out)["figures"]
    assert {(row["story"], row["mode"]) for row in told} == {
        (story, mode) for story in ("lantern-isle", "yoimachi") for mode in ("facts", "text")
    }
    assert all(row["leaks"] == 0 for row in told)
    assert all(row["wanted"] > 20 and row["top_5"] > 0.3 for row in told)


@pytest.mark.parametrize(
    ("language", "sentences", "question", "answer"),
    [
        ("en", ("It rained.", "Ben repaired the lamp.", "They slept."), "Who repaired the lamp?", "repaired"),
        ("ja", ("雨だった。", "ベンがランプを直した。", "みな眠った。"), "ランプを直したのは？", "直した"),
    ],
)
def test_texts_are_asked_natural_questions(
    tmp_path: Path, bench: Ran, language: str, sentences: Sequence[str], question: str, answer: str
) -> None:
    """What answers is named by its place, and the hash of its words keeps other editions apart."""
    text = "".join(sentences)
    begin = text.index(answer)
    span: dict[str, object] = {"episode_no": 1, "begin": begin, "end": begin + len(answer)}
    span["hash"] = sha256(answer.encode()).hexdigest()[:8]
    work = tmp_path / f"{language}-work"
    work.mkdir()
    _write(work / "episodes.jsonl", [{"episode_no": 1, "text": text}])
    _write(tmp_path / "asked.jsonl", [{"set": work.name, "question": question, "gold": [span]}])
    given = ("stories", "--data", str(tmp_path), "--questions", str(tmp_path / "asked.jsonl"))
    code, out, _ = bench(*given, "--embedder", "hash", "--whole", "--json")
    assert code == 0
    (told,) = json.loads(out)["figures"]
    assert (told["story"], told["mode"], told["probes"], told["leaks"]) == (work.name, "asked", 1, 0)
    assert told["top_1"] == 1.0
    _write(work / "episodes.jsonl", [{"episode_no": 1, "text": f" {text}"}])
    code, _, err = bench(*given, "--embedder", "hash", "--whole")
    assert (code, "not the one asked about" in err) == (3, True)
    _write(tmp_path / "asked.jsonl", [{"set": "nowhere", "question": question, "gold": [span]}])
    code, _, err = bench(*given)
    assert (code, "nowhere" in err) == (3, True)
    _write(tmp_path / "asked.jsonl", [{"set": work.name, "question": question, "gold": []}])
    code, _, err = bench(*given)
    assert (code, "asked.jsonl:1" in err) == (3, True)


# -- what the parts are worth --------------------------------------------------------------------


def measured(kind: SetKind, name: str, **found: tuple[float, float, float]) -> Measured:
    """Make a set on which every setting found what the whole did, but for those named."""
    settings = [WHOLE, NO_PLANNER, *policies()]
    whole = Figure(0.5, 0.7, 0.4)
    figures = dict.fromkeys(settings, whole) | {n: Figure(*f) for n, f in found.items()}
    return Measured(name=name, kind=kind, asked=10, found=figures)


def test_a_part_earns_where_more_is_found_with_it_than_without_it() -> None:
    talk = measured(
        "talk",
        "talks",
        **{
            "without BM25": (0.5, 0.6, 0.41),
            "without sessions": (0.5, 0.698, 0.397),
            "without speakers": (0.6, 0.8, 0.5),
        },
    )
    stories = measured(
        "stories", "stories, text", **{"without BM25": (0.5, 0.7, 0.4), NO_PLANNER: (0.49, 0.7, 0.4)}
    )
    told = {worth.part: worth for worth in worths([talk, stories], EvaluatedSetting())}
    assert told["BM25"].more == {"talks": Figure(0.0, 0.1, -0.01), "stories, text": Figure(0.0, 0.0, 0.0)}
    assert told["BM25"].earns == ("talks",)
    assert told["sessions"].earns == (), "less than the least that counts"
    assert told["speakers"].earns == (), "it does harm"
    assert set(told["sessions"].more) == {"talks"}, "it makes no difference to stories"
    assert told[PLANNER].earns == ("stories, text",)
    assert [*told] == [*(part.name for part in PARTS), PLANNER]


def test_a_part_that_is_off_is_worth_what_it_would_earn() -> None:
    """Phrases are off by default: what is measured is the whole with them."""
    one = measured("talk", "talks", **{"with phrases": (0.5, 0.75, 0.4)})
    phrases = {worth.part: worth for worth in worths([one], EvaluatedSetting())}["phrases"]
    assert not phrases.is_on
    assert phrases.more == {"talks": Figure(0.0, 0.05, 0.0)}
    on = replace(DEFAULT_RECALL, phrase_bonus=0.05)
    other = measured("talk", "talks", **{"without phrases": (0.5, 0.75, 0.4)})
    phrases = {worth.part: worth for worth in worths([other], EvaluatedSetting(base=on))}["phrases"]
    assert phrases.is_on
    assert phrases.more == {"talks": Figure(0.0, -0.05, 0.0)}


def test_the_parts_of_two_sets_are_told_in_one_command(
    locomo: Path, personachat: Path, bench: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kataribe.bench.folders.bundled", lambda: nullcontext(()))
    ask = ("parts", "--data", str(locomo.parent), "--embedder", "hash")
    code, out, _ = bench(*ask, "--json")
    assert code == 0
    told = json.loads(out)
    assert [(one["set"], one["asked"]) for one in told["sets"]] == [("locomo", 3), ("personachat", 1)]
    assert told["sets"][0]["recall_10"] == 1.0
    parts = {one["part"]: one for one in told["parts"]}
    assert {*parts} == {*(part.name for part in PARTS), PLANNER}
    assert set(parts["sessions"]["more"]) == {"locomo", "personachat"}
    assert parts["sentences beside"]["more"] == {}, "there is no story here"
    # It is what is found with all parts, less what is found without this one.
    figures = json.loads(bench("locomo", "--data", str(locomo), "--embedder", "hash", "--json")[1])["figures"]
    found = {one["setting"]: one["mrr"] for one in figures if one["category"] == "all"}
    worth = found[WHOLE] - found["without speakers"]
    assert parts["speakers"]["more"]["locomo"]["mrr"] == pytest.approx(worth, abs=1e-4)
    code, out, _ = bench(*ask)
    lines = out.splitlines()
    assert "locomo (3)" in lines[0]
    assert "personachat (1)" in lines[0]
    assert lines[1].split() == ["R@5", "R@10", "MRR"] * 2
    assert lines[2].startswith(WHOLE)
    assert next(line for line in lines if line.startswith("phrases")).split()[1] == "off"
    assert any(line.startswith("intent is on for what is not asked here: ") for line in lines)


def test_stories_are_measured_together(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EvaluatedSetting, "settings", lambda self, _: {WHOLE: (self.base, "rules")})
    folders = (bundled / "lantern-isle", bundled / "yoimachi")
    choice = EvaluatedSetting(embedder="hash")
    facts, text = measure({}, folders, choice, lambda _: None)
    assert (facts.name, text.name) == ("stories, facts", "stories, text")
    told = [one for one in tell_stories(folders, choice, lambda _: None) if one.mode == "facts"]
    assert facts.asked == sum(one.wanted for one in told)
    found = sum(one.top_5 * one.wanted for one in told) / facts.asked
    assert facts.found[WHOLE].found == pytest.approx(found, abs=1e-4)


def test_every_part_that_is_on_can_be_measured_or_says_what_it_is_for() -> None:
    for part in PARTS:
        setting, policy = part.switched(DEFAULT_RECALL)
        assert setting in policies(), part.name
        assert policy != DEFAULT_RECALL, part.name
        assert part.switched(policy)[1] == DEFAULT_RECALL or part.is_on(DEFAULT_RECALL)
    numbers = {name for part in PARTS for name in part.off}
    # The author's and the viewer's own doing, what nights do, how much is looked at, and under which name.
    others = {
        "fading_share",
        "pinned_bonus",
        "uses_bonus",
        "when_bonus",
        "same_matter",
        "pool",
        "rerank_pool",
        "max_top_k",
        "profile",
    }
    assert numbers | others == {one.name for one in fields(DEFAULT_RECALL)}


def test_what_is_wrong_with_the_data_is_said(locomo: Path, tmp_path: Path, bench: Ran) -> None:
    code, _, err = bench("locomo", "--data", str(tmp_path / "nowhere"))
    assert (code, "cannot read" in err) == (3, True)
    code, _, err = bench("parts", "--data", str(locomo))
    assert (code, "no conversations with a qa.jsonl" in err) == (3, True)
    code, _, err = bench("stories", "--data", str(locomo))
    assert (code, "gold.jsonl" in err) == (3, True)
    lines = (locomo / "qa.jsonl").read_text(encoding="utf-8").splitlines()
    (locomo / "qa.jsonl").write_text("\n".join([lines[0], '{"qid": "broken"}']), encoding="utf-8")
    with pytest.raises(FormatError, match=r"qa.jsonl:2"):
        questions(locomo / "qa.jsonl", conversation="conv")
    (locomo / "qa.jsonl").write_text(lines[0].replace("D1:2", "D9:9"), encoding="utf-8")
    code, _, err = bench("locomo", "--data", str(locomo))
    assert (code, "D9:9" in err) == (3, True)


def test_recall_and_contexts_are_told_with_nights_beside_raw_turns(locomo: Path, bench: Ran) -> None:
    ask = ("locomo", "--data", str(locomo), "--embedder", "hash", "--nights")
    code, out, err = bench(*ask, "--as-of", "end", "--json")
    assert code == 0
    rows = {(row["setting"], row["category"]): row for row in json.loads(out)["figures"]}
    settings = [name for name, category in rows if category == "all"]
    assert settings == ["the whole log", "raw turns", "nights, nothing fades", "nights, fading"]
    raw, kept = (rows[name, "all"] for name in ("raw turns", "nights, nothing fades"))
    assert kept["recall_10"] == raw["recall_10"] == 1.0
    assert rows["the whole log", "all"]["context_evidence"] == 1.0
    assert raw["context_tokens"] > 0
    told = raw["evidence_per_1000"] * raw["context_tokens"] / 1000
    assert told == pytest.approx(raw["context_evidence"], abs=1e-3)
    assert "held 1 nights with c1" in err
