"""Alembic's environment: runs on the connection it is handed."""

from alembic import context

from kataribe.adapters.sql.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
