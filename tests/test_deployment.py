"""What `doctor --deployment` sees, and that what it cannot see is never called good."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import kataribe
from kataribe import deployment
from kataribe.adapters.disks import encryption_of
from kataribe.deployment import CheckState, DeploymentCheck
from kataribe.domain.keys import WrappedBy
from kataribe.surfaces.cli.app import run
from support.stores import empty_store, services

GOOD, BAD, UNKNOWN = CheckState.GOOD, CheckState.BAD, CheckState.UNKNOWN


def checks(path: Path | str, keys: Path | None = None, **environ: str) -> dict[str, DeploymentCheck]:
    found = deployment.inspect_deployment(
        str(path), keys=None if keys is None else str(keys), environ=environ
    )
    assert len({one.check for one in found}) == len(found)
    return {one.check: one for one in found}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Give a store with a user, whose files are for their owner alone."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    path = empty_store(folder / "k.db")
    settings = kataribe.Settings(path=str(path), key_store=str(tmp_path / "keys" / "k.keys"))
    with kataribe.open(settings=settings, services=services()) as opened:
        opened.user("u").create(language="en", embedder="hash")
        opened.admin.keys.init()
    path.chmod(0o600)
    return path


def keys_of(store: Path) -> Path:
    return store.parent.parent / "keys" / "k.keys"


# -- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_store_that_others_can_read_is_told_with_what_mends_it(store: Path, mode: int) -> None:
    assert checks(store)["store file"].state is GOOD
    store.chmod(mode)
    found = checks(store)["store file"]
    assert (found.state, found.do) == (BAD, f"chmod 600 '{store}'")
    subprocess.run(found.do, shell=True, check=True)
    assert checks(store)["store file"].state is GOOD


def test_a_folder_that_lets_nobody_in_keeps_what_is_in_it(store: Path) -> None:
    store.chmod(0o644)
    store.parent.chmod(0o700)
    assert checks(store)["store file"].state is GOOD


def test_the_files_beside_the_store_are_looked_at_too(store: Path) -> None:
    wal = Path(f"{store}-wal")
    wal.touch(0o644)
    wal.chmod(0o644)
    assert checks(store)["store file -wal"].state is BAD


def test_a_folder_that_others_write_is_told(store: Path) -> None:
    store.parent.chmod(0o775)
    assert checks(store)["store folder"].state is BAD


def test_the_archive_the_record_and_the_settings_are_looked_at(store: Path, tmp_path: Path) -> None:
    archive, record, settings = tmp_path / "archive", tmp_path / "audit.jsonl", tmp_path / "set.toml"
    tmp_path.chmod(0o755)
    archive.mkdir()
    archive.chmod(0o755)
    kept = archive / "a.parquet"
    for file in (kept, record, settings):
        file.touch()
        file.chmod(0o600)
    settings.write_text(f'archive = "{archive}"\naudit_sink = "{record}"\n')
    names = ("archive", "audit file", "settings file")
    said = checks(store, KATARIBE_SETTINGS=str(settings))
    assert [said[name].state for name in names] == [GOOD] * 3
    for file in (kept, record, settings):
        file.chmod(0o666)
    said = checks(store, KATARIBE_SETTINGS=str(settings))
    assert [said[name].state for name in names] == [BAD] * 3
    assert all(said[name].do.startswith("chmod ") for name in names)


def test_what_is_not_there_or_elsewhere_is_unknown_and_nothing_is_made(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    said = checks(path, KATARIBE_ARCHIVE="s3://bucket/archive")
    for name in ("store file", "archive", "backups", "key store"):
        assert said[name].state is UNKNOWN, name
    assert list(tmp_path.iterdir()) == []
    assert checks(":memory:")["store file"].state is UNKNOWN


# -- keys -------------------------------------------------------------------------------------


def test_keys_that_others_can_read_are_told(store: Path) -> None:
    assert checks(store, keys_of(store))["key store"].state is GOOD
    keys_of(store).chmod(0o644)
    found = checks(store, keys_of(store))["key store"]
    assert found.state is BAD
    assert "can be read by others" in found.says
    assert "chmod 600" in found.do


def test_keys_on_the_disk_of_the_database_are_told_unless_they_open_with_something_else(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = checks(store, keys_of(store))["key placement"]
    assert (found.state, "same file system" in found.says) == (BAD, True)
    apart = Path("/proc/self/stat")
    if apart.exists():
        assert deployment._apart(apart, store, WrappedBy.FILE).state is GOOD
    assert deployment._apart(keys_of(store), store, WrappedBy.ENVIRONMENT).state is GOOD
    assert deployment._apart(store.parent / "below" / "k.keys", store, WrappedBy.FILE).state is BAD
    gone = deployment._apart(store.parent.parent / "none.keys", store, WrappedBy.FILE)
    assert gone.state is UNKNOWN


def test_keys_that_are_gone_are_told(store: Path) -> None:
    keys_of(store).unlink()
    assert checks(store, keys_of(store))["key store"].state is BAD


# -- addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "state"),
    [
        ("https://models.example/v1", GOOD),
        ("http://127.0.0.1:8080/v1", GOOD),
        ("http://127.3.2.1/v1", GOOD),
        ("http://[::1]:8080/v1", GOOD),
        ("http://localhost:8080/v1", GOOD),
        ("http://models.example/v1", BAD),
        ("http://localhost.example/v1", BAD),
        ("http://127.0.0.1.example/v1", BAD),
        ("http://10.0.0.7/v1", BAD),
        ("http://[::ffff:10.0.0.7]/v1", BAD),
        ("http://0.0.0.0/v1", BAD),
        ("http://user@127.0.0.1@evil.example/v1", BAD),
    ],
)
def test_an_address_without_tls_is_told_unless_it_is_this_machine(
    tmp_path: Path, url: str, state: CheckState
) -> None:
    variables = {
        "base_url": "KATARIBE_BASE_URL",
        "OPENAI_BASE_URL": "OPENAI_BASE_URL",
        "webhook": "KATARIBE_WEBHOOK",
    }
    said = checks(tmp_path / "k.db", None, **dict.fromkeys(variables.values(), url))
    assert {check: said[check].state for check in variables} == dict.fromkeys(variables, state)


def test_no_address_shows_its_password_and_what_is_not_known_is_not_good(tmp_path: Path) -> None:
    said = checks(
        tmp_path / "k.db",
        KATARIBE_INDEX="qdrant://me:hunter2@far.example/x",
        AWS_ENDPOINT_URL="http://me:hunter2@far.example",
    )
    assert (said["index"].state, said["AWS_ENDPOINT_URL"].state) == (UNKNOWN, BAD)
    assert "hunter2" not in repr(said)
    assert "index" not in checks(tmp_path / "k.db", KATARIBE_INDEX="memory://")


def test_buckets_are_reached_by_tls_unless_an_address_is_set(tmp_path: Path) -> None:
    buckets = {"KATARIBE_BACKUPS_FOLDER": "s3://copies/k", "KATARIBE_AUDIT_SINK": "s3://record"}
    said = checks(tmp_path / "k.db", None, **buckets)
    for check in ("backups_folder", "audit_sink"):
        assert (said[check].state, "by TLS" in said[check].says) == (GOOD, True)
    assert said["backups"].state is UNKNOWN
    said = checks(tmp_path / "k.db", None, **buckets, AWS_ENDPOINT_URL_S3="http://minio.example")
    assert said["AWS_ENDPOINT_URL_S3"].state is BAD
    assert "looked at above" in said["backups_folder"].says


def test_words_that_are_let_out_are_told(tmp_path: Path) -> None:
    assert checks(tmp_path / "k.db")["words outside"].state is GOOD
    assert checks(tmp_path / "k.db", KATARIBE_TRACE_TEXT="1")["words outside"].state is BAD


# -- disks ------------------------------------------------------------------------------------


class Machine:
    """Folders as Linux tells of its disks in."""

    def __init__(self, folder: Path) -> None:
        self.proc, self.sys = folder / "proc", folder / "sys"
        (self.proc / "self").mkdir(parents=True)
        (self.sys / "dev" / "block").mkdir(parents=True)
        (self.sys / "class" / "block").mkdir(parents=True)
        self.mounts: list[str] = []

    def disk(self, name: str, number: str, *below: str, uuid: str = "", part_of: str | None = None) -> None:
        made = self.sys / "devices" / (name if part_of is None else f"{part_of}/{name}")
        (made / "slaves").mkdir(parents=True)
        if uuid:
            (made / "dm").mkdir()
            (made / "dm" / "uuid").write_text(uuid + "\n")
        if part_of is not None:
            (made / "partition").write_text("1\n")
        for one in below:
            (made / "slaves" / one).symlink_to(self.sys / "class" / "block" / one)
        (self.sys / "dev" / "block" / number).symlink_to(made)
        (self.sys / "class" / "block" / name).symlink_to(made)

    def mount(self, point: Path, number: str, kind: str = "ext4", source: str = "/dev/x") -> None:
        where = str(point).replace(" ", "\\040")
        self.mounts.append(f"20 1 {number} / {where} rw,relatime shared:1 - {kind} {source} rw")

    def tells(self, path: Path) -> bool | None:
        (self.proc / "self" / "mountinfo").write_text("\n".join(self.mounts) + "\n")
        return encryption_of(path, proc=self.proc, sys=self.sys).is_encrypted


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "machine")
    made.disk("sda", "8:0")
    made.disk("sda1", "8:1", part_of="sda")
    made.disk("sdb", "8:16")
    made.disk("dm-0", "253:0", "sda1", uuid="CRYPT-LUKS2-1234-root")
    made.disk("dm-1", "253:1", "dm-0", uuid="LVM-a")
    made.disk("dm-2", "253:2", "dm-0", "sdb", uuid="LVM-b")
    made.disk("md0", "9:0", "dm-0")
    made.disk("md0p1", "9:1", part_of="md0")
    return made


@pytest.mark.parametrize(
    ("number", "found"),
    [("253:0", True), ("253:1", True), ("253:2", None), ("8:1", None), ("9:1", True), ("8:99", None)],
    ids=["crypt", "volume on crypt", "volume half on crypt", "plain", "raid on crypt", "not listed"],
)
def test_a_disk_is_called_encrypted_only_when_all_below_it_is(
    machine: Machine, number: str, found: bool | None
) -> None:
    machine.mount(Path("/"), number)
    assert machine.tells(Path("/srv/k.db")) is found


def test_the_nearest_mount_counts_and_of_two_at_one_place_the_later(machine: Machine, tmp_path: Path) -> None:
    odd = tmp_path / "a b"
    machine.mount(Path("/"), "8:1")
    machine.mount(odd, "253:0")
    assert machine.tells(odd / "k.db") is True
    assert machine.tells(tmp_path / "k.db") is None
    machine.mount(odd, "8:1")
    assert machine.tells(odd / "k.db") is None


@pytest.mark.parametrize(
    ("kind", "source", "found"),
    [
        ("fuse.gocryptfs", "/home/me/cipher", True),
        ("tmpfs", "tmpfs", None),
        ("overlay", "overlay", None),
        ("btrfs", "/dev/dm-0", True),
        ("btrfs", "/dev/sda1", None),
        ("zfs", "pool/data", None),
    ],
)
def test_file_systems_without_a_number_of_a_disk(
    machine: Machine, kind: str, source: str, found: bool | None
) -> None:
    machine.mount(Path("/"), "0:42", kind, source)
    assert machine.tells(Path("/srv/k.db")) is found


def test_a_system_that_lists_nothing_is_unknown(tmp_path: Path) -> None:
    assert encryption_of(tmp_path, proc=tmp_path / "none", sys=tmp_path / "none").is_encrypted is None


# -- the command ------------------------------------------------------------------------------


def test_the_command_leaves_with_1_when_something_is_wrong_and_else_with_0(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("KATARIBE_")]:
        monkeypatch.delenv(name)
    command = ["--db", str(store.parent / "none.db"), "doctor", "--deployment", "--json"]
    assert run(command) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(list(line) == ["check", "state", "says", "do"] for line in lines)
    assert {line["state"] for line in lines} == {"good", "unknown"}
    store.chmod(0o644)
    command = ["--db", str(store), "--keys", str(keys_of(store)), "doctor", "--deployment"]
    assert run(command) == 1
    assert f"chmod 600 '{store}'" in " ".join(capsys.readouterr().out.split())
