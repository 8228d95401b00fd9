"""Refusals as OpenAI's clients read them."""

from __future__ import annotations

import json

from starlette.responses import Response

from kataribe.formats.wire.openai import OpenAiErrorJson
from kataribe.surfaces.http.problems import Problem

OPENAI = "/v1/"
"""What the paths of these routes begin with."""
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    408: "timeout_error",
    429: "rate_limit_error",
}
_CODES = {401: "invalid_api_key", 404: "model_not_found"}


def openai_error(problem: Problem) -> OpenAiErrorJson:
    """Write a refusal in OpenAI's shape."""
    kind = "server_error" if problem.status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": problem.detail,
            "type": _TYPES.get(problem.status, kind),
            "param": None,
            "code": _CODES.get(problem.status, problem.name.replace("-", "_")),
        }
    }


def openai_refused(problem: Problem) -> Response:
    """Say no."""
    data = json.dumps(openai_error(problem), ensure_ascii=False).encode("utf-8", errors="replace")
    headers = {"cache-control": "no-store", **problem.all_headers}
    return Response(data, problem.status, headers, "application/json")
