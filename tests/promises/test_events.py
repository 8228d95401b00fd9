"""Events as they happen: an episode comes with its facts, is told, and what has changed can be asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kataribe
from kataribe import Audience, EpisodeInput, FactOrigin, FactRow, FactSource, VisibilityRow, known_by
from kataribe.engine.events import PUT_TOGETHER
from kataribe.face import Kataribe
from support.stores import empty_store, engines

TEXTS = {
    "en": ("The king rode out at dawn.", "Mira hid the crown in the well.", "The well ran dry."),
    "ja": ("王は夜明けに馬で出た。", "ミラは冠を井戸に隠した。", "井戸は涸れた。"),
}
FACTS = {
    "en": ("The crown lies in the well.", "The king is gone.", "The gate is open."),
    "ja": ("冠は井戸の中にある。", "王はいない。", "門は開いている。"),
}
LANGUAGES = ("en", "ja")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "s.db")), engines=engines()) as opened:
        for language in LANGUAGES:
            opened.add_story(language, language="ja" if language == "ja" else "en", embedder="hash")
        yield opened


def known(store: Kataribe, story: str, who: str, at: int | str = "now") -> dict[str, str]:
    """Give what somebody knows, by text, with who holds it."""
    found = store.known(story_id=story, character=who, at=at)  # type: ignore[arg-type]
    return {hit.text: hit.character_id for hit in found.hits}


def folder_of(path: Path, facts: str = "", visibility: str = "", text: str = "One.\n\nTwo.") -> Path:
    path.mkdir()
    episode = f'{{"episode_no": 1, "text": {text!r}}}'.replace("'", '"')
    (path / "episodes.jsonl").write_text(episode + "\n", encoding="utf-8")
    if facts:
        (path / "facts.jsonl").write_text(facts + "\n", encoding="utf-8")
    if visibility:
        (path / "visibility.jsonl").write_text(visibility + "\n", encoding="utf-8")
    return path


# -- an episode with its rows ---------------------------------------------------------------


@pytest.mark.parametrize("story", LANGUAGES)
def test_an_episode_is_in_memory_with_its_facts_when_it_is_put(store: Kataribe, story: str) -> None:
    secret, public, _ = FACTS[story]
    facts: list[Mapping[str, object]] = [
        {"text": secret, "known_by": ["mira"]},
        {"text": public, "visibility": "public"},
    ]
    done = store.put_episode(story, no=1, text=TEXTS[story][1], facts=facts)
    assert (done.change, done.no) == ("new", 1)
    assert known(store, story, "mira", 2) == {secret: "mira", public: "world"}
    assert known(store, story, "king", 2) == {public: "world"}
    assert store.episodes(story)[0].fact_source is FactSource.SUPPLIED
    assert store.sync(story).done == 0
    assert store.verify(story).ok


@pytest.mark.parametrize("story", LANGUAGES)
def test_rows_handed_in_say_what_rows_of_files_say(store: Kataribe, story: str, tmp_path: Path) -> None:
    """An object, a value, and a file give the same store."""
    text, (secret, public, _) = "\n\n".join(TEXTS[story]), FACTS[story]
    objects = [
        {"fact_id": "f1", "text": secret, "known_by": ("mira",), "importance": 4, "quote": TEXTS[story][1]},
        {"fact_id": "f2", "text": public, "known_by": Audience(world=True), "arousal": 0.5, "mood": "calm"},
    ]
    values = [
        FactRow(
            fact_id="f1",
            episode_no=1,
            text=secret,
            audience=known_by("mira"),
            importance=4,
            quote=TEXTS[story][1],
        ),
        FactRow(
            fact_id="f2",
            episode_no=1,
            text=public,
            audience=Audience(world=True),
            arousal=0.5,
            extra={"mood": "calm"},
        ),
    ]
    notes = [{"paragraph_id": "1-2", "known_by": ["mira"]}]
    noted = [VisibilityRow(episode_no=1, paragraph_id="1-2", audience=known_by("mira"))]
    store.put_episode(story, no=1, text=text, episode_id="e", facts=objects, annotations=notes)
    store.export_story(tmp_path / "one", story_id=story)
    again = store.put_episode(story, no=1, text=text, facts=values, annotations=noted)
    assert again.change == "unchanged"
    report = store.import_story(tmp_path / "one", story_id=story)
    assert (report.unchanged, report.facts) == (["e"], 2)
    with kataribe.open(str(empty_store(tmp_path / "other.db")), engines=engines()) as other:
        other.add_story(story, language="ja" if story == "ja" else "en", embedder="hash")
        other.put_episodes(
            story,
            [EpisodeInput(no=1, text=text, episode_id="e", facts=values, annotations=noted)],
        )
        other.export_story(tmp_path / "two", story_id=story)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_facts_left_out_stay_and_an_empty_list_removes_them(store: Kataribe) -> None:
    one, two, three = FACTS["en"]
    store.put_episode("en", no=1, text="Old.", facts=[{"text": one, "known_by": "public"}])
    store.add_fact("en", episode_no=1, text=three)
    assert store.put_episode("en", no=1, text="New.").change == "edited"
    store.sync("en")
    assert known(store, "en", "ann") == {one: "world", three: "world"}
    store.put_episode("en", no=1, text="New.", facts=[{"text": two, "known_by": "public"}])
    assert known(store, "en", "ann") == {two: "world", three: "world"}
    assert store.put_episode("en", no=1, text="New.", facts=[]).change == "edited"
    assert store.episodes("en")[0].fact_source is FactSource.EXTRACTED
    store.sync("en")
    assert two not in known(store, "en", "ann")
    assert three in known(store, "en", "ann"), "a fact made by hand stays"


def test_annotations_left_out_stay_and_an_empty_list_removes_them(store: Kataribe) -> None:
    text = "The bell rang at noon.\n\nThe crown is in the well, under the third stone."
    store.put_episode("en", no=1, text=text, annotations=[{"paragraph_id": "1-2", "known_by": ["mira"]}])
    store.sync("en")
    assert any("crown" in text for text in known(store, "en", "mira"))
    assert not any("crown" in text for text in known(store, "en", "king"))
    assert store.put_episode("en", no=1, text=text).change == "unchanged"
    store.put_episode("en", no=1, text=text, annotations=[])
    store.sync("en")
    assert any("crown" in text for text in known(store, "en", "king"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"known_by": ["a"]}, "the field 'text' is missing"),
        ({"text": "T", "known_by": ["a"], "visibility": "public"}, "it is public but known_by names"),
        ({"text": "T", "visibility": "secret"}, "a secret known by nobody is refused"),
        ({"text": "T", "known_by": ["a"], "importance": 6}, "importance must be a whole number from 1 to 5"),
        ({"text": "T", "known_by": "public", "fact_id": "a:b"}, "fact id 'a:b' holds ':'"),
    ],
)
def test_a_bad_row_is_refused_in_the_words_of_the_importer(
    store: Kataribe, tmp_path: Path, row: dict[str, object], said: str
) -> None:
    line = json.dumps({"episode_no": 1, **row})
    with pytest.raises(kataribe.FormatError) as of_file:
        store.import_story(folder_of(tmp_path / "f", facts=line), story_id="en")
    with pytest.raises(kataribe.FormatError) as given:
        store.put_episode("en", no=1, text="One.\n\nTwo.", facts=[row])
    assert said in given.value.reason
    assert given.value.reason == of_file.value.reason
    assert (given.value.file, given.value.line) == ("facts", 1)
    assert store.episodes("en") == ()


def test_what_the_ledger_refuses_of_a_row_is_said_in_the_words_of_the_importer(
    store: Kataribe, tmp_path: Path
) -> None:
    """A paragraph that is not there, the same words twice, an id of another episode's fact."""
    store.put_episode("en", no=7, text="Seven.", facts=[{"fact_id": "f7", "text": "S", "known_by": "public"}])
    twice = [{"text": "T", "known_by": "public"}, {"text": "T", "known_by": "public"}]
    taken = [{"fact_id": "f7", "text": "T", "known_by": "public"}]
    lost = [{"paragraph_id": "1-9", "known_by": ["a"]}]
    for at, (facts, notes) in enumerate(((twice, []), (taken, []), ([], lost))):
        lines = ["\n".join(json.dumps({"episode_no": 1, **one}) for one in rows) for rows in (facts, notes)]
        with pytest.raises(kataribe.FormatError) as of_file:
            store.import_story(folder_of(tmp_path / str(at), *lines), story_id="en")
        with pytest.raises(kataribe.FormatError) as given:
            store.put_episode("en", no=1, text="One.\n\nTwo.", facts=facts, annotations=notes)
        assert given.value.reason == of_file.value.reason
    assert [episode.no for episode in store.episodes("en")] == [7]


