"""A webhook over HTTP, signed as Standard Webhooks says (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import ssl
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from threading import Event, Timer
from urllib.parse import SplitResult, urlsplit

from kataribe.domain.hooks import HOOK, HookReply
from kataribe.domain.ids import digest
from kataribe.errors import InputError

SECRET = "whsec_"
"""Stands before a secret."""
_LEAST, _MOST = 24, 64
"""Bytes of a secret."""
_SECONDS = 10.0
_AGENT = "kataribe-webhook/1"


def secrets_in(written: str) -> tuple[bytes, ...]:
    """Read secrets, parted by spaces: each signs, so that one may be changed. Raises `InputError`."""
    found = tuple(_secret(one) for one in written.split())
    if not found:
        raise InputError(
            "a webhook is signed: set KATARIBE_WEBHOOK_SECRET to whsec_ and 24 to 64 random bytes in base64; "
            "`openssl rand -base64 32` makes them"
        )
    return found


def _secret(written: str) -> bytes:
    try:
        data = base64.b64decode(written.removeprefix(SECRET), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not (written.startswith(SECRET) and _LEAST <= len(data) <= _MOST):
        raise InputError(
            f"a webhook's secret is whsec_ and {_LEAST} to {_MOST} random bytes in base64, and this is none"
        )
    return data


def signature(secret: bytes, message_id: str, seconds: int, body: bytes) -> str:
    """Sign a message as `webhook-signature` has it; `seconds` since 1970 are its `webhook-timestamp`."""
    signed = f"{message_id}.{seconds}.".encode() + body
    made = hmac.new(secret, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(made).decode()}"


class HttpWebhook:
    """Sends each message by a POST of its own; it follows no redirect and reads the head of the answer alone.

    `secrets` are in the order in which signatures stand. An answer that takes longer than `seconds` is none.
    Raises `InputError` for an address that is neither `https://` nor on this machine.
    """

    def __init__(self, url: str, secrets: Sequence[bytes], *, seconds: float = _SECONDS) -> None:
        self._url = _checked(url)
        self._secrets = tuple(secrets)
        self._seconds = seconds

    @cached_property
    def hook_id(self) -> str:
        """Its address, hashed: that may hold a secret."""
        return f"{HOOK}{digest(self._url.geturl())}"

    @cached_property
    def name(self) -> str:
        """The address without what stands behind `?`."""
        return self._url._replace(query="").geturl()

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def send(self, message_id: str, body: bytes, *, at: datetime) -> HookReply:
        """Send a message, and wait for the head of the answer."""
        seconds = int(at.timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": _AGENT,
            "webhook-id": message_id,
            "webhook-timestamp": str(seconds),
            "webhook-signature": " ".join(signature(one, message_id, seconds, body) for one in self._secrets),
        }
        connection = self._connection()
        # A receiver that answers a byte at a time is cut off too.
        is_over = Event()
        end = Timer(self._seconds, lambda: _cut(connection, is_over))
        end.daemon = True
        end.start()
        try:
            connection.request("POST", self._target, body=body, headers=headers)
            answer = connection.getresponse()
            status, again = answer.status, _seconds_in(answer.getheader("retry-after"), at)
        except (OSError, HTTPException, ValueError) as error:
            return HookReply(status=None, reason=f"{self.name} does not answer ({type(error).__name__})")
        finally:
            end.cancel()
            connection.close()
        if is_over.is_set():
            return HookReply(status=None, reason=f"{self.name} answers too slowly")
        if 200 <= status < 300:
            return HookReply(status=status)
        hint = "; redirects are not followed, name the address itself" if 300 <= status < 400 else ""
        return HookReply(status=status, reason=f"{self.name} answers {status}{hint}", retry_after=again)

    @property
    def _target(self) -> str:
        return f"{self._url.path or '/'}{'?' + self._url.query if self._url.query else ''}"

    def _connection(self) -> HTTPConnection:
        host = self._url.hostname or ""
        if self._url.scheme == "https":
            return HTTPSConnection(host, self._url.port, timeout=self._seconds, context=self._trust)
        return HTTPConnection(host, self._url.port, timeout=self._seconds)


def _cut(connection: HTTPConnection, is_over: Event) -> None:
    is_over.set()
    socket = connection.sock
    if socket is not None:
        with suppress(OSError):
            socket.shutdown(2)


def _checked(url: str) -> SplitResult:
    """Take an address apart. Raises `InputError`; it is not quoted where it may hold a password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InputError("the webhook's address is no URL") from error
    if not host or parts.scheme not in ("http", "https") or not url.isascii() or not url.isprintable():
        raise InputError("the webhook's address must be https://HOST/PATH, in ASCII")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InputError(
            "the webhook's address must not hold a user, a password or a fragment: messages are signed"
        )
    if parts.scheme == "http" and not _is_here(host):
        raise InputError(
            f"what is sent to http://{host} can be read on the way; name the webhook by https://, "
            f"or one on this machine"
        )
    return parts


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds_in(header: str | None, at: datetime) -> float | None:
    """Read `Retry-After`: seconds, or a moment."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        return max(0.0, (parsedate_to_datetime(header) - at).total_seconds())
    except (TypeError, ValueError):
        return None
