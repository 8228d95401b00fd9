"""A folder into a story, in one transaction: the same folder again changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from kataribe.domain.ids import fact_id_for
from kataribe.domain.records import EpisodeState
from kataribe.domain.story.audience import is_marked, marks, paragraph_hash
from kataribe.domain.story.cast_merge import CastClash
from kataribe.domain.story.cast_names import SharedName, shared_names
from kataribe.domain.story.folder import (
    DecisionRow,
    EpisodeRow,
    FactRow,
    LeftOut,
    StoryFolder,
    Uncut,
    VisibilityRow,
)
from kataribe.domain.story.groups import is_group
from kataribe.domain.story.inputs import Annotation, Annotations, Episode, Fact, Suppression
from kataribe.domain.terms import FactOrigin, FactSource
from kataribe.domain.text.naming import look_alikes
from kataribe.domain.text.paragraphs import paragraphs
from kataribe.errors import ConflictError, FormatError, InputError
from kataribe.ports import Transaction, View
from kataribe.story.desk.cast import merge_cast
from kataribe.story.desk.episodes import default_id, renumber, store_new
from kataribe.story.desk.groups import merge_groups
from kataribe.story.desk.numbers import check_id_free, check_own, follow, forks_of, taken_ids
from kataribe.story.desk.preview import ImportPreview, preview
from kataribe.story.fingerprints import parts_of, story_of
from kataribe.story.groups import check_groups
from kataribe.story.lineage import family, full_cast, seen_first_annotated
from kataribe.story.staleness import note_inputs, refresh


@dataclass(slots=True)
class ImportReport:
    """What an import changed, by episode id, and what the author should know."""

    new: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    cast_changed: int = 0
    cast_kept: list[str] = field(default_factory=list)
    """Who stands otherwise than in the file, because only a hand changed them; deleted ones too."""
    cast_clashes: list[CastClash] = field(default_factory=list)
    """What both a hand and the file changed since its last import; the file's was taken."""
    facts: int = 0
    joined: list[str] = field(default_factory=list)
    """Characters known only from facts or annotations."""
    is_open: bool = False
    """True when the story has neither a declared cast nor annotations: text would be everybody's."""
    look_alikes: list[tuple[str, ...]] = field(default_factory=list)
    """Ids of the cast that look alike but are not the same, group by group."""
    shared_names: list[SharedName] = field(default_factory=list)
    """Names, and parts of names, that two of the cast go by."""
    to_sync: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    """What stands in the files around the story: headers, contents, colophons, licences."""
    uncut: list[Uncut] = field(default_factory=list)
    """Long texts that are one episode each, for no headings were found in them."""
    preview: ImportPreview | None = None
    """Of a dry run: the episodes, with their scenes and who is named in them."""


@dataclass(frozen=True, slots=True)
class ImportShare:
    """What is said of one episode from outside; None leaves its facts, or its annotations, as they are."""

    row: EpisodeRow
    episode_id: str
    facts: tuple[FactRow, ...] | None
    visibility: tuple[VisibilityRow, ...] | None
    decisions: tuple[DecisionRow, ...]
    source: FactSource
    adds_scenes: bool = False
    """True leaves what was decided on scenes, as far as nothing is said of the same paragraphs."""