def test_a_row_that_names_another_episode_is_refused(store: Kataribe) -> None:
    row = {"episode_no": 2, "text": "T", "known_by": "public"}
    with pytest.raises(kataribe.FormatError, match="facts:1: it names episode 2, and comes with episode 1"):
        store.put_episode("en", no=1, text="One.", facts=[row])
    note = VisibilityRow(episode_no=3, audience=known_by("a"))
    with pytest.raises(kataribe.FormatError, match="annotations:1: it names episode 3"):
        store.put_episode("en", no=1, text="One.", annotations=[note])
    with pytest.raises(kataribe.FormatError, match="it names episode 2, and comes with episode 1"):
        store.tell("en", "One.", facts=[row])
    assert store.episodes("en") == ()
    assert store.tell("en", "One.", facts=[{**row, "episode_no": 1}]) == 1


@pytest.mark.parametrize(
    "rows", [{"text": "T"}, "text", 5, [3], [object()], [{"text": "T", "x": {1: object()}}]]
)
def test_what_is_no_list_of_rows_is_refused(store: Kataribe, rows: object) -> None:
    with pytest.raises(kataribe.InputError):
        store.put_episode("en", no=1, text="One.", facts=rows)  # type: ignore[arg-type]
    assert store.episodes("en") == ()


