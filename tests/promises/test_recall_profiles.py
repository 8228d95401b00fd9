"""Profiles in a recall: whole, unmixed, to the letter; and the marks of hits (U-18, S4-83 to S4-90)."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.memory import Hit, Mark
from kataribe.domain.recall.planning import Intent
from kataribe.domain.recall.profiles import KATARIBE, NEXUS_0_2_7, NEXUS_2026_01, PROFILES, Profile
from kataribe.domain.recall.ranking import DEFAULT_RECALL
from kataribe.domain.terms import Language
from kataribe.domain.text.fence import read_back
from kataribe.formats.policy import read_policy
from kataribe.formats.wire.recall import recollection_json
from support.stores import empty_store, services
from support.talk import DAY_ONE, talk, turn

NEXUS = (NEXUS_2026_01, NEXUS_0_2_7)
NOW = DAY_ONE + timedelta(days=40, hours=1)
TALKS: dict[Language, tuple[str, tuple[str, ...]]] = {
    "en": (
        "What did Ann say of the old mill at the harbour?",
        (
            "The old mill at the harbour burned down.",
            "What did you see at the mill?",
            "Ann says the old mill is haunted.",
            "I bought bread.",
            "My mother wept all night.",
            "The harbour is frozen.",
        ),
    ),
    "ja": (
        "港の古い水車小屋について澪は何と言った？",
        (
            "港の古い水車小屋が焼け落ちた。",
            "水車小屋で何を見たの？",
            "澪は、古い水車小屋には幽霊が出ると言う。",
            "パンを買った。",
            "母は一晩じゅう泣いていた。",
            "港が凍った。",
        ),
    ),
}
AROUSALS = (0.1, 0.7, None, 0.0, 1.0, 0.61)
DAYS = (0, 39, 20, 40, 3, 37)


def said(language: Language) -> list[Any]:
    texts = TALKS[language][1]
    return [
        turn(n, text, session=f"s{n // 2}", day=day, arousal=stirred)
        for n, (text, stirred, day) in enumerate(zip(texts, AROUSALS, DAYS, strict=True))
    ]


def spec(hit: Hit, profile: Profile, intent: Intent) -> float:
    """Give alpha*sim_distance + beta*(1-arousal) + gamma*(1-decay)*(1-arousal), written out once more."""
    alpha, beta, gamma = profile.weights[intent]
    parts = hit.parts
    calm = 1 - parts["arousal"]
    return alpha * (2 - 2 * parts["similarity"]) + beta * calm + gamma * (1 - parts["decay"]) * calm


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("intent", Intent)
@pytest.mark.parametrize("profile", NEXUS, ids=lambda one: one.name)
def test_s4_83_the_specifications_profile_ranks_by_its_formula_and_nothing_else(
    tmp_path: Path, profile: Profile, intent: Intent, language: Language
) -> None:
    numbers = asdict(profile.recall)
    with talk(tmp_path / "k.db", said(language), language=language, **numbers) as store:
        store.viewer(user="u", as_of=NOW).report_use(["t3"])
        store.viewer(user="u", as_of=NOW).report_use(["t3"])
        found = store.recall(TALKS[language][0], user="u", as_of=NOW, intent=intent.value, explain=True)
    assert len(found.hits) == len(AROUSALS)
    assert found.explanation is not None
    assert found.explanation.profile == profile.name
    worked = [spec(hit, profile, intent) for hit in found.hits]
    assert worked == sorted(worked), "ascending, lower is better"
    assert [hit.parts["composite"] for hit in found.hits] == pytest.approx(worked, abs=1e-5)
    scores = [hit.score or 0.0 for hit in found.hits]
    assert scores == sorted(scores, reverse=True), "turned round, higher is better"
    alpha, beta, gamma = profile.weights[intent]
    highest = 4 * alpha + beta + gamma
    assert scores == pytest.approx([1 - one / highest for one in worked], abs=1e-5)


@pytest.mark.parametrize("language", TALKS)
def test_the_formula_ranks_stories_too(tmp_path: Path, language: Language) -> None:
    question, texts = TALKS[language]
    policy = tmp_path / "p.toml"
    policy.write_text('format = 1\n[recall]\nprofile = "nexus-2026-01"\n', encoding="utf-8")
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services(), policy=str(policy)) as store:
        store.story("s").create(language=language, embedder="hash")
        for no, (text, stirred) in enumerate(zip(texts, AROUSALS, strict=True), start=1):
            store.story("s").episodes.put(no=no, text=text)
            store.story("s").facts.add(episode_no=no, text=text, arousal=stirred)
        store.story("s").sync()
        found = store.recall(question, story="s", persona="x", at=9, top_k=50, intent="relational")
    worked = [spec(hit, NEXUS_2026_01, Intent.RELATIONAL) for hit in found.hits]
    assert len(worked) >= len(texts)
    assert worked == sorted(worked)
    assert {hit.parts["decay"] for hit in found.hits} > {1.0}, "age counts, in the order of the story"


def test_the_default_is_kataribe_and_its_numbers_are_the_published_ones() -> None:
    assert DEFAULT_RECALL == KATARIBE.recall == services().recall_policy
    assert DEFAULT_RECALL.profile == "kataribe"


@pytest.mark.parametrize("name", PROFILES)
def test_u_18_naming_a_profile_takes_all_of_it(tmp_path: Path, name: str) -> None:
    """A policy file that names a profile and nothing else gives what that profile's numbers give."""
    question = TALKS["en"][0]
    file = tmp_path / "p.toml"
    file.write_text(f'format = 1\n[recall]\nprofile = "{name}"\n', encoding="utf-8")
    numbers = asdict(PROFILES[name].recall)
    with talk(tmp_path / "k.db", said("en"), **numbers) as store:
        built = store.recall(question, user="u", as_of=NOW, explain=True)
    with kataribe.open(str(tmp_path / "k.db"), services=services(), policy=str(file)) as store:
        named = store.recall(question, user="u", as_of=NOW, explain=True)
    assert recollection_json(named) == recollection_json(built)
    file.write_text(f'format = 1\n[recall]\nprofile = "{name}"\nphrase_bonus = 0.5\n', encoding="utf-8")
    tuned = read_policy(file).policy("hash-1", DEFAULT_RECALL)
    assert asdict(tuned) == {**numbers, "phrase_bonus": 0.5}, "what stands beside it is a person's own"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_words_and_pins_speak_for_a_memory_even_where_they_earn_no_score(
    tmp_path: Path, profile: Profile
) -> None:
    """Below the minimum similarity stays what holds the phrase asked for, and what a person pinned."""
    parts = replace(services(), recall_policy=profile.recall)
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=parts) as store:
        store.story("s").create(language="ja", embedder="hash")
        store.story("s").episodes.put(no=1, text="港の朝。")
        for text, pinned in (
            ("ミナは白い帆の船を見た。", False),
            ("トオルは眠った。", True),
            ("雨が降った。", False),
        ):
            fact = store.story("s").facts.add(episode_no=1, text=text)
            store.story("s").facts.pin(fact, pinned=pinned)
        store.story("s").sync()
        viewer: dict[str, Any] = {"story": "s", "persona": "x", "at": 2}
        made = store.context("「白い帆の船」を見たのは誰？", min_similarity=0.99, **viewer)
    assert {item.text for item in made.items} == {"ミナは白い帆の船を見た。", "トオルは眠った。"}


