"""The lines of a story folder's `.jsonl` files, to and from rows.

A reader takes the fields of one line; a writer gives the object of one line, its known
fields in a fixed order and the unknown ones behind them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from kataribe.domain.ids import check_id
from kataribe.domain.story.folder import DecisionRow, EpisodeRow, FactRow, VisibilityRow
from kataribe.domain.terms import DEFAULT_IMPORTANCE, PUBLIC, Audience, FactOrigin, FactSource
from kataribe.domain.text.paragraphs import given_paragraphs
from kataribe.errors import FormatError, InputError
from kataribe.formats.fields import Fields, filled, shown
from kataribe.formats.jsonl import described


class _Visibility(StrEnum):
    PUBLIC = "public"
    SECRET = "secret"


def read_episode(fields: Fields) -> EpisodeRow:
    """Read a line of `episodes.jsonl`."""
    episode_id = fields.maybe_id("episode_id", "episode id")
    no = fields.number("episode_no")
    title = fields.maybe_text("title")
    text = fields.text("text")
    paragraphs = fields.items("paragraphs")
    return EpisodeRow(
        line=fields.line,
        file=fields.file,
        episode_id=episode_id,
        no=no,
        title=title,
        text=text,
        paragraphs=None if paragraphs is None else _paragraphs(fields, paragraphs, text),
        fact_source=fields.choice("fact_source", tuple(FactSource)),
        base=_hashes(fields),
        extra=fields.rest(),
    )


def write_episode(row: EpisodeRow) -> dict[str, object]:
    """Write a line of `episodes.jsonl`."""
    known: dict[str, object] = {
        "episode_id": row.episode_id,
        "episode_no": row.no,
        "title": row.title,
        "text": row.text,
        "paragraphs": None,
        "fact_source": row.fact_source,
        "annotated": None if row.base is None else list(row.base),
    }
    if row.paragraphs is not None:
        known["paragraphs"] = [{"id": name, "text": text} for name, text in row.paragraphs]
    return filled(known, row.extra)


def _paragraphs(fields: Fields, items: list[object], text: str) -> tuple[tuple[str, str], ...]:
    """Read an episode's own cut into paragraphs; the texts must follow each other in its text."""
    cut: dict[str, str] = {}
    for index, item in enumerate(items, start=1):
        paragraph = fields.inside(item, f"paragraph {index}")
        name = paragraph.id("id", "paragraph id")
        if name in cut:
            raise paragraph.refused(f"the paragraph id {name!r} is there twice; ids must differ")
        cut[name] = paragraph.text("text")
        paragraph.no_rest("a paragraph has an id and a text only; put other fields on the episode")
    with fields.placed():
        given_paragraphs(text, tuple(cut.values()))
    return tuple(cut.items())


def _hashes(fields: Fields) -> tuple[str, ...] | None:
    items = fields.items("annotated")
    if items is None:
        return None
    hashes: list[str] = []
    for item in items:
        if not isinstance(item, str) or not item:
            raise fields.refused(f"annotated must be a list of hashes, not one that holds {described(item)}")
        hashes.append(item)
    return tuple(hashes)


def read_fact(fields: Fields) -> FactRow:
    """Read a line of `facts.jsonl`."""
    fact_id = fields.maybe_id("fact_id", "fact id")
    episode_no = fields.number("episode_no")
    audience = _fact_audience(fields)
    text = fields.filled_text("text")
    quote = fields.maybe_text("quote")
    if quote == "":
        raise fields.refused("quote must not be empty; leave it out instead")
    return FactRow(
        line=fields.line,
        file=fields.file,
        fact_id=fact_id,
        episode_no=episode_no,
        audience=audience,
        text=text,
        quote=quote,
        quote_no=fields.maybe_number("quote_episode"),
        importance=fields.maybe_number("importance", most=5) or DEFAULT_IMPORTANCE,
        arousal=fields.maybe_share("arousal"),
        pinned=fields.flag("pinned"),
        supersedes=fields.maybe_id("supersedes", "fact id in supersedes"),
        told_from=fields.maybe_id("told_from", "fact id in told_from"),
        origin=fields.choice("origin", (FactOrigin.SUPPLIED, FactOrigin.HAND)) or FactOrigin.SUPPLIED,
        extra=fields.rest(),
    )


_VISIBILITIES = tuple(_Visibility)