def test_put_with_facts_is_one_step_that_can_be_taken_back(store: Kataribe) -> None:
    one, two, _ = FACTS["en"]
    store.put_episode("en", no=1, text="The mill burned down in the night.")
    store.sync("en")
    before = known(store, "en", "ann")
    store.put_episode("en", no=1, text="Now.", facts=[{"text": two, "known_by": ["ann"]}])
    store.undo("en")
    store.sync("en")
    assert known(store, "en", "ann") == before
    assert store.episodes("en")[0].fact_source is FactSource.EXTRACTED
    assert store.verify("en").ok
    store.tell("en", "Then.", facts=[{"text": one, "known_by": ["ann"]}])
    store.undo("en")
    assert known(store, "en", "ann") == before


# -- many at once ---------------------------------------------------------------------------


def many(count: int) -> list[dict[str, object]]:
    return [
        {
            "no": no,
            "text": f"Chapter {no}.",
            "facts": [{"text": f"Ann found stone {no}.", "known_by": ["ann"]}] if no % 2 else None,
        }
        for no in range(1, count + 1)
    ]


def test_an_interrupted_put_of_many_goes_on_where_it_stopped(store: Kataribe) -> None:
    count = PUT_TOGETHER + 6
    seen: list[tuple[str, int, int]] = []

    def stop(name: str, done: int, of: int) -> None:
        seen.append((name, done, of))
        raise OSError("stopped")

    with pytest.raises(OSError, match="stopped"):
        store.put_episodes("en", many(count), progress=stop)
    assert seen == [("en", PUT_TOGETHER, count)]
    assert len(store.episodes("en")) == PUT_TOGETHER, "what was told of is durable"
    done = store.put_episodes("en", many(count))
    assert [one.change for one in done] == ["unchanged"] * PUT_TOGETHER + ["new"] * 6
    steps, at = store.undo_list("en"), store.changes().cursor
    assert {one.change for one in store.put_episodes("en", many(count))} == {"unchanged"}
    assert (store.undo_list("en"), store.changes().cursor) == (steps, at), "nothing was written"
    store.sync("en")
    assert len(known(store, "en", "ann")) >= count // 2
    assert store.verify("en").ok


def test_a_bad_row_among_many_leaves_nothing_behind(store: Kataribe) -> None:
    given = many(PUT_TOGETHER + 6)
    given[-1] = {**given[-1], "facts": [{"text": "", "known_by": "public"}]}
    with pytest.raises(kataribe.FormatError, match=f"episode {PUT_TOGETHER + 6}, facts:1: text must not be"):
        store.put_episodes("en", given)
    assert store.episodes("en") == ()
    with pytest.raises(kataribe.InputError, match="episode 1 is already given"):
        store.put_episodes("en", [many(1)[0], many(1)[0]])
    with pytest.raises(kataribe.InputError, match=r"episodes:1: .*'txt'"):
        store.put_episodes("en", [{"no": 1, "txt": "One."}])


# -- facts by hand --------------------------------------------------------------------------


