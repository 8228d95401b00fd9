"""MurmurHash64A, the hash under which ja-ginza files its words."""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_M = 0xC6A4A7935BD1E995
_SEED = 1  # as spaCy seeds it


def murmur64(data: bytes) -> int:
    """Hash `data` to an unsigned 64-bit number, as spaCy hashes the UTF-8 of a word."""
    whole = len(data) // 8
    state = _SEED ^ (len(data) * _M & _MASK)
    for block in struct.unpack_from(f"<{whole}Q", data):
        block = block * _M & _MASK
        block = (block ^ block >> 47) * _M & _MASK
        state = (state ^ block) * _M & _MASK
    if tail := data[whole * 8 :]:
        state = (state ^ int.from_bytes(tail, "little")) * _M & _MASK
    state = (state ^ state >> 47) * _M & _MASK
    return state ^ state >> 47
