"""Personal data in a text: what it is, where it stands, and the tokens that stand for it."""
