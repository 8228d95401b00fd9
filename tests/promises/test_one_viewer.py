"""One viewer of a story and of a user.

Talk comes back at its episode and later, to who was there, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.errors import ConflictError, InputError, KataribeError, NotFoundError
from kataribe.formats.wire.recall import recollection_json
from kataribe.formats.wire.views import why_json
from support.erasing import erase
from support.stores import empty_store, services

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
LATER = NOON + timedelta(days=30)
LAST = 10


@dataclass(frozen=True)
class Words:
    """What is told and said, in one language."""

    language: Any
    who: str
    other: str
    stranger: str
    story: str
    secret: str
    outside: str
    gossip: str
    question: str
    keyword: str


EN = Words(
    language="en",
    who="wren",
    other="odile",
    stranger="nobody",
    story="On day {no} the ferry crosses the sound and the bells of Saint Brannoc ring {no} times.",
    secret="I buried the copper whistle under the lighthouse stairs.",
    outside="You told me that your sister plays the copper whistle in Leeds.",
    gossip="The baker found a copper whistle and threw it into the harbour.",
    question="Where is the copper whistle?",
    keyword="whistle",
)
JA = Words(
    language="ja",
    who="澪",
    other="宗一",
    stranger="通りすがり",
    story="{no}日目、連絡船は海峡を渡り、聖堂の鐘は{no}回鳴った。",
    secret="銅の笛は灯台の階段の下に埋めたの。",
    outside="あなたの妹さんは大阪で銅の笛を吹くと言っていたね。",
    gossip="パン屋が銅の笛を拾って港へ投げ捨てた。",
    question="銅の笛はどこにある？",
    keyword="笛",
)
BOTH = pytest.mark.parametrize("words", [EN, JA], ids=["en", "ja"])


def turn(name: str, text: str, *to: str, minutes: int = 0, speaker: str = "who") -> kataribe.Turn:
    return kataribe.Turn(
        turn_id=name,
        session=f"session {name}",
        speaker=speaker,
        text=text,
        time=NOON + timedelta(minutes=minutes),
        audience=kataribe.known_by(*to) if to else kataribe.PUBLIC,
    )


@contextmanager
def world(folder: Path, words: Words, *, name: str = "world.db") -> Iterator[kataribe.Kataribe]:
    """Give a store with a story of ten episodes and a user; nothing is said yet."""
    with kataribe.open(str(empty_store(folder / name)), services=services()) as store:
        store.story("s").create(language=words.language, embedder="hash")
        for who in (words.who, words.other):
            store.story("s").cast.add(kataribe.Character(character_id=who))
        for no in range(1, LAST + 1):
            mark = "[[known-by: public]] " if words.language == "en" else "【知る者：全員】"
            store.story("s").episodes.put(no=no, text=mark + words.story.format(no=no))
        store.user("u").create(language=words.language, embedder="hash")
        store.sync()
        yield store


def tell(store: kataribe.Kataribe, words: Words, *, at: int, name: str = "secret") -> None:
    store.user("u").put_turns([turn(name, words.secret, words.who, speaker=words.who)], story="s", at=at)
    store.sync(user="u")


def keys(words: Words, at: int, *, who: str | None = None, story: str = "s", **more: Any) -> Any:
    return {"story": story, "persona": who or words.who, "at": at, "user": "u", "as_of": LATER, **more}


def everything(store: kataribe.Kataribe, words: Words, viewer: Any) -> list[object]:
    """Give all that a viewer's doors give, as plain values."""
    found = store.recall(words.question, explain=True, **viewer)
    told = store.context(words.question, **viewer)
    searched = store.viewer(**viewer).search_log([words.keyword])
    return [
        recollection_json(found),
        recollection_json(store.known(**viewer), ranked=False),
        kataribe.context_json(told),
        kataribe.answer_json(store.answer(words.question, **viewer)),
        [(hit.turn_id, hit.text, hit.space) for hit in searched.hits],
        (searched.matched, searched.pending_turns, searched.slices),
        store.viewer(**viewer).recall_tool()(query=words.question),
        store.viewer(**viewer).search_tool()(keywords=[words.keyword]),
    ]


