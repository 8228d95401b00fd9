"""Words that say a newer statement replaces an older one.

Only where the words say so: "not … any more", "actually", "I used to … but now", 「もう…ない」,
「やっぱり」, 「じゃなくて」. What is asked, quoted or supposed corrects nothing. Whether an older
statement is there to be replaced is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kataribe.domain.conversation.folded import (
    FoldedText,
    folded,
    mentions,
    sentence_spans,
    trimmed,
    without_quotations,
)
from kataribe.domain.terms import Language
from kataribe.domain.text.paragraphs import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A newer statement, and the value that it replaces where the words name it."""

    new: Span
    """Which words hold now; the whole clause where it only says that something has ended."""
    old: Span | None = None
    """Which words hold no longer."""


class _Wording:
    """One way of saying that something has changed.

    Its pattern gives `new` and, where it is named, `old`; it is tried where one of the marks stands.
    """

    def __init__(self, marks: tuple[str, ...], pattern: str) -> None:
        self.marks = marks
        self.pattern = re.compile(pattern)

    def read(self, said: str) -> re.Match[str] | None:
        return self.pattern.search(said) if mentions(said, self.marks) else None


_SUBJECT = r"(?:i|we|he|she|it|they|you|(?:my|our|his|her|their|the) [\w' -]{1,40}?|[a-z]+)"
_NEGATED = (
    r"(?:(?:'m|'re|'s|\s+(?:am|is|are|do|does|can|will|have|has|would)) not|\s+(?:don't|dont|doesn't|"
    r"aren't|isn't|can't|cannot|won't|"
    r"haven't|hasn't))"
)
_ABLE = (
    r"(?:wait|take|stand|bear|do (?:this|it|that)|handle|go on|care|believe|keep up|hold|deal|imagine|"
    r"resist|think|know(?= any)|hungry|angry|mad|tired|sad|scared|worried|"
    r"want to (?:talk|hear|see|do|think))\b"
)
_LEAD = r"(?:(?:oh|no|wait|well|sorry|actually|hey|by the way|btw|you know|unfortunately|sadly),?\s+)*"
"""What an English sentence may begin with before it says anything."""
_NOW = r"(?:now(?:adays)?|these days|today|lately)"
_STATED = (
    r"(?:i|i'm|i've|i'd|it|it's|he|he's|she|she's|we|we're|they|they're|my|our|his|her|the|let's|make|call|"
    r"never)\b"
)
_PASSING = (
    r"(?:only|just|really|sure|that|yet|at all|because|to|even|so|like|necessarily|always|much|bad|easy|"
    r"about|a big)\b"
)
"""What after "not" contrasts no value."""
_ADDED = (
    r"(?:i|we)(?:'ve|'d| have| had| just| was| were| did| went| got| took| recently| also| think| never| "
    r"\w+ed)\b|(?:i|we|he|she|it|they) (?:(?:do|did|am|is|are|can|have|was)(?:n't)?|can't|"
    r"(?:love|like|hate) it)$"
)
"""What goes on after "actually" with news, and changes nothing that was said."""
_HOLDS = (
    r"(?:i|we|you|he|she|they|(?:my|our|his|her|the) [\w ]{1,30}?) (?:(?:live|work|stud(?:y|ie)|teach|teache|"
    r"stay|drive|play|prefer|drink|eat|like|love|speak|use|own|keep|meet|need|want|run|come|go)s?|ha(?:ve|s)|"
    r"(?:was|were) born|grew up|am|are|is)\b"
)
"""Who does, has or is what at all times, so that another value of it cannot hold beside it."""
_NO_VALUE = (
    r"(?:only|just|really|sure|that|yet|at all|because|to|even|so|like|necessarily|always|much|bad|easy|"
    r"about|far|near|too|very|quite|exactly|often|again|long|for|with|when|if|until|gonna|going|now|today|tonight|"
    r"tomorrow|this|here|there|me|you|us|everyone|many|good|great|nice|fair|true|possible|possibly|"
    r"(?:a|an|any|my|your|the) (?:big|bit|lot|problem|chance|fan|clue|idea|thing|doubt|surprise|worry|fault|"
    r"point|first time))\b"
)
_VALUE = (
    r"(?:(?:in|at|on|to|from|by) )?(?:(?:the|a|an|my|our|his|her) )?(?!\w+(?:ing|ly)\b)[\w'-]+(?: [\w'-]+)?"
)
"""What can stand in the place of another value: a name or a thing, in a word or two."""
_ORDER = (
    r"(?:please |let's )?(?:call|make|use|book|order|send|put|take|write|remember|buy|bring|go|set|meet|do|"
    r"have|start|come)\b"
)

