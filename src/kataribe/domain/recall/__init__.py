"""Recall as values: requests, plans, ranking, contexts and what tunes them."""