# -- old or fresh --------------------------------------------------------------------------------

AGE = 400


def limit(profile: Profile, intent: Intent) -> float:
    """Give the arousal from which on something `AGE` days old comes before the same said today by a calm one.

    The composites of the two are equal there:
    (1 - a) * (beta + gamma * (1 - decay)) = beta, where what is new has no age to answer for.
    """
    weights = profile.weights[intent].aged(profile.recall.recency_share)
    aged = weights.beta + weights.gamma * (1 - profile.decay(AGE))
    return 1 - weights.beta / aged


def first(tmp_path: Path, profile: Profile, intent: Intent, language: Language, arousal: float) -> str:
    """Ask for what was said word for word twice, `AGE` days ago with this arousal and calmly today."""
    text = {"en": "The pump needs a new valve.", "ja": "ポンプの弁を替えなければならない。"}[language]
    turns = [
        turn(1, text, session="s1", arousal=arousal),
        turn(2, text, session="s2", day=AGE, arousal=0.0),
    ]
    with talk(tmp_path / "k.db", turns, language=language, **asdict(profile.recall)) as store:
        found = store.recall(
            text, user="u", as_of=DAY_ONE + timedelta(days=AGE, minutes=2), intent=intent.value
        )
    assert found.hits[0].parts["similarity"] == found.hits[1].parts["similarity"]
    return "old" if found.hits[0].fact_id == "t1" else "fresh"


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize(
    ("profile", "intent", "difference"),
    [
        # Fresh wins on technical questions up to these differences of arousal, ...
        (NEXUS_2026_01, Intent.TECHNICAL, 6 / 7),
        (NEXUS_0_2_7, Intent.TECHNICAL, 6 / 7),
        (KATARIBE, Intent.TECHNICAL, 6 / 11),
        # ... and what is old and stirring wins on emotional ones from these on.
        (NEXUS_2026_01, Intent.EMOTIONAL, 1 / 7),
        (NEXUS_0_2_7, Intent.EMOTIONAL, 1 / 7),
        (KATARIBE, Intent.EMOTIONAL, 1 / 31),
    ],
    ids=lambda one: getattr(one, "name", None),
)
def test_s4_90_the_formula_decides_between_old_and_stirring_and_fresh(
    tmp_path: Path, profile: Profile, intent: Intent, difference: float, language: Language
) -> None:
    turning = limit(profile, intent)
    assert turning == pytest.approx(difference, abs=1e-6)
    assert first(tmp_path, profile, intent, language, turning - 0.02) == "fresh"
    assert first(tmp_path, profile, intent, language, turning + 0.02) == "old"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_s4_90_technical_questions_need_far_more_arousal_than_emotional_ones(profile: Profile) -> None:
    assert limit(profile, Intent.TECHNICAL) > 0.5 > 0.2 > limit(profile, Intent.EMOTIONAL)


