"""Policy files: TOML that tunes recall, read strictly and written by `calibrate`.

::

    format = 1

    [recall]                                  # for all embedders; every line may be left out
    keyword_weight = 0.5

    [embedders."hash-1"]
    made = "2026-01-31T12:00:00+00:00"
    [embedders."hash-1".recall]               # for this one, before the ones for all
    keyword_weight = 0.6
    [embedders."hash-1".minimum_similarity]   # cosines, -1 to 1
    fact = 0.12
    [embedders."hash-1".data.fact]            # what it was measured on: counts and shares
    questions = 40

    [context]                                 # shares of a context's budget, 0 to 1
    long = 0.2

    [tiers.promotion]                         # of conversation memory in tiers, section by section
    mentions = 4
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, TierPolicy, policy_from, policy_to
from kataribe.domain.memory import Kind
from kataribe.domain.recall.calibration import Calibration
from kataribe.domain.recall.context import DEFAULT_CONTEXT, ContextPolicy
from kataribe.domain.recall.policy_file import Setting, Tuned, Tuning, check_recall, check_setting, tuning_of
from kataribe.errors import FormatError, InputError
from kataribe.formats.jsonl import decode, described, read_bytes

FORMAT = 1


def read_policy(path: Path) -> Tuning:
    """Read a policy file. Raises `InputError` when it is not there, `FormatError` with the key in it."""
    return parse_policy(decode(read_bytes(path), str(path)), str(path))


def parse_policy(text: str, name: str) -> Tuning:
    """Read a policy; `name` is the file in messages. Raises `FormatError` naming the key that is wrong."""
    try:
        values: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not TOML: {error}", file=name) from error
    given = _Table(values, name, "")
    version = given.take("format")
    if version != FORMAT or isinstance(version, bool):
        raise given.wrong("format", f"must be {FORMAT}, not {described(version)}")
    recall = _recall(given.table("recall"))
    embedders = given.table("embedders")
    tuned = {_embedder(embedders, one): _tuned(embedders.table(one)) for one in embedders.names()}
    tiers = _tiers(given.take("tiers"), name)
    context = _context(given.table("context"))
    given.close()
    return Tuning(recall=recall, embedders=tuned, tiers=tiers, context=context)


def _context(given: _Table) -> ContextPolicy:
    limits = {"max_budget": (1, None), "contained": (1, 10_000)}
    found: dict[str, float] = {}
    for name in given.names():
        if name not in context_numbers(DEFAULT_CONTEXT):
            continue
        least, most = limits.get(name, (0, 1))
        value = given.number(name, least, most)
        if name in limits and value != int(value):
            raise given.wrong(name, f"must be a whole number, not {value!r}")
        found[name] = int(value) if name in limits else float(value)
    given.close()
    return replace(DEFAULT_CONTEXT, **found)  # type: ignore[arg-type]


def context_numbers(policy: ContextPolicy) -> dict[str, int | float]:
    """Give all numbers of contexts by name."""
    return {one.name: getattr(policy, one.name) for one in fields(ContextPolicy)}


def context_text(policy: ContextPolicy) -> str:
    """Write all numbers of contexts as TOML, as they stand in a policy file."""
    return "\n".join(_section("context", context_numbers(policy))).strip() + "\n"


def _tiers(values: object, name: str) -> TierPolicy:
    if values is None:
        return DEFAULT_TIERS
    if not isinstance(values, dict):
        raise FormatError(f"tiers: must be a table, not {described(values)}", file=name)
    try:
        return policy_from(values)
    except InputError as error:
        raise FormatError(f"tiers.{error}", file=name) from error


def save_policy(found: Calibration, path: str | Path) -> None:
    """Write what was measured as a policy file, which holds once a person installs it.

    Raises `InputError` when there is a file already, or it cannot be written.
    """
    try:
        with Path(path).open("x", encoding="utf-8", newline="\n") as file:
            file.write(policy_text(tuning_of(found)))
    except FileExistsError as error:
        raise InputError(f"there is a file {path} already; name another") from error
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def policy_text(tuning: Tuning) -> str:
    """Write a policy as TOML; `parse_policy` reads the same back."""
    return "\n".join(_lines(tuning)) + "\n"


def _lines(tuning: Tuning) -> Iterator[str]:
    yield "# A policy of kataribe's recall: install it with --policy, KATARIBE_POLICY or open(policy=...)."
    yield f"format = {FORMAT}"
    if tuning.recall:
        yield from _section("recall", tuning.recall)
    for embedder_id, tuned in sorted(tuning.embedders.items()):
        head = f"embedders.{_quoted(embedder_id)}"
        yield from _section(head, {} if tuned.made is None else {"made": tuned.made})
        if tuned.recall:
            yield from _section(f"{head}.recall", tuned.recall)
        if tuned.minimums:
            minimums = {kind.value: cosine for kind, cosine in tuned.minimums.items()}
            yield from _section(f"{head}.minimum_similarity", minimums)
        for kind, counts in sorted(tuned.data.items()):
            yield from _section(f"{head}.data.{kind.value}", counts)
    before = context_numbers(DEFAULT_CONTEXT)
    shares = {key: value for key, value in context_numbers(tuning.context).items() if value != before[key]}
    if shares:
        yield from _section("context", shares)
    usual = policy_to(DEFAULT_TIERS)
    for name, values in policy_to(tuning.tiers).items():
        changed = {key: value for key, value in values.items() if value != usual[name][key]}
        if changed:
            yield from _section(f"tiers.{name}", changed)


def tiers_text(policy: TierPolicy) -> str:
    """Write all numbers of the tiers as TOML, as they stand in a policy file."""
    sections = (_section(f"tiers.{name}", values) for name, values in policy_to(policy).items())
    return "\n".join(line for section in sections for line in section).strip() + "\n"


def _section(head: str, values: Mapping[str, Setting]) -> Iterator[str]:
    yield ""
    yield f"[{head}]"
    for name, value in values.items():
        yield f"{name} = {_value(value)}"


def _value(value: Setting) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in escaped) + '"'


class _Table:
    """A table whose keys are taken one by one; what is left is refused."""

    def __init__(self, values: Mapping[str, object], file: str, path: str) -> None:
        self._left = dict(values)
        self._file = file
        self._path = path

    def names(self) -> tuple[str, ...]:
        return tuple(self._left)

    def take(self, name: str) -> object:
        return self._left.pop(name, None)

    def table(self, name: str) -> _Table:
        value = self._left.pop(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, f"must be a table, not {described(value)}")
        return _Table(value, self._file, self._key(name))

    def number(self, name: str, least: float, most: float | None = None) -> float:
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(name, f"must be a number, not {described(value)}")
        # Written so that nan is refused too.
        if not least <= value or value == float("inf") or (most is not None and not value <= most):
            limits = f"{least:g} or more" if most is None else f"from {least:g} to {most:g}"
            raise self.wrong(name, f"must be {limits}, not {value!r}")
        return value

    def close(self) -> None:
        for name in self._left:
            raise self.wrong(name, "nothing of this name is known here; remove it or mend its name")

    def wrong(self, name: str, reason: str) -> FormatError:
        return FormatError(f"{self._key(name)}: {reason}", file=self._file)

    def _key(self, name: str) -> str:
        shown = name if name.isidentifier() else _quoted(name)
        return f"{self._path}.{shown}" if self._path else shown


def _recall(given: _Table) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for name in given.names():
        try:
            found[name] = check_setting(name, given.take(name))
            check_recall({name: found[name]})
        except InputError as error:
            raise given.wrong(name, str(error)) from error
    return found


def _embedder(given: _Table, name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise given.wrong(name, "this is no embedder's id; `kataribe story show` tells it")
    return name


def _tuned(given: _Table) -> Tuned:
    made = given.take("made")
    if made is not None and not isinstance(made, str):
        raise given.wrong("made", f"must be a text, not {described(made)}")
    recall = _recall(given.table("recall"))
    minimums = given.table("minimum_similarity")
    found = {_kind(minimums, name): minimums.number(name, -1, 1) for name in minimums.names()}
    data = given.table("data")
    counted = {_kind(data, name): _counts(data.table(name)) for name in data.names()}
    given.close()
    return Tuned(minimums=found, recall=recall, made=made, data=counted)


def _kind(given: _Table, name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError as error:
        kinds = ", ".join(one.value for one in Kind)
        raise given.wrong(name, f"there is no such kind of memory; there are {kinds}") from error


def _counts(given: _Table) -> dict[str, float]:
    return {name: given.number(name, 0) for name in given.names()}
