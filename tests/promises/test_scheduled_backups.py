"""Backups by a schedule: each is checked before it counts, and what must be kept is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kataribe
from kataribe.domain.backups import Restored, kept_of
from kataribe.errors import InputError, StoreError
from kataribe.wiring import scheduled
from support.stores import empty_store, services

MONDAY = datetime(2026, 5, 4, 4, 30, tzinfo=UTC)


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> kataribe.Settings:
    """Give the settings of a store with a user, and a folder for its backups."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = empty_store(tmp_path / "k.db")
    with kataribe.open(str(path), services=services()) as k:
        k.user("u").create(language="en", embedder="hash")
        k.user("u").said("I like the harbour in spring.", speaker="u", persona="himuro")
    return kataribe.Settings(
        path=str(path), backups_folder=str(tmp_path / "backups"), backups_keep_daily=2, backups_keep_weekly=2
    )


def names(chosen: kataribe.Settings) -> list[str]:
    return sorted(one.name for one in Path(chosen.backups_folder or "").iterdir())


def test_one_is_written_a_day_and_the_last_of_days_and_weeks_stay(chosen: kataribe.Settings) -> None:
    first = kataribe.scheduled_backup(settings=chosen, upto=MONDAY)
    assert first is not None
    assert (Path(first.path).name, first.users, first.removed) == ("k-20260504T043000Z.backup", 1, ())
    assert kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(hours=20)) is None
    for day in (1, 2, 7, 15):
        done = kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=day))
        assert done is not None
    # The last two days that have one, which are the last of two weeks too.
    assert names(chosen) == ["k-20260511T043000Z.backup", "k-20260519T043000Z.backup"]
    with kataribe.open(chosen.path, services=services()) as k:
        assert [Path(one.path or "").name for one in k.admin.backups.list()] == names(chosen)
        assert len([one for one in k.admin.audit.list(space="store") if one.act == "admin.backup"]) == 5
    newest = Path(chosen.backups_folder or "", names(chosen)[-1])
    assert kataribe.restore(newest, Path(chosen.path).with_name("again.db")).users == 1


def test_one_that_does_not_pass_its_check_takes_nothing_away(
    chosen: kataribe.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = replace(chosen, backups_keep_daily=1, backups_keep_weekly=0)
    kataribe.scheduled_backup(settings=chosen, upto=MONDAY)
    before = names(chosen)
    failed = Restored(file="f", to=None, at=None, is_sealed=True, problems=("turns: 1 row is missing",))
    monkeypatch.setattr(scheduled, "check_backup", lambda *_, **__: failed)
    for _ in range(2):
        with pytest.raises(StoreError, match="1 row is missing"):
            kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=1))
        assert names(chosen) == before
    monkeypatch.undo()
    monkeypatch.setenv("XDG_DATA_HOME", str(Path(chosen.path).with_name("data")))
    done = kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=1))
    assert done is not None
    assert [Path(one).name for one in done.removed] == before


def test_what_another_store_or_a_person_put_there_stays(chosen: kataribe.Settings) -> None:
    chosen = replace(chosen, backups_keep_daily=1, backups_keep_weekly=0)
    folder = Path(chosen.backups_folder or "")
    folder.mkdir()
    for name in ("k-20200101T000000Z.backup", "notes.txt"):
        (folder / name).write_bytes(b"mine")
    for day in range(2):
        kataribe.scheduled_backup(settings=chosen, upto=MONDAY + timedelta(days=day))
    assert names(chosen) == ["k-20200101T000000Z.backup", "k-20260505T043000Z.backup", "notes.txt"]


def test_what_a_kill_left_is_no_backup_and_goes_with_the_next(chosen: kataribe.Settings) -> None:
    """It was killed before the check: no file goes by its name, and it is written again."""
    working = Path(chosen.backups_folder or "", ".k.writing")
    working.mkdir(parents=True)
    (working / "k-20260504T040000Z.backup").write_bytes(b"half")
    assert kataribe.scheduled_backup(settings=chosen, upto=MONDAY) is not None
    assert names(chosen) == ["k-20260504T043000Z.backup"]


def test_without_a_folder_there_is_no_schedule(chosen: kataribe.Settings) -> None:
    with pytest.raises(InputError, match="KATARIBE_BACKUPS_FOLDER"):
        kataribe.scheduled_backup(settings=replace(chosen, backups_folder=None))
    for wrong in ({"backups_keep_daily": 0}, {"backups_keep_weekly": -1}):
        with pytest.raises(InputError, match="1 day or more"):
            kataribe.Settings(**wrong)  # type: ignore[arg-type]


@given(
    st.lists(st.integers(0, 24 * 90), max_size=60).map(
        lambda hours: [MONDAY + timedelta(hours=one) for one in hours]
    ),
    st.integers(1, 8),
    st.integers(0, 5),
)
def test_the_newest_of_each_kept_day_and_week_stays(times: list[datetime], daily: int, weekly: int) -> None:
    kept = kept_of(times, daily=daily, weekly=weekly)
    assert kept <= set(times)
    assert max(times, default=None) == max(kept, default=None)
    days = sorted({one.date() for one in times})[-daily:]
    assert {max(one for one in times if one.date() == day) for day in days} <= kept
    assert len(kept) <= daily + weekly
