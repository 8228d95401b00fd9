"""The speed layer: vectors and keywords laid out as the gate asks for them, derived and never the truth."""
