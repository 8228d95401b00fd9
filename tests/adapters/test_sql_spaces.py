"""Spaces as rows: what belongs to one has its name, follows it, and leaves nothing behind with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from kataribe.adapters.sql import SqlLedger
from kataribe.adapters.sql.erasing import BY_SPACE, BY_USER
from kataribe.adapters.sql.schema import metadata
from kataribe.domain.conversation.life.events import HandDecision, HandVerb
from kataribe.domain.conversation.life.stubs import TurnStub, said_hash
from kataribe.domain.privacy.erasure import WrittenExport
from kataribe.domain.privacy.profile import ConsentEvent, ConsentEvidence, ConsentStep, SealedValue
from kataribe.domain.privacy.requests import PrivacyAction, PrivacyRequest
from kataribe.domain.records import Wanted
from kataribe.domain.space import story_space, talk_space, user_space
from kataribe.domain.story.checkpoint import Checkpoint
from kataribe.domain.story.inputs import Alias, Character, Fact
from kataribe.domain.story.undo import Step
from kataribe.domain.terms import PUBLIC
from kataribe.domain.work import Lease
from kataribe.ports import RecordedNight, Transaction
from kataribe.testing.fakes import FrozenClock
from kataribe.testing.ledger_access import a_user_key, a_viewer_key
from kataribe.testing.ledger_associations import a_mark
from kataribe.testing.ledger_tiers import a_life, an_ask
from kataribe.testing.ledger_world import (
    EXTRACT,
    GAP,
    TURNS,
    a_memory,
    a_space,
    a_story,
    a_trace,
    a_turn,
    a_user,
    an_episode,
    fill,
    gate_of,
    put_memories,
    remember,
    say,
)

WITHOUT_SPACE = {
    "stories": "the truth, by story id",
    "users": "the truth, by user id",
    "characters": "inputs of a story, by its id",
    "names": "inputs of a story, by its id",
    "cast_groups": "inputs of a story, by its id",
    "groups_said": "what files said of a story's groups, by its id",
    "cast_said": "what files said of a story's cast, by its id",
    "narrations": "inputs of a story, by its id",
    "episodes": "inputs of a story, by its id",
    "episode_versions": "inputs of a story, by its id",
    "annotations": "inputs of a story, by its id",
    "facts": "inputs of a story, by its id",
    "suppressions": "decisions on a story, by its id",
    "pins": "decisions on a story, by its id",
    "mentions": "whom a story's inputs name, by its id",
    "extractions": "what models found in a story's texts, by its id",
    "memory_deltas": "the history of a story's episodes, by its id",
    "undo": "steps of a story, by its id",
    "checkpoints": "inputs of a story under a name, by its id",
    "changes": "by the random token of a space, so that a log that is kept names nothing",
    "fed": "by the random token of a space that may be gone: what an outside index is to forget",
    "nights": "inputs of a user, by its id",
    "archive_gone": "by the pseudonym of a folder: it outlives its space until its files are removed",
    "revisions": "one count for the whole store",
    "marks": "the store's own id and the name of its key store",
    "audit": "by chain, a user by a pseudonym: it outlives a story, and is erased with a user by name",
    "audit_heads": "by chain, as the record",
    "exports_gone": "by the path of a file: it outlives its space until that is removed",
    "shreds": "by the random id of a key, until that is destroyed",
}
"""The tables that have no column `space`, and why."""

STORY_WORDS = ("ザナルカンド", "Quetzalcoatlus", "薔薇十字", "Zweihander")
USER_WORDS = ("ペトリコール", "Xylophonist", "曼珠沙華", "Bumbershoot")
STORY_ID, USER_ID, EPISODE_ID = "story-Kjxqz", "user-Wvyqk", "episode-Pzxkw"
TURN_ID, SESSION, SPEAKER, HOLDER = "turn-Gqzjx", "session-Hjkqx", "speaker-Lqwzx", "holder-Mzqjw"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqlLedger]:
    with closing(SqlLedger(str(tmp_path / "store.db"), FrozenClock())) as opened:
        yield opened


def test_every_table_names_its_space_or_says_why_not() -> None:
    without = {table.name for table in metadata.tables.values() if "space" not in table.columns}
    assert without == WITHOUT_SPACE.keys()


OF_NO_USER = {"libraries", "documents"}
"""The tables with a column `space` that is never a user's."""


