"""What holds for every test: no network, outside data through one variable."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pydantic_ai import models

models.ALLOW_MODEL_REQUESTS = False

# A job in the background ignores Ctrl-C, and so would every process that a test starts and stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "kataribe",
    deadline=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("kataribe")

ROOT = Path(__file__).resolve().parent.parent
_FOR_TESTS = ("KATARIBE_TEST_DATA", "KATARIBE_WRITE_DOCS")
_KEYS = ("_API_KEY", "_BASE_URL")
OUTSIDE = Path(os.environ.get("KATARIBE_TEST_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sockets reach this machine only."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1"):
            raise AssertionError(f"a test tried to reach {address}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what the developer has set out of the tests."""
    for name in [*os.environ]:
        if (name.startswith("KATARIBE_") and name not in _FOR_TESTS) or name.endswith(_KEYS):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _own_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the keys that tests make out of the developer's own folder."""
    kept = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))
    yield
    if kept is None:
        del os.environ["XDG_DATA_HOME"]
    else:
        os.environ["XDG_DATA_HOME"] = kept


def outside(name: str) -> Path:
    """Give a folder of outside data, or skip and say so."""
    folder = OUTSIDE / name
    if not folder.exists():
        pytest.skip(f"outside data {name} is not there; set KATARIBE_TEST_DATA to the folder that holds it")
    return folder


@pytest.fixture
def cards() -> Path:
    """Character cards and a lorebook that others wrote."""
    return outside("cards")


@pytest.fixture
def ginga() -> Path:
    """銀河鉄道の夜, with facts and probes."""
    return outside("ja-ginga-tetsudo")


@pytest.fixture
def jekyll() -> Path:
    """Jekyll & Hyde, with facts and probes."""
    return outside("en-jekyll-hyde")


@pytest.fixture
def botchan() -> Path:
    """坊っちゃん, text only."""
    return outside("ja-botchan")


@pytest.fixture
def bundled() -> Path:
    """The folder of the stories that come with the package."""
    return ROOT / "src" / "kataribe" / "stories"
