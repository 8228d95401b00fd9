"""The audit record in a bucket of an object store, besides the ledger: an object for each event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kataribe.adapters.buckets import Bucket
from kataribe.domain.audit import AuditEvent

AT_ONCE = 8
"""Objects under way at the same time."""


class BucketSink:
    """Puts a JSON object for each event below a prefix, named by the event's key.

    What comes twice has the same name and the same bytes.
    """

    def __init__(self, bucket: str, prefix: str = "") -> None:
        self._bucket = Bucket(bucket, prefix, connections=AT_ONCE)

    @classmethod
    def named(cls, place: str) -> BucketSink:
        """Read `BUCKET/PREFIX`. Raises `InputError`, and `MissingExtraError` with the line to type."""
        found = Bucket.named(place, use="the audit record")
        return cls(found.bucket, found.prefix)

    @property
    def name(self) -> str:
        """The bucket, with the prefix."""
        return self._bucket.address.rstrip("/") + "/"

    def put(self, events: Sequence[AuditEvent]) -> None:
        """Put events; all of them are kept when this returns. Raises `StoreError` when one is not."""
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="kataribe-audit")
        try:
            problem = f"the audit bucket {self.name} cannot be written"
            with self._bucket.refusing(problem, "mend that, the events wait"):
                client = self._bucket.client
                for done in [pool.submit(self._put, client, event) for event in events]:
                    done.result()
        finally:
            # What waits behind one that failed is put with it the next time.
            pool.shutdown(cancel_futures=True)

    def _put(self, client: Any, event: AuditEvent) -> None:
        body = json.dumps(event.line(), ensure_ascii=False).encode()
        client.put_object(
            Bucket=self._bucket.bucket,
            Key=self._bucket.key(f"{event.key}.json"),
            Body=body,
            ContentType="application/json",
        )
