"""Sentences without end: varied enough for vectors and keywords, the same for the same seed."""

from __future__ import annotations

from random import Random

from kataribe.bench.sizes import SEED
from kataribe.domain.terms import Language


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NAMES = _words(
    """
    Ada Bruno Clara Dorian Edith Felix Greta Hugo Iris Jonas Klara Leo Mabel Nils Opal Piet
    """
)
_VERBS = _words(
    """
    hid buried found sold repaired painted carried stole weighed polished traded broke burned
    counted described guarded borrowed lost mended sketched wrapped returned praised dropped
    """
)
_KINDS = _words(
    """
    silver broken ancient borrowed rusty crimson hollow heavy painted secret crooked gilded
    wooden frozen velvet faded marble copper narrow gleaming
    """
)
_THINGS = _words(
    """
    lantern compass letter key bell violin map ring dagger mirror boat ladder coin clock
    feather basket crown ledger kettle button harp candle saddle goblet anchor thimble banner
    flute
    """
)
_PLACES = _words(
    """
    harbour chapel mill cellar orchard lighthouse market bridge attic quarry garden tavern
    library stable tower cave station meadow granary theatre
    """
)
_TIMES = _words(
    """
    dawn dusk noon midnight harvest midsummer carnival thaw
    """
)

_NAMES_JA = _words(
    """
    澪 蓮 千鶴 源造 小夜 宗一 葵 悠真 結衣 大和 美咲 健太 詩織 隼人 文乃 涼介
    """
)
_VERBS_JA = _words(
    """
    隠した 埋めた 見つけた 売った 直した 塗った 運んだ 盗んだ 磨いた 壊した 燃やした 数えた
    失くした 包んだ 返した 描いた
    """
)
_KINDS_JA = _words(
    """
    銀の 壊れた 古い 借りた 錆びた 赤い 空っぽの 重い 秘密の 曲がった 金色の 木の 凍った
    色あせた 銅の 細い
    """
)
_THINGS_JA = _words(
    """
    灯籠 羅針盤 手紙 鍵 鐘 提琴 地図 指輪 短刀 鏡 小舟 梯子 硬貨 時計 羽根 籠 王冠 帳簿 薬缶
    釦 蝋燭 鞍 杯 錨
    """
)
_PLACES_JA = _words(
    """
    港 礼拝堂 水車小屋 地下室 果樹園 灯台 市場 橋 屋根裏 石切場 庭 酒場 図書館 馬小屋 塔 洞窟
    駅 牧場
    """
)
_TIMES_JA = _words(
    """
    夜明け 夕暮れ 正午 真夜中 収穫の頃 夏至の日 祭りの晩 雪解けの朝
    """
)


class Teller:
    """Tells made-up facts and asks made-up questions."""

    def __init__(self, language: Language = "en", seed: int = SEED) -> None:
        self._is_english = language == "en"
        self._random = Random(seed)
        self._told = 0

    def fact(self) -> str:
        """Tell a fact never told before."""
        self._told += 1
        pick = self._random.choice
        if self._is_english:
            return (
                f"{pick(_NAMES)} {pick(_VERBS)} the {pick(_KINDS)} {pick(_THINGS)} number {self._told} "
                f"near the {pick(_PLACES)} before {pick(_TIMES)}, and {pick(_NAMES)} saw it."
            )
        return (
            f"{pick(_NAMES_JA)}は{pick(_TIMES_JA)}に{pick(_PLACES_JA)}のそばで{pick(_KINDS_JA)}"
            f"{pick(_THINGS_JA)}（{self._told}番）を{pick(_VERBS_JA)}が、{pick(_NAMES_JA)}はそれを見ていた。"
        )

    def question(self) -> str:
        """Ask about something."""
        pick = self._random.choice
        if self._is_english:
            return f"Who {pick(_VERBS)} the {pick(_KINDS)} {pick(_THINGS)} near the {pick(_PLACES)}?"
        return f"{pick(_PLACES_JA)}のそばで{pick(_KINDS_JA)}{pick(_THINGS_JA)}を{pick(_VERBS_JA)}のは誰？"

    def text(self, sentences: int) -> str:
        """Tell an episode, five sentences a paragraph."""
        between = " " if self._is_english else ""
        told = [self.fact() for _ in range(sentences)]
        return "\n".join(between.join(told[at : at + 5]) for at in range(0, sentences, 5))


def names(language: Language) -> tuple[str, ...]:
    """Give everybody the sentences speak of."""
    return _NAMES if language == "en" else _NAMES_JA