def _fact_audience(fields: Fields) -> Audience:
    """Read `visibility` and `known_by` together: they must say the same."""
    visibility = fields.choice("visibility", _VISIBILITIES)
    names = fields.take("known_by")
    known = None if names is None or names == [] else fields.as_audience("known_by", names)
    if known is None:
        if visibility is _Visibility.PUBLIC:
            return PUBLIC
        if visibility is _Visibility.SECRET:
            raise fields.refused(
                "a secret known by nobody is refused; name in known_by who knows it, or make it public"
            )
        raise fields.refused('nobody is said to know it; give visibility "public", or known_by')
    if visibility is _Visibility.PUBLIC and not known.world:
        raise fields.refused(f"it is public but known_by names {described(names)} of characters; choose one")
    if visibility is _Visibility.SECRET and known.world:
        raise fields.refused(f"it is secret but known_by is {names!r}; choose one")
    return known


def write_fact(row: FactRow) -> dict[str, object]:
    """Write a line of `facts.jsonl`."""
    if row.origin is FactOrigin.EXTRACTED:
        raise InputError("an extracted fact has no place in facts.jsonl; it is made from the text again")
    known: dict[str, object] = {
        "fact_id": row.fact_id,
        "episode_no": row.episode_no,
        "visibility": _Visibility.PUBLIC if row.audience.world else _Visibility.SECRET,
        "known_by": sorted(row.audience.members),
        "text": row.text,
        "quote": row.quote,
        "quote_episode": row.quote_no,
        "importance": None if row.importance == DEFAULT_IMPORTANCE else row.importance,
        "arousal": row.arousal,
        "supersedes": row.supersedes,
        "told_from": row.told_from,
        "pinned": row.pinned or None,
        "origin": None if row.origin is FactOrigin.SUPPLIED else row.origin,
    }
    return filled(known, row.extra)


def read_visibility(fields: Fields) -> VisibilityRow:
    """Read a line of `visibility.jsonl`; one of a range keeps its last number in `to`."""
    episode_no = fields.number("episode_no")
    to = fields.maybe_number("to")
    paragraph_id = fields.maybe_id("paragraph_id", "paragraph id")
    audience = fields.audience("known_by")
    if audience is None:
        raise fields.refused('known_by must be "public" or a list of character ids')
    paragraph_hash = fields.maybe_text("paragraph_hash")
    if paragraph_hash == "":
        raise fields.refused("paragraph_hash must not be empty; leave it out instead")
    decided = fields.maybe_number("decided", least=0)
    if decided is not None and paragraph_hash is None:
        raise fields.refused("decided is of a paragraph_hash; leave both to an export")
    if to is not None and (paragraph_id is not None or paragraph_hash is not None):
        raise fields.refused("a range speaks of whole episodes; leave paragraph_id out, or to")
    if to is not None and to < episode_no:
        raise fields.refused(f"the range ends at episode {to} before it begins at {episode_no}")
    return VisibilityRow(
        line=fields.line,
        file=fields.file,
        episode_no=episode_no,
        to=to,
        paragraph_id=paragraph_id,
        paragraph_hash=paragraph_hash,
        decided=decided,
        audience=audience,
        extra=fields.rest(),
    )


def write_visibility(row: VisibilityRow) -> dict[str, object]:
    """Write a line of `visibility.jsonl`."""
    known: dict[str, object] = {
        "episode_no": row.episode_no,
        "to": row.to,
        "paragraph_id": row.paragraph_id,
        "known_by": shown(row.audience),
        "paragraph_hash": row.paragraph_hash,
        "decided": row.decided,
    }
    values = filled(known, row.extra)
    if row.paragraph_id is None and row.to is None and row.decided is None:
        # An author reads "the whole episode" from the null, so it is written.
        values = {"episode_no": row.episode_no, "paragraph_id": None, **values}
    return values


def read_decision(fields: Fields) -> DecisionRow:
    """Read a line of `decisions.jsonl`."""
    episode_no = fields.number("episode_no")
    struck = fields.take("suppress")
    pinned = fields.maybe_id("pin", "fact id in pin")
    fields.no_rest("a decision is an episode_no with either suppress or pin")
    if (struck is None) == (pinned is None):
        raise fields.refused("a decision needs either suppress or pin, and not both")
    return DecisionRow(
        line=fields.line,
        file=fields.file,
        episode_no=episode_no,
        suppressed=None if struck is None else _suppressed(fields.inside(struck, "suppress")),
        pinned=pinned,
    )


def _suppressed(fields: Fields) -> tuple[str, str]:
    holder = fields.text("holder")
    # "world" is a holder though not an id, and "" is what waited in review.
    if holder not in ("", "world"):
        with fields.placed():
            check_id(holder, "holder")
    text_hash = fields.filled_text("text_hash")
    fields.no_rest("suppress has a holder and a text_hash")
    return holder, text_hash


