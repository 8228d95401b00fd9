"""Measures kataribe beside plain floors: `python -m kataribe.bench [--json] [--quick] [NAME ...]`."""
