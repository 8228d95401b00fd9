"""Stores of earlier versions: opened by this one they hold all they held and answer as a fresh store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.domain.story.folder import StoryFolder
from kataribe.domain.story.inputs import Story
from kataribe.domain.terms import Audience
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.folder import read_folder
from support.model import everything, without_places
from support.old_stores import (
    BRANCH,
    HARBOUR,
    LATER,
    MODEL,
    PORT,
    USED_AT,
    USES,
    VERSIONS,
    Reader,
    Small,
    restore,
    services,
)
from support.stores import empty_store

Row = dict[str, Any]

WITH_MODELS = VERSIONS[1:]
WITH_USERS = VERSIONS[2:]
VIEWERS = {
    PORT: (("潮", 4), ("凪", 5), ("伊作", 5), ("潮", 10), ("凪", 10), ("nobody", 10)),
    HARBOUR: (("mara", 3), ("finn", 3), ("finn", 7), ("mara", 7), ("nobody", 7)),
    BRANCH: (("mara", 4), ("finn", 4), ("smith", 4), ("mara", 2)),
}
QUESTIONS = {
    PORT: ("鐘の舌はどこにある？", "夜の灯は何を隠した？", "船は出る？"),
    HARBOUR: ("Who has the anchor?", "What did the Widow sell?", "Who fears the smith?"),
    BRANCH: ("Who has the anchor?", "What did the Widow sell?", "How is the smith called?"),
}
PERSONAS = {"nora": (None, "pip", "ann", "nobody"), "灯里": (None, "柚")}
ASKED = {
    "nora": ("What is the boat called?", "kettle", "Who waters the fern?"),
    "灯里": ("小鉄の病気は？", "望遠鏡"),
}


class Old:
    """A store as an earlier version left it: its rows, read before anything of ours opens it."""

    def __init__(self, version: str, folder: Path) -> None:
        self.path = restore(version, folder / "old.db")
        with closing(sqlite3.connect(self.path)) as connection:
            connection.row_factory = sqlite3.Row
            named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            self._tables = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in named}

    def rows(self, table: str, **wanted: object) -> list[Row]:
        """Give a table's rows, those with these values; none where there was no such table."""
        rows = [dict(row) for row in self._tables.get(table, [])]
        return [row for row in rows if all(row[name] == value for name, value in wanted.items())]

    @property
    def stories(self) -> list[str]:
        return sorted(row["story_id"] for row in self.rows("stories"))

    @property
    def users(self) -> list[str]:
        return sorted(row["user_id"] for row in self.rows("users"))

    @contextmanager
    def opened(self, **parts: Any) -> Iterator[Kataribe]:
        """Open it with the present code."""
        with kataribe.open(str(self.path), services=services(**parts)) as store:
            yield store


@pytest.fixture
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Old:
    """The store of the version the test names, as that version left it."""
    return Old(request.param, tmp_path)


def of(*versions: str) -> pytest.MarkDecorator:
    """Run a test on the stores of these versions."""
    return pytest.mark.parametrize("old", versions, indirect=True)


def members(known_by: str | None) -> Audience:
    """Read an audience as all these versions wrote it."""
    if known_by is None:
        return kataribe.PUBLIC
    return Audience(members=frozenset(json.loads(known_by)))


def exported(store: Kataribe, story_id: str, folder: Path) -> StoryFolder:
    store.story(story_id).export(folder)
    return read_folder(folder)


# -- nothing is lost -----------------------------------------------------------------------


