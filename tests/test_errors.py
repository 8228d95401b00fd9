"""What an error quotes is cut, and what was wrong and what to do is still read."""

from __future__ import annotations

import pytest

from kataribe.errors import MAX_MESSAGE, MAX_QUOTED, FormatError, InputError, NotFoundError, option, shortened


@pytest.mark.parametrize("given", ["x" * 100_000, "語" * 100_000, "a b " * 25_000, "鍵 は " * 25_000])
def test_a_long_quotation_is_cut_between_what_was_wrong_and_what_to_do(given: str) -> None:
    error = NotFoundError(f"there is no story {given!r}; `kataribe story list` shows them")
    assert str(error).startswith(f"there is no story {given[:20]!r}"[:-1])
    assert str(error).endswith("`kataribe story list` shows them")
    assert "characters more) ..." in str(error)
    assert len(str(error)) <= MAX_MESSAGE


def test_each_of_several_quotations_is_cut_by_itself() -> None:
    error = InputError(f"{'a' * 5000!r} and {'b' * 5000!r} are one; give one")
    assert " and 'bbb" in str(error)
    assert len(str(error)) < 3 * MAX_QUOTED


def test_a_file_is_named_and_its_reason_is_cut() -> None:
    error = FormatError(f"unknown field {'x' * 9000!r}; leave it out", file="a.jsonl", line=3)
    assert str(error).startswith("a.jsonl:3: unknown field")
    assert len(error.reason) < 2 * MAX_QUOTED


@pytest.mark.parametrize("text", ["", "nobody 誰も", f"{'x' * MAX_QUOTED!r} is an id", "word " * 300])
def test_what_has_a_sane_length_is_left_as_it_is(text: str) -> None:
    assert shortened(text) == text


def test_an_option_is_named_as_it_is_given_where_it_is_read() -> None:
    told = InputError(f"name one with {option('speaks_as')}, or {option('embedder', 'hash')}")
    assert str(told) == 'name one with speaks_as=, or embedder="hash"'
    assert told.in_shell == "name one with --speaks-as, or --embedder hash"
    row = FormatError(f"it needs {option('persona')}", file="m.json", line=3)
    assert (str(row), row.reason) == ("m.json:3: it needs persona=", "it needs persona=")
    assert row.in_shell == "m.json:3: it needs --persona"
