"""How commands to memory are worded in Japanese."""

from __future__ import annotations

import re

TRIGGERS = (
    *("覚え", "憶え", "おぼえ", "オボエ", "忘れ", "わすれ", "記憶", "記録", "メモ", "控え"),
    *("書き留め", "書きとめ", "暗記", "保存", "登録", "頭に入れ", "心に留め", "心にとめ"),
    *("インプット", "残さ", "なかったこと", "消し", "消去", "削除", "取り消し", "なし", "ナシ"),
    *("無し", "オフレコ", "今後", "これから", "以後", "以降", "から", "留意"),
)
"""A sentence without one of these commands nothing."""
MEMORISE = "覚え|憶え|おぼえ|オボエ"
"""Stems of 覚える."""
DO = "記憶|記録|メモ|暗記|保存|登録|インプット"
"""Nouns that make verbs of keeping with する."""
PLACE = "(?:記憶|記録|メモ|データ|履歴|ログ|メモリ)"
"""Where memories are kept or taken from."""
TAKEN = (
    f"(?:{PLACE}に)?(?:残し|留め|とどめ)|頭に入れ|心に(?:留め|とめ|とどめ)|控え|書き(?:留め|とめ)"
    "|メモを?(?:取っ|とっ)|メモっ"
)
"""Other stems of keeping."""
KEPT = f"(?:{MEMORISE}|(?:{DO})(?:を)?(?:し)|{TAKEN})"
TE = "(?:といて|とって|ておって|て(?:おいて|いて|て)?)"
"""What makes a request of a stem."""
REQUEST = (
    "(?:(?:くだ|下)さい(?:ませ|な)?|くれ(?:ませんか|ますか|(?:たら|ると)(?:助かる|助かります|嬉しい|"
    "うれしい)(?:です)?)?|(?:ほし|欲し)い(?:の|ん)?(?:です|だ)?(?:けど|が)?"
    "|もらえ(?:ますか|ませんか|ると(?:助かる|嬉しい|うれしい|助かります|嬉しいです))"
    "|もらい?たい(?:の|ん)?(?:です|だ)?(?:けど|が)?|いただけ(?:ますか|ませんか|ますでしょうか|"
    "ると(?:助かります|幸いです|嬉しいです))"
    "|いただきたい(?:の|ん)?(?:です)?(?:けど|が)?|頂け(?:ますか|ませんか)|ちょうだい|頂戴|頼む|頼みます|"
    "お願い(?:します|いたします|できますか)?)"
)
"""What makes the request plain."""
ASKED = (
    "(?:くれる|くれない|もらえる|もらえない|いただける|くれます|くれません|もらえます"
    "|もらって(?:も)?いい(?:です)?|いただいても(?:いい|よろしい)(?:です|でしょう)?)(?:か)?(?:な)?"
)
"""Requests only where the sentence asks."""
SOFT = "(?:よね|よー?|ねー?|なー?|や|わ|ぞ)?"
"""Particles at the end of a request."""
END = r"(?:[\s、,~〜ー!()w笑泣汗:]|から$|ので$|けど$|$)"
"""What may follow a request; と and って quote it."""
FORGET = "(?:忘れ|わすれ)"
KEEP = re.compile(
    f"(?P<verb>{KEPT})(?:(?P<te>{TE})(?:(?P<req>{REQUEST})|(?P<asked>{ASKED}))?{SOFT}"
    f"|(?P<firm>(?:ておけ|とけ|ておきなさい|なさい|ておくように|ておくこと|ておきましょう)){SOFT})(?={END})"
)
"""Remember it."""
NOTE = re.compile(
    f"(?:(?:メモ|記録|記憶|保存)(?:を)?(?:お願い(?:します|いたします|ね)?|頼む|頼みます|よろしく)"
    f"|ご(?:記憶|記録|留意)(?:おき)?(?:くだ|下)さい){SOFT}(?={END})"
)
"""A note of it, please."""
HOLD = re.compile(
    f"(?:{FORGET}(?:ないで(?:おいて|いて)?(?:{REQUEST}|(?P<asked>{ASKED}))?|"
    f"ないように(?:して(?:おいて)?{REQUEST}?|ね|お願い(?:します)?)"
    f"|んといて|んな|るな|ちゃ(?:だめ|ダメ|駄目)(?:だ)?|たら(?:だめ|ダメ|駄目)(?:だ)?)|"
    f"お{FORGET}なく){SOFT}(?={END})"
)
"""Do not forget it."""
DROP = re.compile(
    f"(?:{FORGET}(?:(?P<te>て)(?:(?P<req>{REQUEST}|(?:くれて|もらって)?も?(?:いい|良い|構わない|構いません|"
    f"大丈夫)(?:です|から)?)|(?P<asked>{ASKED}))?"
    f"|(?:てしまって|ちゃって)(?:{REQUEST}|も?いい(?:です)?)|(?P<firm>ろ|なさい)|(?P<cohort>ましょう)))"
    f"{SOFT}(?={END})"
)
"""Forget it."""
UNDO = re.compile(
    f"(?:(?:聞か|言わ)?なかったことに|取り?消し|(?:{PLACE}から)?(?P<erase>消し|消去し|削除し|抹消し|無視し))"
    f"(?:し)?(?P<te>{TE})(?:{REQUEST}|(?P<asked>{ASKED}))?{SOFT}(?={END})"
)
"""Take it back, or take it out of memory."""
NOTHING = re.compile(f"(?:なし|ナシ|無し)(?:で(?:お願い(?:します)?)?|に(?:して)?)?{SOFT}(?={END})")
"""Let it be nothing."""
REFUSE = re.compile(
    f"(?:(?:(?:{MEMORISE})(?:て(?:お|い)?か?|とか|てい?)?|(?:{DO})(?:を)?(?:し(?:て(?:お|い)か|とか)?)|"
    f"メモを?(?:取ら|とら|しとか)"
    f"|{PLACE}に(?:は)?(?:残さ|とどめ|留め)|残さ|控え)"
    f"(?:な(?:くて|くとも)(?:も)?(?:いい|良い|よい|大丈夫|結構|構わない|構いません|ok|平気|"
    f"オッケー)(?:です)?(?:から)?"
    f"|ないで(?:おいて|ください)?(?:{REQUEST}|(?P<asked>{ASKED}))?|んで(?:も)?(?:いい|ええ|"
    f"よい)(?:です)?|んといて)"
    f"|(?:(?:{MEMORISE})る|(?:{DO})(?:を)?する)のは?、?(?:やめ|止め|よし)て(?:{REQUEST})?"
    f"|(?:(?:{MEMORISE})る|(?:{DO})(?:を)?する|(?:{PLACE}に)?残す|覚えておく)(?:必要|"
    f"こと)は?も?(?:ない|ありません|なし)(?:です)?)"
    f"{SOFT}(?={END})"
)
"""Do not remember it."""
OFF = re.compile(
    "オフレコ(?:(?:で|に)(?:お願い(?:します|いたします|ね)?|頼む|頼みます|して(?:ください|ね|おいて)?|"
    "ね)?(?:よ|ね)?(?=[、\\s]|$)"
    "|(?:です|だ|なん(?:です|だ))(?:けど|が|けれど|よ|ね|から)*)"
)
"""Off the record."""
SELF = (
    "私|わたし|僕|ぼく|俺|おれ|君|きみ|あなた|あんた|お前|ai|そちら|次|後|あと|時|とき|前|為|ため"
    "|絶対|特|一緒|確実|本当|よう|みたい|そう|すぐ"
)
"""What before に is no third person."""
OTHER_PERSON = re.compile(
    rf"(?:(?!{SELF})(?:[ァ-ヺー]{{2,}}|人|さん|くん|ちゃん|君|様|たち|達|先生|子供|子ども|息子|娘|母|父|"
    rf"妻|夫|彼|彼女|友達|みんな|皆|誰か))に(?:も|は)?(?:、|[^にを]*を|[^に]*$)"
)
"""A third person who ought to do it."""
OTHER_TELLS = re.compile(
    "(?:母|父|妻|夫|彼|彼女|先生|医者|祖父|祖母|上司|友達|あいつ|看板|メール|歌詞)(?:が|は|から|"
    "に(?:は)?)$|(?:ママ|パパ)(?:が|は)$"
)
"""A third person who said so."""
SUPPOSED = re.compile("(?:言っ|いっ|頼ん|たのん|お願いし)(?:たら|たなら|ても|てたら)|言えば|頼めば")
"""What makes a request a mere supposition."""
ADVERBS = """
やっぱり やっぱ ちゃんと しっかり 絶対に 絶対 必ず よく 一応 ずっと 忘れずに わすれずに もう ぜひ とりあえず
念のため 次のために 次回のために きちんと 何も なにも ぜったい ぜったいに 今から 別に 特に 全部 全て
すべて 綺麗に きれいに 一旦 いったん どうか できれば 出来れば よかったら 良かったら 無理に いちいち
頼むから お願いだから
""".split()  # noqa: SIM905 - a list of words reads best as words
"""Words between an object and its verb that change nothing."""

