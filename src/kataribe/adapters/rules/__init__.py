"""Facts by rule, each sentence with a guess at who was there to hear of it, and plans. No model is asked.

Each of the two is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kataribe.adapters.rules.extractor import RulesExtractor
    from kataribe.adapters.rules.planner import RulesPlanner

__all__ = ["RulesExtractor", "RulesPlanner"]

_HOME_OF = {"RulesExtractor": "extractor", "RulesPlanner": "planner"}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return value
