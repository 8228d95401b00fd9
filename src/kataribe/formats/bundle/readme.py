"""The first page of a bundle: what is in it, what is not, and how it is brought into a store again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote

from kataribe.domain.privacy.records import SaidSpace, UserRecords
from kataribe.domain.space import parse_space
from kataribe.formats.bundle.words import PageWords, words_in


def readme(
    records: UserRecords, files: Mapping[str, str], counts: Mapping[str, int], *, has_parquet: bool
) -> Iterator[str]:
    """Write it; `files` are those of turns, by space, and `counts` the rows of each table."""
    words, user = words_in(records.user.language), records.user
    made = records.at.isoformat(sep=" ", timespec="seconds")
    yield f"# {words.title.format(user.user_id)}"
    yield ""
    yield words.made.format(made, counts["turns"], counts["memories"])
    yield from ("", words.about, "", words.warning, "", f"## {words.whats_in}", "")
    yield from (f"- `{name}`: {says}" for name, says in words.files.items())
    yield from ("", words.with_parquet if has_parquet else words.without_parquet)
    yield from ("", words.left_tokens)
    yield from _back(records, files, words)
    yield from ("", f"## {words.not_in}", "")
    yield from (f"- {one}" for one in words.not_in_list)


def _back(records: UserRecords, files: Mapping[str, str], words: PageWords) -> Iterator[str]:
    talks: list[SaidSpace] = []
    for one in records.spaces:
        if parse_space(one.space).story is not None:
            talks.append(one)
        elif one.turns:
            command = f"kataribe log import {files[one.space]} --user ID --language {records.user.language}"
            yield from ("", words.back, "", f"    {command}")
    there = [one for one in talks if one.episode_no is not None and one.turns]
    if there:
        yield from ("", words.back_talk, "")
    for one in there:
        story, persona = quote(parse_space(one.space).story or ""), quote(one.holders[0])
        yield (
            f"    kataribe log import {files[one.space]} --user ID --story {story} "
            f"--at {one.episode_no} --persona {persona}"
        )