@of(*VERSIONS)
def test_what_it_holds_is_what_was_to_be_tested(old: Old) -> None:
    """A store that lacked something would let the tests below pass without testing it."""
    filled = {"stories", "characters", "names", "episodes", "episode_versions", "annotations", "facts"}
    filled |= {"suppressions", "pins", "extractions", "memories", "traces", "work"}
    [version] = [row["version_num"] for row in old.rows("alembic_version")]
    if version >= "0002":
        filled |= {"undo", "segments"}
    if version >= "0003":
        filled |= {"users", "turns", "lagging_pages", "uses", "embeddings"}
    assert {name for name in filled if not old.rows(name)} == set()
    assert {row["outcome"] for row in old.rows("work")} == {"done", "failed", "dead"}
    assert {row["origin"] for row in old.rows("facts")} == {"supplied", "hand"}
    assert {row["origin"] for row in old.rows("memories", space=f"story:{PORT}")} == {
        "supplied",
        "hand",
        "extracted",
    }
    episodes = old.rows("episodes", story_id=PORT)
    assert [row["no"] for row in episodes if row["deleted_at"]] == [5]
    assert [row["no"] for row in episodes if not row["deleted_at"] and not row["visible"]] == [7, 8, 9]
    assert any(row["known_by"] for row in old.rows("names")), "a secret alias"


@of(*VERSIONS)
def test_stories_stay_as_they_were_chosen(old: Old) -> None:
    with old.opened() as store:
        found = {story.story_id: story for story in store.admin.stories()}
    assert sorted(found) == old.stories
    for row in old.rows("stories"):
        assert found[row["story_id"]] == Story(
            story_id=row["story_id"],
            title=row["title"],
            language=row["language"],
            language_told=bool(row["language_told"]),
            embedder=row["embedder"],
            embedder_id=row["embedder_id"],
            extractor_id=row["extractor_id"],
            extractor=row.get("extractor", "rules"),
            parent=row.get("parent_id"),
            fork_episode_id=row.get("fork_episode_id"),
            audience=kataribe.AudienceMode.WIDE,
            extra=json.loads(row["extra"]),
        )


@of(*VERSIONS)
def test_casts_keep_every_name_and_who_knows_it(old: Old) -> None:
    with old.opened() as store:
        for story_id in old.stories:
            found = {character.character_id: character for character in store.story(story_id).cast.list()}
            for row in old.rows("characters", story_id=story_id):
                character = found[row["character_id"]]
                assert dict(character.extra) == json.loads(row["extra"])
                named = old.rows("names", story_id=story_id, character_id=row["character_id"])
                by_role: dict[str, list[object]] = {"alias": [], "description": []}
                for name in sorted(named, key=lambda one: int(one["ordinal"])):
                    by_role[name["role"]].append(
                        (name["text"], name["since"], members(name["known_by"]), json.loads(name["extra"]))
                    )
                for role, told in (("alias", character.aliases), ("description", character.descriptions)):
                    assert by_role[role] == [
                        (one.text, one.address.since, one.address.audience, dict(one.extra)) for one in told
                    ]
                kinds = [one["kind"] for one in named if one["role"] == "alias"]
                assert sorted(kinds) == sorted(one.kind for one in character.aliases)


@of(*VERSIONS)
def test_episodes_keep_texts_numbers_and_states(old: Old) -> None:
    with old.opened() as store:
        for story_id in old.stories:
            rows = old.rows("episodes", story_id=story_id)
            states = [state for state in store.story(story_id).episodes.list() if state.story_id == story_id]
            assert sorted(
                (one.episode_id, one.no, one.title, one.version, one.fact_source, one.visible, one.deleted_at)
                for one in states
            ) == sorted(
                (
                    *(row["episode_id"], row["no"], row["title"], row["version"], row["fact_source"]),
                    *(bool(row["visible"]), row["deleted_at"]),
                )
                for row in rows
            )
            for row in rows:
                if row["deleted_at"] is None:
                    episode = store.story(story_id).episodes.get(no=row["no"])
                    assert (episode.episode_id, episode.text) == (row["episode_id"], row["text"])
                    assert dict(episode.extra) == json.loads(row["extra"])


