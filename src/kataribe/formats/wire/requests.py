"""What a server is sent where the options of a verb are no JSON: viewers inside a request, scenes, forms."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class ViewerGivenJson(TypedDict):
    """A viewer of the story or the user that the path names, as a read of a viewer is told of it.

    `at` is an episode's number or `now`, `as_of` a time of ISO 8601 with its zone.
    """

    persona: NotRequired[str | None]
    at: NotRequired[int | str | None]
    user: NotRequired[str | None]
    as_of: NotRequired[str | None]
    reader: NotRequired[bool]
    read: NotRequired[int | None]


class DifferenceAskedJson(TypedDict):
    """Two viewers whose knowledge is compared."""

    left: ViewerGivenJson
    right: ViewerGivenJson


class WhyAskedJson(TypedDict):
    """A viewer, and a fact or a turn by its id, or by a `text` that the `top_k` best match (1 to 50)."""

    viewer: ViewerGivenJson
    fact_id: NotRequired[str | None]
    text: NotRequired[str | None]
    top_k: NotRequired[int]


class SceneDecidedJson(TypedDict):
    """Who was there in a scene, which is named as `GET /stories/{story}/scenes` gives it.

    `audience` is a list of characters, or `public`.
    """

    episode_no: int
    scene: int
    audience: list[str] | str


class CardFormJson(TypedDict):
    """In what a card is written: `json` (as it is left out), `png` or `charx`."""

    form: NotRequired[str]
