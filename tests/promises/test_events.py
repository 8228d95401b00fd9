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
from kataribe.face.sync.kataribe import Kataribe
from support.hits import fact_hits
from support.stores import empty_store, services

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
    with kataribe.open(str(empty_store(tmp_path / "s.db")), services=services()) as opened:
        for language in LANGUAGES:
            opened.story(language).create(language="ja" if language == "ja" else "en", embedder="hash")
        yield opened


def known(store: Kataribe, story: str, who: str, at: int | str = "now") -> dict[str, str]:
    """Give what somebody knows, by text, with who holds it."""
    found = store.known(story=story, persona=who, at=at)  # type: ignore[arg-type]
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
    done = store.story(story).episodes.put(no=1, text=TEXTS[story][1], facts=facts)
    assert (done.change, done.no) == ("new", 1)
    assert known(store, story, "mira", 2) == {secret: "mira", public: "world"}
    assert known(store, story, "king", 2) == {public: "world"}
    assert store.story(story).episodes.list()[0].fact_source is FactSource.SUPPLIED
    assert store.story(story).sync().done == 0
    assert store.story(story).verify().ok


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
    store.story(story).episodes.put(no=1, text=text, episode_id="e", facts=objects, annotations=notes)
    store.story(story).export(tmp_path / "one")
    again = store.story(story).episodes.put(no=1, text=text, facts=values, annotations=noted)
    assert again.change == "unchanged"
    report = store.story(story).import_folder(tmp_path / "one")
    assert (report.unchanged, report.facts) == (["e"], 2)
    with kataribe.open(str(empty_store(tmp_path / "other.db")), services=services()) as other:
        other.story(story).create(language="ja" if story == "ja" else "en", embedder="hash")
        other.story(story).episodes.put_many(
            [EpisodeInput(no=1, text=text, episode_id="e", facts=values, annotations=noted)],
        )
        other.story(story).export(tmp_path / "two")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_facts_left_out_stay_and_an_empty_list_removes_them(store: Kataribe) -> None:
    one, two, three = FACTS["en"]
    store.story("en").episodes.put(no=1, text="Old.", facts=[{"text": one, "known_by": "public"}])
    store.story("en").facts.add(episode_no=1, text=three)
    assert store.story("en").episodes.put(no=1, text="New.").change == "edited"
    store.story("en").sync()
    assert known(store, "en", "ann") == {one: "world", three: "world"}
    store.story("en").episodes.put(no=1, text="New.", facts=[{"text": two, "known_by": "public"}])
    assert known(store, "en", "ann") == {two: "world", three: "world"}
    assert store.story("en").episodes.put(no=1, text="New.", facts=[]).change == "edited"
    assert store.story("en").episodes.list()[0].fact_source is FactSource.EXTRACTED
    store.story("en").sync()
    assert two not in known(store, "en", "ann")
    assert three in known(store, "en", "ann"), "a fact made by hand stays"


def test_annotations_left_out_stay_and_an_empty_list_removes_them(store: Kataribe) -> None:
    text = "The bell rang at noon.\n\nThe crown is in the well, under the third stone."
    store.story("en").episodes.put(
        no=1, text=text, annotations=[{"paragraph_id": "1-2", "known_by": ["mira"]}]
    )
    store.story("en").sync()
    assert any("crown" in text for text in known(store, "en", "mira"))
    assert not any("crown" in text for text in known(store, "en", "king"))
    assert store.story("en").episodes.put(no=1, text=text).change == "unchanged"
    store.story("en").episodes.put(no=1, text=text, annotations=[])
    store.story("en").sync()
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
        store.story("en").import_folder(folder_of(tmp_path / "f", facts=line))
    with pytest.raises(kataribe.FormatError) as given:
        store.story("en").episodes.put(no=1, text="One.\n\nTwo.", facts=[row])
    assert said in given.value.reason
    assert given.value.reason == of_file.value.reason
    assert (given.value.file, given.value.line) == ("facts", 1)
    assert store.story("en").episodes.list() == ()


