"""Texts: paragraphs, tokens, names, fences and what is safe to print."""
