"""`cast.json`: who is in the story, what they are called, and who knows it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kataribe.domain.story.groups import Group, Membership, Newcomers, is_group
from kataribe.domain.story.inputs import Address, Alias, Character, Description, NameKind, Narration
from kataribe.domain.terms import PUBLIC, Extra
from kataribe.errors import FormatError
from kataribe.formats.fields import Fields, filled, shown
from kataribe.formats.jsonl import described, dump, parse_file, read_bytes

_HINT = "a cast file has characters and groups only; put what concerns the story into story.json"


def read_cast(path: Path) -> tuple[Character, ...]:
    """Read the characters of a cast file; raise `FormatError` when it is malformed."""
    return parse_cast(read_bytes(path), str(path))


def read_groups(path: Path) -> tuple[Group, ...] | None:
    """Read the groups of a cast file, None when it says nothing of groups; raise `FormatError`."""
    return parse_groups(read_bytes(path), str(path))


def parse_cast(data: bytes, name: str) -> tuple[Character, ...]:
    """Read `{"characters": [...], "groups": [...]}`, or the bare list of characters."""
    items, _ = _lists(data, name)
    cast: dict[str, Character] = {}
    for index, item in enumerate(items, start=1):
        character = _character(Fields({}, file=name).inside(item, f"character {index}"))
        if character.character_id in cast:
            reason = f"character {index}: the id {character.character_id!r} is already given to another"
            raise FormatError(reason, file=name)
        cast[character.character_id] = character
    return tuple(cast.values())


def parse_groups(data: bytes, name: str) -> tuple[Group, ...] | None:
    """Read the groups of a cast file; None when it says nothing of groups."""
    _, items = _lists(data, name)
    if items is None:
        return None
    groups: dict[str, Group] = {}
    for index, item in enumerate(items, start=1):
        group = _group(Fields({}, file=name).inside(item, f"group {index}"))
        if group.group_id in groups:
            reason = f"group {index}: the id {group.group_id!r} is already given to another"
            raise FormatError(reason, file=name)
        groups[group.group_id] = group
    return tuple(groups.values())


def _lists(data: bytes, name: str) -> tuple[list[object], list[object] | None]:
    """Give the characters and the groups of a cast file."""
    value = parse_file(data, name)
    if isinstance(value, list):
        return value, None
    if not isinstance(value, dict):
        reason = f'must be {{"characters": [...]}} or a list of characters, not {described(value)}'
        raise FormatError(reason, file=name)
    top = Fields(value, file=name)
    items, groups = top.items("characters"), top.items("groups")
    if items is None:
        raise top.refused("the field 'characters' is missing; it is the list of the cast")
    top.no_rest(_HINT)
    return items, groups


def _group(fields: Fields) -> Group:
    group_id = fields.text("id")
    fields.where = f"{fields.where.removesuffix(': ')} ({group_id}): "
    members = [
        _member(fields, item, f"member {index}")
        for index, item in enumerate(fields.items("members") or [], start=1)
    ]
    newcomers = fields.choice("newcomers", tuple(Newcomers)) or Newcomers.NOT
    with fields.placed():
        return Group(group_id=group_id, members=tuple(members), newcomers=newcomers, extra=fields.rest())


def _member(fields: Fields, value: object, where: str) -> Membership:
    inner = fields.inside({"id": value} if isinstance(value, str) else value, where)
    who = inner.text("id")
    since, until = inner.maybe_number("from", least=0) or 0, inner.maybe_number("to")
    inner.no_rest("a member has an id, a from and a to")
    with inner.placed():
        return Membership(character_id=who, since=since, until=until)


def group_object(group: Group) -> dict[str, object]:
    """Write a group as `cast.json` has it."""
    members: list[object] = [
        one.character_id
        if one.since == 0 and one.until is None
        else filled({"id": one.character_id, "from": one.since or None, "to": one.until}, {})
        for one in group.members
    ]
    newcomers = None if group.newcomers is Newcomers.NOT else group.newcomers
    return filled({"id": group.group_id, "members": members, "newcomers": newcomers}, group.extra)


def dump_cast(cast: Iterable[Character], groups: Iterable[Group] = ()) -> str:
    """Write a cast file in its one canonical form.

    Characters known from facts or annotations alone are left out: they are found again there.
    """
    characters = [character_object(character) for character in cast if character.declared]
    known: dict[str, object] = {"characters": characters}
    known["groups"] = [group_object(group) for group in groups] or None
    return dump(filled(known, {}), "cast.json", indent=2)


def _character(fields: Fields) -> Character:
    character_id = fields.id("id", "character id")
    fields.where = f"{fields.where.removesuffix(': ')} ({character_id}): "
    names = [
        _alias(fields, item, f"name {index}", NameKind.NAME)
        for index, item in enumerate(_one_or_more(fields.take("name")), start=1)
    ]
    aliases = [
        _alias(fields, item, f"alias {index}", NameKind.OTHER)
        for index, item in enumerate(fields.items("aliases") or [], start=1)
    ]
    descriptions = [
        _description(fields, item, f"description {index}")
        for index, item in enumerate(_one_or_more(fields.take("description")), start=1)
    ]
    return Character(
        character_id=character_id,
        aliases=(*names, *aliases),
        descriptions=tuple(descriptions),
        narrates=tuple(
            _narration(fields, item, f"narrates {index}")
            for index, item in enumerate(fields.items("narrates") or [], start=1)
        ),
        extra=fields.rest(),
    )


def _narration(fields: Fields, value: object, where: str) -> Narration:
    inner = fields.inside(value, where)
    since, until = inner.number("from"), inner.number("to")
    told = inner.audience("told_to")
    if told is not None and told.world:
        raise inner.refused("told_to names characters; what is told to everybody is public by an annotation")
    if told is not None and any(map(is_group, told.members)):
        raise inner.refused("told_to names characters one by one, no group")
    inner.no_rest("what is narrated is a from, a to and told_to")
    with inner.placed():
        return Narration(since=since, until=until, told_to=frozenset() if told is None else told.members)


def _one_or_more(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _alias(fields: Fields, value: object, where: str, kind: NameKind) -> Alias:
    inner = _opened(fields, value, where)
    with inner.placed():
        text = inner.text("text")
        given = inner.choice("kind", tuple(NameKind)) or kind
        if kind is NameKind.NAME and given is not kind:
            raise inner.refused(f"what stands under name is of kind name, not {given}; move it to aliases")
        return Alias(text=text, kind=given, address=_address(inner), extra=inner.rest())


def _description(fields: Fields, value: object, where: str) -> Description:
    inner = _opened(fields, value, where)
    with inner.placed():
        return Description(text=inner.text("text"), address=_address(inner), extra=inner.rest())


def _opened(fields: Fields, value: object, where: str) -> Fields:
    if isinstance(value, str):
        return fields.inside({"text": value}, where)
    if not isinstance(value, dict):
        raise fields.refused(f'{where} must be a string or {{"text": ...}}, not {described(value)}')
    return fields.inside(value, where)


def _address(fields: Fields) -> Address:
    return Address(
        since=fields.maybe_number("from", least=0) or 0, audience=fields.audience("known_by") or PUBLIC
    )


def character_object(character: Character) -> dict[str, object]:
    """Write one of the cast as `cast.json` has it: the leading aliases of kind name are its `name`."""
    aliases = list(character.aliases)
    names: list[object] = []
    while aliases and aliases[0].kind is NameKind.NAME:
        first = aliases.pop(0)
        names.append(_spoken(first.text, None, first.address, first.extra))
    others = [
        _spoken(alias.text, None if alias.kind is NameKind.OTHER else alias.kind, alias.address, alias.extra)
        for alias in aliases
    ]
    descriptions = [_spoken(each.text, None, each.address, each.extra) for each in character.descriptions]
    known: dict[str, object] = {
        "id": character.character_id,
        "name": _fewest(names),
        "aliases": others or None,
        "description": _fewest(descriptions),
        "narrates": [_told(one) for one in character.narrates] or None,
    }
    return filled(known, character.extra)


def _told(told: Narration) -> dict[str, object]:
    known: dict[str, object] = {"from": told.since, "to": told.until, "told_to": sorted(told.told_to) or None}
    return filled(known, {})


def _fewest(items: list[object]) -> object:
    """Write none as nothing and one as itself."""
    return items[0] if len(items) == 1 else items or None


def _spoken(text: str, kind: NameKind | None, address: Address, extra: Extra) -> object:
    """Write a name or description: a plain string when there is no more to say of it."""
    known: dict[str, object] = {
        "text": text,
        "kind": kind,
        "from": address.since or None,
        "known_by": None if address.audience.world else shown(address.audience),
    }
    values = filled(known, extra)
    return text if list(values) == ["text"] else values
