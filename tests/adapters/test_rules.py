from __future__ import annotations

import asyncio
import inspect

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kataribe.adapters.rules import RulesExtractor
from kataribe.domain.markup import same_words
from kataribe.domain.memory import Draft, Reason
from kataribe.domain.story.audience import paragraph_hash
from kataribe.domain.story.inputs import Alias, Annotation, Annotations, Character, NameKind
from kataribe.domain.terms import NOBODY, PUBLIC, Audience, Language, known_by
from kataribe.domain.text.paragraphs import paragraphs
from kataribe.errors import ExtractionError
from kataribe.ports import Extractor, Source

NOTHING = Annotations()


def person(
    character_id: str, *names: str, first: tuple[str, ...] = (), surname: str | None = None
) -> Character:
    aliases = [Alias(text=name, kind=NameKind.NAME) for name in names]
    aliases += [Alias(text=text, kind=NameKind.FIRST_PERSON) for text in first]
    if surname is not None:
        aliases.append(Alias(text=surname, kind=NameKind.SURNAME))
    return Character(character_id=character_id, aliases=tuple(aliases))


MIO, ITSUKI, MOTHER = person("mio", "澪"), person("itsuki", "樹"), person("mother", "母")
JA = (MIO, ITSUKI, MOTHER)
EN = (person("mio", "Mio"), person("tom", "Tom"), person("ann", "Ann"))


def extract(
    text: str,
    cast: tuple[Character, ...] = JA,
    language: Language = "ja",
    annotations: Annotations = NOTHING,
    is_open: bool = False,
) -> tuple[Draft, ...]:
    source = Source(
        text=text,
        language=language,
        cast=cast,
        annotations=annotations,
        paragraphs=paragraphs(text),
        is_open=is_open,
    )
    return asyncio.run(RulesExtractor().extract(source)).drafts


def english(text: str, cast: tuple[Character, ...] = EN) -> tuple[Draft, ...]:
    return extract(text, cast, "en")


def told(drafts: tuple[Draft, ...]) -> list[tuple[str, str, Reason]]:
    return [(draft.text, ",".join(draft.audience.holders()), draft.reason) for draft in drafts]


def last(drafts: tuple[Draft, ...]) -> tuple[str, Reason]:
    return ",".join(drafts[-1].audience.holders()), drafts[-1].reason


def everybody(drafts: tuple[Draft, ...]) -> set[str]:
    return {member for draft in drafts for member in draft.audience.members}


def test_it_is_an_extractor() -> None:
    extractor: Extractor = RulesExtractor()
    assert extractor.extractor_id == "rules-3"
    assert inspect.iscoroutinefunction(extractor.extract)


class TestWithoutACast:
    def test_an_open_story_is_the_worlds(self) -> None:
        drafts = extract("雨が降った。「やあ」\n◇\n夜。", (), is_open=True)
        assert told(drafts) == [
            ("雨が降った。", "world", Reason.NO_CAST),
            ("「やあ」", "world", Reason.NO_CAST),
            ("夜。", "world", Reason.NO_CAST),
        ]

    def test_one_mark_closes_it(self) -> None:
        drafts = extract("[[known-by: a]] 雨。\n夜。", (), is_open=True)
        assert told(drafts) == [("雨。", "a", Reason.ANNOTATION), ("夜。", "", Reason.UNRECOGNISED)]

    def test_a_story_with_secrets_elsewhere_tells_nothing(self) -> None:
        assert last(extract("雨が降った。", ())) == ("", Reason.UNRECOGNISED)


class TestSentences:
    def test_a_draft_is_a_sentence_as_written(self) -> None:
        text = "　澪は来た。\r\n「やあ。」と澪は言った。"
        drafts = extract(text)
        assert [draft.text for draft in drafts] == ["澪は来た。", "「やあ。」と澪は言った。"]
        assert all(text[draft.start : draft.end] == draft.text for draft in drafts)

    def test_what_says_nothing_is_left_out(self) -> None:
        assert [draft.text for draft in extract("「……！」\n澪は来た。\n＊\n――。\n……")] == ["澪は来た。"]

    def test_a_repeated_sentence_is_told_twice(self) -> None:
        assert [draft.text for draft in extract("澪は笑った。澪は笑った。")] == ["澪は笑った。"] * 2

    def test_nothing_comes_of_nothing(self) -> None:
        assert extract("") == extract("\n \n") == ()


