"""The numbers of the tiers: defaults of the specifications, all of them settable, nonsense refused."""

from __future__ import annotations

import pytest

from kataribe.domain.conversation.buffer import DEFAULT_BUFFER
from kataribe.domain.conversation.life.policy import DEFAULT_TIERS, policy_from, policy_to
from kataribe.domain.conversation.threads import ThreadPolicy
from kataribe.errors import InputError


def test_the_defaults_are_those_of_the_specifications() -> None:
    told = policy_to(DEFAULT_TIERS)
    assert told["buffer"] == {"messages": 12, "tokens": 6000, "idle_seconds": 600, "ttl_seconds": 7200}
    assert told["thread"] == {"turns": 12, "idle_seconds": 600}
    assert told["mid"] == {"recent_hours": 24, "kept_days": 30, "item_characters": 200}
    promotion = told["promotion"]
    assert (promotion["mentions"], promotion["mentions_days"]) == (3, 90)
    assert (promotion["novelty"], promotion["usefulness"], promotion["usefulness_days"]) == (0.62, 0.15, 30)
    assert (promotion["salience"], promotion["confidence"]) == (0.8, 0.7)
    assert told["consolidation"] == {"keep": 0.7}
    decay = told["decay"]
    assert [decay[f"{name}_days"] for name in ("warm", "cool", "archive", "delete")] == [30, 90, 180, 365]
    assert [decay[f"{name}_factor"] for name in ("hot", "warm", "cool")] == [1.0, 0.8, 0.5]
    assert told["forgetting"] == {"restore_days": 30}


def test_the_buffer_and_the_threads_take_the_limits_of_the_policy() -> None:
    assert DEFAULT_TIERS.buffer.limits() == DEFAULT_BUFFER
    assert DEFAULT_TIERS.thread.limits(None) == ThreadPolicy()
    policy = policy_from({"buffer": {"tokens": 100}, "thread": {"turns": 6}})
    assert policy.buffer.limits().tokens == 100
    assert policy.thread.limits(0.4) == ThreadPolicy(turns=6, likeness=0.4)


def test_what_is_written_is_read_back() -> None:
    policy = policy_from({"mid": {"kept_days": 7}, "retention": {"fact": "permanent", "policy": 400}})
    assert policy_from(policy_to(policy)) == policy
    assert policy_from({}) == DEFAULT_TIERS


def test_every_number_can_be_set() -> None:
    told = policy_to(DEFAULT_TIERS)
    for section, numbers in told.items():
        for name, value in numbers.items():
            other: object = 7 if isinstance(value, str) else value - 1 if value != 1 else 0.5
            if isinstance(value, float):
                other = value / 2
            set_to = policy_to(policy_from({section: {name: other}}))
            assert set_to[section][name] == other
            set_to[section][name] = value
            assert set_to == told


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"promotions": {}}, "promotions: "),
        ({"promotion": {"mention": 3}}, "promotion.mention: "),
        ({"promotion": {"mentions": "3"}}, "promotion.mentions: "),
        ({"promotion": {"mentions": 2.5}}, "promotion.mentions: "),
        ({"promotion": {"mentions": True}}, "promotion.mentions: "),
        ({"promotion": {"mentions": 0}}, "promotion.mentions: "),
        ({"promotion": {"novelty": 1.5}}, "promotion.novelty: "),
        ({"promotion": {"novelty": float("nan")}}, "promotion.novelty: "),
        ({"mid": {"kept_days": 31}}, "mid.kept_days: "),
        ({"mid": {"kept_days": 6}}, "mid.kept_days: "),
        ({"mid": 5}, "mid: "),
        ({"retention": {"fact": "never"}}, "retention.fact: "),
        ({"retention": {"fact": 0}}, "retention.fact: "),
        ({"decay": {"warm_days": 90}}, "decay: "),
    ],
)
def test_a_wrong_key_or_number_is_refused_by_its_path(values: dict[str, object], path: str) -> None:
    with pytest.raises(InputError) as refused:
        policy_from(values)
    assert str(refused.value).startswith(path)


def test_each_kind_is_kept_as_long_as_its_retention_says() -> None:
    policy = policy_from({"retention": {"fact": "permanent", "policy": 400}, "decay": {"delete_days": 300}})
    assert policy.delete_days("fact") is None
    assert policy.delete_days("policy") == 400
    assert policy.delete_days("turn") == 300