@pytest.mark.parametrize("story", LANGUAGES)
def test_many_facts_are_added_at_once_and_taken_back_at_once(store: Kataribe, story: str) -> None:
    store.put_episodes(story, [{"no": no, "text": TEXTS[story][no - 1]} for no in (1, 2, 3)])
    store.sync(story)
    before = known(store, story, "mira")
    rows = [
        {"episode_no": 1 + at % 3, "text": f"{FACTS[story][at % 3]} {at}", "known_by": ["mira"]}
        for at in range(30)
    ]
    ids = store.add_facts(story, rows)
    assert len(set(ids)) == 30
    assert known(store, story, "mira").keys() == before.keys() | {str(row["text"]) for row in rows}
    assert {fact.origin for fact in store.facts(story) if fact.fact_id in ids} == {FactOrigin.HAND}
    assert store.sync(story).done == 0, "they are in memory already"
    assert len(store.undo_list(story)) == 4
    store.undo(story)
    store.sync(story)
    assert known(store, story, "mira") == before


def test_facts_added_at_once_are_all_there_or_none(store: Kataribe) -> None:
    store.tell("en", "One.", facts=[])
    good = {"episode_no": 1, "text": "Good.", "known_by": "public"}
    for bad, error, said in (
        ({"episode_no": 9, "text": "T", "known_by": "public"}, kataribe.NotFoundError, "no episode 9"),
        (good, kataribe.ConflictError, "there is a fact"),
        ({"text": "T", "known_by": "public"}, kataribe.InputError, "facts:2: the field 'episode_no'"),
    ):
        with pytest.raises(error, match=said):
            store.add_facts("en", [good, bad])
        assert store.facts("en") == ()
    assert store.add_facts("en", []) == ()


@pytest.mark.parametrize("story", LANGUAGES)
def test_the_same_words_come_to_be_known_by_more(store: Kataribe, story: str) -> None:
    """Where they would be refused: of a fact made by hand, a supplied one, and what the text says."""
    said, supplied = TEXTS[story][1], FACTS[story][0]
    store.put_cast(story, [kataribe.Character(character_id=who) for who in ("mira", "king")])
    store.put_episode(story, no=1, text=said, annotations=[{"known_by": ["mira"]}])
    store.put_episode(story, no=2, text="2", facts=[{"text": supplied, "known_by": ["mira"]}])
    store.sync(story)
    assert known(store, story, "mira")[said] == "mira"
    rows = [
        {"episode_no": 1, "text": said, "known_by": ["king"]},
        {"episode_no": 2, "text": supplied, "known_by": ["king"]},
        {"episode_no": 2, "text": FACTS[story][2], "known_by": ["king"]},
        {"episode_no": 2, "text": FACTS[story][2], "known_by": ["mira"]},
    ]
    for row in rows[:2]:
        with pytest.raises(kataribe.ConflictError):
            store.add_facts(story, [row])
    ids = store.add_facts(story, rows, widen=True)
    assert ids[2] == ids[3]
    for who in ("mira", "king"):
        assert known(store, story, who).keys() >= {said, supplied, FACTS[story][2]}
    assert not known(store, story, "stranger").keys() & {said, supplied}
    at = store.changes().cursor
    assert store.add_facts(story, rows, widen=True) == ids, "again is harmless"
    assert store.changes().cursor == at
    wide = store.add_fact(story, episode_no=2, text=supplied, widen=True)
    assert wide == ids[1]
    assert known(store, story, "stranger")[supplied] == "world"
    assert store.sync(story).done == 0
    assert store.verify(story).ok


def test_who_gains_a_fact_is_not_shown_a_quote_that_says_more(store: Kataribe) -> None:
    text = "Mira hid the crown in the well, and then she wept."
    row = {"episode_no": 1, "text": "The crown is hidden.", "quote": text, "known_by": ["mira"]}
    store.tell("en", text)
    store.add_facts("en", [row])
    more = {**row, "quote": None, "known_by": ["king"]}
    with pytest.raises(kataribe.UnconfirmedError, match="give the row that quote if they may"):
        store.add_facts("en", [more], widen=True)
    store.add_facts("en", [{**more, "quote": text}], widen=True)
    store.sync("en")
    assert {hit.quote for hit in store.known(story_id="en", character="king", at=2).hits} >= {text}


# -- telling --------------------------------------------------------------------------------