class TestTheAuthorsWord:
    def test_a_mark_decides_and_is_no_fact(self) -> None:
        text = "[[known-by: itsuki]]\n澪は泣いた。\n【知る者：全員】雨だ。\n◇\n澪は寝た。"
        assert told(extract(text)) == [
            ("澪は泣いた。", "itsuki", Reason.ANNOTATION),
            ("雨だ。", "world", Reason.ANNOTATION),
            ("澪は寝た。", "mio", Reason.SCENE),
        ]

    def test_a_row_for_the_episode_decides(self) -> None:
        annotations = Annotations(rows=(Annotation(audience=known_by("itsuki")),))
        assert last(extract("澪は泣いた。", annotations=annotations)) == ("itsuki", Reason.ANNOTATION)

    def test_a_changed_paragraph_is_flagged_and_as_secret_as_its_neighbours(self) -> None:
        secret = Annotation(
            audience=known_by("mio", "itsuki"), paragraph_id="1", paragraph_hash=paragraph_hash("秘密。")
        )
        annotations = Annotations(rows=(secret,), base=(paragraph_hash("秘密。"),))
        old, new = extract("秘密。\n澪は泣いた。", annotations=annotations)
        assert (old.reason, old.flagged) == (Reason.ANNOTATION, False)
        assert (new.audience, new.reason, new.flagged) == (
            known_by("mio", "itsuki"),
            Reason.CHANGED,
            True,
        )

    @pytest.mark.parametrize(("text", "expected"), [("澪は泣いた。", known_by("mio")), ("雨だ。", NOBODY)])
    def test_between_public_neighbours_a_change_is_the_scenes(self, text: str, expected: Audience) -> None:
        row = Annotation(audience=PUBLIC, paragraph_id="1", paragraph_hash=paragraph_hash("公。"))
        annotations = Annotations(rows=(row,), base=(paragraph_hash("公。"),))
        draft = extract(f"公。\n{text}", annotations=annotations)[-1]
        assert (draft.audience, draft.reason, draft.flagged) == (expected, Reason.CHANGED, True)

    def test_a_malformed_mark_is_an_extraction_error(self) -> None:
        with pytest.raises(ExtractionError, match="known by nobody"):
            extract("[[known-by: ]]\n澪は来た。")


class TestWhoIsThere:
    @pytest.mark.parametrize(
        ("text", "there"),
        [
            ("澪は来た。", {"mio"}),
            ("澪が樹を見た。", {"mio", "itsuki"}),
            ("澪も来た。樹って子だ。", {"mio", "itsuki"}),
            ("澪は樹に鍵を渡した。", {"mio", "itsuki"}),
            ("澪さんの声がした。", {"mio"}),
            ("澪の乗った船が来た。", {"mio"}),
            ("「澪、早く」と樹は言った。", {"mio", "itsuki"}),
            ("「早くしろ、澪。」と樹は言った。", {"mio", "itsuki"}),
            ("「澪さん。起きて。」と樹は言った。", {"mio", "itsuki"}),
            ("「澪！」と樹は叫んだ。", {"mio", "itsuki"}),
            ("「澪が来た」と樹は言った。", {"itsuki"}),
            ("「澪、母、みんな来る」と樹は言った。", {"itsuki", "mother"}),
            ("「『澪、逃げろ』と母が言った」と樹は言った。", {"itsuki"}),
            ("「犯人は誰だ」\n「澪。」\n樹は黙った。", {"itsuki"}),
            ("樹は澪のことを話した。", {"itsuki"}),
            ("樹は澪を待っていた。", {"itsuki"}),
            ("樹は澪に会いたかった。", {"itsuki"}),
            ("樹は澪の家へ行った。", {"itsuki"}),
            ("樹は来た。澪はまだ来ていない。澪はいなかった。", {"itsuki"}),
            ("（澪が来ればいい。）と樹は思った。", {"itsuki"}),
            ("樹は澪が来ると思った。", {"itsuki"}),
            ("樹は母に知らせようと思うと、駆けだした。", {"itsuki"}),
            ("祖母は来た。樹木が揺れた。父母がいた。", set()),
            ("澪様が来た。", {"mio"}),
        ],
    )
    def test_in_japanese(self, text: str, there: set[str]) -> None:
        assert everybody(extract(text)) == there

    @pytest.mark.parametrize(
        ("text", "there"),
        [
            ("Mio came in.", {"mio"}),
            ("Mio looked at Tom.", {"mio", "tom"}),
            ("Mio’s face was pale.", {"mio"}),
            ("Mio sat beside Mr. Tom.", {"mio", "tom"}),
            ("“Mio, hurry,” said Tom.", {"mio", "tom"}),
            ("“Hurry, Mio!” said Tom.", {"mio", "tom"}),
            ("“Thank you, Mr. Mio,” said Tom.", {"mio", "tom"}),
            ("“Mio is late,” said Tom.", {"tom"}),
            ("“I saw Mio. She ran,” said Tom.", {"tom"}),
            ("“I met Mr. Mio.” Tom sat down.", {"tom"}),
            ("“Mio, for instance,” said Tom.", {"tom"}),
            ("“Ann, Mio, and I went,” said Tom.", {"tom"}),
            ("Tom spoke about Mio.", {"tom"}),
            ("Tom remembered Mio.", {"tom"}),
            ("Tom wrote to Mio.", {"tom"}),
            ("Tom waited for Mio.", {"tom"}),
            ("Tom went to Mio’s house.", {"tom"}),
            ("Tom sat. Mio was not there.", {"tom"}),
            ("Tom knew a certain Mio.", {"tom"}),
            ("Tom wondered where Mio was.", {"tom"}),
            ("Tomato and mio and TOM and Ann-Marie.", set()),
        ],
    )
    def test_in_english(self, text: str, there: set[str]) -> None:
        assert everybody(english(text)) == there

    def test_scenes_are_apart(self) -> None:
        assert told(extract("澪は来た。\n＊\n樹は去った。\n＊\n雨だ。")) == [
            ("澪は来た。", "mio", Reason.SCENE),
            ("樹は去った。", "itsuki", Reason.SCENE),
            ("雨だ。", "", Reason.UNRECOGNISED),
        ]

    def test_nobody_recognised_waits_in_review(self) -> None:
        draft = english("It rained all day.")[0]
        assert (draft.audience, draft.reason, draft.flagged) == (NOBODY, Reason.UNRECOGNISED, False)


