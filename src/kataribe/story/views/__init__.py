"""The author's views of a story: who knows what, since when, and why."""