def write_decision(row: DecisionRow) -> dict[str, object]:
    """Write a line of `decisions.jsonl`."""
    struck = None
    if row.suppressed is not None:
        struck = {"holder": row.suppressed[0], "text_hash": row.suppressed[1]}
    return filled({"episode_no": row.episode_no, "suppress": struck, "pin": row.pinned}, {})


def check_distinct_episodes(rows: tuple[EpisodeRow, ...]) -> None:
    """Refuse two episodes of one id or of one number."""
    ids: dict[str, EpisodeRow] = {}
    numbers: dict[int, EpisodeRow] = {}
    for row in rows:
        if row.episode_id is not None:
            _refuse_second(row, ids.setdefault(row.episode_id, row), f"episode_id {row.episode_id!r}")
        _refuse_second(row, numbers.setdefault(row.no, row), f"episode_no {row.no}")


def check_distinct_facts(rows: tuple[FactRow, ...]) -> None:
    """Refuse two facts of one id."""
    seen: dict[str, FactRow] = {}
    for row in rows:
        if row.fact_id is not None:
            _refuse_second(row, seen.setdefault(row.fact_id, row), f"fact_id {row.fact_id!r}")


def check_distinct_visibility(rows: tuple[VisibilityRow, ...]) -> None:
    """Refuse two rows for one paragraph, or for one whole episode."""
    seen: dict[tuple[int, str | None, str | None, int | None], VisibilityRow] = {}
    for row in rows:
        if row.to is not None:
            continue
        part = "the whole" if row.paragraph_id is None else f"paragraph {row.paragraph_id!r}"
        # Equal paragraphs have equal hashes, and one id may outlive its text: both tell rows apart.
        key = (row.episode_no, row.paragraph_id, row.paragraph_hash, row.decided)
        _refuse_second(row, seen.setdefault(key, row), f"a row for {part} of episode {row.episode_no}")


def spread_ranges(
    rows: tuple[VisibilityRow, ...], episodes: tuple[EpisodeRow, ...]
) -> tuple[VisibilityRow, ...]:
    """Give a row for each episode of a range; a row of an episode's own goes before it.

    Raises `FormatError` for ranges that overlap, and for one without an episode.
    """
    single = [row for row in rows if row.to is None]
    whole = {row.episode_no for row in single if row.paragraph_id is None and row.paragraph_hash is None}
    numbers = sorted(row.no for row in episodes)
    spread: list[VisibilityRow] = []
    before: VisibilityRow | None = None
    for row in sorted((one for one in rows if one.to is not None), key=lambda one: one.episode_no):
        assert row.to is not None
        if before is not None and before.to is not None and row.episode_no <= before.to:
            raise FormatError(
                f"episodes {row.episode_no} to {min(row.to, before.to)} are in the range of line "
                f"{before.line} too; let each be in one range",
                file=row.file,
                line=row.line,
            )
        before = row
        inside = [no for no in numbers if row.episode_no <= no <= row.to]
        if not inside:
            reason = f"there is no episode from {row.episode_no} to {row.to}; correct the range"
            raise FormatError(reason, file=row.file, line=row.line)
        spread += [replace(row, episode_no=no, to=None) for no in inside if no not in whole]
    return (*single, *spread)


def check_episodes_exist(
    rows: Iterable[FactRow | VisibilityRow | DecisionRow], episodes: tuple[EpisodeRow, ...]
) -> None:
    """Refuse rows of an episode that is not there."""
    there = {row.no for row in episodes}
    for row in rows:
        if row.episode_no not in there:
            reason = f"there is no episode {row.episode_no}; add it or correct episode_no"
            raise FormatError(reason, file=row.file, line=row.line)


def check_paragraphs_exist(rows: tuple[VisibilityRow, ...], episodes: tuple[EpisodeRow, ...]) -> None:
    """Refuse rows of a paragraph that is not in the author's own cut.

    A row with a hash speaks of a text, which may be gone; its id need not be there.
    """
    cuts = {row.no: dict(row.paragraphs) for row in episodes if row.paragraphs is not None}
    for row in rows:
        if row.paragraph_id is None or row.paragraph_hash is not None or row.episode_no not in cuts:
            continue
        if row.paragraph_id not in cuts[row.episode_no]:
            reason = f"episode {row.episode_no} has no paragraph {row.paragraph_id!r}; correct paragraph_id"
            raise FormatError(reason, file=row.file, line=row.line)


def _refuse_second(
    row: EpisodeRow | FactRow | VisibilityRow, first: EpisodeRow | FactRow | VisibilityRow, what: str
) -> None:
    if first is not row:
        place = first.file if first.line is None else f"line {first.line}"
        raise FormatError(
            f"{what} is already given in {place}; each may stand once", file=row.file, line=row.line
        )
