"""Stories as values: what authors hand in, and the pure rules over it."""
