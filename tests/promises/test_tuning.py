"""Calibrating one's own data, and that only what a person installs holds, for every viewer alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.memory import Kind
from kataribe.domain.recall.calibration import minimum_similarity
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import recollection_json
from kataribe.settings import Settings
from support.stores import empty_store, services

YOIMACHI = "yoimachi"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "k.db")


@pytest.fixture
def store(db: Path, bundled: Path) -> Iterator[Kataribe]:
    with opened(db) as made:
        made.story(YOIMACHI).import_folder(bundled / YOIMACHI, embedder="hash")
        made.story(YOIMACHI).sync()
        yield made


def opened(db: Path, policy: Path | None = None) -> Kataribe:
    return kataribe.open(str(db), services=services(), policy=None if policy is None else str(policy))


def written(folder: Path, text: str) -> Path:
    file = folder / "policy.toml"
    file.write_text(f"format = 1\n{text}\n", encoding="utf-8")
    return file


def test_a_story_is_measured_and_nothing_changes_by_it(
    store: Kataribe, bundled: Path, tmp_path: Path
) -> None:
    probes = kataribe.read_gold(bundled / YOIMACHI / "gold.jsonl")
    asked = {"story": YOIMACHI, "persona": "澪", "at": 9}
    before = store.recall("灯守とは誰？", **asked)  # type: ignore[arg-type]
    traces = store.admin.traces(story=YOIMACHI)
    found = store.admin.calibrate(probes, story=YOIMACHI)
    assert found.embedder_id == "hash-1"
    assert found.answered >= 20
    assert found.questions == sum(bool(one.evidence or one.keys or one.episodes) for one in probes)
    (facts,) = found.separations
    assert facts.kind is Kind.FACT
    assert facts.kept >= 0.97
    assert facts.evidence >= found.answered
    assert 0 <= facts.removed < 1
    assert found.weights is None
    assert store.admin.calibrate(probes, story=YOIMACHI, keep=0.6).separations[0].minimum >= facts.minimum
    kataribe.save_policy(found, tmp_path / "policy.toml")
    assert store.recall("灯守とは誰？", **asked) == before  # type: ignore[arg-type]
    assert len(store.admin.traces(story=YOIMACHI)) == len(traces) + 1, (
        "what an author tries out is no viewer's search"
    )


def test_weights_are_tried_by_cross_validation(store: Kataribe, bundled: Path) -> None:
    probes = kataribe.read_gold(bundled / YOIMACHI / "gold.jsonl")
    trial = store.admin.calibrate(probes, story=YOIMACHI, weights=True).weights
    assert trial is not None
    assert DEFAULT_RECALL.keyword_weight in trial.found
    assert len(trial.found) >= 11
    assert trial.found[DEFAULT_RECALL.keyword_weight] == trial.current
    assert trial.chosen is None or trial.found[trial.chosen] >= trial.current


def test_a_users_turns_are_measured(db: Path) -> None:
    begin = datetime(2024, 1, 1, tzinfo=UTC)
    things = [f"{colour} {thing}" for colour in ("red", "blue", "old", "wet", "tiny") for thing in (
        "kettle", "lantern", "ladder", "violin", "compass")]  # fmt: skip
    with opened(db) as made:
        made.user("u").create(language="en", embedder="hash")
        turns = [
            kataribe.Turn(
                turn_id=f"t{at}",
                session="s",
                speaker="Ann",
                text=f"Yesterday I bought a {thing} at the market.",
                time=begin + timedelta(minutes=at),
            )
            for at, thing in enumerate(things)
        ]
        made.user("u").put_turns(turns)
        made.user("u").sync()
        asked = [
            kataribe.Labelled(question=f"Where is the {thing} from?", evidence=frozenset({f"t{at}"}))
            for at, thing in enumerate(things)
        ]
        found = made.admin.calibrate(asked, user="u")
        (turn,) = found.separations
        assert turn.kind is Kind.TURN
        assert found.answered >= 20
        with pytest.raises(kataribe.NotFoundError):
            made.admin.calibrate(asked, user="nobody")


def test_what_cannot_be_measured_is_refused(store: Kataribe, bundled: Path) -> None:
    probes = kataribe.read_gold(bundled / YOIMACHI / "gold.jsonl")
    with pytest.raises(kataribe.InputError, match="at least 20 are needed"):
        store.admin.calibrate(probes[:10], story=YOIMACHI)
    with pytest.raises(kataribe.InputError, match="at least 20 are needed"):
        store.admin.calibrate(
            [replace(one, evidence=frozenset({"x"}), keys=()) for one in probes], story=YOIMACHI
        )
    with pytest.raises(kataribe.InputError, match="not both"):
        store.admin.calibrate(probes, story=YOIMACHI, user="u")
    with pytest.raises(kataribe.InputError, match="not both"):
        store.admin.calibrate(probes)
    with pytest.raises(kataribe.InputError, match=r"0\.5 to 1"):
        store.admin.calibrate(probes, story=YOIMACHI, keep=0.2)
    with pytest.raises(kataribe.NotFoundError):
        store.admin.calibrate(probes, story="none")


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("place", ["recall", 'embedders."hash-1".recall'])
def test_an_installed_policy_holds_for_every_viewer(
    store: Kataribe, db: Path, tmp_path: Path, weight: float, place: str
) -> None:
    asked = [("灯守とは誰？", name, at) for name in ("澪", "蓮", "stranger") for at in (3, 9)]
    with opened(db, written(tmp_path, f"[{place}]\nkeyword_weight = {weight}")) as tuned:
        for question, name, at in asked:
            found = tuned.recall(question, story=YOIMACHI, persona=name, at=at, explain=True)
            plain = store.recall(question, story=YOIMACHI, persona=name, at=at)
            only = "keyword" if weight else "similarity"
            ranked = sorted(found.hits, key=lambda hit: -hit.parts["fused"])
            assert [max(hit.parts[only], 0) for hit in ranked] == sorted(
                (max(hit.parts[only], 0) for hit in ranked), reverse=True
            )
            assert {hit.id for hit in found.hits} <= known(store, name, at)
            assert plain.hits != found.hits


def known(store: Kataribe, name: str, at: int) -> set[str]:
    return {hit.id for hit in store.known(story=YOIMACHI, persona=name, at=at).hits}


def test_a_policy_for_another_embedder_is_refused(store: Kataribe, db: Path, tmp_path: Path) -> None:
    file = written(tmp_path, '[embedders."hash-0".minimum_similarity]\nfact = 0.2')
    with pytest.raises(kataribe.FormatError, match=r'embedders."hash-0": nothing .* but by hash-1') as caught:
        opened(db, file)
    assert caught.value.file == str(file)
    # An empty store may still become one of that embedder.
    with opened(empty_store(tmp_path / "empty.db"), file):
        pass


def test_a_policy_is_installed_by_settings_too(store: Kataribe, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    with pytest.raises(kataribe.InputError, match="cannot read"):
        kataribe.open(settings=Settings(path=str(db), policy=str(file)), services=services())


def test_a_policys_minimum_goes_before_the_shipped_one(tmp_path: Path) -> None:
    from kataribe.formats.policy import read_policy

    tuning = read_policy(written(tmp_path, '[embedders."hash-1".minimum_similarity]\nfact = 0.77'))
    tuned = replace(services(), tuning=tuning)
    assert tuned.minimum_similarity("hash-1", Kind.FACT) == 0.77
    assert tuned.minimum_similarity("hash-1", Kind.TURN) == minimum_similarity("hash-1", Kind.TURN)
    assert tuned.minimum_similarity("another", Kind.FACT) is None
    assert tuned.recall_policy_for("hash-1") is DEFAULT_RECALL


def row(
    fact_id: str, no: int, text: str, *, known_by: list[str] | None = None, **more: str
) -> dict[str, object]:
    visibility = "secret" if known_by else "public"
    told = {"fact_id": fact_id, "episode_no": no, "text": text, "visibility": visibility}
    return {**told, "known_by": known_by or [], **more}


def test_what_is_explained_comes_from_inside_the_gate(tmp_path: Path) -> None:
    """P2: with secrets of others and with later episodes every word and number stays the same."""
    seen = [
        row("a", 1, "ミナは赤い鍵を持っている。"),
        row("b", 1, "灯台の鍵は砂の下にある。", known_by=["mina"]),
        row("c", 2, "鍵は海に沈んだ。", supersedes="b"),
    ]
    hidden = [
        row("x", 1, "鍵の鍵の鍵。", known_by=["haru"]),
        row("y", 3, "赤い鍵が見つかった。", supersedes="a"),
    ]
    told = []
    for name, rows in (("without", seen), ("with", seen + hidden)):
        folder = tmp_path / name
        folder.mkdir()
        numbers = range(1, 4)
        episodes = [{"episode_no": no, "episode_id": f"e{no}", "text": "本文。"} for no in numbers]
        cast = {"characters": [{"id": "mina", "name": "ミナ"}, {"id": "haru", "name": "ハル"}]}
        for file, values in (("episodes", episodes), ("facts", rows)):
            text = "".join(json.dumps(value) + "\n" for value in values)
            (folder / f"{file}.jsonl").write_text(text, encoding="utf-8")
        (folder / "cast.json").write_text(json.dumps(cast), encoding="utf-8")
        with opened(empty_store(tmp_path / f"{name}.db")) as made:
            made.story("s").import_folder(folder, language="ja", embedder="hash")
            made.story("s").sync()
            found = made.recall("ミナの赤い鍵は？", story="s", persona="mina", at=3, explain=True)
        assert found.hits
        told.append(recollection_json(found))
    without, with_hidden = told
    assert without == with_hidden
    assert without["explain"]["dropped"] == [{"fact_id": "b", "reason": "superseded by c"}]
