"""Word lists of the planner by rule: small talk, cues of what is asked for, common words, synonyms.

Japanese and English side by side: people mix them. Everything is lower case and NFKC.
"""

from __future__ import annotations

from kataribe.domain.recall.planning import Intent

SMALL_TALK = """
おはよう おはようございます おはよー おは こんにちは こんにちわ こんちは こんばんは こんばんわ やあ
やっほー どうも
はじめまして 初めまして お久しぶり お久しぶりです 久しぶり 久しぶりです ただいま おかえり おかえりなさい
いってきます
行ってきます いってらっしゃい 行ってらっしゃい もしもし ごきげんよう
ありがとう ありがとうございます ありがとうございました ありがと ありがたい サンキュー さんきゅー
どうもありがとう 感謝 感謝です
助かる 助かります 助かりました ご苦労様 ご苦労さま お疲れ お疲れ様 お疲れさま お疲れ様です
お疲れさまです お疲れ様でした
お疲れさまでした おつかれ おつかれさま おつ 乙
はい うん ううん いいえ いや ええ そう そうだね そうですね そうなんだ そうか そっか そうそう なるほど
なるほどね 了解 了解です
了解しました りょうかい りょ わかった わかりました 分かった 分かりました 承知しました 承知です
かしこまりました オッケー オーケー
おk いいよ いいね いいですね 大丈夫 大丈夫です 問題ない 問題ないです もちろん へえ へー ふーん ほう おお
すごい すごいね
すごいですね やった よかった よかったね 良かった たしかに 確かに ほんと ほんとに まじ マジ まじで マジで
さようなら さよなら じゃあね じゃあまた じゃあ じゃ そうだ だよね だね です ですね ですか でした あはは
うふふ えへへ またね また また明日 またあした またあとで また後で ばいばい バイバイ
おやすみ おやすみなさい おやすみー お休み お休みなさい 失礼します 失礼しました ではまた では
元気 元気ですか 元気だよ お元気ですか げんき ごめん ごめんね ごめんなさい すみません すいません よろしく
よろしくお願いします よろしくね よろしくお願いいたします お願いします いただきます ごちそうさま
ごちそうさまでした
ー っ 爆笑 ね よ な さ ねえ あの えっと ええと うーん んー あー あっ わあ わー おー 今日も 本当に
ほんとうに 皆さん
みんな
hi|hello|hey|heya|hiya|yo|howdy|greetings|good morning|good afternoon|good evening|good day|good night
goodnight
hi there|hello there|hey there|welcome back|i'm back|im back
how are you|how are you doing|how are you today|how's it going|hows it going|how is it going|what's up
whats up|sup
nice to meet you|nice to see you|good to see you|long time no see|how do you do
thanks|thank you|thank you so much|thank you very much|thanks a lot|thanks so much|many thanks|thx|ty
cheers|much appreciated
you're welcome|youre welcome|no problem|no worries|my pleasure|anytime
ok|okay|k|kk|okie|alright|all right|sure|sure thing|got it|i see|understood|roger|fine|great|cool|nice
awesome|perfect
sounds good|sounds great|good|right|yes|yeah|yep|yup|no|nope|nah|of course|indeed|absolutely|exactly
really|wow|oh|ah|hm|hmm|uh|um
sorry|i'm sorry|im sorry|my bad|excuse me
bye|goodbye|good bye|bye bye|see you|see ya|see you later|see you soon|see you tomorrow|later|take care
cya|talk to you later|ttyl
have a nice day|have a good day|have a good one|have a great day|sleep well|sweet dreams
lol|lmao|rofl|hehe|xd|please|everyone|all|guys|again|then|so|well|too|and you|you too|same to you
that's great|that's nice
"""
"""Phrases: the English ones parted by bars, the others by blanks."""

LAUGHTER = r"w+|(?:ha|he|hi|ho|ah){2,}h?|[はハ]{2,}|[ふフ]{2,}|[へヘ]{2,}|笑+|爆笑"
"""What laughing looks like, as a pattern of one unit or a run of them."""

