"""What every key store and every seal promises: subclass `KeysContract` and `SealContract`."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor

import pytest

from kataribe.domain.keys import KEY_BYTES, SecretKey
from kataribe.errors import KeyLostError, WrongKeyError
from kataribe.ports.keys import Keys, Seal

USERS = ("ゆき", "yuki", "ユキ")
AT = "2026-05-01T00:00:00+00:00"


class SealContract:
    """What every `Seal` promises. Subclass it and give a `sealer`."""

    KEY = SecretKey("00" * 8, b"k" * KEY_BYTES)

    @pytest.fixture
    @abstractmethod
    def sealer(self) -> Seal:
        """Give a seal."""

    @pytest.mark.parametrize("text", ["", "猫が好き", "I like cats", "＠" * 5000])
    def test_what_was_sealed_opens_as_it_was(self, sealer: Seal, text: str) -> None:
        """Nothing is lost, and nothing of it can be seen."""
        plain = text.encode()
        sealed = sealer.seal(self.KEY, "user:ゆき", "t1", plain)
        assert sealer.open(self.KEY, "user:ゆき", "t1", sealed) == plain
        assert not plain or plain not in sealed

    def test_the_same_words_are_sealed_differently_each_time(self, sealer: Seal) -> None:
        """Nobody can tell that two rows say the same."""
        assert len({sealer.seal(self.KEY, "user:a", "t", b"same") for _ in range(50)}) == 50

    @pytest.mark.parametrize(("space", "row"), [("user:b", "t"), ("user:a", "u"), ("user:", "at"), ("", "")])
    def test_what_is_sealed_opens_in_its_row_alone(self, sealer: Seal, space: str, row: str) -> None:
        """A row that was moved is refused, whichever way space and row are cut."""
        sealed = sealer.seal(self.KEY, "user:a", "t", "秘密".encode())
        with pytest.raises(WrongKeyError):
            sealer.open(self.KEY, space, row, sealed)

    def test_what_was_changed_in_any_byte_is_refused(self, sealer: Seal) -> None:
        """Each single byte counts."""
        sealed = sealer.seal(self.KEY, "user:a", "t", b"secret")
        for place in range(len(sealed)):
            changed = bytearray(sealed)
            changed[place] ^= 1
            with pytest.raises((WrongKeyError, KeyLostError)):
                sealer.open(self.KEY, "user:a", "t", bytes(changed))
        with pytest.raises(WrongKeyError):
            sealer.open(self.KEY, "user:a", "t", sealed[:-1])

    def test_it_says_which_key_is_lacking(self, sealer: Seal) -> None:
        """The id of the key that is wanted is in the refusal; the key is in nothing."""
        other = SecretKey("11" * 8, b"o" * KEY_BYTES)
        sealed = sealer.seal(self.KEY, "user:a", "t", b"secret")
        assert sealer.key_of(sealed) == self.KEY.key_id
        with pytest.raises(KeyLostError, match=self.KEY.key_id):
            sealer.open(other, "user:a", "t", sealed)
        assert "kkkk" not in repr(self.KEY)

    def test_what_is_not_sealed_is_refused(self, sealer: Seal) -> None:
        """Text that was never sealed is not taken for something sealed."""
        for plain in (b"", b"plain text that was never sealed by anybody at all"):
            with pytest.raises(WrongKeyError):
                sealer.key_of(plain)


class KeysContract:
    """What every `Keys` promises. Subclass it and give `keys`, without any user."""

    @pytest.fixture
    @abstractmethod
    def keys(self) -> Keys:
        """Give a key store."""

    def test_asking_makes_nothing(self, keys: Keys) -> None:
        """There is no key before one is made."""
        assert [keys.of(user) for user in USERS] == [None] * len(USERS)
        assert keys.pseudonym("yuki") is None
        assert keys.key_id("yuki") is None
        assert keys.tombstones() == ()
        assert not keys.status().is_made

    def test_each_user_has_a_key_and_a_name_of_its_own(self, keys: Keys) -> None:
        """Keys are of 256 bits, stay as they are, and are shared by nobody."""
        made = {user: keys.make(user, at=AT) for user in USERS}
        assert {user: keys.of(user) for user in USERS} == made
        assert {user: keys.make(user, at=AT) for user in USERS} == made
        assert {user: keys.key_id(user) for user in USERS} == {user: key.key_id for user, key in made.items()}
        assert len({key.secret for key in made.values()}) == len(USERS)
        assert {len(key.secret) for key in made.values()} == {KEY_BYTES}
        named = [keys.pseudonym(user) for user in USERS]
        assert len(set(named)) == len(USERS)
        assert named == [keys.pseudonym(user) for user in USERS]
        assert not [name for user, name in zip(USERS, named, strict=True) if name is None or user in name]

    def test_a_key_gives_others_for_each_purpose(self, keys: Keys) -> None:
        """What is derived says nothing of the key, and is the same each time."""
        key = keys.make("yuki", at=AT)
        derived = [key.derived(purpose) for purpose in ("tokens", "tokens", "else")]
        assert derived[0] == derived[1]
        assert len({key.secret, *derived}) == 3

    def test_a_user_who_is_erased_leaves_one_tombstone_and_no_key(self, keys: Keys) -> None:
        """The tombstone says whose it is to who asks for this user, when, and how much there was."""
        for user in USERS:
            keys.make(user, at=AT)
        former, name = keys.make("ゆき", at=AT), keys.pseudonym("ゆき")
        stone = keys.tombstone("ゆき", at=AT, counts={"turns": 3})
        assert keys.shred(former.key_id, stone)
        assert not keys.shred(former.key_id, stone)
        assert keys.tombstones() == (stone,)
        assert [stone.is_of(user) for user in USERS] == [True, False, False]
        assert stone.is_of_key(former.key_id)
        assert not [user for user in USERS if stone.is_of_key(keys.key_id(user) or "")]
        assert (stone.at, dict(stone.counts)) == (AT, {"turns": 3})
        assert keys.of("ゆき") is None
        assert keys.pseudonym("ゆき") is None
        assert keys.of("yuki") is not None
        # The id comes again: nothing of before opens with its new key.
        again = keys.make("ゆき", at=AT)
        assert keys.by_id(former.key_id) is None
        assert keys.by_id(again.key_id) == again
        assert (again.key_id, again.secret) != (former.key_id, former.secret)
        assert keys.pseudonym("ゆき") not in (None, name)

    def test_tombstones_of_one_user_do_not_look_alike(self, keys: Keys) -> None:
        """Each has a salt of its own."""
        stones = [keys.tombstone("yuki", at=AT, counts={}) for _ in range(5)]
        assert len({stone.digest for stone in stones}) == 5

    def test_rotation_leaves_every_key_as_it_was(self, keys: Keys) -> None:
        """What wraps them is another, they are the same; a turn needs not be read for it."""
        made = {user: keys.make(user, at=AT) for user in USERS}
        before = keys.status()
        assert keys.rotate() == len(USERS)
        after = keys.status()
        assert before.kek_id != after.kek_id
        assert (before.users, before.wrapped_by) == (after.users, after.wrapped_by) == (3, before.wrapped_by)
        keys.close()
        assert {user: keys.of(user) for user in USERS} in (made, dict.fromkeys(USERS))

    def test_many_at_once_are_given_one_key(self, keys: Keys) -> None:
        """Whoever comes first makes it."""
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda n: keys.make(USERS[n % 3], at=AT), range(48)))
        assert len({key.key_id for key in made}) == len(USERS)
        assert keys.status().users == len(USERS)

    def test_it_is_known_by_one_name(self, keys: Keys) -> None:
        """The name stays."""
        named = keys.ident()
        keys.make("yuki", at=AT)
        assert named
        assert keys.ident() == named