def test_what_the_ledger_refuses_of_a_row_is_said_in_the_words_of_the_importer(
    store: Kataribe, tmp_path: Path
) -> None:
    """A paragraph that is not there, the same words twice, an id of another episode's fact."""
    store.story("en").episodes.put(
        no=7, text="Seven.", facts=[{"fact_id": "f7", "text": "S", "known_by": "public"}]
    )
    twice = [{"text": "T", "known_by": "public"}, {"text": "T", "known_by": "public"}]
    taken = [{"fact_id": "f7", "text": "T", "known_by": "public"}]
    lost = [{"paragraph_id": "1-9", "known_by": ["a"]}]
    for at, (facts, notes) in enumerate(((twice, []), (taken, []), ([], lost))):
        lines = ["\n".join(json.dumps({"episode_no": 1, **one}) for one in rows) for rows in (facts, notes)]
        with pytest.raises(kataribe.FormatError) as of_file:
            store.story("en").import_folder(folder_of(tmp_path / str(at), *lines))
        with pytest.raises(kataribe.FormatError) as given:
            store.story("en").episodes.put(no=1, text="One.\n\nTwo.", facts=facts, annotations=notes)
        assert given.value.reason == of_file.value.reason
    assert [episode.no for episode in store.story("en").episodes.list()] == [7]


def test_a_row_that_names_another_episode_is_refused(store: Kataribe) -> None:
    row = {"episode_no": 2, "text": "T", "known_by": "public"}
    with pytest.raises(kataribe.FormatError, match="facts:1: it names episode 2, and comes with episode 1"):
        store.story("en").episodes.put(no=1, text="One.", facts=[row])
    note = VisibilityRow(episode_no=3, audience=known_by("a"))
    with pytest.raises(kataribe.FormatError, match="annotations:1: it names episode 3"):
        store.story("en").episodes.put(no=1, text="One.", annotations=[note])
    with pytest.raises(kataribe.FormatError, match="it names episode 2, and comes with episode 1"):
        store.story("en").tell("One.", facts=[row])
    assert store.story("en").episodes.list() == ()
    assert store.story("en").tell("One.", facts=[{**row, "episode_no": 1}]) == 1


@pytest.mark.parametrize(
    "rows", [{"text": "T"}, "text", 5, [3], [object()], [{"text": "T", "x": {1: object()}}]]
)
def test_what_is_no_list_of_rows_is_refused(store: Kataribe, rows: object) -> None:
    with pytest.raises(kataribe.InputError):
        store.story("en").episodes.put(no=1, text="One.", facts=rows)  # type: ignore[arg-type]
    assert store.story("en").episodes.list() == ()


def test_put_with_facts_is_one_step_that_can_be_taken_back(store: Kataribe) -> None:
    one, two, _ = FACTS["en"]
    store.story("en").episodes.put(no=1, text="The mill burned down in the night.")
    store.story("en").sync()
    before = known(store, "en", "ann")
    store.story("en").episodes.put(no=1, text="Now.", facts=[{"text": two, "known_by": ["ann"]}])
    store.story("en").undo()
    store.story("en").sync()
    assert known(store, "en", "ann") == before
    assert store.story("en").episodes.list()[0].fact_source is FactSource.EXTRACTED
    assert store.story("en").verify().ok
    store.story("en").tell("Then.", facts=[{"text": one, "known_by": ["ann"]}])
    store.story("en").undo()
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
        store.story("en").episodes.put_many(many(count), progress=stop)
    assert seen == [("en", PUT_TOGETHER, count)]
    assert len(store.story("en").episodes.list()) == PUT_TOGETHER, "what was told of is durable"
    done = store.story("en").episodes.put_many(many(count))
    assert [one.change for one in done] == ["unchanged"] * PUT_TOGETHER + ["new"] * 6
    steps, at = store.story("en").steps(), store.changes().cursor
    assert {one.change for one in store.story("en").episodes.put_many(many(count))} == {"unchanged"}
    assert (store.story("en").steps(), store.changes().cursor) == (steps, at), "nothing was written"
    store.story("en").sync()
    assert len(known(store, "en", "ann")) >= count // 2
    assert store.story("en").verify().ok


def test_a_bad_row_among_many_leaves_nothing_behind(store: Kataribe) -> None:
    given = many(PUT_TOGETHER + 6)
    given[-1] = {**given[-1], "facts": [{"text": "", "known_by": "public"}]}
    with pytest.raises(kataribe.FormatError, match=f"episode {PUT_TOGETHER + 6}, facts:1: text must not be"):
        store.story("en").episodes.put_many(given)
    assert store.story("en").episodes.list() == ()
    with pytest.raises(kataribe.InputError, match="episode 1 is already given"):
        store.story("en").episodes.put_many([many(1)[0], many(1)[0]])
    with pytest.raises(kataribe.InputError, match=r"episodes:1: .*'txt'"):
        store.story("en").episodes.put_many([{"no": 1, "txt": "One."}])


# -- facts by hand --------------------------------------------------------------------------


