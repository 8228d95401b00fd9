"""A recall tool for agents: the viewer is bound when it is made, outside what a model may say (S0-30)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kataribe.domain.gate import Viewer
from kataribe.domain.memory import Recollection
from kataribe.domain.shown import hit_json
from kataribe.errors import InputError

Recall = Callable[[Viewer, str, int], Recollection]

_PARAMETERS: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to remember, as a question or a few words."},
        "top_k": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "description": "How many memories to give at most.",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class RecallTool:
    """A function tool: `name`, `description` and `parameters` (JSON schema) for the model, a call for you.

    Whatever the model passes, story, character and episode stay those it was made with; an
    argument that is not in the schema raises `InputError`.
    """

    viewer: Viewer
    recall: Recall = field(repr=False)
    name: str = "recall_memories"
    description: str = (
        "Search what you remember. Gives sentences with the episode they are from; "
        "an empty list means that you remember nothing about it."
    )

    @property
    def parameters(self) -> Mapping[str, object]:
        """JSON schema of the arguments a model may give."""
        return _PARAMETERS

    def __call__(self, **arguments: object) -> list[dict[str, object]]:
        """Recall as the bound viewer; text of memories is data, never instructions."""
        unknown = sorted(arguments.keys() - {"query", "top_k"})
        if unknown:
            raise InputError(f"the tool takes query and top_k, not {', '.join(unknown)}")
        query, top_k = arguments.get("query"), arguments.get("top_k", 10)
        if not isinstance(query, str):
            raise InputError("the tool needs a query in words")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= 50:
            raise InputError(f"top_k must be a whole number from 1 to 50, not {top_k!r}")
        return [hit_json(hit) for hit in self.recall(self.viewer, query, top_k).hits]
