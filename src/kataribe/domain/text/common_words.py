"""Words that are more often a word than a name, and what people are called by their part in life.

Short lists by hand, of what names are made of or mistaken for; no dictionary.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
a about after again all also am an and any april are art as ash at august autumn away back bad be
because been before bell belle big bill bird black blue book boy brook brown but by call came can
captain case cat chance chapter charity chase child christian cliff clay cold come cook could
cross dale dance daisy dark dawn day dean dear december did do dog down drew dusk each earl early
east english eve even evening ever every faith fall far fern few field finally first five flora
for forest found four fox french friday frank from gene gentle german give glen go god gold good
grace grant gray great green grey had hand hands harmony has have hazel he heath heather her here
hers him his holly home honey hope house how hunter i ice if in iris iron is it its ivy jack jade
january jasmine jay jet job joy july june just justice king know lady lake lance last late lawn
left lily liberty like little long look lord lot love low man march mark marsh mason may me mercy
merry might mill mine miss monday moon moor more morning most mother much must my never new next
nick night no noble none noon north not november now oak october of off old olive on once one only
or other our out over pat patience pearl penny people perhaps piper place poor pope porter
prudence queen quick rain ray red reed rich right river rob robin rock rose round ruby rue rust
sage said sandy saturday saw say school sea see september serenity seven shall she short should
sky small snow so some soon south spring star still stone storm stormy strange strong such sue
summer sun sunday sunny sweet take tall tell ten that the their them then there these they this
those three through thursday thus time to today too top tree true tuesday two under up upon us
very victor violet vale wade was water way we wednesday well went were west what when where which
while white who whole why will willow winter wise with wolf woman wood woods word would year
yellow yes yesterday yet you young your
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""English words, small, that are seen large at the beginning of a sentence or in a phrase."""

ROLES_EN = frozenset(
    """
mr mrs ms miss mister mistress dr doctor sir lady lord madam madame mme mlle mademoiselle monsieur
master captain capt professor prof uncle aunt auntie inspector sergeant sgt colonel col major
general gen lieutenant lt commander admiral father mother brother sister grandfather grandmother
grandpa grandma granny mom mum mummy dad daddy papa mama rev reverend saint st king queen prince
princess count countess baron baroness duke duchess judge squire mayor nurse detective officer
president director chief boss narrator hero heroine protagonist boy girl man woman child baby son
daughter husband wife friend stranger teacher student pupil knight cook butler maid servant waiter
waitress driver coachman sailor soldier guard policeman constable priest monk nun bishop landlord
landlady innkeeper shopkeeper merchant lawyer clerk farmer fisherman hunter gardener porter
gatekeeper lighthouse keeper librarian scientist engineer pilot thief beggar old young little big
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""What a person is called in English by rank, kin or work; the words of it, small."""

ROLES_JA = frozenset(
    """
博士 教授 校長 教頭 教師 先生 大佐 中佐 少佐 大尉 中尉 少尉 大将 中将 少将 将軍 軍曹 伍長 曹長
兵長 刑事 警部 警部補 警官 巡査 探偵 記者 医師 医者 医院長 院長 看護婦 看護師 社長 専務 常務 部長
課長 係長 店長 店主 隊長 団長 会長 艦長 船長 機長 村長 町長 市長 署長 所長 館長 監督 和尚 住職
神父 牧師 司祭 伯爵 侯爵 公爵 男爵 子爵 王子 王女 姫 女王 国王 陛下 殿下 閣下 夫人 婦人 令嬢 老人
老婆 老婦人 老爺 爺 婆 爺さん 婆さん 娘 息子 少年 少女 青年 紳士 主人 女将 番頭 手代 丁稚 女中
下女 下男 車夫 車掌 運転手 御者 執事 門番 船頭 漁師 猟師 百姓 農夫 大工 職人 商人 弁護士 判事 検事
裁判官 役人 書記 司書 灯台守 燈台守 燈台看守 看守 兵士 兵隊 騎士 剣士 魔女 魔法使い 盗賊 海賊 乞食
旅人 客 学生 書生 生徒 助手 弟子 師匠 親方 親分 子分 隣人 大家 家主 管理人 語り手 主人公 母 父 兄
姉 弟 妹 祖父 祖母 叔父 叔母 伯父 伯母 男 女 子供 赤ん坊 坊や 奥さん 奥様 旦那 旦那様 お嬢さん
お母さん お父さん お兄さん お姉さん おじさん おばさん おじいさん おばあさん 母さん 父さん 兄さん
姉さん 娘さん 嫁 婿 甥 姪
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""What a person is called in Japanese by rank, kin or work."""

JAPANESE = frozenset(
    """
皆 みな みんな 誰 だれ 何 なに 神 仏 自分 私 僕 俺 彼 彼女 人 二人 三人 一人 人々 声 一同 今 今日
明日 昨日 今度 最後 最初 朝 昼 夜 春 夏 秋 冬 空 海 山 川 花 雪 風 雨 光 星 月 森 林 泉 桜 梅 菊
鈴 岬 港 愛 夢 心 希望 未来 永遠 奇跡 誠 実 真実 青空 大和 日向 小春 千秋 大地 太陽 世界 日本 東京
京都 大阪 学校 さくら ひかり のぞみ あゆみ みどり つばさ めぐみ あかり ひなた かおり あい ゆき
はな そら うみ あき はる なつ ふゆ かぜ つき ほし いつき まこと しのぶ こころ ゆめ すず かえで
あおい あかね いずみ みらい まもる なお まい まき みき みち のり ゆう よう りん かな かの より
から まで のに でも だけ しか ほど など こそ さえ とも かも もの こと また いつ どこ ここ そこ
それ これ あれ どれ ため まま ので のみ やら なら ばかり くらい はず わけ ところ よし さと きく
ふじ まさ たか しず いと ちよ つる とら たま もも うめ まつ すみ ロング ブラック ホワイト レッド
ブルー グリーン グレー キング クイーン スター ムーン サン ローズ リリー ペン ナイト ハンター
コック ミスター ミス ドクター キャプテン ベル ハンド ハンズ ドッグ シャツ
""".split()  # noqa: SIM905 - a list of words reads best as words
)
"""Japanese words that are given to people as names and mean something else as often; particles among them."""