QUESTION_WORDS: dict[Intent, str] = {
    Intent.TEMPORAL: (
        r"いつ(?!も|のま|の間|か(?!ら)|し)|何時|何年|何月|何日|何曜|何歳の|\bwhen\b|\bhow long ago\b"
        r"|\bwhat (?:time|year|month|day|date)\b"
    ),
    Intent.RELATIONAL: r"誰|だれ|\bwho\b|\bwhom\b|\bwhose\b",
    Intent.TECHNICAL: (
        r"\bhow (?:do|can|should) i (?:install|set ?up|configure|fix|run|build|deploy|debug)\b"
    ),
    Intent.EMOTIONAL: (
        r"どんな気持|どう(?:感じ|思っ)|\bhow (?:did|do|does|was|is|were|are) \w+(?: \w+)? (?:feel"
        r"|feeling)\b"
    ),
}
"""What a question turns on: weighs more than a cue."""

CUES: dict[Intent, tuple[str, str]] = {
    Intent.EMOTIONAL: (
        (
            "気持|気分|感情|感じた|感じて|嬉し|うれし|楽し|たのし|悲し|かなし|寂し|淋し|さみし|さびし"
            "|怒|泣|涙|笑顔|怖|こわ[いが]"
            "|恐[れろ]|不安|心配|辛[いか]|つら[いか]|苦し|悔し|くやし|後悔|恥ずかし|好き|嫌[いだ]"
            "|大嫌い|愛し|愛情|恋|憎|嫉妬|羨まし"
            "|感動|感謝して|幸せ|しあわせ|絶望|孤独|落ち込|傷つ|喜[びんぶ]|驚[いき]|緊張|安心"
            "|悩[みん]|憧れ|懐かし"
        ),
        (
            r"\b(?:feel|feels|feeling|feelings|felt|emotion\w*|mood|happy|happiness|sad|sadness"
            "|sorrow|love|loves|loved|hate"
            "|hates|hated|afraid|fear|fears|feared|scared|angry|anger|upset|cry|cried|crying|tears"
            "|joy|joyful|excited|anxious"
            r"|anxiety|worried|worry|lonely|loneliness|grief|grieve\w*|proud|pride|ashamed|shame"
            r"|guilt\w*|jealous\w*|regret\w*"
            r"|hurt|heartbroken|miss(?:es|ed)? (?:him|her|them|you|me)|enjoy\w*|terrified|nervous"
            r"|relieved|grateful|disappointed)\b"
        ),
    ),
    Intent.TECHNICAL: (
        (
            "エラー|バージョン|設定|インストール|アプリ|プログラ|コード|サーバ|データベース|バグ|関数"
            "|変数|ライブラリ|コマンド|デバッグ|デプロイ"
            "|実装|仕様|アップデート|パスワード|ネットワーク|ファイル|フォルダ|ログイン|コンパイル"
            "|アルゴリズム|例外|引数"
        ),
        (
            r"\b(?:error|errors|exception|version|versions|config\w*|settings?|code|coding|api|apis"
            r"|install\w*|bug|bugs|debug\w*"
            r"|server|servers|database|deploy\w*|function|library|framework|software|script|command"
            r"|compile\w*|password|network"
            "|file|files|folder|login|docker|python|javascript|typescript|java|rust|sql|linux|git"
            "|github|http|https|url|json|yaml"
            r"|stack ?trace|endpoint|backend|frontend|algorithm|update|upgrade|dependency|dependencies)\b"
        ),
    ),
    Intent.TEMPORAL: (
        (
            "最近|最後|最新|最初|昨日|きのう|一昨日|おととい|今日|明日|今朝|昨夜|ゆうべ|先週|先月"
            "|先日|去年|昨年|一昨年|今週|今月|今年|来週"
            "|来月|来年|この前|このあいだ|この間|さっき|前回|[0-9一二三四五六七八九十](?:年|ヶ月|か月"
            "|カ月|週間|日|時間|分)(?:前|後)|以来|以前|[月火水木金土日]曜"
            "|[0-9]年|[0-9]月|[0-9]日|昔|当時|子供の頃|日付|何番目|順番|その後"
        ),
        (
            r"\b(?:last|ago|latest|recent|recently|yesterday|today|tonight|tomorrow|lately|earlier"
            "|before|after|since|until|date"
            "|week|weeks|month|months|year|years|monday|tuesday|wednesday|thursday|friday|saturday"
            "|sunday|january|february"
            r"|april|june|july|august|september|october|november|december|(?:march|may) \d{1,2}"
            r"|\d{1,2} (?:march|may)|(?:19|20)\d\d|first time|newest|oldest|previous\w*|currently)\b"
        ),
    ),
    Intent.RELATIONAL: (
        (
            "関係|友達|友だち|ともだち|友人|親友|家族|両親|兄弟|姉妹|夫婦|恋人|彼氏|彼女と"
            "|仲[がはのよ良間直]|知り合|仲間|同僚|上司|部下|師匠"
            "|弟子|親戚|従兄弟|いとこ|お?母さん|お?父さん|お?兄さん|お?姉さん|息子|娘|敵同士|味方"
            "|幼なじみ|幼馴染|相棒|結婚|離婚"
        ),
        (
            r"\b(?:friends?|friendship|family|relationship|relationships|related|relative|relatives"
            "|between|together|mother|father"
            "|mom|mum|dad|parents?|brothers?|sisters?|siblings?|sons?|daughters?|husband|wife|spouse"
            "|girlfriend|boyfriend|partner"
            "|cousins?|uncle|aunt|grandmother|grandfather|colleagues?|coworkers?|boss|neighbou?rs?"
            "|enem(?:y|ies)|ally|allies|married"
            r"|dating|get along|know each other|met)\b"
        ),
    ),
}

