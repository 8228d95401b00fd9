"""Token counters: an estimate that needs nothing, and the target model's own tokenizer."""

from kataribe.adapters.tokens.estimate import EstimateCounter

__all__ = ["EstimateCounter"]
