"""Back ends: one folder per vendor, found by entry point."""
