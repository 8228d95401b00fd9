"""The words of a bundle's pages, in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kataribe.domain.terms import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """What the pages call things; `{}` is filled in."""

    title: str
    made: str
    about: str
    warning: str
    whats_in: str
    files: Mapping[str, str]
    back: str
    back_talk: str
    not_in: str
    not_in_list: tuple[str, ...]
    with_parquet: str
    without_parquet: str
    left_tokens: str
    conversations: str
    session: str
    outside: str
    under: str
    deleted_episode: str
    everybody: str
    held_by: str
    expired: str
    turns: str
    days: str
    memories: str
    tiers: Mapping[str, str]
    ended: str
    about_topic: str
    because: str
    rests_on: str
    nothing: str
    profile: str
    values: str
    value_until: str
    by_turn: str
    by_hand: str
    consents: str
    given: str
    withdrawn: str
    threads: str
    thoughts: str
    nights: str
    decisions: str
    questions: str
    answers: str
    unanswered: str
    audit: str
    audit_about: str
    audit_none: str


_EN = PageWords(
    title="What is kept of {}",
    made="Made on {}, with {} turns and {} memories.",
    about="This file holds all that the store keeps of you: what was said, what is remembered of it and why, "
    "your profile and your consents, and what was done with it. The words stand as they were said.",
    warning="It is not encrypted. Keep it where only you can read it, and delete it when you are done.",
    whats_in="What is in it",
    files={
        "conversation/": "what was said, a page for each session",
        "memories.md": "what is remembered, by tier, and why",
        "profile.md": "your profile with its history, and your consents",
        "threads.md": "what goes together in the conversations",
        "thoughts.md": "nights, decisions by hand, questions, and what language models made of it",
        "audit.md": "the record of what was done with your data",
        "FIELDS.md": "what stands in each field of the files in `data/` (in English)",
        "data/": "the same for programs, as JSON Lines",
    },
    back="What was said can be brought into another store by:",
    back_talk="Talk under a story is brought in at its episode, when the story is there:",
    not_in="What is not in it",
    not_in_list=(
        "Indexes and vectors: they are made from what is here.",
        "What other users said, and the texts of stories.",
        "Backups of the store, and what other programs keep.",
    ),
    with_parquet="The tables are there as Parquet too, in `data/parquet/`.",
    without_parquet="Parquet files are left out: what writes them is not installed "
    "(`pip install 'kataribe[archive]'`).",
    left_tokens="A word such as `<email:…>` stands for personal data that is in no turn that is kept: "
    "it was typed into a memory by hand, or its turn is deleted. It cannot be given back.",
    conversations="Conversations",
    session="Session",
    outside="outside stories",
    under="story {}, episode {}",
    deleted_episode="deleted",
    everybody="everybody",
    held_by="remembered by {}",
    expired="the text was deleted by its age; this is what is left of it",
    turns="Turns",
    days="Days",
    memories="What is remembered",
    tiers={"long": "Long term", "mid": "Mid term"},
    ended="Given to nobody any more",
    about_topic="about {}",
    because="Why:",
    rests_on="Rests on the turns",
    nothing="Nothing.",
    profile="Profile and consents",
    values="Values, oldest first",
    value_until="until {}",
    by_turn="agreed to in turn {}",
    by_hand="written by hand",
    consents="Consents",
    given="given",
    withdrawn="taken back",
    threads="Threads",
    thoughts="How memory came about",
    nights="Nights",
    decisions="Decisions by hand",
    questions="What was asked of memory and could not be done",
    answers="What language models made of it",
    unanswered="not answered",
    audit="Record of what was done",
    audit_about="You are called by a pseudonym in it. Each event has a hash of itself and of all before it.",
    audit_none="No record was kept.",
)
_JA = PageWords(
    title="{} について保存されているもの",
    made="{} に作成。発言 {} 件、記憶 {} 件。",
    about="このファイルには、このストアがあなたについて保存しているすべてが入っています。話したこと、"
    "そこから覚えたこととその理由、プロフィールと同意、そしてデータに対して行われたことの記録です。"
    "言葉は話されたままです。",
    warning="暗号化されていません。他の人に読めない場所に置き、不要になったら削除してください。",
    whats_in="入っているもの",
    files={
        "conversation/": "話したこと。セッションごとに1ページ",
        "memories.md": "覚えていること。層ごとに、理由とともに",
        "profile.md": "プロフィールとその履歴、同意",
        "threads.md": "会話のまとまり",
        "thoughts.md": "夜の整理、手による決定、問い、言語モデルがまとめたもの",
        "audit.md": "あなたのデータに対して行われたことの記録",
        "FIELDS.md": "`data/` の各ファイルの項目の意味(英語)",
        "data/": "同じ内容をプログラム向けに JSON Lines で",
    },
    back="話したことは、次のコマンドで別のストアに取り込めます。",
    back_talk="物語のもとでの会話は、その物語があるストアに、話数を指定して取り込みます。",
    not_in="入っていないもの",
    not_in_list=(
        "索引とベクトル。ここにあるものから作られます。",
        "他の利用者が話したことと、物語の本文。",
        "ストアのバックアップと、他のプログラムが保存しているもの。",
    ),
    with_parquet="表は Parquet でも `data/parquet/` に入っています。",
    without_parquet="Parquet のファイルは入っていません。書き出すための部品がインストールされていません"
    "(`pip install 'kataribe[archive]'`)。",
    left_tokens="`<email:…>` のような語は、残っている発言の中では誰も話していない個人データの代わりです。"
    "記憶に手で書き込まれたか、その発言が削除されています。元の言葉には戻せません。",
    conversations="会話",
    session="セッション",
    outside="物語の外",
    under="物語 {}、第 {} 話",
    deleted_episode="削除済み",
    everybody="全員",
    held_by="覚えている人: {}",
    expired="本文は期限により削除されました。これは残された部分です",
    turns="発言",
    days="期間",
    memories="覚えていること",
    tiers={"long": "長期", "mid": "中期"},
    ended="もう誰にも示されないもの",
    about_topic="話題: {}",
    because="理由:",
    rests_on="もとの発言",
    nothing="ありません。",
    profile="プロフィールと同意",
    values="値(古い順)",
    value_until="{} まで",
    by_turn="発言 {} で同意",
    by_hand="手で記入",
    consents="同意",
    given="同意",
    withdrawn="撤回",
    threads="会話のまとまり",
    thoughts="記憶の成り立ち",
    nights="夜の整理",
    decisions="手による決定",
    questions="頼まれたが、できなかったこと",
    answers="言語モデルがまとめたもの",
    unanswered="未回答",
    audit="行われたことの記録",
    audit_about="記録の中であなたは仮名で呼ばれています。各出来事は、それ以前のすべてを含むハッシュを持ちます。",
    audit_none="記録は取られていません。",
)
_WORDS: Mapping[Language, PageWords] = {"en": _EN, "ja": _JA}


def words_in(language: Language) -> PageWords:
    """Give the words in a language."""
    return _WORDS[language]
