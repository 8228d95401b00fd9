"""Models of the sentence-transformers library, by their name or out of a folder."""

from kataribe.adapters.sentence_transformers.embedder import SentenceTransformersEmbedder

__all__ = ["SentenceTransformersEmbedder"]
