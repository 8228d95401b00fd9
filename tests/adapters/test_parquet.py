from __future__ import annotations

import errno
import os
from pathlib import Path

import duckdb
import pytest

from kataribe.adapters.making import PartChoice
from kataribe.adapters.parquet import ParquetArchive
from kataribe.errors import ArchiveError, InputError, MissingExtraError, StoreFullError
from kataribe.ports.archive import Archive
from kataribe.testing.archive import FOLDER, PAYLOADS, ArchiveContract


class TestParquetArchive(ArchiveContract):
    @pytest.fixture
    def archive(self, tmp_path: Path) -> ParquetArchive:
        # A folder's name may hold what is a pattern elsewhere.
        self.root = tmp_path / "archive [1]*"
        return ParquetArchive(self.root)

    def spoil(self, archive: Archive, folder: str, name: str) -> None:
        path = self.root / folder / name
        path.write_bytes(path.read_bytes() + b" ")


def test_its_files_are_read_by_duckdb_alone(tmp_path: Path) -> None:
    ParquetArchive(tmp_path).write(FOLDER, "a.parquet", PAYLOADS)
    rows = duckdb.execute(f"SELECT * FROM read_parquet('{tmp_path}/*/*.parquet')").fetchall()
    assert rows == [(one.key, one.text, one.topic) for one in PAYLOADS]


def test_without_duckdb_it_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = ParquetArchive(tmp_path)
    sha256 = archive.write(FOLDER, "a.parquet", PAYLOADS)
    monkeypatch.setattr("kataribe.adapters.parquet.files.find_spec", lambda name: None)
    assert archive.missing() == "pip install 'kataribe[archive]'"
    with pytest.raises(MissingExtraError, match=r"pip install 'kataribe\[archive\]'"):
        archive.read(FOLDER, {"a.parquet": sha256})
    # Only what is wrong with a file needs none.
    assert archive.problem(FOLDER, "a.parquet", sha256) is None


def test_an_archive_needs_a_folder() -> None:
    with pytest.raises(InputError, match="parquet://FOLDER"):
        ParquetArchive.make(PartChoice(family="parquet"))


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveError, match="KATARIBE_ARCHIVE"):
        ParquetArchive(tmp_path / "file").write(FOLDER, "a.parquet", PAYLOADS)


def test_a_full_disk_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    archive = ParquetArchive(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreFullError, match="no room"):
            archive.write(FOLDER, "a.parquet", PAYLOADS)
    assert archive.names(FOLDER) == ()
