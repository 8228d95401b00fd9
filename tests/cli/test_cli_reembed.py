"""`kataribe reembed`, and what `doctor` says of embedders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("tokenizers", reason="extra minilm is missing: pip install 'kataribe[minilm]'")

from support import tiny_bert

if TYPE_CHECKING:
    from cli.conftest import Cli


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    folder = tmp_path / "tiny"
    tiny_bert.write(folder)
    return f"minilm:{folder}"


def test_a_story_moves_and_says_so(cli: Cli, tiny: str) -> None:
    cli("story", "import", cli.sea_folder(), "--story", "sea", "--embedder", "hash")
    cli("sync")
    before = cli.known("sea", "nobody", 99)
    ran = cli("reembed", "--story", "sea", "--embedder", tiny)
    assert ran.out == ""
    assert "moved from hash-1 to minilm-" in ran.err
    assert "spelling" not in ran.err
    assert cli.known("sea", "nobody", 99)["hits"] == before["hits"]
    row = next(row for row in cli("story", "list").table if row[0] == "sea")
    assert tiny in row
    cli("verify")


def test_json_says_what_was_done(cli: Cli, tiny: str) -> None:
    cli("story", "import", cli.sea_folder(), "--story", "sea", "--embedder", tiny)
    cli("sync")
    done = json.loads(cli("reembed", "--story", "sea", "--embedder", "hash", "--json").out)
    assert (done["embedder_id"], done["is_lexical"], done["stories"], done["user"]) == (
        "hash-1",
        True,
        ["sea"],
        None,
    )
    assert done["texts"] > 0
    assert done["memories"] >= done["texts"]
    again = cli("reembed", "--story", "sea", "--embedder", "hash")
    assert "0 texts embedded" in again.err
    assert "warning: hash compares spelling" in again.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--story", "x", "--embedder", "hash"), 3, "no story 'x'"),
        (("--user", "x", "--embedder", "hash"), 3, "no user 'x'"),
        (("--embedder", "hash"), 3, "--story or a user with --user"),
        (("--story", "x", "--user", "x", "--embedder", "hash"), 3, "one of them"),
        (("--story", "x", "--embedder", "nothing"), 3, "there is no"),
        (("--story", "x"), 2, "--embedder"),
    ],
)
def test_what_cannot_be_done_is_refused(cli: Cli, arguments: tuple[str, ...], code: int, said: str) -> None:
    ran = cli("reembed", *arguments, code=code)
    assert said in ran.err


def test_the_doctor_lists_every_embedder_and_whose_vectors_there_are(cli: Cli, tiny: str) -> None:
    cli("story", "add", "s", "--language", "en", "--embedder", "hash")
    rows = {row[0]: row for row in cli("doctor").table}
    for name in ("chive", "hash", "minilm", "pydantic-ai", "sentence-transformers", "wordllama"):
        state, advice = rows[f"embedder {name}"][1], rows[f"embedder {name}"][2]
        assert ("not installed" in state) == advice.startswith("pip install")
    assert rows["vectors of hash-1"][1] == "1 stories, 0 users"


def test_the_doctor_says_what_is_wrong_with_a_folder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATARIBE_MINILM", str(tmp_path / "nowhere"))
    rows = {row[0]: row for row in cli("doctor").table}
    assert "model.safetensors" in rows["embedder minilm"][1]
    assert "KATARIBE_MINILM" in rows["embedder minilm"][2]
