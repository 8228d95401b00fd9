"""What is watched becomes spans of the tracer provider that the program has set up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace

from kataribe.ports.telemetry import PREFIX, Attribute, Span

_SCOPE = "kataribe"
_SILENT = (trace.ProxyTracerProvider, trace.NoOpTracerProvider)
"""What there is while nobody has set a provider up, or has switched tracing off."""


class OtelTelemetry:
    """Spans under the tracer `kataribe`. `tells_texts` lets questions and texts into them."""

    def __init__(self, *, tells_texts: bool = False, provider: trace.TracerProvider | None = None) -> None:
        self.tells_texts = tells_texts
        self._provider = provider

    @property
    def is_on(self) -> bool:
        """Whether a tracer provider is set up; it may be at any time, before or after a store is opened."""
        return not isinstance(self._now(), _SILENT)

    @contextmanager
    def span(self, name: str) -> Iterator[Span]:
        """Begin a span below the current one.

        The message of an error may quote what was asked: only its type is told, unless texts may be.
        """
        tracer = self._now().get_tracer(_SCOPE)
        with tracer.start_as_current_span(
            PREFIX + name, record_exception=self.tells_texts, set_status_on_exception=False
        ) as span:
            try:
                yield _Noted(span)
            except BaseException as error:
                kind = type(error).__name__
                span.set_attribute("error.type", kind)
                span.set_status(trace.Status(trace.StatusCode.ERROR, kind))
                raise

    def _now(self) -> trace.TracerProvider:
        return self._provider or trace.get_tracer_provider()


class _Noted:
    """A span of OpenTelemetry that takes attributes without the prefix."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def note(self, attributes: Mapping[str, Attribute]) -> None:
        """Set them."""
        for name, value in attributes.items():
            self._span.set_attribute(PREFIX + name, value)
