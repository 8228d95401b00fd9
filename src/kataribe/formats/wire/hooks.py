"""What a webhook's receiver is told: ids of what changed, and never a word of it."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from kataribe.domain.hooks import ChangedMemory, HookLag, HookMessage


class ChangedMemoryJson(TypedDict):
    """A memory that changed. `change` is `kept`, `superseded`, `forgotten` or `deleted`.

    `kind` is `fact`, `turn` or `kept_memory`; `id` is its `fact_id` as a recall gives it, the id of the
    turn, or that of `memory list`. `position` is its place in the order of its space: of talk milliseconds
    since 1970, null where it is gone. `by` is the id of what took its place.
    """

    change: str
    kind: str
    id: str
    holder: str
    position: int | None
    by: NotRequired[str]


class HookSpaceJson(TypedDict):
    """The space in which something changed; of one that was deleted nothing but its `id` is left.

    `id` is random, and stays the same as long as the space is there. `type` is `story`, `user` or `talk`.
    """

    id: str
    type: NotRequired[str]
    story: NotRequired[str]
    user: NotRequired[str]


class HookDataJson(TypedDict):
    """What changed, as of a revision of the change log."""

    space: HookSpaceJson
    revision: NotRequired[int]
    episode_id: NotRequired[str]
    changes: NotRequired[list[ChangedMemoryJson]]


class HookMessageJson(TypedDict):
    """What a webhook sends: `type` is `memory.changed` or `space.deleted`, `timestamp` when it was made."""

    type: str
    timestamp: str
    data: HookDataJson


class HookLagJson(TypedDict):
    """How a webhook stands: what its receiver lacks, and what a process saw of it."""

    webhook: str
    units: int
    spaces: int
    gone: int
    failures: int
    failing: str | None
    sent: int
    given_up: int


def hook_message_json(message: HookMessage) -> HookMessageJson:
    """Give what is sent."""
    space: HookSpaceJson = {"id": message.collection}
    timestamp = message.made_at.isoformat()
    if message.space is None:
        return {"type": "space.deleted", "timestamp": timestamp, "data": {"space": space}}
    space["type"] = message.space.type.value
    if message.space.story is not None:
        space["story"] = message.space.story
    if message.space.user is not None:
        space["user"] = message.space.user
    data: HookDataJson = {"space": space, "revision": message.revision}
    if message.episode_id is not None:
        data["episode_id"] = message.episode_id
    data["changes"] = [_changed(one) for one in message.changes]
    return {"type": "memory.changed", "timestamp": timestamp, "data": data}


def _changed(one: ChangedMemory) -> ChangedMemoryJson:
    shown: ChangedMemoryJson = {
        "change": one.change.value,
        "kind": one.kind.value,
        "id": one.memory_id,
        "holder": one.holder,
        "position": one.position,
    }
    if one.by is not None:
        shown["by"] = one.by
    return shown


def hook_lag_json(lag: HookLag) -> HookLagJson:
    """Give how a webhook stands."""
    return {
        "webhook": lag.name,
        "units": lag.units,
        "spaces": lag.spaces,
        "gone": lag.gone,
        "failures": lag.failures,
        "failing": lag.failing,
        "sent": lag.sent,
        "given_up": lag.given_up,
    }
