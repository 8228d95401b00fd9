"""From what an author hands in to what is remembered."""
