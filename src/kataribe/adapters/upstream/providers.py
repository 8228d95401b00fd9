"""Providers whose chat completions are asked for as OpenAI's are, and what they are asked with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kataribe.errors import InputError, ModelError


@dataclass(frozen=True, slots=True)
class UpstreamProvider:
    """Where a provider listens, which variables hold its key, and whether it must have one."""

    url: str
    keys: tuple[str, ...]
    needs_key: bool = True
    takes_base_url: bool = False
    """Whether the setting `base_url` is meant for it."""


PROVIDERS: Mapping[str, UpstreamProvider] = {
    "openai": UpstreamProvider("https://api.openai.com/v1", ("OPENAI_API_KEY",), takes_base_url=True),
    "ollama": UpstreamProvider(
        "http://localhost:11434/v1", ("OLLAMA_API_KEY",), needs_key=False, takes_base_url=True
    ),
    "anthropic": UpstreamProvider("https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
    "google": UpstreamProvider(
        "https://generativelanguage.googleapis.com/v1beta/openai", ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamChoice:
    """One model of one provider: where it listens, its key, and how many seconds it may be silent."""

    provider: str
    model: str
    url: str
    key: str | None = field(default=None, repr=False)
    seconds: float = 60.0


def chosen(
    name: str,
    *,
    keys: Mapping[str, str],
    url: str | None = None,
    base_url: str | None = None,
    seconds: float = 60.0,
) -> UpstreamChoice:
    """Read `provider:model`; `url` is where it listens, else `base_url` for those that take one.

    Raises `InputError` for what names none, `ModelError` when a key is missing.
    """
    provider, colon, model = name.partition(":")
    found = PROVIDERS.get(provider)
    if found is None or not colon or not model.strip() or model != model.strip():
        choices = ", ".join(f"{one}:NAME" for one in PROVIDERS)
        raise InputError(f"{name!r} is no model to be asked; choose one as {choices}")
    own = url or (base_url if found.takes_base_url else None)
    key = next((keys[one] for one in found.keys if keys.get(one)), None)
    if key is None and found.needs_key and own is None:
        raise ModelError(
            f"the model {name!r} needs a key: set {found.keys[0]} in the environment, "
            f"or name a server of your own with KATARIBE_UPSTREAM_URL"
        )
    return UpstreamChoice(
        provider=provider, model=model, url=(own or found.url).rstrip("/"), key=key, seconds=seconds
    )
