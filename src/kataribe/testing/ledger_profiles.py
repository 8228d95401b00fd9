"""What every ledger promises of a person's profile and consents."""

from __future__ import annotations

from dataclasses import replace

from kataribe.domain.privacy.profile import ConsentEvent, ConsentEvidence, ConsentStep, SealedValue
from kataribe.domain.space import story_space, talk_space, user_space
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import a_turn, open_spaces, say

OWN, TALK = user_space("u"), talk_space("s", "u", "e2")


def a_value(key: str, number: int, evidence: ConsentEvidence) -> SealedValue:
    """Make a value as it is stored."""
    return SealedValue(
        key=key,
        number=number,
        version=f"1.0.{number - 1}",
        at=number,
        is_personal=number % 2 == 0,
        evidence=evidence,
        expires=9 if number == 1 else None,
        sealed=bytes([0, 255, number]),
    )


def a_step(key: str, number: int, evidence: ConsentEvidence) -> ConsentEvent:
    """Make a step of a consent."""
    return ConsentEvent(key=key, number=number, at=number, step=ConsentStep.GIVEN, evidence=evidence)


def kept(ledger: Ledger) -> tuple[list[str], list[str]]:
    """Name the values and the steps that are there."""
    with ledger.reading() as view:
        values, steps = view.profile(OWN), view.consent_steps(OWN)
    return [f"{one.key}{one.number}" for one in values], [f"{one.key}{one.number}" for one in steps]


class ProfilesContract:
    """Values and steps come back as they were put, and go with what they rest on."""

    def _filled(self, ledger: Ledger) -> None:
        with ledger.writing() as writing:
            open_spaces(writing)
            for space in (OWN, TALK):
                say(writing, space, [a_turn(1), a_turn(2)])
            rests_on = {
                ("語調", 1): ConsentEvidence("t1", OWN),
                ("語調", 2): ConsentEvidence(),
                ("style", 1): ConsentEvidence("t1", TALK),
            }
            for (key, number), evidence in rests_on.items():
                writing.put_profile_value(OWN, a_value(key, number, evidence))
                writing.put_consent(OWN, a_step(key, number, evidence))

    def test_what_is_put_comes_back_byte_for_byte(self, ledger: Ledger) -> None:
        """In order of key and number, all of it or that of one key."""
        self._filled(ledger)
        with ledger.reading() as view:
            assert view.profile(OWN, "語調") == (
                a_value("語調", 1, ConsentEvidence("t1", OWN)),
                a_value("語調", 2, ConsentEvidence()),
            )
            assert view.consent_steps(OWN, "style") == (a_step("style", 1, ConsentEvidence("t1", TALK)),)
            assert view.profile(OWN, "nothing") == ()
            assert view.profile(user_space("v")) == ()
        assert kept(ledger) == (["style1", "語調1", "語調2"],) * 2

    def test_what_rests_on_a_turn_goes_with_it_and_nothing_else(self, ledger: Ledger) -> None:
        """A turn of the same id in another space is another one."""
        self._filled(ledger)
        with ledger.writing() as writing:
            writing.drop_evidence(OWN, OWN, ["t1", "t2"])
        assert kept(ledger) == (["style1", "語調2"],) * 2

    def test_values_go_by_their_key_and_the_steps_stay(self, ledger: Ledger) -> None:
        """And one that was withdrawn is not forgotten."""
        self._filled(ledger)
        with ledger.writing() as writing:
            writing.drop_profile(OWN, ["語調"])
            withdrawn = replace(a_step("語調", 3, ConsentEvidence()), step=ConsentStep.WITHDRAWN)
            writing.put_consent(OWN, withdrawn)
        assert kept(ledger) == (["style1"], ["style1", "語調1", "語調2", "語調3"])
        with ledger.reading() as view:
            assert view.consent_steps(OWN, "語調")[-1] == withdrawn

    def test_a_step_is_dropped_by_itself_and_comes_back_with_all_it_says(self, ledger: Ledger) -> None:
        """By key and number, whatever else it says."""
        self._filled(ledger)
        kept_for = replace(a_step("keep", 1, ConsentEvidence("t2", TALK)), days=90, spares=True)
        with ledger.writing() as writing:
            writing.put_consent(OWN, kept_for)
            writing.put_consent(
                OWN, replace(kept_for, key="remember:himuro", step=ConsentStep.REFUSED, days=None)
            )
            writing.drop_consents(OWN, [a_step("語調", 1, ConsentEvidence())])
        with ledger.reading() as view:
            assert view.consent_steps(OWN, "keep") == (kept_for,)
            (refused,) = view.consent_steps(OWN, "remember:himuro")
            assert (refused.step, refused.days, refused.spares) == (ConsentStep.REFUSED, None, True)
            assert [one.number for one in view.consent_steps(OWN, "語調")] == [2]
            assert len(view.profile(OWN, "語調")) == 2

    def test_a_profile_goes_with_its_user_and_evidence_with_its_story(self, ledger: Ledger) -> None:
        """Both take the space along in which it was said."""
        self._filled(ledger)
        with ledger.writing() as writing:
            assert writing.space(story_space("s")) is not None
            writing.delete_story("s")
        assert kept(ledger) == (["語調1", "語調2"],) * 2
        with ledger.writing() as writing:
            writing.delete_user("u")
        assert kept(ledger) == ([], [])
