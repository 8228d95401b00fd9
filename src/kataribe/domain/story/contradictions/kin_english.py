"""Kinship as English tells it."""

from __future__ import annotations

import re

from kataribe.domain.story.contradictions.kin_patterns import Having, KinPatterns
from kataribe.domain.story.contradictions.numbers import NUMBER_EN, number_en
from kataribe.domain.story.contradictions.patterns import compiled

_R_EN = (
    "(?:(?:elder|older|younger|little|big|twin|eldest|youngest|only) )?(?:brother"
    "|sister)|son|daughter|nephew|niece|grandson|granddaughter|father"
    "|mother|grandfather|grandmother|uncle|aunt|husband|wife|cousin"
)
_JOBS_EN = (
    "blacksmith|fisherman|farmer|doctor|teacher|carpenter|merchant"
    "|knight|soldier|hunter|baker|innkeeper|lawyer|policeman|painter"
    "|writer|scholar|sailor|captain|priest|parson|cook|tailor|cobbler"
    "|shoemaker|woodcutter|nobleman|king|earl|wizard|actor|clerk|banker"
    "|butcher|miner|miller|judge|barber|weaver|shepherd|mason|smith"
    "|surgeon|professor"
)


def _relation(word: str) -> str | None:
    """A brother may be the elder or the younger one, so the bare word excludes neither."""
    word = re.sub("elder|older|big", "older", re.sub("younger|little", "younger", word))
    return None if word in ("brother", "sister") else word


def kin_english(name: str) -> KinPatterns:
    """Give the patterns; `name` matches whoever of the cast is named."""
    a, b = rf"(?P<a>{name})", rf"(?P<b>{name})"
    is_of = compiled(
        rf"{a}(?:,| was| is) (?:really |actually )?{b}'s (?P<r>{_R_EN})\b(?! (?:in-law|in arms))(?!')"
    )
    of_is = compiled(rf"{b}'s (?P<r>{_R_EN})(?:,| was(?: called| named)?) {a}(?!'s)\b(?= |,|\.)")

    def lonely_of(one: str) -> re.Pattern[str]:
        listed = rf"(?:no|neither)(?: (?:brothers?|sisters?) (?:or|nor))? {one}s?|no siblings"
        return compiled(rf"{a} (?:was|is) an only child|{a} had (?:{listed})\b(?! (?:to|who|that|but))")

    def sibling_of(one: str) -> re.Pattern[str]:
        return compiled(
            rf"{a}'s (?:(?:elder|older|younger|little|big|twin) )?{one}\b(?!-in-law"
            rf"|'s keeper)(?! in (?:arms|law))"
        )

    def orphan_of(one: str) -> re.Pattern[str]:
        return compiled(
            rf"{a}(?:,| was) an orphan\b|{a} (?:had )?never (?:knew|known) (?:his|her) (?:parents|{one})"
        )

    def parent_of(one: str) -> re.Pattern[str]:
        told_of = "said|told|smiled|laughed|waited|came|took|called|nodded|asked"
        return compiled(rf"{a} remembered (?:how )?(?:his|her) {one}\b|{a}'s {one} (?:{told_of})\b")

    single = compiled(
        rf"{a} (?:had )?(?:never (?:been )?married|never took a wife|(?:was"
        rf"|had remained) (?:a )?(?:lifelong bachelor|unmarried all))"
    )
    spouse = compiled(rf"{a}'s (?:wife|husband)\b(?!-)")
    number = rf"(?P<n>{NUMBER_EN})"
    count = compiled(rf"{a} (?:had|has) {number} (?P<c>daughter|son|brother|sister|children)s?\b")
    counted = compiled(rf"{a}'s {number} (?P<c>daughter|son|brother|sister|children)s?\b(?!-)")
    job = compiled(
        rf"{a}'s (?P<r>father|mother|grandfather|grandmother|husband|wife) (?:was"
        rf"|had been|is) (?:an?|the) (?:[a-z-]+ )?(?P<job>{_JOBS_EN})\b"
    )
    having = (
        *(
            Having(f"s{one}", lonely_of(one), sibling_of(one), (f"no {one}", f"a {one}"))
            for one in ("brother", "sister")
        ),
        Having("m", single, spouse, ("not married", "married")),
        *(
            Having(f"o{one}", orphan_of(one), parent_of(one), (f"no {one}", f"a {one}"))
            for one in ("mother", "father")
        ),
    )
    return KinPatterns(
        related=(is_of, of_is),
        relation=_relation,
        having=having,
        even_unreal="o",
        counts=(count, counted),
        number=number_en,
        counted="{n} {c}s",
        job=job,
    )
