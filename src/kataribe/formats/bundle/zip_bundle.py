"""A user's data as one zip, written from its first page to its last without being held in memory."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from kataribe.domain.privacy.records import ExportedBundle, UserRecords
from kataribe.errors import InputError
from kataribe.formats.bundle import rows as r
from kataribe.formats.bundle import tables as t
from kataribe.formats.bundle.new_file import NewFile, file_is_there, new_file
from kataribe.formats.bundle.pages import Pages
from kataribe.formats.bundle.readme import readme
from kataribe.ports.bundles import RowTables

NO_PARQUET = "parquet"
"""What is left out where nothing writes Parquet."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip: the same store gives the same bytes."""
_OWNER_ALONE = 0o100600 << 16
_UNIX = 3

Rows = Callable[[], Iterator[r.Row]]


class ZipBundle:
    """Writes bundles; with `tables` they hold the tables as Parquet too."""

    def __init__(self, tables: RowTables | None = None) -> None:
        self._tables = None if tables is None or tables.missing() is not None else tables

    def check(self, path: Path) -> None:
        """Raise `ConflictError` where a file is there already, `InputError` where none can be made."""
        if path.exists() or path.is_symlink():
            raise file_is_there(path)
        if not path.parent.is_dir():
            raise InputError(f"there is no folder {path.parent}; make it, or name another file")

    @contextmanager
    def draft(self, records: UserRecords, path: Path) -> Iterator[ZipDraft]:
        """Write a bundle beside its place; what is not published by the end of the block is gone."""
        self.check(path)
        with new_file(path) as made:
            counts = self._write(records, made.file)
            left_out = () if self._tables is not None else (NO_PARQUET,)
            done = ExportedBundle(
                user_id=records.user.user_id,
                path=path,
                size=made.file.seek(0, os.SEEK_END),
                sha256=made.sha256(),
                counts=counts,
                left_out=left_out,
            )
            yield ZipDraft(made, done)

    def _write(self, records: UserRecords, out: BinaryIO) -> dict[str, int]:
        with zipfile.ZipFile(out, "w") as archive:
            made = _Writing(archive, records)
            made.lines()
            made.pages()
            if self._tables is not None:
                made.parquet(self._tables)
            made.front(has_parquet=self._tables is not None)
            return made.counts


class ZipDraft:
    """A zip that has no name yet."""

    def __init__(self, made: NewFile, bundle: ExportedBundle) -> None:
        self._made = made
        self.bundle = bundle

    def publish(self) -> ExportedBundle:
        """Give it its name, durably."""
        self._made.publish()
        return self.bundle


class _Writing:
    """The parts of one zip, one after the other."""

    def __init__(self, archive: zipfile.ZipFile, records: UserRecords) -> None:
        self._archive = archive
        self._records = records
        self._pages = Pages(records)
        self._files = _turn_files(records)
        self.counts: dict[str, int] = {}

    def lines(self) -> None:
        """Write the tables for programs."""
        self.counts[t.TURNS.name] = sum(
            self._lines(self._files[one.space], partial(self._turns, one.space))
            for one in self._records.spaces
        )
        for table, rows in self._rows()[1:]:
            self.counts[table.name] = self._lines(f"data/{table.name}.jsonl", rows)

    def _rows(self) -> tuple[tuple[t.BundleTable, Rows], ...]:
        records = self._records
        return (
            (t.TURNS, self._all_turns),
            (t.SPACES, self._spaces),
            (t.MEMORIES, lambda: map(r.memory_row, records.memories())),
            (t.TURN_STATES, lambda: map(r.fate_row, records.fates())),
            (t.QUESTIONS, lambda: map(r.question_row, records.questions())),
            (t.DECISIONS, lambda: map(r.decision_row, records.decisions())),
            (t.USES, lambda: map(r.use_row, records.uses())),
            (t.ANSWERS, lambda: map(r.answer_row, records.answers())),
            (t.THREADS, lambda: map(r.thread_row, records.threads())),
            (t.NIGHTS, lambda: r.night_rows(records)),
            (t.PROFILE, lambda: r.profile_rows(records)),
            (t.CONSENTS, lambda: r.consent_rows(records)),
            (t.SEARCHES, lambda: map(r.search_row, records.searches())),
            (t.AUDIT, lambda: (event.line() for event in records.audit())),
        )

    def _turns(self, space: str) -> Iterator[r.Row]:
        return (r.turn_row(space, turn) for turn in self._records.turns(space, None))

    def _all_turns(self) -> Iterator[r.Row]:
        return (row for one in self._records.spaces for row in self._turns(one.space))

    def _spaces(self) -> Iterator[r.Row]:
        return (r.space_row(one, self._files[one.space]) for one in self._records.spaces)

    def pages(self) -> None:
        """Write the pages for people."""
        pages = self._pages
        self._page("conversation/README.md", pages.conversations())
        for page in pages.sessions:
            self._page(page.file, pages.session(page))
        self._page("memories.md", pages.memories())
        self._page("profile.md", pages.profile())
        self._page("threads.md", pages.threads())
        self._page("thoughts.md", pages.thoughts())
        self._page("audit.md", pages.audit())
        self._page("FIELDS.md", t.fields_page().splitlines())

    def parquet(self, tables: RowTables) -> None:
        """Write the tables as Parquet too."""
        for table, rows in self._rows():
            with self._member(f"data/parquet/{table.name}.parquet") as out:
                tables.write(out, table.columns, rows())

    def front(self, *, has_parquet: bool) -> None:
        """Write the first page, now that all is counted."""
        self._page("README.md", readme(self._records, self._files, self.counts, has_parquet=has_parquet))

    def _lines(self, name: str, rows: Rows) -> int:
        count = 0
        with self._member(name) as out:
            for row in rows():
                out.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
                count += 1
        return count

    def _page(self, name: str, lines: Iterable[str]) -> None:
        with self._member(name) as out:
            for line in lines:
                out.write(f"{line}\n".encode())

    @contextmanager
    def _member(self, name: str) -> Iterator[BinaryIO]:
        """Open a file of the zip; one at a time."""
        info = zipfile.ZipInfo(name, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = _UNIX
        info.external_attr = _OWNER_ALONE
        with self._archive.open(info, "w", force_zip64=True) as out:
            yield cast(BinaryIO, out)


def _turn_files(records: UserRecords) -> dict[str, str]:
    """Name the file of each space's turns."""
    own = f"data/{t.TURNS.name}.jsonl"
    talks = [one.space for one in records.spaces][1:]
    return {
        **{one.space: own for one in records.spaces[:1]},
        **{space: f"data/talk-{number:04}.jsonl" for number, space in enumerate(talks, 1)},
    }
