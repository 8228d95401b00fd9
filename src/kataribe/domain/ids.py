"""Identifiers: what is allowed in them, and how the deterministic ones are made."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from kataribe.errors import InputError

WORLD = "world"
RESERVED = frozenset({WORLD, "public"})
MAX_ID_LENGTH = 200
_PLAIN = re.compile(rf"[A-Za-z0-9_.\-]{{1,{MAX_ID_LENGTH}}}")


def check_id(value: str, what: str = "id") -> str:
    """Give `value` back when it may be an id, else raise `InputError`.

    Any script and inner spaces are allowed; `:` and `,` (they separate), control
    characters, outer spaces and the reserved words `world` and `public` are not (S0-40).
    """
    if _PLAIN.fullmatch(value) and value.lower() not in RESERVED:
        # Nearly every id: nothing in it needs to be looked up character by character.
        return value
    if not value or value != value.strip():
        raise InputError(f"{what} {value!r} must not be empty or begin or end with a space")
    if len(value) > MAX_ID_LENGTH:
        raise InputError(f"{what} {value[:20]!r}... is longer than {MAX_ID_LENGTH} characters")
    for char in value:
        # Cc control, Cs lone surrogate, Zl/Zp line and paragraph separators.
        if char in ":," or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
            raise InputError(f"{what} {value!r} holds {char!r}, which is not allowed in an id; leave it out")
    if unicodedata.normalize("NFKC", value).casefold() in RESERVED:
        raise InputError(f"{what} {value!r} is reserved; choose another")
    return value


def check_text(value: str, what: str = "text") -> str:
    """Give `value` back when it can be stored byte for byte, else raise `InputError`."""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what} holds a lone surrogate at character {error.start}; it is not valid text"
        ) from error
    return value


def normalise(text: str) -> str:
    """NFKC and single spaces, for matching and hashing only: stored text stays as written."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def digest(*parts: str) -> str:
    """Hash `parts` unambiguously into 32 hex digits."""
    encoded = [part.encode("utf-8") for part in parts]
    told = b"".join([piece for data in encoded for piece in (len(data).to_bytes(8, "big"), data)])
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def text_hash(text: str) -> str:
    """Hash a text by what matching sees of it (S0-12)."""
    return digest(normalise(text))


def exact_hash(text: str) -> str:
    """Hash a text byte for byte."""
    return digest(text)


def fact_id_for(episode_id: str, text: str) -> str:
    """Make a fact's id out of its episode and text, never of its holders."""
    return f"f-{digest('fact', episode_id, normalise(text))[:16]}"


def vector_id(*, episode_id: str, version: int, scope: str, character_id: str | None, index: int) -> str:
    """Build `vec:{episodeId}:v{version}:{scope}:{characterId or "world"}:{factIndex}` (S0-40)."""
    return f"vec:{episode_id}:v{version}:{scope}:{character_id or WORLD}:{index}"


def delta_id(*, episode_id: str, version: int, scope: str, character_id: str | None) -> str:
    """Build the id of one holder's share of one version of an episode (S0-8)."""
    return f"delta:{episode_id}:v{version}:{scope}:{character_id or WORLD}"
