"""A view and a transaction of the ledger: bundles of their parts."""

from __future__ import annotations

from kataribe.adapters.sql.access import SqlAccessTransaction, SqlAccessView
from kataribe.adapters.sql.associations import SqlAssociationsTransaction, SqlAssociationsView
from kataribe.adapters.sql.audit import SqlAuditTransaction, SqlAuditView
from kataribe.adapters.sql.conversations import SqlConversationsTransaction, SqlConversationsView
from kataribe.adapters.sql.documents import SqlDocumentsTransaction, SqlDocumentsView
from kataribe.adapters.sql.episodes import SqlEpisodesTransaction, SqlEpisodesView
from kataribe.adapters.sql.erasing import SqlErasingTransaction, SqlErasingView
from kataribe.adapters.sql.facts import SqlFactsTransaction, SqlFactsView
from kataribe.adapters.sql.feeding import SqlFeedingTransaction, SqlFeedingView
from kataribe.adapters.sql.journal import SqlJournalTransaction, SqlJournalView
from kataribe.adapters.sql.memory import SqlMemoryView
from kataribe.adapters.sql.profiles import SqlProfilesTransaction, SqlProfilesView
from kataribe.adapters.sql.requests import SqlRequestsTransaction, SqlRequestsView
from kataribe.adapters.sql.sealed import SqlSealedTransaction, SqlSealedView
from kataribe.adapters.sql.spaces import SqlSpacesView
from kataribe.adapters.sql.stories import SqlStoriesTransaction, SqlStoriesView
from kataribe.adapters.sql.tiers import SqlTiersTransaction, SqlTiersView
from kataribe.adapters.sql.vectors import SqlVectorsTransaction, SqlVectorsView
from kataribe.adapters.sql.work import SqlWorkTransaction, SqlWorkView


class SqlView(
    SqlSpacesView,
    SqlMemoryView,
    SqlVectorsView,
    SqlWorkView,
    SqlJournalView,
    SqlStoriesView,
    SqlEpisodesView,
    SqlFactsView,
    SqlConversationsView,
    SqlDocumentsView,
    SqlFeedingView,
    SqlTiersView,
    SqlProfilesView,
    SqlRequestsView,
    SqlErasingView,
    SqlAssociationsView,
    SqlAuditView,
    SqlSealedView,
    SqlAccessView,
):
    """One consistent view of the ledger."""


class SqlTransaction(
    SqlStoriesTransaction,
    SqlEpisodesTransaction,
    SqlFactsTransaction,
    SqlJournalTransaction,
    SqlConversationsTransaction,
    SqlDocumentsTransaction,
    SqlVectorsTransaction,
    SqlWorkTransaction,
    SqlFeedingTransaction,
    SqlTiersTransaction,
    SqlProfilesTransaction,
    SqlRequestsTransaction,
    SqlErasingTransaction,
    SqlAssociationsTransaction,
    SqlAuditTransaction,
    SqlSealedTransaction,
    SqlAccessTransaction,
):
    """One transaction of the ledger."""
