"""Postal codes, and addresses of Japan, the United States and the United Kingdom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kataribe.domain.privacy.birthdays import number_of
from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_PREFECTURE = (
    "北海道|青森県|岩手県|宮城県|秋田県|山形県|福島県|茨城県|栃木県|群馬県|埼玉県|千葉県|東京都|神奈川県|新潟県|富山県|石川県|"
    "福井県|山梨県|長野県|岐阜県|静岡県|愛知県|三重県|滋賀県|京都府|大阪府|兵庫県|奈良県|和歌山県|鳥取県|島根県|岡山県|広島県|"
    "山口県|徳島県|香川県|愛媛県|高知県|福岡県|佐賀県|長崎県|熊本県|大分県|宮崎県|鹿児島県|沖縄県"
)
_KANJI = "一-鿿々ヶケノ"
_LETTERS = re.compile(f"[{_KANJI}〆ぁ-ゖァ-ヺー ]*$")
_WHERE = re.compile(_PREFECTURE)
_TOWN = re.compile(f" ?[{_KANJI}ぁ-ゖァ-ヺ]{{1,8}}?[市区町村郡]")
_CITY = re.compile("[一-鿿々ヶケノ]{1,5}?[市区]")
_N = "(?:[0-9]{1,5}|[〇一二三四五六七八九十百]{1,5})"
_BLOCK = re.compile(
    rf"(?<![0-9.])(?P<first>{_N})(?P<rest>(?:(?:丁目の?|番地の?|番(?![町丁館組線])の?|の|[-ー]| - |"
    rf"条[東西南北]?通?){_N}){{0,4}}"
    r"(?:番地|番(?![町丁館組線])|号(?![線車])|丁目)?)(?:[-ー][0-9]{1,4})?(?![0-9.,:])"
)
_ROOM = re.compile(r" ?[^\s0-9、。「」,]{1,20}(?:[0-9]{1,4}号室?|[0-9]{1,5}(?=$|[ 、。]))")
_COUNTER = re.compile(
    r" ?(?:階|年|月|日|人|位|回|歳|才|時|分|秒|名|件|個|本|枚|台|冊|匹|頭|杯|円|万|億|千|%|つ|泊|代|"
    r"番線|番目|号線|系統|キロ|km|"
    r"メートル|m\b|kg|対|点|勝|敗|級|世紀|倍|割|度|か月|ヶ月|ヵ月|か所|ヶ所|カ所|区|市|町|村|軒|店|校|社|館|条|週|種|戦|部|話|章)"
)
_PARTICLE = re.compile("(?:[はをもへがとに、]|で|から|まで|より|には|では|って)$")
_SPAN = 48

_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|"
    "OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY"
)
_KIND_OF_STREET = (
    "Streets?|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Terrace|Ter|Way|Square|Sq|"
    "Close|Crescent|Gardens|Grove|Mews|Row|Hill|Parkway|Pkwy|Highway|Hwy|Circle|Cir|Park|Walk|Cottages?|Green|Quay|"
    "Wharf|Yard|Rise|Vale|View|Trail|Parade|Broadway|Loop|Alley"
)
_WORD = r"(?:[A-Z][A-Za-z'.]{0,20}|[0-9]{1,3}(?:st|nd|rd|th))"
_UNIT = r"(?:Flat|Apt|Apartment|Unit|Suite|Ste|Room|Floor|Fl)\.? ?#?[0-9A-Za-z]{1,5}"
_CITY_EN = (
    r"(?:, [A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20}){0,2}"
    rf"(?=, (?:{_STATES})\b|,? [A-Z]{{1,2}}[0-9][0-9A-Z]? [0-9][A-Z]{{2}}\b|,? [0-9]{{5}}\b|"
    rf"[.!?]?\s{{0,3}}(?:\n|$)|[.!?] ))?"
)
_TAIL = rf"{_CITY_EN}(?:, (?:{_STATES})\b)?"
_STREET = re.compile(
    rf"(?<![0-9A-Za-z.,:/$£€#-])(?:{_UNIT},? )?(?P<no>[0-9]{{1,5}})[A-Za-z]?(?:-[0-9]{{1,4}})? "
    rf"(?:{_WORD} ){{1,4}}?"
    rf"(?:{_KIND_OF_STREET})\b\.?(?: (?:NW|NE|SW|SE|N|S|E|W)\b)?"
    rf"(?:, (?:{_WORD} ){{1,3}}?(?:{_KIND_OF_STREET})\b)?(?:,? {_UNIT})?{_TAIL}"
)
_SMALL_STREET = re.compile(
    r"(?:\blives? (?:at|in|on)|\baddress(?: is|:)?|\bmoved to|\bhome is|\bsend (?:it|this|that) to|"
    r"\bship (?:it )?to|"
    r"\bdeliver(?:ed)? (?:it )?to|\bcome to|\bhouse is|\bplace is)\s(?P<value>[0-9]{1,5}[a-z]? "
    r"(?:[a-z'.]{1,20} ){1,3}?"
    rf"(?:{_KIND_OF_STREET.lower()})\b)(?! of\b)"
)
_BOX = re.compile(rf"(?<![A-Za-z])P\.? ?O\.? Box [0-9]{{1,6}}{_TAIL}")
_YEAR_BEFORE = re.compile(r"\b(?:[Ii]n|[Ss]ince|[Oo]f|[Bb]y|[Uu]ntil|[Ff]rom)\s$")

_POSTCODE_JA = re.compile(
    r"(?:〒 ?|郵便番号[はが:の\s「]{0,3}|\bpost(?:al)? ?code(?: is|:)? |\bzip(?: ?code)?(?: is|:)? )"
    r"(?P<value>[0-9]{3}[- ー]{0,3}[0-9]{4})(?![0-9]|-[0-9])"
)
_POSTCODE_AHEAD = re.compile(rf"(?<![0-9a-z.-])[0-9]{{3}}-[0-9]{{4}}(?= {{0,2}}(?:{_PREFECTURE}))")
_ZIP = re.compile(
    r"\bzip(?:[ -]?code)?(?:'s| is| was|:| #)?[\s:]{1,2}(?:is )?(?P<value>[0-9]{5}(?:-[0-9]{4})?)"
    r"(?![0-9]|-[0-9])"
)
_ZIP_OF_STATE = re.compile(rf", ?(?:{_STATES}),? (?P<value>[0-9]{{5}}(?:-[0-9]{{4}})?)(?![0-9]|-[0-9])")
_AREAS = (
    "AB|AL|B|BA|BB|BD|BH|BL|BN|BR|BS|BT|CA|CB|CF|CH|CM|CO|CR|CT|CV|CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|E|EC|EH|EN|EX|FK|FY|"
    "G|GL|GU|HA|HD|HG|HP|HR|HS|HU|HX|IG|IP|IV|KA|KT|KW|KY|L|LA|LD|LE|LL|LN|LS|LU|M|ME|MK|ML|N|NE|NG|NN|NP|NR|NW|OL|OX|"
    "PA|PE|PH|PL|PO|PR|RG|RH|RM|S|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|SS|ST|SW|SY|TA|TD|TF|TN|TQ|TR|TS|TW|UB|W|WA|WC|WD|WF|WN|"
    "WR|WS|WV|YO|ZE"
)
_BRITISH = rf"(?:{_AREAS})[0-9][0-9A-Z]? ?[0-9][ABD-HJLNP-UW-Z]{{2}}"
_POSTCODE_UK = re.compile(
    r"(?<![0-9A-Za-z])(?P<area>[A-Z]{1,2})[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}(?![0-9A-Za-z])"
)
_KNOWN_AREAS = frozenset(_AREAS.split("|"))
_POSTCODE_UK_TOLD = re.compile(
    rf"\bpost ?code(?:'s| is| was|:)?\s(?:is )?(?P<value>{_BRITISH.lower()})(?![0-9a-z])", re.IGNORECASE
)


def postcodes(page: TextPage) -> Iterator[PageSpan]:
    """Find postal codes."""
    if not page.has_digits:
        return
    told = ((_POSTCODE_JA, page.digits), (_ZIP, page.digits), (_ZIP_OF_STATE, page.text))
    for pattern, text in (*told, (_POSTCODE_UK_TOLD, page.low)):
        for match in pattern.finditer(text):
            yield _postcode(match, "value")
    for match in _POSTCODE_AHEAD.finditer(page.digits):
        yield _postcode(match, 0)
    for match in _POSTCODE_UK.finditer(page.text):
        if match["area"] in _KNOWN_AREAS:
            yield _postcode(match, 0)


def _postcode(match: re.Match[str], group: str | int) -> PageSpan:
    value = re.sub("[^0-9A-Z]", "", match[group].upper())
    return PageSpan(PersonalKind.POSTCODE, *match.span(group), value)


def addresses(page: TextPage) -> Iterator[PageSpan]:
    """Find addresses with the number of a house."""
    if not page.has_digits:
        return
    if re.search("[市区町村]", page.low) is not None:
        yield from _japanese(page)
    for pattern in (_STREET, _BOX):
        for match in pattern.finditer(page.text):
            if not _is_year(page.text, match):
                yield _address(match, 0)
    for match in _SMALL_STREET.finditer(page.low):
        yield _address(match, "value")


def _is_year(text: str, match: re.Match[str]) -> bool:
    no = match.groupdict().get("no") or ""
    is_year = len(no) == 4 and no[:2] in {"18", "19", "20"}
    return is_year and _YEAR_BEFORE.search(text[max(0, match.start() - 8) : match.start()]) is not None


def _address(match: re.Match[str], group: str | int) -> PageSpan:
    end = match.end(group) - (1 if match[group].endswith(".") else 0)
    value = re.sub(r"[\s,.]+", " ", match[group].lower()).strip()
    return PageSpan(PersonalKind.ADDRESS, match.start(group), end, value)


def _japanese(page: TextPage) -> Iterator[PageSpan]:
    text, done = page.low, 0
    for block in _BLOCK.finditer(text):
        start = _start(text, max(done, block.start() - _SPAN), block)
        if start is None:
            continue
        room = _ROOM.match(text, block.end(), min(len(text), block.end() + 32))
        done = block.end() if room is None or not _is_room(room[0]) else room.end()
        yield PageSpan(PersonalKind.ADDRESS, start, done, _normal(text[start:done]))


def _is_room(written: str) -> bool:
    """Whether what follows the number of a house is a building with a room."""
    return written.endswith(("号室", "号")) or written.startswith(" ")


def _start(text: str, least: int, block: re.Match[str]) -> int | None:
    """Tell where the address begins whose block this is; None: it is none."""
    before = text[least : block.start()]
    letters = _LETTERS.search(before)
    place = letters[0] if letters is not None else ""
    if not place or _PARTICLE.search(place.rstrip()):
        return None
    where = _WHERE.search(place)
    start = where.start() if where is not None else _city(place)
    if start is None:
        return None
    town = _TOWN.match(place, where.end() if where is not None else start)
    is_enough = _is_enough(text, block, has_prefecture=where is not None)
    return block.start() - len(place) + start if town is not None and is_enough else None


def _city(place: str) -> int | None:
    found = _CITY.search(place)
    return None if found is None else found.start()


def _is_enough(text: str, block: re.Match[str], *, has_prefecture: bool) -> bool:
    """Whether the numbers are those of a house: below a prefecture one will do that counts nothing."""
    rest = block["rest"]
    numbers = len(re.findall(_N, rest))
    if re.search("番地|丁目.*(?:番|[-ー]|の)|番.*号", rest):
        return True
    if "条" in rest and rest.endswith("丁目"):
        return True
    if not has_prefecture:
        return numbers >= 2 and re.search("丁目|の|[-ー]", rest) is not None
    if rest:
        return (numbers > 0 or not rest.endswith("丁目")) and _COUNTER.match(text, block.end()) is None
    return block["first"].isdigit() and block["first"].isascii() and _COUNTER.match(text, block.end()) is None


def _normal(written: str) -> str:
    """Write the numbers of an address in one way: 三丁目1番2号 and 3-1-2 are one."""
    plain = re.sub(_N, lambda found: _arabic(found[0]), written.replace(" ", ""))
    joined = re.sub("(?<=[0-9])(?:丁目の?|番地の?|番の?|の|[-ー])(?=[0-9])", "-", plain)
    return re.sub("(?<=[0-9])(?:番地|番|号|丁目)$", "", joined)


def _arabic(written: str) -> str:
    digits = written.translate(str.maketrans("〇一二三四五六七八九", "0123456789"))
    if "百" in digits:
        hundreds, _, rest = digits.partition("百")
        return str(int(hundreds or 1) * 100 + (number_of(rest) if rest.strip("百十") else 0))
    return str(number_of(digits)) if digits.strip("十") or digits == "十" else written
