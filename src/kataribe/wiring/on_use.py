"""Parts that load their package when they are first used: tracing, token counters, books, documents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, tzinfo
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from kataribe.adapters.tokens import EstimateCounter
from kataribe.domain.knowledge.documents import DocumentText
from kataribe.domain.recall.context import ESTIMATE
from kataribe.domain.story.folder import BookText
from kataribe.errors import InputError, MissingExtraError
from kataribe.ports import Span, Telemetry, TokenCounter
from kataribe.ports.telemetry import UNWATCHED


class TracingOnUse:
    """OpenTelemetry, where the program itself has loaded it: who has not set up no tracer."""

    def __init__(self, *, tells_texts: bool) -> None:
        self.tells_texts = tells_texts
        self._made: Telemetry | None = None

    @property
    def is_on(self) -> bool:
        """Whether a tracer provider is set up by now."""
        if "opentelemetry.trace" not in sys.modules:
            return False
        return self._tracing().is_on

    def span(self, name: str) -> AbstractContextManager[Span]:
        """Begin a span."""
        return self._tracing().span(name)

    def _tracing(self) -> Telemetry:
        if self._made is None:
            maker: Any = import_module("kataribe.adapters.otel").OtelTelemetry
            self._made = maker(tells_texts=self.tells_texts)
        return self._made or UNWATCHED


_TOKENIZER_COUNTER = "kataribe.adapters.tokens.tokenizer"
"""The module that loads the vendor."""


class Counters:
    """Token counters by name (`estimate`, or `tokenizer:PATH`), each made once."""

    def __init__(self) -> None:
        self._made: dict[str, TokenCounter] = {ESTIMATE: EstimateCounter()}
        self._lock = Lock()

    def get(self, name: str) -> TokenCounter:
        """Give a counter. Raises `InputError` for another name or file, `MissingExtraError`."""
        with self._lock:
            if name not in self._made:
                kind, _, path = name.partition(":")
                if kind != "tokenizer" or not path:
                    raise InputError(
                        f"there is no token counter {name!r}; "
                        f"choose {ESTIMATE}, or tokenizer:PATH of a tokenizer.json"
                    )
                if find_spec("tokenizers") is None:
                    raise MissingExtraError(
                        f"counting by a tokenizer needs a package that is not installed; "
                        f"type: pip install 'kataribe[tokens]' (or choose {ESTIMATE})"
                    )
                maker: Any = import_module(_TOKENIZER_COUNTER).TokenizerCounter
                self._made[name] = maker(path)
            return self._made[name]


_BOOKS = {
    ".docx": ("docx", "kataribe.adapters.books.word", "read_docx"),
    ".epub": ("lxml", "kataribe.adapters.books.epub", "read_epub"),
}
"""By the end of a file's name: the package that reads it, and our module and function that use it."""


def read_book(data: bytes, name: str) -> BookText:
    """Take the text out of a `.docx` or `.epub`.

    Raises `FormatError` for what is broken, encrypted or too large, and `MissingExtraError`.
    """
    package, module, function = _BOOKS[Path(name).suffix.lower()]
    if find_spec(package) is None:
        raise MissingExtraError(
            f"{name}: reading books needs packages that are not installed; "
            f"type: pip install 'kataribe[books]' (or save it as a .txt file in UTF-8)"
        )
    read: Callable[[bytes, str], BookText] = getattr(import_module(module), function)
    return read(data, name)


_DOCUMENTS = {
    ".md": ("markdown_it", "kataribe.adapters.books.markdown", "read_markdown"),
    ".html": ("lxml", "kataribe.adapters.books.webpage", "read_webpage"),
    ".pdf": ("pypdf", "kataribe.adapters.books.pdf", "read_pdf"),
    ".docx": ("docx", "kataribe.adapters.books.office", "read_office"),
}
"""As `_BOOKS`, for the documents of a library."""


def read_document_of(form: str, given: bytes | str, name: str) -> DocumentText:
    """Take the text out of a document of a format, one of `.md`, `.html`, `.pdf` and `.docx`.

    Raises `FormatError` for what is broken, encrypted, without text or too large, and `MissingExtraError`.
    """
    package, module, function = _DOCUMENTS[form]
    if find_spec(package) is None:
        raise MissingExtraError(
            f"{name}: reading {form} needs packages that are not installed; "
            f"type: pip install 'kataribe[kb]' (or save it as a .txt file in UTF-8)"
        )
    read: Callable[[bytes | str, str], DocumentText] = getattr(import_module(module), function)
    return read(given, name)


def cron_times(expression: str, zone: tzinfo, after: datetime) -> Iterator[datetime]:
    """Give the moments later than `after` that a cron expression names in a zone, in UTC, in order.

    Raises `InputError` for what is no such expression, and `MissingExtraError`.
    """
    if find_spec("cronsim") is None:
        raise MissingExtraError(
            "schedules need a package that is not installed; "
            "type: pip install 'kataribe[schedule]' (or call `kataribe nightly` by a timer of your own)"
        )
    times: Callable[..., Iterator[datetime]] = import_module("kataribe.adapters.cron").cron_times
    return times(expression, zone, after)
