"""How a story's inputs are taken: what closes a story, what a person's word moves and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kataribe
from kataribe.domain.story.inputs import Alias, NameKind
from kataribe.domain.terms import known_by
from kataribe.face.sync.kataribe import Kataribe
from kataribe.read.plan import names_in, to_embed
from support.hits import fact_hits
from support.stores import empty_store, services

TEXTS = {
    "en": ("The mill burned down in the night.", "Nobody came to help.", "The key is under the stone."),
    "ja": ("夜のうちに水車小屋が燃えた。", "誰も助けに来なかった。", "鍵は石の下にある。"),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


def story(store: Kataribe, language: str, *texts: str) -> None:
    """Make a story `s` of these episodes."""
    store.story("s").create(language="ja" if language == "ja" else "en", embedder="hash")
    for no, text in enumerate(texts, 1):
        store.story("s").episodes.put(no=no, text=text, episode_id=f"e{no}")
    store.sync()


def known(store: Kataribe, character: str, at: int = 9) -> list[str]:
    """Give what a character remembers, in story order."""
    return [hit.text for hit in store.known(story="s", persona=character, at=at).hits]


# -- what closes a story -------------------------------------------------------------------


@pytest.mark.parametrize("language", TEXTS)
def test_a_secret_of_somebody_undeclared_leaves_what_everybody_knows(store: Kataribe, language: str) -> None:
    first, second, secret = TEXTS[language]
    story(store, language, first, second)
    store.story("s").facts.add(episode_no=1, text=secret, audience=known_by("bo"))
    store.sync()
    assert known(store, "ada") == [first, second], "nobody declared a cast: the texts are still everybody's"
    assert known(store, "bo") == [first, secret, second]
    assert store.story("s").facts.review() == ()
    assert store.story("s").verify().ok


@pytest.mark.parametrize("language", TEXTS)
def test_a_declared_cast_or_an_annotation_closes_a_story(store: Kataribe, language: str) -> None:
    first, second, secret = TEXTS[language]
    story(store, language, first, second)
    store.story("s").episodes.put(no=2, text=f"[[known-by: bo]] {second}")
    store.sync()
    assert (known(store, "ada"), known(store, "bo")) == ([first], [first, second])
    store.story("s").episodes.put(no=2, text=second)
    store.story("s").facts.add(episode_no=1, text=secret, audience=known_by("bo"))
    store.story("s").cast.add(kataribe.Character(character_id="cleo"))
    store.sync()
    assert known(store, "ada") == [], "a cast was declared, and nobody of it is recognised"
    store.story("s").cast.delete("cleo")
    store.sync()
    assert known(store, "ada") == [first, second]


# -- names with an article -----------------------------------------------------------------


def test_a_name_with_an_article_is_known_at_the_start_of_a_sentence_too(store: Kataribe) -> None:
    store.story("s").create(language="en", embedder="hash")
    fox = (Alias(text="Cleo", kind=NameKind.NAME), Alias(text="the Fox"))
    will = (Alias(text="Will", kind=NameKind.NAME), Alias(text="the Miller"))
    store.story("s").cast.add(kataribe.Character(character_id="cleo", aliases=fox))
    store.story("s").cast.add(kataribe.Character(character_id="will", aliases=will))
    store.story("s").episodes.put(no=1, text="The Fox came in.\n\n* * *\n\nShe will see.")
    store.sync()
    assert known(store, "cleo") == ["The Fox came in."]
    assert known(store, "will") == []
    for question in ("The Fox came when?", "When did the Fox come?"):
        asked = store.recall(question, story="s", persona="cleo", at=2, explain=True)
        assert asked.explanation is not None
        assert asked.explanation.expansions == ("Cleo",)


def test_who_spoke_is_found_with_the_article_either_way() -> None:
    speakers = ("Will", "the Fox")
    assert names_in("The Fox said what?", speakers) == ("the Fox",)
    assert names_in("What did the Fox say, and who will answer?", speakers) == ("the Fox",)
    assert to_embed("The Fox said what?", speakers) == "said what?"


# -- facts by hand in the words of the text ------------------------------------------------


@pytest.mark.parametrize("language", TEXTS)
def test_a_fact_by_hand_takes_what_the_text_says_from_nobody(store: Kataribe, language: str) -> None:
    said, other, _ = TEXTS[language]
    story(store, language, f"[[known-by: ann, ben]] {said}", other)
    (fact_id,) = {fact.fact_id for fact in store.story("s").facts.list(episode_no=1)}
    for audience in (known_by("ann"), known_by("cleo"), known_by("ann", "cleo")):
        with pytest.raises(kataribe.ConflictError) as refused:
            store.story("s").facts.add(episode_no=1, text=said, audience=audience)
        for way in (fact_id, "fact widen", "fact keep", "fact edit", "ben"):
            assert way in str(refused.value)
    assert {who: known(store, who) for who in ("ann", "ben", "cleo")} == {
        "ann": [said],
        "ben": [said],
        "cleo": [],
    }
    assert store.story("s").facts.list()[0].origin is kataribe.FactOrigin.EXTRACTED


@pytest.mark.parametrize("audience", [known_by("ann", "ben", "cleo"), kataribe.PUBLIC])
def test_knowers_are_added_to_what_the_text_says(store: Kataribe, audience: kataribe.Audience) -> None:
    said, other, _ = TEXTS["en"]
    story(store, "en", f"[[known-by: ann, ben]] {said}", other)
    (fact_id,) = {fact.fact_id for fact in store.story("s").facts.list(episode_no=1)}
    decision = kataribe.Decision(verb=kataribe.Verb.WIDEN, audience=audience)
    store.story("s").facts.decide(fact_id, decision)
    store.sync()
    assert all(said in known(store, who) for who in ("ann", "ben", "cleo"))
    store.story("s").undo()
    store.sync()
    assert store.story("s").facts.add(episode_no=1, text=said, audience=audience) == fact_id
    store.sync()
    assert all(said in known(store, who) for who in ("ann", "ben", "cleo"))


def test_what_waits_for_a_sync_is_not_taken_either(store: Kataribe) -> None:
    said, other, _ = TEXTS["en"]
    story(store, "en", said)
    store.story("s").episodes.put(no=1, text=f"{said} {other}")
    with pytest.raises(kataribe.ConflictError, match="sync"):
        store.story("s").facts.add(episode_no=1, text=said, audience=known_by("ann"))
    store.story("s").episodes.put(no=1, text=other)
    store.sync()
    store.story("s").facts.add(episode_no=1, text=said, audience=known_by("ann"))
    assert (known(store, "ann"), known(store, "ben")) == ([other, said], [other])


def test_what_was_struck_out_or_waits_in_review_is_nobodys_to_lose(store: Kataribe) -> None:
    said, other, _ = TEXTS["en"]
    story(store, "en", said, other)
    struck = store.story("s").facts.list(episode_no=1)[0].fact_id
    store.story("s").facts.delete(struck)
    assert store.story("s").facts.add(episode_no=1, text=said, audience=known_by("ann")) == struck
    store.story("s").cast.add(kataribe.Character(character_id="cleo"))
    store.sync()
    assert [item.text for item in store.story("s").facts.review()] == [other]
    store.story("s").facts.add(episode_no=2, text=other, audience=known_by("ann"))
    assert known(store, "ann") == [said, other]


# -- another id for somebody whom a deleted text names -------------------------------------

MARKED = {
    "en": (
        "[[known-by: ben, ann]]\nThe mill burned.\n\n[[ Known by:ann ]] Ann saw who did it.",
        "ann",
        "anna",
    ),
    "ja": (
        "【知る者：ベン、アン】\n水車小屋が燃えた。\n\n【 知る者 : アン 】犯人はアンが見た。",
        "アン",
        "アンナ",
    ),
}


def exported(store: Kataribe, out: Path) -> dict[str, bytes]:
    """Give the story's inputs as an export writes them."""
    store.story("s").export(out)
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


