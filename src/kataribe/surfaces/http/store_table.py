"""The routes of knowledge bases and of the whole store."""

from __future__ import annotations

from kataribe.formats.wire.audit import AuditCheckJson, AuditEventJson, audit_check_json, audit_event_json
from kataribe.formats.wire.knowledge import (
    DocumentReceiptJson,
    LibraryJson,
    LibrarySearchJson,
    LibraryStateJson,
    document_receipt_json,
    library_json,
    library_search_json,
    library_state_json,
)
from kataribe.formats.wire.store import WorkItemJson, work_item_json
from kataribe.formats.wire.work import RetriedJson, SyncReportJson, WorkRunJson, retried_json
from kataribe.surfaces.http import writing
from kataribe.surfaces.http.routes import Example, Route
from kataribe.surfaces.http.showing import RULES, as_list, as_value
from kataribe.surfaces.http.upkeep_table import DOCUMENTS

LIBRARIES = (
    Route(
        method="PUT",
        path="/libraries/{library}",
        way="library.create",
        shape=LibraryJson,
        show=as_value(library_json),
        status=201,
        example=Example(RULES, {"language": "en", "embedder": "hash"}),
    ),
    Route(
        method="PUT",
        path="/libraries/{library}/documents/{name}",
        way="library.put",
        shape=DocumentReceiptJson,
        show=as_value(document_receipt_json),
        example=Example({**RULES, "name": "rules.txt"}, {"data": "The harbour closes at nine."}),
    ),
    Route(
        method="GET",
        path="/libraries",
        way="libraries",
        shape=LibraryJson,
        show=as_list(library_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="GET",
        path="/libraries/{library}",
        way="library.state",
        shape=LibraryStateJson,
        show=as_value(library_state_json),
        example=Example(RULES),
    ),
    Route(
        method="POST",
        path="/libraries/{library}/search",
        way="library.search",
        shape=LibrarySearchJson,
        show=as_value(library_search_json),
        example=Example(RULES, {"question": "When does the harbour close?"}),
    ),
    *DOCUMENTS,
    Route(
        method="DELETE",
        path="/libraries/{library}/documents/{name}",
        way="library.remove",
        status=204,
        example=Example({**RULES, "name": "rules.txt"}),
    ),
    Route(
        method="DELETE",
        path="/libraries/{library}",
        way="library.delete",
        status=204,
        example=Example(RULES),
    ),
)

STORE = (
    Route(
        method="POST",
        path="/sync",
        way="sync",
        shape=SyncReportJson,
        run=writing.sync,
        streams=True,
        example=Example(body={"user": "nora"}),
    ),
    Route(
        method="GET",
        path="/work",
        way="admin.work",
        shape=WorkItemJson,
        show=as_list(work_item_json),
        is_list=True,
        example=Example(query={"user": "nora"}),
    ),
    Route(
        method="POST",
        path="/work",
        way="sync",
        shape=WorkRunJson,
        run=writing.work_run,
        example=Example(body={"user": "nora", "within": 10}),
    ),
    Route(
        method="POST",
        path="/retry",
        way="admin.retry",
        shape=RetriedJson,
        show=as_value(retried_json),
        example=Example(body={"user": "nora"}),
    ),
    Route(
        method="GET",
        path="/audit",
        way="admin.audit.list",
        shape=AuditEventJson,
        show=as_list(audit_event_json),
        is_list=True,
        example=Example(query={"last": "5"}),
    ),
    Route(
        method="GET",
        path="/audit/verify",
        way="admin.audit.verify",
        shape=AuditCheckJson,
        show=as_value(audit_check_json),
        example=Example(),
    ),
)
