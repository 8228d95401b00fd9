"""How a server is run: to whom it listens, and how much it takes."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from kataribe.domain.recall.context import DEFAULT_BUDGET
from kataribe.errors import InputError

SESSION_HEADER = "X-Kataribe-Session"
"""Names a conversation of the OpenAI-compatible routes, unless another header is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The limits of a server.

    `keys_required` refuses who comes without a key; without it everything is the owner's as long as the
    store has no key. `proxies` are the addresses that connections are taken from (None: all). `hosts` are the
    names it may be called by (None: any). A body has at most `body_bytes` and must be there within
    `body_seconds`; a caller may ask `rate` times a second, `burst` times at once; `at_once` requests are
    worked on at a time, others wait for `queue_seconds`. `wait_seconds` is the longest wait for a job.
    Behind the OpenAI-compatible routes `session_header` names a conversation, a context has at most
    `context_tokens` tokens, `upstream_raw` lets personal data go to the upstream as they are, and it is
    asked `upstream_at_once` times at a time.
    """

    keys_required: bool = False
    proxies: frozenset[str] | None = None
    hosts: frozenset[str] | None = None
    body_bytes: int = 8 << 20
    body_seconds: float = 30.0
    rate: float = 200.0
    burst: int = 400
    at_once: int = 64
    queue_seconds: float = 30.0
    wait_seconds: float = 60.0
    session_header: str = SESSION_HEADER
    context_tokens: int = DEFAULT_BUDGET
    upstream_raw: bool = False
    upstream_at_once: int = 32


LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_exposure(host: str, *, has_keys: bool, has_tls: bool, has_proxy: bool) -> None:
    """Raise `InputError` for a server that others reach and that is open, or readable on the way."""
    if is_loopback(host):
        return
    if not has_keys:
        raise InputError(
            f"others reach {host}, and this store has no access key: make one with `kataribe access add`, "
            f"or listen on 127.0.0.1"
        )
    if not (has_tls or has_proxy):
        raise InputError(
            f"others reach {host}, and what is sent could be read on the way: give --tls-cert and --tls-key, "
            f"or --behind-proxy with the address of the proxy that ends TLS"
        )