def import_folder(
    tx: Transaction, story_id: str, folder: StoryFolder, *, only: str | None = None
) -> ImportReport:
    """Make the story say what the folder says of the episodes it names.

    `only="facts"` makes every episode supplied, with rows or without; `only="text"` leaves
    the facts unread and extracts. Raises `FormatError` with file and line, and
    `ConflictError` for an episode that a branch reads of its parent; nothing has changed then.
    """
    report = ImportReport(left_out=list(folder.left_out), uncut=list(folder.uncut))
    parts = parts_of(tx, story_id)
    for row in folder.episodes:
        with naming(row.file, row.line):
            check_own(parts, row.no)
    before = {character.character_id for character in full_cast(tx, parts)}
    if folder.cast is not None:
        with naming("cast.json", None):
            merged = merge_cast(tx, story_id, folder.cast)
        report.cast_changed, report.cast_kept = merged.changed, list(merged.kept)
        report.cast_clashes = list(merged.clashes)
    if folder.groups is not None:
        with naming("cast.json", None):
            changed, kept, clashes = merge_groups(tx, story_id, folder.groups)
        report.cast_changed += changed
        report.cast_kept += kept
        report.cast_clashes += clashes
    shares = _shares(folder, _resolve(tx, story_id, folder.episodes), only)
    _place(tx, story_id, shares, report)
    check_fact_ids(tx, story_id, shares)
    for share in shares:
        if fill(tx, story_id, share) and share.episode_id in report.unchanged:
            report.unchanged.remove(share.episode_id)
            report.edited.append(share.episode_id)
        note_inputs(tx, story_id, share.episode_id)
        report.facts += len(share.facts or ())
    refresh(tx, story_id)
    _finish(tx, story_id, before, report)
    return report


class _TriedError(Exception):
    """Everything was tried; nothing of it shall stay."""


def try_import(
    tx: Transaction,
    story_id: str,
    folder: StoryFolder,
    *,
    prepare: Callable[[Transaction], None],
    only: str | None = None,
) -> ImportReport:
    """Tell what `prepare` and `import_folder` would do, with a preview; nothing is changed.

    Raises what `import_folder` raises.
    """
    try:
        with tx.part():
            prepare(tx)
            report = import_folder(tx, story_id, folder, only=only)
            cast = full_cast(tx, parts_of(tx, story_id))
            report.preview = preview(folder.episodes, cast, story_of(tx, story_id).language)
            raise _TriedError
    except _TriedError:
        return report


def _finish(tx: Transaction, story_id: str, before: set[str], report: ImportReport) -> None:
    parts = parts_of(tx, story_id)
    cast = full_cast(tx, parts)
    report.joined = [c.character_id for c in cast if not c.declared and c.character_id not in before]
    states = [state for state in tx.episode_states(story_id) if state.is_live]
    report.look_alikes = list(look_alikes(character.character_id for character in cast))
    report.shared_names = list(shared_names(cast))
    is_declared = any(character.declared for character in cast)
    report.is_open = not is_declared and seen_first_annotated(tx, parts) is None
    report.to_sync = sum(state.is_pending for state in states)


# -- which episode is meant ----------------------------------------------------------------


def _resolve(tx: Transaction, story_id: str, rows: Sequence[EpisodeRow]) -> list[tuple[EpisodeRow, str]]:
    """Give each row the id of the episode it speaks of: the stated one, else by number."""
    states = tx.episode_states(story_id)
    story = story_of(tx, story_id)
    taken = taken_ids(tx, story) | {r.episode_id for r in rows if r.episode_id}
    own = {state.episode_id for state in states}
    for row in rows:
        if row.episode_id is not None and row.episode_id not in own:
            with naming(row.file, row.line):
                check_id_free(tx, story, row.episode_id)
    stated = {row.episode_id for row in rows if row.episode_id}
    by_number: defaultdict[int, list[EpisodeState]] = defaultdict(list)
    for state in states:
        if state.episode_id not in stated:
            by_number[state.no].append(state)
    found: list[tuple[EpisodeRow, str]] = []
    for row in sorted(rows, key=lambda row: row.no):
        episode_id = row.episode_id or _meant(by_number[row.no]) or default_id(row.no, taken.__contains__)
        taken.add(episode_id)
        found.append((row, episode_id))
    return found


def _meant(theirs: Sequence[EpisodeState]) -> str | None:
    """Find the live one of the episodes of a number, else the one last deleted from it."""
    live = [state for state in theirs if state.is_live]
    if live:
        return live[0].episode_id
    if not theirs:
        return None
    return max(theirs, key=lambda state: (state.deleted_at or "", state.order_key)).episode_id


