"""Verbs that can be watched: what their spans carry."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from kataribe.domain.memory import Recollection
from kataribe.engine.base import Base
from kataribe.engine.off_record import is_off_the_record
from kataribe.ports.telemetry import Attribute, watching

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=Base)


def traced(
    name: str,
) -> Callable[
    [Callable[Concatenate[S, P], Coroutine[Any, Any, R]]], Callable[Concatenate[S, P], Coroutine[Any, Any, R]]
]:
    """Make a verb a span `kataribe.<name>`, when somebody watches.

    Counts, ids of hits, viewer and embedder are told; the question and the texts of hits only
    when the settings say so.
    """

    def of(
        verb: Callable[Concatenate[S, P], Coroutine[Any, Any, R]],
    ) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
        @wraps(verb)
        async def run(self: S, /, *given: P.args, **named: P.kwargs) -> R:
            telemetry = self._services.telemetry
            if not telemetry.is_on or is_off_the_record():
                return await verb(self, *given, **named)
            with watching(telemetry, name) as span:
                if telemetry.tells_texts and given and isinstance(given[0], str):
                    span.note({"question": given[0]})
                found = await verb(self, *given, **named)
                span.note(told(found, texts=telemetry.tells_texts))
                return found

        return run

    return of


def told(found: object, *, texts: bool) -> Mapping[str, Attribute]:
    """Give what a span may carry of a verb's result: of a type not known here, its numbers alone."""
    if isinstance(found, Recollection):
        return _recollection(found, texts=texts)
    noted: dict[str, Attribute] = {}
    for name in getattr(found, "__slots__", ()):
        value = getattr(found, name, None)
        if isinstance(value, bool | int | float):
            noted[name] = value
        elif isinstance(value, Recollection):
            noted |= _recollection(value, texts=texts)
    return noted


def _recollection(found: Recollection, *, texts: bool) -> dict[str, Attribute]:
    noted: dict[str, Attribute] = {
        "hits": len(found.hits),
        "hit_ids": tuple(hit.id for hit in found.hits),
        "in_cast": found.in_cast,
        "pending": len(found.pending_episodes) + found.pending_turns,
        "embedder": found.backend.embedder,
        "reranker": found.backend.reranker or "none",
        **_viewer(found),
    }
    if texts:
        noted["hit_texts"] = tuple(hit.text for hit in found.hits)
    return noted


def _viewer(found: Recollection) -> dict[str, Attribute]:
    viewer = found.viewer
    noted: dict[str, Attribute] = {}
    if viewer.is_reader:
        noted |= {"story": viewer.story or "", "reader": True, "read": viewer.cutoff}
    elif viewer.at is not None:
        noted |= {"story": viewer.story or "", "character": viewer.character, "at": viewer.at}
    if viewer.as_of is not None:
        # Who a user is stays here; which of them asked is in the store's own trace.
        noted |= {"persona": viewer.persona or "", "as_of": viewer.as_of.isoformat()}
    return noted
