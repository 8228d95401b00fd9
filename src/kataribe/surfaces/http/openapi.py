"""The OpenAPI document: every route with its options, its shape and an example, all taken from the code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from kataribe import __version__
from kataribe.formats.wire.schema import json_schema, name_of
from kataribe.formats.wire.server import ProblemJson
from kataribe.surfaces.http.problems import PROBLEM
from kataribe.surfaces.http.readers import Schema
from kataribe.surfaces.http.routes import Route
from kataribe.surfaces.http.verbs import Option, schema_of

_REFUSALS = {
    400: "what was sent is wrong; `detail` says what",
    401: "no access key, or one that opens nothing",
    403: "a key of another scope is needed",
    404: "there is no such thing, or not for this key",
    409: "the state forbids it, or an id is taken",
    429: "this caller asks too often",
    502: "a model or an embedder failed",
    503: "the store is busy, or a part is missing",
    507: "the disk is full",
}
_OF_WRITES = {408: "the body did not come in time", 413: "the body is too large", 415: "the body is not JSON"}
_KEYED = {422: "the idempotency key was sent with another request"}
_ALSO = {
    202: "durable; memory follows, and `Location` is the job",
    204: "done; there is nothing to show",
    304: "the episode is the one the caller has",
    412: "somebody has changed the episode since",
}
_TO_CONFIRM = "nothing is done yet; what comes back says how to confirm it"
_FILE: Schema = {"type": "string", "format": "binary"}
_OBJECT: Schema = {"type": "object"}
_JSON = "application/json"
_TAGS = {"stories": "Stories", "jobs": "Stories", "users": "Users", "ingest": "Users", "privacy": "Users"}


def document(routes: Sequence[Route], also: Mapping[str, Schema] | None = None) -> Schema:
    """Write the document; `also` are paths that are told of as they are."""
    paths: dict[str, dict[str, object]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "kataribe", "version": __version__},
        "security": [{"key": []}, {}],
        "paths": {**paths, **(also or {})},
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas() -> object:
    """Give the shapes that leave the program, as OpenAPI refers to them."""
    told = json.dumps(json_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")
    return json.loads(told)


def _operation(route: Route) -> Schema:
    told: Schema = {
        "operationId": f"{route.method.lower()}_{route.path.strip('/')}".replace("/", "_")
        .replace("{", "")
        .replace("}", ""),
        "summary": route.verb.doc.partition("\n")[0],
        "description": f"Scopes: {', '.join(sorted(route.scopes))}. {' '.join(route.verb.doc.split())}",
        "tags": [_TAGS.get(route.path.split("/")[1], "Viewers" if "viewer" in route.way else "Store")],
        "parameters": _parameters(route),
        "responses": _responses(route),
    }
    if route.uploads:
        told["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": _FILE}}}
    if route.takes_body:
        told["requestBody"] = {
            "required": any(one.is_required for one in route.beside.values()),
            "content": {
                "application/json": {
                    "schema": _body(route),
                    **({} if route.example.body is None else {"example": route.example.body}),
                }
            },
        }
    return told


def _body(route: Route) -> Schema:
    if route.body is not None:
        return _ref(route.body)
    again = {short: route.beside[meant] for short, meant in route.renamed.items()}
    return schema_of(
        {**route.beside, **{name: Option(name, one.reader, False) for name, one in again.items()}}
    )


def _parameters(route: Route) -> list[Schema]:
    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    found = [_parameter(name, "path", route.in_path.get(name), route.example.ids.get(name)) for name in names]
    if not route.takes_body:
        for one in route.beside.values():
            found.append(_parameter(one.name, "query", one, route.example.query.get(one.name)))
    if route.is_list:
        limit: Schema = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
        found.append({"name": "limit", "in": "query", "required": False, "schema": limit})
        found.append({"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"}})
    if route.is_repeatable:
        key: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
        found.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    return found


def _parameter(name: str, where: str, option: Option | None, example: str | None) -> Schema:
    schema = {"type": "string"} if option is None else option.reader.schema
    told: Schema = {"name": name, "in": where, "required": where == "path", "schema": schema}
    if example is not None:
        told["example"] = int(example) if schema.get("type") == "integer" else example
    return told


def _responses(route: Route) -> Schema:
    refusals = {
        **_REFUSALS,
        **(_OF_WRITES if route.takes_body or route.uploads else {}),
        **(_KEYED if route.is_repeatable else {}),
    }
    told: Schema = {str(route.status): _success(route)}
    for status in route.also:
        told[str(status)] = _other_end(route, status)
    for status, why in sorted(refusals.items()):
        told[str(status)] = {"description": why, **_problem()}
    return told


def _other_end(route: Route, status: int) -> Schema:
    if status == 202 and route.accepted is not None:
        return {"description": _TO_CONFIRM, "content": {"application/json": {"schema": _ref(route.accepted)}}}
    success = {202: _success(route), 204: {}, 304: {}, 412: _problem()}[status]
    return {**success, "description": _ALSO[status]}


def _ref(shape: type) -> Schema:
    return {"$ref": f"#/components/schemas/{name_of(shape)}"}


def _problem() -> Schema:
    return {"content": {PROBLEM: {"schema": _ref(ProblemJson)}}}


def _success(route: Route) -> Schema:
    content: Schema = {media: {"schema": _OBJECT if media == _JSON else _FILE} for media in route.media}
    if route.shape is not None:
        one = _ref(route.shape)
        content["application/json"] = {"schema": _page(one) if route.is_list else one}
    if not content:
        return {"description": "done"}
    if route.streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    return {"description": "what was asked for", "content": content}


def _page(each: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": each},
            "next": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["items", "next"],
        "additionalProperties": False,
    }
