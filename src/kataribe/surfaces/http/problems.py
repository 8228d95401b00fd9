"""Refusals as problems (RFC 9457), in the words of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kataribe import errors
from kataribe.errors import KataribeError
from kataribe.formats.wire.server import ProblemJson

PROBLEM = "application/problem+json"
_STATUS: Mapping[type[KataribeError], int] = {
    errors.InputError: 400,
    errors.NotFoundError: 404,
    errors.NotPermittedError: 403,
    errors.StaleError: 412,
    errors.ConflictError: 409,
    errors.MissingExtraError: 503,
    errors.EmbedderUnavailableError: 503,
    errors.EmbedderMismatchError: 503,
    errors.EmbedderError: 502,
    errors.ExtractionError: 502,
    errors.ModelError: 502,
    errors.VectorIndexError: 503,
    errors.StoreFullError: 507,
    errors.StoreError: 503,
}
"""The status of each error, or of the nearest above it."""
_NO_KEYS = "this server cannot use its keys; whoever runs it is told why by `kataribe keys status`"
_RETRY = {429: "1", 503: "1"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request is refused: a word that programs know it by, and a sentence for a person."""

    status: int
    name: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> ProblemJson:
        """Write it as RFC 9457 says."""
        title = self.name.replace("-", " ")
        told = f"urn:kataribe:problem:{self.name}"
        return {"type": told, "title": title, "status": self.status, "detail": self.detail}

    @property
    def all_headers(self) -> dict[str, str]:
        """What goes with it in the head."""
        again = {"retry-after": _RETRY[self.status]} if self.status in _RETRY else {}
        return {**again, **self.headers}


class RefusedError(Exception):
    """A request is refused before any verb is called."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


NO_KEY = Problem(
    401,
    "unauthorized",
    "this server needs an access key: send `Authorization: Bearer SECRET`; `kataribe access add` makes one",
    {"www-authenticate": 'Bearer realm="kataribe"'},
)
NO_NAME = Problem(
    401,
    "unauthorized",
    "this key serves several users: say for whom with each request, as it was made to",
    {"www-authenticate": 'Bearer realm="kataribe"'},
)
NOT_YOURS = Problem(404, "not-found", "there is nothing of that name for this key")
"""The same, byte for byte, for what is another's and for what is not there."""
NO_ROUTE = Problem(404, "not-found", "there is no such path; `/openapi.json` names all there are")
FORBIDDEN = Problem(403, "forbidden", "a key of this scope does not open this; ask the owner for another one")
UNEXPECTED = Problem(500, "unexpected", "something went wrong here; what was acknowledged stays done")


def bad_request(detail: str) -> RefusedError:
    """Make the refusal of a request that is malformed."""
    return RefusedError(Problem(400, "input", detail))


def problem_of(error: KataribeError) -> Problem:
    """Give the problem that an error of a verb is; where the keys of the machine lie, no caller is told."""
    kind = next(kind for kind in type(error).__mro__ if kind in _STATUS or kind is KataribeError)
    words = _words(type(error).__name__.removesuffix("Error"))
    detail = _NO_KEYS if isinstance(error, errors.KeyStoreError) else " ".join(error.in_shell.split())
    return Problem(_STATUS.get(kind, 500), "-".join(words) or "error", detail)


def _words(name: str) -> list[str]:
    """Cut a name in capitals into small words."""
    found: list[str] = []
    for letter in name:
        if letter.isupper() or not found:
            found.append("")
        found[-1] += letter.lower()
    return found
