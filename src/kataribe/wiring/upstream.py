"""The model behind a server, as it is set."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from kataribe.adapters.upstream.providers import chosen
from kataribe.errors import MissingExtraError
from kataribe.ports.upstream import Upstream
from kataribe.settings import Settings

_CLIENT = "kataribe.adapters.upstream.client"
"""The module that loads the vendor."""


def upstream_of(settings: Settings, name: str | None = None) -> Upstream | None:
    """Make the model behind a server: `name`, else the one that is set; None where neither is.

    Raises `InputError` for a name that is none, `ModelError` without its key, `MissingExtraError`.
    """
    wanted = name or settings.upstream_model
    if wanted is None:
        return None
    found = chosen(
        wanted,
        keys=settings.keys,
        url=settings.upstream_url,
        base_url=settings.base_url,
        seconds=settings.upstream_seconds,
    )
    if find_spec("httpx2") is None:
        raise MissingExtraError(
            "a server asks its model by a package that is not installed; type: pip install 'kataribe[server]'"
        )
    maker: Any = import_module(_CLIENT).ChatUpstream
    made: Upstream = maker(found)
    return made