@pytest.mark.parametrize("story", LANGUAGES)
def test_what_is_told_gets_the_number_after_the_highest_ever_used(store: Kataribe, story: str) -> None:
    assert store.tell(story, TEXTS[story][0]) == 1
    store.put_episode(story, no=5, text=TEXTS[story][1])
    assert store.tell(story, TEXTS[story][2]) == 6
    store.delete_episode(story, no=6)
    assert store.tell(story, TEXTS[story][2], title="T") == 7
    assert [e.title for e in store.episodes(story) if e.no == 7] == ["T"]
    store.add_branch("if", of=story, after=5)
    assert store.tell("if", TEXTS[story][0]) == 6, "after the fork, and no number of the parent's"
    store.add_branch("bare", of=story, after=1)
    assert store.tell("bare", TEXTS[story][0]) == 2


@pytest.mark.parametrize("story", LANGUAGES)
def test_what_is_told_with_facts_is_in_memory_and_text_alone_waits(store: Kataribe, story: str) -> None:
    secret = FACTS[story][0]
    no = store.tell(story, TEXTS[story][1], facts=[{"text": secret, "known_by": ["mira"]}])
    found = store.recall(secret, story_id=story, character="mira", at="now")
    assert [hit.text for hit in found.hits] == [secret]
    assert (found.viewer.at, found.pending_episodes) == (no + 1, ())
    assert store.recall(secret, story_id=story, character="king", at="now").hits == ()
    store.tell(story, TEXTS[story][2])
    assert store.known(story_id=story, character="mira", at="now").pending_episodes == (no + 1,)
    store.sync(story)
    assert store.known(story_id=story, character="mira", at="now").pending_episodes == ()


def test_telling_again_under_the_same_id_is_harmless(store: Kataribe) -> None:
    facts = [{"text": FACTS["en"][0], "known_by": ["mira"]}]
    notes = [{"known_by": ["mira"]}]
    asked = {"facts": facts, "annotations": notes, "episode_id": "day-1", "title": "Day"}
    assert store.tell("en", "One.", **asked) == 1  # type: ignore[arg-type]
    assert store.tell("en", "Two.", episode_id="day-2") == 2
    at, steps = store.changes().cursor, store.undo_list("en")
    assert store.tell("en", "One.", **asked) == 1  # type: ignore[arg-type]
    assert store.tell("en", "Two.", episode_id="day-2", facts=[]) == 2
    assert (store.changes().cursor, store.undo_list("en")) == (at, steps)
    for change in (
        {"title": None},
        {"facts": None},
        {"facts": [{"text": "Other.", "known_by": ["mira"]}]},
        {"annotations": None},
    ):
        with pytest.raises(kataribe.ConflictError, match="'day-1' was told as number 1 and says something"):
            store.tell("en", "One.", **{**asked, **change})  # type: ignore[arg-type]
    with pytest.raises(kataribe.ConflictError, match="says something else"):
        store.tell("en", "Another.", episode_id="day-2")
    store.delete_episode("en", no=2)
    with pytest.raises(kataribe.ConflictError, match="was told and is deleted"):
        store.tell("en", "Two.", episode_id="day-2")


