"""The routes of upkeep of the whole store: what has changed, what was asked, and making things again."""

from __future__ import annotations

from typing import Any

from kataribe.errors import NotFoundError
from kataribe.formats.wire.backups import WrittenBackupJson, written_backup_json
from kataribe.formats.wire.knowledge import DocumentReceiptJson, document_receipt_json
from kataribe.formats.wire.server import (
    ChangeLogJson,
    DocumentTextJson,
    IndexFedJson,
    IndexLagJson,
    change_log_json,
    document_text_json,
    index_lag_json,
)
from kataribe.formats.wire.store import (
    ReembeddedJson,
    VerificationJson,
    reembedded_json,
    verification_json,
)
from kataribe.formats.wire.story import BranchJson, TraceJson, branch_json, trace_json
from kataribe.formats.wire.work import EstimateJson, SyncReportJson, estimate_json, sync_report_json
from kataribe.surfaces.http import authoring
from kataribe.surfaces.http.routes import Example, Ids, Route
from kataribe.surfaces.http.showing import RULES, as_list, as_value


def _lag(found: Any, _: Ids) -> object:
    if found is None:
        raise NotFoundError("this store has no index outside of it")
    return index_lag_json(found)


UPKEEP: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/changes",
        way="changes",
        shape=ChangeLogJson,
        show=as_value(change_log_json),
        example=Example(query={"since": "0", "story": "harbour"}),
    ),
    Route(
        method="GET",
        path="/traces",
        way="admin.traces",
        shape=TraceJson,
        show=as_list(trace_json),
        is_list=True,
        example=Example(query={"story": "harbour", "last": "2"}),
    ),
    Route(
        method="GET",
        path="/branches",
        way="admin.branches",
        shape=BranchJson,
        show=as_list(branch_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="GET",
        path="/estimate",
        way="admin.estimate",
        shape=EstimateJson,
        show=as_list(estimate_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="GET",
        path="/verify",
        way="verify",
        shape=VerificationJson,
        run=authoring.at_length(as_value(verification_json)),
        example=Example(),
    ),
    Route(
        method="POST",
        path="/rebuild",
        way="admin.rebuild",
        shape=SyncReportJson,
        run=authoring.at_length(as_value(sync_report_json)),
        example=Example(body={"story": "harbour"}),
    ),
    Route(
        method="POST",
        path="/reembed",
        way="admin.reembed",
        shape=ReembeddedJson,
        run=authoring.at_length(as_value(reembedded_json)),
        example=Example(body={"embedder": "hash", "user": "nora"}),
    ),
    Route(
        method="POST",
        path="/drop",
        way="admin.drop",
        status=204,
        example=Example(body={"user": "nora", "unit": "none"}, status=404),
    ),
    Route(
        method="GET",
        path="/backups",
        way="admin.backups.list",
        shape=WrittenBackupJson,
        show=as_list(written_backup_json),
        is_list=True,
        example=Example(),
    ),
    Route(
        method="POST",
        path="/backups/forget",
        way="admin.backups.forget",
        status=204,
        example=Example(body={"paths": []}),
    ),
    Route(
        method="GET",
        path="/index",
        way="admin.index.lag",
        shape=IndexLagJson,
        show=_lag,
        example=Example(status=404),
    ),
    Route(
        method="POST",
        path="/index/feed",
        way="admin.index.feed",
        shape=IndexFedJson,
        run=authoring.at_length(lambda count, _: {"fed": count}),
        example=Example(body={}, status=400),
    ),
)

DOCUMENTS: tuple[Route, ...] = (
    Route(
        method="PUT",
        path="/libraries/{library}/files/{name}",
        way="library.put",
        shape=DocumentReceiptJson,
        show=as_value(document_receipt_json),
        run=authoring.put_file,
        left_out=frozenset({"data"}),
        uploads=True,
        example=Example(
            {**RULES, "name": "tides.txt"},
            data="満潮は午後六時。".encode("shift_jis"),
            query={"encoding": "shift_jis"},
        ),
    ),
    Route(
        method="GET",
        path="/libraries/{library}/documents/{name}",
        way="library.document",
        shape=DocumentTextJson,
        show=lambda found, ids: document_text_json(ids["library"], found),
        example=Example({**RULES, "name": "tides.txt"}),
    ),
    Route(
        method="POST",
        path="/libraries/{library}/rebuild",
        way="library.rebuild",
        shape=SyncReportJson,
        run=authoring.at_length(as_value(sync_report_json)),
        example=Example(RULES, {}),
    ),
    Route(
        method="GET",
        path="/libraries/{library}/verify",
        way="library.verify",
        shape=VerificationJson,
        run=authoring.at_length(as_value(verification_json)),
        example=Example(RULES),
    ),
)
"""Routes of knowledge bases that are tried while one is there."""
