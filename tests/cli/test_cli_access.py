from __future__ import annotations

from pathlib import Path

import pytest

import kataribe
from cli.conftest import Cli
from support.stores import services


@pytest.fixture
def shop(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A store with a story and a user."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    cli("story", "add", "海辺", "--language", "ja", "--embedder", "hash")
    cli("remember", "--user", "yuki", "--speaker", "yuki", "--persona", "澪", "--session", "s", "雨だね")
    return cli


def secret_of(shop: Cli, *options: object) -> str:
    return str(shop("access", "add", *options, "--json").object["secret"])


def opens(shop: Cli, secret: str) -> str | None:
    with kataribe.open(str(shop.db), services=services()) as opened:
        key = opened.admin.access.check(secret)
        return None if key is None else key.key_id


def test_a_secret_is_shown_once_and_stands_in_no_file(shop: Cli) -> None:
    """And what the store has of it opens nothing."""
    made = shop(
        "access", "add", "--scope", "viewer", "--story", "海辺", "--as", "澪", "--at", 3, "--json"
    ).object
    secret = made.pop("secret")
    (listed,) = shop("access", "list", "--json").objects
    assert listed == made
    assert (listed["story"], listed["persona"], listed["at"]) == ("海辺", "澪", 3)
    random = secret.rpartition("_")[2].encode()
    assert [
        file.name for file in shop.db.parent.rglob("*") if file.is_file() and random in file.read_bytes()
    ] == []
    assert opens(shop, secret) == listed["id"]
    for wrong in (secret[:-1], f"{secret}x", secret.upper(), "", "ktr__", f"ktr_{listed['id']}_x"):
        assert opens(shop, wrong) is None


def test_a_readers_key_is_listed_with_how_far_it_has_read(shop: Cli) -> None:
    made = shop("access", "add", "--scope", "reader", "--story", "海辺", "--read", 4, "--json").object
    (listed,) = shop("access", "list", "--json").objects
    assert (listed["scope"], listed["story"], listed["read"], listed["at"]) == ("reader", "海辺", 4, None)
    assert opens(shop, made["secret"]) == listed["id"]
    assert "read 1 to 4" in shop("access", "list").out


def test_a_revoked_key_opens_nothing_any_more(shop: Cli) -> None:
    secret = shop("access", "add", "--scope", "admin").out.strip()
    other = secret_of(shop, "--scope", "author")
    key_id = str(opens(shop, secret))
    assert key_id in shop("access", "revoke", key_id).out
    assert opens(shop, secret) is None
    assert opens(shop, other) is not None
    assert "access list" in shop("access", "revoke", key_id, code=3).err


def test_a_key_goes_with_its_user_and_opens_nobody_who_comes_under_the_same_id(shop: Cli) -> None:
    secret = secret_of(shop, "--scope", "user", "--user", "yuki", "--as", "澪")
    assert opens(shop, secret) is not None
    token = shop("privacy", "request", "--user", "yuki", "--action", "delete").out.strip()
    shop("user", "delete", "yuki", "--token", token)
    shop(
        "remember",
        "--user",
        "yuki",
        "--speaker",
        "yuki",
        "--session",
        "s",
        "はじめまして",
        "--language",
        "ja",
    )
    assert opens(shop, secret) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scope", "owner"), "author, viewer, reader, user, front, admin"),
        (("--scope", "viewer", "--story", "海辺"), "needs --as, --at"),
        (("--scope", "viewer", "--story", "nowhere", "--as", "a", "--at", 1), "make it first"),
        (("--scope", "user"), "needs --user"),
        (("--scope", "user", "--user", "nobody"), "make it first"),
        (("--scope", "user", "--user", "yuki", "--at", 3), "takes no --at"),
        (("--scope", "user", "--user", "yuki", "--story", "海辺"), "one of them"),
        (("--scope", "admin", "--as", "澪"), "takes no --as"),
        (("--scope", "reader", "--story", "海辺"), "needs --read"),
        (("--scope", "reader", "--read", 2), "needs --story"),
        (("--scope", "reader", "--story", "海辺", "--read", 2, "--as", "澪"), "takes no --as"),
        (("--scope", "reader", "--story", "海辺", "--read", 2, "--at", 3), "takes no --at"),
        (("--scope", "viewer", "--story", "海辺", "--as", "澪", "--at", 3, "--read", 2), "takes no --read"),
        (("--scope", "front", "--prefix", "w-"), "needs --users-from"),
        (("--scope", "front", "--prefix", "w-", "--users-from", "cookie:x"), "header:NAME"),
    ],
)
def test_a_key_that_would_open_too_much_or_nothing_is_refused(
    shop: Cli, options: tuple[object, ...], said: str
) -> None:
    assert said in shop("access", "add", *options, code=3).err
    assert shop("access", "list", "--json").objects == []


def test_keys_that_are_made_and_revoked_stand_in_the_record_by_their_ids(shop: Cli) -> None:
    made = shop(
        "access", "add", "--scope", "front", "--prefix", "w-", "--users-from", "body:user", "--json"
    ).object
    shop("access", "revoke", made["id"])
    acts = [one for one in shop("audit", "list", "--json").objects if one["act"].startswith("access.")]
    assert [(one["act"], one["detail"]) for one in acts] == [
        ("access.revoke", {"key": made["id"], "scope": "front"}),
        ("access.add", {"key": made["id"], "scope": "front"}),
    ]
    assert shop("audit", "verify", "--json").object["ok"]


def test_a_backup_has_no_keys(shop: Cli) -> None:
    """One that was revoked since would open it again."""
    secret_of(shop, "--scope", "admin")
    shop("backup", shop.db.with_name("copy.db"))
    shop("restore", shop.db.with_name("copy.db"), "--to", shop.db.with_name("again.db"))
    assert shop.other("again.db")("access", "list", "--json").objects == []
