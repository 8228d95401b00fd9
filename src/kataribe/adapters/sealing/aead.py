"""`Seal` by AES-256-GCM.

What is sealed: one byte that says how (1), the key's id (8 bytes), a random nonce (12 bytes), and
the ciphertext with its tag (16 bytes). Bound to it, and not in it: the space and the row.
"""

from __future__ import annotations

import os
from struct import pack

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from kataribe.domain.keys import SecretKey
from kataribe.errors import KeyLostError, WrongKeyError

_VERSION = b"\x01"
_ID_BYTES, _NONCE_BYTES, _TAG_BYTES = 8, 12, 16
_HEAD = len(_VERSION) + _ID_BYTES
_LEAST = _HEAD + _NONCE_BYTES + _TAG_BYTES


class AesGcmSeal:
    """Seals with random nonces: up to 2^32 rows under one key."""

    def seal(self, key: SecretKey, space: str, row: str, plain: bytes) -> bytes:
        """Encrypt and authenticate."""
        head = _VERSION + bytes.fromhex(key.key_id)
        nonce = os.urandom(_NONCE_BYTES)
        return head + nonce + AESGCM(key.secret).encrypt(nonce, plain, _bound(head, space, row))

    def open(self, key: SecretKey, space: str, row: str, sealed: bytes) -> bytes:
        """Give what was sealed."""
        if (wanted := self.key_of(sealed)) != key.key_id:
            raise KeyLostError(
                f"this was sealed with the key {wanted}, and the key at hand is {key.key_id}; "
                f"put back the key store that holds it"
            )
        nonce, rest = sealed[_HEAD : _HEAD + _NONCE_BYTES], sealed[_HEAD + _NONCE_BYTES :]
        try:
            return AESGCM(key.secret).decrypt(nonce, rest, _bound(sealed[:_HEAD], space, row))
        except InvalidTag as error:
            raise WrongKeyError(
                "what is sealed was changed, or stood in another row or space; restore it from a backup"
            ) from error

    def key_of(self, sealed: bytes) -> str:
        """Give the id of the key something was sealed with."""
        if len(sealed) < _LEAST or not sealed.startswith(_VERSION):
            raise WrongKeyError("this is nothing that was sealed; restore it from a backup")
        return sealed[1:_HEAD].hex()


def _bound(head: bytes, space: str, row: str) -> bytes:
    """Write what the seal is bound to so that no two pairs are written alike."""
    named = space.encode()
    return head + pack(">I", len(named)) + named + row.encode()