def test_erasure_asks_every_table_that_may_hold_anything_of_a_user() -> None:
    """A table that is added is asked too, or says above whose it is."""
    of_spaces = {
        table.name: {
            column.name
            for column in table.columns
            if column.name == "space"
            or any(key.target_fullname == "spaces.space" for key in column.foreign_keys)
        }
        for table in metadata.tables.values()
    }
    wanted = {name: columns for name, columns in of_spaces.items() if columns and name not in OF_NO_USER}
    assert {name: set(columns) for name, columns in BY_SPACE.items()} == wanted
    by_id = {table.name for table in metadata.tables.values() if "user_id" in table.columns}
    assert by_id == {*BY_USER, "spaces"}
    asked = {*BY_SPACE, *BY_USER}
    assert {table.name for table in metadata.tables.values()} - asked == (
        (WITHOUT_SPACE.keys() - asked) | OF_NO_USER
    )


def test_what_names_a_space_goes_with_it() -> None:
    """By foreign key: no table can be forgotten when a space goes or is renamed."""
    for table in metadata.tables.values():
        for column in table.columns:
            if table.name == "spaces" or column.name not in ("space", "beside"):
                continue
            (key,) = column.foreign_keys
            # What is left of a turn goes with the turn.
            assert key.target_fullname == ("turns.space" if table.name == "turn_stubs" else "spaces.space"), (
                column
            )
            assert (key.ondelete, key.onupdate) == ("CASCADE", "CASCADE"), column


def _fill_everything(writing: Transaction, story_id: str, user_id: str) -> None:
    """Put something of a story, of a user and of talk between them into every table."""
    fill(writing, story_id)
    writing.put_user(a_user(user_id))
    talk = talk_space(story_id, user_id, "e2")
    writing.put_space(a_space(talk))
    for space in (user_space(user_id), talk):
        say(writing, space, [a_turn(1), a_turn(2)])
    for space, kind in ((story_space(story_id), EXTRACT), (user_space(user_id), TURNS), (talk, TURNS)):
        writing.want(space, kind, {"later": Wanted(fingerprint="new", position=1)})
        writing.claim(space, kind, Lease(token="t", worker="w", until=9.0), now=0, limit=1)
        writing.stage_vectors(space, "new-1", {"hash": b"1234"})
        writing.put_uses(space, "ann", ["f1-0"], upto=9, at="2024")
        source = writing.memories(space)[0]
        derived = replace(source, memory_id="derived", fact_id="derived", sources=(source.memory_id,), key=0)
        put_memories(writing, space, "derived", [derived])
    for space in (user_space(user_id), talk):
        stub = TurnStub(turn_id=a_turn(2).turn_id, said_hash=said_hash(a_turn(2)), embedder_id="e")
        writing.put_stubs(space, [(replace(a_turn(2), text="…"), stub)])
        writing.put_life(space, "ann", a_life("t1"))
        writing.put_model_ask(space, an_ask("t1", holder="ann"))
        writing.put_marks(space, "d1", [a_mark("t1", 1)])
        writing.put_hand_decision(space, "ann", HandDecision(at=1, memory_id="m", what=HandVerb.PIN))
    given = ConsentEvent(key="k", number=1, at=1, step=ConsentStep.GIVEN)
    writing.put_consent(user_space(user_id), given)
    value = SealedValue(
        key="k",
        number=1,
        version="1.0.0",
        at=1,
        is_personal=False,
        evidence=ConsentEvidence("t1", talk),
        expires=None,
        sealed=b"",
    )
    writing.put_profile_value(user_space(user_id), value)
    request = PrivacyRequest(PrivacyAction.DELETE, salt="00", digest="d", until=1)
    writing.put_privacy_request(user_space(user_id), request)
    writing.put_export(user_space(user_id), WrittenExport(path="export.zip", sha256="0"))
    writing.put_access_key(a_viewer_key(f"of-{story_id}", story_id))
    writing.put_access_key(a_user_key(f"of-{user_id}", user_id))
    writing.put_night(user_id, RecordedNight(at=1))
    writing.put_traces([replace(a_trace(story_id), user=user_id), replace(a_trace(""), user=user_id)])
    step = Step(number=1, at="2024", summary="s", before={}, after={})
    writing.put_step(story_id, step, keep=9)
    writing.put_checkpoint(story_id, Checkpoint(name="c", at="2024", episodes=1, facts=0), {})


