"""Keys of a profile come of what a user explicitly asks to be remembered of itself, and of nothing else."""

from __future__ import annotations

import pytest

from kataribe.domain.privacy.asked_to_keep import asked_to_keep
from kataribe.domain.terms import Language

ASKED: tuple[tuple[Language, str, dict[str, str]], ...] = (
    ("en", "Remember that my email is hanako@example.jp", {"email": "hanako@example.jp"}),
    ("en", "Please remember my name is Hanako Sato.", {"name": "Hanako Sato"}),
    ("en", "Remember my birthday is May 3rd.", {"birthday": "May 3rd"}),
    ("en", "Remember my phone number: 415-555-2671", {"phone": "415-555-2671"}),
    ("en", "My new mobile is 415-555-2671. Remember that.", {"phone": "415-555-2671"}),
    ("en", "Please remember that I would like you to keep your answers short", {"style": "short"}),
    ("ja", "私のメールはhanako@example.jpだって覚えておいて", {"email": "hanako@example.jp"}),
    ("ja", "私の名前は花子だと覚えておいてください", {"name": "花子"}),
    ("ja", "誕生日は5月3日だから覚えておいてね", {"birthday": "5月3日"}),
    (
        "ja",
        "電話番号は〇九〇の一二三四の五六七八です。覚えておいて。",
        {"phone": "〇九〇の一二三四の五六七八"},
    ),
    ("ja", "敬語で話してって覚えておいて", {"honorific": "敬語"}),
    ("ja", "住所は東京都港区芝公園四丁目2番8号だ、覚えておいて", {"address": "東京都港区芝公園四丁目2番8号"}),
)
LOOK_ALIKES: tuple[tuple[Language, str], ...] = (
    ("en", "My email is hanako@example.jp"),
    ("en", "My name is Hanako Sato."),
    ("en", "Remember that my mother's phone number is 415-555-2671"),
    ("en", "Remember that his email is ken@example.com"),
    ("en", "Remember that Ken's birthday is May 3rd"),
    ("en", "Do you remember my email, hanako@example.jp?"),
    ("en", "Do not remember that my email is hanako@example.jp"),
    ("en", "Remember the shop's number: 415-555-2671"),
    ("en", "Remember that my card number is 4111 1111 1111 1111"),
    ("en", "Remember that I prefer tea"),
    ("en", 'She said, "remember my name is Jane".'),
    ("ja", "私のメールはhanako@example.jpです"),
    ("ja", "母の電話番号は090-1234-5678だって覚えておいて"),
    ("ja", "友達の名前は健だと覚えておいて"),
    ("ja", "彼の誕生日は5月3日だから覚えておいて"),
    ("ja", "店の番号は03-1234-5678、覚えておいて"),
    ("ja", "私のメールはhanako@example.jpだけど覚えなくていいよ"),
    ("ja", "カード番号は4111 1111 1111 1111だって覚えておいて"),
    ("ja", "私は紅茶が好きって覚えて"),
    ("ja", "私の名前、覚えていますか"),
)


@pytest.mark.parametrize(("language", "text", "wanted"), ASKED)
def test_what_is_asked_to_be_remembered_is_read(
    language: Language, text: str, wanted: dict[str, str]
) -> None:
    assert {one.key: one.value for one in asked_to_keep(text, language)} == wanted


@pytest.mark.parametrize(("language", "text"), LOOK_ALIKES)
def test_nothing_is_read_of_what_only_looks_like_it(language: Language, text: str) -> None:
    assert asked_to_keep(text, language) == ()
