"""LlamaIndex: a retriever of one viewer's memory. Importing this loads LlamaIndex, which takes seconds."""

from __future__ import annotations

from typing import Unpack

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from kataribe.domain.memory import Hit
from kataribe.domain.recall.requests import RecallOptions, ViewerKeys
from kataribe.face.sync.kataribe import Kataribe
from kataribe.formats.wire.recall import hit_json

_SAID_ELSEWHERE = ("text", "score")


class KataribeRetriever(BaseRetriever):
    """Retrieves what one viewer remembers, and no one else, whatever a query says.

    `asked` is what `recall` takes. A node's text is the memory's, its id the memory's `fact_id`, its metadata
    what else a recall tells of a hit; a model is shown the text alone. Raises `InputError` when these words
    make no viewer.
    """

    def __init__(self, memory: Kataribe, viewer: ViewerKeys, **asked: Unpack[RecallOptions]) -> None:
        self._handle = memory.viewer(**viewer)
        self._asked = asked
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._handle.recall(query_bundle.query_str, **self._asked)
        return [_node(hit) for hit in found.hits]


def _node(hit: Hit) -> NodeWithScore:
    told = {name: value for name, value in hit_json(hit).items() if name not in _SAID_ELSEWHERE}
    node = TextNode(
        id_=hit.fact_id,
        text=hit.text,
        metadata=told,
        excluded_llm_metadata_keys=list(told),
        excluded_embed_metadata_keys=list(told),
    )
    return NodeWithScore(node=node, score=hit.score)
