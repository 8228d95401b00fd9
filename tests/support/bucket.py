"""A bucket on a server of this machine that speaks like S3."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

SECRET = "sk-planted-secret"


@contextmanager
def served_bucket(name: str) -> Iterator[Bucket]:
    """Run a server with an empty bucket, to which the environment leads; skips without its packages."""
    pytest.importorskip("boto3", reason="the extra s3 is not installed")
    pytest.importorskip("moto", reason="there is no server to test buckets with")
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = import_module("moto.moto_server.threaded_moto_server").ThreadedMotoServer(
        ip_address="127.0.0.1", port=0, verbose=False
    )
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL_S3", f"http://{host}:{port}")
        environment.setenv("AWS_ACCESS_KEY_ID", "id")
        environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        try:
            yield Bucket(name)
        finally:
            server.stop()


class Bucket:
    """A bucket, as somebody else looks into it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._client: Any = import_module("boto3").client("s3")

    def make(self) -> None:
        self._client.create_bucket(Bucket=self._name)

    def drop(self) -> None:
        for name in self.names():
            self._client.delete_object(Bucket=self._name, Key=name)
        self._client.delete_bucket(Bucket=self._name)

    def names(self) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._name)
        return sorted(one["Key"] for page in pages for one in page.get("Contents", ()))

    def read(self, name: str) -> bytes:
        told: bytes = self._client.get_object(Bucket=self._name, Key=name)["Body"].read()
        return told

    def put(self, name: str, content: bytes) -> None:
        self._client.put_object(Bucket=self._name, Key=name, Body=content)
