"""The handles of programs without an event loop; all files here but this one are generated.

`tools/sync_face.py` writes them from `kataribe.face.aio`.
"""
