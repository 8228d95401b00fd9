"""Who is there, and how sure that is: presence is not mention."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kataribe.adapters.rules import RulesExtractor
from kataribe.adapters.rules.confidence import Around, confidence_of
from kataribe.adapters.rules.narrators import unnamed_narrator
from kataribe.domain.evidence import AudienceMode, EvidenceKind, Holding
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.story.inputs import Alias, Annotation, Annotations, Character, NameKind, Narration
from kataribe.domain.terms import Language, known_by
from kataribe.domain.text.paragraphs import paragraphs
from kataribe.errors import ExtractionError
from kataribe.ports import Source

EVIDENT = AudienceMode.EVIDENT.minimum


def person(character_id: str, *names: str, first: str | None = None) -> Character:
    aliases = [Alias(text=name, kind=NameKind.NAME) for name in names]
    if first is not None:
        aliases.append(Alias(text=first, kind=NameKind.FIRST_PERSON))
    return Character(character_id=character_id, aliases=tuple(aliases))


def telling(one: Character, *told_to: str) -> Character:
    return replace(one, narrates=(Narration(since=1, until=9, told_to=frozenset(told_to)),))


JA = tuple(
    person(one, name) for one, name in (("aoi", "葵"), ("riku", "陸"), ("gen", "玄さん"), ("yuki", "ユキ"))
)
EN = tuple(person(name.lower(), name) for name in ("Nora", "Felix", "Agnes", "Hobbs"))


def source(text: str, cast: tuple[Character, ...], language: Language, **more: Annotations) -> Source:
    return Source(
        text=text,
        language=language,
        cast=cast,
        annotations=more.get("annotations", Annotations()),
        paragraphs=paragraphs(text),
    )


def japanese(text: str, cast: tuple[Character, ...] = JA) -> tuple[Draft, ...]:
    return asyncio.run(RulesExtractor().extract(source(text, cast, "ja"))).drafts


def english(text: str, cast: tuple[Character, ...] = EN) -> tuple[Draft, ...]:
    return asyncio.run(RulesExtractor().extract(source(text, cast, "en"))).drafts


def of(drafts: tuple[Draft, ...], words: str) -> dict[str, Holding]:
    """The holdings of the first sentence with these words."""
    return {one.holder: one for one in next(draft for draft in drafts if words in draft.text).holdings}


def surely(drafts: tuple[Draft, ...], words: str) -> set[str]:
    """Who holds it in the mode `evident`."""
    return {who for who, one in of(drafts, words).items() if one.confidence >= EVIDENT}


class TestADraft:
    def test_has_an_audience_of_all_its_holders_in_their_order(self) -> None:
        for draft in (*japanese("陸が笑った。葵も笑った。"), *english("Nora laughed. Felix sat beside her.")):
            assert draft.holdings
            assert [one.holder for one in draft.holdings] == sorted(draft.audience.members)
            assert all(0 < one.confidence < 1 for one in draft.holdings)

    def test_that_the_author_decided_has_no_guess(self) -> None:
        rows = Annotations(rows=(Annotation(audience=known_by("riku")),))
        drafts = asyncio.run(
            RulesExtractor().extract(source("葵は泣いた。", JA, "ja", annotations=rows))
        ).drafts
        assert [(draft.audience, draft.holdings) for draft in drafts] == [(known_by("riku"), ())]

    def test_of_nobody_has_none(self) -> None:
        assert [draft.holdings for draft in english("It rained all day.")] == [()]

    @pytest.mark.parametrize(
        ("text", "words", "who", "evidence"),
        [
            ("「早く来い」と陸は言った。", "早く", "riku", EvidenceKind.SPOKE),
            ("「葵、早く来い」と陸は言った。", "早く", "aoi", EvidenceKind.ADDRESSED),
            ("葵は窓をあけた。", "窓", "aoi", EvidenceKind.ACTED),
            ("葵は窓をあけた。\n風が冷たい。\n葵はうなずいた。", "冷たい", "aoi", EvidenceKind.PRESENT),
            ("葵は、鍵がないと思った。", "鍵", "aoi", EvidenceKind.INNER),
        ],
    )
    def test_names_its_evidence_in_japanese(
        self, text: str, words: str, who: str, evidence: EvidenceKind
    ) -> None:
        assert of(japanese(text), words)[who].evidence is evidence

    @pytest.mark.parametrize(
        ("text", "words", "who", "evidence"),
        [
            ("“Come along,” said Felix.", "Come", "felix", EvidenceKind.SPOKE),
            ("“Nora, come along,” said Felix.", "Come".lower(), "nora", EvidenceKind.ADDRESSED),
            ("Nora opened the window.", "window", "nora", EvidenceKind.ACTED),
            ("Nora opened the window.\nIt was cold.\nNora nodded.", "cold", "nora", EvidenceKind.PRESENT),
            ("Nora wondered whether the key was lost.", "key", "nora", EvidenceKind.INNER),
        ],
    )
    def test_names_its_evidence_in_english(
        self, text: str, words: str, who: str, evidence: EvidenceKind
    ) -> None:
        assert of(english(text), words)[who].evidence is evidence


class TestPresenceIsNotMention:
    @pytest.mark.parametrize(
        "mention",
        [
            "葵のことを話した。",
            "葵の手紙が机にある。",
            "葵のような娘は少ない。",
            "葵は京都に住んでいるらしい。",
            "葵がそこへ行ったことはない。",
            "葵が来ればよかった。",
            "葵が帰ったと云う話だ。",
        ],
    )
    def test_in_japanese(self, mention: str) -> None:
        drafts = japanese(f"陸は茶を飲んだ。\n{mention}\n陸は立ち上がった。")
        assert "aoi" not in surely(drafts, mention)
        assert "aoi" not in surely(drafts, "茶を飲んだ")

    @pytest.mark.parametrize(
        "mention",
        [
            "Felix spoke about Nora.",
            "Nora’s letter lay on the table.",
            "He had never met anyone like Nora.",
            "Nora had been a nurse in the war.",
            "Nora would have laughed at it.",
            "Nora was far away.",
        ],
    )
    def test_in_english(self, mention: str) -> None:
        drafts = english(f"Felix drank his tea.\n\n{mention}\n\nFelix stood up.")
        assert "nora" not in surely(drafts, mention)
        assert "nora" not in surely(drafts, "drank")

    def test_a_secret_told_in_a_speech_stays_from_whom_it_is_about(self) -> None:
        assert surely(
            japanese("玄さんは茶を飲んだ。\n「葵が金を盗んだ」と陸は言った。\n玄さんは黙ってうなずいた。"),
            "盗んだ",
        ) == {"riku", "gen"}
        text = "“Nora took the money,” said Felix.\n\nAgnes nodded. “I saw it,” said Agnes."
        assert "nora" not in surely(english(text), "took the money")

    def test_who_is_called_and_does_not_answer_is_not_there(self) -> None:
        assert surely(
            japanese("「葵、どこにいる」と陸は叫んだ。\n返事はなかった。\n陸は走った。"), "どこ"
        ) == {"riku"}
        text = "“Where are you, Nora?” cried Felix.\n\nThere was no answer.\n\nFelix ran."
        assert surely(english(text), "Where") == {"felix"}

    def test_who_is_called_and_answers_is(self) -> None:
        assert surely(japanese("「葵、どこにいる」と陸は叫んだ。\n「ここよ」と葵は答えた。"), "どこ") == {
            "aoi",
            "riku",
        }
        text = "“Where are you, Nora?” cried Felix.\n\n“Here,” said Nora."
        assert surely(english(text), "Where") == {"nora", "felix"}


class TestAStay:
    def test_lasts_from_the_first_sign_to_the_last(self) -> None:
        text = (
            "葵が部屋に入って来た。\n陸は本を閉じた。\n雨の音がする。\n「寒いね」と葵は言った。\n陸は笑った。"
        )
        assert surely(japanese(text), "雨の音") == {"aoi", "riku"}
        text = (
            "Nora came in.\n\nFelix closed his book.\n\nRain beat on the roof.\n\n“Cold,” said Nora.\n\n"
            "Felix laughed."
        )
        assert surely(english(text), "Rain") == {"nora", "felix"}

    def test_begins_where_somebody_arrives(self) -> None:
        text = (
            "陸は本を読んだ。\n雨の音がする。\n陸は茶をいれた。\n葵が部屋に入って来た。\n"
            "「寒いね」と葵は言った。"
        )
        assert "aoi" not in surely(japanese(text), "雨の音")
        text = (
            "Felix read.\n\nRain beat on the roof.\n\nFelix made tea.\n\nNora came in and sat down.\n\n"
            "“Cold,” said Nora."
        )
        assert "nora" not in surely(english(text), "Rain")

    def test_ends_where_somebody_leaves(self) -> None:
        text = (
            "「さようなら」と葵は言った。\n葵は出て行った。\n雨の音がする。\n陸は茶をいれた。\n陸は眠った。"
        )
        assert "aoi" in surely(japanese(text), "さようなら")
        assert "aoi" not in surely(japanese(text), "雨の音")
        text = (
            "“Good night,” said Nora.\n\nNora went away.\n\nRain beat on the roof.\n\nFelix made tea.\n\n"
            "Felix slept."
        )
        assert "nora" in surely(english(text), "Good night")
        assert "nora" not in surely(english(text), "Rain")

    @pytest.mark.parametrize(
        "shift", ["翌日、陸は庭を掃いた。", "あくる朝、陸は庭を掃いた。", "三日後、陸は庭を掃いた。"]
    )
    def test_ends_where_the_time_shifts_in_japanese(self, shift: str) -> None:
        drafts = japanese(f"「寒いね」と葵は言った。\n陸は笑った。\n{shift}\n落葉が多い。\n陸は手を洗った。")
        assert "aoi" not in surely(drafts, "落葉")

    @pytest.mark.parametrize(
        "shift", ["The next morning Felix swept the yard.", "Two days later Felix swept the yard."]
    )
    def test_ends_where_the_time_shifts_in_english(self, shift: str) -> None:
        drafts = english(
            f"“Cold,” said Nora.\n\nFelix laughed.\n\n{shift}\n\nThe leaves were many.\n\nFelix washed."
        )
        assert "nora" not in surely(drafts, "leaves")

    def test_a_break_ends_every_stay(self) -> None:
        text = "葵は笑った。\n陸は茶をいれた。\n＊\n陸は歩いた。\n犬が鳴いた。\n陸は止まった。"
        assert surely(japanese(text), "犬") == {"riku"}

    def test_gets_less_sure_with_the_length_of_a_silence(self) -> None:
        silence = "\n".join(f"陸は{number}番目の箱をあけて、中の古い手紙を読んだ。" for number in range(60))
        drafts = japanese(f"葵は箱を運んだ。\n{silence}")
        near, far = (of(drafts, f"陸は{number}番目")["aoi"].confidence for number in (0, 59))
        assert near > far

    def test_ends_where_somebody_leaves_whom_only_a_pronoun_names(self) -> None:
        text = (
            "I was reading.\n\n“Good night,” said Nora.\n\nShe went away.\n\nRain beat on the roof.\n\nI "
            "slept."
        )
        cast = (telling(EN[1]), EN[0])
        assert "nora" in surely(english(text, cast), "Good night")
        assert "nora" not in surely(english(text, cast), "Rain")
        text = (
            "ぼくは本を読んだ。\n「さようなら」と葵は言った。\n彼女は出て行った。\n雨の音がする。\n"
            "ぼくは眠った。"
        )
        assert "aoi" not in surely(japanese(text, (telling(JA[1]), JA[0])), "雨の音")

    def test_ends_where_the_narrator_is_left_alone(self) -> None:
        text = (
            "Felix stood by the door.\n\n“Sleep now,” said Nora.\n\nThey went away and left me alone.\n\n"
            "Rain beat on the roof.\n\nThe clock struck."
        )
        cast = (telling(EN[2]), EN[0], EN[1])
        assert surely(english(text, cast), "Rain") == {"agnes"}

    def test_an_aside_of_what_is_thought_hides_no_leaving(self) -> None:
        text = (
            "“Good night,” said Felix.\n\nFelix went out, rather hurriedly, I thought.\n\nThe fire was "
            "low.\n\n"
            "The wind rose.\n\nFelix knocked at the window."
        )
        assert surely(english(text, (telling(EN[0]), EN[1])), "wind") == {"nora"}


class TestTense:
    def test_amid_the_present_the_past_tense_tells_of_before(self) -> None:
        text = (
            "The train is late.\n\n“Again,” Felix says. He is tired.\n\nNora promised to come.\n\nFelix nods."
        )
        assert "nora" not in surely(english(text), "promised")
        assert surely(english(text), "Again") == {"felix"}

    def test_amid_the_past_it_does_not(self) -> None:
        text = (
            "The train was late.\n\n“Again,” Felix said. He was tired.\n\nNora promised to wait.\n\nFelix "
            "nodded."
        )
        assert "nora" in of(english(text), "promised")
        assert of(english(text), "promised")["nora"].evidence is EvidenceKind.ACTED


class TestTurns:
    def test_whom_a_conversation_is_with_stays_through_its_lines(self) -> None:
        text = (
            "ぼくは門で葵に会った。葵は手を振って走って来た。\n「遅いね」\n「電車がとまったんだ」\n"
            "「そう」\n「行こうか」"
        )
        drafts = japanese(text, (telling(JA[1]), *JA[:1], *JA[2:]))
        assert surely(drafts, "行こうか") == {"aoi", "riku"}
        text = (
            "Nora ran up to me and waved.\n\n“You are late.”\n\n“The train stopped.”\n\n“Oh.”\n\n“Shall we "
            "go?”"
        )
        assert surely(english(text, (telling(EN[1]), EN[0])), "Shall we") == {"nora", "felix"}

    def test_two_who_talk_take_turns(self) -> None:
        text = (
            "「出かけよう」と陸は言った。\n「どこへ」と葵は言った。\n「海へ」\n「今から」\n"
            "「そうだ」と陸は言った。\n「いいわ」と葵は言った。"
        )
        drafts = japanese(text)
        assert all(surely(drafts, words) == {"aoi", "riku"} for words in ("海へ", "今から"))
        text = (
            "“Let us go,” said Felix.\n\n“Where?” asked Nora.\n\n“To the sea.”\n\n“At once?”\n\n"
            "“Yes,” said Felix.\n\n“Very well,” said Nora."
        )
        assert all(surely(english(text), words) == {"nora", "felix"} for words in ("To the sea", "At once"))

    def test_words_set_in_quotation_marks_are_no_speech(self) -> None:
        drafts = english("Felix read the will. It named his “friend and heir Nora Bell,” and no other.")
        assert "nora" not in surely(drafts, "heir")


class TestPronouns:
    def test_one_reading_keeps_its_owner_there(self) -> None:
        text = "Nora sat down at the table.\n\nShe opened the box and took out a ring.\n\nShe put it on."
        assert surely(english(text), "took out") == {"nora"}
        text = "葵は机に向かった。\n彼女は箱をあけて指輪を出した。\n彼女はそれをはめた。"
        assert surely(japanese(text), "指輪") == {"aoi"}

    def test_two_readings_are_none(self) -> None:
        text = "“Nora,” said Felix.\n\nNora waved to Felix.\n\nThe next day it rained.\n\nShe opened the box."
        assert surely(english(text), "opened the box") == set()


class TestNarrators:
    def test_a_narrator_holds_what_is_told_with_nobody_about(self) -> None:
        cast = (telling(JA[0]), *JA[1:])
        assert surely(japanese("町は静かだった。\n陸の家は遠い。", cast), "町") == {"aoi"}
        cast = (telling(EN[0]), *EN[1:])
        drafts = english("The town was quiet.\n\nFelix’s house was far away.", cast)
        assert of(drafts, "town")["nora"].evidence is EvidenceKind.NARRATED
        assert surely(drafts, "far away") == {"nora"}

    def test_and_what_others_do_belongs_to_those_others_too(self) -> None:
        cast = (telling(EN[0]), *EN[1:])
        text = "I was reading.\n\nFelix came in and sat down.\n\n“Cold,” said Felix.\n\nFelix laughed."
        assert surely(english(text, cast), "Cold") == {"nora", "felix"}

    def test_a_telling_is_its_tellers_and_whom_it_is_told_to(self) -> None:
        cast = (telling(JA[0], "gen"), *JA[1:])
        assert surely(japanese("陸は笑った。\n「行く」と陸は言った。", cast), "行く") == {"aoi", "gen"}
        cast = (telling(EN[0], "agnes"), *EN[1:])
        drafts = english("Felix laughed.\n\n“Come,” said Felix.", cast)
        assert surely(drafts, "Come") == {"nora", "agnes"}
        assert of(drafts, "Come")["felix"].confidence < 0.5

    def test_a_mark_at_the_head_holds_for_all_of_it_and_is_no_fact(self) -> None:
        for mark in ("【語り手：aoi】", "[[narrator: aoi]]"):
            drafts = japanese(f"{mark}\n町は静かだった。\n＊\n海も静かだった。")
            assert [(draft.text, draft.audience) for draft in drafts] == [
                ("町は静かだった。", known_by("aoi")),
                ("海も静かだった。", known_by("aoi")),
            ]

    def test_a_mark_at_the_head_of_a_part_holds_for_that_part(self) -> None:
        drafts = english(
            "[[narrator: nora]]\nOne.\n\n***\n\n[[narrator: felix > agnes]]\nTwo.\n\n***\n\nThree."
        )
        assert [draft.audience for draft in drafts] == [
            known_by("nora"),
            known_by("felix", "agnes"),
            known_by("nora"),
        ]

    def test_a_mark_goes_before_the_cast(self) -> None:
        cast = (telling(EN[0]), *EN[1:])
        assert surely(english("[[narrator: felix]] The town was quiet.", cast), "town") == {"felix"}

    @pytest.mark.parametrize(
        "mark", ["[[narrator: ]]", "[[narrator: a, b]]", "[[narrator: a > ]]", "[[narrator"]
    )
    def test_a_malformed_mark_is_refused(self, mark: str) -> None:
        with pytest.raises(ExtractionError, match="narrator"):
            english(f"{mark}\nThe town was quiet.")

    def test_one_in_whose_first_person_it_is_told_narrates(self) -> None:
        cast = (person("boy", "健太", first="ぼく"), *JA)
        text = "ぼくは海へ行った。\n波が高い。\nぼくは石を投げた。\nぼくは帰った。"
        assert of(japanese(text, cast), "波")["boy"].evidence is EvidenceKind.NARRATED
        cast = (person("boy", "Ken", first="I"), *EN)
        text = "I went to the sea.\n\nThe waves were high.\n\nI threw a stone. I came home."
        assert of(english(text, cast), "waves")["boy"].evidence is EvidenceKind.NARRATED

    def test_a_first_person_nobody_names_is_found_once_a_part(self) -> None:
        own = "私は海へ行った。\n私は石を投げた。\n波が高かったので、私は帰った。"
        text = f"陸は寝ていた。\n＊\n{own}\n＊\n「私は行く」と陸は言った。"
        found = unnamed_narrator(source(text, JA, "ja"))
        assert [text[start:end] for start, end in found] == [own]
        own = "I went to the sea. I threw a stone.\n\nThe waves were high, and I came home."
        text = f"Felix slept.\n\n***\n\n{own}\n\n***\n\n“I am going. I am tired. I am old,” said Felix."
        found = unnamed_narrator(source(text, EN, "en"))
        assert [text[start:end] for start, end in found] == [own]

    def test_a_named_one_is_not_asked_for(self) -> None:
        text = "I went to the sea. I threw a stone. I came home."
        assert unnamed_narrator(source(text, (telling(EN[0]), *EN[1:]), "en")) == ()
        assert unnamed_narrator(source(f"[[narrator: nora]]\n{text}", EN, "en")) == ()


class TestLetters:
    def test_a_letter_is_its_writers_and_its_readers_in_english(self) -> None:
        text = (
            "Felix broke the seal.\n\n“Dear Felix,--Nora has sold the house, and she does not know that I "
            "know.\n\n"
            "“Burn this at once.\n\n“Agnes.”\n\nFelix burnt it."
        )
        drafts = english(text)
        assert surely(drafts, "sold the house") == {"agnes", "felix"}
        assert of(drafts, "sold the house")["agnes"].evidence is EvidenceKind.NARRATED

    def test_a_letter_is_its_writers_and_its_readers_in_japanese(self) -> None:
        text = (
            "陸は封を切った。\n陸様\n葵が家を売ったことを、葵は隠している。\nこの手紙は焼いてくれ。\n"
            "ユキより\n陸は焼いた。"
        )
        assert surely(japanese(text), "家を売った") == {"riku", "yuki"}

    def test_a_line_that_only_begins_like_one_makes_no_letter(self) -> None:
        text = "To my surprise, Felix laughed.\n\nAgnes sat down.\n\n“Nora.”\n\nFelix looked up at Agnes."
        assert surely(english(text), "sat down") == {"agnes", "felix"}
        assert not any(
            one.evidence is EvidenceKind.NARRATED for draft in english(text) for one in draft.holdings
        )
        text = "陸は東へ\n葵は笑った。\nユキ\n陸は手を振った。"
        assert not any(
            one.evidence is EvidenceKind.NARRATED for draft in japanese(text) for one in draft.holdings
        )


class TestThoughts:
    def test_who_says_i_in_a_thought_thinks_it(self) -> None:
        cast = (person("aoi", "葵", first="あたし"), person("riku", "陸", first="俺"))
        text = "葵は陸を見た。\n陸は笑った。\n（俺は、嘘をついた）\n葵は黙った。"
        assert surely(japanese(text, cast), "嘘") == {"riku"}

    def test_a_thought_is_its_thinkers_alone_however_many_are_there(self) -> None:
        text = "葵は陸を見た。\n陸は笑った。\n葵は、嘘だと思った。\n「行こう」と陸は言った。"
        assert surely(japanese(text), "嘘") == {"aoi"}

    def test_a_thought_nobody_is_named_for_is_the_ones_the_scene_goes_along_with(self) -> None:
        text = (
            "葵は立った。\n葵は窓をあけた。\n葵は外を見た。\n陸は笑った。\n葵は歩き出した。\n葵は黙った。\n"
            "嘘に違いないと思った。"
        )
        assert surely(japanese(text), "嘘") == {"aoi"}


@pytest.mark.parametrize(
    "text",
    [
        "葵は小道で、鍵は石の下だと陸に教えた。",
        "葵は陸にだけ秘密を打ち明けた。",
        "Nora told Felix in the lane that the key was gold.",
        "“Nobody must know,” Nora said to Felix.",
    ],
)
def test_whoever_is_told_something_in_the_narration_holds_it(text: str) -> None:
    is_japanese = "葵" in text
    (draft,) = japanese(text) if is_japanese else english(text)
    held = {one.holder: one for one in draft.holdings}
    teller, hearer = ("aoi", "riku") if is_japanese else ("nora", "felix")
    assert held[hearer].evidence is EvidenceKind.ADDRESSED
    assert {teller, hearer} <= {one.holder for one in AudienceMode.EVIDENT.accepted(draft.holdings)}


@pytest.mark.parametrize(
    "text",
    [
        "葵は陸に教えなかった。",
        "葵は陸に話そうと思った。",
        "葵は陸に打ち明けるつもりだ。",
        "Nora never told Felix.",
        "Nora did not tell Felix of it.",
        "Nora had nothing to say to Felix.",
    ],
)
def test_what_was_not_told_or_is_only_meant_to_be_nobody_has_heard(text: str) -> None:
    (draft,) = japanese(text) if "葵" in text else english(text)
    hearer = "riku" if "葵" in text else "felix"
    assert hearer not in {one.holder for one in AudienceMode.EVIDENT.accepted(draft.holdings)}


def test_a_table_is_sure_of_what_is_close_and_never_of_what_is_not_near() -> None:
    for sign in ("spoke", "acted", "told", "none"):
        close, alone = (
            confidence_of(sign, around, is_focus=False) for around in (Around.CLOSE, Around.ALONE)
        )
        assert close >= alone
    assert confidence_of("none", Around.ALONE, is_focus=False) < 0.5


def test_the_modes_are_nested() -> None:
    minima = [mode.minimum for mode in (AudienceMode.WIDE, AudienceMode.EVIDENT, AudienceMode.STRICT)]
    assert minima == sorted(minima)


def test_wide_holds_whoever_the_scene_names_though_nothing_is_sure() -> None:
    text = "葵は笑った。\n＊\n陸は歩いた。"
    assert [draft.audience for draft in japanese(text)] == [known_by("aoi"), known_by("riku")]
    drafts = english("Nora laughed.\n\nThe next day Felix walked.\n\nIt rained.\n\nFelix ran.")
    assert drafts[0].audience.members == {"nora", "felix"}
    assert drafts[0].reason is Reason.SCENE
    assert of(drafts, "Nora")["felix"].confidence < 0.5


SEATED = {
    "ja": (
        "葵は窓のそばに腰をかけた。\n「遅いね」と陸は言った。\n玄さんはランプに火をつけた。\n{between}"
        "「潮が満ちるまであと二時間はある」と玄さんは答えた。\n陸は海図をひろげて長いこと眺めていた。\n"
        "玄さんは煙管に火をつけた。"
    ),
    "en": (
        "Nora sat down by the window.\n\n“It is late,” said Felix.\n\nHobbs lit the lamp and trimmed "
        "the wick with"
        " great care, and for a long time nobody said anything at all, while the wind went round the "
        "house and the"
        " sea could be heard upon the stones below the garden wall.\n\n{between}“Two hours yet "
        "before the tide,”"
        " answered Hobbs.\n\nFelix spread the chart upon the table and looked at it.\n\nHobbs lit his pipe."
    ),
}


class TestWhoeverTakesAPlace:
    def test_stays_without_another_word(self) -> None:
        assert "aoi" in surely(japanese(SEATED["ja"].format(between="")), "煙管")
        assert "nora" in surely(english(SEATED["en"].format(between="")), "pipe")

    def test_is_gone_when_they_go(self) -> None:
        went = "葵は部屋から出て行った。\n"
        assert "aoi" not in surely(japanese(SEATED["ja"].format(between=went)), "煙管")
        went = "Nora got up and went out without a word.\n\n"
        assert "nora" not in surely(english(SEATED["en"].format(between=went)), "pipe")

    def test_is_not_thought_to_go_along_when_the_others_go_elsewhere(self) -> None:
        went = "二人は外へ出た。\n二人は港へ行った。\n"
        assert "aoi" not in surely(japanese(SEATED["ja"].format(between=went)), "煙管")
        went = "They went down to the harbour.\n\nThey reached the boat.\n\n"
        assert "nora" not in surely(english(SEATED["en"].format(between=went)), "pipe")

    def test_is_nobody_whose_seat_alone_is_told_of(self) -> None:
        text = "陸は茶を飲んだ。\n葵の座っていた席には誰もいなかった。\n陸は窓を閉めた。\n陸は寝た。"
        assert "aoi" not in surely(japanese(text), "窓を閉めた")


LINES = {
    "ja": (
        "「まだかい」と玄さんが言った。\n「もうじきです」と葵が答えた。\n「潮が引いてしまう」と陸が言った。\n"
        + "".join(
            f"「{line}」\n"
            for line in (
                "それなら沖へ出る前に網を見ておこう",
                "網は昨日のうちに見ました",
                "舟の底もだ",
                "底も見ました",
                "二人とも手回しがいいことだ",
                "この冬は長かったですから",
                "今度は長くなるよ",
            )
        )
    ),
    "en": (
        "“Not yet?” asked Hobbs.\n\n“Soon,” answered Nora.\n\n“The tide is going,” said Felix.\n\n"
        + "\n\n".join(
            f"“{line}”"
            for line in (
                "Then we had better look to the nets before we put out, for I will lose no other one.",
                "The nets were looked to yesterday, every one of them, and mended by the lamp again.",
                "And the planks, under the thwarts, where the water came in last time and nearly drowned us.",
                "The planks as well, with pitch, and with good new oakum that was bought in the town for it.",
                "You are both of you uncommonly forward in your work this morning, it seems to me.",
                "It has been a long winter, and there was little else to be done by anybody in the evenings.",
                "It will be longer yet before it is over, if you ask me.",
            )
        )
    ),
}


def test_who_speaks_in_a_conversation_hears_it_to_its_end() -> None:
    assert surely(japanese(LINES["ja"]), "今度は長くなる") == {"aoi", "riku", "gen"}
    assert surely(english(LINES["en"]), "longer yet") == {"nora", "felix", "hobbs"}


def test_who_speaks_late_in_a_conversation_has_heard_it_from_its_beginning() -> None:
    lines = [line for line in LINES["ja"].split("\n") if line][3:]
    text = "\n".join(["陸は舟を見た。", *lines, "「お茶が入りましたよ」と葵が言った。"])
    assert "aoi" in surely(japanese(text), "網は昨日")
    lines = LINES["en"].split("\n\n")[3:]
    text = "\n\n".join(["Felix looked at the boat.", *lines, "“Tea is ready,” said Nora."])
    assert "nora" in surely(english(text), "The nets were looked to")


@pytest.mark.parametrize("left", ["“", '"'])
def test_who_appears_in_a_tale_told_aloud_over_several_paragraphs_is_not_there(left: str) -> None:
    text = (
        "“I was at the mill that night,” said Nora. “Listen, Felix.\n\n“Agnes came in and sat down. "
        "She laughed.\n\n"
        "“Then Agnes put out the lamp.”\n\nFelix shook his head."
    )
    drafts = english(text.replace("“", left).replace("”", '"' if left == '"' else "”"))
    assert surely(drafts, "came in") == surely(drafts, "put out the lamp") == {"nora", "felix"}
    said = (
        "「その晩は水車小屋にいたの」と葵が言った。「聞いて、陸。\n"
        "「ユキが入って来て座った。\n「ユキがランプを消した」\n陸は首を振った。"
    )
    assert surely(japanese(said), "ランプを消した") == {"aoi", "riku"}


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("陸は葵のことを考えていた。葵は窓辺でよく歌った。葵は笑った。", "窓辺で"),
        ("陸は葵の夢を見た。葵が砂浜を走っている。", "砂浜"),
        ("陸は葵に会いたくなった。葵をつれて帰ればよかった。葵はよく歩いた。", "よく歩いた"),
        ("Felix thought of Nora. Nora sat by the window and sang. Nora laughed.", "sang"),
        ("Felix dreamt of Nora. Nora ran along the shore.", "shore"),
    ],
)
def test_whom_somebody_only_thinks_of_is_not_there_whatever_they_do_in_that_thought(
    text: str, deed: str
) -> None:
    is_japanese = "陸" in text
    drafts = japanese(text) if is_japanese else english(text)
    assert ("aoi" if is_japanese else "nora") not in surely(drafts, deed)


def test_who_is_thought_of_and_then_comes_in_is_there() -> None:
    assert "aoi" in surely(japanese("陸は葵のことを考えていた。そこへ葵が入って来た。"), "入って来た")
    assert "nora" in surely(english("Felix thought of Nora. Then Nora came in and sat down."), "came in")


def test_who_is_taken_for_something_thinks_nothing_by_that() -> None:
    (draft,) = japanese("無口だと思った葵は陸に手紙を書いたと云うし。")
    assert all(one.evidence is not EvidenceKind.INNER for one in draft.holdings if one.holder == "aoi")


@pytest.mark.parametrize(
    "text",
    [
        "玄さんが、今夜は潮が悪くて舟は出せない、明日の朝まで待つがいいと云った。",
        "玄さんに舟のことを聞いてみると、もう一艘も残っていないそうだ。",
        "坂の下で玄さんに出くわした。",
        "舟小屋の中に玄さんと云う背の高い男が居た。",
        "戸を開けると玄さんだ。",
        "I met Hobbs at the foot of the hill.",
        "In the boathouse there sat Hobbs.",
        "I asked Hobbs for a boat.",
        "I read the letter twice over to Hobbs.",
        "Hobbs did so at once.",
    ],
)
def test_who_is_met_or_asked_or_found_is_there(text: str) -> None:
    is_japanese = "玄さん" in text
    drafts = japanese(text) if is_japanese else english(text)
    assert ("gen" if is_japanese else "hobbs") in surely(drafts, text)


@pytest.mark.parametrize(
    "text",
    [
        "玄さんが舟を出すと云う話を聞いた。",
        "坂の下で玄さんに出くわしたら面倒だ。",
        "玄さんに聞けばよかった。",
        "Had I met Hobbs I should have asked.",
        "I never asked Hobbs for anything.",
        "Hobbs did not care.",
    ],
)
def test_who_might_have_been_met_or_is_talked_of_is_not(text: str) -> None:
    is_japanese = "玄さん" in text
    drafts = japanese(text) if is_japanese else english(text)
    assert ("gen" if is_japanese else "hobbs") not in surely(drafts, text)


@pytest.mark.parametrize("verb", ["echoed", "grumbled", "panted", "sang out", "chimed in"])
def test_a_verb_of_saying_tells_who_speaks(verb: str) -> None:
    drafts = english(f"“Not yet,” {verb} Hobbs.")
    assert of(drafts, "Not yet")["hobbs"].evidence is EvidenceKind.SPOKE


MEETING = {
    "ja": (
        "玄さんが会議室の奥に坐った。\n葵がその隣に腰をかけ、陸とユキも席に着いた。\n"
        "「では始めます」と玄さんが言った。\n{end}「網の値段が上がりました」と陸が言った。\n"
        "長いこと誰も口をきかず、表の通りを荷車が過ぎる音と、柱時計の音だけが聞こえていた。\n"
        "「仕方がない」と玄さんが言った。\n「それでは困ります」と陸が言った。\n"
        "灯りが揺れて、壁の影がいっせいに動き、また静かになり、外では雨が降りはじめていた。\n"
        "陸は帳面を開いた。\n玄さんは目を閉じた。"
    ),
    "en": (
        "Hobbs sat down to dinner.\n\nNora took her place beside him, Felix sat down, and Agnes sat "
        "by the door.\n\n"
        "“Let us begin,” said Hobbs.\n\n{end}“The price of nets has gone up again,” said Felix.\n\n"
        "For a long time nobody spoke, and there was nothing to be heard but the carts that went by "
        "in the street"
        " and the clock upon the wall, which had always been a little slow and was slow to-night.\n\n"
        "“It can’t be helped,” said Hobbs.\n\n“That won’t do,” said Felix.\n\n"
        "The lamp flickered, and the shadows upon the wall moved all at once and were still again, "
        "and outside it"
        " had begun to rain upon the roofs, softly at first, and then as if it would never stop.\n\n"
        "Felix opened the book.\n\nHobbs closed his eyes."
    ),
}


class TestAMeeting:
    def test_holds_who_attends_it_to_its_end(self) -> None:
        assert {"aoi", "yuki"} <= surely(japanese(MEETING["ja"].format(end="")), "目を閉じた")
        assert {"nora", "agnes"} <= surely(english(MEETING["en"].format(end="")), "closed his eyes")

    def test_holds_nobody_when_it_has_broken_up(self) -> None:
        end = "会議は済んで、皆は港へ行った。皆は船へ帰った。\n二人は家へ戻った。\n"
        assert "aoi" not in surely(japanese(MEETING["ja"].format(end=end)), "目を閉じた")
        end = "Dinner was over, and they went away.\n\nThey all left for the harbour.\n\nThey reached it.\n\n"
        assert "nora" not in surely(english(MEETING["en"].format(end=end)), "closed his eyes")


MUSED = {
    "ja": (
        "葵は舟をおりた。\nおれは坂をのぼって村へ行った。\n{musing}\nおれは町へ行った。\n葵は戸をあけた。"
    ).format(musing="村には井戸が三つある。どれも塩からい。それでも誰も町へ移ろうとしない。" * 36),
    "en": (
        "Nora moored the boat.\n\nI went up the hill.\n\n{musing}\n\nI went on to the town.\n\n"
        "Nora opened the door."
    ).format(
        musing="There were three wells in the village, and all of them were salt; yet nobody would leave it. "
        * 36
    ),
}


def test_what_a_narrator_muses_upon_alone_is_not_theirs_who_come_before_and_after() -> None:
    gen = telling(person("gen", "玄さん", first="おれ"))
    drafts = japanese(MUSED["ja"], (gen, *JA[:2]))
    assert surely(drafts, "塩からい") == {"gen"}
    hobbs = telling(person("hobbs", "Hobbs", first="I"))
    drafts = english(MUSED["en"], (hobbs, *EN[:3]))
    assert surely(drafts, "three wells") == {"hobbs"}


def test_what_a_narrator_tells_between_the_lines_of_a_talk_is_theirs_who_talk() -> None:
    gen = telling(person("gen", "玄さん", first="おれ"))
    said = "「遅いな」と葵が言った。\nおれは答えなかった。答えることがなかった。\n「遅い」と葵がまた言った。"
    assert surely(japanese(said, (gen, *JA[:2])), "答えること") == {"gen", "aoi"}
    hobbs = telling(person("hobbs", "Hobbs", first="I"))
    said = "“Late,” said Nora.\n\nI gave no answer. There was none.\n\n“Late,” said Nora again."
    assert surely(english(said, (hobbs, *EN[:3])), "There was none") == {"hobbs", "nora"}


def test_what_we_do_is_theirs_too_who_come_before_and_after() -> None:
    gen = telling(person("gen", "玄さん", first="おれ"))
    text = MUSED["ja"].replace("村には井戸が三つある。", "おれたちは村の井戸を見た。")
    assert surely(japanese(text, (gen, *JA[:2])), "井戸を見た") == {"gen", "aoi"}
    hobbs = telling(person("hobbs", "Hobbs", first="I"))
    text = MUSED["en"].replace("There were three wells", "We found three wells")
    assert surely(english(text, (hobbs, *EN[:3])), "three wells") == {"hobbs", "nora"}


@pytest.mark.parametrize(
    "text",
    [
        "Accompanied by Nora, Felix and Agnes, he set out.",
        "He set out together with Nora, Felix, and Agnes.",
        "Nora, Felix and Agnes walked to the gate.",
        "There stood Nora, Felix and Agnes.",
    ],
)
def test_who_is_named_in_a_row_does_the_same(text: str) -> None:
    assert surely(english(text), text) == {"nora", "felix", "agnes"}


def test_who_is_named_beside_the_narrator_is_with_them() -> None:
    hobbs = telling(person("hobbs", "Hobbs", first="I"))
    drafts = english("Felix and I contented ourselves with less.", (hobbs, *EN[:3]))
    assert surely(drafts, "contented") == {"felix", "hobbs"}
