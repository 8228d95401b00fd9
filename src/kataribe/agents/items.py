"""Items of a key-value memory, kept as turns: how one is named, written and found again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from kataribe.domain.conversation.turns import Role, Turn
from kataribe.domain.memory import TurnHit
from kataribe.domain.terms import Audience
from kataribe.errors import InputError

_ID = "item:"
_SPEAKER = "item"
_UNSEARCHED = "item, unsearched"
"""Who says an item, as a turn has it; the second is left out of searches."""

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptItem:
    """An item as it is kept: a value of JSON under a namespace and a key.

    As a turn its id holds the namespace and the key, its session the moment it was put first, its text
    the value; each is of a session of its own, so that none lends another its likeness.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    is_searched: bool = True

    @property
    def item_id(self) -> str:
        """The id of its turn."""
        return item_id(self.namespace, self.key)

    @classmethod
    def made(
        cls,
        namespace: Namespace,
        key: str,
        value: Mapping[str, Any],
        index: object,
        *,
        now: datetime,
        before: KeptItem | None,
    ) -> Self:
        """Make what is put now, in the place of what was there `before`; not searched with `index` False."""
        created = now if before is None else before.created_at
        return cls(
            namespace=namespace,
            key=key,
            value=dict(value),
            created_at=created,
            updated_at=now,
            is_searched=index is not False,
        )

    def turn(self, audience: Audience) -> Turn:
        """Write it as a turn. Raises `InputError` for a value that is not of JSON, and too long a name."""
        return Turn(
            turn_id=self.item_id,
            session=f"{self.created_at.isoformat()} {self.item_id}",
            speaker=_SPEAKER if self.is_searched else _UNSEARCHED,
            text=_written(self.value),
            time=self.updated_at,
            audience=audience,
            role=Role.OTHER,
        )

    def fields(self) -> dict[str, Any]:
        """Give what an item of LangGraph is made of."""
        return {
            "namespace": self.namespace,
            "key": self.key,
            "value": self.value,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


def item_id(namespace: Sequence[str], key: str) -> str:
    """Name the turn that keeps an item; a turn's id is printable."""
    named = json.dumps([*namespace, key], ensure_ascii=False, separators=(",", ":"))
    return _ID + "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in named)


def kept_in(hit: TurnHit) -> KeptItem | None:
    """Read an item out of a turn; None for what somebody said."""
    if not hit.fact_id.startswith(_ID) or hit.speaker not in (_SPEAKER, _UNSEARCHED):
        return None
    *namespace, key = json.loads(hit.fact_id.removeprefix(_ID))
    return KeptItem(
        namespace=tuple(namespace),
        key=key,
        value=json.loads(hit.text),
        created_at=datetime.fromisoformat(hit.session.partition(" ")[0]),
        updated_at=hit.time,
        is_searched=hit.speaker == _SPEAKER,
    )


def reaches(item: KeptItem, prefix: Namespace) -> bool:
    """Whether an item lies at or below a namespace."""
    return item.namespace[: len(prefix)] == tuple(prefix)


def names(namespace: Namespace, match_type: str, path: Sequence[str]) -> bool:
    """Whether a namespace begins (`prefix`) or ends (`suffix`) with a path; `*` stands for any label."""
    if match_type not in ("prefix", "suffix"):
        raise InputError(f"namespaces are matched by prefix or suffix, not {match_type!r}")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def matches(item: KeptItem, wanted: Mapping[str, Any] | None) -> bool:
    """Whether an item passes a filter: each key equals, or does what its operators say.

    Raises `InputError` for an operator that there is not.
    """
    return all(_is_as(item.value.get(key), value) for key, value in (wanted or {}).items())


def _is_as(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_does(value, operator, other) for operator, other in wanted.items())
        return isinstance(value, dict) and all(_is_as(value.get(key), one) for key, one in wanted.items())
    if isinstance(wanted, list | tuple):
        is_list = isinstance(value, list) and len(value) == len(wanted)
        return is_list and all(_is_as(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _does(value: Any, operator: str, other: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == other) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise InputError(f"there is no operator {operator!r}; there are $eq, $ne, $gt, $gte, $lt and $lte")
    try:
        left, right = float(value), float(other)
    except (TypeError, ValueError):
        return False
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[operator]


def _written(value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"an item's value must be of JSON: {error}") from error
