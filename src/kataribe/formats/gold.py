"""Probe questions with what they must and must not bring up (`gold.jsonl`)."""

from __future__ import annotations

from pathlib import Path

from kataribe.domain.recall.probing import Probe
from kataribe.errors import FormatError
from kataribe.formats.jsonl import parse_line, read_bytes, split_lines


def read_probes(path: Path) -> tuple[Probe, ...]:
    """Read probes; raise `FormatError` with the line for one that is malformed."""
    probes: list[Probe] = []
    for line, offset, raw in split_lines(read_bytes(path)):
        values = parse_line(raw, path.name, line=line, offset=offset)
        if values is None:
            continue
        try:
            probes.append(_probe(values))
        except (KeyError, TypeError) as error:
            raise FormatError(f"not a probe: {error}", file=path.name, line=line) from error
    return tuple(probes)


def _probe(values: dict[str, object]) -> Probe:
    def listed(name: str) -> list[object]:
        value = values[name]
        if not isinstance(value, list):
            raise TypeError(f"{name} must be a list")
        return value

    at = values["episode_no"]
    if not isinstance(at, int):
        raise TypeError("episode_no must be a whole number")
    return Probe(
        qid=str(values["qid"]),
        question=str(values["question"]),
        character=str(values["character"]),
        episode_no=at,
        wanted=tuple(key for key in listed("must_include_any") if isinstance(key, int | str)),
        forbidden=tuple(str(key) for key in listed("must_not_include")),
        mode=str(values.get("mode", "both")),
    )