def _shares(
    folder: StoryFolder, rows: list[tuple[EpisodeRow, str]], only: str | None
) -> tuple[ImportShare, ...]:
    facts: defaultdict[int, list[FactRow]] = defaultdict(list)
    visibility: defaultdict[int, list[VisibilityRow]] = defaultdict(list)
    decisions: defaultdict[int, list[DecisionRow]] = defaultdict(list)
    for fact in folder.facts or () if only != "text" else ():
        facts[fact.episode_no].append(fact)
    for note in folder.visibility or ():
        visibility[note.episode_no].append(note)
    for decision in folder.decisions or ():
        decisions[decision.episode_no].append(decision)
    return tuple(
        ImportShare(
            row,
            episode_id,
            tuple(facts[row.no]),
            tuple(visibility[row.no]),
            tuple(decisions[row.no]),
            source_of(row, facts[row.no], only),
            adds_scenes=True,
        )
        for row, episode_id in rows
    )


def source_of(row: EpisodeRow, facts: Sequence[FactRow], only: str | None = None) -> FactSource:
    """Tell where an episode's facts come from: supplied when one of them is, extracted otherwise."""
    if only is not None:
        return FactSource.SUPPLIED if only == "facts" else FactSource.EXTRACTED
    if row.fact_source is not None:
        return row.fact_source
    is_supplied = any(fact.origin is FactOrigin.SUPPLIED for fact in facts)
    return FactSource.SUPPLIED if is_supplied else FactSource.EXTRACTED


# -- texts and numbers ---------------------------------------------------------------------


@contextmanager
def naming(file: str, line: int | None) -> Iterator[None]:
    """Let a refusal name the file and line it is about; an empty file: it came in no file."""
    if not file:
        yield
        return
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(str(error), file=file, line=line) from error
    except ConflictError as error:
        where = file if line is None else f"{file}:{line}"
        raise type(error)(f"{where}: {error}") from error


def _place(tx: Transaction, story_id: str, shares: Sequence[ImportShare], report: ImportReport) -> None:
    """Store texts and numbers; rows of episodes come later, when all episodes are there."""
    states = {state.episode_id: state for state in tx.episode_states(story_id)}
    _check_numbers(states, shares)
    known = [share for share in shares if share.episode_id in states]
    moved = {s.episode_id: s.row.no for s in known if states[s.episode_id].no != s.row.no}
    if moved:
        forks = forks_of(tx, story_id)
        renumber(tx, story_id, moved)
        # The folder says which numbers its own rows name.
        follow(tx, story_id, forks, lambda named: named)
        states = {state.episode_id: state for state in tx.episode_states(story_id)}
    for share in shares:
        with naming(share.row.file, share.row.line):
            is_marked(share.row.text)
            if share.episode_id not in states:
                store_new(tx, story_id, _episode(share, version=1))
                report.new.append(share.episode_id)
            elif _edit(tx, story_id, share, states[share.episode_id]) or share.episode_id in moved:
                report.edited.append(share.episode_id)
            else:
                report.unchanged.append(share.episode_id)


def _check_numbers(states: Mapping[str, EpisodeState], shares: Sequence[ImportShare]) -> None:
    named = {share.episode_id for share in shares}
    others = {s.no: s.episode_id for s in states.values() if s.is_live and s.episode_id not in named}
    for share in shares:
        if share.row.no in others:
            raise FormatError(
                f"episode_no {share.row.no} is taken by episode {others[share.row.no]!r} of the story; "
                f"leave episode_id out to edit that one, or renumber it first",
                file=share.row.file,
                line=share.row.line,
            )


def _episode(share: ImportShare, *, version: int) -> Episode:
    return Episode(
        episode_id=share.episode_id,
        no=share.row.no,
        text=share.row.text,
        title=share.row.title,
        version=version,
        fact_source=share.source,
        paragraph_ids=share.row.paragraphs,
        extra=share.row.extra,
    )


