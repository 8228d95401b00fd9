"""What is no language is refused by everything that is made with one, whether or not an embedder is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kataribe
from kataribe.face.sync.kataribe import Kataribe
from support.stores import empty_store, services

NO_LANGUAGE: Any = "fr"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Kataribe]:
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as made:
        yield made


@pytest.mark.parametrize("embedder", [None, "hash"])
@pytest.mark.parametrize(
    "make",
    [
        lambda store, **given: store.story("s").create(**given),
        lambda store, **given: store.user("u").create(**given),
        lambda store, **given: store.library("l").create(**given),
        lambda store, **given: store.user("u").said("x", speaker="u", persona="p", **given),
    ],
)
def test_it_is_refused_and_nothing_is_made(
    store: Kataribe, make: Callable[..., object], embedder: str | None
) -> None:
    with pytest.raises(kataribe.InputError, match="language must be one of ja, en, not 'fr'"):
        make(store, language=NO_LANGUAGE, embedder=embedder)
    assert (store.admin.stories(), store.admin.users(), store.libraries()) == ((), (), ())
