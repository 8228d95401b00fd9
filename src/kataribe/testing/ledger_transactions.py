"""What every ledger promises of whole transactions, of threads, upkeep and backups."""

from __future__ import annotations

from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from kataribe.domain.records import Outcome, Work
from kataribe.domain.story.inputs import Character
from kataribe.errors import ConflictError, NotFoundError, StoreError
from kataribe.ports import Ledger
from kataribe.testing.ledger_world import (
    GAP,
    PRINT,
    Undone,
    a_story,
    an_episode,
    beside,
    everything,
    fill,
    hide,
)


class TransactionsContract:
    """What every ledger promises of whole transactions, of threads, upkeep and backups."""

    def test_a_part_is_undone_by_itself(self, ledger: Ledger) -> None:
        """What came before and after it stays."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
            with pytest.raises(NotFoundError), writing.part():  # noqa: PT012
                writing.delete_story("s")
                raise NotFoundError("no")
            assert everything(writing, "s") == before
            with writing.part():
                writing.put_story(a_story("kept"))
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert reading.story("kept") is not None

    def test_a_transaction_reads_what_it_changed_last(self, ledger: Ledger) -> None:
        """Also where a part of it is undone after it was read."""
        with ledger.writing() as writing:
            fill(writing)
            story, cast = writing.story("s"), writing.characters("s")
            assert story is not None
            assert cast
            with pytest.raises(NotFoundError), writing.part():  # noqa: PT012
                writing.put_story(replace(story, title="another"))
                writing.put_character("s", Character(character_id="newcomer"))
                assert writing.story("s") == replace(story, title="another")
                assert len(writing.characters("s")) == len(cast) + 1
                raise NotFoundError("no")
            assert (writing.story("s"), writing.characters("s")) == (story, cast)
            writing.put_story(replace(story, title="last"))
            assert writing.story("s") == replace(story, title="last")
        with ledger.reading() as reading:
            assert reading.story("s") == replace(story, title="last")

    def open_backup(self, path: Path) -> Ledger:
        """Open what `Ledger.backup` wrote."""
        raise NotImplementedError

    @pytest.mark.parametrize("error", [Undone, KeyboardInterrupt])
    def test_a_block_that_raises_changes_nothing(self, ledger: Ledger, error: type[BaseException]) -> None:
        """Neither what it added, nor what it changed, nor what it took out."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        with pytest.raises(error), ledger.writing() as writing:  # noqa: PT012
            fill(writing, "another")
            writing.put_episode("s", an_episode(1, "changed", version=2), order_key=GAP)
            writing.set_numbers("s", {"e1": 2, "e2": 1}, {})
            writing.delete_facts("s", ["f1-0"])
            writing.rename_story("s", "renamed")
            writing.delete_story("renamed")
            raise error
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            assert [story.story_id for story in reading.stories()] == ["s"]
        with ledger.writing() as writing:
            writing.put_story(a_story("after"))
        with ledger.reading() as reading:
            assert reading.story("after") is not None

    def test_a_writer_sees_what_it_wrote(self, ledger: Ledger) -> None:
        """Before it is committed."""
        with ledger.writing() as writing:
            fill(writing)
            assert len(everything(writing, "s")["admitted"]) == 4  # type: ignore[arg-type]

    def test_reading_is_of_one_moment(self, ledger: Ledger) -> None:
        """A writer may commit meanwhile or wait for the reader, but is never seen by it."""
        with ledger.writing() as writing:
            fill(writing)

        def change() -> None:
            with ledger.writing() as writing:
                writing.put_story(a_story("new"))
                writing.put_episode("s", an_episode(1, "changed", version=2), order_key=GAP)
                hide(writing, "s", "e1")

        with beside() as start:
            with ledger.reading() as reading:
                before = everything(reading, "s")
                changing = start(change)
                wait([changing], timeout=0.3)
                assert everything(reading, "s") == before
                assert reading.story("new") is None
            changing.result()
        with ledger.reading() as reading:
            assert reading.story("new") is not None
            assert everything(reading, "s") != before

    def test_a_reader_never_sees_half(self, ledger: Ledger) -> None:
        """While a writer moves two stories together, over and over."""
        over = Event()

        def move() -> None:
            for step in range(1, 31):
                with ledger.writing() as writing:
                    for story_id in ("a", "b"):
                        writing.put_story(a_story(story_id, title=str(step)))
            over.set()

        with beside() as start:
            moving = start(move)
            while not over.is_set() and not moving.done():
                with ledger.reading() as reading:
                    one, two = reading.story("a"), reading.story("b")
                    assert (one and one.title) == (two and two.title)
            moving.result()

    def test_two_writers_lose_no_write(self, ledger: Ledger) -> None:
        """Each reads what the other wrote before it adds its own."""
        with ledger.writing() as writing:
            writing.put_story(a_story(title="0"))

        def count() -> None:
            for _ in range(15):
                with ledger.writing() as writing:
                    story = writing.story("s")
                    assert story is not None
                    writing.put_story(replace(story, title=str(int(story.title or 0) + 1)))

        with beside() as start:
            for counting in [start(count) for _ in range(4)]:
                counting.result()
        with ledger.reading() as reading:
            story = reading.story("s")
        assert story is not None
        assert story.title == "60"

    def test_a_sound_ledger_has_no_problems(self, ledger: Ledger) -> None:
        """Empty or filled."""
        with ledger.writing() as writing:
            fill(writing)
        assert ledger.problems() == ()

    def test_looking_for_problems_waits_its_turn(self, ledger: Ledger) -> None:
        """It disturbs no writer at work in another thread."""
        with beside() as start:
            with ledger.writing() as writing:
                fill(writing)
                looking = start(ledger.problems)
                wait([looking], timeout=0.3)
            assert looking.result() == ()
        with ledger.reading() as reading:
            assert len(reading.memories("story:s")) == 4

    def test_a_backup_holds_the_inputs_and_no_vectors(self, ledger: Ledger, tmp_path: Path) -> None:
        """What was handed in is there; what is derived is due to be made again."""
        with ledger.writing() as writing:
            fill(writing)
            before = everything(writing, "s")
        ledger.backup(tmp_path / "copy.db")
        with ledger.reading() as reading:
            assert everything(reading, "s") == before
            hashes = [memory.text_hash for memory in reading.memories("story:s")]
        copy = self.open_backup(tmp_path / "copy.db")
        with copy.reading() as reading:
            after = everything(reading, "s")
            assert reading.known_vectors(("story:s",), "any-1", hashes) == {}
            assert reading.pending("s", 9, holders=()) == (1, 2)
        same = ("story", "characters", "mentioned", "episodes", "versions", "annotations", "facts")
        for name in (*same, "suppressions", "pins"):
            assert after[name] == before[name]
        for name in ("admitted", "near", "wordy"):
            assert not after[name]
        due = Work(fingerprint="", outcome=Outcome.DUE, wanted=PRINT)
        assert after["work"] == {"e1": due, "e2": due}
        assert copy.problems() == ()
        copy.close()
        assert [file.name for file in tmp_path.iterdir() if file.name.startswith("copy")] == ["copy.db"]

    def test_a_backup_never_overwrites(self, ledger: Ledger, tmp_path: Path) -> None:
        """Whatever stands there."""
        taken = tmp_path / "taken"
        taken.write_bytes(b"mine")
        with pytest.raises(ConflictError):
            ledger.backup(taken)
        assert taken.read_bytes() == b"mine"
        folder = tmp_path / "folder"
        folder.mkdir()
        with pytest.raises(ConflictError):
            ledger.backup(folder)

    def test_a_backup_into_a_missing_folder_is_refused(self, ledger: Ledger, tmp_path: Path) -> None:
        """And makes none."""
        with pytest.raises(StoreError):
            ledger.backup(tmp_path / "missing" / "copy.db")
        assert not (tmp_path / "missing").exists()

    def test_a_backup_holds_nothing_uncommitted(self, ledger: Ledger, tmp_path: Path) -> None:
        """A writer at work in another thread is waited for or not seen, and is not disturbed."""
        copy = tmp_path / "copy.db"
        with ledger.writing() as writing:
            writing.put_story(a_story("kept"))
        with beside() as start:
            with pytest.raises(Undone), ledger.writing() as writing:  # noqa: PT012
                writing.put_story(a_story("undone"))
                copying = start(lambda: ledger.backup(copy))
                wait([copying], timeout=0.3)
                writing.put_story(a_story("undone too"))
                raise Undone
            copying.result()
        made = self.open_backup(copy)
        with made.reading() as reading, ledger.reading() as ours:
            assert [story.story_id for story in reading.stories()] == ["kept"]
            assert [story.story_id for story in ours.stories()] == ["kept"]
        made.close()

    def test_backups_of_a_busy_ledger_are_of_one_moment(self, ledger: Ledger, tmp_path: Path) -> None:
        """A writer that moves two stories together is neither caught between them nor disturbed."""
        over = Event()

        def move() -> None:
            try:
                for step in range(40):
                    with ledger.writing() as writing:
                        writing.put_story(a_story("a", title=str(step)))
                        over.wait(0.01)
                        writing.put_story(a_story("b", title=str(step)))
            finally:
                over.set()

        copies: list[Path] = []
        with beside() as start:
            moving = start(move)
            while not over.is_set() and len(copies) < 20:
                copies.append(tmp_path / f"copy{len(copies)}.db")
                ledger.backup(copies[-1])
            moving.result()
        for copy in copies[::4]:
            made = self.open_backup(copy)
            with made.reading() as reading:
                one, two = reading.story("a"), reading.story("b")
                assert (one and one.title) == (two and two.title)
            made.close()

    def test_closing_twice_is_closing(self, ledger: Ledger) -> None:
        """And says nothing."""
        with ledger.writing() as writing:
            fill(writing)
        ledger.close()
        ledger.close()