_ENGLISH = (
    _Wording(
        ("any more", "anymore", "any longer"),
        rf"(?:^{_LEAD}|[,;]\s*|\b(?:but|and|so|because)\s+)(?P<new>(?!(?:that|this|there|"
        rf"who)\b){_SUBJECT}{_NEGATED}\s+"
        rf"(?:even )?(?!{_ABLE})(?P<old>\S[^,;]*?)\s+(?:any ?more|any longer))(?=$|[,;]|\s+(?:because|"
        rf"since|so|and|but)\b)",
    ),
    _Wording(
        ("no longer",),
        rf"(?:^{_LEAD}|[,;]\s*|\b(?:but|and|so|because)\s+)(?P<new>{_SUBJECT}(?:'m|'re|'s|\s+(?:am|is|are|can|do|"
        rf"does|will))?\s+no longer "
        r"(?!than\b)(?P<old>[^,;]+))",
    ),
    _Wording(
        ("used to",),
        r"(?P<new>^.*\bused to (?P<old>[^,]+?),? but not any ?more)$",
    ),
    _Wording(
        ("used to",),
        rf"\bused to (?P<old>[^,;]+?),? (?:but|and|though|whereas) {_NOW}[, ]+(?P<new>.+)$",
    ),
    _Wording(
        ("used to",),
        rf"\bused to (?P<old>[^,;]+?),? but (?P<new>{_STATED}.+?) {_NOW}$",
    ),
    _Wording(
        ("my mind",),
        r"^(?:[\w' ]+, )?(?:i've|i have|i) changed my mind[,:\s-]+(?:and )?(?P<new>(?!(?:about|on|"
        r"again)\b).+)$",
    ),
    _Wording(
        ("scratch", "correction", "wait", "let me correct"),
        r"^(?:scratch that|correction|no,? wait|wait,? no|let me correct (?:that|"
        r"myself))[,:\s-]+(?P<new>.+)$",
    ),
    _Wording(
        ("actually",),
        rf"^(?:(?:oh|no|wait|well|sorry|hmm|um|ah|oops|yeah),? )*actually(?:,? no)?,\s*(?:no,? )?(?!i "
        rf"meant|{_ADDED})(?P<new>{_STATED}.+)$",
    ),
    _Wording(
        ("actually",),
        r"^(?:(?:oh|no|wait|sorry|well),? )*actually (?P<new>(?:it's|i'm|my|he's|she's)\b.+?), not "
        r"(?P<old>.+)$",
    ),
    _Wording(
        ("i meant",),
        r"^(?:(?:oh|no|wait|sorry|oops|my bad|actually|i mean),? )*i meant (?:to say )?"
        r"(?!(?:to|it|that|what|well|no|every|for|by|this|when|how|as)\b)(?P<new>[^,]+?)(?:,? not "
        r"(?P<old>[^,]+))?$",
    ),
    _Wording(
        (", not ",),
        rf"^(?P<new>(?:it's|it is|i'm|he's|she's|we're|they're|(?:my|our|the|his|her) [\w ]+? (?:is|"
        rf"are)) (?!not\b)[^,]+?), not (?!{_PASSING})(?P<old>.+)$",
    ),
    _Wording(
        (", not ",),
        rf"^{_LEAD}(?P<new>{_HOLDS} [^,;]+?), not (?!{_NO_VALUE})(?P<old>{_VALUE})$",
    ),
    _Wording(
        ("not ",),
        rf"^{_LEAD}not (?!{_NO_VALUE})(?P<old>{_VALUE}), (?:but )?(?P<new>{_HOLDS} [^,;]+)$",
    ),
    _Wording(
        (" not ",),
        r"^(?:it's|it is|i'm|he's|she's|(?:my|our|the) \w+ is) not (?P<old>(?:at |on |in |the |called "
        r")?[\w:]+),? (?:but )?"
        r"(?P<new>(?:it's|it is|i'm|he's|she's) (?:at |on |in |the |called )?[\w:]+)$",
    ),
    _Wording(
        ("instead of", "rather than"),
        rf"^(?P<new>{_ORDER}[^,]*?) (?:instead of|rather than) (?P<old>.+?)(?: {_NOW}| please)?$",
    ),
    _Wording(
        ("instead of", "rather than"),
        rf"^{_NOW},? (?P<new>{_STATED}[^,]*?) (?:instead of|rather than) (?P<old>.+)$",
    ),
    _Wording(
        ("instead of", "rather than"),
        rf"^(?P<new>{_STATED}[^,]*?) (?:instead of|rather than) (?P<old>.+?) {_NOW}$",
    ),
    _Wording(
        ("or rather",),
        r"\bor rather,? (?P<new>.+)$",
    ),
)
_SUPPOSED_EN = re.compile(r"^(?:if|what if|suppose|unless|whether|imagine|when|maybe if)\b|\bif i\b")
_NOT_OLD = re.compile(rf", not (?!{_PASSING})(?P<old>[^,]+)$")

