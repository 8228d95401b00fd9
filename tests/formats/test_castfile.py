from __future__ import annotations

from pathlib import Path

import pytest

from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind
from kataribe.domain.terms import known_by
from kataribe.errors import FormatError, InputError
from kataribe.formats.castfile import parse_cast, read_cast

RICH = """
{"characters": [
  {"id": "hyde", "name": "Edward Hyde", "role": "villain",
   "aliases": ["the man", {"text": "Jekyll", "kind": "surname", "from": 9, "known_by": ["Utterson"],
               "why": "will"}],
   "description": [{"text": "small", "known_by": "public"}, "pale"]},
  {"id": "ジョバンニ", "name": [{"text": "ジョバンニ", "kind": "name"}, {"text": "ジョヴァンニ", "from": 2}],
   "aliases": null, "description": "活版所で働く少年"},
  {"id": "母"}
]}
"""


def test_every_form_of_a_name_is_read(tmp_path: Path) -> None:
    (tmp_path / "cast.json").write_text(RICH, encoding="utf-8")
    hyde, giovanni, mother = read_cast(tmp_path / "cast.json")
    assert hyde == Character(
        character_id="hyde",
        aliases=(
            Alias(text="Edward Hyde", kind=NameKind.NAME),
            Alias(text="the man"),
            Alias(
                text="Jekyll",
                kind=NameKind.SURNAME,
                address=Address(since=9, audience=known_by("Utterson")),
                extra={"why": "will"},
            ),
        ),
        descriptions=(Description(text="small"), Description(text="pale")),
        extra={"role": "villain"},
    )
    assert [(alias.text, alias.kind, alias.address.since) for alias in giovanni.aliases] == [
        ("ジョバンニ", NameKind.NAME, 0),
        ("ジョヴァンニ", NameKind.NAME, 2),
    ]
    assert giovanni.descriptions == (Description(text="活版所で働く少年"),)
    assert mother == Character(character_id="母")


def test_a_bare_list_is_a_cast() -> None:
    assert parse_cast('[{"id": "母"}]'.encode(), "cast.json") == (Character(character_id="母"),)
    assert parse_cast(b"[]", "cast.json") == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('"Hyde"', "or a list of characters, not the text 'Hyde'"),
        ("{}", "the field 'characters' is missing"),
        ('{"characters": {}}', "characters must be a list"),
        ('{"characters": [], "title": "x"}', "unknown field 'title'"),
        ('["Hyde"]', "character 1: must be an object"),
        ('[{"name": "Hyde"}]', "character 1: the field 'id' is missing"),
        ('[{"id": "world"}]', "character 1: character id 'world' is reserved"),
        ('[{"id": "母"}, {"id": "母"}]', "character 2: the id '母' is already given"),
        ('[{"id": "母", "name": 3}]', "character 1 (母): name 1 must be a string"),
        ('[{"id": "母", "name": " "}]', "character 1 (母): name 1: an alias must not be empty"),
        ('[{"id": "母", "name": {"text": "x", "kind": "title"}}]', "move it to aliases"),
        ('[{"id": "母", "aliases": "かあさん"}]', "aliases must be a list"),
        ('[{"id": "母", "aliases": [{"kind": "other"}]}]', "alias 1: the field 'text' is missing"),
        ('[{"id": "母", "aliases": [{"text": "x", "kind": "pet"}]}]', "kind must be one of name, surname"),
        ('[{"id": "母", "aliases": [{"text": "x", "from": -1}]}]', "from must be a whole number from 0"),
        ('[{"id": "母", "aliases": [{"text": "x", "from": true}]}]', "from must be a whole number, not true"),
        ('[{"id": "母", "aliases": [{"text": "x", "known_by": []}]}]', "needs at least one character"),
        ('[{"id": "母", "description": [1]}]', "description 1 must be a string"),
        ('[{"id": "母", "id": "x"}]', "'id' is given twice"),
    ],
)
def test_a_malformed_cast_is_refused(content: str, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_cast(content.encode(), "my/cast.json")
    assert caught.value.file == "my/cast.json"
    assert reason in caught.value.reason


def test_the_line_of_broken_json_is_said() -> None:
    with pytest.raises(FormatError, match=r"cast\.json:3: not JSON"):
        parse_cast(b'{"characters": [\n{"id": "a"}\n{"id": "b"}]}', "cast.json")


def test_a_missing_cast_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_cast(tmp_path / "cast.json")
