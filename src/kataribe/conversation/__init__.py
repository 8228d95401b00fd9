"""Conversations: what was said with users, under a story or outside, and what is remembered of it."""
