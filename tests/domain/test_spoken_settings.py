"""Settings are read from what a user asks for, and from nothing that only looks like it."""

from __future__ import annotations

import pytest

from kataribe.domain.privacy.spoken_settings import settings_in
from kataribe.domain.terms import Language

ASKED: tuple[tuple[Language, str, dict[str, str]], ...] = (
    ("en", "Call me Ken.", {"name": "Ken"}),
    ("en", "Hi! Please call me Mary Ann from now on.", {"name": "Mary Ann"}),
    ("en", "You can call me O'Brien, by the way", {"name": "O'Brien"}),
    ("en", 'Could you call me "Bee"?', {"name": "Bee"}),
    ("en", "I'd like you to call me Dr. No", {"name": "Dr"}),
    ("en", "My name is long, so just call me Al", {"name": "Al"}),
    ("en", "Please speak formally.", {"honorific": "formal"}),
    ("en", "You don't have to be so formal with me.", {"honorific": "casual"}),
    ("en", "Please talk casually, and call me later", {"honorific": "casual"}),
    ("en", "From now on, keep your answers short.", {"style": "short"}),
    ("en", "Always be gentle with me", {}),
    ("en", "In future, please be gentle with me", {"tone": "gentle"}),
    ("en", "Call me Ken. No, call me Kenny!", {"name": "Kenny"}),
    ("en", "call me Ken and speak casually", {"name": "Ken", "honorific": "casual"}),
    ("en", "Please talk formally to me, and call me Ms. Ito.", {"honorific": "formal", "name": "Ms"}),
    ("en", "From now on call me Al and keep your answers short.", {"name": "Al", "style": "short"}),
    ("ja", "ケンと呼んで", {"name": "ケン"}),
    ("ja", "ケンって呼んで、タメ口でいいよ", {"name": "ケン", "honorific": "タメ口"}),
    ("ja", "ケンって呼んでタメ口で話して", {"name": "ケン", "honorific": "タメ口"}),
    ("ja", "これからはケンって呼んでね！", {"name": "ケン"}),
    ("ja", "私のことは「はるか」と呼んでください。", {"name": "はるか"}),
    ("ja", "よかったら、みっちゃんって呼んでほしいな", {"name": "みっちゃん"}),
    ("ja", "やっぱりケンと呼んで", {"name": "ケン"}),
    ("ja", "敬語で話して", {"honorific": "敬語"}),
    ("ja", "これからは敬語で話してくれる？", {"honorific": "敬語"}),
    ("ja", "タメ口でいいよ", {"honorific": "タメ口"}),
    ("ja", "敬語じゃなくていいよ。", {"honorific": "タメ口"}),
    ("ja", "敬語はいらないよ", {"honorific": "タメ口"}),
    ("ja", "呼び捨てでいいよ〜", {"honorific": "呼び捨て"}),
    ("ja", "タメ口はやめてください", {"honorific": "敬語"}),
    ("ja", "これからは短く話してほしいな", {"style": "短く"}),
    ("ja", "いつもやさしく話してね", {"tone": "やさしく"}),
    ("ja", "ｹﾝって呼んで。タメ口でお願い！", {"name": "ケン", "honorific": "タメ口"}),
)
LOOK_ALIKES: tuple[tuple[Language, str], ...] = (
    ("en", "Call me tomorrow."),
    ("en", "We meet at the bar and talk casually."),
    ("en", "She wrote: call me Ken and speak casually."),
    ("en", "They call me Ken and talk to me casually."),
    ("ja", "友達はケンって呼んでタメ口で話してくる。"),
    ("en", "Call me Monday"),
    ("en", "call me back when you can"),
    ("en", "Call me a taxi"),
    ("en", "They call me Ken."),
    ("en", "Don't call me Ken."),
    ("en", 'She said, "call me Ken".'),
    ("en", "He told us, call me Ken, and left"),
    ("en", "Just for today, call me Captain."),
    ("en", "Should I call you Ken?"),
    ("en", "Keep it short."),
    ("en", "He speaks formally."),
    ("en", "Call me Ken, but do not remember that."),
    ("ja", "母はケンと呼んでいる"),
    ("ja", "彼のことはケンと呼んで"),
    ("ja", "みんなみたいにケンと呼んで"),
    ("ja", "猫をタマと呼んで"),
    ("ja", "「ケンと呼んで」と言われた"),
    ("ja", "ケンと呼んでもいい？"),
    ("ja", "ケンと呼ばないで"),
    ("ja", "何と呼んでほしい？"),
    ("ja", "昔はケンと呼んでた"),
    ("ja", "ケンと呼んでくれてありがとう"),
    ("ja", "敬語で話していい？"),
    ("ja", "先輩には敬語で話している"),
    ("ja", "今日だけ敬語で話して"),
    ("ja", "詳しく話して"),
    ("ja", "タメ口で話された"),
    ("ja", "ケンって呼んで。でもこれは覚えないでね"),
)


@pytest.mark.parametrize(("language", "text", "wanted"), ASKED, ids=[text for _, text, _ in ASKED])
def test_what_is_asked_for_is_read(language: Language, text: str, wanted: dict[str, str]) -> None:
    assert {one.key: one.value for one in settings_in(text, language)} == wanted


@pytest.mark.parametrize(("language", "text"), LOOK_ALIKES, ids=[text for _, text in LOOK_ALIKES])
def test_what_only_looks_like_it_is_not(language: Language, text: str) -> None:
    assert settings_in(text, language) == ()