LEADS = """
あのね あのさ あの あ ねえ ねぇ ね えっと ええと じゃあ じゃ では ごめん ごめんね いい いいですか
聞いて すみません あと だから やっぱり やっぱ とにかく お願い そうだ そうそう うん はい ちなみに
それから それと というわけで ということで まあ いや やばい ちょっと 一つ ひとつ
""".split()  # noqa: SIM905 - a list of words reads best as words
"""Words that may stand before a command and change nothing."""

ADVERB = re.compile(rf"(?:{'|'.join(sorted(ADVERBS, key=lambda one: -len(one)))})、?$")
LEAD = re.compile(rf"(?:{'|'.join(sorted(LEADS, key=lambda one: -len(one)))})[、,\s]+")
ASIDE = re.compile(
    "[^、]*(?:けど|けれど|から|ので|んで)、(?=.)|(?:できれば|出来れば|よかったら|良かったら|ずっと|ちゃんと)"
)
"""What is said before the object and is no part of it."""
ONLY_LEAD = re.compile(rf"(?:(?:{'|'.join(sorted(LEADS, key=lambda one: -len(one)))})[、,\s]{{0,4}}){{1,6}}")
PARTICLES = re.compile(
    "(?:(?:だ|って|と)?(?:いう|ゆう|言う)(?=こと))?(?:だけ)?(?:を|は|も|には|については|に関しては)?$"
)
QUOTING = re.compile("(?:って|(?<!こ)と)$")
"""Particles after the words of a fact."""
NAMING = re.compile("(?:って)?という(?:こと)?$|っていうこと$")
"""What names the words before it as a fact."""
TOPICAL = re.compile("(?:は|のことは?|話|件|から|、|全部|すべて|全て)(?:もう|全部)?$")
"""What parts a topic from `忘れて`, which tells of a thing left behind after を."""
REASON = re.compile("(?:から|な?ので|な?んで|けど|けれど)$")
"""What turns the words of a fact into a reason."""
THIS = re.compile(
    "(?:これ|それ|あれ|こっち|今の|いまの|さっきの|先の|上の)(?:こと|話|件|発言|言葉|やつ|内容|会話|"
    "メッセージ|ところ|部分)?|(?:この|その|あの)(?:こと|話|件|会話|発言|やつ|内容|部分|メッセージ|点)"
    "|(?:今|いま|さっき|先ほど|さきほど|ついさっき)(?:私が|僕が|俺が)?(?:言っ|いっ|話し|伝え|書い|"
    "送っ)た(?:こと|話|の|やつ|内容)|ここ(?:から|だけ)?|次のこと|以下|大事なこと|大切なこと|重要なこと"
)
"""What points at what was said just before."""
WEIGHTY = re.compile("(?:これは|それは)?(?:とても|すごく)?(?:大事|大切|重要|あとで|後で|また|いつか|今度)")
"""Why it is to be remembered, and not what."""
TOPIC = re.compile(
    "(?:について|に関して|のことで?)、?(?:私が|僕が|俺が)?(?:さっき|前に)?(?:言っ|話し|伝え|書い|"
    "教え)た(?:こと|話|内容|の)$"
)
"""What stands after the words that name what a thing said was about."""
WAVED_ASIDE = re.compile("心配|悩み|嫌な|いやな|辛い|つらい|過去|仕事|日常|日頃|ストレス|疲れ|時間|失恋|現実")
"""What one is told to put out of mind, and not out of memory."""
THINGS = re.compile(
    "(?:で|会員|チャンネル|アプリ|冷蔵庫|写真|ファイル|動画|画像|声|友達|お気に入り)(?:を|に|の)?$"
)
"""What is kept elsewhere than in memory."""
SWEEPING = re.compile(
    "(?:(?:私に関すること|私のこと|これまでのこと|今までのこと)?(?:は|を)?|[^、]*(?:言っ|話し|"
    "伝え)たこと(?:は|を)?)?(?:全部|全て|すべて|何もかも|なにもかも|みんな)$"
)
"""So much that the user is asked first."""
REFERS = re.compile(
    "(?:メッセージ|話|件|それ|これ|今の|さっき|発言|言ったこと|話したこと|こと|住所|番号)(?:は|も|"
    "を)?(?:もう|全部)?$"
)
"""What points at things said, not at things left at home."""
MARKER = re.compile(
    "(?P<mark>今後の|今後|これから先|これからは|これから|以後|以降|これ以降|今日から|きょうから|本日から|"
    "明日から|あしたから|次回から|次から|今度から|今から|この先|来週から|来月から)"
    "(?P<topic>は)?(?!も|と|の|に|が|を)[、,\\s]*"
)
"""From when on it holds."""
ASKS_OF_YOU = re.compile(
    f"(?:[てで](?:おいて|いて)?{REQUEST}|[てで](?:ね|よ|な)|(?P<bare>[いきしちにみりっん]て|けて|めて|"
    f"べて|えて|せて|れて|んで|いで|ないで)(?![よねな])"
    f"|ないで(?:{REQUEST})?(?:ね|よ)?|で(?:お願い(?:します|ね)?|頼む|よろしく)|"
    f"よう(?:に)?(?:して{REQUEST}?|お願い(?:します)?|頼む|頼みます)|[うくぐすつぬぶむるい](?:こと|ように)"
    f"|(?:なし|ナシ|禁止|短め|長め|多め|少なめ)(?:で|に|ね|です)?|(?:のみ|だけ|口|語|体|調|モード|呼び|"
    f"名前)で|(?:に|だけ|で)(?:しよう|してこう|いこう)|でいい(?:です)?)(?:よ|ね|な)?$"
)
"""How a rule for the listener ends."""
TOWARDS_YOU = re.compile("(?:呼ん|話し|しゃべっ|答え|教え|返し|やめ|使わない|使っ|見せ)[てで]$")
"""What is done to the speaker."""
BUSY = re.compile("なので|だから|ので、|から、|けど")
"""これから that only tells what comes next."""
STATE = re.compile(
    "(?:私は|僕は|俺は|わたしは)?[^、にがを]{0,12}[ァ-ヺー一-龥](?:です|だよ|だ|なんだ|なんです|"
    "になりました|になった)$"
)
"""How a state of the speaker is said."""
NO_STATE = re.compile(
    "楽しみ|大変|心配|予定|時期|季節|つもり|仕事|問題|本番|勝負|課題|必要|大事|大切|時代|不安"
)
"""What is no state of the speaker."""
WELL_MEANT = re.compile(
    "頑張|がんば|気をつけ|気を付け|楽し|お大事|続け|よろしく|仲良く|なって|応援|幸せ|ゆっくり|休ん|無理し|"
    "よくなっ|あって(?:ほし|欲し)|増え|減っ|降っ|出て(?:ほし|欲し)|来て(?:ほし|欲し)"
)
"""What one wishes somebody."""
STORES = re.compile("保存|登録|記録")
POLITE = re.compile(f"(?:{REQUEST})")
ASKS_POLITELY = re.compile(f"[てで](?:{ASKED}|{REQUEST})$")
MAY_ASK = re.compile(f"(?:{ASKED}|ますか|ませんか|ますでしょうか|できますか)$")
