"""What kind of statement a user's sentence is, and whether it says something of lasting worth."""

from __future__ import annotations

import re
from enum import StrEnum

from kataribe.domain.conversation.folded import folded
from kataribe.domain.terms import Language


class StatementKind(StrEnum):
    """The kind of an item of a summary (S2-27)."""

    DECISION = "decision"
    REQUEST = "request"
    FACT = "fact"
    POLICY = "policy"


def _words(*lines: str) -> str:
    """Put phrases that are parted by ` / ` into one pattern, longest first."""
    phrases = " / ".join(lines).split(" / ")
    return "|".join(sorted((re.escape(phrase) for phrase in phrases), key=lambda one: -len(one)))


_POLICY_EN = re.compile(
    r"\b(?:from now on|going forward|as a rule|whenever|every (?:time|day|morning|evening|night|week|"
    r"month|year|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b"
)
_HABIT_EN = re.compile(
    r"(?:^(?:please )?|\b(?:i|we|you should|you must|please) )(?:always|never) "
    r"(?!\w+ed\b|been|had|was|were|knew|felt|thought|got|forget|mind\b|know\b|going|here\b|give up|stop\b|"
    r"mean\w*\b|said)\w+"
)
_REQUEST_EN = re.compile(
    r"\bplease\b|(?:^|[,;:] |\b(?:and|so|but|also|then) )(?:can|could|would|will) (?:you|u)\b(?! (?:like|"
    r"be|imagine|believe)\b)|\bi(?:'d| would) (?:like|love|prefer) (?:you|u) to\b|\bi (?:want|need) "
    r"(?:you|u) to\b|"
    r"\b(?:let me know|do me a favou?r)\b|"
    r"^(?:(?:ok|okay|so|and|then|now|just|also),? )*(?:help me|send|give|tell|show me|find|book|check "
    r"(?:if|whether|the)|write|translate|explain|"
    r"summari[sz]e|recommend|suggest|remind me|call|order|don't)\b(?! (?:was|is|has|had|when|feel|know|"
    r"think|miss|forget|worry|see|remember)\b)"
)
_DECISION_EN = re.compile(
    r"\blet's\b(?! (?:keep|hope|see|face|say|be)\b)|\b(?:i|we)(?:'ll| will| shall)\b(?! (?:be|never|"
    r"always|miss|have|see)\b)|\b(?:i|we)(?:'ve| have|'d| had)? (?:just |finally )?"
    r"(?:decided|agreed|settled on|chosen|chose|opted|resolved)\b|\bgoing with\b|\bmade up (?:my|our) "
    r"mind|\bit'?s settled\b|"
    r"\b(?:i'm|i am|we're|we are) (?:going to|gonna|planning to)\b"
)
_LASTING_JA = re.compile("今後は|これからは|以後|今日から")
_HABIT_JA = re.compile(
    "いつも|常に|必ず|毎[日朝晩夜週月年回]|たびに|ときは|決して(?!.*(?:ではない|ことはない|わけでは))|"
    "絶対に?.{0,20}(?:ない|ません|ないで)$"
)
_IS_DONE_JA = re.compile(
    "(?:ます|ません|る|[うくぐつぬぶむ]|(?<!で)す|ない|[てで]|ください|こと)(?:んです|んだ|の|です)?(?:よ|"
    "ね|わ|けど|から)*$"
)
_RULE_JA = re.compile("ようにしてい?(?:る|ます)|ことにしてい?(?:る|ます)|(?:しない|する)こと$")
_REQUEST_JA = re.compile(
    "(?<!なっ)(?:て|で)(?:ください|下さい|くれ(?:[よな]?$|ませんか|ますか|ない(?:か|かな)?$|る(?:か|"
    "かな)?$)|(?:ほしい|欲しい)(?!ですね)|"
    "もらえ(?:る|ない|ます|ません)|もらいたい|いただけ(?:ます|ません|ない|る(?!と))|いただきたい|"
    "ちょうだい|頂戴|頼(?:む|みます)(?:よ|ね)?$)|"
    "(?:お願いします|お願いいたします|お願いできますか|お願い)$|(?:教えて|見せて|手伝って|送って|調べて|"
    "やって|作って|書いて|貸して|探して)(?:ね|よ)?$|"
    "(?<!い)(?<!こ)(?<!ま)(?:(?<![まで])して(?:ね|よ)|ないで(?:ね|よ)?)$"
)
_DECISION_JA = re.compile(
    "ことにし(?:た|ます|ました)|ことに決め|に決め(?:た|ました|ます)|に決定|(?:に|と)(?:する|します|"
    "した)(?:よ|わ|ね)?$|でい(?:こう|く|きます)|で行(?:こう|く|きます)|"
    "つもり|(?:ましょう|おう|こう|そう|とう|のう|もう|ろう|よう)(?:か|よ|ね)?$|(?:を|に)(?:買い|選び|やめ|"
    "始め|申し込み|予約し|注文し|取り|受け|辞め)ます(?:ね|よ)?$"
)
_GUESS_JA = re.compile("(?:だろう|でしょう|そう|みたい|どう|ほう|もう|ありがとう|おはよう)(?:か|よ|ね)?$")
_OTHERS_JA = re.compile("(?<![私僕俺])(?:は|が).*ます")

