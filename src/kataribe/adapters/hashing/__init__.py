"""Hashed character n-grams: compares spelling, needs nothing installed, knows no language."""

from kataribe.adapters.hashing.embedder import HashEmbedder

__all__ = ["HashEmbedder"]
