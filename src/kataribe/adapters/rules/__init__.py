"""Facts by rule: each sentence, and a guess at who was there to hear of it. No model is asked."""

from kataribe.adapters.rules.extractor import RulesExtractor

__all__ = ["RulesExtractor"]
