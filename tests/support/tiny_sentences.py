"""A model of sentence-transformers small enough to be made in a test, without the library."""

from __future__ import annotations

import json
from pathlib import Path

from support import tiny_bert

PROMPTS = {"query": "ask ", "document": ""}


def write(folder: Path, *, prompts: dict[str, str] | None = None, seed: int = 1) -> None:
    """Write a folder as `SentenceTransformer` reads it, and `MiniLmEmbedder` too."""
    tiny_bert.write(folder, seed=seed)
    cutter = tiny_bert.tokenizer()
    cutter.no_padding()
    cutter.no_truncation()
    cutter.save(str(folder / "tokenizer.json"))
    kind = "sentence_transformers.models"
    files: dict[str, object] = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{kind}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{kind}.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": f"{kind}.Normalize"},
        ],
        "sentence_bert_config.json": {"max_seq_length": 48, "do_lower_case": False},
        "1_Pooling/config.json": {
            "word_embedding_dimension": tiny_bert.HIDDEN,
            "pooling_mode_cls_token": False,
            "pooling_mode_mean_tokens": True,
            "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
        "2_Normalize/config.json": {},
        "config_sentence_transformers.json": {"prompts": prompts or {}, "default_prompt_name": None},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 48,
            "pad_token": "[PAD]",
            "unk_token": "[UNK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
        },
    }
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
