"""How commands to memory are worded in English."""

from __future__ import annotations

import re

LEADS = """
ok okay oh ah hey hi hello so and but also well now yeah yes no right sorry look listen great then
just please pls plz kindly again first alright anyway btw by+the+way oh+and always actually
one+more+thing next+time for+next+time in+that+case honestly seriously
""".split()  # noqa: SIM905 - a list of words reads best as words
"""Words that may stand before a command and change nothing; `+` is a space."""

REQUESTS = (
    r"(?:can|could|will|would) (?:you|u|ya)(?: please| kindly| just| also| maybe)*(?: try to| not)?",
    r"(?:i'd|i would) (?:really )?(?:like|love|prefer|want) (?:for )?(?:you|u) to",
    r"i (?:just |really |also )?(?:want|need|beg|ask|wish|expect) (?:you|u) to",
    r"(?:i'd|i would) appreciate it if (?:you|u)(?: could| would)?",
    r"(?:i wonder|i was wondering|i'm wondering) if (?:you|u) could",
    r"(?:would|do) (?:you|u) mind|(?:can|could|may|might) i ask (?:you|u) to",
    r"(?:it'd|it would) be (?:great|nice|good|lovely|helpful) if (?:you|u)(?: could| would)?",
    r"(?:you're|you are) (?:going to|gonna) (?:have|need) to",
    r"(?:please )?try to",
    r"(?:please )?(?:make sure|be sure)(?: to| that you| you)",
    r"(?:you|u) (?:should|must|can|may|need to|have to|ought to|could|had better)(?: just| please| also)?",
    r"do|let's|let us",
)
"""How the listener is asked to do what follows."""
REFUSALS = (
    r"(?:please )?(?:don'?t|do not|never)(?: ever| you| bother(?: to)?| even)?",
    r"(?:you|u) (?:don'?t|do not) (?:have|need) to",
    r"(?:you|u) (?:needn'?t|should not|shouldn'?t|must not|mustn'?t)",
    r"(?:there's |there is )?no need (?:for you )?to",
    r"i (?:don'?t|do not) want (?:you|u)(?: to)?",
    r"(?:i'd|i would) (?:rather|prefer)(?: it)?(?: if| that)? (?:you|u) (?:didn'?t|did not|don'?t|not|never)",
    r"(?:please )?stop(?= \w+ing\b)",
    r"(?:please )?try not to|please not to|let's not|let us not",
    r"i don'?t think (?:you|u) (?:should|need to|have to)",
)
"""How the listener is asked not to do what follows."""
PLACE = (
    r"(?:(?:in|to|into|from|out of) memory|(?:in|to|on|into|from|out of|off) (?:your|the|my|our) (?:\w+ )?"
    r"(?:memory|memories|notes?|records?|mind|log|files?|database|history))"
)
"""Where memories are kept or taken from."""
THAT = r"(?:this|that|it|these|those)"
DATA = (
    rf"(?: {THAT}(?: (?:info|information|conversation|number|chat|message|one|session))?"
    rf"(?: for (?:me|later|next time|now)| somewhere| please| either| anywhere)*(?:[:,]|$| {PLACE})| "
    rf"(?:that|what) i\b| any(?:thing)?\b"
    r"| my (?:[\w'-]+ ){0,3}(?:number|card|password|address|e?-?mail|name|birthday|date|anniversary|"
    r"preferences?|location|info|information|"
    r"details|order|recipe|code|phone|contact|data|diagnosis|weight|salary|age|schedule|allergy|allergies|"
    r"messages?|chats?|conversations?|size)\b)"
)
"""What can be told and kept: `save that`, and not `save that seat`."""
KEEP = "|".join(
    (
        r"remember(?:ed|ing)?",
        r"(?:keep|bear) (?:(?P<kept>this|that|it) )?in mind",
        r"(?:mak(?:e|ing) (?:a |another )?(?:mental )?note|tak(?:e|ing) (?:a )?note)(?: (?:of|about))?",
        rf"(?:writ(?:e|ing)|not(?:e|ing)|jot|put|tak(?:e|ing)) (?P<down>{THAT}) down",
        r"(?:note|jot|write) down|note(?= (?:that|this|it|my|i|i'm|i've)\b|[:,])",
        r"memori[sz](?:e|ing)|memori[sz]ed",
        rf"(?:commit|save|store|put|add|record|keep|log) (?P<stored>\S.{{0,120}}?) {PLACE}",
        rf"(?:add|save|note|put) {PLACE}",
        rf"(?:sav(?:e|ing)|stor(?:e|ing)|record(?:ing)?|log|retain(?:ing)?)(?={DATA})",
        r"keep(?:ing)? a (?:record|note)(?: of)?",
        rf"(?P<kept_back>keep(?:ing)?)(?={DATA})",
        r"commit (?P<committed>\S.{0,120}?) to memory",
        r"remind me(?= (?:to|that|about) )",
    )
)
"""Verbs of keeping in memory."""
DROP = "|".join(
    (
        r"forget(?:ting)?",
        rf"(?:delete|erase|remove|wipe|clear|drop|scrub|strike|forget) (?P<dropped>\S.{{0,120}}?) {PLACE}",
        r"(?:ignore|disregard|never ?mind)(?= (?:(?:what|everything|anything|all) i |(?:that|my|the) last ))",
        rf"(?:delete|erase)(?= {THAT}(?:$| right now| now))",
        r"(?:delete|erase)(?= (?:what|everything|anything|all) (?:that )?(?:i\b|i've|about|you know))",
    )
)
"""Verbs of taking out of memory."""


