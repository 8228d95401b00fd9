"""The writer's views: author reads over all viewers, at once or between two of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from kataribe.domain.gate import Viewer
from kataribe.domain.story.likeness import likeness_of
from kataribe.domain.story.overviews import KnowledgeSummary
from kataribe.domain.story.suggestion import CastSuggestion
from kataribe.domain.story.views import (
    Difference,
    Finding,
    Inspection,
    Matrix,
    StoryDifference,
    Timeline,
    Why,
)
from kataribe.engine.giving_back import PersonalVerbs
from kataribe.engine.kinds import KINDS, WHYS
from kataribe.errors import InputError, NotFoundError
from kataribe.ports import Proofreader, View
from kataribe.read.gate import open_gate
from kataribe.story.now import settled
from kataribe.story.views.cast_suggestions import cast_suggestions
from kataribe.story.views.check import Look, inspection, look
from kataribe.story.views.diff import diff as diff_viewers
from kataribe.story.views.diff import diff_stories
from kataribe.story.views.fact_history import best_matches
from kataribe.story.views.matrix import matrix as matrix_of
from kataribe.story.views.meaning_checks import secrets_shown
from kataribe.story.views.proofreading import pairs_of, proved, to_ask
from kataribe.story.views.story_view import see
from kataribe.story.views.summary import summary as summary_of
from kataribe.story.views.timeline import timeline as timeline_of
from kataribe.story.views.why import whys_of_text


class ViewVerbs(PersonalVerbs):
    """Looking at a story as its author, across all who remember it."""

    async def matrix(
        self,
        story_id: str,
        *,
        characters: Collection[str] | None = None,
        first: int | None = None,
        last: int | None = None,
        lines: bool = True,
    ) -> Matrix:
        """Give what each character gains in each episode from `first` to `last` (author).

        It is memory from the next episode on. Without `lines` only counts are read, which is
        quick for a story of any length. Raises `NotFoundError`.
        """
        return await self._read(
            lambda view: matrix_of(view, story_id, characters=characters, first=first, last=last, lines=lines)
        )

    async def diff(self, left: Viewer, right: Viewer) -> Difference:
        """Give what one viewer of a story knows that another does not, both ways (author).

        The same character at two episodes gives what it gains, and what it learns to be
        replaced. Raises `NotFoundError`, `InputError`.
        """
        return await self._read(lambda view: diff_viewers(view, settled(view, left), settled(view, right)))

    async def diff_stories(
        self, story_id: str, other_id: str, *, before: int | None = None, character: str | None = None
    ) -> StoryDifference:
        """Give where two stories differ, canon and branch say: episodes, and facts by holder (author).

        `before` compares only what is told before that episode number; `character` only what
        that one may know. Raises `NotFoundError`.
        """
        return await self._read(
            lambda view: diff_stories(view, story_id, other_id, at=before, character=character)
        )

    async def why(
        self, viewer: Viewer, *, fact_id: str | None = None, text: str | None = None, top_k: int = 3
    ) -> tuple[Why, ...]:
        """Tell why a viewer does or does not know a fact, or the `top_k` that match `text` best (author).

        With a viewer of a user `fact_id` may be a turn's, and each place it was said at is told of.
        `text` finds facts of a story. Raises `NotFoundError`, and `InputError` unless one of the two
        is given, and for a reader, who knows all that was told.
        """
        _one_of(fact_id, text)
        if viewer.is_reader:
            raise InputError("a reader knows what is told up to where it has read; ask why of a character")
        found = await self._read(lambda view: _whys(view, settled(view, viewer), fact_id, text, top_k))
        whose = viewer.whose
        return found if whose is None else await self._given_back_of(found, whose)

    async def timeline(
        self, story_id: str, *, fact_id: str | None = None, text: str | None = None
    ) -> Timeline:
        """Tell who learns a fact when, and through which telling; `text` picks the best match (author).

        Raises `NotFoundError`, and `InputError` unless one of the two is given.
        """
        _one_of(fact_id, text)
        return await self._read(
            lambda view: timeline_of(view, story_id, _meant(view, story_id, fact_id, text, 1)[0])
        )

    async def suggest_cast(self, story_id: str, *, at_least: int = 2) -> tuple[CastSuggestion, ...]:
        """Propose whom the texts name and the cast has not (author). Raises `NotFoundError`, `InputError`."""
        return await self._read(lambda ledger: cast_suggestions(ledger, story_id, at_least=at_least))

    async def summary(self, story_id: str, *, before: int | None = None) -> KnowledgeSummary:
        """Give by subject who knows what of all that is told before an episode (None: everything) (author).

        Raises `NotFoundError`, `InputError`.
        """
        return await self._read(lambda view: summary_of(view, story_id, at=before))

    async def check(self, story_id: str, *, model: str | None = None) -> Inspection:
        """Look a story over for what a writer would want to mend (author).

        `model` (`provider:model`) reads the pairs of sentences that rules guess to contradict each
        other or to give a secret away, and some that share rare words: what it does not share is
        not told. Raises `NotFoundError`, `InputError`, `MissingExtraError`, `ModelError`.
        """
        proofreader = None if model is None else self._services.proofreader(model)
        looked = await self._read(lambda view: look(view, story_id))
        shown = await self._shown(looked)
        if proofreader is not None:
            looked, shown = await self._proved(looked, shown, proofreader)
        return await self._read(lambda view: inspection(view, looked, shown))

    async def _proved(
        self, looked: Look, shown: tuple[Finding, ...], proofreader: Proofreader
    ) -> tuple[Look, tuple[Finding, ...]]:
        language = looked.seen.story.language
        guesses = [one for one in (*looked.findings, *shown) if one.is_guess]
        asked = to_ask(looked.facts, language, guesses)
        verdicts = await proofreader.judge(pairs_of(looked.facts, asked), language=language)
        refused, found = proved(looked.facts, asked, verdicts, proofreader.proofreader_id)
        kept = tuple(one for one in looked.findings if not (one.is_guess and one.fact_ids in refused))
        return replace(looked, findings=kept), (
            *(one for one in shown if one.fact_ids not in refused),
            *found,
        )

    async def _shown(self, looked: Look) -> tuple[Finding, ...]:
        """Tell which suspects give a secret away by meaning: their texts without names are embedded anew."""
        story = looked.seen.story
        least = likeness_of(story.embedder_id)
        embedder = self._services.embedder(story.embedder) if looked.suspected else None
        if least is None or embedder is None or embedder.embedder_id != story.embedder_id:
            return ()
        texts = sorted({text for one in looked.suspected for text in (one.bare_secret, one.bare_other)})
        rows = dict(zip(texts, await embedder.embed_documents(texts), strict=True))
        bare = {
            (one.bare_secret, one.bare_other): float(rows[one.bare_secret] @ rows[one.bare_other])
            for one in looked.suspected
        }
        return tuple(secrets_shown(looked.facts, looked.suspected, bare, least))


def _one_of(fact_id: str | None, text: str | None) -> None:
    if (fact_id is None) == (text is None):
        raise InputError("give either a fact's id or a text to find it by")


def _whys(view: View, viewer: Viewer, fact_id: str | None, text: str | None, top_k: int) -> tuple[Why, ...]:
    if fact_id is None:
        return whys_of_text(view, viewer, text or "", top_k=top_k)
    opened = open_gate(KINDS, view, viewer)
    found: list[Why] = []
    refused: list[NotFoundError] = []
    for whys in WHYS:
        try:
            found += whys(view, viewer, opened, fact_id)
        except NotFoundError as error:
            refused.append(error)
    if found:
        return tuple(found)
    if refused and len(opened.homes) == 1:
        raise refused[0]
    raise NotFoundError(f"nothing is called {fact_id!r} here; give a fact's id, or a turn's")


def _meant(view: View, story_id: str, fact_id: str | None, text: str | None, top_k: int) -> tuple[str, ...]:
    if fact_id is not None:
        return (fact_id,)
    return best_matches(view, see(view, story_id), text or "", top_k=top_k)