def _rows(connection: sqlite3.Connection, table: sa.Table, spaces: Sequence[str]) -> int:
    """Count the rows of a table that belong to these spaces, or to a story or user they are of."""
    ids = {
        "space": spaces,
        "beside": spaces,
        "story_id": [name.split(":")[1] for name in spaces if name.startswith("story:")],
        "user_id": [name.split(":")[1] for name in spaces if name.startswith("user:")],
    }
    named = {name: values for name, values in ids.items() if name in table.columns and values}
    if table.name == "changes":
        return _orphans(connection)
    if table.name == "spaces":
        # Talk is of a story and of a user: by its name alone.
        named = {"space": spaces}
    if not named:
        return 0
    where = " OR ".join(f"{name} IN ({', '.join('?' * len(values))})" for name, values in named.items())
    given = [value for values in named.values() for value in values]
    return int(connection.execute(f"SELECT count(*) FROM {table.name} WHERE {where}", given).fetchone()[0])


def _orphans(connection: sqlite3.Connection) -> int:
    sql = "SELECT count(*) FROM changes WHERE token NOT IN (SELECT token FROM spaces)"
    return int(connection.execute(sql).fetchone()[0])


def _counts(ledger: SqlLedger, spaces: Sequence[str]) -> dict[str, int]:
    with ledger._pool.lent() as lent:
        return {table.name: _rows(lent.driver, table, spaces) for table in metadata.tables.values()}


@pytest.mark.parametrize("gone", ["story", "user"])
def test_what_is_deleted_leaves_no_row_in_any_table(ledger: SqlLedger, gone: str) -> None:
    """Vectors made ahead, talk under a story and the change log counted in; others keep all."""
    with ledger.writing() as writing:
        _fill_everything(writing, "s", "u")
        _fill_everything(writing, "other", "v")
        writing.put_space(a_space(talk_space("other", "u", "e1")))
        say(writing, talk_space("other", "u", "e1"), [a_turn(1)])
        writing.put_space(a_space(talk_space("s", "v", "e1")))
        say(writing, talk_space("s", "v", "e1"), [a_turn(1)])
    own = story_space("s") if gone == "story" else user_space("u")
    talks = [talk_space("s", "u", "e2")]
    talks.append(talk_space("s", "v", "e1") if gone == "story" else talk_space("other", "u", "e1"))
    kept = [story_space("other"), user_space("v"), talk_space("other", "v", "e2")]
    before, others = _counts(ledger, [own, *talks]), _counts(ledger, kept)
    assert {name for name, count in _counts(ledger, [*kept, "story:s", "user:u"]).items() if not count} == {
        "changes",
        "fed",
        "revisions",
        "exports_gone",
        # By chain, or of the store as a whole.
        *("marks", "audit", "audit_heads", "shreds"),
        # Of a library, which is neither a story's nor a user's.
        "libraries",
        "documents",
        # Of an archive, which is none here.
        *("archive_folders", "archive_files", "archive_payloads", "archive_gone"),
        # Filled by a migration alone.
        "plain_units",
    }
    assert before["work"] > 0
    assert before["embeddings"] > 0
    with ledger.writing() as writing:
        if gone == "story":
            writing.delete_story("s")
        else:
            writing.delete_user("u")
    assert not any(_counts(ledger, [own, *talks]).values())
    assert _counts(ledger, kept) == others
    assert ledger.problems() == ()