@of(*VERSIONS)
def test_every_version_of_a_text_is_kept_and_what_was_deleted_can_be_restored(old: Old) -> None:
    with old.opened() as store:
        store.story(PORT).episodes.restore(no=5)
        for row in old.rows("episodes"):
            kept = store.story(row["story_id"]).episodes.history(no=row["no"])
            versions = old.rows("episode_versions", story_id=row["story_id"], episode_id=row["episode_id"])
            assert [(one.version, one.title, one.text, one.created_at) for one in kept] == [
                (one["version"], one["title"], one["text"], one["created_at"])
                for one in sorted(versions, key=lambda one: int(one["version"]))
            ]
            assert store.story(row["story_id"]).episodes.get(no=row["no"]).text == row["text"]
        assert len(store.story(PORT).episodes.history(no=3)) == 3


@of(*VERSIONS)
def test_facts_annotations_and_decisions_are_kept(old: Old, tmp_path: Path) -> None:
    with old.opened() as store:
        for story_id in old.stories:
            folder = exported(store, story_id, tmp_path / story_id)
            numbers = {
                (state.story_id, state.episode_id): state.no
                for state in store.story(story_id).episodes.list()
                if state.is_live
            }

            def read(table: str, there: dict[tuple[str, str], int] = numbers) -> list[tuple[int, Row]]:
                told = [((row["story_id"], row["episode_id"]), row) for row in old.rows(table)]
                return [(there[place], row) for place, row in told if place in there]

            assert {row.fact_id: row for row in folder.facts or ()}.keys() == {
                row["fact_id"] for _, row in read("facts")
            }
            given = {row.fact_id: row for row in folder.facts or ()}
            for no, row in read("facts"):
                fact = given[row["fact_id"]]
                assert (fact.episode_no, fact.text, fact.origin) == (no, row["text"], row["origin"])
                stands = row["quote_no"] or (no if row["quote"] else None)
                assert (fact.quote, fact.quote_no) == (row["quote"], stands)
                assert (fact.importance, fact.pinned) == (row["importance"], bool(row["pinned"]))
                assert (fact.supersedes, fact.told_from) == (row["supersedes"], row["told_from"])
                assert (fact.audience, fact.arousal) == (members(row["known_by"]), row.get("arousal"))
                assert dict(fact.extra) == json.loads(row["extra"])
            assert sorted(
                (row.episode_no, row.paragraph_id or "", row.paragraph_hash or "", row.audience.holders())
                for row in folder.visibility or ()
            ) == sorted(
                (
                    *(no, row["paragraph_id"] or "", row["paragraph_hash"] or ""),
                    members(row["known_by"]).holders(),
                )
                for no, row in read("annotations")
            )
            decisions = folder.decisions or ()
            assert sorted((one.episode_no, *one.suppressed) for one in decisions if one.suppressed) == sorted(
                (no, row["holder"], row["text_hash"]) for no, row in read("suppressions")
            )
            assert sorted((one.episode_no, one.pinned) for one in decisions if one.pinned) == sorted(
                (no, row["fact_id"]) for no, row in read("pins")
            )


@of(*VERSIONS)
def test_traces_are_kept(old: Old) -> None:
    with old.opened() as store:
        found = [trace for story_id in old.stories for trace in store.admin.traces(story=story_id)]
        found += [trace for user_id in old.users for trace in store.admin.traces(user=user_id)]
    assert sorted(map(str, found)) == sorted(
        str(
            kataribe.Trace(
                at=row["at"],
                story=row["story_id"] or "",
                character=row["character_id"],
                episode_no=row["episode_no"] or 0,
                verb=row["verb"],
                filter=json.loads(row["filter"] or "null"),
                slices=tuple(json.loads(row["slices"])),
                ids=tuple(json.loads(row["ids"])),
                user=row.get("user_id"),
                as_of=row.get("as_of"),
            )
        )
        for row in old.rows("traces")
    )


