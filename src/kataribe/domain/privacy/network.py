"""Internet addresses, apart from versions and from those that name no machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from kataribe.domain.privacy.kinds import PageSpan, PersonalKind
from kataribe.domain.privacy.page import TextPage

_V4 = re.compile(r"(?<![0-9a-z.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9a-z]|\.[0-9]|-[0-9])")
_V6 = re.compile(r"(?<![0-9a-z:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![0-9a-z:])")
_VERSION = re.compile(
    r"(?:\bversions?|\bver\.?|\bv\.?|\brelease|\bfirmware|\bbuild|\bdriver|\bsection|\bchapter|\bappendix|\bpart|"
    r"\bsec\.?|§|バージョン|ファームウェア|ファーム|リリース|ビルド|章|節)(?: is| was|は|を|が)?[\s:]{0,2}$"
)
_REACH = 24


def addresses_of_machines(page: TextPage) -> Iterator[PageSpan]:
    """Find addresses of version 4 and 6."""
    text = page.low
    for match in _V4.finditer(text):
        is_version = _VERSION.search(text[max(0, match.start() - _REACH) : match.start()]) is not None
        if not is_version and _is_somebodys_v4(match[0]):
            yield PageSpan(PersonalKind.IP, *match.span(), match[0])
    for match in _V6.finditer(text):
        made = _v6(match[0])
        if made is not None:
            yield PageSpan(PersonalKind.IP, *match.span(), made)


def _is_somebodys_v4(text: str) -> bool:
    try:
        made = IPv4Address(text)
    except AddressValueError:
        return False
    return not (made.is_loopback or made.is_unspecified or made.is_multicast or made.is_reserved) and int(
        made
    ) >= (1 << 24)


def _v6(text: str) -> str | None:
    if re.search("[0-9]", text) is None or len(text) < 6:
        return None
    try:
        made = IPv6Address(text)
    except AddressValueError:
        return None
    return None if made.is_loopback or made.is_unspecified else str(made)
