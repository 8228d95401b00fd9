from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.domain.ids import check_id
from kataribe.domain.story.folder import DecisionRow, EpisodeRow, FactRow, StoryFolder, VisibilityRow
from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind
from kataribe.domain.terms import PUBLIC, Audience, Extra, FactOrigin, FactSource
from kataribe.errors import InputError
from kataribe.formats.folder import read_folder, write_folder

Row = TypeVar("Row", FactRow, VisibilityRow, DecisionRow)

OURS = re.compile(
    "(episode|fact|paragraph)_(id|no|source|hash)|title|text|paragraphs|annotated|visibility|known_by|quote"
    "|quote_episode|importance|arousal|supersedes|told_from|pinned|origin|id|name|aliases|description|kind|from"
    "|language|embedder"
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["ジョバンニは丘へ行った。\r\n", "a\u2028b\x85c", '"quoted" \\ \x00', "\ufeffほし", "𠮷野家"]
)
WORDS = TEXT.filter(lambda text: text.strip() != "")


def is_id(text: str) -> bool:
    try:
        check_id(text)
    except InputError:
        return False
    return True


IDS = st.sampled_from(["ジョバンニ", "Alice", "母 ", "Mr. Hyde", "a/b", "カムパネルラ"]).map(str.strip) | (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(is_id)
)
NUMBERS = st.integers(1, 2**31 - 1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
EXTRA: st.SearchStrategy[Extra] = st.dictionaries(
    TEXT.filter(lambda key: OURS.fullmatch(key) is None), JSON, max_size=2
)
AUDIENCES = st.just(PUBLIC) | st.frozensets(IDS, min_size=1, max_size=3).map(
    lambda ids: Audience(members=ids)
)
ADDRESSES = st.builds(Address, since=st.integers(0, 9), audience=AUDIENCES)


ALIASES = st.builds(Alias, text=WORDS, kind=st.sampled_from(NameKind), address=ADDRESSES, extra=EXTRA)
DESCRIPTIONS = st.builds(Description, text=TEXT, address=ADDRESSES, extra=EXTRA)
CHARACTERS = st.builds(
    Character,
    character_id=IDS,
    aliases=st.lists(ALIASES, max_size=3).map(tuple),
    descriptions=st.lists(DESCRIPTIONS, max_size=2).map(tuple),
    declared=st.just(True),
    since=st.just(0),
    extra=EXTRA,
)


@st.composite
def episodes(draw: st.DrawFn) -> tuple[EpisodeRow, ...]:
    rows: list[EpisodeRow] = []
    for no in draw(st.lists(NUMBERS, unique=True, max_size=3)):
        texts = draw(st.none() | st.lists(WORDS, max_size=3))
        paragraphs = None
        if texts is not None:
            paragraphs = tuple((f"{no}-{index}", text) for index, text in enumerate(texts, start=1))
        rows.append(
            EpisodeRow(
                episode_id=draw(st.none() | st.just(f"ep {no}")),
                no=no,
                title=draw(st.none() | TEXT),
                text=draw(TEXT) if texts is None else "\n\n".join(texts),
                paragraphs=paragraphs,
                fact_source=draw(st.none() | st.sampled_from(FactSource)),
                base=draw(st.none() | st.lists(WORDS, max_size=2).map(tuple)),
                extra=draw(EXTRA),
            )
        )
    return tuple(rows)


def facts(no: int) -> st.SearchStrategy[FactRow]:
    return st.builds(
        FactRow,
        line=st.none(),
        file=st.just("facts.jsonl"),
        fact_id=st.none() | IDS,
        episode_no=st.just(no),
        audience=AUDIENCES,
        text=WORDS,
        quote=st.none() | WORDS,
        quote_no=st.none() | NUMBERS,
        importance=st.integers(1, 5),
        arousal=st.none() | st.floats(0, 1),
        pinned=st.booleans(),
        supersedes=st.none() | IDS,
        told_from=st.none() | IDS,
        origin=st.sampled_from([FactOrigin.SUPPLIED, FactOrigin.HAND]),
        extra=EXTRA,
    )


def visibility(episode: EpisodeRow) -> st.SearchStrategy[VisibilityRow]:
    there = [name for name, _ in episode.paragraphs or ()]
    return st.builds(
        VisibilityRow,
        line=st.none(),
        file=st.just("visibility.jsonl"),
        episode_no=st.just(episode.no),
        paragraph_id=st.sampled_from([None, *there]),
        paragraph_hash=st.none() | WORDS,
        audience=AUDIENCES,
        extra=EXTRA,
    )


def decisions(no: int) -> st.SearchStrategy[DecisionRow]:
    holders = st.sampled_from(["", "world"]) | IDS
    return st.builds(
        DecisionRow, line=st.none(), file=st.just("decisions.jsonl"), episode_no=st.just(no), pinned=IDS
    ) | st.builds(
        DecisionRow,
        line=st.none(),
        file=st.just("decisions.jsonl"),
        episode_no=st.just(no),
        suppressed=st.tuples(holders, WORDS),
        pinned=st.none(),
    )


@st.composite
def folders(draw: st.DrawFn) -> StoryFolder:
    rows = draw(episodes())
    told: tuple[FactRow, ...] | None = None
    seen: tuple[VisibilityRow, ...] | None = None
    decided: tuple[DecisionRow, ...] = ()
    if rows:
        found = [draw(facts(draw(st.sampled_from(rows)).no)) for _ in range(draw(st.integers(0, 3)))]
        told = tuple({row.fact_id or index: row for index, row in enumerate(found)}.values())
        notes = [draw(visibility(draw(st.sampled_from(rows)))) for _ in range(draw(st.integers(0, 3)))]
        seen = tuple({(n.episode_no, n.paragraph_id, n.paragraph_hash): n for n in notes}.values())
        decided = tuple(
            draw(st.lists(st.sampled_from(rows).flatmap(lambda row: decisions(row.no)), max_size=2))
        )
    return StoryFolder(
        title=draw(st.none() | TEXT),
        language=draw(st.sampled_from([None, "ja", "en"])),
        embedder=draw(st.none() | WORDS),
        extra=draw(EXTRA),
        episodes=rows,
        cast=tuple(draw(st.lists(CHARACTERS, max_size=3, unique_by=lambda each: each.character_id))) or None,
        facts=draw(st.sampled_from([None, told])),
        visibility=draw(st.sampled_from([None, seen])),
        decisions=decided or None,
    )


def bare(rows: tuple[Row, ...] | None) -> tuple[Row, ...] | None:
    return None if rows is None else tuple(replace(row, line=None) for row in rows)


def without_lines(folder: StoryFolder) -> StoryFolder:
    return replace(
        folder,
        episodes=tuple(replace(row, line=None) for row in folder.episodes),
        facts=bare(folder.facts),
        visibility=bare(folder.visibility),
        decisions=bare(folder.decisions),
    )


def files_in(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


@settings(max_examples=250, deadline=None)
@given(folder=folders())
def test_what_is_written_reads_back_and_writes_the_same(folder: StoryFolder) -> None:
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name, "一"), Path(name, "二")
        write_folder(first, folder)
        read = read_folder(first)
        assert without_lines(read) == folder
        write_folder(second, read)
        assert files_in(first) == files_in(second)


SMALL = StoryFolder(
    title="銀河鉄道の夜",
    language="ja",
    extra={"author": "宮沢賢治"},
    episodes=(EpisodeRow(no=1, title="一、午后の授業", text="では\u2028みなさんは", extra={"part": "I"}),),
    cast=(
        Character(
            character_id="ジョバンニ",
            aliases=(
                Alias(text="ジョバンニ", kind=NameKind.NAME),
                Alias(text="坊ちゃん", kind=NameKind.NICKNAME, address=Address(since=3)),
            ),
        ),
    ),
    facts=(
        FactRow(fact_id="f1", episode_no=1, audience=Audience(members=frozenset("ba")), text="秘密"),
        FactRow(episode_no=1, audience=PUBLIC, text="公", importance=5, pinned=True, origin=FactOrigin.HAND),
    ),
    visibility=(VisibilityRow(episode_no=1, audience=PUBLIC),),
    decisions=(DecisionRow(episode_no=1, suppressed=("", "00ff")), DecisionRow(episode_no=1, pinned="f1")),
)


def test_the_files_look_as_documented(tmp_path: Path) -> None:
    write_folder(tmp_path, SMALL)
    files = {name: data.decode() for name, data in files_in(tmp_path).items()}
    assert files == {
        "story.json": '{\n  "title": "銀河鉄道の夜",\n  "language": "ja",\n  "author": "宮沢賢治"\n}\n',
        "episodes.jsonl": (
            '{"episode_no": 1, "title": "一、午后の授業", "text": "では\u2028みなさんは", "part": "I"}\n'
        ),
        "cast.json": """{
  "characters": [
    {
      "id": "ジョバンニ",
      "name": "ジョバンニ",
      "aliases": [
        {
          "text": "坊ちゃん",
          "kind": "nickname",
          "from": 3
        }
      ]
    }
  ]
}
""",
        "facts.jsonl": (
            '{"fact_id": "f1", "episode_no": 1, "visibility": "secret", "known_by": ["a", "b"], '
            '"text": "秘密"}\n'
            '{"episode_no": 1, "visibility": "public", "known_by": [], "text": "公", "importance": 5, '
            '"pinned": true, "origin": "hand"}\n'
        ),
        "visibility.jsonl": '{"episode_no": 1, "paragraph_id": null, "known_by": "public"}\n',
        "decisions.jsonl": (
            '{"episode_no": 1, "suppress": {"holder": "", "text_hash": "00ff"}}\n'
            '{"episode_no": 1, "pin": "f1"}\n'
        ),
    }


def test_what_no_longer_applies_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write_folder(tmp_path, SMALL)
    (tmp_path / "notes.txt").write_text("my own", encoding="utf-8")
    write_folder(tmp_path, StoryFolder(episodes=SMALL.episodes))
    assert sorted(files_in(tmp_path)) == ["episodes.jsonl", "notes.txt", "story.json"]


def test_nothing_is_written_when_a_part_cannot_be(tmp_path: Path) -> None:
    broken = replace(SMALL, extra={"score": float("nan")})
    with pytest.raises(InputError, match=r"cannot write story\.json"):
        write_folder(tmp_path / "new", broken)
    extracted = FactRow(episode_no=1, audience=PUBLIC, text="x", origin=FactOrigin.EXTRACTED)
    with pytest.raises(InputError, match="extracted"):
        write_folder(tmp_path / "new", replace(SMALL, facts=(extracted,)))
    with pytest.raises(InputError, match="surrogate"):
        write_folder(tmp_path / "new", StoryFolder(episodes=(EpisodeRow(no=1, text="\ud800"),)))
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(InputError, match="cannot write to"):
        write_folder(tmp_path / "taken", SMALL)


def test_undeclared_characters_are_not_exported(tmp_path: Path) -> None:
    seen = Character(character_id="ザネリ", declared=False, since=2)
    write_folder(tmp_path, replace(SMALL, cast=(*(SMALL.cast or ()), seen)))
    assert read_folder(tmp_path).cast == SMALL.cast


@pytest.mark.parametrize("name", ["ja-ginga-tetsudo", "en-jekyll-hyde", "ja-botchan"])
def test_the_development_stories_survive(tmp_path: Path, name: str) -> None:
    source = Path(__file__).resolve().parents[3] / "shared" / "data" / name
    if not source.exists():
        pytest.skip("the development data is not here")
    folder = read_folder(source)
    write_folder(tmp_path, folder)
    assert read_folder(tmp_path) == folder
