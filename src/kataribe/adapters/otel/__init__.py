"""Spans for OpenTelemetry: its API alone; where they go is the choice of who sets it up."""

from kataribe.adapters.otel.telemetry import OtelTelemetry

__all__ = ["OtelTelemetry"]
