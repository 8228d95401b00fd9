"""What a language model is asked, through pydantic-ai: facts of a text, plans, choices, answers, scores.

`on_use`, `names`, `parts`, `prompt` and `checks` do not import the vendor; the others do, and are
loaded by `on_use` when they are needed.
"""
