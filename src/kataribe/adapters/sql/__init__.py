"""The ledger on SQLite, through SQLAlchemy Core."""

from kataribe.adapters.sql.ledger import SqlLedger

__all__ = ["SqlLedger"]