@of(*WITH_MODELS)
def test_steps_are_kept_and_can_be_taken_back(old: Old) -> None:
    with old.opened() as store:
        for story_id in old.stories:
            steps = store.story(story_id).steps()
            rows = sorted(old.rows("undo", story_id=story_id), key=lambda row: -int(row["number"]))
            assert [(one.number, one.at, one.summary) for one in steps] == [
                (row["number"], row["at"], row["summary"]) for row in rows
            ]
            assert [(one.before, one.after) for one in steps] == [
                (json.loads(row["before"]), json.loads(row["after"])) for row in rows
            ]
        undone = [store.story(PORT).undo().summary for _ in store.story(PORT).steps()]
        assert undone[3:5] == ["kept fact f5: 伊作は赤い旗を見た。", "edited 伊作 in the cast"]
        assert undone[-3:] == ["edited episode 3", "edited episode 3", "deleted episode 5"]
        store.sync()
        assert store.verify().problems == ()
        assert "赤い旗" in store.story(PORT).episodes.get(no=3).text
        known = {hit.fact_id for hit in store.known(story=PORT, persona="凪", at=6).hits}
        assert {"f1", "f3", "f4", "f5", "f6"} <= known


@of(*WITH_USERS)
def test_users_and_what_they_said_are_kept(old: Old) -> None:
    with old.opened() as store:
        users = store.admin.users()
        assert [user.user_id for user in users] == old.users
        for user in users:
            [row] = old.rows("users", user_id=user.user_id)
            chosen = (user.language, user.embedder, user.embedder_id, user.extra)
            assert chosen == (*(row[name] for name in ("language", "embedder", "embedder_id")), {})
        for user_id in old.users:
            assert {turn.turn_id: turn for turn in store.user(user_id).turns()} == {
                row["turn_id"]: kataribe.Turn(
                    turn_id=row["turn_id"],
                    session=row["session"],
                    speaker=row["speaker"],
                    text=row["text"],
                    time=datetime.fromisoformat(row["time"]),
                    ordinal=row["ordinal"],
                    caption=row["caption"],
                    audience=members(row["held_by"]),
                    arousal=row["arousal"],
                    extra=json.loads(row["extra"]),
                )
                for row in old.rows("turns", user_id=user_id)
            }


# -- it answers as a fresh store does ------------------------------------------------------


def told(store: Kataribe, story_id: str) -> list[object]:
    """Give all that a few viewers can be given; vector ids hold versions, which a fresh store counts anew."""
    found = everything(store, story_id, VIEWERS[story_id], QUESTIONS[story_id], ids=False)
    return [without_places(one) for one in found]


def said(store: Kataribe, user_id: str) -> list[object]:
    """Give all that a few personas can be given at two moments."""
    found: list[object] = []
    for persona in PERSONAS[user_id]:
        for moment in (datetime.fromisoformat("2025-02-04T00:00:00+00:00"), LATER):
            known = store.known(user=user_id, persona=persona, as_of=moment)
            found.append(kataribe.recollection_json(known, ranked=False))
            for question in ASKED[user_id]:
                recalled = store.recall(question, user=user_id, persona=persona, as_of=moment)
                found.append(kataribe.recollection_json(recalled))
    return found


def given_anew(old: Old, source: Kataribe, folder: Path, path: Path) -> None:
    """Make a store of the same inputs with the present code, and let it note the same uses."""
    with kataribe.open(str(empty_store(path)), services=services(at=USED_AT, former_rules=False)) as fresh:
        for story_id in old.stories:
            model = source.story(story_id).info().extractor
            source.story(story_id).export(folder / story_id)
            fresh.story(story_id).import_folder(folder / story_id, model=model)
        for user in source.admin.users():
            fresh.user(user.user_id).create(language=user.language, embedder=user.embedder)
            fresh.user(user.user_id).put_turns(source.user(user.user_id).turns())
        fresh.sync()
        fresh.sync()
        if old.rows("uses"):
            for who, ids in USES:
                fresh.viewer(**in_words_of_now(who)).report_use(ids)


