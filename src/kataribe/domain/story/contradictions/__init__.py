"""Contradictions between sentences of a story, found by rule: each rule knows one kind."""

from __future__ import annotations

from kataribe.domain.story.contradictions.find import find_clashes
from kataribe.domain.story.contradictions.told import Clash, ClashKind, Statement

__all__ = ["Clash", "ClashKind", "Statement", "find_clashes"]