def _edit(tx: Transaction, story_id: str, share: ImportShare, state: EpisodeState) -> bool:
    before = tx.episode(story_id, share.episode_id)
    assert before is not None
    version = before.version if before.text == share.row.text else before.version + 1
    after = _episode(share, version=version)
    if before == after:
        return False
    if not state.is_live:
        tx.set_deleted(story_id, share.episode_id, None)
    tx.put_episode(story_id, after, order_key=state.order_key)
    return True


# -- facts, annotations, decisions ---------------------------------------------------------


def check_fact_ids(tx: Transaction, story_id: str, shares: Sequence[ImportShare]) -> None:
    """Refuse a fact id of an episode that is not among these, of a hand-made fact, or of the family."""
    named = {share.episode_id for share in shares}
    members = [member.story_id for member in family(tx, story_of(tx, story_id))]
    asked = {row.fact_id for share in shares for row in share.facts or () if row.fact_id}
    known = [tx.facts_called(member, asked) for member in members] if asked else []
    for share in shares:
        for row in share.facts or ():
            for held in (facts.get(row.fact_id or "") for facts in known):
                if held is not None and _is_foreign(row, held, named):
                    raise FormatError(
                        f"fact_id {row.fact_id!r} belongs to a fact of episode {held[0]!r} already; "
                        f"choose another id or delete that fact",
                        file=row.file,
                        line=row.line,
                    )


def _is_foreign(row: FactRow, held: tuple[str, Fact], named: set[str]) -> bool:
    """Whether the fact that has a row's id is not the row's to replace."""
    episode_id, fact = held
    by_hand = fact.origin is FactOrigin.HAND and row.origin is FactOrigin.SUPPLIED
    return by_hand or episode_id not in named


def fill(tx: Transaction, story_id: str, share: ImportShare) -> bool:
    """Make an episode's rows those of the share; hand-made facts stay. True when something changed.

    The caller notes the episode's inputs.
    """
    episode_id = share.episode_id
    _check_groups(tx, story_id, share)
    present = {fact.fact_id: fact for _, fact in tx.facts(story_id, episode_id)}
    facts = None if share.facts is None else facts_of(share)
    annotations = None if share.visibility is None else annotations_of(share)
    if annotations is not None and share.adds_scenes:
        annotations = with_decisions(annotations, decisions_in(tx.annotations(story_id, episode_id)))
    struck = [
        Suppression(holder=d.suppressed[0], text_hash=d.suppressed[1])
        for d in share.decisions
        if d.suppressed
    ]
    pinned = [d.pinned for d in share.decisions if d.pinned is not None]
    changed = facts is not None and differs(present, facts)
    changed = changed or annotations not in (None, tx.annotations(story_id, episode_id))
    changed = changed or not set(struck) <= set(tx.suppressions(story_id, episode_id))
    changed = changed or not set(pinned) <= tx.pins(story_id, episode_id)
    if not changed:
        return False
    if facts is not None:
        tx.delete_facts(story_id, gone(present, facts))
        tx.put_facts(story_id, episode_id, facts)
    if annotations is not None:
        tx.put_annotations(story_id, episode_id, annotations)
    tx.put_suppressions(story_id, episode_id, struck)
    for fact_id in pinned:
        tx.set_pin(story_id, episode_id, fact_id, pinned=True)
    return True


def _check_groups(view: View, story_id: str, share: ImportShare) -> None:
    """Refuse a group that the story does not have, by file and line."""
    parts, known = parts_of(view, story_id), view.named_by(story_id, share.episode_id)
    rows: tuple[FactRow | VisibilityRow, ...] = (*(share.facts or ()), *(share.visibility or ()))
    for row in rows:
        if not any(map(is_group, row.audience.members)):
            continue
        with naming(row.file, row.line):
            check_groups(view, parts, row.audience.members, known=known)
    with naming(share.row.file, share.row.line):
        for mark in marks(share.row.text):
            try:
                check_groups(view, parts, mark.audience.members, known=known)
            except InputError as error:
                line = share.row.text.count("\n", 0, mark.start) + 1
                raise InputError(f"line {line} of the text: {error}") from error