class TestNames:
    def test_first_person_counts_outside_quotation_only(self) -> None:
        cast = (person("boy", "坊", first=("おれ", "俺")), MIO)
        assert everybody(extract("おれは笑った。", cast)) == {"boy"}
        assert everybody(extract("俺の手が震えた。", cast)) == {"boy"}
        assert everybody(extract("「おれは行く」と澪は言った。", cast)) == {"mio"}
        assert everybody(extract("木がたおれた。澪は見た。", cast)) == {"mio"}
        narrator = (person("boy", "Boy", first=("I",)), *EN)
        assert everybody(english("I saw Mio. It rained.", narrator)) == {"boy", "mio"}
        assert everybody(english("“I am here,” said Mio. In it.", narrator)) == {"mio"}

    def test_matching_is_on_nfkc_and_offsets_are_the_texts(self) -> None:
        text = "①②ﾐｵは㍿へ来た。「行く！」と㍿でﾐｵﾞは"
        drafts = extract(text, (person("mio", "ミオ"),))
        assert everybody(drafts) == {"mio"}
        assert all(text[draft.start : draft.end] == draft.text for draft in drafts)

    def test_katakana_and_hiragana_names_are_whole_words(self) -> None:
        cast = (person("mio", "ミオ"), person("saki", "さき"))
        assert everybody(extract("ミオグロビンが増えた。いさきのさ。", cast)) == set()
        assert everybody(extract("ミオとさきが来た。", cast)) == {"mio", "saki"}

    def test_the_longest_name_wins(self) -> None:
        cast = (person("jekyll", "Jekyll"), person("lady", "Jekyll Stone"))
        assert everybody(english("Jekyll Stone came in.", cast)) == {"lady"}

    def test_a_single_latin_letter_is_no_name(self) -> None:
        assert everybody(english("K came in.", (person("k", "K"),))) == set()

    def test_a_character_without_a_name_is_called_by_its_id(self) -> None:
        assert everybody(english("Mio came in.", (Character(character_id="Mio"),))) == {"Mio"}

    def test_a_shared_name_recognises_neither(self) -> None:
        cast = (person("mio", "綾瀬澪", surname="綾瀬"), person("ren", "綾瀬蓮", surname="綾瀬"))
        assert last(extract("綾瀬は笑った。", cast)) == ("", Reason.UNRECOGNISED)

    def test_a_shared_name_is_settled_by_who_is_there(self) -> None:
        cast = (person("mio", "綾瀬澪", surname="綾瀬"), person("ren", "綾瀬蓮", surname="綾瀬"), ITSUKI)
        assert last(extract("綾瀬澪と樹が来た。\n「うん」と綾瀬は言った。", cast)) == (
            "itsuki,mio",
            Reason.SPEAKER,
        )
        assert last(extract("綾瀬澪と樹が来た。\n綾瀬は帰ろうと思った。", cast)) == ("mio", Reason.INNER)