@pytest.mark.parametrize("language", MARKED)
def test_a_deleted_text_follows_a_rename(store: Kataribe, language: str, tmp_path: Path) -> None:
    text, old, new = MARKED[language]
    story(store, language, text, text.replace(old, "x"))
    store.story("s").cast.add(kataribe.Character(character_id=old))
    with pytest.raises(kataribe.ConflictError, match="edit the text first"):
        store.story("s").cast.rename(old, new)
    store.story("s").episodes.delete(no=1)
    before = exported(store, tmp_path / "before")
    store.story("s").cast.rename(old, new)
    store.story("s").episodes.restore(no=1)
    store.sync()
    back = store.story("s").episodes.get(no=1).text
    assert back == text.replace(f"、{old}】", f"、{new}】").replace(f": {old} 】", f": {new} 】").replace(
        f", {old}]]", f", {new}]]"
    ).replace(f":{old} ]]", f":{new} ]]")
    assert back != text
    assert old not in {one.character_id for one in store.story("s").cast.list()}
    assert len(known(store, new, 2)) == 2
    assert [entry.text for entry in store.story("s").episodes.history(no=1)] == [text, back]
    assert store.story("s").verify().ok
    with kataribe.open(str(empty_store(tmp_path / "fresh.db")), services=services()) as other:
        store.story("s").export(tmp_path / "after")
        other.story("s").import_folder(tmp_path / "after")
        other.sync()
        for who in (old, new, "ben", "ベン", "x"):
            assert known(other, who) == known(store, who)
    store.story("s").undo()
    store.story("s").undo()
    assert exported(store, tmp_path / "undone") == before
    store.story("s").episodes.restore(no=1)
    assert store.story("s").episodes.get(no=1).text == text


