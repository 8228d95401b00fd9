"""Conversation memory in tiers: what is kept, promoted, forgotten, and given to nobody any more."""

from __future__ import annotations

from pathlib import Path

import kataribe
from support.talk import talk, turn


def test_what_was_said_is_kept_once_its_thread_is_over(tmp_path: Path) -> None:
    said = [turn(1, "My sister lives in Osaka.", to=["rin"], speaker="u")]
    with talk(tmp_path / "t.db", said) as store:
        with store._of._engine._ledger.reading() as view:
            life = view.life("user:u", "rin")
        assert [(one.tier.value, one.text, one.sources) for one in life.values] == [
            ("mid", "My sister lives in Osaka.", ("t1",)),
            ("mid", "My sister lives in Osaka.", ("t1",)),
        ]
    assert kataribe