def test_a_rename_takes_every_row_along(ledger: SqlLedger) -> None:
    with ledger.writing() as writing:
        _fill_everything(writing, "s", "u")
        _fill_everything(writing, "other", "v")
    spaces = (story_space("s"), user_space("u"), talk_space("s", "u", "e2"))
    kept = [story_space("other"), user_space("v"), talk_space("other", "v", "e2")]
    before, others = _counts(ledger, spaces), _counts(ledger, kept)
    with ledger.writing() as writing:
        writing.rename_story("s", "t")
        writing.rename_user("u", "w")
    assert not any(_counts(ledger, spaces).values())
    assert _counts(ledger, (story_space("t"), user_space("w"), talk_space("t", "w", "e2"))) == before
    assert _counts(ledger, kept) == others


def _log(ledger: SqlLedger) -> list[tuple[str, str]]:
    with ledger._pool.lent() as lent:
        rows = lent.driver.execute("SELECT token, unit FROM changes ORDER BY 1, 2").fetchall()
    return [(str(token), str(unit)) for token, unit in rows]


def test_the_change_log_names_a_space_by_its_token_alone(ledger: SqlLedger) -> None:
    """Random, another for each space and for one that is made again, and kept by a rename."""
    with ledger.writing() as writing:
        _fill_everything(writing, STORY_ID, USER_ID)
    with ledger._pool.lent() as lent:
        tokens = {
            str(space): str(token)
            for space, token in lent.driver.execute("SELECT space, token FROM spaces").fetchall()
        }
    assert len(set(tokens.values())) == len(tokens) == 3
    assert {token for token, _ in _log(ledger)} == set(tokens.values())
    said = "".join(token + unit for token, unit in _log(ledger))
    assert STORY_ID not in said
    assert USER_ID not in said
    assert all(len(token) == 32 and int(token, 16) >= 0 for token in tokens.values())
    with ledger.writing() as writing:
        writing.rename_user(USER_ID, "another")
    assert {token for token, _ in _log(ledger)} == set(tokens.values())
    with ledger.writing() as writing:
        writing.delete_user("another")
        writing.put_user(a_user("another"))
    again = {token for token, _ in _log(ledger)}
    assert tokens[story_space(STORY_ID)] in again
    assert tokens[user_space(USER_ID)] not in again
    assert tokens[talk_space(STORY_ID, USER_ID, "e2")] not in again


def _words_of_a_story(writing: Transaction) -> None:
    """Put a story whose texts, names and ids are like nothing else."""
    said = " ".join(STORY_WORDS)
    episode = an_episode(1, said * 300, episode_id=EPISODE_ID, title=said)
    writing.put_story(a_story(STORY_ID, title=said, extra={"note": said}))
    writing.put_character(STORY_ID, Character(character_id=HOLDER, aliases=(Alias(text=said),)))
    writing.put_episode(STORY_ID, episode, order_key=GAP)
    newer = replace(episode, text=said * 2, version=2)
    writing.put_episode(STORY_ID, newer, order_key=GAP)
    writing.put_facts(STORY_ID, EPISODE_ID, [Fact(fact_id="f", text=said, audience=PUBLIC, quote=said)])
    memories = [a_memory(STORY_ID, newer, n, text=f"{said} {n}", holder=HOLDER) for n in range(40)]
    remember(writing, STORY_ID, newer, [replace(one, text_hash=f"{n:064}") for n, one in enumerate(memories)])
    writing.put_traces([a_trace(STORY_ID)])
    step = Step(number=1, at="2024", summary=said, before={"text:x": said}, after={})
    writing.put_step(STORY_ID, step, keep=9)


