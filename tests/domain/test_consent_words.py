"""Leave to remember, and for how long, are read from plain words, and not from what only looks like them."""

from __future__ import annotations

import pytest

from kataribe.domain.privacy.keeping import FOR_GOOD, Keeping, keeps_in
from kataribe.domain.privacy.leave_words import LeaveReply, asks_leave, leave_in, reply_in
from kataribe.domain.terms import Language

ASKS: tuple[tuple[Language, str], ...] = (
    ("en", "Nice to meet you. May I remember what you tell me?"),
    ("en", "Can I keep our conversations?"),
    ("en", "Would you like me to remember this?"),
    ("en", "Is it okay if I remember everything you say?"),
    ("en", "Shall I save what you just told me?"),
    ("ja", "はじめまして。話してくれたことを覚えておいてもいいですか？"),
    ("ja", "覚えていてもいいですか。"),
    ("ja", "これからのこと、覚えておいてもいい？"),
    ("ja", "このお話、記憶してもよろしいでしょうか"),
    ("ja", "覚えておきましょうか？"),
    ("ja", "ねえ、覚えといていい？"),
    ("ja", "今日のことを覚えててもいいかな？"),
)
ASKS_NOTHING: tuple[tuple[Language, str], ...] = (
    ("en", "Do you remember what you said?"),
    ("en", "May I remember you to your mother?"),
    ("en", "Can you remember what I said?"),
    ("en", "May I remember what you tell me? Anyway, what is your name?"),
    ("en", "I may remember what you tell me."),
    ("en", "Do you mind if I remember what you tell me?"),
    ("en", "Can I keep the change?"),
    ("ja", "覚えていますか？"),
    ("ja", "私の名前を覚えてもらっていいですか？"),
    ("ja", "覚えておいてもいいですか？　ところで、お名前は？"),
    ("ja", "「覚えておいてもいいですか」と聞かれた"),
    ("ja", "覚えておきますね"),
    ("ja", "何か覚えていることはありますか？"),
)
REPLIES: tuple[tuple[Language, str, LeaveReply | None], ...] = (
    ("en", "Yes.", LeaveReply.YES),
    ("en", "Yes, please!", LeaveReply.YES),
    ("en", "Sure, go ahead.", LeaveReply.YES),
    ("en", "Yes. My name is Ann.", LeaveReply.YES),
    ("en", "I don't mind", LeaveReply.YES),
    ("en", "No, thanks.", LeaveReply.NO),
    ("en", "No. I like tea", LeaveReply.NO),
    ("en", "I’d rather not", LeaveReply.NO),
    ("en", "Yes, but only today", None),
    ("en", "ok?", None),
    ("en", "yeah right, like I would", None),
    ("en", "I think yes is a nice word", None),
    ("en", "No, go ahead", None),
    ("en", "OK so what about lunch", None),
    ("en", "Yesterday it rained", None),
    ("en", "Nobody knows", None),
    ("en", "Yes and no", None),
    ("en", "Sure, if you forget it tomorrow", None),
    ("ja", "はい、お願いします。", LeaveReply.YES),
    ("ja", "うん、いいよ", LeaveReply.YES),
    ("ja", "いいよ！", LeaveReply.YES),
    ("ja", "ｏｋ", LeaveReply.YES),
    ("ja", "はい。京都が好きです。", LeaveReply.YES),
    ("ja", "いいえ、結構です", LeaveReply.NO),
    ("ja", "やめておきます", LeaveReply.NO),
    ("ja", "ダメ。", LeaveReply.NO),
    ("ja", "はい、でも今日だけ", None),
    ("ja", "いいお天気ですね", None),
    ("ja", "うーん、どうしよう", None),
    ("ja", "いやあ、楽しかった", None),
    ("ja", "いいです", None),
    ("ja", "大丈夫です", None),
    ("ja", "はいはい、わかったわかった、嫌だけど", None),
    ("ja", "どうぞよろしくお伝えください", None),
)
CLEAR: tuple[tuple[Language, str, LeaveReply | None], ...] = (
    ("en", "You may remember what I say.", LeaveReply.YES),
    ("en", "OK, you can remember everything I tell you from now on", LeaveReply.YES),
    ("en", "Please don't remember anything I tell you.", LeaveReply.NO),
    ("en", "Stop remembering what I say", LeaveReply.NO),
    ("en", "I withdraw my consent.", LeaveReply.NO),
    ("en", "You may remember what I say. No, don't remember anything I say.", LeaveReply.NO),
    ("en", "You can remember what I said, can't you?", None),
    ("en", "You may remember the house with the green gate", None),
    ("en", "Don't remember much of it", None),
    ("en", "She said you may remember what I say", None),
    ("ja", "私の話は覚えていていいよ", LeaveReply.YES),
    ("ja", "僕の言ったことは全部覚えておいていいです。", LeaveReply.YES),
    ("ja", "もう私の話は覚えないで", LeaveReply.NO),
    ("ja", "何も覚えないでください", LeaveReply.NO),
    ("ja", "彼の話は覚えないで", None),
    ("ja", "私の話を覚えていないの？", None),
    ("ja", "覚えていいところだけ覚えて", None),
)
KEPT: tuple[tuple[Language, str, Keeping | None], ...] = (
    ("en", "Please forget what I say after 90 days.", Keeping(90)),
    ("en", "Keep what I tell you for two weeks only.", Keeping(14)),
    ("en", "After 30 days, delete everything I said.", Keeping(30)),
    ("en", "Could you forget what I tell you after a month?", Keeping(30)),
    (
        "en",
        "Forget everything I say after 90 days, except what I asked you to remember.",
        Keeping(90, spares=True),
    ),
    ("en", "Keep what I say forever.", FOR_GOOD),
    ("en", "I forget everything after 90 days.", None),
    ("en", "He said to forget what I say after 90 days", None),
    ("en", "Can you keep this for 90 days?", None),
    ("en", "Remember what I said 90 days ago?", None),
    ("en", "Forget what I said", None),
    ("en", "Keep the milk for 3 days", None),
    ("en", "Please forget what I say after 0 days.", None),
    ("ja", "90日たったら忘れて", Keeping(90)),
    ("ja", "私の話は90日たったら忘れてください。", Keeping(90)),
    ("ja", "話したことは三十日後に消してほしい", Keeping(30)),
    ("ja", "９０日たったら、私の話は忘れてね", Keeping(90)),
    ("ja", "私の話は3か月だけ覚えておいて", Keeping(90)),
    ("ja", "覚えてと言ったこと以外は、九十日で忘れて", Keeping(90, spares=True)),
    ("ja", "会話は百二十日が過ぎたら削除してください", Keeping(120)),
    ("ja", "私の話はずっと忘れないで", FOR_GOOD),
    ("ja", "90日たったら忘れてしまった", None),
    ("ja", "90日たったら忘れていい？", None),
    ("ja", "90日後に会おう", None),
    ("ja", "90日で忘れていた", None),
    ("ja", "二週間で消して", None),
    ("ja", "友達が90日たったら忘れてと言った", None),
    ("ja", "写真は30日後に消して", None),
)


@pytest.mark.parametrize(("language", "text"), ASKS)
def test_a_question_for_leave_is_read(language: Language, text: str) -> None:
    assert asks_leave(text, language)


@pytest.mark.parametrize(("language", "text"), ASKS_NOTHING)
def test_other_questions_ask_for_no_leave(language: Language, text: str) -> None:
    assert not asks_leave(text, language)


@pytest.mark.parametrize(("language", "text", "reply"), REPLIES)
def test_a_reply_is_a_yes_or_a_no_or_unclear(language: Language, text: str, reply: LeaveReply | None) -> None:
    assert reply_in(text, language) == reply


@pytest.mark.parametrize(("language", "text", "reply"), CLEAR)
def test_what_says_of_itself_what_it_is_to_needs_no_question(
    language: Language, text: str, reply: LeaveReply | None
) -> None:
    assert leave_in(text, language) == reply


@pytest.mark.parametrize(("language", "text", "kept"), KEPT)
def test_for_how_long_is_read_from_a_wish(language: Language, text: str, kept: Keeping | None) -> None:
    assert keeps_in(text, language) == kept
