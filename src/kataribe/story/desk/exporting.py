"""A story as a folder's values: what is written is all that is needed to make it again (P3)."""

from __future__ import annotations

from kataribe.domain.story.audience import paragraph_hash
from kataribe.domain.story.folder import DecisionRow, EpisodeRow, FactRow, StoryFolder, VisibilityRow
from kataribe.domain.story.inputs import Episode, Fact
from kataribe.domain.text.paragraphs import paragraphs
from kataribe.ports import View
from kataribe.story.fingerprints import story_of
from kataribe.story.lineage import lineage, part_of, seen_cast, seen_facts, seen_groups, seen_states


def export_folder(view: View, story_id: str) -> StoryFolder:
    """Give a story's live inputs; extracted facts are not among them, they follow from the text.

    A branch is given as it is read, its parents' episodes and cast included: it stands by itself.
    """
    story = story_of(view, story_id)
    parts = lineage(view, story)
    episodes: list[EpisodeRow] = []
    facts: list[FactRow] = []
    visibility: list[VisibilityRow] = []
    decisions: list[DecisionRow] = []
    for state in seen_states(view, parts):
        if not state.is_live:
            continue
        owner = part_of(parts, state)
        episode = view.episode(owner.story_id, state.episode_id)
        assert episode is not None
        episodes.append(_episode(view, owner.story_id, episode))
        facts += [_fact(episode, fact) for fact in seen_facts(view, owner, episode.episode_id)]
        visibility += _visibility(view, owner.story_id, episode)
        decisions += _decisions(view, owner.story_id, episode)
    return StoryFolder(
        title=story.title,
        language=story.language,
        embedder=story.embedder,
        audience=story.audience,
        extra=story.extra,
        episodes=tuple(episodes),
        cast=seen_cast(view, parts) or None,
        groups=tuple(group for _, group in sorted(seen_groups(view, parts).items())) or None,
        facts=tuple(facts) or None,
        visibility=tuple(visibility) or None,
        decisions=tuple(decisions) or None,
    )


def _episode(view: View, story_id: str, episode: Episode) -> EpisodeRow:
    base = view.annotations(story_id, episode.episode_id).base
    now = tuple(paragraph_hash(text) for text in _paragraph_texts(episode))
    return EpisodeRow(
        episode_id=episode.episode_id,
        no=episode.no,
        title=episode.title,
        text=episode.text,
        paragraphs=episode.paragraph_ids,
        fact_source=episode.fact_source,
        base=base if base and base != now else None,
        extra=episode.extra,
    )


def _paragraph_texts(episode: Episode) -> list[str]:
    if episode.paragraph_ids is not None:
        return [text for _, text in episode.paragraph_ids]
    return [episode.text[start:end] for start, end in paragraphs(episode.text)]


def _fact(episode: Episode, fact: Fact) -> FactRow:
    own = episode.no if fact.quote is not None else None
    return FactRow(
        fact_id=fact.fact_id,
        episode_no=episode.no,
        audience=fact.audience,
        text=fact.text,
        quote=fact.quote,
        quote_no=own if fact.quote_no is None else fact.quote_no,
        importance=fact.importance,
        arousal=fact.arousal,
        pinned=fact.pinned,
        supersedes=fact.supersedes,
        told_from=fact.told_from,
        origin=fact.origin,
        extra=fact.extra,
    )


def _visibility(view: View, story_id: str, episode: Episode) -> list[VisibilityRow]:
    return [
        VisibilityRow(
            episode_no=episode.no,
            paragraph_id=row.paragraph_id,
            paragraph_hash=row.paragraph_hash,
            decided=row.decided,
            audience=row.audience,
            extra=row.extra,
        )
        for row in view.annotations(story_id, episode.episode_id).rows
    ]


def _decisions(view: View, story_id: str, episode: Episode) -> list[DecisionRow]:
    struck = [
        DecisionRow(episode_no=episode.no, suppressed=(row.holder, row.text_hash))
        for row in view.suppressions(story_id, episode.episode_id)
    ]
    pinned = sorted(view.pins(story_id, episode.episode_id))
    return struck + [DecisionRow(episode_no=episode.no, pinned=fact_id) for fact_id in pinned]
