"""What goes with what in conversations: what a text brings to mind, why, and what never does."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.conversation.associations import Associations
from kataribe.domain.conversation.associations.spreading import EdgeKind
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.recall.requests import ViewerKeys
from kataribe.domain.terms import Language
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.associations import IdeaJson, idea_json
from kataribe.testing.fakes import FrozenClock
from support.talk import DAY_ONE, talk, turn

LATER = DAY_ONE + timedelta(days=300)
LANGUAGES: tuple[Language, ...] = ("en", "ja")
each_language = pytest.mark.parametrize("language", LANGUAGES)

CHAIN: dict[Language, tuple[str, ...]] = {
    "en": (
        "The silver key hung by the mill.",
        "The mill burned because lightning struck.",
        "Lightning frightens horses.",
        "Grandmother bakes pretzels.",
    ),
    "ja": (
        "銀の鍵は水車小屋にあった。",
        "落雷があったので、水車小屋が燃えた。",
        "落雷は馬を怖がらせる。",
        "祖母は煎餅を焼く。",
    ),
}
BEGUN = {"en": "silver", "ja": "鍵"}
MIDDLE = {"en": "mill", "ja": "水車小屋"}
CAUSE = {"en": "lightning", "ja": "落雷"}
END = {"en": "horses", "ja": "馬"}
APART = {"en": "pretzels", "ja": "煎餅"}
CLOCK = {"clock": FrozenClock(LATER)}


def said(language: Language, to: str = "rin") -> list[Turn]:
    """Each in a session of its own: nothing but words binds them."""
    return [
        turn(no, text, session=f"s{no}", day=no, speaker=f"{to}{no}", to=(to,))
        for no, text in enumerate(CHAIN[language])
    ]


def minded(
    store: Kataribe, text: str, *, persona: str | None = "rin", as_of: datetime = LATER, **asked: int
) -> Associations:
    found = store.viewer(user="u", persona=persona, as_of=as_of).associate(text, top_k=100, **asked)
    assert found.viewer is not None
    return found


def labels(found: Associations) -> list[str]:
    return [one.idea.node.label for one in found.ideas]


def shown(found: Associations) -> list[IdeaJson]:
    return [idea_json(one.space, one.holder, one.idea, one.sources) for one in found.ideas]


def idea(found: Associations, label: str) -> IdeaJson:
    return next(one for one in shown(found) if one["label"].casefold() == label)


@each_language
def test_a_text_brings_to_mind_what_was_said_with_it_and_says_why(tmp_path: Path, language: Language) -> None:
    with talk(tmp_path / "t.db", said(language), language=language, parts=CLOCK) as store:
        found = minded(store, BEGUN[language])
        assert [one.casefold() for one in found.found] == [BEGUN[language]]
        near, far = idea(found, MIDDLE[language]), idea(found, END[language])
        assert (near["hops"], far["hops"]) == (1, 3)
        assert near["activation"] > far["activation"] > 0
        assert [step["turns"] for step in far["path"]] == [["t0"], ["t1"], ["t2"]]
        ends = [step["end"].casefold() for step in far["path"]]
        assert ends == [MIDDLE[language], CAUSE[language], END[language]]
        assert far["path"][0]["start"].casefold() == BEGUN[language]
        assert (far["sources"], near["sources"]) == (["t2"], ["t0", "t1"])
        assert APART[language] not in [one.casefold() for one in labels(found)]


@each_language
def test_hops_say_how_far_to_go(tmp_path: Path, language: Language) -> None:
    with talk(tmp_path / "t.db", said(language), language=language, parts=CLOCK) as store:
        found = [minded(store, BEGUN[language], hops=hops) for hops in (1, 2, 3)]
        reached = [[label.casefold() for label in labels(one)] for one in found]
        assert [END[language] in one for one in reached] == [False, False, True]
        assert [CAUSE[language] in one for one in reached] == [False, True, True]
        viewer = store.viewer(user="u", persona="rin")
        for hops in (0, 4):
            with pytest.raises(kataribe.InputError, match="from 1 to 3"):
                viewer.associate("x", hops=hops)
        with pytest.raises(kataribe.InputError, match="give a text"):
            viewer.associate(" ")
        with pytest.raises(kataribe.InputError, match="name the user"):
            store.viewer(story="s", persona="rin", at=1).associate("x")


@pytest.mark.parametrize(
    ("language", "text", "reason", "effect"),
    [
        ("en", "We stayed home because the storm came.", "storm", "home"),
        ("en", "The storm came, so we stayed home.", "storm", "home"),
        ("en", "The storm came. That's why we stayed home.", "storm", "home"),
        ("ja", "嵐が来たので、家に残った。", "嵐", "家"),
        ("ja", "嵐が来た。だから家に残った。", "嵐", "家"),
        ("ja", "嵐のせいで家に残った。", "嵐", "家"),
    ],
)
def test_what_came_of_what_is_told(
    tmp_path: Path, language: Language, text: str, reason: str, effect: str
) -> None:
    with talk(tmp_path / "t.db", [turn(1, text)], language=language, parts=CLOCK) as store:
        for begun, end, kind in ((reason, effect, EdgeKind.EFFECT), (effect, reason, EdgeKind.CAUSE)):
            found = minded(store, begun, hops=1)
            (step,) = idea(found, end)["path"]
            assert step["edge"] == kind
            best = max(found.ideas, key=lambda one: one.idea.activation)
            assert idea(found, end)["activation"] == best.idea.activation, "that counts beside the turn"


@each_language
def test_what_follows_in_a_session_goes_together(tmp_path: Path, language: Language) -> None:
    texts = {"en": ("Thunder!", "Umbrella?"), "ja": ("雷鳴!", "雨傘?")}[language]
    turns = [turn(no, text, speaker=f"x{no}") for no, text in enumerate(texts)]
    with talk(tmp_path / "t.db", turns, language=language, parts=CLOCK) as store:
        first, last = (text[:-1].casefold() for text in texts)
        assert idea(minded(store, first), last)["path"][0]["edge"] == EdgeKind.AFTER
        assert idea(minded(store, last), first)["path"][0]["edge"] == EdgeKind.BEFORE
    apart = [turn(no, text, session=str(no), speaker=f"x{no}") for no, text in enumerate(texts)]
    with talk(tmp_path / "a.db", apart, language=language, parts=CLOCK) as store:
        assert last not in labels(minded(store, first))


@each_language
def test_people_topics_and_memories_are_told_apart(tmp_path: Path, language: Language) -> None:
    texts = {"en": ("Ann", "My sister lives in Osaka."), "ja": ("アン", "妹は大阪に住んでいる。")}
    name, text = texts[language]
    turns = [turn(1, text, speaker=name, to=("rin",))]
    with talk(tmp_path / "t.db", turns, language=language, parts=CLOCK) as store:
        found = minded(store, {"en": "sister", "ja": "妹"}[language])
        assert idea(found, name.casefold())["kind"] == "person"
        kinds = {one["label"]: one["kind"] for one in shown(found)}
        assert "topic" in kinds.values()
        memory = idea(found, text.casefold())
        assert (memory["kind"], memory["sources"]) == ("memory", ["t1"])
        (kept,) = store.viewer(user="u", persona="rin", as_of=LATER).memories().memories
        assert memory["id"] == kept.value.memory_id
        assert all(one["id"] is None for one in shown(found) if one["kind"] != "memory")


@each_language
def test_nothing_outside_the_gate_is_reached_or_changes_a_byte(tmp_path: Path, language: Language) -> None:
    mine = said(language)
    others = [
        turn(50 + no, one.text + MIDDLE[language], session=one.session, day=no, speaker="Ben", to=("ben",))
        for no, one in enumerate(mine)
    ]
    later = [turn(80, "".join(CHAIN[language]), day=299, to=("rin",))]
    upto = LATER - timedelta(days=10)
    given: list[object] = []
    for no, turns in enumerate(([*mine, *others, *later], mine)):
        with talk(tmp_path / f"{no}.db", turns, language=language, parts=CLOCK) as store:
            asked = (BEGUN[language], MIDDLE[language])
            given.append([shown(minded(store, one, as_of=upto)) for one in asked])
            assert minded(store, BEGUN[language], persona=None).ideas == ()
            assert minded(store, BEGUN[language], persona="stranger").found == ()
            assert minded(store, BEGUN[language], as_of=DAY_ONE - timedelta(days=1)).ideas == ()
    assert given[0] == given[1]


@each_language
def test_what_is_deleted_or_changed_is_gone_at_once(tmp_path: Path, language: Language) -> None:
    with talk(tmp_path / "t.db", said(language), language=language, parts=CLOCK) as store:
        assert END[language] in [one.casefold() for one in labels(minded(store, BEGUN[language]))]
        store.user("u").delete_turns(["t1"])
        for _ in range(2):
            left = [one.casefold() for one in labels(minded(store, BEGUN[language]))]
            assert MIDDLE[language] in left
            assert not {CAUSE[language], END[language]} & set(left)
            store.user("u").sync()
        (first, *_) = said(language)
        store.user("u").put_turns([turn(0, APART[language], session="s0", speaker="rin0", to=("rin",))])
        assert minded(store, BEGUN[language]).found == ()
        store.user("u").put_turns([first])
        store.user("u").sync()
        assert MIDDLE[language] in [one.casefold() for one in labels(minded(store, BEGUN[language]))]


@pytest.mark.parametrize(
    ("language", "texts", "word"),
    [
        ("en", ("I broke up with Daniel.", "Forget what I said about Daniel."), "broke"),
        ("ja", ("ダニエルと別れたんだ。", "ダニエルのことは忘れて。"), "別"),
        ("en", ("I live in Osaka.", "I do not live in Osaka any more. I live in Kyoto."), "osaka"),
        ("ja", ("大阪に住んでいる。", "もう大阪に住んでいない。京都に住んでいる。"), ""),
        ("en", ("Don't remember this: my tattoo is a dragon.",), "dragon"),
        ("ja", ("これは覚えないで。背中に龍の刺青がある。",), "龍"),
    ],
)
def test_what_is_forgotten_superseded_or_not_to_be_remembered_brings_nothing_to_mind(
    tmp_path: Path, language: Language, texts: tuple[str, ...], word: str
) -> None:
    turns = [
        turn(no, text, day=no, session=str(no), speaker="u", to=("rin",)) for no, text in enumerate(texts)
    ]
    with talk(tmp_path / "t.db", turns, language=language, parts=CLOCK) as store:
        viewer = store.viewer(user="u", persona="rin", as_of=LATER)
        known = {hit.fact_id for hit in viewer.known().hits}
        assert "t0" not in known, "else this proves nothing"
        everything = minded(store, " ".join(texts))
        named = {turn_id for one in shown(everything) for turn_id in one["sources"]}
        named |= {turn_id for one in shown(everything) for step in one["path"] for turn_id in step["turns"]}
        assert named <= known
        if word and word != "osaka":
            assert minded(store, word).found == ()


@each_language
def test_one_time_codes_are_no_concepts(tmp_path: Path, language: Language) -> None:
    texts = {"en": "Your login code is 482913, Ann.", "ja": "アン、ログインの認証コードは482913です。"}
    text = texts[language]
    with talk(tmp_path / "t.db", [turn(1, text)], language=language, parts=CLOCK) as store:
        found = minded(store, {"en": "login", "ja": "ログイン"}[language], persona=None)
        assert found.ideas != ()
        assert "482913" not in str(shown(found))
        assert minded(store, "482913", persona=None).found == ()


def test_no_path_leads_from_one_space_to_another(tmp_path: Path) -> None:
    with talk(tmp_path / "t.db", said("en")[:2], parts=CLOCK) as store:
        store.story("s").create(language="en", embedder="hash")
        store.story("s").episodes.put(1, "Snow fell.")
        rest = [turn(10 + no, one.text, session=f"x{no}", to=("rin",)) for no, one in enumerate(said("en"))]
        store.user("u").put_turns(rest[2:], story="s", at=1)
        store.user("u").sync()
        store.story("s").cast.add(kataribe.Character(character_id="rin"))
        viewer = store.viewer(story="s", at=1, user="u", persona="rin", as_of=LATER)
        found = viewer.associate("silver lightning", top_k=100)
        by_space: dict[str, set[str]] = {}
        for one in shown(found):
            steps = {turn_id for step in one["path"] for turn_id in step["turns"]}
            by_space.setdefault(one["space"].partition(":")[0], set()).update(steps, one["sources"])
        assert by_space["user"] <= {"t0", "t1"}
        assert by_space["talk"] <= {"t12", "t13"}
        assert END["en"] not in labels(viewer.associate("silver", top_k=100))


def test_the_author_is_told_of_everybody_apart(tmp_path: Path) -> None:
    turns = [*said("en"), turn(60, "The silver spoon is bent.", speaker="ben", to=("ben",), day=1)]
    with talk(tmp_path / "t.db", turns, parts=CLOCK) as store:
        found = store.user("u").associations.of("silver", top_k=100)
        assert {one.holder for one in found.ideas} == {"rin", "ben"}
        assert {one.idea.node.label for one in found.ideas if one.holder == "ben"} >= {"spoon", "bent"}
        assert "spoon" not in {one.idea.node.label for one in found.ideas if one.holder == "rin"}
        with pytest.raises(kataribe.NotFoundError):
            store.user("nobody").associations.of("silver")


@each_language
def test_what_is_said_now_is_brought_to_mind_at_once(tmp_path: Path, language: Language) -> None:
    with talk(tmp_path / "t.db", [], language=language, parts=CLOCK) as store:
        for text in CHAIN[language][:2]:
            store.user("u").said(text, speaker="u", persona="rin", time=DAY_ONE)
        reached = [one.casefold() for one in labels(minded(store, BEGUN[language]))]
        assert CAUSE[language] in reached
        assert store.user("u").verify().problems == ()
        before = shown(minded(store, BEGUN[language]))
        store.user("u").sync()
        store.user("u").rebuild()
        words = [one for one in shown(minded(store, BEGUN[language])) if one["kind"] != "memory"]
        assert {one["label"] for one in before} <= {one["label"] for one in words}


def test_rows_that_are_not_what_turns_make_are_told_and_mended(tmp_path: Path) -> None:
    with talk(tmp_path / "t.db", said("en"), parts=CLOCK) as store:
        whole = shown(minded(store, "silver"))
        with store._of._engine._ledger.writing() as tx:
            tx.forget_marks("user:u", ["t1"])
        assert any("what its turns name" in one for one in store.user("u").verify().problems)
        store.user("u").rebuild()
        assert store.user("u").verify().problems == ()
        assert shown(minded(store, "silver")) == whole


MIXED: dict[Language, tuple[str, ...]] = {
    "en": ("I met Grace at the harbour.", "The harbour has a piano.", "The piano is out of tune."),
    "ja": ("港でグレースに会った。", "港にピアノが置いてある。", "ピアノの音が狂っている。"),
}
WHO = {"en": "Grace", "ja": "グレース"}


def mixed(language: Language, to: str, begin: int = 0) -> list[Turn]:
    return [
        turn(begin + no, text, session=str(no), day=no, speaker=f"{to}{no}", to=(to,))
        for no, text in enumerate(MIXED[language])
    ]


@each_language
def test_recall_finds_what_a_question_brings_to_mind_where_that_counts(
    tmp_path: Path, language: Language
) -> None:
    """It is one more candidate, and counts for nothing unless a policy says so."""
    others = [
        turn(no, f"{no}", session=f"n{no}", day=no, speaker=f"x{no}", to=("rin",)) for no in range(10, 90)
    ]
    asked: ViewerKeys = {"user": "u", "persona": "rin", "as_of": LATER}
    for share in (0.0, 1.0):
        numbers = {"association_share": share, "intent_weight": 0.0, "pool": 2}
        with talk(
            tmp_path / f"{share}.db",
            mixed(language, "rin") + others,
            language=language,
            parts=CLOCK,
            **numbers,
        ) as store:
            hits = store.recall(WHO[language], top_k=2, **asked).hits
            assert [("in_mind" in hit.parts) for hit in hits] == [share > 0] * 2
            assert ([hit.fact_id for hit in hits] == ["t0", "t1"]) == (share > 0)
            within = store.recall(WHO[language], top_k=9, where={"session": "2"}, **asked).hits
            assert {hit.fact_id for hit in within} == {"t2"}


@each_language
def test_what_a_question_brings_to_mind_lies_inside_the_gate(tmp_path: Path, language: Language) -> None:
    mine = mixed(language, "rin")
    late = [turn(40, "".join(MIXED[language]), day=200, to=("rin",))]
    found = []
    for no, turns in enumerate(([*mine, *mixed(language, "ben", 20), *late], mine)):
        with talk(
            tmp_path / f"{no}.db", turns, language=language, parts=CLOCK, association_share=0.5
        ) as store:
            upto = DAY_ONE + timedelta(days=100)
            hits = store.recall(WHO[language], user="u", persona="rin", as_of=upto, explain=True)
            found.append(kataribe.recollection_json(hits))
    assert found[0] == found[1]
