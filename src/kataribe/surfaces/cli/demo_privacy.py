"""The demo's look at what belongs to a person: a scan, a consent, an export, and an erasure."""

from __future__ import annotations

import secrets
import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import kataribe as face
from kataribe.domain.privacy.tokens import KEY_LENGTH, tokenise
from kataribe.domain.terms import Language
from kataribe.surfaces.cli import output


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody who comes by, and what that one says."""

    user: str
    persona: str
    language: Language
    says: str
    asks: str
    name: str


_PEOPLE = (
    _Person(
        "mona",
        "pip",
        "en",
        "You may keep my name, Mona. My mail is mona.moss@example.org.",
        "What is my mail?",
        "Mona",
    ),
    _Person(
        "碧",
        "灯",
        "ja",
        "名前は碧、覚えていていいよ。電話は〇九〇の一二三四の五六七八です。",
        "電話番号は？",
        "碧",
    ),
)


def show_privacy(kataribe: face.Kataribe) -> None:
    """Let two people say something personal, agree to something being kept, take all along, and leave."""
    output.heading("what belongs to a person: found, sealed, kept by consent, given out, and erased")
    for person in _PEOPLE:
        _scan(person)
        _consent(kataribe, person)
        _export(kataribe, person)
        _erase(kataribe, person)


def _scan(person: _Person) -> None:
    made = tokenise(person.says, person.language, secrets.token_bytes(KEY_LENGTH))
    output.result(f"  {person.user} says: {person.says}")
    for finding, token in zip(made.findings, made.tokens, strict=True):
        output.result(f"    a scan finds: {finding.kind} at {finding.start}, which stands as {token}")


def _consent(kataribe: face.Kataribe, person: _Person) -> None:
    user = kataribe.user(person.user)
    told = user.said(
        person.says,
        speaker=person.user,
        persona=person.persona,
        role=face.Role.USER,
        session="name",
    )
    kept = user.profile.set("name", person.name, evidence=told.turn_id)
    output.result(f"    by consent of that turn its profile has name {kept.version}: {kept.value}")
    asked = kataribe.recall(person.asks, user=person.user, persona=person.persona, top_k=1)
    for hit in asked.hits:
        output.result(f"    {person.persona} is given the words again: {hit.text}")


def _export(kataribe: face.Kataribe, person: _Person) -> None:
    """Write all that is kept, and open it."""
    handle = kataribe.user(person.user).privacy
    with TemporaryDirectory() as folder:
        token = handle.request("export")
        done = handle.export(Path(folder) / "mine.zip", token=token)
        with zipfile.ZipFile(done.path) as bundle:
            title = bundle.read("README.md").decode("utf-8").splitlines()[0].removeprefix("# ")
            pages = sum(name.endswith(".md") for name in bundle.namelist())
        told = ", ".join(f"{done.counts[name]} {name}" for name in ("turns", "memories", "threads", "audit"))
        output.result(f"    an export, with a token good once: 「{title}」, {pages} pages; {told}")


def _erase(kataribe: face.Kataribe, person: _Person) -> None:
    """Erase the person everywhere, and show the receipt."""
    user = kataribe.user(person.user)
    receipt = user.delete(user.privacy.request("delete"))
    how = "complete" if receipt.complete else "not complete yet"
    told = ", ".join(f"{count} {name}" for name, count in sorted(receipt.counts.items()) if count)
    output.result(f"    an erasure, with a token of its own: {how}; its receipt counts {told}")
    left = [one.user_id for one in kataribe.admin.users()]
    output.result(f"    {person.user} is among the users: {'yes' if person.user in left else 'no'}")