_SOFT = "(?:です|だ|の|ん)*(?:よ|わ|な|かな|けど|から|ね)*"
_PAST = "(?:前|以前|昔|かつて|もともと|元々|最初|前まで|少し前|この前まで|学生時代)(?:は|まで|までは)?、?"
_PRESENT = "(?:今|いま|現在|最近)(?:は|では|じゃ)、?(?:もう)?"
_DECIDED = (
    "(?:にします|にする|にしとく|にしときます|にしよう|がいい|のほうがいい|の方がいい|でいい|"
    "でお願い(?:します)?|にして(?:ください|ほしい)?"
    "|やめ(?:る|ます|た|ました|とく|ときます|ておく|ておきます)|ことにした|ことにします|ことにする)"
)
_CHANGED = (
    "(?:間違えた|間違えました|間違いでした|間違い|訂正(?:します|です)?|言い間違えた|言い間違い|違う違う|違った"
    "|気が変わった(?:から|ので|んだ)?|気が変わりました)"
)
_NO_OLD = (
    "(?:時間|お金|仕方|しょうが|しかた|何も|なにも|お腹|入ら|我慢|待て|来な|言葉|返す|間に合わ|"
    "どうしようも|わから|分から|知ら|信じ|止まら|止められ|"
    "思い出せ|覚え|要ら|元気|余裕|残っ|心配|大丈夫|怖|戻れ|足り|気にし)"
)
_NO_CONTRAST = (
    "(?:だけ|のみ|ばかり|わけ|訳|そう|そういう|こと|ん|ただ|単なる|別に|べつに|好き|嫌い|得意|苦手|上手|"
    "下手|元気|大丈夫|簡単|楽|そんな|必要|便利|"
    "きれい|綺麗|静か|暇|有名|普通|冗談|無理|だめ|ダメ|嫌|いや|丈夫|大変|これ|それ|どころ|くらい|ほど|"
    "つもり|みたい)"
)

_JAPANESE = (
    _Wording(
        ("もう",),
        f"(?P<new>^[^、]*?もう(?!少し|すぐ|一(?:度|回|つ|杯|個|人|本|歩|年)|ちょっと|ひと|そろそろ|二度|"
        f"最高|めっちゃ|{_NO_OLD})(?P<old>[^、]{{1,30}}?)(?<![んれけせめえげてねい])"
        f"(?:(?:ない|ません|なくなりました|なくなった)|(?:じゃ|では)(?:ない|ありません|なくなった|"
        f"なくなりました)){_SOFT})$",
    ),
    _Wording(
        ("もう",),
        f"(?P<new>^[^、]*?もう(?!少し|すぐ|一(?:度|回|つ|杯|個|人|本|歩|年)|ちょっと|"
        f"{_NO_OLD})(?P<old>[^、]{{1,30}}?[てで])い?(?:ない|ません|なくなった|なくなりました){_SOFT})$",
    ),
    _Wording(
        ("もう",),
        f"(?P<new>^(?:私|僕|俺|わたし|ぼく)?は?(?P<old>[^、]{{1,20}}?)(?:は|を|も)?もう(?:やめ|止め|辞め|"
        f"卒業し)(?:た|ました|てる|ています){_SOFT})$",
    ),
    _Wording(
        ("もう",),
        f"(?P<new>^もう(?P<old>[^、]{{1,20}}?)(?:は|を)(?:やめ|止め|辞め|卒業し)(?:た|ました|てる|"
        f"ています){_SOFT})$",
    ),
    _Wording(
        ("今", "いま", "現在", "最近"),
        f"(?:^|、){_PAST}(?P<old>.+?)(?:けれども|けれど|けど|のに|が)、?{_PRESENT}(?P<new>.+)$",
    ),
    _Wording(
        ("今", "いま", "現在"),
        f"^(?P<old>[^、]+?(?:た|でした))(?:けれども|けれど|けど|が)、?{_PRESENT}(?P<new>.+)$",
    ),
    _Wording(
        ("やっぱ", "やはり"),
        f"^(?:いや|あ|ごめん|うーん|でも)?、?(?:やっぱり|やっぱ|"
        f"やはり)、?(?P<new>.*{_DECIDED}(?:です)?(?:よ|わ|かな|な)?)$",
    ),
    _Wording(
        ("間違", "訂正", "違", "気が変わ"),
        f"^(?:あ|ごめん|すみません|いや)?、?{_CHANGED}[、:\\s]+(?P<new>.+)$",
    ),
    _Wording(
        ("なくて",),
        f"^(?P<new>[^、]+)、(?P<old>(?!{_NO_CONTRAST})[^、はがを]{{1,15}}?)(?:じゃ|では)なくて(?:ね|さ)?$",
    ),
    _Wording(
        ("なくて", "ではなく", "じゃなく", "でなく"),
        f"(?:^|"
        f"[、は])(?P<old>(?!{_NO_CONTRAST})[^、はがを]{{1,15}}?)(?<!だけ)(?<!のみ)(?<!どころ)(?<!わけ)(?<!こと)(?<!ばかり)(?<!{'[んいな]'})"
        "(?:じゃなくて|ではなくて|じゃなく|ではなく|でなく)、?(?P<new>[^、]*[^、もが][^も]*)$",
    ),
    _Wording(
        ("ない",),
        f"^(?P<old>(?!{_NO_CONTRAST}|嘘|うそ|本気|夢)[^、はがをも]{{1,15}}?)(?:じゃ|では)ない(?:です)?(?:よ|って|です)*、"
        "(?P<new>[^、]+(?:てる|ている|てます|ています|です|だ|る|ます)(?:よ|ね)?)$",
    ),
    _Wording(
        ("わりに",),
        f"^(?P<old>[^、はが]{{1,15}})の(?:代わり|かわり)に、?(?:{_PRESENT}|(?:これから|"
        f"今後)は?、?)(?P<new>.+)$",
    ),
)
_SUPPOSED_JA = re.compile(
    "^(?:もし|仮に)|(?:なら|たら|れば)$|(?:でしょ|だろ)う?$|(?:か|かな|のかな|っけ)$|(?:と思う|かも|"
    "かもしれない)$"
)


