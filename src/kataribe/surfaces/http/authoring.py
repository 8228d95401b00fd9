"""What a writer does with a story where calling a verb and showing what it gives is not all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from kataribe.domain.gate import Viewer
from kataribe.domain.terms import Audience
from kataribe.engine.viewers import viewer_of
from kataribe.errors import InputError, NotFoundError
from kataribe.formats.cards.card import CardForm, card_bytes, parse_card
from kataribe.formats.cards.lorebook import lorebook_bytes, parse_lorebook
from kataribe.formats.wire.cards import card_import_json
from kataribe.formats.wire.inputs import EpisodePutJson, episode_put_json
from kataribe.formats.wire.story import step_json
from kataribe.formats.wire.views import difference_json, why_json
from kataribe.surfaces.http.readers import reader_of
from kataribe.surfaces.http.routes import HttpRequest, Reply, Run, Show
from kataribe.surfaces.http.writing import moment, put_result

JSON, PNG, CHARX = "application/json", "image/png", "application/zip"
_MEDIA = {CardForm.JSON: JSON, CardForm.PNG: PNG, CardForm.CHARX: CHARX}
_MOST_SHOWN = 50


def at_length(show: Show) -> Run:
    """Call a verb that may take long, and let others be answered meanwhile."""

    async def run(asked: HttpRequest) -> Reply:
        asked.slot.give_back()
        return Reply(show(await asked.call(), asked.ids))

    return run


# -- viewers inside a request --------------------------------------------------------------


def _viewer(asked: HttpRequest, given: Mapping[str, Any], **named: str) -> Viewer:
    """Make a viewer of the story or the user in the path, as far as this caller may name it."""
    keys: Any = {**given, **named}
    if "as_of" in keys:
        keys["as_of"] = moment(keys["as_of"], "as_of")
    return viewer_of(asked.caller.viewer(keys), now=datetime.now(UTC))


async def compare_viewers(asked: HttpRequest) -> Reply:
    """Compare what two viewers of a story know."""
    story_id = asked.ids["story"]
    left, right = (_viewer(asked, asked.arguments[side], story=story_id) for side in ("left", "right"))
    found = await asked.memory.story(story_id).views.diff(left, right)
    return Reply(difference_json(found))


async def why(asked: HttpRequest) -> Reply:
    """Tell why a viewer knows something or does not."""
    given = dict(asked.arguments)
    if not 1 <= given.get("top_k", 1) <= _MOST_SHOWN:
        raise InputError(f"top_k is from 1 to {_MOST_SHOWN}")
    if (given.get("fact_id") is None) == (given.get("text") is None):
        raise InputError("give either a fact_id or a text")
    told = given.pop("viewer")
    if "story" in asked.ids:
        story = asked.memory.story(asked.ids["story"])
        found = await story.views.why(_viewer(asked, told, story=story.story_id), **given)
    else:
        user = asked.memory.user(asked.ids["user"])
        found = await user.why(_viewer(asked, told, user=user.user_id), **given)
    return Reply([why_json(one) for one in found])


# -- episodes and facts --------------------------------------------------------------------


async def put_many(asked: HttpRequest) -> Reply:
    """Put many episodes: durable when this replies."""
    story = asked.memory.story(asked.ids["story"])
    done = await story.episodes.put_many(asked.arguments["episodes"])
    asked.work.wake(story.story_id)
    states = {one.no: one for one in await story.episodes.list() if one.is_live}
    told: list[EpisodePutJson] = [
        episode_put_json(states[one.no], change=one.change) for one in done if one.no in states
    ]
    status = 202 if any(one["pending"] for one in told) else 200
    return Reply({"episodes": told}, status)


async def insert(asked: HttpRequest) -> Reply:
    """Put a new episode between others."""
    done = await asked.call()
    return await put_result(asked, done.no, done.change)


async def decide(asked: HttpRequest) -> Reply:
    """Decide on a fact; nothing is shown where nothing changed."""
    return _step(await asked.call())


async def decide_scene(asked: HttpRequest) -> Reply:
    """Say who was there in a scene that is still listed."""
    facts, given = asked.memory.story(asked.ids["story"]).facts, asked.arguments
    reader = reader_of(Audience)
    assert reader is not None
    audience: Any = reader.read("audience", given["audience"])
    named = (given["episode_no"], given["scene"])
    scenes = await facts.scenes()
    found = next((one for one in scenes if (one.episode_no, one.scene) == named), None)
    if found is None:
        raise NotFoundError(
            f"no scene {named[1]} of episode {named[0]} waits for anybody; look which do with GET "
            f"/stories/{{story}}/scenes"
        )
    return _step(await facts.decide_scene(found, audience))


def _step(step: Any) -> Reply:
    return Reply(status=204) if step is None else Reply(step_json(step))


# -- cards and lorebooks -------------------------------------------------------------------


async def import_card(asked: HttpRequest) -> Reply:
    """Bring in the card that was sent."""
    story = asked.memory.story(asked.ids["story"])
    done = await story.cards.import_card(parse_card(asked.read.data, "the card"), **asked.arguments)
    asked.work.wake(story.story_id)
    return Reply(card_import_json(done, story.story_id))


async def import_lorebook(asked: HttpRequest) -> Reply:
    """Bring in the lorebook that was sent."""
    story = asked.memory.story(asked.ids["story"])
    book = parse_lorebook(asked.read.data, "the lorebook")
    done = await story.cards.import_lorebook(book, **asked.arguments)
    asked.work.wake(story.story_id)
    return Reply(card_import_json(done, story.story_id))


async def show_card(asked: HttpRequest) -> Reply:
    """Send a character as a card."""
    form = asked.arguments.get("form", CardForm.JSON.value)
    if form not in tuple(CardForm):
        raise InputError(f"form is {', '.join(CardForm)}, not {str(form)[:40]!r}")
    card = await asked.memory.story(asked.ids["story"]).cards.card(asked.ids["character_id"])
    written = card_bytes(card, CardForm(form))
    return Reply(written, headers={"content-type": _MEDIA[CardForm(form)]})


async def show_lorebook(asked: HttpRequest) -> Reply:
    """Send what an author told as a lorebook."""
    book = await asked.memory.story(asked.ids["story"]).cards.lorebook()
    return Reply(lorebook_bytes(book), headers={"content-type": JSON})


async def put_file(asked: HttpRequest) -> Reply:
    """Put a document of a library that is no text."""
    library = asked.memory.library(asked.ids["library"])
    done = await library.put(data=asked.read.data, **asked.arguments)
    assert asked.read.route.show is not None
    return Reply(asked.read.route.show(done, asked.ids))
