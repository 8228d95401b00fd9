"""A model behind a server, at a provider that speaks as OpenAI does; the client is loaded on use."""

from __future__ import annotations

from kataribe.adapters.upstream.providers import PROVIDERS, UpstreamChoice

__all__ = ["PROVIDERS", "UpstreamChoice"]
