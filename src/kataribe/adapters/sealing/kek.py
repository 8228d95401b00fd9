"""The key that wraps the users' keys: in the key store, in the environment, or at a command."""

from __future__ import annotations

import base64
import binascii
import os
import shlex
import subprocess
from collections.abc import Mapping

from kataribe.domain.keys import KEY_BYTES, SecretKey, WrappedBy, kek_id_of
from kataribe.errors import KeyStoreError, WrongKeyError

KEK, KEK_NEXT = "KATARIBE_KEK", "KATARIBE_KEK_NEXT"
KEK_COMMAND, KEK_COMMAND_NEXT = "KATARIBE_KEK_COMMAND", "KATARIBE_KEK_COMMAND_NEXT"
VARIABLES = (KEK, KEK_NEXT, KEK_COMMAND, KEK_COMMAND_NEXT)
COMMAND_SECONDS = 60.0
_NAMES = {WrappedBy.ENVIRONMENT: (KEK, KEK_NEXT), WrappedBy.COMMAND: (KEK_COMMAND, KEK_COMMAND_NEXT)}
_HOW = "32 random bytes in Base64 or as 64 hexadecimal digits, for one of `openssl rand -base64 32`"


def kind_for_new(given: Mapping[str, str]) -> WrappedBy:
    """Say by what the keys of a new key store are wrapped."""
    if given.get(KEK):
        return WrappedBy.ENVIRONMENT
    return WrappedBy.COMMAND if given.get(KEK_COMMAND) else WrappedBy.FILE


def new_kek(kind: WrappedBy, given: Mapping[str, str], *, is_next: bool) -> SecretKey:
    """Give the key to wrap with from now on; `is_next`: one that takes the place of another.

    Raises `KeyStoreError` when its variable is not set, or holds none.
    """
    if kind is WrappedBy.FILE:
        return _key(os.urandom(KEY_BYTES))
    name = _NAMES[kind][is_next]
    if not given.get(name):
        raise KeyStoreError(f"the variable {name} is not set; it gives the new key: {_HOW}")
    return _read(kind, name, given)


def fitting_kek(kind: WrappedBy, wanted: str, given: Mapping[str, str]) -> SecretKey:
    """Give the key of this id, that is or is to come. Raises `WrongKeyError` when it is not at hand."""
    named = [name for name in _NAMES[kind] if given.get(name)]
    for name in named:
        if (found := _read(kind, name, given)).key_id == wanted:
            return found
    if not named:
        raise WrongKeyError(
            f"the users' keys are wrapped by a key that stands elsewhere ({kind}), and {_NAMES[kind][0]} "
            f"is not set; set it"
        )
    raise WrongKeyError(
        f"{' and '.join(named)}: not the key that the users' keys are wrapped by, whose id is {wanted}; "
        f"set the right one (nothing was changed)"
    )


def _read(kind: WrappedBy, name: str, given: Mapping[str, str]) -> SecretKey:
    said = given[name] if kind is WrappedBy.ENVIRONMENT else _ask(name, given[name])
    return _key(_decoded(said.strip(), name))


def _key(secret: bytes) -> SecretKey:
    return SecretKey(kek_id_of(secret), secret)


def _decoded(said: str, name: str) -> bytes:
    """Read a key; what was given in its place is in no message."""
    try:
        found = bytes.fromhex(said) if len(said) == 2 * KEY_BYTES else base64.b64decode(said, validate=True)
    except (ValueError, binascii.Error) as error:
        raise KeyStoreError(f"{name} gives no key; a key is {_HOW}") from error
    if len(found) != KEY_BYTES:
        raise KeyStoreError(f"{name} gives {len(found)} bytes; a key is {_HOW}")
    return found


def _ask(name: str, command: str) -> str:
    try:
        ran = subprocess.run(
            shlex.split(command), stdout=subprocess.PIPE, timeout=COMMAND_SECONDS, check=True
        )
    except (OSError, ValueError) as error:
        raise KeyStoreError(f"the command of {name} cannot be run: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise KeyStoreError(f"the command of {name} took more than {COMMAND_SECONDS:g} s") from error
    except subprocess.CalledProcessError as error:
        raise KeyStoreError(f"the command of {name} failed with code {error.returncode}") from error
    return ran.stdout.decode("ascii", errors="replace")
