"""What a name in the narration does there: speaks, acts, is acted on, or is only spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from kataribe.adapters.rules.names import Mention
from kataribe.adapters.rules.passages import BLANK, QuotedPassage
from kataribe.adapters.rules.presence import HONORIFIC, TITLE, is_acting
from kataribe.adapters.rules.subjects import is_subject
from kataribe.domain.text.paragraphs import Span


class Deed(IntEnum):
    """What a mention says of its owner's presence, the weakest first."""

    ABSENT = 0
    """Spoken of as of somebody elsewhere: a possessive, a comparison, a thing remembered."""
    NAMED = 1
    """Named, and no more can be told."""
    TOLD = 2
    """Told of: described, said to have done it before, expected to do it."""
    TOUCHED = 3
    """Looked at, spoken to, stood beside."""
    HEARD = 4
    """Is told something."""
    ACTED = 5
    """Does something of the body, or says something."""


_PLURAL = "(?:たち|達|ら|等)?"
_SUBJECT_JA = re.compile(
    f"{HONORIFIC}{_PLURAL}(?:自身|一人|ひとり)?(?:は|が|も(?!う)|まで|こそ|の(?=[^。、]{{1,12}}(?:時|とき"
    f"|ところ)))[、，]?"
)
_SPEECH_JA = (
    "云|言|謂|申|述べ|話|語|聞|訊|尋|たずね|たづね|問|答|こたえ|こたへ|返事|叫|さけ|呼|囁|ささや|呟|つぶや"
    "|怒鳴|どな"
    "|いっ(?:た|て)|いい(?:ま|な|か|だ)|いひ|頼|命じ|告げ|喋|しゃべ|弁じ|論じ|挨拶|あいさつ|尋|促|遮|切り出"
    "|口を|教え|おしえ|伝え|打ち明|明か[しす]|白状|報告|説明|相談|詫び|励ま|慰め|誘[っいう]"
)
_TELLS_JA = re.compile(
    f"{HONORIFIC}{_PLURAL}(?:だけ|にだけ)?(?:に(?:だけ|は|も)?|へ)[、，]?[^。！？]{{0,40}}?"
    "(?:教え|おしえ|話し|語っ|語り|伝え|告げ|打ち明け|明かし|囁い|ささやい|耳打ち|報告し|説明し|白状し|知らせ"
    "|言っ|云っ|いっ)(?:た|て(?:い|し|や|お|く|み)?|ました|ていた|てしまった|てくれた|ておいた)"
)
"""Whoever is told something in the narration hears it: 澪に打ち明けた."""
_BODY_JA = (
    "(?<!出)来(?!る(?:まで|前|日|筈|はず))|行[っきくけこ]|往[っきく]|帰|戻|もど|出[てたるまし]|出かけ|這入"
    "|はい[っりる]|入[っりる]|上が|上っ|あが|下り|降り|おり[たて]|乗[っりる]"
    "|立[ちっつた]|起き|起[っちた]|座|坐|すわ|腰[をかか掛]|寝[てたるころ転]|歩|あるい|走|はし[っり]|駆|駈"
    "|かけ[てたよ出だ]|馳|逃|飛[びんぶ]|跳|転|ころ|倒|動[いきく]|止[まめ]"
    "|停|近づ|近寄|寄[っりる]|離れ|退[いき]|去[っりる]|着[いきく]|通[っりる]|渡[っりるし]|進|すす[みん]"
    "|向[いきくけっか]|むい|振|ふり|見[たてるせまな上下つ回]|みつめ"
    "|眺|ながめ|覗|のぞ|睨|にら|窺|うかが|瞬|眼を|目を|顔を|首を|頭を|手[をにで]|指[をで]|腕を|肩を|唇|眉"
    "|涙|泣|なき|笑|わら|微笑|ほほえ|ほほ笑|怒[っりる]"
    "|黙|だま[っり]|うなず|うなづ|頷|首肯|持[っちつ]|取[っりる]|とっ[たて]|握|掴|つか[んみま]|抱|押"
    "|引[いきく]|開[いけくき]|あけ|閉|しめ|置[いきく]"
    "|出し|だし[たて]|投げ|なげ|拾|打[っちつ]|叩|殴|なぐ|撲|撫|触|抑|書[いきく]|読|よん|食[べっう]|喰|たべ"
    "|飲|のん|呑|吸[っい]|吹|脱[いぎ]|被|示|待[っちつ]|聴"
    "|従|随|つい[たてき]|連れ|つれ|抜[いきけ]|切[っりる]|拭|洗|掃|運|担|負|凭|もたれ|しゃが|かが[んみ]|屈"
    "|伏|跪|睡|眠|ねむ|覚[めま]|さめ|驚|おどろ|びっくり|慌|あわて"
    "|咳|息を|溜息|ため息|震|ふる[えわ]|赤[くい面]|青[くざ]|現|あらわ|顕|飛び|居[たるり合並]"
    "|い[たる](?=[。、，]|$)|ゐ[たる]|迎え|案内|揃|集|並[んびべ]|加わ|続[いけ]|つづ[いけ]|勧め|すすめ"
    "|くれ[たまて]|呉れ|やっ[たて]"
    "|しま[いっう]|始め|はじめ"
)
_EVENT_JA = re.compile(f"{_SPEECH_JA}|{_BODY_JA}")
_HEARSAY_JA = re.compile(
    "(?:[らかさたなばまわがっきいりえけせてねべめれ来見出]ない|なかった|ません(?:でした)?|ぬ|だろう"
    "|でしょう|であろう|まい|らしい|らしかった|そうだ|そうです|そうである|という(?:話|噂|こと|事)(?:だ"
    "|である)?|とか|かも知れ(?:ない|ぬ|ません)|かもしれ(?:ない|ません)"
    "|はずだ|筈だ|に違いない|に相違ない|つもりだ|ものだ|もんだ|者だ|人だ|人である|男だ|男である|女だ"
    "|女である|奴だ|やつだ|訳だ|わけだ|のだろう|のか|だろうか|ないか|たい|ものか|もんか|いい|がいい|ばいい)"
    "[。！？!?…―]*$"
)
_LEADS_ON_JA = re.compile(
    "(?:死(?:ん|ぬ|に)|た(?:事|こと)(?:が|は|も)(?:ある|あった|あり|ない|なかっ)|と(?:云う|言う)(?:意味|話"
    "|事|こと|の|訳|わけ|説|噂)|(?:れ|け|せ|え|め|べ|て|ね|げ)ば(?!かり)|よく[云言]|決して|来るはず|なんて"
    "|なんか|など[はが]|とは|なら(?:ば)?|だったら|だって|という|といふ|ほど|ように|みたい|ばかりか)"
)
# The deed is inside of what is said of it: 来たと云う話, 食べるのを, 行った事.
_INSIDE_JA = re.compile(
    "[ぁ-ん出込上下合続始掛]{0,8}?(?:た|だ|る|う|く|す|つ|ぶ|む|ぐ|ぬ)"
    "(?:と(?:云う|言う|いう)|とか|の(?=[をはがにもでだ])|事|こと|かと|かも|か。|奴|者|男|女|ばかり|くらい"
    "|ぐらい|ほど|まで|前|はず|筈|つもり|よう[にな])"
)
# …と云った, …と聞くから: what is said without quotation marks, however long it is.
_REPORTS_JA = re.compile(
    "と(?:[云言](?:った(?!ら|事|こと|の|話|意味|文句|人|男|女|通り)|って(?!い[るたな]|居|も)|い(?:ながら|出し|捨て|まし)"
    "|う(?:から|ので|が、|し、|[。、]))|いった(?![ら事こと話])|いって(?=[、，]|、)"
    "|(?:聞|訊)(?:いた(?!ら)|いて(?!み)|く(?:から|ので|[。、]))|(?:尋ね|たずね|問う|問い返|答え|こたえ|返事を?し|挨拶を?し|注意を?し"
    "|説明を?し|忠告を?し|報告を?し|命令を?し|叫ん|叫び|怒鳴|どな[っり]|教えて?|述べ|頼ん|頼み|誘っ|勧め|すすめ|断わ|断っ"
    "|申し|笑った|ほめた|褒めた|弁じ|論じ)(?!れば|ない|なかった))"
)
_ASKED_JA = re.compile(
    f"{HONORIFIC}(?:に|へ)[^。「」]{{0,24}}?(?:聞|訊|尋ね|たずね|問|催促|談判|相談|頼|話し|掛け合|云|言|挨拶)"
    "[^。、「」]{0,6}?(?:すると|くと|うと|みると|たら|ところ(?:が|で)?)[、，]?"
)
"""An answer follows: 葵に聞いてみると, 玄さんに催促すると."""
_MET_JA = re.compile(
    f"{HONORIFIC}{_PLURAL}(?:に(?:ばったり|ふと|また)?(?:出っ喰わ|出くわ|でくわ|出逢[っい]|出会[っい]|行き逢|行き会|追いつ[いき]|追い付)"
    "|を(?:捕まえ|捕え|つかまえ|つらまえ|呼び止め|呼びとめ|(?:つ|連|伴)れて(?:来|き|行|い|帰|出|、)))"
)
_FANCIED_JA = re.compile(
    "[^。]{0,60}?(?:たら|れば|なら|たい|だろう|でしょう|ましょう|つもり|たことが|た事が|そうだ)"
)
_THERE_JA = re.compile(
    f"{HONORIFIC}(?:と(?:か)?(?:云|言|い)(?:う|って))?[^。、]{{0,16}}?(?:の|男|女|人|者|先生|教師|生徒|娘|子|老人|坊主)"
    "が(?:居|い|来|き|立って|坐って|座って)(?:た|て|ました|る)"
)
"""Somebody is introduced who is there: 古賀と云う男が居た."""
_IS_HE_JA = re.compile(f"{HONORIFIC}(?:だ|である|だった|であった|でした|です)(?:[。、！]|な)")
_LOOKS_JA = re.compile(
    "(?:と思(?:った|う)ら|見ると|見れば|見たら|聞くと|振り(?:向|返)[くるっ][とた]ら?|開けると|あけると"
    "|(?:来|き|い|居|立ってい|入って来|はいって来)(?:た|る)のは)[、，]?[^。]{0,12}$"
)
_TOUCHED_JA = re.compile(
    f"{HONORIFIC}{_PLURAL}(?:に(?!つい|関|似|とって|よれ|よる|は[^。]{{0,12}}な)|へ(?!の|は)|と(?!いう|いふ"
    f"|云う|言う|いっ|は|も|か|違|異|同じ|比べ)|を(?!思|想|知)"
    "|の(?:顔|目|眼|手|声|肩|前|隣|となり|そば|側|横|背|方|腕|頭|髪|指|胸|足|口|耳|傍|うしろ|後ろ|後に"
    "|後から|姿|涙|様子|袖|膝|額|頬|唇|返事|言葉|問|後を|あと))"
)
_FAR_JA = re.compile(
    "[^。]{0,24}?(?:思い|考え|夢|手紙|葉書|便り|電報|会い(?:に|た)|逢い(?:に|た)|送[っる]|知らせ|もらった"
    "|貰った|つもり|恋|惚れ)"
)

