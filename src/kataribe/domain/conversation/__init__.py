"""Conversations as values: users, turns, and the rules of looking for words in them."""
