"""What stands beside a number and says what it is."""

from __future__ import annotations

import re

_REACH = 40
_ELSE = re.compile(
    r"(?:\b(?:order|tracking|invoice|ticket|serial|part|item|product|model|case|reference|ref|isbn|issn|ean|upc|jan|"
    r"sku|version|rfc|patent|booking|confirmation|parcel|batch|lot|catalog(?:ue)?|receipt)"
    r"(?: (?:number|no|id|code))?s?\.?(?: (?:is|was))?|"
    r"(?:注文|伝票|追跡|荷物|問い?合わ?せ|管理|会員|学籍|社員|型|品|製造|製品|商品|整理|請求書?|領収書?|予約|受付|受注|発注|法人|登録|"
    r"シリアル|ロット|部品|識別|図書|書籍|論文|特許)(?:の)?(?:番号?|ナンバー|コード|no\.?)|isbn|janコード|jan|品番|型番)"
    r"[はが]?[\s:#=\-「(]{0,3}$"
)
_TOLD = re.compile(
    r"(?:\b(?:call|ring|phone|telephone|tel|dial|text|cell|mobile|landline|fax|whatsapp|number(?:'s)?|reach|sms|contact)\b"
    r"[^0-9.!?\n]{0,24}|"
    r"(?:電話|携帯|ケータイ|スマホ|番号|連絡先|連絡|tel|fax|ファックス|ファクス|℡|かけて|固定|自宅|実家)[^0-9。!?\n]{0,10})$"
)
_COUNTED = re.compile(
    r" ?(?:円|yen\b|ドル|dollars?\b|euros?\b|pounds?\b|%|人|名|件|個|本|枚|回|票|台|年|月|日|時|分|秒|"
    r"歩|点|位|歳|"
    r"people\b|copies\b|times\b|users\b|km\b|kg\b|キロ|メートル|metres\b|meters\b|miles\b|bytes\b|lines\b|steps\b)"
)


def is_of_something_else(text: str, at: int) -> bool:
    """Whether the words before say that the number is of an order, a book, a part and the like."""
    return _ELSE.search(text[max(0, at - _REACH) : at]) is not None


def is_told(text: str, at: int) -> bool:
    """Whether the words before speak of a telephone."""
    return _TOLD.search(text[max(0, at - _REACH) : at]) is not None


def is_counted(text: str, end: int) -> bool:
    """Whether the word after says what is counted."""
    return _COUNTED.match(text, end) is not None
