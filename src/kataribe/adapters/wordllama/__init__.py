"""WordLlama: English word pieces with static vectors, out of the installed wordllama package."""

from kataribe.adapters.wordllama.embedder import WordLlamaEmbedder

__all__ = ["WordLlamaEmbedder"]