COMMON_KANJI = frozenset(
    """
今日 昨日 明日 今朝 今夜 昨夜 今晩 今年 去年 昨年 来年 今月 先月 来月 今週 先週 来週 最近 最後 最初 最新
最高 最低 以前 以後 以来
以上 以下 以外 毎日 毎朝 毎晩 毎週 毎月 毎年 一日 二日 三日 先日 当時 当日 時間 時代 時期 時刻 期間 年間
何時 何年 何月 何日
何曜日 何人 何歳 何回 何個 何処 何故 何者 何方 何度 何番 何色 何点 何円 何本 何冊 何匹 何階 何語 何事
何物 何 誰 私 僕 俺 君 彼 彼女
彼等 我々 自分 自身 本人 本当 本当的 一番 一緒 一人 二人 三人 一度 二度 一回 一方 一部 一般 一体 一応
一瞬 一切 全部 全員 全然
全体 場所 場合 場面 理由 原因 結果 方法 問題 質問 回答 返事 説明 意味 内容 名前 言葉 話題 情報 事実 事件
出来事 出来 関係 関連
友達 友人 親友 家族 両親 父親 母親 兄弟 姉妹 子供 子供達 大人 人間 人物 人々 男性 女性 男 女 人 物 事 時
所 方 中 前 後 上 下 間 頃
気持 気分 気 心 感情 感想 印象 考 思 言 話 聞 見 行 来 食 飲 読 書 買 使 作 出 入 知 会 帰 教 好 嫌 嬉
悲 楽 怒 泣 笑 大好 大嫌
仕事 会社 学校 大学 勉強 旅行 料理 食事 朝食 昼食 夕食 映画 音楽 趣味 興味 経験 予定 計画 約束 準備 練習
電話 写真 手紙 番組
新聞 本 車 電車 家 部屋 道 店 町 街 村 国 世界 日本 東京 外国 海外 天気 季節 春 夏 秋 冬 朝 昼 夜 夕方
週末 休日 誕生日 日 月 年 週
大切 大事 大変 大丈夫 必要 重要 特別 普通 有名 元気 綺麗 上手 下手 簡単 便利 安全 危険 自由 正直 真剣
無理 駄目 可能 不可能
多分 絶対 実際 実 結局 突然 急 少 多 大 小 新 古 高 安 長 短 早 遅 近 遠 強 弱 同 別 次 他 色々 様々
時々 度々 段々 少々 中々
全て 相手 相談 連絡 紹介 参加 開始 終了 完了 発見 確認 変更 変化 選択 決定 利用 使用 作成 保存 削除 検索
記憶 記録 思出 思い出
設定 実行 種類 程度 部分 状態 状況 様子 方向 目的 目標 可能性 必要性 影響 効果 理解 意見 考え 希望 夢 願
感謝 心配 安心 不安
秘密 本音 真実 嘘 過去 現在 未来 将来 昔 今 先 奥 横 隣 右 左 北 南 東 西 中心 周 外 内 側 続 始 終 月曜
火曜 水曜 木曜 金曜 土曜 日曜
月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 午前 午後 生活 人生 生 死 身体 体 頭 顔 目 耳 口 手 足
声 色 音 匂 味
御 皆 皆様 旦那様 先生 先輩 後輩 達 様 氏 殿 等 的 者 的確 当然 勿論 順番 回 回目 度 度目 番 番目 最も
非常 特
具体的 基本的
物語 登場 登場人物 主人公 章 話 文 文章 単語 発言 会話 話者 好物 職業 出身 年齢 性格 特徴 外見 服装 住所
住 働 過 起 寝
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words of kanji too common to find anything by."""

LEANING_KANJI = frozenset(
    """
今日 昨日 明日 今朝 今夜 昨夜 今晩 今年 去年 昨年 来年 今月 先月 来月 今週 先週 来週 最近 最後 最初 最新
先日 当時 当日 以前 以後
毎日 毎朝 毎晩 毎週 毎月 毎年 一番 一緒 一体 一応 一度 全部 全員 全然 結局 突然 実際 本当 絶対 多分 普段
普通 現在 過去 将来 時々 色々
自分 彼女 我々 二人 三人 一人
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words of kanji that often stand before a noun without a particle, and are no part of it."""

NOT_NAMES = frozenset(
    """
母 父 兄 姉 奥 娘 婆 爺 叔父 叔母 伯父 伯母 祖母 祖父 医者 客 皆 旦那 旦那様 嫁 息子 神 王 担任 お医者 お客
おかあ おとう おにい
おねえ おじい おばあ おじ おば ばあ じい かあ とう ねえ にい みな たく おまわり あか おく よめ
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""What has さん and the like behind it and is nobody's name."""

COMMON_KATAKANA = frozenset(
    """
コト モノ トキ ヒト ココ ソコ アソコ ドコ コレ ソレ アレ ドレ イイ ダメ ホント マジ スゴイ オレ ボク
ワタシ アナタ キミ
テレビ ニュース ゲーム スポーツ カメラ メール パソコン スマホ ケータイ インターネット ネット サイト
ページ ノート ペン ドア
テーブル イス ベッド ソファ トイレ キッチン ホテル レストラン カフェ スーパー コンビニ デパート バス
タクシー バイク ビル マンション アパート
コーヒー ビール ワイン ジュース パン ケーキ ランチ ディナー メニュー クラス グループ チーム メンバー
リーダー パーティー イベント
プレゼント ストーリー キャラ キャラクター シーン セリフ タイトル テーマ ポイント レベル タイプ スタイル
イメージ アイデア アドバイス
エラー バージョン インストール アプリ プログラム コード サーバー データ データベース ファイル フォルダ
システム ソフト バグ コマンド ログイン
パスワード ネットワーク アップデート ライブラリ データー リスト テスト メモ カレンダー スケジュール
タイミング チャンス ケース
メートル キロ グラム センチ ドル ユーロ パーセント ページ カ月 ヶ月 ケ月 ペット ボール ピアノ ギター
ダンス ショック ストレス ストップ スタート
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words of katakana that name nothing in particular."""

COMMON_LATIN = frozenset(
    """
ok okay hi hello hey lol thanks the and or of to in on at by for from with without about into over under
is are was
were be been am do does did has have had can could will would shall should may might must what when
where which who
whom whose why how this that these those there here it its he she they we you i me my your his her our
their them us
him if then than so but not no yes please tell say said let also just very much many more most any some
all each every
ask give show find describe explain list remember remind recall look think know compare name after before
since during until because while both either neither nobody someone everybody everyone something nothing
mr mrs ms dr sir madam miss i'm i've i'll i'd it's he's she's that's what's who's where's let's don't
doesn't didn't
monday tuesday wednesday thursday friday saturday sunday january february march april june july august
september
october november december english japanese god ps etc vs am pm
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words of Latin letters that name nothing in particular, capitalised or not."""

_SYNONYMS = """
母 母親 お母さん
父 父親 お父さん
兄 お兄さん
姉 お姉さん
祖母 おばあさん
祖父 おじいさん
友達 友人
医者 医師
病院 医院
車 自動車
mom mum mother
dad father
grandma grandmother
grandpa grandfather
kid child
kids children
movie film
picture photo photograph
car automobile
bike bicycle
phone telephone
doctor physician
"""
SYNONYMS: tuple[tuple[str, ...], ...] = tuple(tuple(line.split()) for line in _SYNONYMS.split("\n") if line)
"""Groups of everyday words that say the same; a word is in one group only."""
