"""Token counters: the estimate is on the safe side, a tokenizer counts as the model does."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tokenizers import Tokenizer, models, pre_tokenizers

import kataribe
from conftest import outside
from kataribe.adapters.tokens import EstimateCounter
from kataribe.adapters.tokens.tokenizer import TokenizerCounter
from kataribe.formats.folder import read_folder
from kataribe.wiring import Counters

COUNT = EstimateCounter().count


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A tokenizer.json of three words, made on the spot."""
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "key": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.enable_truncation(2)
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("the key", 2),
        ("lighthouse keeper", 5),
        ("HENRY", 3),
        ("2026", 4),
        ("a\nb", 3),
        ("これは", 4),
        ("鍵", 3),
        ("鍵は石の下にある。", 14),
        ("Ｋ２", 5),
        ("👻", 4),
        ("ключ", 8),
    ],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert COUNT(text) == tokens


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(st.characters(codec="utf-8"), max_size=60))
def test_lines_put_together_count_no_more_than_each_alone(one: str, other: str) -> None:
    assert COUNT(f"{one}\n{other}") <= COUNT(f"{one}\n") + COUNT(other)


def _real() -> Tokenizer:
    """The poorest vocabulary for Japanese that is in use; it comes with an embedder."""
    from importlib.util import find_spec

    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(next(iter(spec.submodule_search_locations)))
    return Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))


@pytest.mark.parametrize(
    "name", ["yoimachi", "lantern-isle", "ja-botchan", "ja-ginga-tetsudo", "en-jekyll-hyde"]
)
def test_the_estimate_of_a_chapter_is_never_below_a_real_count(name: str, bundled: Path) -> None:
    folder = bundled / name if (bundled / name).exists() else outside(name)
    real = _real()
    for episode in read_folder(folder).episodes:
        counted = len(real.encode(episode.text, add_special_tokens=False).ids)
        assert counted <= COUNT(episode.text) <= 1.4 * counted, episode.no


def test_a_tokenizer_counts_the_whole_text(model_file: Path) -> None:
    counter = TokenizerCounter(str(model_file))
    assert counter.count("the key the lamp") == 4
    assert counter.counter_id.startswith("tokenizer:")
    assert str(model_file) not in counter.counter_id


def test_counters_are_found_by_name(model_file: Path, tmp_path: Path) -> None:
    counters = Counters()
    assert counters.get("estimate").counter_id == "estimate"
    named = counters.get(f"tokenizer:{model_file}")
    assert counters.get(f"tokenizer:{model_file}") is named
    (tmp_path / "broken.json").write_text("{}")
    for name in ("abacus", "tokenizer", "tokenizer:", f"tokenizer:{tmp_path}/broken.json", "tokenizer:none"):
        with pytest.raises(kataribe.InputError):
            counters.get(name)


def test_without_the_package_the_line_to_type_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kataribe.wiring.on_use.find_spec", lambda name: None)
    with pytest.raises(kataribe.MissingExtraError, match=r"kataribe\[tokens\]"):
        Counters().get("tokenizer:x.json")
