"""An index outside the store, in this process's memory: the reference of what such an index promises."""

from kataribe.adapters.memory_index.index import MemoryIndex

__all__ = ["MemoryIndex"]