def remembers(store: kataribe.Kataribe, words: Words, viewer: Any, text: str | None = None) -> bool:
    """Whether any door gives the secret; all must agree."""
    wanted = words.secret if text is None else text
    said = [wanted in str(door) for door in everything(store, words, viewer)]
    doors = [said[place] for place in (0, 1, 2, 3, 4, 6, 7)]
    assert len(set(doors)) == 1, doors
    return doors[0]


def from_when(store: kataribe.Kataribe, words: Words, **more: Any) -> int | None:
    """Give the first episode at which the secret is known, and see that it stays known."""
    known = [no for no in range(1, LAST + 3) if _knows(store, words, keys(words, no, **more))]
    assert not known or known == list(range(known[0], LAST + 3))
    return known[0] if known else None


def _knows(store: kataribe.Kataribe, words: Words, viewer: Any) -> bool:
    return any(hit.text == words.secret for hit in store.known(**viewer).hits)


@BOTH
def test_what_is_told_at_episode_10_is_unknown_at_episode_3(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=10)
        assert not remembers(store, words, keys(words, 3))
        assert not remembers(store, words, keys(words, 9))
        assert remembers(store, words, keys(words, 10))
        assert remembers(store, words, keys(words, 11))
        assert not remembers(store, words, {"user": "u", "persona": words.who, "as_of": LATER})
        with pytest.raises(NotFoundError):
            store.viewer(**keys(words, 3)).read_turn("secret")
        assert [hit.text for hit in store.viewer(**keys(words, 10)).read_turn("secret").hits] == [
            words.secret
        ]
        with pytest.raises(NotFoundError):
            store.viewer(**keys(words, 3)).report_use(["secret"])
        assert store.viewer(**keys(words, 10)).report_use(["secret"]) == 1


@BOTH
def test_talk_after_the_last_episode_goes_with_it(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=LAST + 1)
        assert from_when(store, words) == LAST + 1
        with pytest.raises(InputError, match="right after the last"):
            tell(store, words, at=LAST + 2)


@BOTH
def test_talk_follows_its_episode_when_episodes_move(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=5)
        assert from_when(store, words) == 5
        store.story("s").episodes.insert(no=2, text=words.story.format(no=2))
        assert from_when(store, words) == 6
        store.story("s").episodes.delete(no=2)
        assert from_when(store, words) == 6, "its number stays a gap"
        store.story("s").episodes.renumber(no=6, to=2)
        assert from_when(store, words) == 2
        store.story("s").episodes.delete(no=2)
        assert from_when(store, words) is None
        store.story("s").episodes.restore(no=2)
        assert from_when(store, words) == 2


@BOTH
def test_a_branch_reads_talk_of_its_parent_up_to_the_fork(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        store.story("s").branches.add("b", after=4)
        store.story("b").episodes.put(no=5, text=words.story.format(no=5))
        tell(store, words, at=4)
        assert from_when(store, words, story="b") == 4
        store.user("u").delete_turns(["secret"], story="s", at=4)
        tell(store, words, at=5)
        assert from_when(store, words) == 5
        assert from_when(store, words, story="b") is None
        store.user("u").put_turns([turn("own", words.secret, words.who)], story="b", at=5)
        store.sync(user="u")
        assert from_when(store, words, story="b") == 5
        with pytest.raises(InputError, match="told in 's'"):
            store.user("u").put_turns([turn("own", words.secret, words.who)], story="b", at=4)


@BOTH
@pytest.mark.parametrize("what", ["user", "story"])
def test_deleting_the_user_or_the_story_deletes_talk(tmp_path: Path, words: Words, what: str) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=5)
        if what == "user":
            erase(store, "u")
            store.user("u").create(language=words.language, embedder="hash")
        else:
            store.story("s").delete()
            store.story("s").create(language=words.language, embedder="hash")
            store.story("s").cast.add(kataribe.Character(character_id=words.who))
            for no in range(1, LAST + 1):
                store.story("s").episodes.put(no=no, text=words.story.format(no=no))
        store.sync()
        assert from_when(store, words) is None
        assert store.user("u").turns(story="s", at=5) == ()
        assert store.verify().problems == ()