def test_a_rename_merges_nobody_through_a_deleted_mark(store: Kataribe) -> None:
    text, old, new = MARKED["en"]
    story(store, "en", text, f"[[known-by: {new}]] Anna slept.")
    store.story("s").episodes.delete(no=1)
    store.story("s").episodes.delete(no=2)
    store.story("s").cast.add(kataribe.Character(character_id=old))
    for taken in (new, "全員", "a]] b", "a [b"):
        with pytest.raises(kataribe.ConflictError, match="choose another id"):
            store.story("s").cast.rename(old, taken)
    store.story("s").episodes.restore(no=1)
    assert store.story("s").episodes.get(no=1).text == text


# -- a secret's quote ----------------------------------------------------------------------

SECRETS = {
    "en": ("Ann found the key. Ben, the thief, fled over the roof.", "Ann found the key.", "Somebody fled."),
    "ja": ("アンは鍵を見つけた。泥棒のベンは屋根から逃げた。", "アンは鍵を見つけた。", "誰かが逃げた。"),
}


def quoted(store: Kataribe, language: str) -> tuple[str, str, str]:
    """Tell a secret with a quote that says more; give its id, its words and the quote."""
    text, first, harmless = SECRETS[language]
    quote = text[len(first) :].strip()
    story(store, language, text)
    store.story("s").cast.add(kataribe.Character(character_id="ann"))
    fact_id = store.story("s").facts.add(episode_no=1, text=harmless, audience=known_by("ann"), quote=quote)
    store.sync()
    return fact_id, harmless, quote


def quotes(store: Kataribe, character: str, text: str) -> list[str | None]:
    """Give the quote of each fact with these words that a character remembers."""
    hits = store.known(story="s", persona=character, at=9).hits
    return [hit.quote for hit in fact_hits(hits) if hit.text == text]


def widened(
    audience: kataribe.Audience, *, keep_quote: bool = False, without_quote: bool = False
) -> kataribe.Decision:
    return kataribe.Decision(
        verb=kataribe.Verb.WIDEN, audience=audience, keep_quote=keep_quote, without_quote=without_quote
    )


