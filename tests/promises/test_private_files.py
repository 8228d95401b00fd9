"""What we make is for its owner alone from the first moment, whatever the process lets others read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import kataribe
from kataribe.adapters.audit_file import JsonLinesSink
from kataribe.adapters.sql.sqlite import upgrade
from kataribe.domain.terms import Language
from kataribe.settings import Settings
from kataribe.testing.fakes import FrozenClock
from kataribe.wiring.scheduled import scheduled_backup
from support.archived import NIGHT, opened, says
from support.stores import services

pytestmark = pytest.mark.skipif(os.name != "posix", reason="only POSIX has these permissions")


@pytest.fixture(autouse=True)
def lax() -> Iterator[None]:
    """Let others do everything, and see that the process is left so."""
    before = os.umask(0)
    try:
        yield
    finally:
        assert os.umask(before) == 0


def permissions(folder: Path) -> dict[str, int]:
    """Give the permissions of all that lies below a folder, and of the folder itself."""
    found = (folder, *folder.rglob("*"))
    return {str(one.relative_to(folder.parent)): stat.S_IMODE(one.lstat().st_mode) for one in found}


def open_to_others(folder: Path) -> dict[str, int]:
    return {name: mode for name, mode in permissions(folder).items() if mode & 0o077}


@pytest.mark.parametrize(
    ("language", "text"), [("en", "My sister lives in Osaka."), ("ja", "妹は大阪に住んでいます。")]
)
def test_a_new_store_and_all_beside_it_are_for_their_owner_alone(
    tmp_path: Path, language: Language, text: str
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    path, kept = home / "k.db", home / "a" / "b"
    settings = Settings(path=str(path), archive=str(kept / "archive"), key_store=str(tmp_path / "keys" / "k"))
    sink = JsonLinesSink(home / "audit.jsonl")
    parts = replace(services(), clock=FrozenClock(NIGHT + timedelta(days=300)), audit_sink=sink)
    with kataribe.open(settings=settings, services=parts) as memory:
        user = memory.user("u")
        user.create(language=language, embedder="hash")
        user.put_turns([says(1, text)])
        user.sync()
        user.memory.nightly(at=NIGHT)
        memory.admin.backup(home / "b.backup")
        user.privacy.export(home / "u.zip", token=user.privacy.request("export"))
        memory.story("s").create(language="en", embedder="hash")
        memory.story("s").export(home / "out" / "story")
        there = permissions(home)
        assert {f"home/k.db{suffix}" for suffix in ("", "-wal", "-shm")} <= set(there)
        assert open_to_others(home) == {}
    assert [*(kept / "archive").rglob("*.parquet")]
    kataribe.restore(home / "b.backup", home / "r.db", settings=settings)
    assert open_to_others(home) == {}
    assert open_to_others(tmp_path / "keys") == {}


def test_scheduled_backups_and_the_copy_before_an_upgrade_are_for_their_owner_alone(tmp_path: Path) -> None:
    path, folder = tmp_path / "k.db", tmp_path / "new" / "backups"
    settings = Settings(path=str(path), backups_folder=str(folder))
    with kataribe.open(settings=settings, services=services()) as memory:
        memory.user("u").create(language="ja", embedder="hash")
    path.chmod(0o644)
    scheduled_backup(settings=settings, upto=datetime(2026, 1, 2, tzinfo=UTC))
    copy = upgrade.keep_copy(str(path), "0001")
    assert open_to_others(tmp_path / "new") == {}
    assert [*folder.glob("*.backup")]
    assert copy is not None
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_what_is_there_keeps_its_permissions(tmp_path: Path) -> None:
    path, out = tmp_path / "k.db", tmp_path / "out"
    out.mkdir(mode=0o755)
    with opened_story(path) as memory:
        memory.story("s").export(out)
        (out / "story.json").chmod(0o664)
        path.chmod(0o640)
    with opened_story(path) as memory:
        memory.story("s").export(out)
        found = permissions(tmp_path)
    here = tmp_path.name
    assert found[f"{here}/k.db"] == 0o640
    assert found[f"{here}/k.db-wal"] == 0o640
    assert found[f"{here}/out"] == 0o755
    assert found[f"{here}/out/story.json"] == 0o664
    assert found[f"{here}/out/episodes.jsonl"] == 0o600


class opened_story:  # noqa: N801 - it reads as `opened` does
    """A store with a story, made where there is none."""

    def __init__(self, path: Path) -> None:
        self._held = opened(path, None)

    def __enter__(self) -> kataribe.Kataribe:
        memory = self._held.__enter__()
        if not memory.admin.stories():
            memory.story("s").create(language="en", embedder="hash")
        return memory

    def __exit__(self, *how: object) -> None:
        self._held.__exit__(None, None, None)