@BOTH
def test_as_of_cuts_talk_as_it_cuts_what_was_said_outside(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=5)
        before = NOON - timedelta(milliseconds=1)
        assert not remembers(store, words, {**keys(words, 5), "as_of": before})
        assert remembers(store, words, {**keys(words, 5), "as_of": NOON})


@BOTH
def test_who_is_not_in_the_cast_has_no_talk_and_keeps_what_was_said_outside(
    tmp_path: Path, words: Words
) -> None:
    with world(tmp_path, words) as store:
        told = turn("talk", words.secret, words.stranger)
        store.user("u").put_turns([told], story="s", at=2)
        store.user("u").put_turns([turn("outside", words.outside, words.stranger)])
        store.sync(user="u")
        viewer = keys(words, 5, who=words.stranger)
        assert not remembers(store, words, viewer)
        assert remembers(store, words, viewer, words.outside)
        assert not store.recall(words.question, **viewer).in_cast
        assert not store.viewer(**viewer).search_log([words.keyword]).in_cast
        [why] = store.story("s").views.why(viewer_of(viewer), fact_id="talk")
        assert [check.step.value for check in why.checks if not check.ok] == ["cast"]


def add_gossip(store: kataribe.Kataribe, words: Words) -> None:
    gossip = [turn(f"g{no}", words.gossip, words.other, minutes=no) for no in range(40)]
    store.user("u").put_turns(gossip, story="s", at=2)
    store.user("u").put_turns(gossip)


def sync_gossip(store: kataribe.Kataribe, words: Words) -> None:
    """Bring up what others were told; what the viewer itself waits for stays dropped."""
    add_gossip(store, words)
    store.sync(user="u")


def edit_gossip(store: kataribe.Kataribe, words: Words) -> None:
    sync_gossip(store, words)
    store.user("u").put_turns([turn("g3", words.secret * 3, words.other, minutes=3)], story="s", at=2)


def delete_gossip(store: kataribe.Kataribe, words: Words) -> None:
    sync_gossip(store, words)
    store.user("u").delete_turns(["g1", "g2"], story="s", at=2)
    store.user("u").delete_turns(["g1", "g2"])


def later_talk(store: kataribe.Kataribe, words: Words) -> None:
    store.user("u").put_turns([turn("later", words.gossip, words.who)], story="s", at=8)


Doing = Callable[[kataribe.Kataribe, Words], None]


@BOTH
@pytest.mark.parametrize("doing", [add_gossip, sync_gossip, edit_gossip, delete_gossip, later_talk])
def test_nothing_outside_the_gate_changes_an_answer(tmp_path: Path, words: Words, doing: Doing) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=4)
        store.user("u").put_turns([turn("outside", words.outside, words.who)])
        store.sync(user="u")
        # Of a day of its own, and dropped: it stays due whatever is synced.
        store.user("u").put_turns([turn("due", words.gossip, words.who, minutes=3000)])
        [item] = store.admin.work(user="u")
        store.admin.drop(user="u", unit=item.unit)
        viewer = keys(words, 5)
        before = everything(store, words, viewer)
        assert store.recall(words.question, **viewer).pending_turns == 1
        doing(store, words)
        assert everything(store, words, viewer) == before


