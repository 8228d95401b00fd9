"""Conversation memory in tiers: what one holder of one space keeps of what was said."""
