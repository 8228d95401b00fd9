"""S1-21 end to end, without a model: what a context says is what the character knows, and is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

import kataribe
from kataribe import AnswerKind
from kataribe.formats.gold import read_probes
from support.stores import empty_store, services


@pytest.mark.parametrize(
    ("name", "mode", "least"),
    [
        ("yoimachi", "facts", 0.9),
        ("lantern-isle", "facts", 0.9),
        ("yoimachi", "text", 0.6),
        ("lantern-isle", "text", 0.45),
    ],
)
def test_contexts_hold_what_answers_and_no_secret(
    tmp_path: Path, bundled: Path, name: str, mode: str, least: float
) -> None:
    asked = leaked = wanted = held = 0
    with kataribe.open(str(empty_store(tmp_path / "k.db")), services=services()) as store:
        store.story("s").import_folder(bundled / name, only="facts" if mode == "facts" else "text")
        assert store.sync().failed == {}
        for probe in read_probes(bundled / name / "gold.jsonl"):
            if mode == "text" and probe.mode == "facts":
                continue
            viewer = {"story": "s", "persona": probe.character, "at": probe.episode_no}
            said = store.answer(probe.question, **viewer)  # type: ignore[arg-type]
            made = said.context
            # The question itself may name what it asks about.
            told = "\n".join(part.text for part in made.parts if part.name != "question")
            asked += 1
            leaked += any(word in told or word in said.text for word in probe.forbidden)
            assert made.tokens <= made.budget
            if probe.wanted:
                wanted += 1
                keys = [key for key in probe.wanted if isinstance(key, str)]
                held += any(key in told for key in keys) or any(
                    item.where.startswith((f"episode {no}", f"第{no}話"))
                    for no in probe.wanted
                    if isinstance(no, int)
                    for item in made.items
                )
            elif not made.items:
                assert said.kind is AnswerKind.NOTHING
    print(f"{name}, {mode}: {asked} probes, {leaked} leaks, {held} of {wanted} answerable")  # noqa: T201
    assert leaked == 0
    assert held >= least * wanted, f"{held} of {wanted}"