@pytest.mark.parametrize("language", SECRETS)
@pytest.mark.parametrize("audience", [kataribe.PUBLIC, known_by("ann", "cleo")])
def test_a_secrets_quote_is_shown_to_nobody_more_unasked(
    store: Kataribe, language: str, audience: kataribe.Audience
) -> None:
    fact_id, text, quote = quoted(store, language)
    with pytest.raises(kataribe.UnconfirmedError, match="keep_quote"):
        store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=audience))
    with pytest.raises(kataribe.UnconfirmedError, match="without_quote"):
        store.story("s").facts.decide(fact_id, widened(audience))
    assert (quotes(store, "ann", text), quotes(store, "cleo", text)) == ([quote], [])
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=audience, without_quote=True))
    store.sync()
    assert quotes(store, "cleo", text) == [None]
    store.story("s").undo()
    store.story("s").facts.decide(fact_id, widened(audience, without_quote=True))
    store.sync()
    assert quotes(store, "cleo", text) == [None]
    store.story("s").undo()
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=audience, keep_quote=True))
    store.sync()
    assert quotes(store, "cleo", text) == [quote]
    store.story("s").undo()
    store.story("s").facts.decide(fact_id, widened(audience, keep_quote=True))
    store.sync()
    assert quotes(store, "cleo", text) == [quote]


def test_nobody_is_asked_about_a_quote_that_tells_them_nothing_new(store: Kataribe) -> None:
    fact_id, _, quote = quoted(store, "en")
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(text=f"They say: {quote}"))
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=kataribe.PUBLIC))
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(text="Somebody fled."))
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=known_by("ann")))
    store.story("s").facts.edit(fact_id, kataribe.FactEdit(audience=kataribe.PUBLIC, quote="over the roof"))
    assert quotes(store, "cleo", "Somebody fled.") == ["over the roof"]


def test_a_sentence_of_the_text_put_in_other_words_is_asked_about(store: Kataribe) -> None:
    text, first, harmless = SECRETS["en"]
    story(store, "en", f"[[known-by: ann]] {text}")
    secret = next(fact for fact in store.story("s").facts.list() if fact.text != first)
    with pytest.raises(kataribe.UnconfirmedError):
        store.story("s").facts.edit(
            secret.fact_id, kataribe.FactEdit(text=harmless, audience=kataribe.PUBLIC)
        )
    assert next(fact for fact in store.story("s").facts.list() if fact.fact_id == secret.fact_id) == secret


def test_what_becomes_of_a_quote_is_said_once() -> None:
    for wrong in ({"without_quote": True}, {"quote": "x"}):
        with pytest.raises(kataribe.InputError):
            kataribe.FactEdit(keep_quote=True, **wrong)
    with pytest.raises(kataribe.InputError):
        widened(kataribe.PUBLIC, keep_quote=True, without_quote=True)
    with pytest.raises(kataribe.InputError):
        kataribe.Decision(verb=kataribe.Verb.KEEP, keep_quote=True)


# -- ids that look alike -------------------------------------------------------------------

ALIKE = [
    ("caf\u00e9", "cafe\u0301"),
    ("\u30ac\u30f3\u30bf", "\u30ab\u3099\u30f3\u30bf"),
    ("ann", "an\u200bn"),
    ("ann", "\uff41\uff4e\uff4e"),
    ("ガンタ", "ｶﾞﾝﾀ"),
    ("澪", "澪\ufe00"),
]


@pytest.mark.parametrize("pair", ALIKE)
def test_ids_that_look_alike_are_told_and_taken(
    store: Kataribe, pair: tuple[str, str], tmp_path: Path
) -> None:
    one, other = pair
    story(store, "en", f"[[known-by: {one}]] The mill burned.")
    store.story("s").cast.add(kataribe.Character(character_id=other))
    store.story("s").cast.add(kataribe.Character(character_id="ben"))
    (finding,) = [
        found for found in store.story("s").views.check().findings if found.code == "look-alike-ids"
    ]
    assert finding.characters == tuple(sorted(pair))
    assert kataribe.look_alikes(c.character_id for c in store.story("s").cast.list()) == (
        tuple(sorted(pair)),
    )
    store.story("s").export(tmp_path / "out")
    assert store.story("t").import_folder(tmp_path / "out").look_alikes == [tuple(sorted(pair))]


def test_ids_that_can_be_told_apart_are_not_told() -> None:
    assert kataribe.look_alikes(["ann", "Ann", "anna", "ハル", "バル", "は", "ハ", "ann"]) == ()