def _alternatives(words: list[str]) -> str:
    return "|".join(re.escape(word).replace(r"\+", " ") for word in sorted(words, key=lambda one: -len(one)))


LEAD = rf"(?:(?:{_alternatives(LEADS)})\b(?! need\b)[\s,:-]{{0,4}}){{0,6}}+"
LEAD_WORDS = re.compile(LEAD)
CLAUSE = re.compile(
    rf"(?P<lead>{LEAD})(?P<request>(?:{'|'.join(REQUESTS)})\s+)?{LEAD}"
    rf"(?P<refusal>(?:{'|'.join(REFUSALS)})\s+)?{LEAD}"
    rf"(?:(?P<drop>{DROP})|(?P<keep>{KEEP}))\b(?!')"
)
"""A clause that begins like a command."""
BOUNDARY = re.compile(r"[,:\-—–(]\s*|\b(?:and|but|so|then)\s+")
"""Where a clause may begin."""
JOINED = re.compile(r"\b(?:and|but|so|then)\s+$")
TRIGGERS = (
    *("rememb", "forget", "ignore ", "disregard", "mind what", "mind that", "retain", "memor"),
    *("in mind", "note", "noting", "this down", "that down", "it down", "write down", "jot", "save "),
    *("saving ", "store ", "storing ", "record", "remind me", "erase ", "delete ", "remove "),
    *("wipe ", "keep this", "keep that", "keep it", "keep my", "keep any", "keep what", "keep a"),
    *("keeping a", "log this", "log that", "log it", "log my", "from now on", "going forward"),
    *("henceforth", "henceforward", "starting t", "starting n", "starting f", "from to"),
    *("from here on", "from this", "as of t", "as of now"),
)
"""A sentence without one of these commands nothing."""
REPORTED = re.compile(
    r"(?<!\bi )(?:said|says?|saying|told(?: \w+)?|asked(?: \w+)?|like|goes|reads?|wrote|shouted|yelled|"
    r"whispered|sings?|"
    r"sang|lyrics?|motto|quote|thought|thinking|myself)\s*[,:\-]?\s*$"
)
"""What a command after it is put in somebody's mouth by."""
SUPPOSED = re.compile(
    r"\bif (?:i|we|she|he|they|somebody|someone|it|you) (?:\w+ )?(?:\w+ed|said|told|were|was|tried|did)\b"
)
"""What makes the clause before it a mere supposition."""
TAIL = re.compile(
    r"(?:[\s,]*(?:\b(?:ok|okay|alright|all right|please|pls|plz|thanks|thank you|thx|lol|haha|for me|will "
    r"you|would you|"
    r"can you|could you|for later|got it|yeah|at all)|[)(♡❤:])){1,8}$"
)
"""What may stand at the end of a sentence and changes nothing."""
THIS = re.compile(
    rf"(?:all |any of |all of )?{THAT}(?: one| all| down| one down| last thing| (?:whole )?thing| part| "
    rf"bit| last bit)?(?: i (?:just )?(?:said|told you))?"
    r"|(?:what|the (?:last )?thing|that last thing|that thing)(?: that)? (?:i|i've|i have)(?: just| "
    r"ever)? (?:said|told you|mentioned|wrote)"
    r"|(?:that )?i (?:ever )?(?:said|mentioned|told you|wrote|asked)(?: (?:that|it|this|anything|so|a "
    r"thing|something))?|"
    r"what i just (?:said|told you)(?: to you)?|the last (?:message|thing|part|bit)"
)
"""What points at what was said just before."""
AHEAD = re.compile(
    rf"(?:{THAT}|the following|one thing|this one|my words)(?: down)?(?: for (?:me|later))?\s*[:\-—–]\s*|"
    rf"[:,\-—–]\s*"
)
"""What points at what is said next."""
IDLE = re.compile(r"(?:about )?(?:it|the whole thing)\b")
"""What is hardly ever meant to be taken out of memory."""
LEADS_TO = re.compile(r"(?:that (?!one\b)(?=\w+)|to |for me(?: that| to)? |about |down |of )+")
"""What stands before the words that are meant."""
TOPIC = re.compile(
    r"(?:(?:what(?:ever)?|everything|anything|all|the things?|the stuff|that|the part)(?: that)? "
    r"(?:i|we|i've|i have)(?: just| ever| have)? (?:said|told you|mentioned|wrote|shared|talked|say|told "
    r"u)(?: to you)? "
    r"(?:about|of|regarding|on)|(?:everything|anything|all)(?: you know)? (?:about|of|regarding)|about|"
    r"(?:that )?i (?:ever |just )?(?:said|told you|mentioned|talked|spoke)(?: anything| a thing| to you)? "
    r"about) "
)
"""What stands before the words that name what a thing said was about."""
DISMISSED = re.compile(
    r"(?:about )?(?:your\b|the (?:past|rest|world|rules|others|haters|odds)\b|what (?:they|people|he|she|"
    r"others|everyone)\b)"
)
"""What is waved aside, and not meant to be taken out of memory."""
ELIDED = re.compile(
    r"(?:much|a thing|where|when|who|how|why|if|the name|exactly|him|her|them|ever|seeing|having|what "
    r"(?!i\b|i'm\b|we\b))\b"
)
"""`Don't remember much`: I do not."""
TOO = re.compile(r"\s+(?:either|too|as well|now|any ?more|again|ever)$")
"""What is left out at the end of an object."""
SWEEPING = re.compile(r"(?:everything|anything|all)(?: of (?:it|this|that))?\b(?! about)")
"""So much that the user is asked first."""
REMINISCENCE = re.compile(
    r"(?:when|back|where (?:we|you)|how (?:we|you|they|it|much fun|fun|good)|us|those|the (?:good|old)|"
    r"(?:that|the|those) (?:one )?(?:time|day|days|times|night|summer|winter|year|trip|weekend|party|guy|"
    r"girl|moment|feeling|place|song|movie)\b"
    r"(?! (?:is|was|of my)\b))\b"
)
"""What people call back to mind together."""
OF_ME = re.compile(r"me(?:$|\s+(?:to|as|this|when|always|forever|fondly|if|by))\b|me$")
"""`Remember me`: no fact is named."""
WHO = re.compile(
    r"(?:me|him|her|them|us|you|someone|somebody|anyone|people|yourself|who|whom)\b(?! (?:to|tell|say))"
)
"""People are put out of mind, and not out of memory."""
RECALL = re.compile(
    r"(?:what|where|when|who|which|why|how|if|whether|things|anything|me|everything|all|our|any|the last)\b|$"
)
"""`Can you remember what ...`: a question."""
ADVICE = re.compile(
    r"(?:be|take care|take breaks|take a break|have fun|have a|enjoy|smile|breathe|rest|relax|live|laugh|"
    r"love|believe|stay|"
    r"eat|sleep|drink|keep|trust|celebrate|give yourself|subscribe|bring|look after|reach out|pace)\b"
)
"""What one wishes somebody to do in life."""
CALLED = re.compile(r"\w+, (?:just|always|never|don't|it's|there)\b")
"""`Jon, just do it`."""
CONCRETE = re.compile(
    r"\b(?:today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|"
    r"june|july|august|"
    r"september|october|november|december|noon|midnight|next week|birthday|called|named)\b"
)
"""Signs of a fact that can be true on one day only."""
YOU = re.compile(r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd)\b")
MINE = re.compile(r"\b(?:i|me|my|mine|we|us|our|i'm|i've|i'll|i'd|we're|we've|we'll)\b|\d")
"""Signs that it is about the speaker, or exact."""
GENERAL = re.compile(
    r"\b(?:sometimes|everyone|everybody|every \w+|nobody|no one|nothing|life|staying|being|practice|"
    r"important|it's ok(?:ay)?|"
    r"there's (?:always|no)|things get|all that matters|progress|happiness|setbacks?|mistakes)\b"
)
"""Signs of a truth for everybody."""
FOR_GERUND = re.compile(r"about \w+ing\b")
"""`Forget about winning`."""
MARKER = (
    r"(?:from now on(?:wards)?|from (?:today|tomorrow|this (?:point|moment|day|time))(?: on(?:wards?)?| "
    r"forward)?|going forward|"
    r"henceforth|henceforward|starting (?:from )?(?:today|now|tomorrow)|from here on(?: out| in)?|as of "
    r"(?:today|now))"
)
"""From when on it holds."""
MARKED_FIRST = re.compile(rf"(?:{LEAD}){MARKER}\b[\s,:\-]*")
MARKED_LAST = re.compile(rf"[\s,]{{0,4}}\b{MARKER}[\s,]{{0,4}}$")
RULE_VERBS = """
call use answer reply speak talk write say tell ask give keep make be stop start skip avoid send
let show add remove check treat assume address refer greet wake include leave put take do limit
stick switch try read mind respect ignore drop prefer consider think listen respond summarise
summarize translate format explain mention finish begin end sign help act play pretend remember
forget note save store count round order buy book quote keep spell text message ping cc respond
correct
""".split()  # noqa: SIM905 - a list of words reads best as words
"""Verbs of what a listener can be told to do from now on."""
RULE = re.compile(
    rf"(?:please|always|never|don'?t|do not|only|no more|no|just|let's)\b|"
    rf"(?:{'|'.join(RULE_VERBS)})\b|"
    r"(?:can|could|will|would) (?:you|u)\b|(?:i'd|i would) (?:like|prefer|love|appreciate)\b(?! to\b(?! "
    r"be (?:called|known|addressed)))|"
    r"i want to be (?:called|known|addressed)\b|[^,]+ only$|"
    r"i (?:want|need|expect) (?:you|u)\b|(?:you|u) (?:should|must|can|will|may|need to|have to|are to)\b|"
    r"you'll\b|"
    r"(?:i'm|i am|we're|we are)(?! (?:going|gonna|trying|planning|hoping|gon|determined|sure|about|"
    r"getting|so|really|just|\w+ing))\b|"
    r"we (?!(?:will|would|can|could|should|shall|must|might|may|have|need|want|hope|try|plan|had|were|"
    r"went)\b)[a-z]+\b|"
    r"(?:i|we) (?:only|don'?t|do not|prefer|eat|drink|work|live|use|go by)\b|(?:my|our) [\w' -]+? (?:is|"
    r"are|isn't|aren't)\b"
)
"""How a rule for the listener, or a state, begins."""
BEGINS_LATER = re.compile(r"\b(?:tomorrow|starting)\b")
A_STATE = re.compile(r"(?:i|i'm|we|we're|my|our)\b(?! (?:want|need|expect) )")
NO_RULE = re.compile(r"\b(?:hope|wish|might|maybe|promise|gonna|going to)\b")
"""Signs of a hope or a plan."""
OFF = re.compile(
    r"(?:^|[\s,])(?:(?P<what>\S.{0,120}?)?\s?(?:\bis|'s|\bis strictly|\bstays?)\s+)?"
    r"(?:(?:let's |let us |please |can we |can you )*keep "
    r"(?P<held>\S+(?: \S+){0,2}) )?(?:strictly )?off the record\b[\s,:\-]*(?P<after>.*)$"
)
"""`Off the record`, with what is meant."""
TOLD_OFF = re.compile(
    r"\b(?:not|never|nothing|isn't|if|he|she|they|who|went|spoke|speaking|talked|was|were|goes|go)\b"
)
"""Signs that somebody else spoke off the record."""
TAIL_ASKS = re.compile(r"ok|alright|all right|please|pls|will you|would you|can you|could you|yeah|got it")
"""A tail that turns a command into a question in form only."""
POLITE = re.compile(r"(?:can|could|will|would|do) (?:you|u)|i wonder|i was|\w+ i ask|it'?d|it would")