def gone(present: Mapping[str, Fact], facts: Sequence[Fact]) -> list[str]:
    """Name the supplied facts of an episode that are not among the new ones."""
    kept = {fact.fact_id for fact in facts}
    return [f.fact_id for f in present.values() if f.origin is FactOrigin.SUPPLIED and f.fact_id not in kept]


def differs(present: Mapping[str, Fact], facts: Sequence[Fact]) -> bool:
    """Whether the facts of an episode are to become others than they are."""
    return bool(gone(present, facts)) or any(present.get(fact.fact_id) != fact for fact in facts)


def facts_of(share: ImportShare) -> list[Fact]:
    """Give the facts that an episode's rows say. Raises `FormatError` when one stands there twice."""
    made: list[Fact] = []
    seen: set[str] = set()
    for ordinal, row in enumerate(share.facts or ()):
        with naming(row.file, row.line):
            fact_id = row.fact_id or fact_id_for(share.episode_id, row.text)
            if fact_id in seen:
                raise InputError(f"fact {row.text[:40]!r} stands there twice; give each a fact_id of its own")
            seen.add(fact_id)
            made.append(_fact(share, row, fact_id, ordinal))
    return made


def _fact(share: ImportShare, row: FactRow, fact_id: str, ordinal: int) -> Fact:
    own = row.quote is None or row.quote_no == share.row.no
    return Fact(
        fact_id=fact_id,
        text=row.text,
        audience=row.audience,
        origin=row.origin,
        quote=row.quote,
        quote_no=None if own else row.quote_no,
        importance=row.importance,
        arousal=row.arousal,
        pinned=row.pinned,
        supersedes=row.supersedes,
        told_from=row.told_from,
        ordinal=ordinal if row.origin is FactOrigin.SUPPLIED else 0,
        extra=row.extra,
    )


def annotations_of(share: ImportShare) -> Annotations:
    """Bind each row to its paragraph's text, so that it does not slip onto another when text changes."""
    hashes = _paragraph_hashes(share.row)
    rows: list[Annotation] = []
    for row in share.visibility or ():
        bound = row.paragraph_hash
        if row.paragraph_id is not None and bound is None:
            if row.paragraph_id not in hashes:
                raise FormatError(
                    f"paragraph_id {row.paragraph_id!r} is not a paragraph of episode {row.episode_no} "
                    f"(it has {len(hashes)}: {', '.join(list(hashes)[:3])} ...)",
                    file=row.file,
                    line=row.line,
                )
            bound = hashes[row.paragraph_id]
        rows.append(
            Annotation(
                audience=row.audience,
                paragraph_id=row.paragraph_id,
                paragraph_hash=bound,
                decided=row.decided,
                extra=row.extra,
            )
        )
    if share.row.base is not None:
        return Annotations(rows=tuple(rows), base=share.row.base)
    has_paragraphs = any(row.paragraph_hash is not None and row.decided is None for row in rows)
    return Annotations(rows=tuple(rows), base=tuple(hashes.values()) if has_paragraphs else ())


def decisions_in(annotations: Annotations) -> tuple[Annotation, ...]:
    """Give those annotations that were decided in review."""
    return tuple(row for row in annotations.rows if row.decided is not None)


def with_decisions(annotations: Annotations, decided: Sequence[Annotation]) -> Annotations:
    """Add decisions to annotations that say nothing of the same paragraphs."""
    said = {(row.paragraph_hash, row.decided) for row in annotations.rows}
    added = [row for row in decided if (row.paragraph_hash, row.decided) not in said]
    return replace(annotations, rows=(*annotations.rows, *added))


def _paragraph_hashes(row: EpisodeRow) -> dict[str, str]:
    """Give the hashes of an episode's paragraphs by id: the file's, else `{no}-{k}`."""
    if row.paragraphs is not None:
        return {paragraph_id: paragraph_hash(text) for paragraph_id, text in row.paragraphs}
    spans = paragraphs(row.text)
    return {
        f"{row.no}-{at}": paragraph_hash(row.text[start:end])
        for at, (start, end) in enumerate(spans, start=1)
    }
