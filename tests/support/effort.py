"""How long the walks of machines and the loops of kills are: `make prove` takes more of both."""

from __future__ import annotations

import os

from hypothesis import settings

EFFORT = int(os.environ.get("KATARIBE_EFFORT", "1"))


def walks(examples: int, steps: int) -> settings:
    """Settle for this many walks of a machine, of this many steps each; so many times as many to prove."""
    return settings(max_examples=examples * EFFORT, stateful_step_count=steps, deadline=None)
