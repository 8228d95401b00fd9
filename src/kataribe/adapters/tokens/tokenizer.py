"""The target model's own tokens, counted by the `tokenizer.json` that comes with it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tokenizers import Tokenizer

from kataribe.errors import InputError


class TokenizerCounter:
    """Counts the tokens of a text, special ones of a whole prompt not counted in."""

    def __init__(self, path: str) -> None:
        """Read a `tokenizer.json`. Raises `InputError` when it cannot be read or is none."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"the tokenizer {path!r} cannot be read: {error.strerror or error}") from error
        try:
            self._tokenizer = Tokenizer.from_buffer(data)
        except Exception as error:  # The package raises nothing narrower.
            raise InputError(
                f"{path!r} is no tokenizer.json: {error}; give the file that comes with the model"
            ) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._id = f"tokenizer:{hashlib.blake2b(data, digest_size=4).hexdigest()}"

    @property
    def counter_id(self) -> str:
        """`tokenizer:` and a digest of the file."""
        return self._id

    def count(self, text: str) -> int:
        """Count."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)
