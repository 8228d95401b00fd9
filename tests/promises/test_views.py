"""The writer's views agree with what viewers are given: `why` with `known`, `diff` and `matrix` too."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import kataribe
from kataribe.domain.story.inputs import Alias, Character, NameKind
from kataribe.domain.story.views import Why, WhyStep
from kataribe.domain.terms import FactSource, known_by
from kataribe.face.sync.kataribe import Kataribe
from promises.test_machine import CAST, FACTS, LINES, MAX_NO, NAMES, VIEWERS, audiences
from support.model import Model, ModelEpisode
from support.stores import empty_store, services


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def viewer(character: str, at: int, story: str = "s") -> kataribe.Viewer:
    return kataribe.Viewer(story=story, persona=character, at=at)


def known_ids(store: Kataribe, character: str, at: int, story: str = "s") -> dict[str, str | None]:
    hits = store.known(story=story, persona=character, at=at).hits
    return {hit.fact_id: hit.superseded_by for hit in hits}


def holds(found: Why, known: dict[str, str | None]) -> None:
    """Hold one answer of `why` against what that viewer is given."""
    assert found.knows == (found.fact_id in known), found
    assert found.knows == (found.failed is None), "each reason against it is one for not knowing it"
    assert [check.step for check in found.checks] == [step for step in WhyStep if step != WhyStep.SAID_BY]
    assert found.superseded_by == known.get(found.fact_id)
    assert found.checks[-1].ok is (found.superseded_by is None)
    if found.knows:
        assert found.known_from is not None
        assert found.viewer.at is not None
        assert found.known_from <= found.viewer.at


def agrees(store: Kataribe, fact_id: str, character: str, at: int) -> Why:
    """Ask `why`, and hold the answer against `known`."""
    (found,) = store.story("s").views.why(viewer(character, at), fact_id=fact_id)
    holds(found, known_ids(store, character, at))
    return found


class Teller:
    """Makes a story of random rows, then edits it."""

    def __init__(self, language: str, draw: st.DataObject) -> None:
        self.draw = draw
        self.language = language
        self.model = Model(language=language)
        self.told = 0

    def text(self) -> str:
        lines = LINES[self.language]
        return "\n".join(self.draw.draw(st.lists(st.sampled_from(lines), min_size=1, max_size=4)))

    def tell(self, store: Kataribe, folder: Path) -> None:
        model = self.model
        for character_id in CAST[:2]:
            name = Alias(text=NAMES[self.language][character_id], kind=NameKind.NAME)
            model.cast[character_id] = Character(character_id=character_id, aliases=(name,))
        for no in range(1, self.draw.draw(st.integers(2, 4)) + 1):
            source = FactSource.SUPPLIED if self.draw.draw(st.booleans()) else FactSource.EXTRACTED
            model.episodes[f"e{no}"] = ModelEpisode(f"e{no}", no, self.text(), source)
            if self.draw.draw(st.integers(0, 3)) == 0:
                model.notes[f"e{no}"] = self.draw.draw(audiences)
        store.story("s").import_folder(model.write(folder))
        store.story("s").sync()
        for _ in range(self.draw.draw(st.integers(1, 6))):
            self.add(store)

    def add(self, store: Kataribe) -> str:
        live = [e.no for e in store.story("s").episodes.list() if e.is_live]
        ids = [None, *sorted({fact.fact_id for fact in store.story("s").facts.list()})]
        quote = self.draw.draw(st.sampled_from([None, LINES[self.language][0], "nowhere 何処"]))
        no = self.draw.draw(st.sampled_from(live))
        self.told += 1
        text = f"{self.draw.draw(st.sampled_from(FACTS[self.language]))} {self.told}"
        return store.story("s").facts.add(
            episode_no=no,
            text=text,
            audience=self.draw.draw(audiences),
            quote=quote,
            supersedes=self.draw.draw(st.sampled_from(ids)),
            told_from=self.draw.draw(st.sampled_from(ids)),
        )

    def edit(self, store: Kataribe) -> set[str]:
        """Change something, leave it unsynced half of the time; give the ids that were there before."""
        gone: set[str] = {fact.fact_id for fact in store.story("s").facts.list()}
        kind = self.draw.draw(st.sampled_from(["put", "delete", "strike", "insert", "nothing"]))
        live = [e.no for e in store.story("s").episodes.list() if e.is_live]
        no = self.draw.draw(st.sampled_from(live))
        if kind == "put":
            store.story("s").episodes.put(no=no, text=self.text())
        elif kind == "delete" and len(live) > 1:
            store.story("s").episodes.delete(no=no)
        elif kind == "insert":
            store.story("s").episodes.insert(no=no, text=self.text())
        elif kind == "strike" and gone:
            # A fact that names somebody new makes others stale, and what is stale is not struck out.
            store.story("s").sync()
            store.story("s").facts.delete(self.draw.draw(st.sampled_from(sorted(gone))))
        if self.draw.draw(st.booleans()):
            store.story("s").sync()
        return gone


@pytest.mark.parametrize("language", ["en", "ja"])
def test_why_agrees_with_known_whatever_is_edited(language: str) -> None:
    @settings(max_examples=8)
    @given(draw=st.data())
    def run(draw: st.DataObject) -> None:
        with tempfile.TemporaryDirectory(prefix="kataribe-views-") as folder:
            path = str(empty_store(Path(folder) / "k.db"))
            with kataribe.open(path, services=services()) as store:
                teller = Teller(language, draw)
                teller.tell(store, Path(folder) / "story")
                ids = teller.edit(store) | {fact.fact_id for fact in store.story("s").facts.list()}
                held(store, ids)
                everybody_and_each(store)

    run()


def held(store: Kataribe, ids: set[str]) -> None:
    """Ask of each fact there is or was, for every viewer, at several episodes."""
    for character in VIEWERS:
        known = {at: known_ids(store, character, at) for at in range(1, MAX_NO + 3)}
        for fact_id in sorted(ids):
            for at in (1, 3, MAX_NO + 2):
                try:
                    (found,) = store.story("s").views.why(viewer(character, at), fact_id=fact_id)
                except kataribe.NotFoundError:
                    # Deleted before a version of its episode that had it was ever put into memory.
                    assert all(fact_id not in told for told in known.values())
                    break
                holds(found, known[at])
            else:
                found_later(found, known)


def found_later(found: Why, known: dict[int, dict[str, str | None]]) -> None:
    """What is said of the future comes true, as things stand."""
    if found.known_from is not None:
        assert found.fact_id in known[found.known_from]
        assert found.known_from == 1 or found.fact_id not in known[found.known_from - 1]


def everybody_and_each(store: Kataribe) -> None:
    """The matrix adds up to what each knows, and two viewers differ by what each knows."""
    last = max((e.no for e in store.story("s").episodes.list() if e.is_live), default=0)
    matrix = store.story("s").views.matrix()
    rows = {row.holder: row for row in matrix.rows}
    for character in CAST:
        own = rows[character].counts if character in rows else {}
        for at in range(1, last + 2):
            hits = store.known(story="s", persona=character, at=at).hits
            theirs = [hit for hit in hits if hit.character_id == character]
            assert len(theirs) == sum(count for no, count in own.items() if no < at)
            assert len(hits) - len(theirs) == sum(n for no, n in rows["world"].counts.items() if no < at)
    assert sum(row.total for row in matrix.rows) == len(matrix.lines)
    for left in VIEWERS[1:]:
        ours = known_ids(store, left, last + 1)
        theirs_ids = known_ids(store, "ann", last)
        found = store.story("s").views.diff(viewer(left, last + 1), viewer("ann", max(last, 1)))
        assert {line.fact_id for line in found.only_left} == ours.keys() - theirs_ids.keys()
        assert {line.fact_id for line in found.only_right} == theirs_ids.keys() - ours.keys()
        for line in found.superseded:
            assert ours[line.fact_id] is None
            assert theirs_ids[line.fact_id] == line.superseded_by


# -- each reason by name -------------------------------------------------------------------


def two_episodes(store: Kataribe, *texts: str) -> None:
    store.story("s").create(language="ja", embedder="hash", audience="wide")
    for character_id, name in (("ann", "アン"), ("ben", "ベン")):
        alias = Alias(text=name, kind=NameKind.NAME)
        store.story("s").cast.add(Character(character_id=character_id, aliases=(alias,)))
    for no, text in enumerate(texts or ("アンは鍵を隠した。", "ベンは笑った。"), start=1):
        store.story("s").episodes.put(no=no, text=text)
    store.story("s").sync()


def first_failure(store: Kataribe, fact_id: str, character: str, at: int) -> tuple[WhyStep, str]:
    found = agrees(store, fact_id, character, at)
    assert not found.knows
    assert found.failed is not None
    return found.failed.step, found.failed.says


def test_a_secret_is_not_known_to_others_nor_too_early(store: Kataribe) -> None:
    two_episodes(store)
    fact = store.story("s").facts.add(episode_no=1, text="鍵は石の下。", audience=known_by("ann"))
    step, says = first_failure(store, fact, "ben", 2)
    assert (step, "ann" in says) == (WhyStep.HELD, True)
    assert first_failure(store, fact, "ann", 1)[0] is WhyStep.BEFORE
    assert agrees(store, fact, "ann", 1).known_from == 2
    assert agrees(store, fact, "ben", 9).known_from is None
    assert agrees(store, fact, "ann", 2).knows


def test_a_deleted_episode_says_so_and_a_pending_one_too(store: Kataribe) -> None:
    two_episodes(store)
    fact = store.story("s").facts.add(episode_no=1, text="鍵は石の下。", audience=known_by("ann"))
    store.story("s").episodes.put(no=1, text="アンは鍵を砂に隠した。")
    step, says = first_failure(store, fact, "ann", 3)
    assert (step, "kataribe sync --story s" in says) == (WhyStep.IN_MEMORY, True)
    store.story("s").episodes.delete(no=1)
    assert first_failure(store, fact, "ann", 3)[0] is WhyStep.LIVE


def test_what_the_text_no_longer_says_and_what_was_struck_out(store: Kataribe) -> None:
    two_episodes(store)
    told = next(fact for fact in store.story("s").facts.list(episode_no=1))
    store.story("s").episodes.put(no=1, text="アンは寝た。")
    store.story("s").sync()
    step, says = first_failure(store, told.fact_id, "ann", 3)
    assert (step, "version 1 of episode 1" in says) == (WhyStep.SOURCE, True)
    now = next(fact for fact in store.story("s").facts.list(episode_no=1))
    store.story("s").facts.delete(now.fact_id)
    store.story("s").sync()
    assert first_failure(store, now.fact_id, "ann", 3)[0] is WhyStep.SOURCE


def test_a_lost_quote_waits_in_review(store: Kataribe) -> None:
    two_episodes(store)
    fact = store.story("s").facts.add(
        episode_no=1, text="鍵は石の下。", audience=known_by("ann"), quote="どこにも無い"
    )
    step, says = first_failure(store, fact, "ann", 3)
    assert (step, "quote" in says) == (WhyStep.SETTLED, True)


def test_somebody_outside_the_cast_is_told_only_what_is_public(store: Kataribe) -> None:
    two_episodes(store)
    late = store.story("s").facts.add(episode_no=2, text="謎の男は狐だ。", audience=known_by("fox"))
    public = store.story("s").facts.add(episode_no=1, text="町には塔がある。", audience=kataribe.PUBLIC)
    store.story("s").sync()
    assert agrees(store, public, "fox", 2).knows
    assert agrees(store, late, "fox", 3).knows
    assert first_failure(store, public, "nobody", 1)[0] is WhyStep.BEFORE


def test_evidence_says_where_the_audience_comes_from(store: Kataribe) -> None:
    two_episodes(store, "アンは鍵を隠した。\n（誰も知らない）とアンは思った。", "ベンは笑った。")
    inner = next(fact for fact in store.story("s").facts.list(episode_no=1) if fact.reason.value == "inner")
    found = agrees(store, inner.fact_id, "ann", 2)
    assert found.evidence is not None
    assert (found.evidence.reason.value, found.evidence.quote_no) == ("inner", 1)
    assert found.evidence.quote == inner.quote
    told = store.story("s").facts.add(
        episode_no=2, text="ベンは聞いた。", audience=known_by("ben"), told_from=inner.fact_id
    )
    proof = agrees(store, told, "ben", 3).evidence
    assert proof is not None
    assert (proof.told_from, proof.told_text) == (inner.fact_id, inner.text)


def test_a_superseded_fact_is_known_and_marked(store: Kataribe) -> None:
    two_episodes(store)
    old = store.story("s").facts.add(episode_no=1, text="塔は高い。", audience=kataribe.PUBLIC)
    new = store.story("s").facts.add(
        episode_no=2, text="塔は倒れた。", audience=kataribe.PUBLIC, supersedes=old
    )
    before, after = agrees(store, old, "ann", 2), agrees(store, old, "ann", 3)
    assert (before.superseded_by, after.superseded_by) == (None, new)
    assert before.knows
    assert after.knows
    found = store.story("s").views.diff(viewer("ann", 2), viewer("ann", 3))
    assert [line.fact_id for line in found.superseded] == [old]
    assert new in {line.fact_id for line in found.only_right}


def test_a_text_finds_the_fact_whoever_holds_it(store: Kataribe) -> None:
    two_episodes(store)
    fact = store.story("s").facts.add(episode_no=1, text="合鍵は祠の裏にある。", audience=known_by("ann"))
    assert store.story("s").views.why(viewer("ben", 3), text="祠の合鍵")[0].fact_id == fact
    assert store.story("s").views.timeline(text="祠の合鍵").fact_id == fact
    with pytest.raises(kataribe.NotFoundError):
        store.story("s").views.why(viewer("ben", 3), text="zeppelin")
    with pytest.raises(kataribe.InputError):
        store.story("s").views.why(viewer("ben", 3), text="。")
    with pytest.raises(kataribe.InputError):
        store.story("s").views.why(viewer("ben", 3))
    with pytest.raises(kataribe.NotFoundError):
        store.story("s").views.why(viewer("ben", 3), fact_id="not there")


# -- timeline ------------------------------------------------------------------------------


def test_a_timeline_follows_the_tellings_both_ways(store: Kataribe, bundled: Path) -> None:
    store.story("y").import_folder(bundled / "yoimachi", only="facts")
    store.sync()
    asked_of_the_secret = store.story("y").views.timeline(fact_id="y005")
    asked_of_a_telling = store.story("y").views.timeline(fact_id="y033")
    assert asked_of_the_secret.learned == asked_of_a_telling.learned
    assert [(e.episode_no, e.fact_id, e.way.value) for e in asked_of_the_secret.events] == [
        (1, "y005", "fact"),
        (5, "y024", "telling"),
        (6, "y033", "telling"),
    ]
    for one in asked_of_the_secret.learned:
        told = [] if one.fact_id is None else [one.fact_id]
        assert told == [] or told[0] in known_ids(store, one.character_id, (one.episode_no or 0) + 1, "y")
    learned = {one.character_id: one.episode_no for one in asked_of_the_secret.learned}
    assert learned == {"澪": 5, "蓮": 1, "千鶴": 1, "源造": 6, "宗一": None, "小夜": None}


def test_circles_of_links_end(store: Kataribe) -> None:
    two_episodes(store)
    one = store.story("s").facts.add(episode_no=1, text="一。", audience=known_by("ann"))
    two = store.story("s").facts.add(
        episode_no=1, text="二。", audience=known_by("ben"), told_from=one, supersedes=one
    )
    store.story("s").facts.edit(one, kataribe.FactEdit(told_from=two, supersedes=two))
    found = store.story("s").views.timeline(fact_id=one)
    assert {event.fact_id for event in found.events} == {one, two}
    assert {f.code for f in store.story("s").views.check().findings} >= {"mutual-link"}


# -- check ---------------------------------------------------------------------------------


def codes(store: Kataribe, story_id: str = "s") -> set[str]:
    return {finding.code for finding in store.story(story_id).views.check().findings}


@pytest.mark.parametrize("name", ["yoimachi", "lantern-isle"])
def test_the_stories_that_come_along_have_no_problem(store: Kataribe, bundled: Path, name: str) -> None:
    store.story("s").import_folder(bundled / name, only="facts")
    store.sync()
    found = store.story("s").views.check()
    assert found.ok
    assert len([f for f in found.findings if f.severity.value == "warning"]) <= 4


def test_links_that_lead_nowhere_or_ahead_are_problems(store: Kataribe) -> None:
    two_episodes(store)
    later = store.story("s").facts.add(episode_no=2, text="後。", audience=kataribe.PUBLIC)
    store.story("s").facts.add(episode_no=1, text="先。", audience=kataribe.PUBLIC, supersedes=later)
    found = store.story("s").views.check()
    assert not found.ok
    assert "later-link" in codes(store)
    assert "missing-link" not in codes(store)
    store.story("s").facts.delete(later)
    assert "missing-link" in codes(store)
    assert "later-link" not in codes(store)


@pytest.mark.parametrize(
    ("language", "secret", "public"),
    [
        ("ja", "合鍵は祠の裏の石段にある。", "祠の裏の石段には合鍵が置いてある。"),
        ("en", "The silver key lies behind the old shrine.", "Behind the old shrine lies a silver key."),
    ],
)
def test_a_secret_that_shows_is_found_and_a_telling_is_not(
    store: Kataribe, language: kataribe.Story, secret: str, public: str
) -> None:
    store.story("s").create(language=language, embedder="hash")  # type: ignore[arg-type]
    for character_id in ("ann", "ben"):
        store.story("s").cast.add(Character(character_id=character_id))
    store.story("s").episodes.put(no=1, text="…")
    store.story("s").sync()
    one = store.story("s").facts.add(episode_no=1, text=secret, audience=known_by("ann"))
    other = store.story("s").facts.add(episode_no=1, text=public, audience=kataribe.PUBLIC)
    found = [f for f in store.story("s").views.check().findings if f.code == "secret-shows"]
    assert [f.fact_ids for f in found] == [(one, other)]
    store.story("s").facts.edit(other, kataribe.FactEdit(told_from=one))
    assert "secret-shows" not in codes(store)
    store.story("s").facts.delete(other)
    store.story("s").facts.add(episode_no=1, text=public, audience=known_by("ann"))
    assert "secret-shows" not in codes(store), "nobody outside holds it"


def test_what_contradicts_is_found_unless_it_is_settled(store: Kataribe) -> None:
    two_episodes(store)
    old = store.story("s").facts.add(episode_no=1, text="灯台の鍵は三本ある。", audience=kataribe.PUBLIC)
    new = store.story("s").facts.add(episode_no=2, text="灯台の鍵は四本ある。", audience=known_by("ann"))
    assert "contradiction" in codes(store)
    store.story("s").facts.edit(new, kataribe.FactEdit(supersedes=old))
    assert "contradiction" not in codes(store)
    store.story("s").facts.delete(new)
    store.story("s").facts.add(episode_no=2, text="灯台の鍵は四本ある。", audience=known_by("ben"))
    store.story("s").facts.edit(old, kataribe.FactEdit(audience=known_by("ann")))
    assert "contradiction" not in codes(store), "nobody holds both for true"


def test_the_cast_is_looked_over(store: Kataribe) -> None:
    text = "「やあ」とハルトは言った。ハルトさんが来た。ハルトが笑った。アンは鍵を隠した。"
    two_episodes(store, text, "アンは鍵を隠した。")
    strange = [f.characters for f in store.story("s").views.check().findings if f.code == "not-in-cast"]
    assert strange == [("ハルト",)]
    unused = [f.characters for f in store.story("s").views.check().findings if f.code == "unused-name"]
    assert unused == [("ben",)]
    store.story("s").cast.add(Character(character_id="h", aliases=(Alias(text="ハルト"),)))
    assert "not-in-cast" not in codes(store)


def test_who_remembers_nothing_is_named(store: Kataribe) -> None:
    store.story("s").create(language="en", embedder="hash")
    store.story("s").cast.add(Character(character_id="ann"))
    assert codes(store) == {"knows-nothing"}
    store.story("s").episodes.put(no=1, text="…")
    store.story("s").sync()
    fact = store.story("s").facts.add(episode_no=1, text="The mill burnt.", audience=kataribe.PUBLIC)
    assert {"nothing-of-its-own", "no-evidence"} <= codes(store)
    store.story("s").facts.edit(fact, kataribe.FactEdit(audience=known_by("ann")))
    assert not {"nothing-of-its-own", "knows-nothing"} & codes(store)


def test_quotes_that_stand_nowhere_are_problems(store: Kataribe) -> None:
    two_episodes(store)
    store.story("s").facts.add(episode_no=1, text="鍵。", audience=kataribe.PUBLIC, quote="どこにも無い")
    assert "lost-quote" in codes(store)


def test_what_is_pending_is_said(store: Kataribe) -> None:
    two_episodes(store)
    store.story("s").episodes.put(no=2, text="ベンは泣いた。")
    assert "not-in-memory" in codes(store)
    assert store.story("s").views.check().pending == (2,)
    assert store.story("s").views.matrix().pending == (2,)
    assert store.story("s").views.diff(viewer("ann", 3), viewer("ben", 3)).pending == (2,)
    assert store.story("s").views.timeline(fact_id=store.story("s").facts.list()[0].fact_id).pending == (2,)


# -- two stories ---------------------------------------------------------------------------


def test_two_stories_differ_where_they_differ(store: Kataribe, tmp_path: Path) -> None:
    two_episodes(store)
    store.story("s").facts.add(episode_no=1, text="鍵は石の下。", audience=known_by("ann"))
    store.story("s").export(tmp_path / "out")
    store.story("t").import_folder(tmp_path / "out")
    store.sync()
    same = store.story("s").views.compare("t")
    assert (same.episodes, same.only_left, same.only_right) == ((), (), ())
    store.story("t").episodes.put(no=2, text="ベンは泣いた。")
    store.story("t").episodes.put(no=3, text="アンは去った。")
    store.story("t").facts.add(episode_no=1, text="塔は高い。", audience=known_by("ben"))
    store.sync()
    found = store.story("s").views.compare("t")
    assert [(pair.no, pair.changed, pair.left is None) for pair in found.episodes] == [
        (2, ("text",), False),
        (3, (), True),
    ]
    assert "塔は高い。" in {line.text for line in found.only_right}
    assert {line.text for line in found.only_left} == {"ベンは笑った。"}
    early = store.story("s").views.compare("t", before=2)
    assert (early.episodes, [line.text for line in early.only_right]) == ((), ["塔は高い。"])
    assert store.story("s").views.compare("t", before=2, character="ann").only_right == ()
