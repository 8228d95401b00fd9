"""What is kept between readings is of the revision that is asked for, and bounded."""

from __future__ import annotations

from kataribe.adapters.sql.caches import _ByRevision


def test_a_value_is_read_once_for_each_revision() -> None:
    kept = _ByRevision[str, list[str]]()
    read: list[str] = []

    def reads(key: str) -> list[str]:
        read.append(key)
        return [key]

    assert kept.get("a", 1, reads) is kept.get("a", 1, reads)
    kept.get("a", 2, reads)
    kept.get("b", 1, reads)
    assert read == ["a", "a", "b"]


def test_all_goes_when_it_is_more_than_is_to_be_kept() -> None:
    kept = _ByRevision[str, list[int]](10, len)
    read: list[str] = []

    def reads(key: str) -> list[int]:
        read.append(key)
        return [0] * (4 if key != "much" else 40)

    for _ in range(3):
        for key in ("a", "b"):
            kept.get(key, 1, reads)
    # What took another's place is counted once.
    for revision in (2, 3, 4):
        kept.get("b", revision, reads)
    kept.get("a", 1, reads)
    assert read == ["a", "b", "b", "b", "b"]
    kept.get("c", 1, reads)
    kept.get("a", 1, reads)
    assert read[5:] == ["c", "a"]
    kept.get("much", 1, reads)
    assert kept.get("much", 1, reads) == [0] * 40
    assert read[7:] == ["much"]
