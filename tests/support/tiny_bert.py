"""A BERT small enough to be made in a test: random weights, a tokenizer of single characters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from kataribe.testing.embedder import TEXTS

HIDDEN, INNER, LAYERS, HEADS, POSITIONS = 24, 48, 2, 3, 64
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

Tensors = dict[str, npt.NDArray[np.float32]]


def tokenizer() -> Tokenizer:
    """Cut into single characters."""
    signs = sorted(set("".join(TEXTS).lower()) | set("abcdefghijklmnopqrstuvwxyz0123456789夜海静東京銀河水"))
    entries = [*SPECIAL, *signs, *(f"##{sign}" for sign in signs)]
    words = {entry: number for number, entry in enumerate(entries)}
    made = Tokenizer(models.WordPiece(words, unk_token="[UNK]", max_input_chars_per_word=10_000))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # As real folders have it: both must be switched off or changed by who loads it.
    made.enable_padding(length=20)
    made.enable_truncation(20)
    return made


def tensors(vocabulary: int, seed: int = 1) -> Tensors:
    """Make random weights under BERT's names."""
    random = np.random.default_rng(seed)

    def some(*shape: int) -> npt.NDArray[np.float32]:
        return random.normal(scale=0.3, size=shape).astype(np.float32)

    made: Tensors = {
        "embeddings.word_embeddings.weight": some(vocabulary, HIDDEN),
        "embeddings.position_embeddings.weight": some(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": some(2, HIDDEN),
        "embeddings.LayerNorm.weight": 1 + some(HIDDEN),
        "embeddings.LayerNorm.bias": some(HIDDEN),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            made[f"{layer}.attention.{name}.weight"] = some(HIDDEN, HIDDEN)
            made[f"{layer}.attention.{name}.bias"] = some(HIDDEN)
        made[f"{layer}.intermediate.dense.weight"] = some(INNER, HIDDEN)
        made[f"{layer}.intermediate.dense.bias"] = some(INNER)
        made[f"{layer}.output.dense.weight"] = some(HIDDEN, INNER)
        made[f"{layer}.output.dense.bias"] = some(HIDDEN)
        for name in ("attention.output", "output"):
            made[f"{layer}.{name}.LayerNorm.weight"] = 1 + some(HIDDEN)
            made[f"{layer}.{name}.LayerNorm.bias"] = some(HIDDEN)
    return made


def write(
    folder: Path,
    *,
    limit: int | None = 48,
    prefix: str = "",
    seed: int = 1,
    config: Mapping[str, object] | None = None,
) -> Tensors:
    """Write a model folder; returns its tensors."""
    folder.mkdir(parents=True, exist_ok=True)
    cutter = tokenizer()
    weights = tensors(cutter.get_vocab_size(), seed)
    cutter.save(str(folder / "tokenizer.json"))
    save_file({f"{prefix}{name}": value for name, value in weights.items()}, folder / "model.safetensors")
    told = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "vocab_size": cutter.get_vocab_size(),
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12,
        **(config or {}),
    }
    (folder / "config.json").write_text(json.dumps(told), encoding="utf-8")
    if limit is not None:
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": limit}))
    return weights
