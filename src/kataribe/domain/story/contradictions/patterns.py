"""Patterns in which one thing may stand at several places under one name."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_GROUP = re.compile(r"\(\?P<([a-z]+)[0-9]*>")


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern whose groups may repeat a name; `got` reads the one that matched."""
    seen: Counter[str] = Counter()

    def numbered(match: re.Match[str]) -> str:
        seen[match[1]] += 1
        return f"(?P<{match[1]}{seen[match[1]] if seen[match[1]] > 1 else ''}>"

    return re.compile(_GROUP.sub(numbered, pattern))


def got(match: re.Match[str], name: str) -> str:
    """Give what the groups of a name matched; empty for nothing."""
    groups = match.groupdict()
    return next((text for key, text in groups.items() if text and key.rstrip("0123456789") == name), "")
