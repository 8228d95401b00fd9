"""MiniLM: small BERT sentence models in numpy, out of a package of weights or a model folder."""

from kataribe.adapters.minilm.embedder import MiniLmEmbedder

__all__ = ["MiniLmEmbedder"]