def read_correction(text: str, language: Language) -> Correction | None:
    """Read the first correction of a turn; None when no words of it say that something has changed."""
    plain = folded(text)
    marks, wordings, supposed = _RULES[language]
    if not mentions(plain.text, marks):
        return None
    words = without_quotations(plain.text)
    announced = False
    for sentence in sentence_spans(words):
        said = words[sentence.start : sentence.end]
        if announced and not sentence.is_question:
            return Correction(new=plain.span(sentence.start, sentence.end))
        announced = _ANNOUNCED.fullmatch(said) is not None
        if sentence.is_question or supposed.search(said):
            continue
        if (match := _first(wordings, said)) is not None:
            return _correction(plain, words, match, sentence.start)
    return None


def _first(wordings: Iterable[_Wording], said: str) -> re.Match[str] | None:
    return next((match for wording in wordings if (match := wording.read(said)) is not None), None)


def _correction(plain: FoldedText, words: str, match: re.Match[str], start: int) -> Correction:
    """Give the spans of the text as it was written; a new value that names the old one is parted."""
    new = _moved(match.span("new"), start)
    old = _moved(_old(match), start) if match.groupdict().get("old") else None
    if old is None and (named := _NOT_OLD.search(words[slice(*new)])) is not None:
        old = _moved(named.span("old"), new[0])
        new = (new[0], new[0] + named.start())
    new = plain.span(*trimmed(words, *new, ",、: "))
    return Correction(new=new, old=None if old is None else plain.span(*trimmed(words, *old, ",、: ")))


def _old(match: re.Match[str]) -> Span:
    """Give the words of the old value, with what they are said of: `テニスはもうやって`."""
    start, end = match.span("old")
    topic = match.string[match.start("new") : start]
    is_verb = match.string[end - 1] in "てでりいきしちにみいび"
    if is_verb and _THING_BEFORE_NOW.search(topic):
        return match.start("new"), end
    return start, end


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


_ANNOUNCED = re.compile(
    r"(?:(?:actually|oh|no|hmm|sorry|wait),? )*(?:i've changed my mind|i have changed my mind|i changed "
    r"my mind|scratch that|correction|"
    rf"let me correct (?:that|myself))|(?:あ|ごめん|すみません|いや|やっぱり)?、?{_CHANGED}(?:わ|な|よ)?"
)
"""A sentence that only says that the next one corrects."""
_THING_BEFORE_NOW = re.compile(
    "(?<!私)(?<!僕)(?<!俺)(?<!彼)(?<!女)(?<!母)(?<!父)(?<!妻)(?<!夫)(?<!弟)(?<!妹)(?<!姉)(?<!兄)(?<!娘)(?<!子)(?<!ん)[はをも]もう$"
)
_Rules = tuple[tuple[str, ...], tuple[_Wording, ...], re.Pattern[str]]


def _rules(wordings: tuple[_Wording, ...], supposed: re.Pattern[str]) -> _Rules:
    """Put the marks of all wordings before them: a text without one of these needs no look."""
    return tuple({mark: None for wording in wordings for mark in wording.marks}), wordings, supposed


_RULES: dict[Language, _Rules] = {
    "en": _rules(_ENGLISH, _SUPPOSED_EN),
    "ja": _rules(_JAPANESE, _SUPPOSED_JA),
}
