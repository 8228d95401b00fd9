from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from cli.conftest import Cli
from kataribe.surfaces.cli import serve


def test_a_server_whose_packages_are_missing_says_what_to_type(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")

    importer: Callable[[str], ModuleType] = missing
    monkeypatch.setattr(serve, "import_module", importer)
    assert "pip install 'kataribe[server]'" in cli("serve", code=3).err