class TestSpeech:
    @pytest.mark.parametrize(
        "text",
        [
            "「行く」と澪は言った。",
            "澪は「行く」と答えた。",
            "澪は樹を見た。\n「行く」\n澪が云いました。",
            "澪はすぐに云いました。\n「行く」",
            "澪は\n「行く」",
            "澪は叫んだ。「行く」",
        ],
    )
    def test_its_speaker_is_found_in_japanese(self, text: str) -> None:
        spoken = [draft for draft in extract(text + "\n樹は黙った。") if "「" in draft.text]
        assert [(draft.audience, draft.reason) for draft in spoken] == [
            (known_by("mio", "itsuki"), Reason.SPEAKER)
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "“Come here,” said Mio.",
            "“Come here!” Mio cried.",
            "Mio said, “Come here.”",
            "Mio turned. “Come here.”",
            "Mio, with a smile, replied: “Come here.”",
            '"Come here," replied Miss Mio.',
        ],
    )
    def test_its_speaker_is_found_in_english(self, text: str) -> None:
        spoken = [draft for draft in english(text + "\nTom sat.") if "Come" in draft.text]
        assert [(draft.audience, draft.reason) for draft in spoken] == [
            (known_by("mio", "tom"), Reason.SPEAKER)
        ]

    def test_without_a_speaker_it_is_the_scenes(self) -> None:
        assert told(extract("澪は樹を見た。\n「行く」"))[1] == ("「行く」", "itsuki,mio", Reason.SCENE)
        assert last(extract("澪は来た。\n「行く」と先生は言った。")) == ("mio", Reason.SCENE)

    def test_a_speech_of_several_paragraphs_keeps_its_speaker(self) -> None:
        text = "Tom sat.\n“It began so,” said Mio. “There was a key.\n“It was old.”"
        assert last(english(text)) == ("mio,tom", Reason.SPEAKER)

    def test_a_name_in_a_quotation_left_open_is_not_there(self) -> None:
        assert everybody(english("“It began so,” said Mio. “Tom came.\n“He fell.”")) == {"mio"}


class TestInnerSpeech:
    @pytest.mark.parametrize(
        "text",
        [
            "（鍵がない。困った。）と澪は思った。",
            "澪は（鍵がない）と思った。",
            "「鍵がない」と澪は思った。",
            "澪は、鍵がないと思った。",
            "澪は鍵のことを考えた。",
            "澪は心の中で「鍵がない」とつぶやいた。",
            "澪は樹が鍵をなくしたのだと思った。",
            "澪は鍵を思い出した。",
            "澪は立った。鍵がない、と思った。",
            "（鍵がない。）\nと澪が思いながら立っていた。",
            "「鍵がない。」澪はそう思った。",
        ],
    )
    def test_it_is_the_thinkers_alone_in_japanese(self, text: str) -> None:
        drafts = [draft for draft in extract("樹は寝ていた。\n" + text) if "鍵" in draft.text]
        assert [(draft.audience, draft.reason) for draft in drafts] == [(known_by("mio"), Reason.INNER)]

    @pytest.mark.parametrize(
        "text",
        [
            "Mio wondered whether the key was lost.",
            "“The key is lost,” thought Mio.",
            "“The key is lost,” Mio thought.",
            "'The key is lost,' Mio thought.",
            "Mio stood up. She thought the key was lost.",
            "Mio stood up. *The key is lost now.*",
            "Mio had never told herself that the key was lost.",
            "Mio suddenly realised that Tom had the key.",
            "“Is the key lost?” Mio wondered.",
        ],
    )
    def test_it_is_the_thinkers_alone_in_english(self, text: str) -> None:
        drafts = [draft for draft in english("Tom slept.\n" + text) if "key" in draft.text]
        assert [(draft.audience, draft.reason) for draft in drafts] == [(known_by("mio"), Reason.INNER)]

    @pytest.mark.parametrize(
        "text",
        ["（鍵がない。）", "鍵がないと思った。", "先生は鍵がないと思った。", "みんなが鍵がないと思った。"],
    )
    def test_a_thinker_unknown_waits_in_review_in_japanese(self, text: str) -> None:
        assert last(extract("澪は樹を見た。\n" + text)) == ("", Reason.UNRECOGNISED)

    @pytest.mark.parametrize(
        "text",
        [
            "*The key is lost now.*",
            "They thought the key was lost.",
            "Mio looked at Tom; she thought the key was lost.",
        ],
    )
    def test_a_thinker_unknown_waits_in_review_in_english(self, text: str) -> None:
        assert last(english("Mio saw Tom.\n" + text)) == ("", Reason.UNRECOGNISED)

    def test_the_narrator_thinks_where_nobody_else_is_named(self) -> None:
        cast = (person("boy", "坊", first=("おれ",)), ITSUKI)
        assert last(extract("おれは樹を見た。樹は笑った。\n楽ではないと思った。", cast)) == (
            "boy",
            Reason.INNER,
        )
        narrator = (person("boy", "Boy", first=("I",)), *EN)
        assert last(english("Tom sat. I thought it was late.", narrator)) == ("boy", Reason.INNER)

    def test_the_only_one_there_is_the_thinker(self) -> None:
        assert last(extract("澪は歩いた。\n（鍵がない。）")) == ("mio", Reason.INNER)

    def test_by_chance_is_no_thought(self) -> None:
        assert last(extract("澪は思わず笑った。樹も笑った。")) == ("itsuki,mio", Reason.SCENE)

    def test_an_aside_is_no_thought(self) -> None:
        assert last(extract("澪は鍵（銀）を樹に見せた。")) == ("itsuki,mio", Reason.SCENE)
        assert last(english("Mio *really* saw Tom.")) == ("mio,tom", Reason.SCENE)


