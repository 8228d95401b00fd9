"""kataribe: who remembers what, as of when, and why."""

__version__ = "0.1.0"
