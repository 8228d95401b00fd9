"""The audit record in a bucket of an object store, besides the ledger: an object for each event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kataribe.domain.audit import AuditEvent
from kataribe.errors import InputError, MissingExtraError, StoreError

INSTALL = "pip install 'kataribe[s3]'"
AT_ONCE = 8
"""Objects under way at the same time."""
_CONNECT_SECONDS, _READ_SECONDS, _ATTEMPTS = 3, 20, 2


class BucketSink:
    """Puts a JSON object for each event below a prefix, named by the event's key.

    What comes twice has the same name and the same bytes. Credentials, region and another server's
    address come from where boto3 finds them, the environment for one. Its package is loaded when
    something is first put.
    """

    def __init__(self, bucket: str, prefix: str = "") -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""

    @classmethod
    def named(cls, place: str) -> BucketSink:
        """Read `BUCKET/PREFIX`. Raises `InputError`, and `MissingExtraError` with the line to type."""
        bucket, _, prefix = place.partition("/")
        if not bucket or "@" in bucket or "?" in place:
            raise InputError(
                "a bucket for the audit record is s3://BUCKET/PREFIX, without keys or options; "
                "these stand in the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL_S3)"
            )
        if find_spec("boto3") is None:
            raise MissingExtraError(
                f"an audit record in a bucket needs a package that is not installed; type: {INSTALL}"
            )
        return cls(bucket, prefix)

    @property
    def name(self) -> str:
        """The bucket, with the prefix."""
        return f"s3://{self._bucket}/{self._prefix}"

    @cached_property
    def _client(self) -> Any:
        config = import_module("botocore.config").Config(
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
            retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
            max_pool_connections=AT_ONCE,
        )
        return import_module("boto3").session.Session().client("s3", config=config)

    def put(self, events: Sequence[AuditEvent]) -> None:
        """Put events; all of them are kept when this returns. Raises `StoreError` when one is not."""
        errors = import_module("botocore.exceptions")
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="kataribe-audit")
        try:
            client = self._client
            for done in [pool.submit(self._put, client, event) for event in events]:
                done.result()
        # An address that is none is a ValueError.
        except (errors.BotoCoreError, errors.ClientError, ValueError) as error:
            raise self._refused(error) from error
        finally:
            # What waits behind one that failed is put with it the next time.
            pool.shutdown(cancel_futures=True)

    def _put(self, client: Any, event: AuditEvent) -> None:
        body = json.dumps(event.line(), ensure_ascii=False).encode()
        client.put_object(
            Bucket=self._bucket,
            Key=f"{self._prefix}{event.key}.json",
            Body=body,
            ContentType="application/json",
        )

    def _refused(self, error: Any) -> StoreError:
        answer = getattr(error, "response", None) or {}
        told = answer.get("Error", {}).get("Code") or type(error).__name__
        return StoreError(
            f"the audit bucket {self.name} cannot be written: {told}; mend that, the events wait"
        )