SIGNS = "澪 樹 は が と の 。 、 「 」 （ ） “ ” \" ' ‘ ’ * \n ◇ 思った 言った 母 ㍿ ﾐｵ . , ! ? [[ ]]"
WORDS = "Mio Tom said thought wondered I he おれ ミオ \x00 \U0001f600"
PIECES = st.sampled_from([*SIGNS.split(" "), *WORDS.split(" "), " ", "　", "\r\n"])
WILD = st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=60))


@given(WILD, st.sampled_from(["ja", "en"]))
@settings(deadline=None, max_examples=400)
def test_drafts_are_spans_in_order_and_never_the_worlds(text: str, language: Language) -> None:
    cast = (*JA, *EN[1:], person("boy", "ミオ", first=("I", "おれ")))
    at = 0
    for draft in extract(text, cast, language):
        assert same_words(draft.text, text[draft.start : draft.end])
        assert at <= draft.start < draft.end
        assert not draft.audience.world
        assert not draft.flagged
        assert (draft.reason is Reason.UNRECOGNISED) == draft.audience.is_empty
        at = draft.end


@given(WILD)
@settings(deadline=None)
def test_the_same_text_gives_the_same_drafts(text: str) -> None:
    assert extract(text) == extract(text, JA[::-1])


@pytest.mark.parametrize("heading", ["# Chapter 1", "## 第一章　夜明け"])
def test_a_heading_is_no_fact_and_begins_a_scene(heading: str) -> None:
    text = f"Ann went home.\n\n{heading}\n\nBen went out."
    spans = paragraphs(text)
    cast = (Character(character_id="Ann"), Character(character_id="Ben"))
    source = Source(text=text, language="en", cast=cast, annotations=Annotations(), paragraphs=spans)
    found = asyncio.run(RulesExtractor().extract(source)).drafts
    assert [(d.text, d.audience.holders()) for d in found] == [
        ("Ann went home.", ("Ann",)),
        ("Ben went out.", ("Ben",)),
    ]


