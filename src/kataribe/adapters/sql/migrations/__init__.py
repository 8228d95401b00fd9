"""Migrations of the ledger: append-only, numbered."""