@pytest.mark.parametrize("story", LANGUAGES)
def test_many_facts_are_added_at_once_and_taken_back_at_once(store: Kataribe, story: str) -> None:
    store.story(story).episodes.put_many([{"no": no, "text": TEXTS[story][no - 1]} for no in (1, 2, 3)])
    store.story(story).sync()
    before = known(store, story, "mira")
    rows = [
        {"episode_no": 1 + at % 3, "text": f"{FACTS[story][at % 3]} {at}", "known_by": ["mira"]}
        for at in range(30)
    ]
    ids = store.story(story).facts.add_many(rows)
    assert len(set(ids)) == 30
    assert known(store, story, "mira").keys() == before.keys() | {str(row["text"]) for row in rows}
    assert {fact.origin for fact in store.story(story).facts.list() if fact.fact_id in ids} == {
        FactOrigin.HAND
    }
    assert store.story(story).sync().done == 0, "they are in memory already"
    assert len(store.story(story).steps()) == 4
    store.story(story).undo()
    store.story(story).sync()
    assert known(store, story, "mira") == before


def test_facts_added_at_once_are_all_there_or_none(store: Kataribe) -> None:
    store.story("en").tell("One.", facts=[])
    good = {"episode_no": 1, "text": "Good.", "known_by": "public"}
    for bad, error, said in (
        ({"episode_no": 9, "text": "T", "known_by": "public"}, kataribe.NotFoundError, "no episode 9"),
        (good, kataribe.ConflictError, "there is a fact"),
        ({"text": "T", "known_by": "public"}, kataribe.InputError, "facts:2: the field 'episode_no'"),
    ):
        with pytest.raises(error, match=said):
            store.story("en").facts.add_many([good, bad])
        assert store.story("en").facts.list() == ()
    assert store.story("en").facts.add_many([]) == ()


@pytest.mark.parametrize("story", LANGUAGES)
def test_the_same_words_come_to_be_known_by_more(store: Kataribe, story: str) -> None:
    """Where they would be refused: of a fact made by hand, a supplied one, and what the text says."""
    said, supplied = TEXTS[story][1], FACTS[story][0]
    store.story(story).cast.put([kataribe.Character(character_id=who) for who in ("mira", "king")])
    store.story(story).episodes.put(no=1, text=said, annotations=[{"known_by": ["mira"]}])
    store.story(story).episodes.put(no=2, text="2", facts=[{"text": supplied, "known_by": ["mira"]}])
    store.story(story).sync()
    assert known(store, story, "mira")[said] == "mira"
    rows = [
        {"episode_no": 1, "text": said, "known_by": ["king"]},
        {"episode_no": 2, "text": supplied, "known_by": ["king"]},
        {"episode_no": 2, "text": FACTS[story][2], "known_by": ["king"]},
        {"episode_no": 2, "text": FACTS[story][2], "known_by": ["mira"]},
    ]
    for row in rows[:2]:
        with pytest.raises(kataribe.ConflictError):
            store.story(story).facts.add_many([row])
    ids = store.story(story).facts.add_many(rows, widen=True)
    assert ids[2] == ids[3]
    for who in ("mira", "king"):
        assert known(store, story, who).keys() >= {said, supplied, FACTS[story][2]}
    assert not known(store, story, "stranger").keys() & {said, supplied}
    at = store.changes().cursor
    assert store.story(story).facts.add_many(rows, widen=True) == ids, "again is harmless"
    assert store.changes().cursor == at
    wide = store.story(story).facts.add(episode_no=2, text=supplied, widen=True)
    assert wide == ids[1]
    assert known(store, story, "stranger")[supplied] == "world"
    assert store.story(story).sync().done == 0
    assert store.story(story).verify().ok


def test_who_gains_a_fact_is_not_shown_a_quote_that_says_more(store: Kataribe) -> None:
    text = "Mira hid the crown in the well, and then she wept."
    row = {"episode_no": 1, "text": "The crown is hidden.", "quote": text, "known_by": ["mira"]}
    store.story("en").tell(text)
    store.story("en").facts.add_many([row])
    more = {**row, "quote": None, "known_by": ["king"]}
    with pytest.raises(kataribe.UnconfirmedError, match="give the row that quote if they may"):
        store.story("en").facts.add_many([more], widen=True)
    store.story("en").facts.add_many([{**more, "quote": text}], widen=True)
    store.story("en").sync()
    known = fact_hits(store.known(story="en", persona="king", at=2).hits)
    assert {hit.quote for hit in known} >= {text}


# -- telling --------------------------------------------------------------------------------


