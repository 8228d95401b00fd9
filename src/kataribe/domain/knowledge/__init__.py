"""Libraries: documents, and the passages that are found in them."""
