"""Keywords as they are cut now: words of Katakana whole, and their parts; nothing else changes."""

from collections.abc import Iterator
from datetime import datetime

import sqlalchemy as sa
from alembic import op

from kataribe.arena.segment import postings_of
from kataribe.domain.arrays import np
from kataribe.domain.conversation.turns import Turn
from kataribe.domain.terms import Language
from kataribe.domain.text.tokens import tokens

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    languages: dict[str, Language] = dict(
        connection.execute(sa.text("SELECT space, language FROM spaces")).all()
    )
    for key, space, unit, memory_keys in connection.execute(
        sa.text("SELECT key, space, unit, memory_keys FROM segments")
    ).all():
        texts = _texts(connection, space, unit, languages[space])
        rows = np.frombuffer(memory_keys, dtype="<i8").tolist()
        cut = postings_of([tokens(texts.get(row, ""), languages[space]) for row in rows])
        values = {
            "lengths": cut.lengths.astype("<u4").tobytes(),
            "hashes": cut.hashes.astype("<u8").tobytes(),
            "rows": cut.rows.astype("<u4").tobytes(),
            "counts": cut.counts.astype("<u4").tobytes(),
        }
        written = ", ".join(f"{name} = :{name}" for name in values)
        connection.execute(sa.text(f"UPDATE segments SET {written} WHERE key = :key"), {"key": key, **values})


def downgrade() -> None:
    """Leave the keywords: an older kataribe tells by `verify` that it cuts others, and `rebuild` mends it."""


_FACTS = "SELECT key, text FROM memories WHERE space = :space AND unit = :unit"
_TURNS = """
SELECT m.key, t.turn_id, t.session, t.speaker, t.text, t.caption, t.time
FROM memories m JOIN turns t ON t.space = m.space AND t.turn_id = m.fact_id
WHERE m.space = :space AND m.unit = :unit AND m.kind = 'turn'
"""


def _texts(connection: sa.Connection, space: str, unit: str, language: Language) -> dict[int, str]:
    """Give what keywords are taken from, by the key of the memory."""
    of = {"space": space, "unit": unit}
    facts = {row.key: row.text for row in connection.execute(sa.text(_FACTS), of)}
    return facts | dict(_told(connection, of, language))


def _told(connection: sa.Connection, of: dict[str, str], language: Language) -> Iterator[tuple[int, str]]:
    for key, turn_id, session, speaker, text, caption, time in connection.execute(sa.text(_TURNS), of):
        at = datetime.fromisoformat(time)
        turn = Turn(turn_id=turn_id, session=session, speaker=speaker, text=text, caption=caption, time=at)
        yield key, turn.told(language)