@pytest.mark.parametrize("story", LANGUAGES)
def test_what_is_told_gets_the_number_after_the_highest_ever_used(store: Kataribe, story: str) -> None:
    assert store.story(story).tell(TEXTS[story][0]) == 1
    store.story(story).episodes.put(no=5, text=TEXTS[story][1])
    assert store.story(story).tell(TEXTS[story][2]) == 6
    store.story(story).episodes.delete(no=6)
    assert store.story(story).tell(TEXTS[story][2], title="T") == 7
    assert [e.title for e in store.story(story).episodes.list() if e.no == 7] == ["T"]
    store.story(story).branches.add("if", after=5)
    assert store.story("if").tell(TEXTS[story][0]) == 6, "after the fork, and no number of the parent's"
    store.story(story).branches.add("bare", after=1)
    assert store.story("bare").tell(TEXTS[story][0]) == 2


@pytest.mark.parametrize("story", LANGUAGES)
def test_what_is_told_with_facts_is_in_memory_and_text_alone_waits(store: Kataribe, story: str) -> None:
    secret = FACTS[story][0]
    no = store.story(story).tell(TEXTS[story][1], facts=[{"text": secret, "known_by": ["mira"]}])
    found = store.recall(secret, story=story, persona="mira", at="now")
    assert [hit.text for hit in found.hits] == [secret]
    assert (found.viewer.at, found.pending_episodes) == (no + 1, ())
    assert store.recall(secret, story=story, persona="king", at="now").hits == ()
    store.story(story).tell(TEXTS[story][2])
    assert store.known(story=story, persona="mira", at="now").pending_episodes == (no + 1,)
    store.story(story).sync()
    assert store.known(story=story, persona="mira", at="now").pending_episodes == ()


def test_telling_again_under_the_same_id_is_harmless(store: Kataribe) -> None:
    facts = [{"text": FACTS["en"][0], "known_by": ["mira"]}]
    notes = [{"known_by": ["mira"]}]
    asked = {"facts": facts, "annotations": notes, "episode_id": "day-1", "title": "Day"}
    assert store.story("en").tell("One.", **asked) == 1  # type: ignore[arg-type]
    assert store.story("en").tell("Two.", episode_id="day-2") == 2
    at, steps = store.changes().cursor, store.story("en").steps()
    assert store.story("en").tell("One.", **asked) == 1  # type: ignore[arg-type]
    assert store.story("en").tell("Two.", episode_id="day-2", facts=[]) == 2
    assert (store.changes().cursor, store.story("en").steps()) == (at, steps)
    for change in (
        {"title": None},
        {"facts": None},
        {"facts": [{"text": "Other.", "known_by": ["mira"]}]},
        {"annotations": None},
    ):
        with pytest.raises(kataribe.ConflictError, match="'day-1' was told as number 1 and says something"):
            store.story("en").tell("One.", **{**asked, **change})  # type: ignore[arg-type]
    with pytest.raises(kataribe.ConflictError, match="says something else"):
        store.story("en").tell("Another.", episode_id="day-2")
    store.story("en").episodes.delete(no=2)
    with pytest.raises(kataribe.ConflictError, match="was told and is deleted"):
        store.story("en").tell("Two.", episode_id="day-2")