def in_words_of_now(viewer: dict[str, Any]) -> dict[str, Any]:
    """Name a viewer as it is named since the handles."""
    words = {"story_id": "story", "character": "persona"}
    return {words.get(name, name): value for name, value in viewer.items()}


@of(*VERSIONS)
def test_once_synced_it_answers_as_a_store_made_of_the_same_inputs(old: Old, tmp_path: Path) -> None:
    """Its texts are read anew, by the rules of now."""
    with old.opened(former_rules=False) as store:
        store.sync(retry=True)
        store.sync()
        assert store.admin.work() == ()
        given_anew(old, store, tmp_path / "inputs", tmp_path / "fresh.db")
        with kataribe.open(str(tmp_path / "fresh.db"), services=services(former_rules=False)) as fresh:
            assert fresh.admin.work() == ()
            for story_id in old.stories:
                found = told(store, story_id)
                assert found == told(fresh, story_id)
                assert any(one["hits"] for one in found if isinstance(one, dict) and "hits" in one)
            for user_id in old.users:
                assert said(store, user_id) == said(fresh, user_id)


def settled(found: list[object]) -> dict[int, object]:
    """Give by place the recollections for which nothing waits."""
    return {
        place: one
        for place, one in enumerate(found)
        if isinstance(one, dict) and (one.get("pending_episodes") == [] or one.get("pending_turns") == 0)
    }


@of(*VERSIONS)
def test_what_was_in_memory_answers_before_anything_is_synced(old: Old) -> None:
    with old.opened() as store:
        before = {story_id: settled(told(store, story_id)) for story_id in old.stories}
        remembered = {user_id: settled(said(store, user_id)) for user_id in old.users}
        assert store.known(story=PORT, persona="潮", at=10).pending_episodes == (7, 8, 9)
        store.admin.rebuild()
        for user in store.admin.users():
            store.user(user.user_id).rebuild()
        for story_id, found in before.items():
            after = told(store, story_id)
            assert found
            assert {place: after[place] for place in found} == found
        for user_id, found in remembered.items():
            after = said(store, user_id)
            assert found
            assert {place: after[place] for place in found} == found


@of(*VERSIONS)
def test_it_is_sound_once_synced(old: Old) -> None:
    with old.opened(former_rules=False) as store:
        store.sync()
        store.sync()
        found = store.verify()
        assert (found.problems, found.pending, found.pending_turns) == ((), 0, 0), (
            "a dead letter of older rules is tried anew"
        )
        for user_id in old.users:
            assert store.user(user_id).verify().problems == ()
    with old.opened() as store:
        assert store.verify().problems == ()


@of(*VERSIONS)
def test_a_secret_name_stays_a_secret(old: Old) -> None:
    with old.opened() as store:

        def expanded(character: str, at: int) -> bool:
            asked = {"story": PORT, "persona": character, "at": at}
            found = store.recall("夜の灯", explain=True, **asked)  # type: ignore[arg-type]
            return "汐見潮" in str(found.explanation)

        assert expanded("凪", 4)
        assert not expanded("凪", 2), "it is told in episode 2"
        assert not expanded("伊作", 6), "nobody told him"


# -- work and what was kept for later ------------------------------------------------------


@of(*VERSIONS)
def test_a_dead_letter_stays_one_and_what_failed_is_tried_again(old: Old) -> None:
    with old.opened() as store:
        found = {
            item.episode_no: (item.state, item.attempts, item.error) for item in store.admin.work(story=PORT)
        }
        assert found == {
            7: (kataribe.WorkState.DEAD, 3, "told to refuse 封印札"),
            8: (kataribe.WorkState.DUE, 1, "told to refuse 封印札"),
            9: (kataribe.WorkState.DUE, 0, None),
        }
        store.sync()
        [left] = store.admin.work()
        assert (left.story_id, left.episode_no, left.state) == (PORT, 7, kataribe.WorkState.DEAD)
        assert store.known(story=PORT, persona="潮", at=10).pending_episodes == (7,)
        store.sync(retry=True)
        assert store.admin.work() == ()
        assert any("封印札の話" in hit.text for hit in store.known(story=PORT, persona="潮", at=10).hits)


