"""The store a command works on, and how its arguments are read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import kataribe as face
from kataribe.domain.story.inputs import Address, Alias, Narration
from kataribe.domain.terms import PUBLIC, Audience, known_by
from kataribe.errors import InputError
from kataribe.formats.encodings import read_text
from kataribe.formats.jsonl import read_bytes
from kataribe.settings import from_environment
from kataribe.surfaces.cli import output

_NARRATION = re.compile(r"(?P<since>[0-9]+)(?:-(?P<until>[0-9]+))?(?::(?P<told>.+))?")
_ALIAS = re.compile(r"(?P<text>.+?)(?:@(?P<since>[0-9]+)(?::(?P<knowers>.+))?)?", re.DOTALL)


@dataclass(slots=True)
class Choice:
    """What was said before the command."""

    path: str | None = None
    policy: str | None = None
    keys: str | None = None


CHOICE = Choice()


@contextmanager
def opened(*, base_url: str | None = None) -> Iterator[face.Kataribe]:
    """Open the store, and close it whatever happens; `base_url` is where models are asked."""
    # The face loads its names on first use: `kataribe --help` waits for neither numpy nor a driver.
    with face.open(
        settings=from_environment(CHOICE.path, base_url=base_url, policy=CHOICE.policy, keys=CHOICE.keys),
        upgraded=say_upgraded,
    ) as kataribe:
        yield kataribe


def say_upgraded(done: face.Upgrade) -> None:
    """Say that a store was upgraded, and where it is as it was."""
    output.note(f"upgraded {done.path} from schema {done.found} to {done.head}; as it was: {done.copy}")


def say_pending(kataribe: face.Kataribe, story_id: str) -> None:
    """Say which episodes a command made stale, and what to do."""
    waiting: dict[str, list[str]] = {}
    for episode in kataribe.story(story_id).episodes.list():
        if episode.is_pending:
            waiting.setdefault(episode.story_id, []).append(str(episode.no))
    for owner, numbers in waiting.items():
        output.note(f"to remember anew: episode {', '.join(numbers)}; run `kataribe sync --story {owner}`")


def audience(text: str) -> Audience:
    """Read `a,b` or `world`."""
    if text.strip() in ("world", "public"):
        return PUBLIC
    members = [member.strip() for member in text.split(",") if member.strip()]
    if not members:
        raise InputError("a secret known by nobody is refused; give --known-by a,b or --known-by world")
    return known_by(*members)


def alias(text: str) -> Alias:
    """Read `TEXT[@FROM[:KNOWERS]]`."""
    match = _ALIAS.fullmatch(text)
    if match is None:
        raise InputError("an alias must not be empty; write TEXT, TEXT@FROM or TEXT@FROM:a,b")
    since, knowers = match["since"], match["knowers"]
    who = PUBLIC if knowers is None else audience(knowers)
    return Alias(text=match["text"], address=Address(since=int(since or 0), audience=who))


def narration(text: str) -> Narration:
    """Read `FROM[-TO][:TOLD]`."""
    match = _NARRATION.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is no range of episodes; write FROM, FROM-TO or FROM-TO:a,b")
    told = frozenset[str]() if match["told"] is None else audience(match["told"]).members
    if match["told"] is not None and not told:
        raise InputError("a telling is told to characters; name them")
    since = int(match["since"])
    return Narration(since=since, until=int(match["until"] or since), told_to=told)


def text_of(source: str, encoding: str | None = None) -> str:
    """Read a text from a file, or from standard input for `-`: UTF-8 byte for byte, or what is named."""
    data = sys.stdin.buffer.read() if source == "-" else read_bytes(Path(source))
    return read_text(data, "standard input" if source == "-" else source, encoding)


def say_look_alikes(cast: Iterable[face.Character]) -> None:
    """Warn of ids in a cast that look alike but are not the same."""
    for warning in look_alike_warnings(face.look_alikes(character.character_id for character in cast)):
        output.warn(warning)


def look_alike_warnings(found: Iterable[Sequence[str]]) -> list[str]:
    """Tell of ids that look alike, a sentence a group."""
    return [
        f"these ids look alike but are not the same: {', '.join(map(ascii, alike))}; "
        f"what one of them knows the other does not"
        for alike in found
    ]


def say_shared_names(cast: Iterable[face.Character]) -> None:
    """Warn of names, and parts of names, that two of a cast go by."""
    for warning in shared_name_warnings(face.shared_names(cast)):
        output.warn(warning)


def shared_name_warnings(found: Iterable[face.SharedName]) -> list[str]:
    """Tell of names that two or more go by, a sentence a name."""
    return [
        f"{shared.text} names {', '.join(shared.characters)}: by itself it tells none from another; "
        f"an alias says whom it means"
        for shared in found
    ]


def say_merged(kept: Sequence[str], clashes: Iterable[face.CastClash]) -> None:
    """Say what of a cast file was not taken because of a hand, and warn of what was taken against one."""
    if kept:
        output.note(f"kept as changed by hand, the file has not changed it since: {', '.join(kept)}")
    for warning in clash_warnings(clashes):
        output.warn(warning)


def clash_warnings(clashes: Iterable[face.CastClash]) -> list[str]:
    """Tell of what a cast file took back of a hand's changes, a sentence each."""
    found: list[str] = []
    for clash in clashes:
        what = "was deleted by hand" if clash.field == "declared" else f"{clash.field} was changed by hand"
        found.append(f"{clash.character}: {what} and in the file; the file's word is taken")
    return found