_CHATTER_EN = _words(
    "hello / hi / hey / hiya / good morning / good evening / good afternoon / good night / morning / "
    "evening / bye / goodbye / see you",
    "see ya / later / talk to you later / talk to you soon / take care / have a good one / have a great "
    "day / have a nice day / cheers",
    "thanks / thank you / thanks a lot / thank you so much / thanks so much / thx / ty / you're welcome "
    "/ no problem / no worries / np",
    "ok / okay / k / yes / yeah / yep / yup / no / nope / sure / right / exactly / indeed / true / "
    "absolutely / definitely / of course",
    "i see / i know / i agree / i understand / got it / gotcha / me too / me neither / same here / same "
    "/ sounds good / sounds great / fine",
    "wow / oh / ah / aw / aww / hmm / hm / um / uh / huh / haha / hahaha / lol / lmao / omg / yay / ouch "
    "/ ugh / oops / really / nice",
    "nice one / great / cool / awesome / amazing / wonderful / perfect / lovely / good / well / oh no / "
    "oh my / oh my god / my god / no way",
    "congrats / congratulations / good luck / good job / well done / way to go / keep it up / you got "
    "this / happy birthday / sorry",
    "i'm good / i'm fine / i'm ok / i'm okay / i'm well / i'm back / i'm here / i'm in",
    "i'm sorry / excuse me / please / thanks again / all right / alright / never mind / nothing / not "
    "much / and you / so / a lot",
)
_CHATTER_AT_START = re.compile(rf"(?:(?:{_CHATTER_EN})(?![\w'])[\s,!.?~:)-]*)+")
_PRAISE_EN = re.compile(
    r"^(?:(?:oh|wow|aw+|so|and|yeah|haha),? )*(?:that|this|it|you)(?:'s| is| sounds| looks| must be|'re| "
    r"are| was)? (?:\w+ )?(?:so |really |very |pretty |such )*(?:a |an )?"
    r"(?:great|amazing|awesome|cool|nice|lovely|wonderful|fantastic|beautiful|good|sweet|funny|sad|"
    r"terrible|awful|bad|hilarious|"
    r"interesting|crazy|incredible|inspiring|true|right|perfect|fun|impressive|welcome|cute|adorable|"
    r"exciting|brilliant)(?: \w+)?$|"
    r"^(?:how|what an?|such an?|so) \w+(?: \w+){0,3}$|^i (?:love|like|hope|bet) (?:it|that|this|so)$|"
    r"^(?:can't|cannot) wait\b|"
    r"^(?:i |i'm |i am )?(?:really |so )?(?:appreciate|glad|congrats|congratulations|hope|feel free|looks "
    r"like you|happy for you|proud of you)\b|"
    r"^your [\w' ]+ (?:is|are|means?)\b|^it'?s (?:so |really )?(?:great|nice|awesome|good|cool|amazing) "
    r"(?:that|to|how)\b|^(?:keep|good luck|way to)\b"
)
_WORD_EN = re.compile(r"[a-z0-9][\w'-]*")
_SHORT_EN = re.compile(r"(?<=[a-z])'(?:m|re|ve|d|ll)\b")
_LEAST_EN = 3
"""Words that a sentence needs to say something."""

