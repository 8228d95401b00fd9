"""Facts out of a text by a language model, through pydantic-ai.

`extractor` imports the vendor; `names`, `parts`, `prompt` and `checks` do not.
"""