@of(*WITH_MODELS)
def test_what_failed_waits_as_long_as_it_was_told(old: Old) -> None:
    [row] = old.rows("work", outcome="failed")
    with old.opened(at=datetime.fromtimestamp(row["due_at"] - 1, tz=LATER.tzinfo)) as store:
        [item] = [item for item in store.admin.work(story=PORT) if item.episode_no == 8]
        assert (item.state, item.until) == (kataribe.WorkState.WAITING, row["due_at"])


@of(*WITH_MODELS)
def test_no_model_is_asked_again_for_what_it_has_read(old: Old) -> None:
    reader = Reader()
    assert any(row["usage"] for row in old.rows("extractions"))
    with old.opened(reader=reader) as store:
        before = told(store, HARBOUR), told(store, BRANCH)
        assert [refusal.text for _, refusal in store.admin.refusals(HARBOUR)] == ["Who had seen the smith?"]
        for model in ("rules", MODEL):
            store.story(HARBOUR).set_model(model)
            store.story(HARBOUR).sync()
        store.admin.rebuild(story=HARBOUR)
        assert reader.asked == []
        assert (told(store, HARBOUR), told(store, BRANCH)) == before


@of(*WITH_USERS)
def test_what_earlier_versions_remembered_is_brought_to_mind_once_it_is_synced(old: Old) -> None:
    with old.opened() as store:
        store.sync()
        for user_id, text in (("nora", "kettle"), ("灯里", "望遠鏡")):
            found = store.user(user_id).associations.of(text)
            assert len(found.found) == 1
            assert all(one.sources for one in found.ideas)
            assert found.ideas
            assert store.user(user_id).verify().problems == ()


@of(*WITH_USERS)
def test_a_day_that_lagged_is_pending_until_it_is_synced(old: Old) -> None:
    with old.opened() as store:
        assert store.user("nora").state().pending_turns == 1
        assert store.user("灯里").state().pending_turns == 0
        assert store.recall("Which lamp is green?", user="nora", persona="pip").pending_turns == 1
        store.sync()
        found = store.recall("Which lamp is green?", user="nora", persona="pip")
        assert (found.pending_turns, found.hits[0].fact_id) == (0, "D9:1")


@of(*WITH_USERS)
def test_a_change_of_embedder_goes_on_where_it_stopped(old: Old) -> None:
    small = Small()
    assert len(old.rows("embeddings")) == 3
    with old.opened(small=small) as store:
        store.sync()
        report = store.admin.reembed(embedder="small", user="nora")
        assert (report.embedder_id, report.memories) == ("small-1", 6)
        assert sorted(
            word for text in small.asked for word in ("kettle", "lamp", "fern", "boat") if word in text
        ) == [
            "boat",
            "kettle",
            "lamp",
        ]
        assert store.user("nora").verify().problems == ()


@of(*WITH_USERS)
def test_what_was_used_still_comes_sooner(old: Old) -> None:
    with old.opened() as store:
        recalled = store.recall("鐘", story=PORT, persona="潮", at=3)
        used = {hit.fact_id: hit.parts.get("used", 0.0) for hit in recalled.hits}
        assert used["f1"] > used["f2"] > 0.0, "twice and once"
        other = store.recall("鐘", story=PORT, persona="伊作", at=4)
        assert all("used" not in hit.parts for hit in other.hits)
        [hit] = [
            one for one in store.recall("boat", user="nora", persona="pip").hits if one.fact_id == "D1:2"
        ]
        assert hit.parts["used"] > 0.0
