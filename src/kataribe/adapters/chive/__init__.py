"""chiVe: Japanese words with static vectors, out of the installed ja-ginza package."""

from kataribe.adapters.chive.embedder import ChiveEmbedder

__all__ = ["ChiveEmbedder"]
