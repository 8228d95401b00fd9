"""Backups as objects in a bucket of an object store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kataribe.adapters.buckets import Bucket, refusal
from kataribe.errors import ConflictError, InputError, StoreError

_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})


class BucketBackup:
    """One backup, an object with this key."""

    def __init__(self, bucket: Bucket, name: str) -> None:
        self._bucket = bucket
        self._at = {"Bucket": bucket.bucket, "Key": bucket.key(name)}
        self.address = f"s3://{self._at['Bucket']}/{self._at['Key']}"
        """Its URL."""

    @classmethod
    def named(cls, place: str) -> BucketBackup:
        """Read `BUCKET/PREFIX/NAME`. Raises `InputError`, and `MissingExtraError` with the line to type."""
        folder, _, name = place.rpartition("/")
        if not name:
            raise InputError("a backup in a bucket is s3://BUCKET/NAME; add the name")
        return cls(Bucket.named(folder, use="backups"), name)

    def exists(self) -> bool:
        """Tell whether it is there. Raises `StoreError`."""
        with self._bucket.refusing(f"{self.address} cannot be looked at", "mend that, then try again"):
            try:
                self._client.head_object(**self._at)
            except self._client.exceptions.ClientError as error:
                if refusal(error) not in _MISSING:
                    raise
                return False
        return True

    def put(self, draft: Path) -> None:
        """Put a finished backup there. Raises `ConflictError` when one is there already, `StoreError`."""
        if self.exists():
            raise ConflictError(f"{self.address} exists already; give another name")
        with self._bucket.refusing(f"{self.address} cannot be written", "mend that, then write it again"):
            # The object is there as a whole, or not at all, however many parts it is sent in.
            self._client.upload_file(str(draft), self._at["Bucket"], self._at["Key"])

    def fetch(self, to: Path) -> None:
        """Write it to a file of this machine. Raises `StoreError`."""
        if not self.exists():
            raise StoreError(f"there is no {self.address}; give another address")
        with self._bucket.refusing(f"{self.address} cannot be read", "mend that, then try again"):
            self._client.download_file(self._at["Bucket"], self._at["Key"], str(to))

    def remove(self) -> None:
        """Take it away, where it is there. Raises `StoreError`."""
        with self._bucket.refusing(f"{self.address} cannot be removed", "remove it yourself"):
            self._client.delete_object(**self._at)

    @property
    def _client(self) -> Any:
        return self._bucket.client
