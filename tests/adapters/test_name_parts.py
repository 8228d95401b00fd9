"""Name parts: what of a name a text may be believed to mean its owner by."""

from __future__ import annotations

import pytest

from kataribe.adapters.rules.names import Names
from kataribe.domain.story.derive import cast_by
from kataribe.domain.story.inputs import Address, Alias, Character, NameKind
from kataribe.domain.terms import known_by


def person(character_id: str, *names: str, address: Address | None = None) -> Character:
    aliases = tuple(Alias(text=name, kind=NameKind.NAME, address=address or Address()) for name in names)
    return Character(character_id=character_id, aliases=aliases)


def named(text: str, *cast: Character) -> list[tuple[str, str]]:
    found = Names(cast).find(text, 0, len(text))
    return [(text[one.start : one.end], ",".join(sorted(one.ids))) for one in found]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Long John Silver", "I saw Silver there.", "Silver"),
        ("Long John Silver", "John smiled.", "John"),
        ("Long John Silver", "John Silver smiled.", "John Silver"),
        ("Dr. Henry Jekyll", "Dr. Jekyll rose.", "Dr. Jekyll"),
        ("Dr. Henry Jekyll", "Henry rose.", "Henry"),
        ("Himuro Mio", "Mio Himuro bowed.", "Mio Himuro"),
        ("Mio Himuro", "Then Himuro-san bowed.", "Himuro"),
        ("Ludwig van Beethoven", "It was van Beethoven.", "van Beethoven"),
        ("Will Turner", "She told Will so.", "Will"),
        ("氷室 美咲", "美咲は笑った。", "美咲"),
        ("氷室 美咲", "氷室さんは笑った。", "氷室"),
        ("氷室　美咲", "氷室美咲は笑った。", "氷室美咲"),
        ("美咲 氷室", "氷室美咲は笑った。", "氷室美咲"),
        ("里見美禰子", "美禰子は笑った。", "美禰子"),
        ("小川三四郎", "三四郎は笑った。", "三四郎"),
        ("野々宮宗八", "野々宮君は笑った。", "野々宮"),
        ("広田先生", "広田は笑った。", "広田"),
        ("ブルカニロ博士", "ブルカニロは笑った。", "ブルカニロ"),
        ("ジム・ホーキンズ", "ホーキンズは笑った。", "ホーキンズ"),
        ("潮田ミナ", "ミナは笑った。", "ミナ"),
        ("星野 さくら", "さくらちゃんは笑った。", "さくら"),
        ("森 美咲", "森さんは笑った。", "森"),
        ("氷室 美咲", "氷室刑事は笑った。", "氷室"),
    ],
)
def test_the_parts_of_a_name_are_names(name: str, text: str, found: str) -> None:
    assert named(text, person("someone", name)) == [(found, "someone")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Will Turner", "Will you come?"),
        ("J. Marsh", "J was here, and the J-curve too."),
        ("Ludwig van Beethoven", "A van stood there."),
        ("the old captain", "The captain slept; old men do."),
        ("Grace Poole", "Grace period. Then a grace was said."),
        ("Jim Hawkins", "The Jims and Hawkinson left."),
        ("森 美咲", "森は深い。"),
        ("星野 さくら", "さくらが咲いた。"),
        ("大原 より子", "大原野より東へ行く。"),
        ("三上 より", "京都より遠い。"),
        ("氷室 美咲", "氷室山の美咲町に行く。"),
        ("ジム・ホーキンズ", "ジムナスチックをした。"),
        ("ジム・ホーキンズ", "ジム・スミスが来た。"),
        ("赤シャツ", "シャツが赤い。"),
        ("青年紳士", "青年が来た。"),
    ],
)
def test_letters_particles_and_common_words_are_no_names(name: str, text: str) -> None:
    assert named(text, person("x", name)) == []


@pytest.mark.parametrize(
    ("character_id", "text", "found"),
    [
        ("jim", "Then Jim came.", ["Jim"]),
        ("ben_gunn", "Then Ben Gunn came.", ["Ben Gunn"]),
        ("mother", "Mother came, and a mother.", []),
        ("b", "Plan b and B.", []),
        ("灯台番", "灯台番は来た。", ["灯台番"]),
        ("母", "母は来た。", []),
    ],
)
def test_an_id_is_a_name_too(character_id: str, text: str, found: list[str]) -> None:
    assert [one for one, _ in named(text, person(character_id, "Xx Yy"))] == found


def test_a_part_two_share_recognises_neither_alone_and_a_stated_alias_goes_before_it() -> None:
    jim, mother = person("jim", "Jim Hawkins"), person("mrs", "Mrs. Hawkins")
    assert named("Hawkins woke.", jim, mother) == [("Hawkins", "jim,mrs")]
    stated = Character(character_id="jim", aliases=(*jim.aliases, Alias(text="Hawkins")))
    assert named("Hawkins woke.", stated, mother) == [("Hawkins", "jim")]


def test_a_part_of_a_secret_name_is_as_secret() -> None:
    secret = Address(since=2, audience=known_by("poole"))
    jekyll = Character(
        character_id="x1",
        aliases=(
            Alias(text="Henry Jekyll", kind=NameKind.NAME),
            Alias(text="Edward Hyde", kind=NameKind.NAME, address=secret),
        ),
    )
    assert named("Hyde ran.", *cast_by([jekyll], 5)) == []
    assert named("Hyde ran.", *cast_by([jekyll], 1, holder="poole")) == []
    assert named("Hyde ran.", *cast_by([jekyll], 2, holder="poole")) == [("Hyde", "x1")]
