"""`kataribe profile`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer

import kataribe as face
from kataribe.errors import InputError
from kataribe.formats.wire.profile import consent_json, profile_item_json
from kataribe.surfaces.cli import output
from kataribe.surfaces.cli.options import JsonOption
from kataribe.surfaces.cli.store import opened
from kataribe.surfaces.cli.viewers import UserOption, moment

app = typer.Typer(rich_markup_mode=None)
consent = typer.Typer(rich_markup_mode=None)
app.add_typer(consent, name="consent", help="See, give and take back consents.")

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The key.")]
OptionalKey = Annotated[str | None, typer.Argument(metavar="[KEY]", help="One key (else all).")]
EvidenceOption = Annotated[
    str | None, typer.Option("--evidence", metavar="TURN", help="The turn in which the user agreed.")
]
HandOption = Annotated[bool, typer.Option("--by-hand", help="No turn says so: you write it down.")]
PersonaOption = Annotated[
    str | None, typer.Option("--persona", metavar="ID", help="For one persona alone (else for all).")
]
_LOCKED = "the user's key is missing: keys are listed without values; `kataribe keys status` tells more"


@app.command("show")
def show(user_id: UserOption, key: OptionalKey = None, as_json: JsonOption = False) -> None:
    """Show what a user agreed to be kept, as it counts now."""
    with opened() as kataribe:
        profile = kataribe.user(user_id).profile
        found = profile.show() if key is None else (profile.get(key),)
    _say(user_id, found, as_json=as_json)


@app.command("history")
def history(user_id: UserOption, key: OptionalKey = None, as_json: JsonOption = False) -> None:
    """Show every value that is kept, oldest first."""
    with opened() as kataribe:
        found = kataribe.user(user_id).profile.history(key)
    _say(user_id, found, as_json=as_json)


@app.command("set")
def set_(
    key: KeyArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON, or a text.")],
    user_id: UserOption,
    evidence: EvidenceOption = None,
    by_hand: HandOption = False,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="When it ends (else never).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a value under the user's consent."""
    ends = moment(until)
    with opened() as kataribe:
        profile = kataribe.user(user_id).profile
        made = profile.set(key, _value(value), evidence=evidence, by_hand=by_hand, until=ends)
    if as_json:
        output.json_line(profile_item_json(user_id, made))
        return
    output.note(f"{key} {made.version}, {_rests_on(made.evidence)}")


@app.command("delete")
def delete(key: KeyArgument, user_id: UserOption) -> None:
    """Delete all values of a key; its consent stands until it is withdrawn."""
    with opened() as kataribe:
        count = kataribe.user(user_id).profile.delete(key)
    output.note(f"deleted {output.count(count, 'value')} of {key}")


@app.command("keep")
def keep(
    days: Annotated[str, typer.Argument(metavar="DAYS", help="For how many days, or `forever`.")],
    user_id: UserOption,
    spare_asked: Annotated[
        bool,
        typer.Option("--spare-asked", help="What the user asked to be remembered, or is pinned, stays."),
    ] = False,
    evidence: EvidenceOption = None,
    by_hand: HandOption = False,
) -> None:
    """Keep what is said for some days only, from the next night on."""
    count = _days(days)
    with opened() as kataribe:
        profile = kataribe.user(user_id).profile
        made = profile.keep(count, spare_asked=spare_asked, evidence=evidence, by_hand=by_hand)
    output.note(f"what is said is kept {_kept(made)}, {_rests_on(made.evidence)}")


@consent.command("require")
def require(user_id: UserOption, persona: PersonaOption = None) -> None:
    """Have the user asked before anything is remembered of it."""
    with opened() as kataribe:
        made = kataribe.user(user_id).profile.require(persona)
    output.note(f"{made.key}: required; nothing is remembered before the user agrees")


@consent.command("waive")
def waive(user_id: UserOption, persona: PersonaOption = None) -> None:
    """Have the user asked no more."""
    with opened() as kataribe:
        made = kataribe.user(user_id).profile.waive(persona)
    output.note(f"{made.key}: waived; what was refused stays refused")


@consent.command("list")
def list_(user_id: UserOption, as_json: JsonOption = False) -> None:
    """List the consents of a user."""
    with opened() as kataribe:
        found = kataribe.user(user_id).profile.consents()
    if as_json:
        for event in found:
            output.json_line(consent_json(user_id, event))
        return
    rows = [(one.key, _step(one), one.time.isoformat(), _rests_on(one.evidence)) for one in found]
    output.table("", ("key", "consent", "since", "evidence"), rows)


@consent.command("give")
def give(
    key: KeyArgument,
    user_id: UserOption,
    evidence: EvidenceOption = None,
    by_hand: HandOption = False,
) -> None:
    """Note that a user consents."""
    with opened() as kataribe:
        made = kataribe.user(user_id).profile.give(key, evidence=evidence, by_hand=by_hand)
    output.note(f"{key}: given, {_rests_on(made.evidence)}")


@consent.command("withdraw")
def withdraw(key: KeyArgument, user_id: UserOption) -> None:
    """Take a consent back, and what rests on it."""
    with opened() as kataribe:
        kataribe.user(user_id).profile.withdraw(key)
    gone = "what was remembered by it is" if key.partition(":")[0] == "remember" else "its values are"
    output.note(f"{key}: withdrawn; {gone} deleted")


def _days(typed: str) -> int | None:
    """Read a number of days. Raises `InputError`."""
    if typed == "forever":
        return None
    if not typed.isdecimal():
        raise InputError(f"{typed!r} is no number of days; give one, or `forever`")
    return int(typed)


def _kept(event: face.ConsentEvent) -> str:
    if event.days is None:
        return "for good"
    spares = ", but for what the user asked to be remembered" if event.spares else ""
    return f"for {output.count(event.days, 'day')}{spares}"


def _step(event: face.ConsentEvent) -> str:
    return f"{event.step}, {_kept(event)}" if event.days is not None else str(event.step)


def _value(typed: str) -> object:
    """Read JSON; what is none is a text."""
    try:
        return json.loads(typed)
    except (ValueError, RecursionError):
        return typed


def _say(user_id: str, found: Sequence[face.ProfileItem], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            output.json_line(profile_item_json(user_id, one))
    else:
        rows = [
            (
                one.key,
                "(locked)" if one.is_locked else _shown(one.value),
                one.version,
                one.updated_at.isoformat(),
                _rests_on(one.evidence),
                "" if one.expires is None else one.expires.isoformat(),
            )
            for one in found
        ]
        output.table("", ("key", "value", "version", "updated", "evidence", "until"), rows)
    if any(one.is_locked for one in found):
        output.warn(_LOCKED)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _rests_on(evidence: face.ConsentEvidence) -> str:
    return "by hand" if evidence.turn_id is None else f"turn {evidence.turn_id}"
