"""Errors as problems of RFC 9457."""

from __future__ import annotations

import pytest

from kataribe.errors import InputError, KeyLostError, KeyStoreError, StoreError
from kataribe.surfaces.http.problems import problem_of


@pytest.mark.parametrize("kind", [KeyStoreError, KeyLostError])
def test_where_the_keys_lie_is_told_to_nobody(kind: type[StoreError]) -> None:
    told = problem_of(kind("the key store /srv/keys/store.keys can be read by others"))
    assert told.status == 503
    assert "/srv" not in told.detail
    assert "kataribe keys status" in told.detail


def test_other_problems_say_what_the_command_line_says() -> None:
    told = problem_of(InputError("name the\n  persona"))
    assert (told.status, told.name, told.detail) == (400, "input", "name the persona")