_SPEECH_EN = frozenset(
    """
said says asked asks replied replies answered answers cried cries whispered whispers murmured
shouted exclaimed returned repeated continued added began muttered remarked observed inquired
enquired demanded declared called laughed chuckled sighed yelled screamed told retorted responded
protested agreed explained insisted warned urged pleaded suggested stammered snapped growled hissed
spoke interrupted interposed ejaculated resumed went broke put roared bawled gasped bellowed
echoed panted thundered faltered sneered croaked piped drawled breathed mumbled grunted grumbled wailed
sobbed swore hailed assented objected conceded confessed announced proposed commanded pursued concluded
quoth whimpered
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_STATES_EN = frozenset(
    """
had has have was were is are be been would should could might must may will shall can did does do
seemed appeared wanted loved liked hated owned lived used belonged knew thought believed hoped
feared remembered recalled wished supposed imagined considered meant needed deserved existed
resembled remained became kept died married inherited preferred trusted understood expected intended
doubted wrote worked of and or in on with to at by for from that than as but not never always often
once who whom whose which what when where if because though while so too also himself herself itself
itself’s
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_IRREGULAR_EN = frozenset(
    """
came went sat stood took gave got ran rose fell threw caught held laid lay led left let lit made met
drew drank drove ate felt fled flung flew bent bit blew broke brought built bought chose clung crept
dealt dug fought found froze ground hid hit hung hurt knelt leapt leant lost paid put quit read rode
rang sang sank saw sent set shook shone shot shut slept slid slipped smelt spoke spat spun sprang
stole stuck struck strode stooped swam swept swore swung tore told trod turned woke wept wore wound
heard began burst cast cut knocked said listened
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_PRESENT_EN = frozenset(
    """
says asks replies answers cries whispers is are
comes goes sits stands takes gives gets runs rises falls throws catches holds lays leads leaves lets
makes meets draws drinks drives eats flees bends bites brings clings creeps fights finds hides hits
hangs kneels leaps leans puts reads rides sees sends sets shakes shuts sleeps slides speaks spins
springs steps sticks strikes strides stoops sweeps swears swings tears tells turns wakes weeps hears
looks nods smiles grins shrugs frowns laughs sighs pauses stares glances walks points pulls pushes
reaches opens closes lifts drops picks touches grabs waits stops moves watches listens blinks raises
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_ING_EN = re.compile(
    r"(?:\w+ly |now |still |already |again |there |not |alone |just )*(?P<verb>\w+ing|seated|gone|come"
    r"|there|here|beside"
    r"|waiting|standing|in the|at the|on the)\b"
)
_DOING_EN = frozenset(
    """
accompanying following leading walking running riding sitting standing lying leaning carrying holding
bringing coming talking speaking smiling laughing weeping whispering crying
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_DID_SO_EN = re.compile(r"(?:so|it|that|the same|likewise)\b")
_VERB_EN = re.compile(
    r"(?:\s[A-Z][\w’'-]+)?(?:,[^,.!?;:\0]{1,60},)?(?:\s+(?:\w+ly|then|now|still|only|just|also|both|all"
    r"|again|too|himself|herself|at\s+(?:once|last|length)|never"
    r"|once(?:\s+more)?))*\s+(?P<verb>[a-z]+)(?:\s+(?P<rest>[^.!?\0]{0,40}))?"
)
_OBJECT_EN = re.compile(
    r"\b(?P<word>to|at|with|by|upon|on|for|from|into|beside|behind|before|after|near|toward|towards|against"
    r"|past|over"
    r"|told|asked|saw|met|called|heard|seized|caught|took|followed|led|handed|gave|showed|found|watched"
    r"|answered|joined|left|pushed|held|helped|kissed|pulled|struck)"
    rf"\s+(?:the\s+|poor\s+|old\s+|young\s+|little\s+|dear\s+)*{TITLE}?$"
)
_TOLD_EN = re.compile(
    r"(?<!not )(?<!never )(?<!to )\b(?:told|informed|assured|warned|asked|begged|bade|ordered|urged"
    r"|(?:confessed|whispered|explained|revealed|said|spoke|murmured|muttered|cried|called) to)"
    rf"\s+(?:the\s+|poor\s+|old\s+|young\s+|little\s+|dear\s+)*{TITLE}?$"
)
"""Whoever is told something in the narration hears it."""
_SAID_TO_EN = re.compile(
    r"(?<!not )(?<!never )\b(?:said|spoke|explained|translated|repeated|read|turned|nodded|bowed|beckoned"
    r"|signed|called"
    rf"|shouted|handed|passed)\s+(?:(?!had\b)[\w’']+\s+){{0,4}}to\s+(?:the\s+|poor\s+|old\s+)*{TITLE}?$"
)
_MET_EN = re.compile(
    r"(?<![Hh]ad )(?<![Ii]f )\b(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|and|\w+ly)\s+(?:met|found|joined"
    r"|overtook|encountered|accompanied|followed"
    rf"|led|brought|helped|stopped)\s+(?:the\s+|poor\s+|old\s+|young\s+|little\s+|dear\s+)*{TITLE}?$"
    r"|\b(?i:accompanied|followed|joined|attended|assisted|helped|met|led|preceded|supported|backed)\s+by"
    rf"\s+(?:the\s+|poor\s+|old\s+|young\s+|little\s+|dear\s+)*{TITLE}?$"
    rf"|\b(?:together|along|in\s+company)\s+with\s+(?:the\s+|old\s+|young\s+)*{TITLE}?$"
    rf"|\b(?:and\s+|when\s+)?[Tt]here\s+(?:stood|sat|lay|came|was)\s+(?:the\s+|old\s+|our\s+)*{TITLE}?$"
)
"""Whoever is met, found or led is there."""
_CLOSE_EN = frozenset(
    """
at with beside behind upon toward towards told asked saw met heard seized caught took followed led
handed gave showed watched joined pushed held helped kissed pulled struck past to
""".split()  # noqa: SIM905 - a list of words reads best as words
)
_JOIN_JA = re.compile(f"{HONORIFIC}(?:と|や|も|、)")
_JOIN_EN = re.compile(rf"(?:,?\s+and\s+|,\s+){TITLE}?")
_SAYS_EN = _SPEECH_EN - {"told", "asked", "called", "answered"}
_SAID_EN = re.compile(rf"\b(?P<verb>\w+)\s+(?:the\s+|old\s+|young\s+|poor\s+)*{TITLE}?$")
_NOW_EN = re.compile(r"\b(?:says|asks|is|are|am|has|does|doesn[’']t|isn[’']t|don[’']t)\b")
_THEN_EN = re.compile(r"\b(?:said|asked|was|were|had|did|didn[’']t|wasn[’']t)\b")
_LOOK_BACK = 48
_LOOK_ON = 60


def deed_of(passage: QuotedPassage, mention: Mention, *, in_present: bool = False) -> Deed:
    """Say what a mention in the narration does there.

    `in_present` says that an English narration is in the present tense.
    """
    if mention.first_person:
        return Deed.ACTED
    if passage.language == "ja" and _is_introduced_ja(passage, mention):
        return Deed.ACTED
    if not is_acting(passage, mention):
        return Deed.ABSENT
    if passage.language == "ja":
        beside = _beside(passage, mention)
        return _deed_ja(passage, mention) if beside is None else deed_of(passage, beside)
    return max(_deed_now(passage, one, in_present) for one in _listed(passage, mention))


def _listed(passage: QuotedPassage, mention: Mention) -> list[Mention]:
    """Give all who are named one after the other with it: Mio, Tom and Ann."""
    found = [mention]
    while (after := _beside(passage, found[-1])) is not None:
        found.append(after)
    for before in reversed(passage.told_in(passage.start, mention.start)):
        if _beside(passage, before) != found[0]:
            break
        found.insert(0, before)
    return found


def _deed_now(passage: QuotedPassage, mention: Mention, in_present: bool) -> Deed:
    """Say what a mention in an English narration does there, by itself."""
    if mention.first_person:
        return Deed.ACTED
    if not is_acting(passage, mention):
        return Deed.ABSENT
    deed, verb = _deed_en(passage, mention)
    # What is told in the past tense amid the present was before.
    return Deed.TOLD if in_present and deed is Deed.ACTED and verb not in _PRESENT_EN else deed


def told_in_present(passages: Iterable[QuotedPassage]) -> bool:
    """Whether the narration of an English text is in the present tense more than in the past."""
    told = [passage.narration for passage in passages if passage.language == "en"]
    return sum(len(_NOW_EN.findall(each)) for each in told) > sum(
        len(_THEN_EN.findall(each)) for each in told
    )


def _beside(passage: QuotedPassage, mention: Mention) -> Mention | None:
    """The one named with it, who does the same: 澪と樹は歩いた, Mio and Tom walked."""
    join = (_JOIN_JA if passage.language == "ja" else _JOIN_EN).match(passage.text, mention.end, passage.end)
    following = passage.told_in(join.end(), join.end() + 1) if join is not None else ()
    return following[0] if following else None


def _deed_ja(passage: QuotedPassage, mention: Mention) -> Deed:
    text = passage.text
    sentence = passage.sentence_at(mention.start)
    subject = _SUBJECT_JA.match(text, mention.end, sentence[1])
    rest = _rest(passage, (mention.end, sentence[1]))
    if subject is not None:
        told = rest[subject.end() - mention.end :]
        if _reports_ja(passage, mention, sentence):
            return Deed.ACTED
        if _LEADS_ON_JA.search(told[:_LOOK_ON]) or _HEARSAY_JA.search(told.rstrip(BLANK + "　 ")):
            return Deed.TOLD
        event = _EVENT_JA.search(told[:_LOOK_ON])
        if event is None or _INSIDE_JA.match(told, event.end()):
            return Deed.TOLD
        return Deed.ACTED
    if _is_met_ja(passage, mention, sentence):
        return Deed.ACTED
    if _TOUCHED_JA.match(text, mention.end, sentence[1]) and not _FAR_JA.match(rest):
        return Deed.HEARD if _is_told_ja(passage, mention, sentence) else Deed.TOUCHED
    return Deed.NAMED


def _is_introduced_ja(passage: QuotedPassage, mention: Mention) -> bool:
    """Whether somebody is told to be there for the first time, or is recognised."""
    begin, end = passage.sentence_at(mention.start)
    if _THERE_JA.match(passage.text, mention.end, end):
        return True
    before = passage.told_between(begin, mention.start)
    return bool(_IS_HE_JA.match(passage.text, mention.end, passage.end) and _LOOKS_JA.search(before))


def _reports_ja(passage: QuotedPassage, mention: Mention, sentence: Span) -> bool:
    """Whether a subject says what follows, without quotation marks, and nobody else of the cast is named."""
    said = _REPORTS_JA.search(passage.told_between(mention.end, sentence[1]))
    if said is None:
        return False
    stop = mention.end + said.start()
    others = passage.told_in(sentence[0], stop)
    return not any(is_subject(passage, other) for other in others if other.start != mention.start)


def _is_met_ja(passage: QuotedPassage, mention: Mention, sentence: Span) -> bool:
    """Whether somebody is asked and answers, is met, or is taken along."""
    for pattern in (_ASKED_JA, _MET_JA):
        met = pattern.match(passage.text, mention.end, sentence[1])
        if met is not None:
            after = passage.told_between(met.end(), sentence[1])
            return pattern is _ASKED_JA or not _FANCIED_JA.match(after)
    return False


def _is_told_ja(passage: QuotedPassage, mention: Mention, sentence: Span) -> bool:
    told = _TELLS_JA.match(passage.text, mention.end, sentence[1])
    if told is None:
        return False
    after = passage.told_between(told.end(), sentence[1])
    # What is meant to be told, or was not, nobody has heard yet.
    return not _LEADS_ON_JA.match(after) and not _HEARSAY_JA.search(after.rstrip(BLANK + "　 "))


def _rest(passage: QuotedPassage, span: Span) -> str:
    return passage.told_between(*span)


def _deed_en(passage: QuotedPassage, mention: Mention) -> tuple[Deed, str]:
    """Say what a mention does, and by which verb."""
    before = passage.told_between(max(passage.start, mention.start - _LOOK_BACK), mention.start)
    said = _SAID_EN.search(before)
    if said is not None and said["verb"] in _SAYS_EN:
        return Deed.ACTED, said["verb"]
    if _MET_EN.search(before):
        return Deed.ACTED, "met"
    thing = _OBJECT_EN.search(before)
    if thing is not None:
        if _TOLD_EN.search(before) or _SAID_TO_EN.search(before):
            return Deed.HEARD, ""
        return (Deed.TOUCHED if thing["word"] in _CLOSE_EN else Deed.NAMED), ""
    match = _VERB_EN.match(passage.told_between(mention.end, passage.end))
    if match is None:
        return Deed.NAMED, ""
    return _verb_en(match["verb"], match["rest"] or "", is_subject(passage, mention)), match["verb"]


def _verb_en(verb: str, rest: str, subject: bool) -> Deed:
    if verb in ("was", "were", "is", "are"):
        return Deed.ACTED if subject and _ING_EN.match(rest) else Deed.TOLD
    if verb in _STATES_EN:
        return Deed.ACTED if verb == "did" and subject and _DID_SO_EN.match(rest) else Deed.TOLD
    if (
        verb in _SPEECH_EN
        or verb in _IRREGULAR_EN
        or verb in _PRESENT_EN
        or verb in _DOING_EN
        or (verb.endswith("ed") and len(verb) > 4)
    ):
        return Deed.ACTED
    return Deed.TOLD if subject else Deed.NAMED
