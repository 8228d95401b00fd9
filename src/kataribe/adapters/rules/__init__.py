"""Facts by rule, each sentence with a guess at who was there to hear of it, and plans. No model is asked."""

from kataribe.adapters.rules.extractor import RulesExtractor
from kataribe.adapters.rules.planner import RulesPlanner

__all__ = ["RulesExtractor", "RulesPlanner"]
