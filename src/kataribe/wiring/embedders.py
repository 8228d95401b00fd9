"""Embedders by name: which there are, what is missing, which one a language gets."""

from __future__ import annotations

from threading import Lock
from typing import Any

from kataribe.adapters.embedding import EmbedderChoice
from kataribe.adapters.making import Maker
from kataribe.adapters.pydantic_ai.embedder import PROVIDERS as EMBEDDING_PROVIDERS
from kataribe.domain.terms import Language, check_language
from kataribe.errors import InputError, MissingExtraError, option
from kataribe.ports import Embedder
from kataribe.settings import Settings, from_environment
from kataribe.wiring.registries import EMBEDDERS, choice

DEFAULT_EMBEDDERS: dict[Language, str] = {"ja": "chive", "en": "wordllama"}

LEXICAL_EMBEDDER = "hash"

_REMOTE = "pydantic-ai"
"""The embedder that asks another machine; it is chosen by `provider:model`."""


def embedder_names() -> tuple[str, ...]:
    """Give the names of all embedders, installed or not; some take a model after a colon."""
    return EMBEDDERS.names()


def _embedder_kind(name: str, settings: Settings) -> tuple[Any, EmbedderChoice]:
    """Find who makes the embedder of a name: `wordllama`, `minilm:FOLDER`, `openai:MODEL`."""
    points = EMBEDDERS.points()
    family, colon, rest = name.partition(":")
    point = _REMOTE if colon and family in EMBEDDING_PROVIDERS else family
    if point not in points or (colon and not rest.strip()):
        choices = ", ".join(name for name in sorted(points) if name != _REMOTE)
        raise InputError(
            f"there is no embedder {name!r}; choose from {choices}, "
            f"or a model as {', '.join(f'{one}:NAME' for one in EMBEDDING_PROVIDERS[:3])}"
        )
    kind: Any = points[point].load()
    if colon and not hasattr(kind, "named") and not isinstance(kind, Maker):
        raise InputError(f"the embedder {family!r} has no choice of models; leave {':' + rest!r} out")
    wanted = EmbedderChoice(
        family=family,
        name=rest,
        folder=settings.minilm,
        base_url=settings.base_url,
        seconds=settings.model_seconds,
        keys=settings.keys,
    )
    return kind, wanted


def missing_line(name: str, settings: Settings | None = None) -> str | None:
    """Tell what to type to be able to use an embedder; None when it is ready.

    Raises `InputError` for a name nobody provides.
    """
    chosen = settings or from_environment()
    kind, wanted = _embedder_kind(name, chosen)
    if isinstance(kind, Maker):
        return kind.available(choice(chosen, wanted.family, wanted.name))
    line: str | None = kind.available_as(wanted) if hasattr(kind, "available_as") else kind.available()
    return line


class Embedders:
    """Embedders by name, each made once."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or from_environment()
        self._made: dict[str, Embedder] = {}
        self._lock = Lock()

    def get(self, name: str) -> Embedder:
        """Give an embedder; raise `MissingExtraError` with the line to type when it is not installed."""
        with self._lock:
            if name not in self._made:
                line = missing_line(name, self._settings)
                if line is not None:
                    raise MissingExtraError(
                        f"the embedder {name!r} is not installed; type: {line} "
                        f"(or choose another, e.g. {option('embedder', LEXICAL_EMBEDDER)})"
                    )
                self._made[name] = _made_embedder(name, self._settings)
            return self._made[name]


def _made_embedder(name: str, settings: Settings) -> Embedder:
    kind, wanted = _embedder_kind(name, settings)
    made: Embedder
    if isinstance(kind, Maker):
        made = kind.make(choice(settings, wanted.family, wanted.name))
    else:
        made = kind.named(wanted) if hasattr(kind, "named") else kind()
    return made


def default_embedder(language: Language, settings: Settings | None = None) -> str:
    """Name the embedder a language gets, or the one that is set.

    Raises `MissingExtraError` without it, `InputError` for what is no language.
    """
    check_language(language)
    if settings is not None and settings.embedder is not None:
        return settings.embedder
    name = DEFAULT_EMBEDDERS[language]
    line = missing_line(name)
    if line is not None:
        raise MissingExtraError(
            f"{option('language', language)} needs the embedder {name!r}, which is not installed; "
            f"type: {line} "
            f"(or choose a lexical one with {option('embedder', LEXICAL_EMBEDDER)})"
        )
    return name
