"""Stories nobody here wrote: no leak, most of what is wanted near the top, edits followed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.recall.probing import leaks, rank_of_wanted
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.gold import read_probes
from support.hits import fact_hits
from support.stores import empty_store, services


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def _folder(request: pytest.FixtureRequest, name: str) -> Path:
    if name in ("ginga", "jekyll"):
        found: Path = request.getfixturevalue(name)
        return found
    bundled: Path = request.getfixturevalue("bundled")
    return bundled / name


@pytest.mark.parametrize(
    ("name", "mode", "least"),
    [
        ("ginga", "facts", 1.0),
        ("ginga", "text", 0.7),
        ("jekyll", "facts", 0.85),
        ("jekyll", "text", 0.6),
        ("yoimachi", "facts", 0.85),
        ("yoimachi", "text", 0.6),
        ("lantern-isle", "facts", 0.85),
        ("lantern-isle", "text", 0.45),
    ],
)
def test_nothing_leaks_and_most_is_found(
    request: pytest.FixtureRequest, store: Kataribe, name: str, mode: str, least: float
) -> None:
    folder = _folder(request, name)
    store.story("s").import_folder(folder, only="facts" if mode == "facts" else "text")
    assert store.sync().failed == {}
    wanted = found = 0
    for probe in read_probes(folder / "gold.jsonl"):
        if mode == "text" and probe.mode == "facts":
            continue
        asked = {"story": "s", "persona": probe.character, "at": probe.episode_no}
        hits = store.recall(probe.question, top_k=5, **asked).hits  # type: ignore[arg-type]
        everything = store.known(**asked).hits  # type: ignore[arg-type]
        assert leaks(probe, hits) == ()
        assert leaks(probe, everything) == (), "not even far down"
        if probe.wanted:
            wanted += 1
            found += rank_of_wanted(probe, hits) is not None
            assert rank_of_wanted(probe, everything) is not None, probe
    assert found >= least * wanted, f"{found} of {wanted}"


def test_import_says_who_joins_and_they_leave_with_the_last_row(store: Kataribe, ginga: Path) -> None:
    report = store.story("銀河").import_folder(ginga)
    assert report.joined == ["ジョバンニ", "母", "カムパネルラ", "博士"]
    cast = {c.character_id: c for c in store.story("銀河").cast.list()}
    assert (cast["博士"].declared, cast["博士"].since) == (False, 9)
    store.story("銀河").sync()
    assert not store.recall("四十五分", story="銀河", persona="博士", at=9).in_cast
    assert store.recall("四十五分", story="銀河", persona="博士", at=10).in_cast
    store.story("銀河").episodes.delete(no=9)
    assert "博士" not in {c.character_id for c in store.story("銀河").cast.list()}


def test_an_edited_episode_is_followed_in_a_long_text(store: Kataribe, botchan: Path) -> None:
    report = store.story("坊っちゃん").import_folder(botchan)
    assert report.is_open, "neither cast nor annotations: all of it is the world's"
    first = store.sync()
    assert first.open_stories == {"坊っちゃん"}
    text = store.story("坊っちゃん").episodes.get(no=3).text
    sentence = text.split("。")[5] + "。"
    changed = text.replace(sentence, "おれは赤い気球で松山の空を渡った。", 1)
    store.story("坊っちゃん").episodes.put(no=3, text=changed)
    viewer = {"story": "坊っちゃん", "persona": "誰か", "at": 12}
    pending = store.recall("赤い気球", **viewer)  # type: ignore[arg-type]
    assert pending.pending_episodes == (3,)
    assert all(hit.episode_no != 3 for hit in fact_hits(pending.hits))
    second = store.sync()
    assert (second.done, second.embedded) == (1, 1), "one episode read again, one new sentence embedded"
    best = fact_hits(store.recall("赤い気球で空を渡ったのは？", **viewer).hits)[0]  # type: ignore[arg-type]
    assert "赤い気球" in best.text
    assert changed[best.offsets[0] : best.offsets[1]] == best.quote  # type: ignore[index]
    known = fact_hits(store.known(**viewer).hits)  # type: ignore[arg-type]
    assert not [hit for hit in known if hit.text == sentence and hit.episode_no == 3]
    gained = store.story("坊っちゃん").episodes.history(no=3)[-1]
    assert [change.text for change in gained.gained] == ["おれは赤い気球で松山の空を渡った。"]
    store.story("坊っちゃん").episodes.delete(no=3)
    assert not [hit for hit in fact_hits(store.known(**viewer).hits) if hit.episode_no == 3]  # type: ignore[arg-type]


def test_texts_come_back_as_they_went_in(store: Kataribe, ginga: Path, tmp_path: Path) -> None:
    store.story("s").import_folder(ginga)
    again = store.story("s").import_folder(ginga)
    assert (again.new, again.edited, len(again.unchanged)) == ([], [], 9)
    store.story("s").export(tmp_path / "one")
    store.story("t").import_folder(tmp_path / "one")
    store.story("t").export(tmp_path / "two")
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
