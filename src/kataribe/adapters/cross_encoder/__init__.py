"""Reranking by a cross-encoder of sentence-transformers, on this machine."""

from kataribe.adapters.cross_encoder.reranker import CrossEncoderReranker

__all__ = ["CrossEncoderReranker"]
