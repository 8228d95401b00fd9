from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from kataribe.adapters.making import PartChoice, Registry

CONTRACTS = {
    "kataribe.archives": "ArchiveContract",
    "kataribe.embedders": "EmbedderContract",
    "kataribe.extractors": "ExtractorContract",
    "kataribe.indexes": "VectorIndexContract",
    "kataribe.ledgers": "LedgerContract",
    "kataribe.planners": "PlannerContract",
    "kataribe.rerankers": "RerankerContract",
}
"""By group of entry points: the contract of `kataribe.testing` that each of them must prove itself by."""

POINTS = sorted((point for group in CONTRACTS for point in entry_points(group=group)), key=lambda p: p.name)
REQUIRED = tuple(name.strip() for name in os.environ.get("REQUIRED_BACKENDS", "").split(",") if name.strip())


@lru_cache(maxsize=1)
def _test_classes() -> tuple[tuple[str, str, str], ...]:
    """Every collected test class that has a base: base's name, class's name, all names in its body."""
    return tuple(
        found
        for path in sorted(Path(__file__).parent.rglob("test_*.py"))
        for found in _classes_of(ast.parse(path.read_text(encoding="utf-8")))
    )


def _classes_of(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            for base in node.bases:
                word = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                yield word, node.name, " ".join(sorted(used))


def _proven_by(point: EntryPoint) -> list[str]:
    contract = CONTRACTS[point.group]
    return [name for base, name, used in _test_classes() if base == contract and point.attr in used.split()]


def test_there_are_back_ends_of_every_group() -> None:
    assert {point.group for point in POINTS} == set(CONTRACTS)


@pytest.mark.parametrize("point", POINTS, ids=lambda point: str(point.name))
def test_every_back_end_is_held_to_its_contract(point: EntryPoint) -> None:
    assert _proven_by(point), (
        f"{point.name} ({point.value}) has no test class under tests/ that subclasses "
        f"{CONTRACTS[point.group]} and uses {point.attr}"
    )


@pytest.mark.parametrize("point", POINTS, ids=lambda point: str(point.name))
def test_a_required_back_end_is_there(point: EntryPoint) -> None:
    """Elsewhere a back end that is not installed is skipped; where it is required, that fails the run."""
    if point.name not in REQUIRED:
        pytest.skip(f"{point.name} is not among REQUIRED_BACKENDS")
    maker = Registry(point.group, point.group).maker(point.name)
    missing = maker.available(PartChoice(family=point.name))
    assert missing is None, f"{point.name} is required but not installed; type: {missing}"


def test_what_is_required_exists() -> None:
    assert set(REQUIRED) <= {point.name for point in POINTS}