_CHATTER_JA = _words(
    "こんにちは / こんにちわ / こんばんは / こんばんわ / おはよう / おはようございます / おやすみ / "
    "おやすみなさい / はじめまして / お疲れ様 / お疲れ様です / お疲れさま",
    "お疲れさまです / お疲れさまでした / お疲れ様でした / ありがとう / ありがとうございます / "
    "ありがとうございました / どうも / どういたしまして / すみません / ごめん / ごめんなさい / ごめんね",
    "よろしく / よろしくね / よろしくお願いします / よろしくお願いいたします / こちらこそ / はい / うん "
    "/ ええ / いいえ / いや / いえ / そう / そうです / そうですね / そうだね / そうなんだ",
    "そうなんですね / そうなんですか / そうなの / そっか / そうか / そうですか / なるほど / なるほどです "
    "/ なるほどですね / たしかに / 確かに / 確かにそうですね / もちろん / もちろんです / 了解 / 了解です",
    "わかりました / 分かりました / 承知しました / わかった / 分かった / わかります / 分かります / "
    "オッケー / ok / うーん / へえ / へー / えー / え / あ / あー / おお / おー / わあ / わー / まあ / "
    "ふーん",
    "ほんと / ほんとに / 本当 / 本当に / 本当ですか / ほんとですか / まじ / マジ / まじで / またね / "
    "じゃあ / じゃあね / では / それでは / またあした / また明日 / さようなら / バイバイ",
    "私も / 私もです / 僕も / 俺も / 同じです / 同感です / いいね / いいですね / 良いですね / あはは / "
    "はは / 笑 / www / やった / やったー / いただきます / ごちそうさま / どうぞ / 大丈夫 / 大丈夫です / "
    "失礼します",
)
_CHATTER_AT_START_JA = re.compile(
    rf"(?:(?:{_CHATTER_JA})(?=[\s、。,.!?~〜ー…笑w()♪]|$)[\s、。,.!?~〜ー…笑w()♪]*)+"
)
_PRAISE_JA = re.compile(
    "(?:それは|これは|本当に|ほんとに|ほんと|とても|めっちゃ|すごく|なんか|もう|超|まあ|いやあ|"
    "、)*(?:すご|凄|かわい|可愛|いい|良|よかった|良かった|うれし|嬉し|楽しみ|楽しそう|楽し|おもしろ|面白|"
    "美味し|おいし|素敵|素晴らし|さすが|羨まし|うらやまし|残念|大変|びっくり|おめでとう|最高|綺麗|きれい|"
    "怖|やば|ひど|つら|辛)(?:い|かった|く|さ|そう)?(?:です|でした|だ|な|ん|の|ござい|ます)*(?:ね|よ|な|"
    "なあ|ー|わ)*"
)
_QUESTION_JA = re.compile(
    "(?:です|ます|ました|でした|ません|んだ|の|だろう|でしょう)か(?:ね|な|あ)?$|(?:かな|かしら|っけ)$"
)
_ECHO_JA = re.compile(
    "^[^はがもをにで、]{1,10}(?:です|だ)ね(?:ー|え)?$|(?:ん|の|そう)(?:です|だ)ね(?:ー|え)?$|(?:です|ます|でした|ました|だ)よね(?:ー|え)?$"
)
"""What only says again what the other said."""
_LEAST_JA = 5
"""Signs that a sentence needs to say something."""
_MARKS = " \t\n、。,.!?~〜ー…♪☆★()笑w"


def statement_kind(sentence: str, language: Language) -> StatementKind:
    """Give the kind of a sentence by its words; what is none of the others is a fact."""
    said = folded(sentence).text.strip(_MARKS[:-2])
    return _kind_ja(said) if language == "ja" else _kind_en(said)


def is_lasting(sentence: str, language: Language) -> bool:
    """Whether a sentence says something of lasting worth.

    A greeting, a word of assent, an exclamation or a question does not; a request in the form of a
    question does.
    """
    said = folded(sentence).text.strip()
    return _lasts_ja(said) if language == "ja" else _lasts_en(said)


def _kind_en(said: str) -> StatementKind:
    if _POLICY_EN.search(said) or _is_habit(said):
        return StatementKind.POLICY
    if _REQUEST_EN.search(said):
        return StatementKind.REQUEST
    return StatementKind.DECISION if _DECISION_EN.search(said) else StatementKind.FACT


def _is_habit(said: str) -> bool:
    """Whether it says what is always or never done, and not what has always been."""
    if "always" not in said and "never" not in said:
        return False
    return _HABIT_EN.search(said) is not None


def _kind_ja(said: str) -> StatementKind:
    if (
        _LASTING_JA.search(said)
        or _RULE_JA.search(said)
        or (_HABIT_JA.search(said) and _IS_DONE_JA.search(said))
    ):
        return StatementKind.POLICY
    if _REQUEST_JA.search(said):
        return StatementKind.REQUEST
    decided = _DECISION_JA.search(said) and not _GUESS_JA.search(said) and not _OTHERS_JA.search(said)
    return StatementKind.DECISION if decided else StatementKind.FACT


def _lasts_en(said: str) -> bool:
    rest = _without(_CHATTER_AT_START, said)
    if not rest or _PRAISE_EN.search(rest):
        return False
    if said.endswith("?"):
        return _REQUEST_EN.search(rest) is not None
    # I'm vegan: three words.
    return len(_WORD_EN.findall(rest)) + len(_SHORT_EN.findall(rest)) >= _LEAST_EN


def _lasts_ja(said: str) -> bool:
    rest = _without(_CHATTER_AT_START_JA, said)
    if not rest or _PRAISE_JA.fullmatch(rest) or _ECHO_JA.search(rest):
        return False
    if said.endswith("?") or _QUESTION_JA.search(rest):
        return _REQUEST_JA.search(rest) is not None
    return len(rest) >= _LEAST_JA


def _without(chatter: re.Pattern[str], said: str) -> str:
    """Leave out what a sentence begins with before it says anything."""
    start = chatter.match(said)
    return (said[start.end() :] if start else said).strip(_MARKS[:-2])
