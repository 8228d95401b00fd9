"""A folder with a sentence model: what it says of itself, and its network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kataribe.adapters.minilm.network import Floats, Network, Shape, build
from kataribe.errors import EmbedderError
from kataribe.ports import Vector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LIMIT = 256
"""Word pieces that are read of a text, where the folder does not say (S4-98): the model card's."""

_WEIGHTS, _TOKENIZER, _CONFIG = "model.safetensors", "tokenizer.json", "config.json"
_LENGTH = "sentence_bert_config.json"
_POOLING = Path("1_Pooling", "config.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What is known of a model before its network is loaded.

    `print` tells its weights, tokenizer and settings apart from all others.
    """

    folder: Path
    shape: Shape
    limit: int
    print: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A tokenizer and a network."""

    tokenizer: Tokenizer
    network: Network

    def embed(self, clean: str) -> Vector:
        """Embed a normalised text; zeros when there is no token in it."""
        encoded = self.tokenizer.encode(clean)
        if all(encoded.special_tokens_mask):
            return np.zeros(self.network.words.shape[1], dtype=np.float32)
        vector = self.network.vector(encoded.ids)
        if not np.isfinite(vector).all():
            raise EmbedderError("the model gave numbers that are none; its weights are damaged")
        return vector


def describe(folder: Path) -> Described:
    """Read what a folder says of its model. Raises `EmbedderError` with what is missing or foreign."""
    for name in (_WEIGHTS, _TOKENIZER, _CONFIG):
        if not (folder / name).is_file():
            raise EmbedderError(
                f"there is no {name} in {folder}; a model folder holds {_WEIGHTS}, {_TOKENIZER} and {_CONFIG}"
            )
    config = _read(folder / _CONFIG)
    kind = (
        config.get("model_type"),
        config.get("hidden_act"),
        config.get("position_embedding_type", "absolute"),
    )
    if kind != ("bert", "gelu", "absolute"):
        raise EmbedderError(f"{folder} holds no model of MiniLM's kind (BERT with gelu), but {kind}")
    pooling = _read(folder / _POOLING) if (folder / _POOLING).is_file() else {}
    if not pooling.get("pooling_mode_mean_tokens", True):
        raise EmbedderError(f"the model in {folder} does not take the mean over its tokens; choose another")
    told = _read(folder / _LENGTH) if (folder / _LENGTH).is_file() else {}
    try:
        shape = _shape(config)
        limit = min(int(str(told.get("max_seq_length", LIMIT))), shape.positions)
    except (KeyError, ValueError) as error:
        raise EmbedderError(f"{folder / _CONFIG} does not describe a BERT: {error}") from error
    if shape.hidden % shape.heads or limit < 3:
        raise EmbedderError(f"{folder / _CONFIG} does not fit together; take the model's files as they are")
    parts = [_sha256(folder / name) for name in (_WEIGHTS, _TOKENIZER)]
    seal = hashlib.sha256("\n".join([*parts, repr(shape), str(limit)]).encode()).hexdigest()
    return Described(folder=folder, shape=shape, limit=limit, print=seal)


def load(described: Described) -> Model:
    """Load tokenizer and network. Raises `ImportError`, and `EmbedderError` for damaged files."""
    from safetensors import SafetensorError, safe_open
    from tokenizers import Tokenizer

    weights = described.folder / _WEIGHTS
    try:
        with safe_open(weights, framework="numpy") as opened:
            names = set(opened.keys())

            def tensor(name: str, shape: tuple[int, ...]) -> Floats:
                found = opened.get_tensor(name if name in names else f"bert.{name}")
                if found.shape != shape:
                    raise EmbedderError(f"{weights}: {name} has shape {found.shape}, not {shape}")
                return np.asarray(found, dtype=np.float32)

            network = build(tensor, described.shape)
    except (OSError, TypeError, SafetensorError) as error:
        raise EmbedderError(f"{weights} cannot be read: {error}") from error
    tokenizer = Tokenizer.from_file(str(described.folder / _TOKENIZER))
    if tokenizer.get_vocab_size() > described.shape.vocabulary:
        raise EmbedderError(f"the tokenizer in {described.folder} is another model's")
    # Padding would let a text's vector depend on its batch.
    tokenizer.no_padding()
    tokenizer.enable_truncation(described.limit)
    return Model(tokenizer=tokenizer, network=network)


def _shape(config: Mapping[str, object]) -> Shape:
    def number(name: str) -> int:
        value = config[name]
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} is {value!r}")
        return value

    return Shape(
        vocabulary=number("vocab_size"),
        positions=number("max_position_embeddings"),
        types=number("type_vocab_size"),
        hidden=number("hidden_size"),
        inner=number("intermediate_size"),
        layers=number("num_hidden_layers"),
        heads=number("num_attention_heads"),
        epsilon=float(str(config.get("layer_norm_eps", 1e-12))),
    )


def _read(path: Path) -> Mapping[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise EmbedderError(f"{path} must hold a JSON object")
    return found


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error}") from error
