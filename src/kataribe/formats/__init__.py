"""Files in and out, parsed to domain values; no store is known here."""
