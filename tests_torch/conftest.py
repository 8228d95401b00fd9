"""A tiny cross-encoder of random weights, made on the spot: nothing is downloaded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"

SIGNS = "灯台鍵砂下隠祭日赤小舟沖流長話のはをにへれてったした。、？abcdefghijklmnopqrstuvwxyz "


def make_model(folder: Path, *, labels: int = 1) -> Path:
    """Write a BERT of two layers with random weights and a tokenizer of single signs."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(SIGNS.replace(" ", ""))]
    words += [f"##{sign}" for sign in dict.fromkeys(SIGNS.replace(" ", ""))]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a tiny reranker."""
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def of_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a tiny model with three classes."""
    return make_model(tmp_path_factory.mktemp("models") / "classes", labels=3)