def _words_of_a_user(writing: Transaction, space: str) -> None:
    turns = [
        a_turn(
            n,
            turn_id=f"{TURN_ID}{n}",
            session=SESSION,
            speaker=SPEAKER,
            text=" ".join((*USER_WORDS, str(n))),
            caption=" ".join(USER_WORDS),
        )
        for n in range(40)
    ]
    say(writing, space, turns)
    writing.put_uses(space, HOLDER, [TURN_ID], upto=9, at="2024")


def _bytes(folder: Path) -> bytes:
    """Read the store's files, the log and its index included."""
    files = sorted(folder.glob("store.db*"))
    assert files
    return b"".join(file.read_bytes() for file in files)


def _held(folder: Path, words: Sequence[str]) -> set[str]:
    data = _bytes(folder)
    return {
        word for word in words for how in ("utf-8", "utf-16-le", "unicode_escape") if word.encode(how) in data
    }


@pytest.mark.parametrize("gone", ["story", "user", "user with a rename"])
def test_no_word_of_what_was_deleted_is_left_in_the_files(
    ledger: SqlLedger, tmp_path: Path, gone: str
) -> None:
    """Neither a word nor an id of it, in Japanese or English, after `scrub`; what stays is there."""
    words = (*STORY_WORDS, STORY_ID, EPISODE_ID, HOLDER) if gone == "story" else (
        *USER_WORDS, USER_ID, TURN_ID, SESSION, SPEAKER,
    )  # fmt: skip
    with ledger.writing() as writing:
        fill(writing, "kept")
        if gone == "story":
            _words_of_a_story(writing)
        else:
            writing.put_user(a_user(USER_ID))
            writing.put_space(a_space(talk_space("kept", USER_ID, "e2")))
            _words_of_a_user(writing, user_space(USER_ID))
            _words_of_a_user(writing, talk_space("kept", USER_ID, "e2"))
            writing.put_traces([replace(a_trace("kept"), user=USER_ID, filter={"x": USER_WORDS[0]})])
    assert _held(tmp_path, words) == set(words), "else this test could not fail"
    with ledger.reading() as reading:
        spaces = [state.space for state in reading.spaces()]
        found = [reading.keywords.matching(("word",), gate=gate_of(s, "world"), top_k=9) for s in spaces]
        assert any(found)
    if gone == "user with a rename":
        with ledger.writing() as writing:
            writing.rename_user(USER_ID, "somebody")
            writing.delete_turns("user:somebody", [f"{TURN_ID}{n}" for n in range(0, 40, 2)])
    with ledger.writing() as writing:
        if gone == "story":
            writing.delete_story(STORY_ID)
        else:
            writing.delete_user(USER_ID if gone == "user" else "somebody")
    ledger.scrub()
    assert _held(tmp_path, words) == set()
    with ledger.reading() as reading:
        assert [story.story_id for story in reading.stories()] == ["kept"]
        assert len(reading.memories("story:kept")) == 4
    assert ledger.problems() == ()
    ledger.close()
    assert _held(tmp_path, words) == set()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_deleted_turn_leaves_no_word_in_the_files(ledger: SqlLedger, tmp_path: Path) -> None:
    """Nor does a turn that was changed: its former words are gone."""
    with ledger.writing() as writing:
        writing.put_user(a_user())
        turns = [a_turn(n, text=f"{word} {n}") for n, word in enumerate(USER_WORDS)]
        say(writing, "user:u", [*turns, a_turn(9, text="stays")])
    assert _held(tmp_path, USER_WORDS) == set(USER_WORDS)
    with ledger.writing() as writing:
        writing.delete_turns("user:u", [turn.turn_id for turn in turns[:2]])
        writing.put_turns("user:u", [replace(turn, text="changed 変えた") for turn in turns[2:]])
    ledger.scrub()
    assert _held(tmp_path, (*USER_WORDS, "stays", "変えた")) == {"stays", "変えた"}
