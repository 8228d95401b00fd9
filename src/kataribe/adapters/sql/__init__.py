"""The ledger on SQLite: named SQL through the driver; what makes and upgrades it is loaded on use."""

from kataribe.adapters.sql.ledger import SqlLedger

__all__ = ["SqlLedger"]