@BOTH
def test_one_space_alone_gives_what_it_gives_without_the_other_keys(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        alone: Any = {"story": "s", "persona": words.who, "at": 5}
        told = store.recall(words.question, **alone)
        both = store.recall(words.question, **keys(words, 5))
        assert [shown(hit) for hit in both.hits] == [shown(hit) for hit in told.hits]
        assert len(told.hits) == 4
        store.user("u").put_turns([turn("outside", words.outside, words.who)])
        store.user("u").put_turns([turn("all", words.gossip, minutes=1)])
        store.sync(user="u")
        said = store.recall(words.question, user="u", persona=words.who, as_of=LATER)
        both = store.recall(words.question, **keys(words, 1))
        assert [shown(hit) for hit in both.hits] == [shown(hit) for hit in said.hits]
        assert len(said.hits) == 2


def shown(hit: kataribe.Hit) -> object:
    return kataribe.hit_json(hit)


@BOTH
def test_every_hit_of_a_mixed_recall_names_its_space(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        tell(store, words, at=4)
        store.user("u").put_turns([turn("outside", words.outside, words.who)])
        store.sync(user="u")
        [episode] = [state for state in store.story("s").episodes.list() if state.no == 4]
        found = store.known(**keys(words, 5))
        assert [hit.space for hit in found.hits] == [
            *["story:s"] * 4,
            f"talk:s:u:{episode.episode_id}",
            "user:u",
        ]


def viewer_of(viewer: Any) -> kataribe.Viewer:
    return kataribe.Viewer(
        story=viewer.get("story"),
        at=viewer.get("at"),
        user=viewer.get("user"),
        persona=viewer.get("persona"),
        as_of=viewer.get("as_of"),
    )


def failed(store: kataribe.Kataribe, viewer: Any, turn_id: str = "secret") -> list[str]:
    """Give what stands in the way of a turn, and see that `why` and `known` agree."""
    asked = viewer_of(viewer)
    tell = store.user("u").why if asked.story is None else store.story(asked.story).views.why
    [why] = tell(asked, fact_id=turn_id)
    assert why.knows == any(hit.fact_id == turn_id for hit in store.known(**viewer).hits)
    assert why.knows == all(check.ok for check in why.checks)
    assert why_json(why)["space"] == why.space
    return [check.step.value for check in why.checks if not check.ok]


@BOTH
def test_why_tells_what_stands_between_a_persona_and_a_turn(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        store.user("u").put_turns([turn("secret", words.secret, words.who)], story="s", at=6)
        assert failed(store, keys(words, 6)) == ["in_memory"]
        store.sync(user="u")
        assert failed(store, keys(words, 6)) == []
        assert failed(store, keys(words, 3)) == ["before"]
        assert failed(store, {**keys(words, 6), "as_of": NOON - timedelta(hours=1)}) == ["said_by"]
        assert failed(store, keys(words, 6, who=words.other)) == ["held"]
        assert failed(store, keys(words, 6, who=words.stranger)) == ["held", "cast"]
        assert failed(store, {"user": "u", "persona": words.who, "as_of": LATER}) == ["live"]
        store.story("s").episodes.delete(no=6)
        assert failed(store, keys(words, 6)) == ["live"]
        store.story("s").episodes.restore(no=6)
        store.story("s").branches.add("b", after=4)
        assert failed(store, keys(words, 6, story="b")) == ["live"]
        store.user("u").put_turns([turn("outside", words.outside, words.other)])
        store.sync(user="u")
        assert failed(store, keys(words, 3), "outside") == ["held"]
        assert failed(store, keys(words, 3, who=words.other), "outside") == []
        with pytest.raises(NotFoundError, match="nothing is called"):
            store.story("s").views.why(viewer_of(keys(words, 3)), fact_id="no such turn")
        with pytest.raises(InputError, match="log search"):
            store.user("u").why(kataribe.Viewer(user="u", as_of=LATER), text=words.secret)


@BOTH
def test_a_turn_said_in_two_places_is_told_of_for_each(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        store.user("u").put_turns([turn("t", words.outside, words.who)])
        for at in (2, 7):
            store.user("u").put_turns([turn("t", words.secret, words.who)], story="s", at=at)
        store.sync(user="u")
        found = store.story("s").views.why(viewer_of(keys(words, 5)), fact_id="t")
        assert sorted((one.episode_no or 0, one.knows) for one in found) == [(0, True), (2, True), (7, False)]


# -- bringing logs in ----------------------------------------------------------------------


def test_a_log_makes_its_user_and_counts_what_is_new(tmp_path: Path) -> None:
    with world(tmp_path, EN) as store:
        log = [turn(f"t{no}", EN.gossip, EN.who, minutes=no) for no in range(1200)]
        done = store.user("new").import_log(log, guess="en", embedder="hash")
        assert (done.made, done.new, done.changed, done.unchanged) == (True, 1200, 0, 0)
        assert len(store.user("new").turns()) == 1200
        changed = [turn("t1", EN.secret, EN.who, minutes=1), *log[2:10]]
        done = store.user("new").import_log(changed)
        assert (done.made, done.new, done.changed, done.unchanged) == (False, 0, 1, 8)
        with pytest.raises(ConflictError, match="language"):
            store.user("new").import_log(log, language="ja")
        with pytest.raises(ConflictError, match="embedder"):
            store.user("new").import_log(log, embedder="chive")


def test_a_refused_log_leaves_nothing_behind(tmp_path: Path) -> None:
    with world(tmp_path, EN) as store:
        told_to_all = [turn(f"t{no}", EN.gossip, EN.who) for no in range(600)] + [turn("all", EN.gossip)]
        with pytest.raises(InputError, match="personas"):
            store.user("new").import_log(told_to_all, guess="en", embedder="hash", story="s", at=3)
        with pytest.raises(NotFoundError):
            store.user("new").import_log(told_to_all, guess="en", embedder="hash", story="none", at=3)
        with pytest.raises(InputError, match="language"):
            store.user("new").import_log(told_to_all, embedder="hash")
        assert [user.user_id for user in store.admin.users()] == ["u"]
        assert store.user("u").turns(story="s", at=3) == ()


def test_a_log_of_another_conversation_is_refused(tmp_path: Path) -> None:
    def of(name: str) -> list[kataribe.Turn]:
        made = turn("t", EN.gossip, EN.who)
        return [kataribe.Turn(**{**_fields(made), "extra": {"conversation": name}})]

    with world(tmp_path, EN) as store:
        store.user("u").import_log(of("one"))
        with pytest.raises(ConflictError, match="another conversation"):
            store.user("u").import_log(of("two"))
        assert store.user("u").import_log(of("two"), story="s", at=3).new == 1, "talk has ids of its own"


def _fields(made: kataribe.Turn) -> dict[str, Any]:
    return {name: getattr(made, name) for name in made.__slots__}


# -- work ----------------------------------------------------------------------------------


@BOTH
def test_work_on_talk_is_listed_dropped_and_retried(tmp_path: Path, words: Words) -> None:
    with world(tmp_path, words) as store:
        store.user("u").put_turns([turn("secret", words.secret, words.who)], story="s", at=4)
        [item] = store.admin.work(user="u")
        assert (item.user, item.story_id, item.state) == ("u", "s", kataribe.WorkState.DUE)
        assert store.admin.work(story="s") == ()
        store.admin.drop(user="u", unit=item.unit)
        assert store.sync(user="u").pages == 0
        assert failed(store, keys(words, 4)) == ["in_memory"]
        assert store.admin.retry(user="u", unit=item.unit) == 1
        assert store.sync(user="u", workers=2).pages == 1
        assert remembers(store, words, keys(words, 4))
        for wrong in ({"unit": item.unit}, {"user": "u", "unit": "none"}, {"episode_no": 1}):
            with pytest.raises(KataribeError):
                store.admin.retry(**wrong)


def test_a_trace_of_both_is_shown_for_the_story_and_for_the_user(tmp_path: Path) -> None:
    with world(tmp_path, EN) as store:
        store.recall(EN.question, **keys(EN, 4))

        def asked(traces: Sequence[kataribe.Trace]) -> list[tuple[object, ...]]:
            return [(one.story, one.episode_no, one.user, one.as_of) for one in traces]

        wanted = [("s", 4, "u", LATER.isoformat())]
        assert asked(store.admin.traces(story="s")) == asked(store.admin.traces(user="u")) == wanted