def test_tellers_at_the_same_time_get_different_numbers(tmp_path: Path) -> None:
    """From threads of one program and of two."""
    path = str(empty_store(tmp_path / "s.db"))
    numbers: list[int] = []
    with (
        kataribe.open(path, services=services()) as one,
        kataribe.open(path, services=services()) as other,
    ):
        one.story("en").create(language="en", embedder="hash")

        def tell(store: Kataribe, who: int) -> None:
            for at in range(4):
                facts = [{"text": f"{who} did {at}.", "known_by": [f"c{who}"]}]
                numbers.append(store.story("en").tell(f"{who}: {at}", facts=facts))

        threads = [threading.Thread(target=tell, args=((one, other)[who % 2], who)) for who in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(numbers) == list(range(1, 25))
        for who in range(6):
            assert len(known(one, "en", f"c{who}")) == 4
        assert one.story("en").verify().ok


def test_a_model_is_not_asked_before_what_is_told_is_durable(tmp_path: Path) -> None:
    """P5: with an embedder on a network the facts wait for a sync, and an outage loses nothing."""

    base = services()
    away: Any = SimpleNamespace(embedder_id="away-1", dimensions=4, is_lexical=False, is_remote=True)
    own = replace(base, embedder=lambda name: away if name == "away" else base.embedder(name))
    with kataribe.open(str(empty_store(tmp_path / "s.db")), services=own) as store:
        store.story("en").create(language="en", embedder="away")
        assert store.story("en").tell("One.", facts=[{"text": "T", "known_by": "public"}]) == 1
        assert store.story("en").episodes.list()[0].is_pending


# -- now ------------------------------------------------------------------------------------


def test_now_is_the_number_after_the_last_live_episode(store: Kataribe) -> None:
    asked = {"story": "en", "persona": "ann", "at": "now"}
    assert store.known(**asked).viewer.at == 1  # type: ignore[arg-type]
    for no in (1, 4):
        store.story("en").episodes.put(no=no, text=f"{no}.", facts=[{"text": f"F{no}", "known_by": "public"}])
    assert store.known(**asked).viewer.at == 5  # type: ignore[arg-type]
    store.story("en").branches.add("if", after=1)
    assert store.known(**{**asked, "story": "if"}).viewer.at == 2  # type: ignore[arg-type]
    store.story("if").tell("Else.", facts=[{"text": "E", "known_by": "public"}])
    assert known(store, "if", "ann") == {"F1": "world", "E": "world"}
    store.story("en").episodes.delete(no=4)
    assert store.known(**asked).viewer.at == 2  # type: ignore[arg-type]
    assert store.admin.traces(story="en", last=1)[0].episode_no == 2


@pytest.mark.parametrize("story", LANGUAGES)
def test_now_answers_as_its_number_does(store: Kataribe, story: str) -> None:
    """P2 at the resolved number: for every verb that reads for a viewer, byte for byte."""
    for text, fact in zip(TEXTS[story], FACTS[story], strict=True):
        store.story(story).tell(text, facts=[{"text": fact, "known_by": ["mira"]}])
    now, then = ({"story": story, "persona": "mira", "at": at} for at in ("now", 4))
    question = FACTS[story][0]
    assert store.recall(question, **now) == store.recall(question, **then)  # type: ignore[arg-type]
    assert store.known(**now) == store.known(**then)  # type: ignore[arg-type]
    assert store.context(question, **now) == store.context(question, **then)  # type: ignore[arg-type]
    assert store.answer(question, **now) == store.answer(question, **then)  # type: ignore[arg-type]
    tool = store.viewer(**now).recall_tool()  # type: ignore[arg-type]
    assert tool(query=question) == store.viewer(**then).recall_tool()(query=question)  # type: ignore[arg-type]
    used = store.known(**then).hits[0].id  # type: ignore[arg-type]
    assert store.viewer(**now).report_use([used]) == 1  # type: ignore[arg-type]
    with pytest.raises(kataribe.InputError):
        store.known(**{**now, "at": "soon"})  # type: ignore[arg-type]


def test_now_is_looked_up_in_the_read_that_answers(store: Kataribe) -> None:
    """Whoever asked before is told of what came since, though the question is embedded as it was then."""
    asked = {"story": "en", "persona": "mira", "at": "now"}
    for at, fact in enumerate(FACTS["en"], start=1):
        assert store.recall(fact, **asked).viewer.at == at  # type: ignore[arg-type]
        store.story("en").tell("T", facts=[{"text": fact, "known_by": ["mira"]}])
        assert fact in {hit.text for hit in store.recall(fact, **asked).hits}  # type: ignore[arg-type]


# -- what has changed -----------------------------------------------------------------------


def test_a_program_is_told_what_has_changed_since_it_asked(store: Kataribe) -> None:
    first = store.changes()
    assert store.changes(first.cursor).changes == ()
    store.story("en").tell("One.", facts=[{"text": "A", "known_by": "public"}], episode_id="e1")
    store.story("ja").tell("二。", facts=[{"text": "B", "known_by": "public"}], episode_id="e2")
    found = store.changes(first.cursor)
    assert [(one.space, one.unit) for one in found.changes] == [("story:en", "e1"), ("story:ja", "e2")]
    assert all(first.cursor < one.revision <= found.cursor for one in found.changes)
    assert [one.unit for one in store.changes(first.cursor, story="ja").changes] == ["e2"]
    store.story("en").episodes.put(no=1, text="One, anew.")
    hidden = store.changes(found.cursor)
    assert [(one.space, one.unit) for one in hidden.changes] == [("story:en", "e1")]
    store.story("en").sync()
    assert [one.unit for one in store.changes(hidden.cursor, story="en").changes] == ["e1"]
    assert store.changes(store.changes().cursor).changes == ()
    for wrong in (-1, True, "x", store.changes().cursor + 1):
        with pytest.raises(kataribe.InputError):
            store.changes(wrong)  # type: ignore[arg-type]
    with pytest.raises(kataribe.NotFoundError):
        store.changes(0, story="nix")


def test_a_moment_that_is_no_number_and_not_now_is_refused_with_both(store: Kataribe) -> None:
    wrong: Any = "soon"
    with pytest.raises(kataribe.InputError, match="from 1 on, or 'now', not 'soon'"):
        store.known(story="en", persona="ann", at=wrong)
