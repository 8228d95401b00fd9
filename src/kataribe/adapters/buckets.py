"""A bucket of an object store, as the audit record and backups write to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kataribe.errors import InputError, MissingExtraError, StoreError

INSTALL = "pip install 'kataribe[s3]'"
_CONNECT_SECONDS, _READ_SECONDS, _ATTEMPTS = 3, 20, 2


class Bucket:
    """Objects below a prefix of a bucket.

    Credentials, region and another server's address come from where boto3 finds them, the environment for
    one. Its package is loaded when the bucket is first asked.
    """

    def __init__(self, bucket: str, prefix: str = "", *, connections: int = 8) -> None:
        self.bucket = bucket
        self.prefix = prefix.strip("/")
        self._connections = connections

    @classmethod
    def named(cls, place: str, *, use: str) -> Bucket:
        """Read `BUCKET/PREFIX`; `use` is what it is for, as a refusal says it.

        Raises `InputError`, and `MissingExtraError` with the line to type.
        """
        bucket, _, prefix = place.partition("/")
        if not bucket or "@" in bucket or "?" in place:
            raise InputError(
                f"a bucket for {use} is s3://BUCKET/PREFIX, without keys or options; "
                f"these stand in the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL_S3)"
            )
        if find_spec("boto3") is None:
            raise MissingExtraError(
                f"a bucket for {use} needs a package that is not installed; type: {INSTALL}"
            )
        return cls(bucket, prefix)

    def key(self, name: str) -> str:
        """Give the key of an object below the prefix."""
        return f"{self.prefix}/{name}" if self.prefix else name

    @property
    def address(self) -> str:
        """The bucket with its prefix, as a URL."""
        return f"s3://{self.bucket}/{self.prefix}"

    @cached_property
    def client(self) -> Any:
        """What asks the object store."""
        config = import_module("botocore.config").Config(
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
            retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
            max_pool_connections=self._connections,
        )
        return import_module("boto3").session.Session().client("s3", config=config)

    @contextmanager
    def refusing(self, problem: str, do: str) -> Iterator[None]:
        """Turn what the object store refuses into a `StoreError`: what is wrong, why, and what to do."""
        errors = import_module("botocore.exceptions")
        others = import_module("boto3.exceptions")
        try:
            yield
        # An address that is none is a ValueError.
        except (errors.BotoCoreError, errors.ClientError, others.Boto3Error, ValueError) as error:
            raise StoreError(f"{problem}: {refusal(error)}; {do}") from error


def refusal(error: Any) -> str:
    """Name why an object store refused: by its own code, else by the kind of error."""
    answer = getattr(error, "response", None) or getattr(error.__cause__, "response", None) or {}
    told: str = answer.get("Error", {}).get("Code") or type(error).__name__
    return told