# -- marks ---------------------------------------------------------------------------------------

MARKED = {"t0": [], "t1": ["star", "new"], "t2": [], "t3": ["new"], "t4": ["star"], "t5": ["star"]}
"""By S4-88 of what is said in `said`: arousal over .6; decay over .9, which is two days."""


@pytest.mark.parametrize("language", TALKS)
def test_s4_88_marks_stand_in_recall_context_and_tools(tmp_path: Path, language: Language) -> None:
    question = TALKS[language][0]
    with talk(tmp_path / "k.db", said(language), language=language) as store:
        found = store.recall(question, user="u", as_of=NOW)
        assert {hit.fact_id: [mark.value for mark in hit.marks] for hit in found.hits} == MARKED
        shown = json.loads(json.dumps(recollection_json(found)))
        assert {hit["fact_id"]: hit["marks"] for hit in shown["hits"]} == MARKED
        given = store.viewer(user="u", as_of=NOW).recall_tool()(query=question)
        assert {hit["fact_id"]: hit.get("marks", []) for hit in given} == MARKED
        made = store.context(question, user="u", as_of=NOW, min_similarity=-1)
        assert {one.fact_id: [mark.value for mark in one.marks] for one in made.items} == MARKED
        part = next(part for part in kataribe.context_json(made)["parts"] if part["name"] == "memories")
        assert {one["fact_id"]: one["marks"] for one in part["items"]} == MARKED
        lines = {one.handle: one for one in read_back(made.text)}
        assert all(lines[item.handle].marks == item.marks for item in made.items)
        assert all(lines[item.handle].where == item.where for item in made.items)
        assert {"en": "★: it stirred you; 🆕: it is recent.", "ja": "★は心が動いたこと"}[
            language
        ] in made.text
        assert "marks" not in recollection_json(store.known(user="u", as_of=NOW), ranked=False)["hits"][0]


def test_a_context_without_marks_does_not_speak_of_them(tmp_path: Path) -> None:
    with talk(tmp_path / "k.db", [turn(1, "The pump needs a new valve.")]) as store:
        made = store.context("the pump", user="u", as_of=NOW)
    assert made.items
    assert not any(mark.sign in made.text for mark in Mark)


def test_s4_88_the_profile_says_what_is_marked() -> None:
    strict = Profile(
        name="kataribe",
        weights=KATARIBE.weights,
        recall=KATARIBE.recall,
        distance=KATARIBE.distance,
        star_over=0.8,
        new_over=0.2,
    )
    assert KATARIBE.marks(arousal=0.7, decay=0.5) == (Mark.STAR,)
    assert strict.marks(arousal=0.7, decay=0.5) == (Mark.NEW,)
    assert KATARIBE.marks(arousal=0.6, decay=0.9) == (), "over it, not at it"
