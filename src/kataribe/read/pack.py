"""After a recall: what may be used of it becomes a context, within its budget of tokens (M-6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kataribe.domain.around import StorySentence, joined
from kataribe.domain.memory import NO_USAGE, FactHit, Hit, PassageHit, Recollection, TurnHit
from kataribe.domain.recall.context import (
    CUT,
    Component,
    Context,
    ContextItem,
    ContextOrder,
    ContextPart,
    Dropped,
    DropReason,
    choose,
    clip,
    newest,
)
from kataribe.domain.recall.context_words import introduced, told, where
from kataribe.domain.recall.widening import Widened, WideningRules, widen
from kataribe.domain.text import fence
from kataribe.errors import InputError
from kataribe.read.pack_at_hand import GAP, ContextRequest, PackingAtHand, fenced_item
from kataribe.read.select import Chosen, Screened, was_said


def assemble(screened: Screened, wanted: ContextRequest) -> Context:
    """Put the parts together; the whole has at most `wanted.budget` tokens.

    Raises `InputError` when the budget does not hold what must be there.
    """
    count, room, spared = wanted.counter.count, wanted.budget, 0
    while True:
        packing = _Packing(screened, wanted, room, spared)
        parts = packing.parts()
        text = GAP.join(part.text for part in parts if part.text)
        tokens = count(text)
        if tokens <= wanted.budget:
            break
        # A tokenizer may count more for the whole than for its pieces: pack it tighter, first of all
        # what stands around memories.
        if packing.has_widened:
            spared += tokens - wanted.budget
        else:
            room -= tokens - wanted.budget
    found, plan = screened.found, screened.plan
    return Context(
        viewer=found.viewer,
        in_cast=found.in_cast,
        question=wanted.question,
        text=text,
        tokens=tokens,
        budget=wanted.budget,
        counter=wanted.counter.counter_id,
        parts=parts,
        dropped=(*screened.dropped, *packing.dropped),
        hits=screened.count,
        notes=(*screened.notes, *_lacks(found)),
        backend=found.backend,
        judge=screened.judge,
        plan=plan,
        usage=NO_USAGE if plan is None else plan.usage,
    )


def _lacks(found: Recollection) -> Iterator[str]:
    """Say what the viewer cannot remember for a reason of its own."""
    if not found.in_cast:
        yield f"{found.viewer.character!r} is not in the cast: only what everybody knows is given"
    if found.persona_note is not None:
        yield found.persona_note
    if found.pending_episodes:
        yield f"not in memory yet: episode {', '.join(map(str, found.pending_episodes))}"
    if found.pending_turns:
        yield f"not in memory yet: {found.pending_turns} turns"


class _Packing(PackingAtHand):
    """One try at filling a budget: who must be there claims first, the memories take what is left."""

    def __init__(self, screened: Screened, wanted: ContextRequest, room: int, spared: int) -> None:
        super().__init__(screened, wanted, room)
        self._spared = spared
        self.has_widened = False
        # What the marks mean is said where there are any.
        is_marked = any(one.hit.marks for one in screened.chosen)
        between = " " if wanted.language == "en" else ""
        self._said_of_memories = self._words.memories + (f"{between}{self._words.marks}" if is_marked else "")

    def parts(self) -> tuple[ContextPart, ...]:
        """Fill the parts in the order in which they claim, and give them in the order wanted."""
        policy, whole = self._wanted.policy, self._wanted.budget
        self._question(int(whole * policy.question))
        self._viewer()
        self._given(
            Component.STYLE, self._wanted.style, int(self._room * policy.style), self._wanted.style_reason
        )
        self._given(
            Component.PERSONA, self._wanted.persona, int(self._room * policy.persona), "the caller's words"
        )
        recent = self._recent_lines()
        needed = sum(self._cost(line) for line in recent) + self._cost(self._recent_text([]))
        reserved = min(needed if recent else 0, int(whole * policy.recent))
        if self._wanted.at_hand is None:
            self._memories(self._room - reserved)
        else:
            self._with_what_is_at_hand(self._wanted.at_hand, reserved)
        self._recent(recent)
        return tuple(self._made[name] for name in self._wanted.parts if name in self._made)

    # -- what must be there ---------------------------------------------------------------

    def _question(self, share: int) -> None:
        if Component.QUESTION not in self._wanted.parts:
            return
        budget = self._budget(Component.QUESTION, share)

        def written(question: str) -> str:
            inside = fence.fenced("question", self._mark, [fence.in_lines(question)])
            return f"{self._words.question}\n{inside}"

        asked = self._wanted.question
        kept = clip(asked, budget, lambda text: self._whole(written(text)))
        if kept is None:
            raise self._too_small("the question", self._whole(written(asked)))
        reason = "what is asked" if kept == asked else "what is asked, cut to its budget"
        self._put(Component.QUESTION, written(kept), budget, reason)

    def _viewer(self) -> None:
        if Component.VIEWER not in self._wanted.parts:
            return
        viewer, language = self._screened.found.viewer, self._wanted.language
        text = introduced(viewer, speaks_as=self._wanted.speaks_as, language=language)
        budget = self._budget(Component.VIEWER, self._room)
        if self._whole(text) > budget:
            raise self._too_small("who is asked, and as of when", self._whole(text))
        self._put(Component.VIEWER, text, budget, "who remembers, and as of when")

    def _too_small(self, what: str, needed: int) -> InputError:
        return InputError(
            f"a budget of {self._wanted.budget} tokens has no room for {what}, which takes {needed} "
            f"and leaves room for others; raise it"
        )

    def _given(self, name: Component, text: str, share: int, reason: str) -> None:
        if name not in self._wanted.parts or not text:
            return
        budget = self._budget(name, share)
        kept = clip(text, budget, self._whole)
        if kept != text:
            self.dropped.append(Dropped(part=name, why=DropReason.BUDGET, detail=f"cut to {budget} tokens"))
        self._put(name, kept or "", budget, reason)

    # -- memories ---------------------------------------------------------------------------

    def _memories(self, share: int) -> None:
        if Component.MEMORIES not in self._wanted.parts:
            return
        budget = self._budget(Component.MEMORIES, share)
        if not self._screened.chosen:
            is_told = self._screened.is_needed and not self._is_at_hand
            said = self._words.nothing if is_told else ""
            fits = self._whole(said) <= budget
            self._put(Component.MEMORIES, said if fits else "", budget, self._why_none())
            return
        kept = self._kept(budget - self._whole(self._memories_text([])))
        self._put(
            Component.MEMORIES,
            self._memories_text([fence.line_of(fenced_item(one)) for one in kept]) if kept else "",
            budget,
            f"{len(kept)} of {self._found_words()}, by {self._wanted.order}",
            kept,
        )

    def _found_words(self) -> str:
        more = self._screened.looked_up
        recalled = f"{len(self._screened.found.hits)} recalled"
        return f"{recalled} and {more} found by keywords" if more else recalled

    def _why_none(self) -> str:
        plan = self._screened.plan
        if plan is not None and not plan.needed:
            return f"nothing needs to be remembered for this, says {plan.made_by}"
        if not self._screened.count:
            return "nothing was recalled"
        return f"none of {self._found_words()} may be used"

    def _memories_text(self, lines: Sequence[str]) -> str:
        return f"{self._said_of_memories}\n{fence.fenced('memories', self._mark, lines)}"

    def _kept(self, room: int) -> tuple[ContextItem, ...]:
        items = [self._item(one) for one in self._screened.chosen]
        places = choose([item.tokens for item in items], room)
        # The best one is cut rather than left out when it does not fit even alone.
        first = self._cut(items[0], room) if 0 not in places else None
        if first is not None:
            items[0] = first
            places = (0, *(1 + at for at in choose([i.tokens for i in items[1:]], room - first.tokens)))
        widened = self._widened(items, places, room)
        for at, one in enumerate(self._screened.chosen):
            if at in widened.within:
                detail = f"stands around {items[widened.within[at]].handle}"
                self.dropped.append(one.dropped(DropReason.DUPLICATE, detail))
            elif at not in places:
                detail = f"{items[at].tokens} tokens, and no room for them among {max(room, 0)}"
                self.dropped.append(one.dropped(DropReason.BUDGET, detail))
        for at, sentences in widened.sentences.items():
            items[at] = self._wide(items[at], at, sentences)
        self.has_widened = bool(widened.sentences)
        order = self._order()
        kept = (items[at] for at in places if at not in widened.within)
        return tuple(sorted(kept, key=lambda item: order[item.handle]))

    def _widened(self, items: Sequence[ContextItem], places: Sequence[int], room: int) -> Widened:
        """Give items what stands around them out of the room that all of them leave."""
        costs = [item.tokens for item in items]
        left = room - sum(costs[at] for at in places) - self._spared
        rules = WideningRules(
            cost=lambda at, sentences: self._wide(items[at], at, sentences).tokens,
            was_said=lambda text: was_said(text, self._wanted.recent, self._wanted.policy),
        )
        whole = [at for at in places if not items[at].is_cut]
        return widen([one.hit for one in self._screened.chosen], whole, costs, left, rules)

    def _wide(self, item: ContextItem, at: int, sentences: Sequence[StorySentence]) -> ContextItem:
        """Write an item with what stands around it."""
        hit = replace(self._screened.chosen[at].hit, text=joined(sentences))
        more = len(sentences) - 1
        made = replace(
            item,
            text=told(hit, self._wanted.language),
            reason=f"{item.reason}, with {more} sentence{'s' * (more != 1)} around it",
        )
        return replace(made, tokens=self._cost(fence.line_of(fenced_item(made))))

    def _item(self, one: Chosen) -> ContextItem:
        hit = one.hit
        made = ContextItem(
            handle=one.handle,
            id=hit.id,
            fact_id=hit.fact_id,
            where=where(hit, self._wanted.language),
            text=told(hit, self._wanted.language),
            tokens=0,
            reason=", ".join(_reasons(one)),
            score=hit.score,
            quote=hit.quote if isinstance(hit, FactHit) else None,
            marks=hit.marks,
            is_cut=one.is_cut,
        )
        return replace(made, tokens=self._cost(fence.line_of(fenced_item(made))))

    def _cut(self, item: ContextItem, room: int) -> ContextItem | None:
        def cost(text: str) -> int:
            return self._cost(fence.line_of(fenced_item(replace(item, text=text))))

        text = clip(item.text, room, cost)
        return None if text is None else replace(item, text=text, tokens=cost(text), is_cut=True)

    def _order(self) -> dict[str, tuple[object, ...]]:
        """Tell where each handle stands: pinned ones first, then by rank or in the order of time."""
        by_time = self._wanted.order is ContextOrder.TIME
        return {
            one.handle: (
                not one.hit.pinned,
                *(_moment(one.hit) if by_time else ()),
                rank,
            )
            for rank, one in enumerate(self._screened.chosen)
        }

    # -- recent messages ----------------------------------------------------------------------

    def _recent_lines(self) -> list[str]:
        if Component.RECENT not in self._wanted.parts:
            return []
        return [f"- {fence.escape(message)}" for message in self._wanted.recent]

    def _recent_text(self, lines: Sequence[str]) -> str:
        return f"{self._words.recent}\n{fence.fenced('recent', self._mark, lines)}"

    def _recent(self, lines: list[str]) -> None:
        if not lines:
            return
        budget = self._budget(Component.RECENT, self._room)
        room = budget - self._whole(self._recent_text([]))
        first = newest([self._cost(line) for line in lines], room)
        shown = lines[first:]
        if not shown:
            last = clip(self._wanted.recent[-1], room, lambda text: self._cost(f"- {fence.escape(text)}"))
            shown, first = ([f"- {fence.escape(last)}"], len(lines) - 1) if last else ([], len(lines))
        for message in self._wanted.recent[:first]:
            start = message if len(message) <= 40 else message[:40] + CUT
            self.dropped.append(
                Dropped(part=Component.RECENT, why=DropReason.BUDGET, detail=f"no room for {start!r}")
            )
        text = self._recent_text(shown) if shown else ""
        self._put(Component.RECENT, text, budget, f"{len(shown)} of {len(lines)} messages, the newest")


def _reasons(one: Chosen) -> Iterator[str]:
    """Say why a memory is in the context."""
    if one.hit.pinned:
        yield "pinned"
    if one.hit.score is not None or not one.keywords:
        yield f"score {one.hit.score or 0.0:.6f}"
    if one.keywords:
        yield f"{' and '.join(map(repr, one.keywords))} stand{'s' * (len(one.keywords) == 1)} in it"


def _moment(hit: Hit) -> tuple[int, float]:
    """Say when it was told or said, what was said before what is told."""
    match hit:
        case FactHit():
            return (hit.episode_no, 0.0)
        case TurnHit():
            return (0, hit.time.timestamp())
        case PassageHit():
            return (hit.version, 0.0)
