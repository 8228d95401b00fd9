"""What every archive promises: subclass `ArchiveContract` and give an empty `archive`."""

from __future__ import annotations

import pytest

from kataribe.errors import ArchiveLostError
from kataribe.ports.archive import Archive, Payload

FOLDER, OTHER = "0a1b", "9f8e"
PAYLOADS = (
    Payload("k2", "Ann keeps a grey cat.", "cat"),
    Payload("k0", "猫の名前は「ミオ」です。\n二行目 \x07 𠮷", "猫"),
    Payload("k1", "", ""),
)


class ArchiveContract:
    """What every `Archive` promises. Subclass it and give an empty `archive`."""

    @pytest.fixture
    def archive(self) -> Archive:
        """Give an empty archive."""
        raise NotImplementedError

    def spoil(self, archive: Archive, folder: str, name: str) -> None:
        """Change some byte of a file."""
        raise NotImplementedError

    def test_what_was_written_is_read_in_its_order(self, archive: Archive) -> None:
        """To the last character, whatever that is."""
        first = archive.write(FOLDER, "a.parquet", PAYLOADS)
        second = archive.write(FOLDER, "b.parquet", PAYLOADS[:1])
        assert archive.read(FOLDER, {"a.parquet": first}) == PAYLOADS
        both = archive.read(FOLDER, {"b.parquet": second, "a.parquet": first})
        assert both == (*PAYLOADS, PAYLOADS[0])
        assert archive.read(FOLDER, {}) == ()

    def test_folders_are_apart(self, archive: Archive) -> None:
        """One name stands for a file in each."""
        first = archive.write(FOLDER, "a.parquet", PAYLOADS)
        second = archive.write(OTHER, "a.parquet", PAYLOADS[1:])
        archive.drop(FOLDER)
        assert archive.names(FOLDER) == ()
        assert archive.names(OTHER) == ("a.parquet",)
        assert archive.read(OTHER, {"a.parquet": second}) == PAYLOADS[1:]
        with pytest.raises(ArchiveLostError):
            archive.read(FOLDER, {"a.parquet": first})

    def test_nothing_lies_beside_what_was_written(self, archive: Archive) -> None:
        """No half-written file stays."""
        archive.write(FOLDER, "a.parquet", PAYLOADS)
        assert archive.names(FOLDER) == ("a.parquet",)

    def test_what_is_lost_is_told(self, archive: Archive) -> None:
        """By the name of the file, with what to do."""
        sha256 = archive.write(FOLDER, "a.parquet", PAYLOADS)
        assert archive.problem(FOLDER, "a.parquet", sha256) is None
        archive.remove(FOLDER, ["a.parquet", "never there"])
        assert "is not there" in (archive.problem(FOLDER, "a.parquet", sha256) or "")
        with pytest.raises(ArchiveLostError, match=r"a\.parquet is not there.*rebuild"):
            archive.read(FOLDER, {"a.parquet": sha256})

    def test_what_was_changed_is_told(self, archive: Archive) -> None:
        """A file that reads well and has other bytes is none of ours."""
        sha256 = archive.write(FOLDER, "a.parquet", PAYLOADS)
        self.spoil(archive, FOLDER, "a.parquet")
        assert "not what was written" in (archive.problem(FOLDER, "a.parquet", sha256) or "")
        with pytest.raises(ArchiveLostError, match="not what was written"):
            archive.read(FOLDER, {"a.parquet": sha256})

    def test_nothing_is_missing_to_it(self, archive: Archive) -> None:
        """What is tested here is installed."""
        assert archive.missing() is None

    def test_dropping_nothing_is_dropping(self, archive: Archive) -> None:
        """Removing too."""
        archive.drop(FOLDER)
        archive.remove(FOLDER, ["a.parquet"])
        assert archive.names(FOLDER) == ()
