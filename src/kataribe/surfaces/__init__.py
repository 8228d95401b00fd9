"""The doors: one folder each."""
