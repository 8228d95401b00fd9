"""The tables of a bundle: which files there are for programs, and what stands in each field."""

from __future__ import annotations

from dataclasses import dataclass

from kataribe.ports.bundles import ColumnType

_TEXT, _WHOLE, _NUMBER, _FLAG, _JSON = ColumnType


@dataclass(frozen=True, slots=True)
class BundleField:
    """A field of each row."""

    name: str
    type: ColumnType
    says: str


@dataclass(frozen=True, slots=True)
class BundleTable:
    """A file of rows."""

    name: str
    says: str
    fields: tuple[BundleField, ...]

    @property
    def columns(self) -> tuple[tuple[str, ColumnType], ...]:
        """Its fields as columns."""
        return tuple((one.name, one.type) for one in self.fields)


def _table(name: str, says: str, *fields: tuple[str, ColumnType, str]) -> BundleTable:
    return BundleTable(name, says, tuple(BundleField(*one) for one in fields))


_SPACE = ("space", _TEXT, "where: `user:ID`, or `talk:STORY:ID:PLACE` for talk under a story")
_HOLDER = ("holder", _TEXT, "who has it: a persona, or `world` for everybody")
_TIME = "a moment in ISO 8601"

TURNS = _table(
    "turns",
    "All that was said, in the order it was said. `kataribe log import` reads it.",
    ("id", _TEXT, "the turn's id"),
    ("session", _TEXT, "the session it was said in"),
    ("speaker", _TEXT, "who said it"),
    ("role", _TEXT, "`user`, `persona`, `system`, `other`; null where nobody told it"),
    ("time", _TEXT, f"{_TIME}, with the speaker's zone"),
    ("text", _TEXT, "the words, as they were said"),
    ("caption", _TEXT, "what a picture showed that came with it"),
    ("known_by", _JSON, "a list: who was there and may remember it; `world` is everybody"),
    ("arousal", _NUMBER, "how stirring it was, from 0 to 1"),
    ("extra", _JSON, "an object: what else a log told of it"),
    ("ordinal", _WHOLE, "its place among turns of one session and moment"),
    _SPACE,
)
SPACES = _table(
    "spaces",
    "Where things were said, and in which file they stand.",
    _SPACE,
    ("story", _TEXT, "the story that talk was held under; null outside stories"),
    ("episode", _WHOLE, "the number of the episode it was held at; null where that is deleted"),
    ("file", _TEXT, "the file with its turns"),
    ("turns", _WHOLE, "how many turns"),
    ("holders", _JSON, "a list: who may remember any of it"),
    ("expired", _JSON, "a list of the ids of turns whose text was deleted by its age"),
)
MEMORIES = _table(
    "memories",
    "What is remembered of what was said, as it stands now, and how it came about.",
    ("id", _TEXT, "the memory's id"),
    _SPACE,
    _HOLDER,
    ("kind", _TEXT, "`decision`, `request`, `fact` or `policy`"),
    ("tier", _TEXT, "`mid` or `long`"),
    ("state", _TEXT, "how it stands; `hidden`, `superseded` and `expired` are given to nobody"),
    ("text", _TEXT, "what it says"),
    ("topic", _TEXT, "what it is about"),
    ("importance", _NUMBER, "0 to 1, as a night weighed it; null before one did"),
    ("salience", _NUMBER, "0 to 1"),
    ("confidence", _NUMBER, "0 to 1"),
    ("sensitivity", _TEXT, "`none`, `pii_summary`, or null where nobody looked"),
    ("explicit", _FLAG, "whether the user asked for it to be remembered"),
    ("created_at", _TEXT, _TIME),
    ("last_used_at", _TEXT, _TIME),
    ("sources", _JSON, "a list of the ids of the turns it rests on"),
    ("superseded_by", _TEXT, "the id of what took its place"),
    ("pinned", _FLAG, "whether a person pinned it"),
    ("history", _JSON, "a list: from when on it held, in which state, with which words, and why"),
)
TURN_STATES = _table(
    "turn_states",
    "When and why the memory of a turn faded or was hidden; the turn itself stays.",
    _SPACE,
    _HOLDER,
    ("turn", _TEXT, "the turn's id"),
    ("at", _TEXT, _TIME),
    ("state", _TEXT, "how it stands from then on"),
    ("by", _TEXT, "the id of the turn or memory that brought it about; empty when time did"),
    ("reason", _TEXT, "why, as a word"),
    ("numbers", _JSON, "an object: the numbers it was decided by"),
)
QUESTIONS = _table(
    "questions",
    "What the user asked of memory and could not be done: a persona should ask back.",
    _SPACE,
    _HOLDER,
    ("turn", _TEXT, "the turn in which it was asked"),
    ("at", _TEXT, _TIME),
    ("verb", _TEXT, "what was asked"),
    ("why", _TEXT, "why it could not be done"),
)
DECISIONS = _table(
    "decisions",
    "What people decided about memories by hand.",
    _SPACE,
    _HOLDER,
    ("memory", _TEXT, "the memory's id"),
    ("at", _TEXT, _TIME),
    ("what", _TEXT, "`pin`, `unpin`, `edit`, `forget` or `restore`"),
    ("text", _TEXT, "what an edit made it say"),
)
USES = _table(
    "uses",
    "Which turns were used in an answer, and when.",
    _SPACE,
    _HOLDER,
    ("turn", _TEXT, "the turn's id"),
    ("at", _TEXT, _TIME),
)
ANSWERS = _table(
    "answers",
    "What a language model made of threads, and what of it was refused.",
    _SPACE,
    _HOLDER,
    ("kind", _TEXT, "`thread`: a thread was summed up; `newer`: what a newer statement does away with"),
    ("turns", _JSON, "a list of the ids of the turns the model was shown"),
    ("at", _TEXT, f"{_TIME} from which it could be asked"),
    ("answered", _FLAG, "whether there is an answer"),
    ("items", _JSON, "a list: what was taken of the answer"),
    ("keywords", _JSON, "a list of words"),
    ("older", _JSON, "a list of turns and places in them that hold no more"),
    ("refused", _JSON, "a list: what was not taken, and why"),
)
THREADS = _table(
    "threads",
    "What goes together in a conversation.",
    ("id", _TEXT, "the thread's id"),
    _SPACE,
    _HOLDER,
    ("session", _TEXT, "the session it is of"),
    ("domain", _TEXT, "the domain that the log named"),
    ("began", _TEXT, "why it begins there"),
    ("ended", _TEXT, f"{_TIME} from which it was over"),
    ("ended_by", _TEXT, "why it ended"),
    ("first_at", _TEXT, _TIME),
    ("last_at", _TEXT, _TIME),
    ("turns", _JSON, "a list of the ids of its turns"),
    ("counts", _JSON, "an object: messages by speaker"),
    ("persona_counts", _JSON, "an object: messages by persona"),
)
NIGHTS = _table(
    "nights",
    "The nightly runs in which memories were weighed.",
    ("at", _TEXT, _TIME),
    ("policy", _JSON, "an object: the numbers that were other than the usual ones"),
)
PROFILE = _table(
    "profile",
    "Every value of the profile that is kept, oldest first.",
    ("user_id", _TEXT, "the user"),
    ("key", _TEXT, "what the value is of"),
    ("value", _JSON, "the value"),
    ("pii_flag", _FLAG, "whether it says who the user is"),
    ("consent", _FLAG, "true: it is kept by consent"),
    ("version", _TEXT, "the version of the value"),
    ("updated_at", _TEXT, _TIME),
    ("evidence", _TEXT, "the turn in which the user agreed; null: written by hand"),
    ("evidence_space", _TEXT, "the space of that turn"),
    ("by_hand", _FLAG, "whether somebody wrote it down"),
    ("expires_at", _TEXT, "when it ends"),
    ("is_locked", _FLAG, "false: the value is here"),
)
CONSENTS = _table(
    "consents",
    "Every step of every consent.",
    ("user_id", _TEXT, "the user"),
    ("key", _TEXT, "what the consent is for"),
    ("given", _FLAG, "whether it holds from then on"),
    ("step", _TEXT, "what was done with it: given, withdrawn, required, asked, refused or waived"),
    ("days", _WHOLE, "for how many days what is said is kept, where the consent is to that"),
    ("ts", _TEXT, _TIME),
    ("evidence", _TEXT, "the turn in which the user said so; null: written by hand"),
    ("source", _TEXT, "the space of that turn"),
)
SEARCHES = _table(
    "searches",
    "The last searches in what the user said: who asked, and the ids that came back.",
    ("at", _TEXT, _TIME),
    ("verb", _TEXT, "what was asked"),
    ("story", _TEXT, "the story"),
    ("persona", _TEXT, "who asked; empty for nobody"),
    ("episode", _WHOLE, "the number of its episode"),
    ("as_of", _TEXT, f"{_TIME} up to which it remembered"),
    ("filter", _JSON, "an object: what the answer was narrowed to"),
    ("slices", _JSON, "a list: behind which slices it was asked"),
    ("ids", _JSON, "a list of the ids that came back"),
)
AUDIT = _table(
    "audit",
    "What was done with the user's data. The user is called by a pseudonym in it.",
    ("key", _TEXT, "the name of the event"),
    ("chain", _TEXT, "the chain it is in"),
    ("n", _WHOLE, "its number there"),
    ("at", _TEXT, _TIME),
    ("act", _TEXT, "what was done"),
    ("outcome", _TEXT, "`done` or `refused`"),
    ("reason", _TEXT, "why it was refused"),
    ("detail", _JSON, "an object: numbers"),
    ("hash", _TEXT, "the hash of this event and of all before it"),
)

TABLES = (
    *(TURNS, SPACES, MEMORIES, TURN_STATES, QUESTIONS, DECISIONS, USES, ANSWERS, THREADS, NIGHTS),
    *(PROFILE, CONSENTS, SEARCHES, AUDIT),
)
"""All tables, in the order in which they stand in a bundle."""


def fields_page() -> str:
    """Say of each file for programs what stands in it."""
    lines = [
        "# The files in `data/`",
        "",
        "Each `.jsonl` file is JSON Lines in UTF-8: one object a line.",
        "The `.parquet` files, where there are any, hold the same rows; what is JSON here is text there.",
    ]
    for table in TABLES:
        lines += ["", f"## {table.name}", "", table.says, "", "| field | type | meaning |", "|---|---|---|"]
        lines += [f"| `{one.name}` | {one.type} | {one.says} |" for one in table.fields]
    return "\n".join(lines) + "\n"
