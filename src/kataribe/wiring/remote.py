"""Backups that lie elsewhere, by their URL."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from kataribe.errors import InputError
from kataribe.ports.backups import RemoteBackup
from kataribe.settings import behind_scheme, scheme_of, without_password

_S3 = "s3"


def is_remote(file: str | Path) -> bool:
    """Tell whether a backup is named by the URL of another place than this machine's files."""
    return isinstance(file, str) and scheme_of(file) not in (None, "file")


def remote_backup(url: str) -> RemoteBackup:
    """Give the place of a backup. Raises `InputError`, `MissingExtraError`."""
    if scheme_of(url) != _S3:
        raise InputError(
            f"a backup goes to a file or a bucket, not to {without_password(url)!r}; "
            f"give a path, or s3://BUCKET/NAME"
        )
    found: RemoteBackup = import_module("kataribe.adapters.backup_s3").BucketBackup.named(behind_scheme(url))
    return found


@contextmanager
def at_hand(file: str | Path) -> Iterator[Path]:
    """Give a backup as a file of this machine, as long as the block runs."""
    if not isinstance(file, str) or not is_remote(file):
        yield Path(behind_scheme(str(file)))
        return
    with tempfile.TemporaryDirectory(prefix="kataribe-backup-") as folder:
        fetched = Path(folder, file.rpartition("/")[2])
        remote_backup(file).fetch(fetched)
        yield fetched
