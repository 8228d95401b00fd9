"""`policy show` and `policy check`."""

from __future__ import annotations

from cli.conftest import Cli


def test_a_policy_is_shown_and_checked(cli: Cli) -> None:
    shown = cli("policy", "show").out
    assert "[tiers.promotion]" in shown
    assert "mentions = 3" in shown
    file = cli.file("p.toml", b"format = 1\n[tiers.promotion]\nmentions = 4\n")
    assert "mentions = 4" in cli("policy", "show", file).out
    assert "can be used" in cli("policy", "check", file).err
    saved = cli.file("shown.toml", shown.encode())
    assert "can be used" in cli("policy", "check", saved).err, "what is shown is a policy file"
    assert cli("policy", "show", saved).out == shown
    wrong = cli.file("w.toml", b"format = 1\n[tiers.promotion]\nmentionen = 4\n")
    assert "tiers.promotion.mentionen" in cli("policy", "check", wrong, code=3).err
    cli("policy", "check", "nothing.toml", code=3)
    assert "the usual numbers" in cli("policy", "check").err
    assert "p.toml can be used" in cli("--policy", file, "policy", "check").err