def test_tellers_at_the_same_time_get_different_numbers(tmp_path: Path) -> None:
    """From threads of one program and of two."""
    path = str(empty_store(tmp_path / "s.db"))
    numbers: list[int] = []
    with (
        kataribe.open(path, engines=engines()) as one,
        kataribe.open(path, engines=engines()) as other,
    ):
        one.add_story("en", language="en", embedder="hash")

        def tell(store: Kataribe, who: int) -> None:
            for at in range(4):
                facts = [{"text": f"{who} did {at}.", "known_by": [f"c{who}"]}]
                numbers.append(store.tell("en", f"{who}: {at}", facts=facts))

        threads = [threading.Thread(target=tell, args=((one, other)[who % 2], who)) for who in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(numbers) == list(range(1, 25))
        for who in range(6):
            assert len(known(one, "en", f"c{who}")) == 4
        assert one.verify("en").ok


def test_a_model_is_not_asked_before_what_is_told_is_durable(tmp_path: Path) -> None:
    """P5: with an embedder on a network the facts wait for a sync, and an outage loses nothing."""

    base = engines()
    away: Any = SimpleNamespace(embedder_id="away-1", dimensions=4, is_lexical=False, is_remote=True)
    own = replace(base, embedder=lambda name: away if name == "away" else base.embedder(name))
    with kataribe.open(str(empty_store(tmp_path / "s.db")), engines=own) as store:
        store.add_story("en", language="en", embedder="away")
        assert store.tell("en", "One.", facts=[{"text": "T", "known_by": "public"}]) == 1
        assert store.episodes("en")[0].is_pending


# -- now ------------------------------------------------------------------------------------


def test_now_is_the_number_after_the_last_live_episode(store: Kataribe) -> None:
    asked = {"story_id": "en", "character": "ann", "at": "now"}
    assert store.known(**asked).viewer.at == 1  # type: ignore[arg-type]
    for no in (1, 4):
        store.put_episode("en", no=no, text=f"{no}.", facts=[{"text": f"F{no}", "known_by": "public"}])
    assert store.known(**asked).viewer.at == 5  # type: ignore[arg-type]
    store.add_branch("if", of="en", after=1)
    assert store.known(**{**asked, "story_id": "if"}).viewer.at == 2  # type: ignore[arg-type]
    store.tell("if", "Else.", facts=[{"text": "E", "known_by": "public"}])
    assert known(store, "if", "ann") == {"F1": "world", "E": "world"}
    store.delete_episode("en", no=4)
    assert store.known(**asked).viewer.at == 2  # type: ignore[arg-type]
    assert store.traces("en", last=1)[0].episode_no == 2


@pytest.mark.parametrize("story", LANGUAGES)
def test_now_answers_as_its_number_does(store: Kataribe, story: str) -> None:
    """P2 at the resolved number: for every verb that reads for a viewer, byte for byte."""
    for text, fact in zip(TEXTS[story], FACTS[story], strict=True):
        store.tell(story, text, facts=[{"text": fact, "known_by": ["mira"]}])
    now, then = ({"story_id": story, "character": "mira", "at": at} for at in ("now", 4))
    question = FACTS[story][0]
    assert store.recall(question, **now) == store.recall(question, **then)  # type: ignore[arg-type]
    assert store.known(**now) == store.known(**then)  # type: ignore[arg-type]
    assert store.context(question, **now) == store.context(question, **then)  # type: ignore[arg-type]
    assert store.answer(question, **now) == store.answer(question, **then)  # type: ignore[arg-type]
    tool = store.recall_tool(**now)  # type: ignore[arg-type]
    assert tool(query=question) == store.recall_tool(**then)(query=question)  # type: ignore[arg-type]
    used = store.known(**then).hits[0].id  # type: ignore[arg-type]
    assert store.report_use([used], **now) == 1  # type: ignore[arg-type]
    with pytest.raises(kataribe.InputError):
        store.known(**{**now, "at": "soon"})  # type: ignore[arg-type]


def test_now_is_looked_up_in_the_read_that_answers(store: Kataribe) -> None:
    """Whoever asked before is told of what came since, though the question is embedded as it was then."""
    asked = {"story_id": "en", "character": "mira", "at": "now"}
    for at, fact in enumerate(FACTS["en"], start=1):
        assert store.recall(fact, **asked).viewer.at == at  # type: ignore[arg-type]
        store.tell("en", "T", facts=[{"text": fact, "known_by": ["mira"]}])
        assert fact in {hit.text for hit in store.recall(fact, **asked).hits}  # type: ignore[arg-type]


# -- what has changed -----------------------------------------------------------------------


def test_a_program_is_told_what_has_changed_since_it_asked(store: Kataribe) -> None:
    first = store.changes()
    assert store.changes(first.cursor).changes == ()
    store.tell("en", "One.", facts=[{"text": "A", "known_by": "public"}], episode_id="e1")
    store.tell("ja", "二。", facts=[{"text": "B", "known_by": "public"}], episode_id="e2")
    found = store.changes(first.cursor)
    assert [(one.space, one.unit) for one in found.changes] == [("story:en", "e1"), ("story:ja", "e2")]
    assert all(first.cursor < one.revision <= found.cursor for one in found.changes)
    assert [one.unit for one in store.changes(first.cursor, story_id="ja").changes] == ["e2"]
    store.put_episode("en", no=1, text="One, anew.")
    hidden = store.changes(found.cursor)
    assert [(one.space, one.unit) for one in hidden.changes] == [("story:en", "e1")]
    store.sync("en")
    assert [one.unit for one in store.changes(hidden.cursor, story_id="en").changes] == ["e1"]
    assert store.changes(store.changes().cursor).changes == ()
    for wrong in (-1, True, "x", store.changes().cursor + 1):
        with pytest.raises(kataribe.InputError):
            store.changes(wrong)  # type: ignore[arg-type]
    with pytest.raises(kataribe.NotFoundError):
        store.changes(0, story_id="nix")