class TestArticles:
    """An article that belongs to a name is written small or large, as the sentence wants it."""

    @pytest.mark.parametrize("alias", ["the Fox", "The Fox"])
    def test_a_name_with_an_article_is_found_wherever_it_stands(self, alias: str) -> None:
        cast = (person("cleo", alias), person("tom", "Tom"))
        for text in (
            "The Fox came in.",
            "Then the Fox came in.",
            "THE Fox came in.",
            "“The Fox!” Tom cried.",
        ):
            assert "cleo" in everybody(english(text, cast)), text

    def test_the_name_itself_keeps_its_case(self) -> None:
        cast = (person("cleo", "the Fox"), person("will", "Will"), person("anselm", "A Smith"))
        assert everybody(english("The fox came in. She will see. Breathe Fox! Fox ran.", cast)) == set()
        assert everybody(english("She met a Smith.", cast)) == set(), "an initial is no article"

    def test_two_who_share_it_but_for_the_article_share_it(self) -> None:
        cast = (person("cleo", "the Fox"), person("tom", "The Fox"))
        assert everybody(english("The Fox came in.", cast)) == set(), "it could be either"

    def test_a_japanese_story_finds_it_too(self) -> None:
        cast = (person("cleo", "the Fox"), MIO)
        assert "cleo" in everybody(extract("The Foxが入ってきた。", cast))


@pytest.mark.parametrize(
    ("text", "words", "quote"),
    [
        ("｜澪《みお》は樹《いつき》に鍵《かぎ》を渡した。", "澪は樹に鍵を渡した。", None),
        ("澪は樹に《《銀の》》鍵を渡した［＃「渡した」に傍点］。", "澪は樹に銀の鍵を渡した。", None),
        ("　<b>澪</b>は樹に鍵を渡した。", "澪は樹に鍵を渡した。", "<b>澪</b>は樹に鍵を渡した。"),
        ("澪は樹に**鍵**を渡した。", "澪は樹に鍵を渡した。", None),
    ],
)  # fmt: skip
def test_readings_and_emphasis_hide_nobody_and_are_no_words(text: str, words: str, quote: str | None) -> None:
    (draft,) = extract(text)
    assert draft.text == words
    assert text[draft.start : draft.end] == (quote or text)
    assert "mio" in draft.audience.members


def test_a_thought_in_italics_is_its_thinkers_and_shown_without_the_marks() -> None:
    text = "Mio saw Tom. *He must never know it,* Mio thought."
    draft = extract(text, EN, "en")[-1]
    assert draft.text == "He must never know it, Mio thought."
    assert text[draft.start : draft.end] == "*He must never know it,* Mio thought."
    assert (",".join(draft.audience.holders()), draft.reason) == ("mio", Reason.INNER)


def test_no_letter_is_lost_or_said_twice_where_emphasis_ends_with_a_sentence() -> None:
    text = "Mio saw Tom. *Run!* *Hide now!* **Both.** _Never!_"
    drafts = extract(text, EN, "en")
    assert " ".join(draft.text for draft in drafts) == "Mio saw Tom. Run! Hide now! Both. Never!"
    ja = extract("澪は樹に**言った**。**「逃げて！」**と*樹は*答えた。")
    assert "".join(draft.text for draft in ja) == "澪は樹に言った。「逃げて！」と樹は答えた。"


@pytest.mark.parametrize(
    ("text", "language", "first"),
    [
        ("第二部　海\n\n7\n\n　澪は樹に会った。", "ja", "澪は樹に会った。"),
        ("第一章\n\n雨の朝\n\n　澪は樹に会った。", "ja", "澪は樹に会った。"),
        ("一、雨の朝\n澪は樹に会った。", "ja", "澪は樹に会った。"),
        ("［＃７字下げ］一［＃「一」は中見出し］\r\n\r\n　澪は樹に会った。", "ja", "澪は樹に会った。"),
        ("PART ONE--Rain\n\n1\n\nThe Old Inn\n\nMio met Tom.", "en", "Mio met Tom."),
        ("Chapter One\nMio met Tom.", "en", "Mio met Tom."),
        ("1. The Inn\n\nMio met Tom.", "en", "Mio met Tom."),
    ],
)
def test_a_title_is_never_a_fact(text: str, language: Language, first: str) -> None:
    cast = JA if language == "ja" else EN
    for is_open in (True, False):
        drafts = extract(text, () if is_open else cast, language, is_open=is_open)
        assert [draft.text for draft in drafts] == [first]
        assert text[drafts[0].start : drafts[0].end] == first


def test_a_note_on_a_line_of_its_own_is_no_fact() -> None:
    assert [
        draft.text for draft in extract("［＃改ページ］\n澪は樹に会った。\n［＃ここから２字下げ］\n")
    ] == ["澪は樹に会った。"]


def test_a_mark_before_a_reading_is_obeyed() -> None:
    (draft,) = extract("[[known-by: mio]] ｜樹《いつき》は鍵を隠した。")
    assert (draft.text, ",".join(draft.audience.holders())) == ("樹は鍵を隠した。", "mio")
